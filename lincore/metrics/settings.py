"""The settings of an experiment, and metadata of the rows behind its predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Settings:
    """Everything needed to reproduce results, and to interpret their scores.

    Attributes
    ----------
    data, digest : str
        Name and digest of the data set.
    scheme : str
        The validation: "holdout", "10-fold", ...
    test_size : float
        Test fraction of a hold-out.
    seed : int
    repeats : int
        Requested repetitions in a study or sweep.
    steps, options : mapping of method to mapping of name to value
        Preprocessing before each method, and its options.
    labels : mapping of method to str
        Display names, in the requested order of methods.
    versions : mapping of str to str
        Versions of lincore and its dependencies.
    failed : mapping of method to str
        Methods that could not be fitted, with the reason.
    notes : mapping of method to mapping of str to int
        Number of fits with a warning, by the name of the warning.
    stopped : bool
        Whether the run was stopped before all methods were finished.
    streamed : mapping of method to int
        Number of training rows of a method that are not in memory.
    training_shares : ndarray of shape (K,), optional
        Class shares of the training sets, weighted by their number of predictions.
    class_counts : ndarray of shape (K,), optional
        Rows of each class in the data.
    row_groups : ndarray of shape (m,), optional
        The group of each predicted row, if the data have groups.
    row_weights : ndarray of shape (m,), optional
        Sampling weight of each predicted row, if the data have weights.
    groups_divided : bool
        Whether some group has rows both in a training and in its test set.
    auc_interval : {"enlarged", "DeLong"}
        The interval of the AUC in `lincore.metrics.score`: with two added rows, which also covers
        with few rows; or DeLong's as in R's pROC, for two classes and one test set of independent
        rows without weights.
    rows : {"rows", "images"}
        Noun for the rows.
    """

    data: str = ""
    digest: str = ""
    scheme: str = ""
    test_size: float = 0.3
    seed: int = 0
    repeats: int = 1
    steps: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    stopped: bool = False
    streamed: Mapping[str, int] = field(default_factory=dict)
    training_shares: NDArray[Any] | None = None
    class_counts: NDArray[Any] | None = None
    row_groups: NDArray[Any] | None = None
    row_weights: NDArray[Any] | None = None
    groups_divided: bool = False
    auc_interval: Literal["enlarged", "DeLong"] = "enlarged"
    rows: str = "rows"

    @property
    def n_streamed(self) -> int:
        """Number of training rows that are not in memory."""
        return max(self.streamed.values(), default=0)

    def label(self, method: str) -> str:
        """Return the display name of a method: "LDA" for "lda"."""
        return self.labels.get(method, method)
