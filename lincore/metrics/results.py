"""`Results`: the immutable record of an experiment from which all scores are computed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.metrics.settings import Settings
from lincore.utils.displayed import display
from lincore.utils.typing import Array, Flags

if TYPE_CHECKING:
    import pandas as pd

#: Half the width of the region of practical equivalence, in the unit of a score: 1 point.
ROPE = 0.01


class FeatureSelections(NamedTuple):
    """The features that a method selected in every fold.

    Attributes
    ----------
    features : tuple of p str
        Inputs of the classifier in some fold.
    chosen : ndarray of shape (folds, p)
    same_inputs : bool
        Whether all folds have these inputs; levels of a category may be missing in some.
    """

    features: tuple[str, ...]
    chosen: Flags
    same_inputs: bool


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """Out-of-sample predictions of several methods for the same rows.

    Parameters
    ----------
    methods : tuple of M str
    classes : ndarray of shape (K,)
        The labels; codes are positions in this array.
    rows : ndarray of shape (m,)
        The row of the data set for each prediction.
    truth : ndarray of shape (m,)
        True codes.
    predicted : ndarray of shape (M, m)
        Predicted codes.
    log_proba : ndarray of shape (M, m, K)
        Logarithms of the posterior probabilities; NaN for a method without posteriors.
    seconds : ndarray of shape (M,)
        Fitting time of each method on its own, over all folds.
    fold, repetition : ndarray of shape (m,), optional
        Fold and repetition of each prediction; zeros for one test set.
    n_train : ndarray of shape (m,), optional
        Number of training rows behind each prediction; zeros if unknown.
    settings : Settings, optional
        Settings needed to reproduce these results.
    decision : mapping of str to ndarray of shape (m, K), optional
        Margins of methods without posteriors, by method name: decision score of each class minus
        the largest of the others. Scales differ between folds.
    common : Results, optional
        Predictions of the same rows by the models of several folds, including training rows: their
        differences show how much a score varies with the training rows.
    models : mapping of str to FittedModel, optional
        Methods fitted on all rows, if requested.
    yardsticks : Results, optional
        Flexible methods on the same splits, as references that are not ranked, if requested.
    selections : mapping of str to FeatureSelections, optional
        The features selected in every fold, by name of a method with stepwise selection.
    preselected : Results, optional
        These methods on the same splits with the features that they select from all rows, test rows
        included, if requested.

    Raises
    ------
    ValueError
        If shapes do not match.
    """

    methods: tuple[str, ...]
    classes: NDArray[Any]
    rows: NDArray[np.intp]
    truth: NDArray[np.intp]
    predicted: NDArray[np.intp]
    log_proba: Array
    seconds: Array
    # Defaults are filled in, so that readers never encounter None.
    fold: NDArray[np.intp] = None  # type: ignore[assignment]
    repetition: NDArray[np.intp] = None  # type: ignore[assignment]
    n_train: NDArray[np.intp] = None  # type: ignore[assignment]
    settings: Settings = field(default_factory=Settings)
    decision: Mapping[str, Array] = field(default_factory=dict)
    common: Results | None = None
    models: Mapping[str, Any] = field(default_factory=dict)
    yardsticks: Results | None = None
    selections: Mapping[str, FeatureSelections] = field(default_factory=dict)
    preselected: Results | None = None

    def __post_init__(self) -> None:
        """Check the shapes and fill in defaults."""
        n_methods, n_rows, n_classes = len(self.methods), len(self.rows), len(self.classes)
        for name in ("fold", "repetition", "n_train"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.zeros(n_rows, dtype=np.intp))
        expected = {
            "truth": (n_rows,),
            "fold": (n_rows,),
            "repetition": (n_rows,),
            "n_train": (n_rows,),
            "predicted": (n_methods, n_rows),
            "log_proba": (n_methods, n_rows, n_classes),
            "seconds": (n_methods,),
        }
        for name, shape in expected.items():
            if np.shape(getattr(self, name)) != shape:
                raise ValueError(f"{name} has shape {np.shape(getattr(self, name))}, not {shape}.")

        for name, scores in self.decision.items():
            if np.shape(scores) != (n_rows, n_classes):
                raise ValueError(
                    f"decision of {name} has shape {np.shape(scores)}, not {(n_rows, n_classes)}."
                )

    def position(self, method: str) -> int:
        """Return the position of a method; KeyError with the known names if it is unknown."""
        if method not in self.methods:
            raise KeyError(
                f"There is no method {method!r}; choose one of {', '.join(self.methods)}."
            )
        return self.methods.index(method)

    @property
    def class_counts(self) -> NDArray[Any]:
        """Rows of each class in the data, or else among the predictions, (K,)."""
        counts = self.settings.class_counts
        return np.bincount(self.truth, minlength=len(self.classes)) if counts is None else counts

    def select(self, *methods: str) -> Results:
        """Return the results of some of the methods, in the given order.

        Raises
        ------
        KeyError
            If there is no such method; the message lists the known names.
        """
        chosen = [self.position(name) for name in methods]
        return replace(
            self,
            methods=methods,
            predicted=self.predicted[chosen],
            log_proba=self.log_proba[chosen],
            seconds=self.seconds[chosen],
            common=None if self.common is None else self.common.select(*methods),
            models={name: self.models[name] for name in methods if name in self.models},
        )

    def take(self, keep: Flags) -> Results:
        """Return some of the predictions, given a mask (m,), without those of common rows."""
        groups, weights = self.settings.row_groups, self.settings.row_weights
        return replace(
            self,
            rows=self.rows[keep],
            truth=self.truth[keep],
            predicted=self.predicted[:, keep],
            log_proba=self.log_proba[:, keep],
            decision={name: scores[keep] for name, scores in self.decision.items()},
            common=None,
            fold=self.fold[keep],
            repetition=self.repetition[keep],
            n_train=self.n_train[keep],
            settings=replace(
                self.settings,
                row_groups=None if groups is None else groups[keep],
                row_weights=None if weights is None else weights[keep],
            ),
        )

    def joined(self, others: Results) -> Results:
        """Return the methods of both, which predict the same rows by models of the same folds."""
        if self.common is not None and others.common is not None:
            common: Results | None = self.common.joined(others.common)
        else:
            common = None
        return replace(
            self,
            methods=self.methods + others.methods,
            predicted=np.concatenate([self.predicted, others.predicted]),
            log_proba=np.concatenate([self.log_proba, others.log_proba]),
            seconds=np.concatenate([self.seconds, others.seconds]),
            decision={**self.decision, **others.decision},
            common=common,
            settings=replace(
                self.settings, labels={**self.settings.labels, **others.settings.labels}
            ),
            yardsticks=None,
            preselected=None,
        )

    def __len__(self) -> int:
        """Return the number of methods."""
        return len(self.methods)

    if TYPE_CHECKING:
        # Attached by the package: see `lincore/metrics/__init__.py`, also for docstrings.
        def groups(self, score: str | None = None, rope: float = ROPE) -> dict[str, int]:
            """Return groups of methods not shown to be worse than their best."""

        def describe(self) -> pd.DataFrame:
            """Return label, options, steps and notes of each method."""

        def to_frame(self) -> pd.DataFrame:
            """Return one line per prediction."""

        @property
        def best(self) -> str:
            """The method with the best leading score."""

    @cached_property
    def digest(self) -> str:
        """Digest of all predictions, the same for equal results."""
        hasher = hashlib.blake2b(
            repr((self.methods, self.settings.failed)).encode(), digest_size=16
        )
        arrays = (self.rows, self.truth, self.predicted, self.log_proba, self.fold, self.seconds)
        for array in arrays:
            hasher.update(np.ascontiguousarray(array).tobytes())
        hasher.update(f"{self.settings.digest} {self.settings.auc_interval}".encode())
        for others in (self.yardsticks, self.preselected):
            hasher.update(b"" if others is None else others.digest.encode())
        return hasher.hexdigest()

    def scores(self, **settings: Any) -> Any:
        """Return every score of every method with its interval: a `ScoresDisplay`."""
        return display("ScoresDisplay", self, **settings)

    def pairwise(self, **settings: Any) -> Any:
        """Return the pairwise differences of methods with tests: a `PairwiseDisplay`."""
        return display("PairwiseDisplay", self, **settings)

    def disagreements(
        self, first: str | None = None, second: str | None = None, **settings: Any
    ) -> Any:
        """Return the rows on which two methods disagree: a `DisagreementsDisplay`."""
        return display("DisagreementsDisplay", self, first=first, second=second, **settings)

    def recall(self, **settings: Any) -> Any:
        """Return the recall of every class by every method: a `RecallDisplay`."""
        return display("RecallDisplay", self, **settings)

    def against_yardsticks(self, **settings: Any) -> Any:
        """Return what flexible classifiers achieve on the same splits: a `YardsticksDisplay`."""
        return display("YardsticksDisplay", self, **settings)

    def selection(self, **settings: Any) -> Any:
        """Return how often folds select each feature: a `SelectedFeaturesDisplay`."""
        return display("SelectedFeaturesDisplay", self, **settings)

    def selection_optimism(self, **settings: Any) -> Any:
        """Return what selection before the folds would gain: a `SelectionOptimismDisplay`."""
        return display("SelectionOptimismDisplay", self, **settings)

    def rows_needed(self, **settings: Any) -> Any:
        """Return the rows for narrower intervals and smaller differences: a `RowsNeededDisplay`."""
        return display("RowsNeededDisplay", self, **settings)

    def times(self, **settings: Any) -> Any:
        """Return the fitting time and score of each method: a `TimesDisplay`."""
        return display("TimesDisplay", self, **settings)

    def model(self, method: str) -> Any:
        """Return a method fitted on all rows, which predicts the raw rows of a new file.

        Returns
        -------
        FittedModel
            See `lincore.model_selection.FittedModel`.

        Raises
        ------
        ValueError
            If `compare` was not called with ``keep_models=True``.
        KeyError
            If there is no such method.
        """
        self.position(method)
        if method not in self.models:
            raise ValueError(
                f"No model of {method} was kept. Compare with keep_models=True to also fit each "
                f"method on all rows."
            )
        return self.models[method]
