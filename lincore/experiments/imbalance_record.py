"""The cost of the imbalance in a file: its parts, what corrections recover, what rows would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.experiments.attribution import grain_of, less, over_seeds
from lincore.experiments.intervals import LEVEL, UNKNOWN, Interval
from lincore.experiments.remedies import ENOUGH
from lincore.experiments.study import position

Array = NDArray[np.float64]

#: How a model of all training rows can be corrected, from the one that asks for least.
CORRECTIONS = (
    "corrected priors",
    "both",
    "balanced weights",
    "tuned threshold",
    "oversampling",
    "undersampling",
)
CONDITIONS = ("uncorrected", *CORRECTIONS)
PARTS = ("prior shift", "majority bias", "small class")
#: Each part is the loss under the first condition less that under the second.
CONDITIONS_OF = {
    "prior shift": ("uncorrected", "corrected priors"),
    "majority bias": ("corrected priors", "both"),
}
#: The first two losses and the third; a recall for each class follows.
LOSS, LOG_LOSS, FILE_ERROR = "loss", "log loss", "error in the file"
#: Sizes that a line through losses needs, and resamples of the seeds for its interval.
FEWEST_SIZES, N_RESAMPLES = 3, 2000


class Decomposition(NamedTuple):
    """A loss of the model as trained on the file, and the parts that it is made of.

    The values of the three parts and `limit` add up to `uncorrected`; a part that is not available
    (NaN) counts as nothing there, and the one behind it holds both.

    Attributes
    ----------
    uncorrected : Interval
        The loss under the prevalence in deployment.
    prior_shift, majority_bias : Interval
        Exact, paired by split; negative where the imbalance happened to help.
    small_class : Interval
        An extrapolation: the loss less its limit for many rows of the rarest class.
    limit : Interval
        What is left of the loss in that limit.
    by_seed : ndarray of shape (2, S)
        Prior shift and majority bias of every split.
    """

    uncorrected: Interval
    prior_shift: Interval
    majority_bias: Interval
    small_class: Interval
    limit: Interval
    by_seed: Array

    @property
    def parts(self) -> dict[str, Interval]:
        """The three parts by name, in the order of the waterfall."""
        return dict(
            zip(PARTS, (self.prior_shift, self.majority_bias, self.small_class), strict=True)
        )


class Correction(NamedTuple):
    """One correction against the uncorrected model, on the same test rows.

    Attributes
    ----------
    name : str
        One of `CORRECTIONS`.
    loss : Interval
        With the correction.
    recovered : Interval
        By how much the loss is lower than uncorrected. Paired by split.
    file_error : Interval
        Change of the error at the prevalence of the file.
    recall_change : tuple of K Interval
        Of each class.
    others : Interval
        Mean change of recall of the classes other than the rarest.
    """

    name: str
    loss: Interval
    recovered: Interval
    file_error: Interval
    recall_change: tuple[Interval, ...]
    others: Interval


@dataclass(frozen=True, eq=False)
class ImbalanceCost:
    """Losses under a deployment prevalence, as trained on the file and with every correction.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The labels.
    methods : tuple of M str
    prevalence : ndarray of shape (K,)
        Shares of the classes in deployment.
    costs : ndarray of shape (K, K) or None
        Of predicting the column where the row is true; None for errors that all cost one.
    counts : ndarray of shape (K,)
        Training rows of the first split.
    n_test : int
        Test rows of the first split.
    losses : ndarray of shape (M, C, S, 3 + K)
        Of each method, condition (in the order of `CONDITIONS`) and split: the loss in deployment
        (a share of rows, or the expected cost), the log loss there in nats, the error at the
        prevalence of the file, and the recall of each class. NaN where it is not available.
    rare : int or None
        Code of the class that the file has fewest of for its prevalence; None where the file has
        the shares of deployment.
    sizes : ndarray of shape (A,)
        Training rows of that class in the class-size sweep, increasing; the last are all.
    size_losses : ndarray of shape (M, A, S, 3 + K)
        With balanced weights and corrected priors, from so many rows of the rarest class.
    seeds : ndarray of shape (S,)
    new_splits : bool
        Whether every seed has a split of its own.
    unavailable : mapping of method to mapping of condition to reason
    failures : mapping of method to reason
        Methods that could not be fitted; they are not in `methods`.
    notices : tuple of str
    settings : mapping
    """

    classes: NDArray[Any]
    methods: tuple[str, ...]
    prevalence: Array
    costs: Array | None
    counts: NDArray[np.intp]
    n_test: int
    losses: Array
    rare: int | None
    sizes: NDArray[np.intp]
    size_losses: Array
    seeds: NDArray[np.intp]
    new_splits: bool
    unavailable: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def loss_name(self) -> str:
        """What the loss in deployment is called."""
        if self.costs is not None:
            return "expected cost"
        equal = np.allclose(self.prevalence, 1 / len(self.classes))
        return "balanced error" if equal else "error in deployment"

    @property
    def loss_names(self) -> tuple[str, ...]:
        """What the last axis of `losses` holds."""
        recalls = (f"recall of {label}" for label in self.classes.tolist())
        return (LOSS, LOG_LOSS, FILE_ERROR, *recalls)

    @property
    def is_complete(self) -> bool:
        """Whether corrections that need fits of their own, and the sweep, are there too."""
        return not np.isnan(self.losses[:, CONDITIONS.index("undersampling")]).all()

    def loss(self, method: str, condition: str, loss: str = LOSS) -> Array:
        """Return one loss at every split, shape (S,).

        Raises
        ------
        KeyError
            With the known names.
        """
        i = position(self.methods, method, "method")
        j = position(CONDITIONS, condition, "condition")
        return np.asarray(self.losses[i, j, :, position(self.loss_names, loss, "loss")])

    def decomposition(self, method: str, loss: str = LOSS) -> Decomposition:
        """Split the loss of a model into prior shift, majority bias, small class and the rest.

        With L(w, π) the loss in deployment of a model trained on all training rows with class
        weights w and priors π, πF the shares of the file and π* those of deployment:

        =============  ======================================
        prior shift    L(πF, πF) - L(πF, π*)
        majority bias  L(πF, π*) - L(π*, π*)
        small class    L(π*, π*) - lim L(π*, π*) for many rows
        =============  ======================================

        Parameters
        ----------
        method, loss : str
            Of `methods` and `loss_names`.

        Examples
        --------
        >>> import lincore
        >>> data = lincore.sample("gaussian")
        >>> found = lincore.imbalance_cost(data, "lda", repeats=4)
        >>> split = found.decomposition("lda")
        >>> whole = sum(part.value for part in split.parts.values()) + split.limit.value
        >>> bool(np.isclose(whole, split.uncorrected.value))
        True
        """
        uncorrected = self.loss(method, "uncorrected", loss)
        shifted, balanced = (self.loss(method, name, loss) for name in ("corrected priors", "both"))
        before = uncorrected if np.isnan(shifted).all() else shifted
        by_seed = np.stack([less(uncorrected, shifted), less(before, balanced)])
        rest = before if np.isnan(balanced).all() else balanced
        small, limit = self._extrapolated(method, rest, loss)
        shift, bias = (self._change(values, loss) for values in by_seed)
        return Decomposition(self._level(uncorrected, loss), shift, bias, small, limit, by_seed)

    def corrections(self, method: str, loss: str = LOSS) -> tuple[Correction, ...]:
        """Return what each correction that is available recovers, and what it costs elsewhere."""
        return tuple(
            self._correction(method, name, loss)
            for name in CORRECTIONS
            if not np.isnan(self.loss(method, name, loss)).all()
        )

    def recommended(self, method: str, loss: str = LOSS) -> Correction | None:
        """Return the correction to apply; None where none is better than none beyond chance.

        Of those whose interval lies above zero the simplest that recovers three quarters of what
        the best of them does and is not significantly worse: corrected priors, which need no
        fitting, come first, and rows left out come last.
        """
        clear = [c for c in self.corrections(method, loss) if c.recovered.low > 0]
        if not clear:
            return None
        best = max(clear, key=lambda correction: correction.recovered.value)
        for correction in clear:
            near = correction.recovered.value >= ENOUGH * best.recovered.value
            if near and not self._behind(method, correction, best, loss).low > 0:
                return correction
        return best

    def with_more_rows(self, method: str, more: float, loss: str = LOSS) -> Interval:
        """Return by how much `more` rows of the rarest class would lower the loss.

        Extrapolated from the class-size sweep as a + b / n, on top of balanced weights and
        corrected priors.
        """
        if self.rare is None:
            return UNKNOWN
        share = more / (int(self.counts[self.rare]) + more)
        return Interval(*(share * end for end in self.decomposition(method, loss).small_class))

    def table(self, loss: str = LOSS) -> pd.DataFrame:
        """Return one line for each method: the loss, its parts, and the recommended correction."""
        lines = {}
        for method in self.methods:
            split, chosen = self.decomposition(method, loss), self.recommended(method, loss)
            columns = {"uncorrected": split.uncorrected, **split.parts, "limit": split.limit}
            columns["recovered"] = chosen.recovered if chosen else UNKNOWN
            lines[method] = {
                f"{name}{end}": value
                for name, interval in columns.items()
                for end, value in zip(("", " from", " to"), interval, strict=True)
            } | {"correction": chosen.name if chosen else "none"}
        frame = pd.DataFrame.from_dict(lines, orient="index")
        frame.index.name = "method"
        return frame

    def _correction(self, method: str, name: str, loss: str) -> Correction:
        values, uncorrected = (self.loss(method, c, loss) for c in (name, "uncorrected"))
        better = -1.0 if loss.startswith("recall of ") else 1.0
        recalls = self.loss_names[3:]
        changes = [
            less(self.loss(method, name, recall), self.loss(method, "uncorrected", recall))
            for recall in recalls
        ]
        others = [change for k, change in enumerate(changes) if k != self.rare]
        in_file = less(
            self.loss(method, name, FILE_ERROR), self.loss(method, "uncorrected", FILE_ERROR)
        )
        return Correction(
            name,
            self._level(values, loss),
            self._change(better * less(uncorrected, values), loss),
            self._change(in_file, FILE_ERROR),
            tuple(self._change(c, recall) for c, recall in zip(changes, recalls, strict=True)),
            self._change(np.mean(others, axis=0), FILE_ERROR),
        )

    def _behind(self, method: str, one: Correction, other: Correction, loss: str) -> Interval:
        better = -1.0 if loss.startswith("recall of ") else 1.0
        first, second = (self.loss(method, c.name, loss) for c in (one, other))
        return self._change(better * less(first, second), loss)

    def _extrapolated(self, method: str, rest: Array, loss: str) -> tuple[Interval, Interval]:
        """Return the small class's part and the limit: the mean of `rest` is their sum."""
        if self.rare is None:
            return Interval(0.0, 0.0, 0.0), self._level(rest, loss)
        i, k = position(self.methods, method, "method"), self.loss_names.index(loss)
        values = self.size_losses[i, :, :, k]
        seen = np.asarray(np.isfinite(values).all(axis=1))
        if seen.sum() < FEWEST_SIZES or not seen[-1]:
            return UNKNOWN, self._level(rest, loss)
        slopes = _slopes(1 / self.sizes[seen], values[seen])
        by_seed = np.stack([slopes / self.sizes[-1], rest - slopes / self.sizes[-1]])
        small, limit = by_seed.mean(axis=1)
        bounded = loss != LOG_LOSS and self.costs is None and not loss.startswith("recall of ")
        if bounded and limit < 0:  # an error rate has no less
            small, limit = small + limit, 0.0
        (low, high), ends = self._bootstrap(by_seed)
        rest_of_it = Interval(float(limit), *map(float, ends))
        return Interval(float(small), float(low), float(high)), (
            rest_of_it.within(0.0, np.inf) if bounded else rest_of_it
        )

    def _bootstrap(self, by_seed: Array) -> Array:
        """Return the ends (2, 2) of the means of values (2, S) by bootstrap over the splits.

        Deviations are widened as in `over_seeds`, for splits that share rows.
        """
        n = by_seed.shape[1]
        if n < 2:
            return np.full((2, 2), np.nan)
        chosen = np.random.default_rng(0).integers(n, size=(N_RESAMPLES, n))
        mean = by_seed.mean(axis=1, keepdims=True)
        deviation = by_seed[:, chosen].mean(axis=2) - mean
        widening = np.sqrt(n / (n - 1) * (1 + n * self._test_ratio))
        ends = np.quantile(deviation, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1).T
        return np.asarray(mean + widening * ends)

    @property
    def _test_ratio(self) -> float:
        return self.n_test / float(self.counts.sum()) if self.new_splits else 0.0

    def _change(self, values: Array, loss: str) -> Interval:
        if np.isnan(values).all():
            return UNKNOWN
        return over_seeds(values, self._test_ratio, grain=self._grain(loss))

    def _level(self, values: Array, loss: str) -> Interval:
        found = self._change(values, loss)
        bounded = loss != LOG_LOSS and not (loss == LOSS and self.costs is not None)
        return found.within(0.0, 1.0 if bounded else np.inf)

    def _grain(self, loss: str) -> float:
        if loss == LOSS and self.rare is not None:
            # One test row of the rarest class counts the most.
            recall = f"recall of {self.classes[self.rare]}"
            share = float(self.prevalence[self.rare])
            return share * grain_of(recall, self.classes, self.counts, self.n_test)
        name = "error" if loss in (LOSS, FILE_ERROR) else loss
        return grain_of(name, self.classes, self.counts, self.n_test)


def _slopes(places: Array, values: Array) -> Array:
    """Return the slopes (S,) of least-squares lines through values (A, S) at places (A,)."""
    centred = places - places.mean()
    return np.asarray(centred @ values / (centred @ centred))
