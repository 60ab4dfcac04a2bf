"""Tasks of the engine: what is learned from and predicted, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.model_selection.fitting import Predicted, TrainingInputs
from lincore.model_selection.pipeline import Steps
from lincore.moments.moments import Moments
from lincore.utils.typing import Array

Preprocessor: TypeAlias = Sequence[tuple[str, Any]]


class TrainingSample(NamedTuple):
    """Rows to be fitted on, what a row of each class weighs, and moments where there are any.

    Attributes
    ----------
    rows : ndarray of row numbers
        A row may occur several times. Nobody looks at them where all methods are solved
        from the moments, and no threshold is moved.
    class_weight : ndarray of shape (K,) or None
    moments : Moments or None
        By class, not weighted by class; by the weights of the data.
    """

    rows: NDArray[np.intp]
    class_weight: Array | None = None
    moments: Moments | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows to learn from, whether anybody looks at them or not."""
        return len(self.rows) if self.moments is None else round(self.moments.count.sum())

    def shares(self, data: Dataset) -> Array:
        """Return the share of each class in the total weight: the priors that training learns."""
        if self.moments is not None:
            weight = self.moments.count
        else:
            own = data.weights_of(self.rows)
            weight = np.bincount(data.codes[self.rows], own, data.n_classes).astype(float)
        if self.class_weight is not None:
            weight = weight * self.class_weight
        return np.asarray(weight / weight.sum())


class FitTask(NamedTuple):
    """A sample to learn from, and rows to predict.

    Attributes
    ----------
    data : Dataset
    sample : TrainingSample
    test : ndarray of row numbers
        To predict.
    steps : Steps
        Asked for before every method, see `method_steps`.
    seed : int
        Of whatever is random in a method.
    threshold : ndarray of shape (K,) or None
        Class shares to which a threshold is moved on the rows of the sample, which are predicted
        as well then.
    """

    data: Dataset
    sample: TrainingSample
    test: NDArray[np.intp]
    steps: Steps
    seed: int
    threshold: Array | None = None


class Prepared(NamedTuple):
    """A task behind the steps that some methods share.

    Attributes
    ----------
    task : FitTask
    preprocessor : sequence of (name, step)
        The steps, fitted.
    training : TrainingInputs
    test : (m, q) array or None
        The test rows behind the steps.
    seconds : float
        Spent on it.
    """

    task: FitTask
    preprocessor: Preprocessor
    training: TrainingInputs
    test: Any
    seconds: float


class Fit(NamedTuple):
    """Predictions of one method in one task.

    Attributes
    ----------
    predicted : Predicted
        Of the test rows.
    seconds : float
        As if the method had been fitted alone: the shared steps included.
    pipeline : Pipeline
        Fitted; its classifier knows codes.
    own : Predicted or None
        Of the rows of the sample, where a threshold is to be moved.
    """

    predicted: Predicted
    seconds: float
    pipeline: Pipeline
    own: Predicted | None = None


class Failure(NamedTuple):
    """The error that was raised instead of a fit.

    Attributes
    ----------
    error : Exception
        Of the rows or of the options, as they are refused; ValueError for what a classifier from
        elsewhere raises.
    """

    error: Exception

    @property
    def reason(self) -> str:
        """The words of the error."""
        return str(self.error)


Outcome: TypeAlias = Fit | Failure
