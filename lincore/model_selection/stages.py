"""A stage of a run: methods that are fitted together, after the same steps, in some tasks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.estimators.base.inner_folds import inner_folds
from lincore.estimators.logistic import batched
from lincore.estimators.recalibrated import Recalibrated
from lincore.estimators.tuned import Tuned, Tuning, mean_log_loss
from lincore.model_selection.fitting import (
    Predicted,
    TrainingInputs,
    TrainingSample,
    fit_classifier,
    fit_preprocessor,
    predict_codes,
)
from lincore.model_selection.methods import Method
from lincore.model_selection.pipeline import (
    MOST_COMPONENTS,
    Steps,
    pipeline_for,
    through,
)
from lincore.model_selection.streamed_rows import TrainingBlocks
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array, Codes

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

    steps: Steps
    methods: tuple[Method, ...]
    fitted: FittedSteps | None  # filled by the first fit, if other stages need these steps
    failed: dict[str, Outcome]  # methods that are not tried again

    @property
    def solved(self) -> bool:
        return any(method.from_moments for method in self.methods)

    @property
    def iterated(self) -> bool:
        return not all(method.from_moments for method in self.methods)

    @property
    def label(self) -> str:
        return ", ".join(method.label for method in self.methods) or "steps before the methods"


# A task with its position in the plan, and seconds spent on it so far.
NumberedTask: TypeAlias = tuple[int, Task, float]
# The outcomes of a stage in the task at a position.
NumberedOutcomes: TypeAlias = tuple[int, dict[str, Outcome]]


class _PreparedTask(NamedTuple):
    """A task after the steps of a stage."""

    preprocessor: list[tuple[str, Any]]
    training: TrainingInputs
    test: Any
    seconds: float

    def truncate(self, n_components: int) -> _PreparedTask:
        """Keep the first coordinates only."""
        rows, moments = self.training.rows, self.training.moments
        if moments is not None:
            moments = moments.map(np.eye(moments.n_features, n_components))
        training = self.training._replace(
            rows=None if rows is None else rows[:, :n_components], moments=moments
        )
        return self._replace(training=training, test=self.test[:, :n_components])


class StageFitter(NamedTuple):
    """Fits the methods of a stage in some tasks, in this process or another one."""

    data: Dataset
    seed: int
    stacked: bool
    stage: Stage

    def fit(
        self, tasks: list[NumberedTask], *, fold: Callable[..., Any] | None = None
    ) -> list[NumberedOutcomes]:
        """Fit the methods in some tasks, in this thread; `fold` is a pass over blocks."""
        if self.stage.failed:
            return [(i, dict(self.stage.failed)) for i, _, _ in tasks]
        if self.stage.steps.chooses_components:
            return [(task[0], self.fit_after_choice(task)) for task in tasks]
        outcomes: dict[int, dict[str, Outcome]] = {i: {} for i, _, _ in tasks}
        prepared: dict[int, _PreparedTask] = {}
        for i, task, seconds in tasks:
            try:
                prepared[i] = self.prepare(i, task, seconds, fold)
            except ValueError as error:
                outcomes[i] = {method.name: Failure(error) for method in self.stage.methods}
        for method in self.stage.methods:
            fits = self.fit_method(method, list(prepared.values()))
            for i, outcome in zip(prepared, fits, strict=True):
                outcomes[i][method.name] = outcome
        return list(outcomes.items())

    def prepare(
        self, i: int, task: Task, seconds: float, fold: Callable[..., Any] | None
    ) -> _PreparedTask:
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
            # The codes of all rows would stay in memory while tasks wait for a shared pass.
            training = TrainingInputs(
                np.arange(0), training.n_classes, moments=training.moments, blocks=blocks
            )
        test = None
        if stage.methods and len(task.test):
            test = through(preprocessor, self.data.X[task.test])
        seconds += time.perf_counter() - start
        if stage.fitted is not None:
            stage.fitted.setdefault(i, (tuple(preprocessor), seconds))
        return _PreparedTask(preprocessor, training, test, seconds)

    def fit_after_choice(self, numbered: NumberedTask) -> dict[str, Outcome]:
        """Fit the methods in a task after as many components as inner folds choose for each."""
        i, task, seconds = numbered
        start = time.perf_counter()
        try:
            folds = self.fit_inner_folds(task.sample)
        except ValueError as error:
            return {method.name: Failure(error) for method in self.stage.methods}
        seconds += time.perf_counter() - start
        outcomes: dict[str, Outcome] = {}
        for method in self.stage.methods:
            start = time.perf_counter()
            tuning = self.choose_components(method, folds)
            if isinstance(tuning, Failure):
                outcomes[method.name] = tuning
                continue
            steps = self.stage.steps._replace(n_components=int(tuning.values["n_components"]))
            fitter = self._replace(stage=Stage(steps, (method,), None, {}))
            before = seconds + time.perf_counter() - start
            [(_, fitted)] = fitter.fit([(i, task, before)])
            outcome = outcomes[method.name] = fitted[method.name]
            if isinstance(outcome, Fit):
                outcome.pipeline["pca"].tuning_ = tuning
        return outcomes

    def fit_inner_folds(
        self, sample: TrainingSample
    ) -> list[tuple[_PreparedTask, Codes, Array | None]]:
        """Fit the steps in each inner fold; also return codes and weights of the held-out rows."""
        data, steps = self.data, self.stage.steps
        streamed = steps.basis is None and sample.blocks is not None
        if data.kind.is_sparse or streamed or not len(sample.rows):
            raise ValueError(
                "Inner cross-validation cannot choose the number of components of "
                f"{'sparse' if data.kind.is_sparse else 'streamed'} rows: give a number."
            )
        folds = []
        for train, test in inner_folds(
            data.codes[sample.rows],
            sample.units(data),
            self.seed,
            "A choice of the number of components by cross-validation",
        ):
            # The components of a candidate are the first of these.
            most: float = min(MOST_COMPONENTS, data.n_features, len(train))
            if steps.basis is not None or data.needs_preparation:
                most = 1.0  # all of the variance: the number of columns is not known yet
            whole = self.stage._replace(steps=steps._replace(n_components=most))
            held_out = sample.take(test)
            task = Task(sample.take(train), held_out.rows)
            prepared = self._replace(stage=whole).prepare(0, task, 0.0, None)
            folds.append((prepared, data.codes[held_out.rows], held_out.weights(data)))
        return folds

    def choose_components(
        self, method: Method, folds: Sequence[tuple[_PreparedTask, Codes, Array | None]]
    ) -> Tuning | Failure:
        """Choose the number of components for a method by its mean loss in the inner folds."""
        inner = method.estimator
        inner = inner.estimator if isinstance(inner, Recalibrated) else inner
        if isinstance(inner, Tuned):
            options = f"the number of components and {' and '.join(inner.options)}"
            return Failure(
                ValueError(f"Cross-validation cannot choose {options} together: give one of them.")
            )
        most = min(MOST_COMPONENTS, *(prepared.test.shape[1] for prepared, _, _ in folds))
        candidates = [*(2**power for power in range(most.bit_length()) if 2**power < most), most]
        losses, kind, failure = np.full((len(candidates), len(folds)), np.inf), "log loss", None
        for a, n_components in enumerate(candidates):
            truncated = [prepared.truncate(n_components) for prepared, _, _ in folds]
            outcomes = self.fit_method(method, truncated)
            for j, (outcome, (_, codes, weight)) in enumerate(zip(outcomes, folds, strict=True)):
                if isinstance(outcome, Failure):
                    failure = outcome
                    continue
                own = outcome.predicted.log_proba[np.arange(len(codes)), codes]
                if np.isnan(own).any():
                    kind = "error rate"
                    losses[a, j] = np.average(outcome.predicted.codes != codes, weights=weight)
                else:
                    losses[a, j] = mean_log_loss(own, weight)
        if failure is not None and not np.isfinite(losses).all(axis=1).any():
            return failure
        tried = np.array(candidates, dtype=float)[:, None]
        return Tuning(str(self.stage.steps.n_components), ("n_components",), tried, losses, kind)

    def predict(self, outcome: Outcome, test: NDArray[np.intp]) -> Outcome:
        """Return the outcome of a fit with predictions of the test rows."""
        if isinstance(outcome, Failure) or not len(test):
            return outcome
        *steps, (_, model) = outcome.pipeline.steps
        try:
            rows = through(steps, self.data.X[test])
            predicted = predict_codes(model, rows, self.data.n_classes)
        except ValueError as error:
            return Failure(error, outcome.warnings)
        return outcome._replace(predicted=predicted)

    def fit_method(self, method: Method, tasks: Sequence[_PreparedTask]) -> list[Outcome]:
        """Fit a method in several tasks after the same steps, all at once if possible."""
        models: Sequence[Any] = [None] * len(tasks)
        start, n_classes = time.perf_counter(), self.data.n_classes
        with captured_warnings() as warned:
            if self.stacked and tasks and batched.stackable(method.estimator, n_classes):
                inputs = [task.training for task in tasks]
                problems = [batched.Problem(i.rows, i.codes, i.weight) for i in inputs]
                models = batched.fit_stack(method.estimator, problems, n_classes)
        seconds_each = (time.perf_counter() - start) / max(len(tasks), 1)
        outcomes = []
        for task, model in zip(tasks, models, strict=True):
            outcomes.append(self.fit_one(method, task, model, seconds_each, tuple(warned)))
            warned = []  # those of the stack belong to its first task
        return outcomes

    def fit_one(
        self,
        method: Method,
        task: _PreparedTask,
        model: Any,
        seconds: float,
        warnings: tuple[Warning, ...],
    ) -> Outcome:
        """Fit a method in one task, unless its model is known, and predict."""
        start, n_classes = time.perf_counter(), self.data.n_classes
        with captured_warnings() as warned:
            try:
                if model is None:
                    model = _fresh_model(method, self.data, self.seed)
                    model = fit_classifier(model, task.training)
                seconds += task.seconds + time.perf_counter() - start
                predicted = Predicted(np.empty(0, dtype=np.intp), np.empty((0, n_classes)))
                if task.test is not None:
                    predicted = predict_codes(model, task.test, n_classes)
            except ValueError as error:
                return Failure(error, (*warnings, *warned))
            except Exception as error:  # a third-party classifier may raise any exception
                if method.word is not None:
                    raise
                reason = ValueError(f"{type(error).__name__}: {error}")
                return Failure(reason, (*warnings, *warned))
        pipeline = Pipeline([*task.preprocessor, ("classify", model)])
        return Fit(predicted, seconds, pipeline, (*warnings, *warned))


def fit_stage(
    work: tuple[Stage, NumberedTask], data: Dataset, seed: int, stacked: bool
) -> NumberedOutcomes:
    """Fit the methods of a stage in a task, in another process."""
    stage, task = work
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
