"""The record of an imbalance's cost: parts, corrections, and gains from more rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.imbalance.attribution import Pairs, contrast_of, means_by_order
from lincore.imbalance.cost.curve import CostCurve, CostRatios
from lincore.imbalance.cost.parts import CORRECTIONS, Correction, Decomposition
from lincore.imbalance.losses import OTHERS, Loss, named_loss, position, recall_losses
from lincore.imbalance.optimism import optimism
from lincore.imbalance.remedies import ENOUGH
from lincore.metrics.intervals import UNKNOWN, Interval
from lincore.metrics.row_variance import RowVariance
from lincore.metrics.seed_intervals import grain_of, less, over_seeds
from lincore.metrics.settings import Settings
from lincore.utils.displayed import display
from lincore.utils.typing import Array

CONDITIONS = ("uncorrected", *CORRECTIONS)
#: The first three losses, followed by the recall of each class.
LOSS, LOG_LOSS, FILE_ERROR = "loss", "log loss", "error in the file"
#: Minimum number of sizes for extrapolating losses.
FEWEST_SIZES = 3


def cost_losses(classes: NDArray[Any], prevalence: Array, *, is_share: bool) -> tuple[Loss, ...]:
    """Return the losses of `ImbalanceCost`, which average errors, log losses and costs of rows."""
    return (
        Loss(LOSS, prevalence, is_share=is_share, kind=0 if is_share else 2),
        Loss(LOG_LOSS, prevalence, is_share=False, kind=1),
        Loss(FILE_ERROR),
        *recall_losses(classes),
    )


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
        Cost of predicting the column's class if the row's class is true; None for unit costs.
    counts : ndarray of shape (K,)
        Training rows of the first split, including those that are not in memory.
    totals : ndarray of shape (K,)
        Their total weight; without weights, their number.
    n_test : int
        Test rows of the first split.
    losses : ndarray of shape (M, C, S, 3 + K)
        By method, condition (in the order of `CONDITIONS`) and split: the loss in deployment (a
        share of rows, or the expected cost), the log loss in deployment in nats, the error at the
        class shares of the file, and the recall of each class. NaN if unavailable.
    rare : int or None
        Code of the class that is most underrepresented in the file; None if the class shares are
        those of deployment.
    sizes : ndarray of shape (A,)
        Training rows of that class in the class-size sweep, increasing up to all.
    size_losses : ndarray of shape (M, A, S, 3 + K)
        Losses at these sizes, with balanced weights and corrected priors.
    seeds : ndarray of shape (S,)
    new_splits : bool
        Whether every seed has its own split.
    ratios : CostRatios
        Cost ratios of the cost curve.
    posteriors : ndarray of shape (M, C, S)
        Mean posterior of the rarest class at the class shares of the file, by method, condition and
        split; calibrated in the large if it equals the share of that class.
    miscalibrations : ndarray of shape (M, C, S)
        Miscalibration of these posteriors, a part of their Brier score; see
        `lincore.metrics.BrierParts`.
    curves : mapping of method to CostCurve
        For methods whose priors can be changed.
    unavailable : mapping of method to mapping of condition to reason
    failures : mapping of method to reason
        Methods that could not be fitted; they are not in `methods`.
    notices : tuple of str
    settings : Settings
    variances : mapping of method to RowVariance
        Variance of its mean losses estimated from rows. If missing, it is estimated from splits.
    """

    classes: NDArray[Any]
    methods: tuple[str, ...]
    prevalence: Array
    costs: Array | None
    counts: NDArray[np.intp]
    totals: Array
    n_test: int
    losses: Array
    rare: int | None
    sizes: NDArray[np.intp]
    size_losses: Array
    seeds: NDArray[np.intp]
    new_splits: bool
    ratios: CostRatios
    posteriors: Array
    miscalibrations: Array
    curves: Mapping[str, CostCurve] = field(default_factory=dict)
    unavailable: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    settings: Settings = field(default_factory=Settings)
    variances: Mapping[str, RowVariance] = field(default_factory=dict)

    @property
    def loss_name(self) -> str:
        """Name of the loss in deployment."""
        if self.costs is not None:
            return "expected cost"
        equal = np.allclose(self.prevalence, 1 / len(self.classes))
        return "balanced error" if equal else "error in deployment"

    @property
    def loss_names(self) -> tuple[str, ...]:
        """Names along the last axis of `losses`."""
        return tuple(loss.name for loss in self._losses)

    def loss(self, method: str, condition: str, loss: str = LOSS) -> Array:
        """Return one loss at every split, shape (S,).

        Raises
        ------
        KeyError
            If a name is unknown.
        """
        i = position(self.methods, method, "method")
        j = position(CONDITIONS, condition, "condition")
        return np.asarray(self.losses[i, j, :, position(self.loss_names, loss, "loss")])

    def mean_posterior(self, method: str, condition: str) -> float:
        """Return the mean posterior of the rarest class over splits; NaN if not available."""
        return self._mean_over_splits(self.posteriors, method, condition)

    def miscalibration(self, method: str, condition: str) -> float:
        """Return the mean miscalibration of that posterior over splits; NaN if not available."""
        return self._mean_over_splits(self.miscalibrations, method, condition)

    def attribution(self, method: str, loss: str = LOSS) -> Decomposition:
        """Decompose the loss of a model into prior shift, majority bias, small class and the limit.

        L(w, π) is the loss in deployment of a model trained on all training rows with class weights
        w and priors π; πF are the class shares of the file, π* those of deployment:

        =============  ======================================
        prior shift    L(πF, πF) - L(πF, π*)
        majority bias  L(πF, π*) - L(π*, π*)
        small class    L(π*, π*) - lim L(π*, π*) for many rows
        =============  ======================================

        As written, the first two correct the priors first; each is averaged with the other order,
        L(π*, πF) - L(π*, π*) and L(πF, πF) - L(π*, πF) (the Shapley value of the two corrections).
        All are conditional on the class counts of the file.

        Parameters
        ----------
        method, loss : str
            One of `methods` and one of `loss_names`.

        Examples
        --------
        >>> import lincore
        >>> data = lincore.sample("gaussian")
        >>> cost = lincore.imbalance_cost(data, "lda", repeats=4)
        >>> split = cost.attribution("lda")
        >>> whole = sum(part.value for part in split.parts.values()) + split.limit.value
        >>> bool(np.isclose(whole, split.uncorrected.value))
        True
        """
        known = {n for n in CONDITIONS if not np.isnan(self.loss(method, n, loss)).all()}
        pairs_of = _pairs_of(known)
        by_pair = {
            part: [less(self.loss(method, a, loss), self.loss(method, b, loss)) for a, b in pairs]
            for part, pairs in pairs_of.items()
        }
        most_corrected = next(
            (n for n in ("both", "corrected priors") if n in known), "uncorrected"
        )
        small, limit = self._extrapolated(method, most_corrected, loss)
        shift, bias = (self._mean_change(method, pairs, loss) for pairs in pairs_of.values())
        return Decomposition(
            self._level(method, "uncorrected", loss),
            shift,
            bias,
            small,
            limit,
            np.stack([np.mean(values, axis=0) for values in by_pair.values()]),
            means_by_order(by_pair),
        )

    def corrected(self, method: str, loss: str = LOSS) -> tuple[Correction, ...]:
        """Return the loss recovered by each available correction, and effects on other scores."""
        return tuple(
            self._correction(method, name, loss)
            for name in CORRECTIONS
            if not np.isnan(self.loss(method, name, loss)).all()
        )

    def recommended(self, method: str, loss: str = LOSS) -> Correction | None:
        """Return the recommended correction; None if none is a significant improvement.

        Among the corrections that significantly reduce the loss, it is the simplest that recovers
        three quarters of what the best recovers and is not significantly worse. Corrected priors,
        which need no fitting, are the simplest; undersampling comes last.
        """
        significant = [c for c in self.corrected(method, loss) if c.recovered.low > 0]
        if not significant:
            return None
        best = max(significant, key=lambda correction: correction.recovered.value)
        for correction in significant:
            is_enough = correction.recovered.value >= ENOUGH * best.recovered.value
            if is_enough and not self._excess(method, correction.name, best.name, loss).low > 0:
                return correction
        return best

    def optimism(self, method: str, loss: str = LOSS) -> float:
        """Return the expected optimism of the best correction.

        Subtract it from the recovered loss; see `lincore.imbalance.optimism.optimism_of_best`.
        """
        names = tuple(correction.name for correction in self.corrected(method, loss))
        return optimism(self, method, loss, names, "uncorrected")

    def with_more_rows(self, method: str, more: float, loss: str = LOSS) -> Interval:
        """Return the reduction of the loss expected from `more` rows of the rarest class.

        Extrapolated from the class-size sweep as a + b / n, on top of balanced weights and
        corrected priors.
        """
        if self.rare is None:
            return UNKNOWN
        share = more / (int(self.counts[self.rare]) + more)
        return Interval(*(share * end for end in self.attribution(method, loss).small_class))

    def curve(self, method: str | None = None) -> Any:
        """Return the expected cost by the cost of a miss: a `CostCurveDisplay`."""
        return display("CostCurveDisplay", self, method=method)

    def curve_difference(
        self, method: str | None = None, *, other: str | None = None, line: str = "matched"
    ) -> Any:
        """Return the cost curves of two methods and their difference: a `CostDifferenceDisplay`."""
        return display("CostDifferenceDisplay", self, method=method, other=other, line=line)

    def decomposition(self, method: str | None = None, loss: str = LOSS) -> Any:
        """Return the parts of a loss: a `CostDecompositionDisplay`."""
        return display("CostDecompositionDisplay", self, method=method, loss=loss)

    def corrections(self, method: str | None = None, loss: str = LOSS) -> Any:
        """Return the loss recovered by each correction: a `CostCorrectionsDisplay`."""
        return display("CostCorrectionsDisplay", self, method=method, loss=loss)

    def more_rows(
        self, method: str | None = None, loss: str = LOSS, *, more: int | None = None
    ) -> Any:
        """Return the gain from more rows of the rarest class: a `MoreRowsDisplay`."""
        return display("MoreRowsDisplay", self, method=method, loss=loss, more=more)

    @cached_property
    def digest(self) -> str:
        """Digest of the numbers, the same for equal costs."""
        record = (
            self.methods,
            self.unavailable,
            self.failures,
            self.settings.digest,
            self.seeds,
            self.settings.repeats,
        )
        digest = blake2b(repr(record).encode(), digest_size=16)
        costs = () if self.costs is None else (self.costs,)
        for array in (
            self.losses,
            self.size_losses,
            self.prevalence,
            self.posteriors,
            self.miscalibrations,
            *costs,
        ):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def _correction(self, method: str, name: str, loss: str) -> Correction:
        return Correction(
            name,
            self._level(method, name, loss),
            self._excess(method, "uncorrected", name, loss),
            self._change(method, name, "uncorrected", FILE_ERROR),
            tuple(
                self._change(method, name, "uncorrected", recall) for recall in self.loss_names[3:]
            ),
            self._change(method, name, "uncorrected", OTHERS),
        )

    def _excess(self, method: str, worse: str, better: str, loss: str) -> Interval:
        """Return how much worse one condition is than another: higher loss or lower recall."""
        pair = (better, worse) if self.named(loss).greater_is_better else (worse, better)
        return self._change(method, *pair, loss)

    def _extrapolated(self, method: str, rest: str, loss: str) -> tuple[Interval, Interval]:
        """Return the part of the small class and the limit; they sum to the mean loss of `rest`."""
        if self.rare is None:
            return Interval(0.0, 0.0, 0.0), self._level(method, rest, loss)
        i, k = position(self.methods, method, "method"), self.loss_names.index(loss)
        values = self.size_losses[i, :, :, k]
        seen = np.flatnonzero(np.isfinite(values).all(axis=1))
        if len(seen) < FEWEST_SIZES or seen[-1] != len(values) - 1:
            return UNKNOWN, self._level(method, rest, loss)
        # The coefficients of the losses in the slope over 1 / size.
        inverse_sizes = 1 / self.sizes[seen]
        centred = inverse_sizes - inverse_sizes.mean()
        factors = centred / (centred @ centred) / self.sizes[-1]
        by_seed = factors @ values[seen]
        contrast = {size_name(int(a)): float(f) for a, f in zip(seen, factors, strict=True)}
        small, kind = self._interval(method, by_seed, contrast, loss), self.named(loss)
        remainder = {rest: 1.0, **{name: -factor for name, factor in contrast.items()}}
        limit = self._interval(method, self.loss(method, rest, loss) - by_seed, remainder, loss)
        if self.costs is None and kind.is_share and not kind.greater_is_better:
            if limit.value < 0:  # an error rate is not negative
                small = small._replace(value=small.value + limit.value)
                limit = limit._replace(value=0.0)
            limit = limit.within(0.0, np.inf)
        return small, limit

    def variance(self, method: str, contrast: Mapping[str, float], loss: str = LOSS) -> float:
        """Return the row-based variance of a linear combination of mean losses; NaN if unknown.

        Parameters
        ----------
        contrast : mapping of condition, or `size_name`, to coefficient
        loss : str
            One of `loss_names`, or "mean recall of others" (all classes but the rarest).
        """
        if method not in self.variances:
            return np.nan
        return self.named(loss).variance(self.variances[method], contrast, self.totals)

    def named(self, loss: str) -> Loss:
        """Return a loss, or "mean recall of others", by name."""
        if loss == OTHERS:
            others = np.arange(len(self.classes)) != self.rare
            return Loss(loss, others, greater_is_better=True)
        return named_loss(loss, self._losses)

    @property
    def _losses(self) -> tuple[Loss, ...]:
        return cost_losses(self.classes, self.prevalence, is_share=self.costs is None)

    @property
    def test_ratio(self) -> float:
        """Test rows for each training row in memory, zero without new splits; see `over_seeds`."""
        in_memory = float(self.counts.sum()) - self.settings.n_streamed
        return self.n_test / in_memory if self.new_splits else 0.0

    def _mean_over_splits(self, values: Array, method: str, condition: str) -> float:
        i = position(self.methods, method, "method")
        return float(values[i, position(CONDITIONS, condition, "condition")].mean())

    def _interval(
        self, method: str, values: Array, contrast: Mapping[str, float], loss: str
    ) -> Interval:
        if np.isnan(values).all():
            return UNKNOWN
        variance = self.variance(method, contrast, loss)
        return over_seeds(values, self.test_ratio, grain=self._grain(loss), variance=variance)

    def _change(self, method: str, worse: str, better: str, loss: str) -> Interval:
        return self._mean_change(method, ((worse, better),), loss)

    def _mean_change(self, method: str, pairs: Pairs, loss: str) -> Interval:
        names = [loss]
        if loss == OTHERS:
            names = [name for k, name in enumerate(self.loss_names[3:]) if k != self.rare]
        changes = [
            less(self.loss(method, worse, name), self.loss(method, better, name))
            for name in names
            for worse, better in pairs
        ]
        return self._interval(method, np.mean(changes, axis=0), contrast_of(pairs), loss)

    def _level(self, method: str, condition: str, loss: str) -> Interval:
        by_split = self.loss(method, condition, loss)
        interval = self._interval(method, by_split, {condition: 1.0}, loss)
        return interval.within(0.0, self.named(loss).highest)

    def _grain(self, loss: str) -> float:
        if loss != LOSS:
            return self.named(loss).grain(self.counts, self.n_test)
        if self.rare is None:
            return grain_of(self.n_test)
        # A test row of the rarest class has the largest effect.
        share = float(self.counts[self.rare] / self.counts.sum())
        return float(self.prevalence[self.rare]) * grain_of(self.n_test, share)


def size_name(position: int) -> str:
    """Return the name of the condition for a size of the class-size sweep."""
    return f"size {position}"


def _pairs_of(known: set[str]) -> dict[str, Pairs]:
    """Return for each part the pairs of conditions to average: both orders, if available."""
    shift: Pairs = (("uncorrected", "corrected priors"),)
    if "corrected priors" not in known:
        return {"prior shift": shift, "majority bias": (("uncorrected", "both"),)}
    if "both" not in known:
        return {"prior shift": shift, "majority bias": (("corrected priors", "both"),)}
    return {
        "prior shift": (*shift, ("balanced weights", "both")),
        "majority bias": (("uncorrected", "balanced weights"), ("corrected priors", "both")),
    }
