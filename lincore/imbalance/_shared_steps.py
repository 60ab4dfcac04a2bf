"""Samples of the training rows behind preprocessing steps that methods share."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.model_selection.engine import method_steps
from lincore.model_selection.fitting import TrainingInputs, fit_preprocessor, through
from lincore.model_selection.methods import Method
from lincore.model_selection.pipeline import Steps, pipeline_for
from lincore.moments.moments import Moments
from lincore.utils.typing import Array


class TrainingSample(NamedTuple):
    """Rows to be fitted on, what a row of each class weighs, and moments where there are any.

    Attributes
    ----------
    rows : ndarray of row numbers
        A row may occur several times. Nobody looks at them where all methods are solved
        from the moments, and no threshold is moved.
    class_weight : ndarray of shape (K,) or None
    moments : Moments or None
        By class, not weighted.
    """

    rows: NDArray[np.intp]
    class_weight: Array | None = None
    moments: Moments | None = None

    def shares(self, codes: NDArray[np.intp], n_classes: int) -> Array:
        """Return the share of each class in the total weight: the priors that training learns."""
        if self.moments is not None:
            weight = self.moments.count
        else:
            weight = np.bincount(codes[self.rows], minlength=n_classes).astype(float)
        if self.class_weight is not None:
            weight = weight * self.class_weight
        return np.asarray(weight / weight.sum())


class FitTask(NamedTuple):
    """Inputs of the fit of a method, and the test rows to predict.

    Attributes
    ----------
    data : Dataset
    sample : Sample
    test : ndarray of row numbers
        To predict.
    steps : Steps
    seed : int
        Of whatever is random in a method.
    threshold : ndarray of shape (K,) or None
        Class shares to which a threshold is moved on the rows of the sample.
    """

    data: Dataset
    sample: TrainingSample
    test: NDArray[np.intp]
    steps: Steps
    seed: int
    threshold: Array | None = None


class Prepared(NamedTuple):
    """A job behind the steps that some methods share.

    Attributes
    ----------
    job : Job
    preprocessor : Pipeline
        The steps, fitted.
    training : Training
    seen : (m, q) array
        The test rows behind them.
    shares : ndarray of shape (K,)
        Of the classes in the sample's weight.
    seconds : float
        Spent on it.
    """

    job: FitTask
    preprocessor: Pipeline
    training: TrainingInputs
    seen: Any
    shares: Array
    seconds: float


def grouped(
    job: FitTask, methods: Sequence[Method], failures: dict[str, str]
) -> list[tuple[Steps, list[Method]]]:
    """Return methods that have the same steps before them together, without those that weigh."""
    groups: dict[str, tuple[Steps, list[Method]]] = {}
    for method in methods:
        name = method.own_weights
        if name is not None:
            failures[method.name] = (
                f"It weighs the classes itself ({name}), and so does the study: leave these "
                "weights out."
            )
            continue
        steps = method_steps(method, job.data, job.steps)
        # A basis may be any transformer, which cannot be hashed.
        groups.setdefault(repr(steps), (steps, []))[1].append(method)
    return list(groups.values())


def prepare(job: FitTask, steps: Steps, methods: Sequence[Method]) -> Prepared:
    """Fit the steps that methods share on a sample; put its rows and the test rows behind them."""
    data, sample = job.data, job.sample
    start = time.perf_counter()
    preprocessor = pipeline_for(data, None, steps, seed=job.seed)
    needs_rows = any(not method.from_moments for method in methods)
    training = fit_preprocessor(
        preprocessor.steps,
        None if sample.moments is not None and not needs_rows else data.X[sample.rows],
        data.codes[sample.rows],
        data.n_classes,
        class_weight=sample.class_weight,
        moments=sample.moments,
        rows=needs_rows,
        summary=any(method.from_moments for method in methods),
    )
    seen = through(preprocessor.steps, data.X[job.test])
    if job.threshold is not None and training.rows is None:
        training = training._replace(rows=through(preprocessor.steps, data.X[sample.rows]))
    shares = sample.shares(data.codes, data.n_classes)
    return Prepared(job, preprocessor, training, seen, shares, time.perf_counter() - start)
