"""`Results`: the frozen record of an experiment that every score is computed from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lincore.metrics.settings import Settings
from lincore.utils.displayed import display
from lincore.utils.typing import Array

if TYPE_CHECKING:
    import pandas as pd

#: Half the width of the region of practical equivalence, in the unit of a score: 1 point.
ROPE = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """Predictions of some methods for the same rows, none of which a method was fitted on.

    Parameters
    ----------
    methods : tuple of M str
    classes : ndarray of shape (K,)
        The labels; all codes are positions in it.
    rows : ndarray of shape (m,)
        Which row of the data set each prediction is for.
    truth : ndarray of shape (m,)
        True codes.
    predicted : ndarray of shape (M, m)
        Predicted codes.
    log_proba : ndarray of shape (M, m, K)
        Logarithms of the posterior probabilities; NaN for a method that has none.
    seconds : ndarray of shape (M,)
        Time to fit each method by itself, over all folds.
    fold, repetition : ndarray of shape (m,), optional
        Of each prediction; zeros for one test set.
    n_train : ndarray of shape (m,), optional
        Training rows behind each prediction; zeros where that is not known.
    settings : Settings, optional
        Whatever is needed to make these results again.
    decision : mapping of str to ndarray of shape (m, K), optional
        Margins of methods that have no posteriors, by the name of the method: decision score of
        each class less the largest of the others. Of different folds they are on no one scale.
    common : Results, optional
        Predictions of the same rows by the models of several folds, training rows or not: how
        much these differ says how much a score varies with the training rows.
    models : mapping of str to FittedModel, optional
        Methods fitted on all rows, where they were asked for.

    Raises
    ------
    ValueError
        When the shapes do not fit together.
    """

    methods: tuple[str, ...]
    classes: NDArray[Any]
    rows: NDArray[np.intp]
    truth: NDArray[np.intp]
    predicted: NDArray[np.intp]
    log_proba: Array
    seconds: Array
    # What is left out is filled in, so that whoever reads results never meets a None.
    fold: NDArray[np.intp] = None  # type: ignore[assignment]
    repetition: NDArray[np.intp] = None  # type: ignore[assignment]
    n_train: NDArray[np.intp] = None  # type: ignore[assignment]
    settings: Settings = field(default_factory=Settings)
    decision: Mapping[str, Array] = field(default_factory=dict)
    common: Results | None = None
    models: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the shapes and fill in what was left out."""
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
        """Return where a method stands; KeyError with the known names if it does not."""
        if method not in self.methods:
            raise KeyError(f"No method {method!r}; there are {', '.join(self.methods)}.")
        return self.methods.index(method)

    @property
    def is_one_test_set(self) -> bool:
        """True if all predictions are of one fit, on rows that were set apart once."""
        return bool(np.ptp(self._cells) == 0) if len(self.rows) else True

    @property
    def class_counts(self) -> NDArray[Any]:
        """Rows of each class in the data, else among the predictions, (K,)."""
        counts = self.settings.class_counts
        return np.bincount(self.truth, minlength=len(self.classes)) if counts is None else counts

    def select(self, methods: str | Sequence[str]) -> Results:
        """Return the results of some of the methods, in the order asked for.

        Raises
        ------
        KeyError
            When there is no such method, with the known names.
        """
        names = (methods,) if isinstance(methods, str) else tuple(methods)
        chosen = [self.position(name) for name in names]
        return replace(
            self,
            methods=names,
            predicted=self.predicted[chosen],
            log_proba=self.log_proba[chosen],
            seconds=self.seconds[chosen],
            common=None if self.common is None else self.common.select(names),
            models={name: self.models[name] for name in names if name in self.models},
        )

    def __len__(self) -> int:
        """Return the number of methods."""
        return len(self.methods)

    if TYPE_CHECKING:
        # Attached by the package: see `lincore/metrics/__init__.py`, also for what they say.
        def table(self, score: str | None = None, *, wide: bool = False) -> pd.DataFrame:
            """Return the scores with their intervals, one line for each method."""

        def groups(self, score: str | None = None, rope: float = ROPE) -> dict[str, int]:
            """Return groups of methods not shown to be worse than their best."""

        def describe(self) -> pd.DataFrame:
            """Return what was fitted: label, options, steps and notes of each method."""

        def to_frame(self) -> pd.DataFrame:
            """Return every prediction as a line."""

        @property
        def best(self) -> str:
            """The method that stands first in `table()`."""

    @cached_property
    def digest(self) -> str:
        """Digest of all predictions, the same for equal results of whatever size."""
        found = hashlib.blake2b(repr((self.methods, self.settings.failed)).encode(), digest_size=16)
        arrays = (self.rows, self.truth, self.predicted, self.log_proba, self.fold, self.seconds)
        for array in arrays:
            found.update(np.ascontiguousarray(array).tobytes())
        found.update(f"{self.settings.digest} {self.settings.auc_interval}".encode())
        return found.hexdigest()

    def scores(self, **settings: Any) -> Any:
        """Return every score of every method with its interval: a `ScoresDisplay`."""
        return display("ScoresDisplay", self, **settings)

    def pairwise(self, **settings: Any) -> Any:
        """Return the difference of every two methods with its test: a `PairwiseDisplay`."""
        return display("PairwiseDisplay", self, **settings)

    def disagreements(
        self, first: str | None = None, second: str | None = None, **settings: Any
    ) -> Any:
        """Return the rows on which two methods disagree: a `DisagreementsDisplay`."""
        return display("DisagreementsDisplay", self, first=first, second=second, **settings)

    def recall(self, **settings: Any) -> Any:
        """Return the recall of every class by every method: a `RecallDisplay`."""
        return display("RecallDisplay", self, **settings)

    def times(self, **settings: Any) -> Any:
        """Return the time to fit each method beside its score: a `TimesDisplay`."""
        return display("TimesDisplay", self, **settings)

    def model(self, method: str) -> Any:
        """Return a method fitted on all rows, which takes raw rows of a new file.

        Returns
        -------
        FittedModel
            See `lincore.model_selection.FittedModel`.

        Raises
        ------
        ValueError
            When `compare` was not asked to keep models.
        KeyError
            When there is no such method.
        """
        self.position(method)
        if method not in self.models:
            raise ValueError(
                f"No model of {method} was kept. Compare with keep_models=True to have each "
                "method fitted once more, on all rows."
            )
        return self.models[method]

    @property
    def _cells(self) -> NDArray[np.intp]:
        """Number the folds through over all repetitions, (m,)."""
        return self.repetition * (int(self.fold.max(initial=0)) + 1) + self.fold
