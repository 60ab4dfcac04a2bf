"""The losses of an imbalance study by subset, seed and method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Split
from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.results import Results
from lincore.metrics.row_variance import RowVariance
from lincore.metrics.seed_intervals import grain_of
from lincore.metrics.settings import Settings
from lincore.utils.typing import Array, Flags

#: Losses of all classes together, before those of each class.
N_OVERALL = 3
#: The mean recall of the classes that were not reduced, as a loss.
OTHERS = "mean recall of others"
# L(D, w, π) in the order in which they are stored: rows, weights and priors of F, R or C.
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
    """A loss of a study: a mean over classes of the mean losses of their rows.

    Attributes
    ----------
    name : str
    weights : ndarray of shape (K,)
        Of the classes, to any scale.
    greater_is_better : bool
        Whether it is a recall.
    is_share : bool
        Whether it is between 0 and 1; otherwise it is in nats, or in the unit of the costs.
    kind : int
        Which losses of rows, as in `RowVariance.of`.
    code : int or None
        The class, for a recall of one.
    """

    name: str
    weights: NDArray[Any]
    greater_is_better: bool = False
    is_share: bool = True
    kind: int = 0
    code: int | None = None

    @property
    def highest(self) -> float:
        """The largest value that it can have."""
        return 1.0 if self.is_share else np.inf

    def grain(self, counts: NDArray[np.intp], n_test: int) -> float:
        """Return by how much one test row changes it; zero where that depends on the row."""
        if not self.is_share:
            return 0.0
        share = 1.0 if self.code is None else float(counts[self.code] / counts.sum())
        return grain_of(n_test, share)

    def variance(self, rows: RowVariance, contrast: Mapping[str, float]) -> float:
        """Return the variance of a contrast of its means over splits."""
        weights = self.weights * (rows.counts > 0)
        weights = weights / weights.sum()
        found = rows.of(self.kind, weights, contrast)
        if len(contrast) == 1 and self.is_share:
            found = max(found, rows.of_shares(self.kind, weights, *contrast))
        return found


class Example(NamedTuple):
    """One seed in full, to draw: the one whose total loss is nearest to the mean.

    Attributes
    ----------
    seed : int
    split : Split
    rows : mapping of str to ndarray
        Training rows of the subsets "full", "reduced" and "control".
    pipelines : mapping of (method, condition) to Pipeline
        Fitted, for every condition; the classifier knows codes. Small models are fitted one by one
        when they are asked for.
    shifts : mapping of (method, condition) to ndarray of shape (K,), or None
        What a condition adds to the log posteriors of its pipeline before the largest decides; None
        where it takes the pipeline's word.
    results : mapping of str to Results
        Of all methods on the test set, for every condition.
    """

    seed: int
    split: Split
    rows: Mapping[str, NDArray[np.intp]]
    pipelines: Mapping[tuple[str, str], Pipeline]
    shifts: Mapping[tuple[str, str], Array | None]
    results: Mapping[str, Results]


@dataclass(frozen=True, eq=False)
class SubsetLosses:
    """Losses of full, reduced and control subsets and of all remedies, for every seed.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The labels.
    methods : tuple of M str
    loss_names : tuple of L str
        "error", "balanced error", "log loss" and "recall of" each class.
    losses : ndarray of shape (M, C, S, L)
        Of each method, condition (in the order of `conditions`), seed and loss. Errors and recalls
        are shares; the log loss is in nats, and NaN for a method without posteriors.
    seeds : ndarray of shape (S,)
    counts : mapping of str to ndarray of shape (K,)
        Training rows by class of "full", "reduced", "control", "undersampling", "oversampling".
    n_test : int
        Test rows.
    new_splits : bool
        Whether every seed drew a split of its own; if not, only the choice of rows is random.
    example : Example
    failures : mapping of str to str
        Methods that could not be fitted somewhere, with the reason; they are not in `methods`.
    notices : tuple of str
        What was warned of while fitting, each once.
    settings : Settings
        Whatever is needed to make these results again.
    variances : mapping of method to RowVariance
        What the rows say about the variance of its mean losses; without, that of the seeds.
    """

    classes: NDArray[Any]
    methods: tuple[str, ...]
    loss_names: tuple[str, ...]
    losses: Array
    seeds: NDArray[np.intp]
    counts: Mapping[str, NDArray[np.intp]]
    n_test: int
    new_splits: bool
    example: Example
    failures: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    settings: Settings = field(default_factory=Settings)
    variances: Mapping[str, RowVariance] = field(default_factory=dict)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names along the second axis of `losses`."""
        return CONDITIONS

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
        """Test rows for each training row if splits are drawn anew, else zero; see `over_seeds`."""
        return self.n_test / float(self.counts["full"].sum()) if self.new_splits else 0.0

    def loss(self, method: str, condition: str, loss: str = "error") -> Array:
        """Return one loss at every seed, shape (S,).

        Raises
        ------
        KeyError
            With the known names.
        """
        i = position(self.methods, method, "method")
        j = position(CONDITIONS, condition, "condition")
        k = position(self.loss_names, loss, "loss")
        return np.asarray(self.losses[i, j, :, k])

    def variance(self, method: str, contrast: Mapping[str, float], loss: str = "error") -> float:
        """Return the variance of a sum of means of losses; NaN where only the seeds tell it.

        Parameters
        ----------
        method : str
        contrast : mapping of condition to coefficient
        loss : str
            One of `loss_names`, or "mean recall of others": the mean over classes not reduced.
        """
        if method not in self.variances:
            return np.nan
        return self.named(loss).variance(self.variances[method], contrast)

    def named(self, loss: str) -> Loss:
        """Return one of the losses, or "mean recall of others", by its name."""
        if loss == OTHERS:
            return Loss(loss, ~self.is_reduced, greater_is_better=True)
        return named_loss(loss, self.loss_names, self.counts["full"])


def losses_of(
    truth: NDArray[np.intp], predicted: NDArray[np.intp], log_proba: Array, n_classes: int
) -> Array:
    """Return error, balanced error, log loss and the recall of each class, shape (..., 3 + K).

    Parameters
    ----------
    truth : ndarray of shape (m,)
        Codes.
    predicted : ndarray of shape (..., m)
        Codes, by one model or by many.
    log_proba : ndarray of shape (..., m, K)
        NaN where there are no posteriors.

    Examples
    --------
    >>> losses_of(np.array([0, 0, 1]), np.array([0, 1, 1]), np.log(np.full((3, 2), 0.5)), 2)
    array([0.333..., 0.25 , 0.693..., 0.5 , 1. ])
    """
    return means_of(truth, np.stack([predicted != truth, log_losses(log_proba, truth)]), n_classes)


def means_of(truth: NDArray[np.intp], losses: Array, n_classes: int) -> Array:
    """Return what `losses_of` does, from which are misclassified and their log loss (2, ..., m)."""
    wrong, log_loss = losses
    members = truth[:, None] == np.arange(n_classes)
    count = members.sum(axis=0)
    with np.errstate(invalid="ignore"):
        recalls = (1 - wrong) @ members / count
    known = recalls[..., count > 0]
    parts = (wrong.mean(axis=-1), 1 - known.mean(axis=-1), log_loss.mean(axis=-1))
    return np.concatenate([np.stack(parts, axis=-1), recalls], axis=-1)


def loss_names(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return what `losses_of` returns, by name."""
    return ("error", "balanced error", "log loss", *recall_names(classes))


def recall_names(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return the name of the recall of each class.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        Labels, in the order of the codes.
    """
    return tuple(f"recall of {label}" for label in classes.tolist())


def named_loss(name: str, names: tuple[str, ...], counts: NDArray[np.intp]) -> Loss:
    """Return a loss of a study or sweep by its name.

    Parameters
    ----------
    name : str
    names : tuple of str
        Three losses of all classes, and a recall for each.
    counts : ndarray of shape (K,)
        Training rows of each class, whose shares are about those of the test rows.

    Raises
    ------
    KeyError
        With the known names.
    """
    code = position(names, name, "loss") - N_OVERALL
    if code >= 0:
        only = np.arange(len(counts)) == code
        return Loss(name, only, greater_is_better=True, code=code)
    if name == "log loss":
        return Loss(name, counts, is_share=False, kind=1)
    return Loss(name, np.ones(len(counts)) if name == "balanced error" else counts)


def position(names: tuple[str, ...], name: str, what: str) -> int:
    """Return where a name stands; KeyError with the known names if it does not."""
    if name not in names:
        raise KeyError(f"No {what} {name!r}; there are {', '.join(names)}.")
    return names.index(name)
