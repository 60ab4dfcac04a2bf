"""A stage of a run: methods that are fitted together, after the same steps, in some tasks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.estimators.logistic import batched
from lincore.estimators.recalibrated import Recalibrated
from lincore.estimators.tuned import Tuned
from lincore.model_selection.fitting import (
    Predicted,
    TrainingInputs,
    TrainingSample,
    fit_classifier,
    fit_preprocessor,
    predict_codes,
)
from lincore.model_selection.methods import Method
from lincore.model_selection.pipeline import Steps, pipeline_for, through
from lincore.model_selection.streamed_rows import TrainingBlocks
from lincore.utils.thread_warnings import captured_warnings

# Fitted steps with the seconds for fitting them, by task.
FittedSteps: TypeAlias = dict[int, tuple[tuple[tuple[str, Any], ...], float]]


class Task(NamedTuple):
    """A training sample, and rows to predict.

    Attributes
    ----------
    sample : TrainingSample
    test : ndarray of row numbers
        To predict; may be empty.
    """

    sample: TrainingSample
    test: NDArray[np.intp]


class Fit(NamedTuple):
    """One method, fitted in one task.

    Attributes
    ----------
    predicted : Predicted
        Of the rows to predict.
    seconds : float
        As if the method had been fitted alone, including the shared steps.
    pipeline : Pipeline
        Fitted; its classifier predicts codes.
    warnings : tuple of Warning
    """

    predicted: Predicted
    seconds: float
    pipeline: Pipeline
    warnings: tuple[Warning, ...] = ()


class Failure(NamedTuple):
    """The error raised by a failed fit.

    Attributes
    ----------
    error : Exception
        The error about rows or options; a ValueError if a third-party classifier raised any
        exception.
    warnings : tuple of Warning
    """

    error: Exception
    warnings: tuple[Warning, ...] = ()

    @property
    def reason(self) -> str:
        """The error message."""
        return str(self.error)


Outcome: TypeAlias = Fit | Failure


class Stage(NamedTuple):
    """Methods that are fitted together, after the same steps."""

    # `fitted` are these steps with the seconds for them, by task, if other stages need them.
    # `refused` are methods that are not tried again.

    steps: Steps
    methods: tuple[Method, ...]
    fitted: FittedSteps | None
    refused: dict[str, Outcome]

    @property
    def solved(self) -> bool:
        return any(method.from_moments for method in self.methods)

    @property
    def iterated(self) -> bool:
        return not all(method.from_moments for method in self.methods)

    @property
    def what(self) -> str:
        return ", ".join(method.label for method in self.methods) or "steps before the methods"


# A task with its position in the plan, and seconds spent on it so far.
Numbered: TypeAlias = tuple[int, Task, float]
# The outcomes of a stage in the task at a position.
Found: TypeAlias = tuple[int, dict[str, Outcome]]


class _Ready(NamedTuple):
    """A task after the steps of a stage."""

    preprocessor: list[tuple[str, Any]]
    training: TrainingInputs
    test: Any
    seconds: float


class StageFitter(NamedTuple):
    """Fits the methods of a stage in some tasks, in this process or another one."""

    data: Dataset
    seed: int
    stacked: bool
    stage: Stage

    def fit(self, part: list[Numbered], *, fold: Callable[..., Any] | None = None) -> list[Found]:
        """Fit the methods in some tasks, in this thread; `fold` is a pass over blocks."""
        found: list[Found] = [(i, dict(self.stage.refused)) for i, _, _ in part]
        if self.stage.refused:
            return found
        ready: list[tuple[dict[str, Outcome], _Ready]] = []
        for (_, outcomes), (i, task, seconds) in zip(found, part, strict=True):
            try:
                ready.append((outcomes, self.prepare(i, task, seconds, fold)))
            except ValueError as error:
                outcomes |= {method.name: Failure(error) for method in self.stage.methods}
        for method in self.stage.methods:
            fits = self.fit_method(method, [one for _, one in ready])
            for (outcomes, _), outcome in zip(ready, fits, strict=True):
                outcomes[method.name] = outcome
        return found

    def prepare(
        self, i: int, task: Task, seconds: float, fold: Callable[..., Any] | None
    ) -> _Ready:
        """Fit the steps on a sample, unless they are known, and transform its rows."""
        start, stage = time.perf_counter(), self.stage
        preprocessor = pipeline_for(self.data, None, stage.steps, seed=self.seed).steps
        training = fit_preprocessor(
            self.data,
            task.sample,
            preprocessor,
            rows=stage.iterated and fold is None,
            summary=stage.solved or fold is not None,
        )
        if fold is not None:
            sample = task.sample
            blocks = TrainingBlocks(
                self.data, sample.rows, sample.class_weight, preprocessor, fold, sample.subset
            )
            # Without the codes of all rows: while tasks wait for a shared pass, they stay in
            # memory.
            known = training.moments
            training = TrainingInputs(
                np.arange(0), training.n_classes, moments=known, blocks=blocks
            )
        test = None
        if stage.methods and len(task.test):
            test = through(preprocessor, self.data.X[task.test])
        seconds += time.perf_counter() - start
        if stage.fitted is not None:
            stage.fitted.setdefault(i, (tuple(preprocessor), seconds))
        return _Ready(preprocessor, training, test, seconds)

    def tested(self, outcome: Outcome, test: NDArray[np.intp]) -> Outcome:
        """Return the outcome of a fit with predictions of rows."""
        if isinstance(outcome, Failure) or not len(test):
            return outcome
        *steps, (_, model) = outcome.pipeline.steps
        try:
            rows = through(steps, self.data.X[test])
            predicted = predict_codes(model, rows, self.data.n_classes)
        except ValueError as error:
            return Failure(error, outcome.warnings)
        return outcome._replace(predicted=predicted)

    def fit_method(self, method: Method, group: Sequence[_Ready]) -> list[Outcome]:
        """Fit a method in several tasks after the same steps, all at once if possible."""
        models: Sequence[Any] = [None] * len(group)
        start, n_classes = time.perf_counter(), self.data.n_classes
        with captured_warnings() as warned:
            if self.stacked and group and batched.stackable(method.estimator, n_classes):
                inputs = [one.training for one in group]
                problems = [batched.Problem(one.rows, one.codes, one.weight) for one in inputs]
                models = batched.fit_stack(method.estimator, problems, n_classes)
        each = (time.perf_counter() - start) / max(len(group), 1)
        found = []
        for ready, model in zip(group, models, strict=True):
            found.append(self.fit_one(method, ready, model, each, tuple(warned)))
            warned = []  # those of the stack belong to its first task
        return found

    def fit_one(
        self, method: Method, ready: _Ready, model: Any, seconds: float, before: tuple[Warning, ...]
    ) -> Outcome:
        """Fit a method in one task, unless its model is known, and predict."""
        start, n_classes = time.perf_counter(), self.data.n_classes
        with captured_warnings() as warned:
            try:
                if model is None:
                    model = _fresh_model(method, self.data, self.seed)
                    model = fit_classifier(model, ready.training)
                seconds += ready.seconds + time.perf_counter() - start
                predicted = Predicted(np.empty(0, dtype=np.intp), np.empty((0, n_classes)))
                if ready.test is not None:
                    predicted = predict_codes(model, ready.test, n_classes)
            except ValueError as error:
                return Failure(error, (*before, *warned))
            except Exception as error:  # a third-party classifier may raise any exception
                if method.word is not None:
                    raise
                reason = ValueError(f"{type(error).__name__}: {error}")
                return Failure(reason, (*before, *warned))
        pipeline = Pipeline([*ready.preprocessor, ("classify", model)])
        return Fit(predicted, seconds, pipeline, (*before, *warned))


def fit_stage(part: tuple[Stage, Numbered], data: Dataset, seed: int, stacked: bool) -> Found:
    """Fit the methods of a stage in a task, in another process."""
    stage, task = part
    return StageFitter(data, seed, stacked, stage).fit([task])[0]


def _fresh_model(method: Method, data: Dataset, seed: int) -> Any:
    """Return an estimator to fit on rows of the data, see `Method.fresh`."""
    # ``priors="all"`` become the shares of all rows, including test rows, as in R's
    # ``lda(..., CV = TRUE)``. An estimator itself only knows its training rows.
    model = method.fresh(data.classes, seed)
    # A recalibrated classifier has the option inside, and a tuned one inside of that.
    is_both = isinstance(model, Recalibrated) and isinstance(model.estimator, Tuned)
    inner = model.estimator if is_both else model
    for name, priors in inner.get_params(deep=True).items():
        if name in ("priors", "estimator__priors") and isinstance(priors, str) and priors == "all":
            inner.set_params(**{name: TrainingSample(np.arange(data.n_rows)).shares(data)})
    return model
