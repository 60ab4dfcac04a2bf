"""The fitting engine: fits methods to samples, from moments if possible, otherwise from rows.

A `FitTask` has training rows and rows to predict. `prepare` fits the steps shared by methods,
`fit_method` a method after them in several tasks, all at once if possible. Hold-out, folds, the
subsets of an imbalance study and the sizes of a sweep are tasks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.estimators.logistic import batched
from lincore.model_selection.fitting import (
    Predicted,
    TrainingInputs,
    categorical_columns,
    fit_classifier,
    fit_preprocessor,
    predict_codes,
)
from lincore.model_selection.methods import Method
from lincore.model_selection.pipeline import (
    Steps,
    named_warnings,
    pipeline_for,
    steps_before,
    through,
)
from lincore.moments.moments import Moments
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.threads import WORTHWHILE, part_mapper
from lincore.utils.typing import Array

Preprocessor: TypeAlias = Sequence[tuple[str, Any]]

# Number of singular vectors onto which sparse rows are projected, for methods that need dense rows.
SPARSE_COMPONENTS = 100


class TrainingSample(NamedTuple):
    """Training rows, class weights, and moments if available.

    Attributes
    ----------
    rows : ndarray of row numbers
        A row may occur several times. Unused if every method is fitted from moments and no
        threshold is moved.
    class_weight : ndarray of shape (K,) or None
    moments : Moments or None
        By class, with the weights of the data but without class weights.
    """

    rows: NDArray[np.intp]
    class_weight: Array | None = None
    moments: Moments | None = None

    @property
    def n_rows(self) -> int:
        """Number of training rows, whether used directly or not."""
        return len(self.rows) if self.moments is None else round(self.moments.count.sum())

    def shares(self, data: Dataset) -> Array:
        """Return the share of each class in the total weight: the estimated priors."""
        if self.moments is not None:
            weight = self.moments.count
        else:
            own = data.weights_of(self.rows)
            weight = np.bincount(data.codes[self.rows], own, data.n_classes).astype(float)
        if self.class_weight is not None:
            weight = weight * self.class_weight
        return np.asarray(weight / weight.sum())


class FitTask(NamedTuple):
    """A training sample, and rows to predict.

    Attributes
    ----------
    data : Dataset
    sample : TrainingSample
    test : ndarray of row numbers
        To predict.
    steps : Steps
        Requested preprocessing of every method, see `method_steps`.
    seed : int
        For randomness in methods.
    threshold : ndarray of shape (K,) or None
        Class shares for which a threshold is tuned on the training rows, which are then predicted
        as well.
    """

    data: Dataset
    sample: TrainingSample
    test: NDArray[np.intp]
    steps: Steps
    seed: int
    threshold: Array | None = None


class Prepared(NamedTuple):
    """A task after the steps shared by some methods.

    Attributes
    ----------
    task : FitTask
    preprocessor : sequence of (name, step)
        The steps, fitted.
    training : TrainingInputs
    test : (m, q) array or None
        The preprocessed test rows.
    seconds : float
        Time for the steps.
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
        As if the method had been fitted alone, including the shared steps.
    pipeline : Pipeline
        Fitted; its classifier predicts codes.
    own : Predicted or None
        For the training rows, if a threshold is to be moved.
    """

    predicted: Predicted
    seconds: float
    pipeline: Pipeline
    own: Predicted | None = None


class Failure(NamedTuple):
    """The error raised by a failed fit.

    Attributes
    ----------
    error : Exception
        The error about rows or options; a ValueError if a third-party classifier raised any
        exception.
    """

    error: Exception

    @property
    def reason(self) -> str:
        """The error message."""
        return str(self.error)


Outcome: TypeAlias = Fit | Failure


def fit_tasks(
    tasks: Sequence[FitTask], methods: Sequence[Method]
) -> tuple[list[dict[str, Outcome]], list[Warning]]:
    """Fit methods in tasks of the same data and steps; predict their test rows.

    Small logistic regressions are solved together and agree with separate fits to the accuracy of
    the solver, about eight digits. Large tasks run in threads.

    Parameters
    ----------
    tasks : sequence of FitTask
    methods : sequence of Method

    Returns
    -------
    outcomes : list of dict of method name to Outcome
        For each task.
    warned : list of Warning
        In the order of the tasks.
    """
    if not tasks:
        return [], []
    n_values = max(task.sample.n_rows for task in tasks) * tasks[0].data.n_features

    def fitted(part: Sequence[FitTask]) -> tuple[list[dict[str, Outcome]], list[Warning]]:
        # In the fitting thread, to exclude warnings of other visitors, which name their columns.
        with captured_warnings() as warned:
            return _fit_part(part, methods), warned

    with part_mapper(n_values) as mapper:
        parts = [tasks] if n_values < WORTHWHILE else [[task] for task in tasks]
        found = list(mapper(fitted, parts))
    outcomes = [one for part, _ in found for one in part]
    return outcomes, [warning for _, warned in found for warning in warned]


def _fit_part(tasks: Sequence[FitTask], methods: Sequence[Method]) -> list[dict[str, Outcome]]:
    found: list[dict[str, Outcome]] = [{} for _ in tasks]
    for steps, members in group_methods(methods, tasks[0].data, tasks[0].steps):
        chosen = [methods[j] for j in members]
        solved = any(method.from_moments for method in chosen)
        iterated = not all(method.from_moments for method in chosen)
        group = [prepare(task, steps, solved=solved, iterated=iterated) for task in tasks]
        for method in chosen:
            for place, outcome in zip(found, fit_method(method, group), strict=True):
                place[method.name] = outcome
    return found


def group_methods(
    methods: Sequence[Method], data: Dataset, steps: Steps
) -> list[tuple[Steps, list[int]]]:
    """Group methods by their steps: the steps and the positions of the methods."""
    groups: dict[str, tuple[Steps, list[int]]] = {}
    for j, method in enumerate(methods):
        own = method_steps(method, data, steps)
        # A basis may be any transformer, which is not hashable.
        groups.setdefault(repr(own), (own, []))[1].append(j)
    return list(groups.values())


def method_steps(method: Method, data: Dataset, steps: Steps) -> Steps:
    """Return the steps before a method: the requested ones that it allows.

    Counts are neither standardised nor projected. Sparse rows are projected for methods that need
    dense rows.
    """
    if method.counts:
        return Steps(standardize=False)
    if method.features is not None:
        steps = steps._replace(basis=None if method.features == "pixels" else method.features)
    steps = steps_before(method.estimator, data, steps)
    if data.kind.is_sparse and steps.n_components is None and not method.takes_sparse:
        return steps._replace(n_components=min(SPARSE_COMPONENTS, *(s - 1 for s in data.X.shape)))
    return steps


def prepare(
    task: FitTask,
    steps: Steps,
    *,
    solved: bool,
    iterated: bool,
    seconds: float = 0.0,
) -> Prepared:
    """Fit the steps before some methods on a task's sample, and transform its rows."""
    start = time.perf_counter()
    data, sample = task.data, task.sample
    preprocessor = pipeline_for(data, None, steps, seed=task.seed).steps
    training = fit_steps(data, sample, preprocessor, rows=iterated, summary=solved)
    test = through(preprocessor, data.X[task.test]) if solved or iterated else None
    if task.threshold is not None and training.rows is None:
        training = training._replace(rows=through(preprocessor, data.X[sample.rows]))
    return Prepared(task, preprocessor, training, test, seconds + time.perf_counter() - start)


def prepare_behind(
    task: FitTask, fitted: Preprocessor, moments: Moments | None, *, seconds: float = 0.0
) -> Prepared:
    """Transform the rows of a task by steps that were already fitted on its sample."""
    start = time.perf_counter()
    data, rows = task.data, task.sample.rows
    training = TrainingInputs(
        data.codes[rows],
        data.n_classes,
        through(fitted, data.X[rows]) if moments is None else None,
        data.weights_of(rows),
        moments,
        categorical_columns=categorical_columns(fitted),
    )
    test = through(fitted, data.X[task.test])
    return Prepared(task, fitted, training, test, seconds + time.perf_counter() - start)


def fit_steps(
    data: Dataset, sample: TrainingSample, preprocessor: Preprocessor, *, rows: bool, summary: bool
) -> TrainingInputs:
    """Fit steps before a classifier in place, from the sample's moments if possible."""
    basis = any(name == "basis" for name, _ in preprocessor)
    enough = sample.moments is not None and not rows and not basis
    return fit_preprocessor(
        preprocessor,
        None if enough else data.X[sample.rows],
        data.codes[sample.rows],
        data.n_classes,
        class_weight=sample.class_weight,
        sample_weight=data.weights_of(sample.rows),
        moments=sample.moments,
        rows=rows,
        summary=summary,
    )


def fit_method(method: Method, group: Sequence[Prepared]) -> list[Outcome]:
    """Fit a method in several tasks after the same steps, all at once if possible."""
    start = time.perf_counter()
    models: Sequence[Any] = [None] * len(group)
    n_classes = group[0].training.n_classes
    if batched.stackable(method.estimator, n_classes):
        problems = [
            batched.Problem(one.training.rows, one.training.codes, one.training.weight)
            for one in group
        ]
        models = batched.fit_stack(method.estimator, problems, n_classes)
    each = (time.perf_counter() - start) / len(group)
    return [
        fit_one(method, prepared, model, each)
        for prepared, model in zip(group, models, strict=True)
    ]


def fit_one(method: Method, prepared: Prepared, model: Any = None, seconds: float = 0.0) -> Outcome:
    """Fit a method in one task, and predict."""
    start, task = time.perf_counter(), prepared.task
    try:
        if model is None:
            model = fresh_model(method, task.data, task.seed)
            fit_classifier(model, prepared.training)
        seconds += prepared.seconds + time.perf_counter() - start
        n_classes, asked = prepared.training.n_classes, [prepared.test]
        if task.threshold is not None:  # it is found on the training rows
            asked.append(prepared.training.rows)
        predicted, *own = (predict_codes(model, rows, n_classes) for rows in asked)
    except ValueError as error:
        return Failure(error)
    except Exception as error:  # a third-party classifier may raise any exception
        if method.word is not None:
            raise
        return Failure(ValueError(f"{type(error).__name__}: {error}"))
    return Fit(predicted, seconds, Pipeline([*prepared.preprocessor, ("classify", model)]), *own)


def fresh_model(method: Method, data: Dataset, seed: int = 0) -> Any:
    """Return an estimator to fit on rows of the data, see `Method.fresh`.

    ``priors="all"`` become the shares of all rows, including test rows, as in R's ``lda(..., CV =
    TRUE)``. An estimator itself only knows its training rows.
    """
    model = method.fresh(data.classes, seed)
    priors = model.get_params(deep=False).get("priors")
    if isinstance(priors, str) and priors == "all":
        model.set_params(priors=TrainingSample(np.arange(data.n_rows)).shares(data))
    return model


def fit_pipeline(
    pipeline: Pipeline,
    data: Dataset,
    rows: NDArray[np.intp],
    *,
    class_weight: Array | None = None,
    moments: Moments | None = None,
) -> Pipeline:
    """Fit every step of a pipeline on some rows, from their moments if available.

    The classifier is trained on codes, positions in `data.classes`, so its classes are in the order
    of the data.
    """
    classifier = pipeline.named_steps.get("classify")
    by_moments = hasattr(classifier, "fit_moments")
    steps = pipeline.steps[: len(pipeline.steps) - (classifier is not None)]
    sample = TrainingSample(rows, class_weight, moments)
    iterated = classifier is not None and not by_moments
    try:
        training = fit_steps(data, sample, steps, rows=iterated, summary=by_moments)
        if classifier is not None:
            with named_warnings(data) as fitted:
                fitted.append(pipeline)
                fit_classifier(classifier, training)
    except DataError:
        raise
    except ValueError as error:
        raise DataError(str(error), where=f"training set of {data.name}") from error
    return pipeline
