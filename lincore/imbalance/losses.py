"""The losses of an imbalance study by subset, seed and method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Split
from lincore.metrics.results import Results
from lincore.metrics.row_variance import RowVariance
from lincore.metrics.seed_intervals import grain_of
from lincore.metrics.settings import Settings
from lincore.utils.typing import Array, Flags

#: The mean recall of the classes that were not reduced, as a loss.
OTHERS = "mean recall of others"
#: With a larger ratio of class sizes, "balanced error" is the default loss.
UNEQUAL = 1.5
# L(D, w, π) in storage order: rows, weights and priors of F, R or C.
CONDITIONS = (
    "full",
    "reduced",
    "corrected priors",
    "balanced weights",
    "both",
    "control",
    "moved threshold",
    "undersampling",
    "oversampling",
)


class Loss(NamedTuple):
    """A loss of a study: a weighted mean over classes of the mean losses of their rows."""

    name: str
    # (K,); class weights to any scale; None for weights by number of rows
    weights: NDArray[Any] | None = None
    greater_is_better: bool = False  # whether it is a recall
    # Whether it is between 0 and 1; otherwise it is in nats or in the unit of the costs
    is_share: bool = True
    # Kind of row loss, as in `RowVariance.of`; for a recall, whether rows are misclassified
    kind: int = 0
    code: int | None = None  # class of a recall

    @property
    def highest(self) -> float:
        """The largest possible value."""
        return 1.0 if self.is_share else np.inf

    def compute(self, sums: Array, counts: NDArray[Any], shares: Array | None = None) -> Array:
        """Compute the loss from summed row losses; NaN if no class with weight was tested."""
        by_rows = counts if shares is None else shares
        weights = by_rows if self.weights is None else self.weights
        with np.errstate(invalid="ignore"):
            if self.code is not None:  # much faster with many classes
                mean = sums[self.kind][..., self.code] / counts[self.code]
            else:
                seen = np.flatnonzero((weights > 0) & (counts > 0))
                # Weight before dividing, so that integers stay exact.
                weighed = sums[self.kind][..., seen] * weights[seen] / counts[seen]
                mean = weighed.sum(axis=-1) / weights[seen].sum()
        return np.asarray(1 - mean if self.greater_is_better else mean)

    def grain(self, counts: NDArray[np.intp], n_test: int) -> float:
        """Return the change of the loss by one test row; zero if that depends on the row."""
        if not self.is_share:
            return 0.0
        share = 1.0 if self.code is None else float(counts[self.code] / counts.sum())
        return grain_of(n_test, share)

    def variance(
        self, rows: RowVariance, contrast: Mapping[str, float], totals: NDArray[Any]
    ) -> float:
        """Return the variance of a contrast of mean losses."""
        weights = (totals if self.weights is None else self.weights) * (rows.counts > 0)
        weights = weights / weights.sum()
        variance = rows.of(self.kind, weights, contrast)
        if len(contrast) == 1 and self.is_share:
            variance = max(variance, rows.of_shares(self.kind, weights, *contrast))
        return variance


class Example(NamedTuple):
    """One seed with its models, for plots: the one whose loss is nearest to the mean."""

    seed: int
    split: Split
    # Training rows of the subsets "full", "reduced" and "control"
    rows: Mapping[str, NDArray[np.intp]]
    # Fitted on codes, for every condition. Small models are fitted on first access.
    pipelines: Mapping[tuple[str, str], Pipeline]
    # Shift of the log posteriors of the pipeline in a condition; None if the pipeline's predictions
    # are used unchanged
    shifts: Mapping[tuple[str, str], Array | None]
    results: Mapping[str, Results]  # results of all methods on the test set, for every condition


@dataclass(frozen=True, eq=False)
class SubsetLosses:
    """Losses of full, reduced and control subsets and of all remedies, for every seed."""

    classes: NDArray[Any]  # (K,); the labels
    methods: tuple[str, ...]  # (M,)
    # (L,); "error", "balanced error", "log loss" and "recall of" each class
    loss_names: tuple[str, ...]
    # (M, C, S, L); by method, condition (in the order of `conditions`), seed and loss. Errors and
    # recalls are shares; the log loss is in nats, and NaN for a method without posteriors.
    losses: Array
    seeds: NDArray[np.intp]  # (S,)
    # Training rows by class of "full", "reduced", "control", "undersampling", "oversampling"
    counts: Mapping[str, NDArray[np.intp]]
    # Total weight by class of the training rows of "full", "reduced" and "control"; without
    # weights, their number
    totals: Mapping[str, Array]
    n_test: int  # test rows
    # Whether every seed has its own split; if not, only the choice of rows is random
    new_splits: bool
    # Methods that could not be fitted in some condition, with the reason; they are not in `methods`
    failures: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()  # distinct warnings while fitting
    # Settings needed to reproduce these results
    settings: Settings = field(default_factory=Settings)
    # Variance of its mean losses estimated from rows. If missing, it is estimated from seeds.
    variances: Mapping[str, RowVariance] = field(default_factory=dict)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names along the second axis of `losses`."""
        return CONDITIONS

    @property
    def leading_loss(self) -> str:
        """The default loss: "balanced error" if classes are unequal, otherwise "error"."""
        return leading_loss(self.counts["full"])

    @property
    def is_reduced(self) -> Flags:
        """Mask (K,) of the reduced classes."""
        return np.asarray(self.counts["reduced"] < self.counts["full"])

    @property
    def recall_names(self) -> tuple[str, ...]:
        """Names of the recalls among the losses, one for each class."""
        return self.loss_names[-len(self.classes) :]

    @property
    def test_ratio(self) -> float:
        """Test rows for each training row in memory, zero without new splits; see `over_seeds`."""
        in_memory = float(self.counts["full"].sum()) - self.settings.n_streamed
        return self.n_test / in_memory if self.new_splits else 0.0

    def shares(self, subset: str) -> Array:
        """Return the class shares (K,) of the training rows of "full", "reduced" or "control"."""
        # By weight if rows have weights. These are the priors learned from them.
        return np.asarray(self.totals[subset] / self.totals[subset].sum())

    def loss(self, method: str, condition: str, loss: str = "error") -> Array:
        """Return one loss at every seed, shape (S,)."""
        i = position(self.methods, method, "method")
        j = position(CONDITIONS, condition, "condition")
        k = position(self.loss_names, loss, "loss")
        return np.asarray(self.losses[i, j, :, k])

    def variance(self, method: str, contrast: Mapping[str, float], loss: str = "error") -> float:
        """Return the row-based variance of a linear combination of mean losses; NaN if unknown."""
        if method not in self.variances:
            return np.nan
        return self.named(loss).variance(self.variances[method], contrast, self.totals["full"])

    def named(self, loss: str) -> Loss:
        """Return one of the losses, or "mean recall of others", by its name."""
        if loss == OTHERS:
            return Loss(loss, ~self.is_reduced, greater_is_better=True)
        return named_loss(loss, study_losses(self.classes))


def mean_losses(
    losses: Sequence[Loss],
    truth: NDArray[np.intp],
    rows: Array,
    n_classes: int,
    *,
    shares: Array | None = None,
    weight: Array | None,
) -> Array:
    """Return losses (..., L) of models from their losses on each test row."""
    members = (truth[:, None] == np.arange(n_classes)).astype(float)
    if weight is not None:
        members *= weight[:, None]
    sums, counts = rows @ members, members.sum(axis=0)
    return np.stack([loss.compute(sums, counts, shares) for loss in losses], axis=-1)


def study_losses(classes: NDArray[Any]) -> tuple[Loss, ...]:
    """Return the losses of a study or sweep: three over all classes, and the recall of each."""
    overall = (
        Loss("error"),
        Loss("balanced error", np.ones(len(classes))),
        Loss("log loss", is_share=False, kind=1),
    )
    return (*overall, *recall_losses(classes))


def recall_losses(classes: NDArray[Any]) -> tuple[Loss, ...]:
    """Return the recall of each class."""
    return tuple(
        Loss(name, only, greater_is_better=True, code=code)
        for code, (name, only) in enumerate(
            zip(recall_names(classes), np.eye(len(classes)), strict=True)
        )
    )


def loss_names(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return the names of `study_losses`."""
    return tuple(loss.name for loss in study_losses(classes))


def leading_loss(counts: NDArray[Any]) -> str:
    """Return the default loss: "balanced error" if the training rows (K,) are unequal."""
    is_equal = counts.max() <= UNEQUAL * max(counts.min(), 1)
    return "error" if is_equal else "balanced error"


def recall_names(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return the name of the recall of each class.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        Labels, in the order of the codes.
    """
    return tuple(f"recall of {label}" for label in classes.tolist())


def named_loss(name: str, losses: Sequence[Loss]) -> Loss:
    """Return the loss of a name."""
    return losses[position(tuple(loss.name for loss in losses), name, "loss")]


def position(names: tuple[str, ...], name: str, kind: str) -> int:
    """Return the position of a name; if it is unknown, raise KeyError with the known names."""
    if name not in names:
        raise KeyError(f"No {kind} {name!r}; there are {', '.join(names)}.")
    return names.index(name)
