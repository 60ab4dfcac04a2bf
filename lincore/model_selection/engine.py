"""The run: fits methods to training samples and predicts rows, the only way to fit anything.

A plan is a sequence of tasks: a training sample, and rows to predict. A hold-out, the training set
of Classify and all rows for Predict are one task; folds, the subsets of an imbalance study and the
sizes of a sweep are several.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import effective_n_jobs, parallel_config
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.estimators.logistic import batched
from lincore.model_selection.fitting import (
    Predicted,
    TrainingInputs,
    TrainingSample,
    fit_classifier,
    fit_preprocessor,
    predict_codes,
)
from lincore.model_selection.methods import Method
from lincore.model_selection.pipeline import PLAIN, Steps, pipeline_for, steps_before, through
from lincore.model_selection.shared_passes import SharedPasses
from lincore.model_selection.streamed_rows import TrainingBlocks
from lincore.moments.moments import Moments
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.threads import WIDE, WORTHWHILE, n_threads, part_mapper
from lincore.utils.workers import map_in_workers

# Number of singular vectors onto which sparse rows are projected, for methods that need dense rows.
SPARSE_COMPONENTS = 100
# Numbers in the fitted steps of all tasks that are kept for the methods that need rows (240 MB).
LARGEST_STEPS = 30_000_000

# Number of tasks that share passes over rows that are not in memory.
SHARE_PASSES = 10

# Yields the moments of the training rows of each task; False if no scatter is needed.
MomentSource: TypeAlias = Callable[[bool], Iterator[Moments | None]]
# Fitted steps with the seconds for fitting them, by task.
_Fitted: TypeAlias = dict[int, tuple[tuple[tuple[str, Any], ...], float]]


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


class Completed(NamedTuple):
    """A step of a run: some methods, fitted in one task.

    Attributes
    ----------
    task : int
        Position of the task in the plan.
    outcomes : dict of method name to Outcome
    what : str
        Labels of these methods.
    done, total : int
        Number of steps so far and in all.
    """

    task: int
    outcomes: dict[str, Outcome]
    what: str
    done: int
    total: int


class _Stage(NamedTuple):
    """Methods that are fitted together, after the same steps.

    `fitted` are these steps with the seconds for them, by task, if other stages need them.
    `refused` are methods that are not tried again.
    """

    steps: Steps
    methods: tuple[Method, ...]
    fitted: _Fitted | None
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
_Numbered: TypeAlias = tuple[int, Task, float]
# The outcomes of a stage in the task at a position.
_Found: TypeAlias = tuple[int, dict[str, Outcome]]


class _Ready(NamedTuple):
    """A task after the steps of a stage."""

    preprocessor: list[tuple[str, Any]]
    training: TrainingInputs
    test: Any
    seconds: float


def run(
    plan: Sequence[Task],
    methods: Sequence[Method],
    data: Dataset,
    *,
    steps: Steps = PLAIN,
    seed: int = 0,
    moments: MomentSource | None = None,
    stacked: bool = False,
    n_jobs: int | None = None,
) -> Iterator[Completed]:
    """Fit methods in every task of a plan and predict its rows; to stop, leave the loop.

    Methods fitted from moments come first, together; then the others, one by one, after the same
    fitted steps. A method that needs rows and fails in one task is not tried in later ones.

    Parameters
    ----------
    plan : sequence of Task
    methods : sequence of Method
    data : Dataset
    steps : Steps
        Requested preprocessing of every method, see `method_steps`.
    seed : int
        For randomness in steps and methods.
    moments : callable, optional
        Yields the moments of each task's sample, instead of those in the plan. Its argument is
        whether scatters are needed.
    stacked : bool
        Fit all methods in a task before the next task, and small tasks at once. Small logistic
        regressions are then solved together, which agrees with separate fits to the accuracy of the
        solver, about eight digits. Large tasks run in threads.
    n_jobs : int, optional
        Number of processes in which joblib fits methods that need rows; see `lincore.compare`.

    Yields
    ------
    Completed
        After each task of each stage.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.methods import as_methods
    >>> iris = lincore.sample("iris")
    >>> train, test = lincore.split(iris)
    >>> for step in run([Task(TrainingSample(train), test)], as_methods(["lda", "logistic"]), iris):
    ...     print(step.what, step.done, step.total, [*step.outcomes])
    LDA 1 2 ['lda']
    Logistic regression 2 2 ['logistic']
    """
    n_values = max((task.sample.n_rows for task in plan), default=0) * data.n_features
    n_jobs = effective_n_jobs(n_jobs)
    work = _Run(plan, methods, data, steps, seed, moments, stacked, n_jobs, n_values)
    stages = work.stages()
    total = len(stages) * len(plan)
    for done, (stage, task, outcomes) in enumerate(work.fits(stages), 1):
        outcomes |= stage.refused
        if stage.iterated and not stacked:
            failed = {name: one for name, one in outcomes.items() if isinstance(one, Failure)}
            stage.refused.update(failed)
        yield Completed(task, outcomes, stage.what, done, total)


class _Run(NamedTuple):
    """The arguments of `run`, and what its loop does with them.

    `n_values` is the number of values in the largest training set.
    """

    plan: Sequence[Task]
    methods: Sequence[Method]
    data: Dataset
    steps: Steps
    seed: int
    moments: MomentSource | None
    stacked: bool
    n_jobs: int
    n_values: int

    def stages(self) -> list[_Stage]:
        """Group the methods; those that need rows come last, one by one."""
        first, later = [], []
        for steps, members in _by_steps(self.methods, self.data, self.steps):
            if self.stacked:
                first.append(_Stage(steps, members, None, {}))
                continue
            solved = tuple(method for method in members if method.from_moments)
            iterated = [method for method in members if not method.from_moments]
            # Some steps are worth fitting once for all methods, also for those that need rows.
            shared = solved or steps != Steps(standardize=False) or self.data.needs_preparation
            fitted: _Fitted | None = None
            if shared and iterated and self.may_keep(steps):
                fitted = {}
            if shared:
                first.append(_Stage(steps, solved, fitted, {}))
            later += [_Stage(steps, (method,), fitted, {}) for method in iterated]
        # Passes over blocks begin with moments before the steps.
        later = [one._replace(fitted=None) if self.in_passes(one) else one for one in later]
        return first + later

    def in_passes(self, stage: _Stage) -> bool:
        """Return whether a stage takes passes over rows that are not in memory."""
        return (
            stage.iterated
            and not self.stacked
            and stage.steps.basis is None
            and all(method.from_blocks for method in stage.methods)
            and all(task.sample.blocks is not None for task in self.plan)
        )

    def may_keep(self, steps: Steps) -> bool:
        """Return whether the fitted steps of all tasks are small enough to be kept."""
        width = steps.n_components if isinstance(steps.n_components, int) else self.data.n_features
        columns = 1 if steps.n_components is None else width
        return len(self.plan) * self.data.n_features * columns <= LARGEST_STEPS

    def fits(self, stages: Sequence[_Stage]) -> Iterator[tuple[_Stage, int, dict[str, Outcome]]]:
        """Yield the outcomes of every stage in every task: first those fitted in this process."""
        sent = [
            stage
            for stage in stages
            if self.n_jobs > 1 and stage.iterated and not self.in_passes(stage)
        ]
        if len(sent) * len(self.plan) < 2:
            sent = []
        for stage in stages:
            if self.in_passes(stage):
                yield from ((stage, *found) for found in self.by_passes(stage))
            elif not sent or not stage.iterated:
                yield from ((stage, *found) for found in self.in_process(stage))
        if not sent:
            return
        parts = ((_detached(stage), task) for stage in sent for task in self.tasks(stage))
        found = map_in_workers(_fit, parts, (self.data, self.seed, self.stacked), self.n_jobs)
        order = (stage for stage in sent for _ in self.plan)
        yield from ((stage, *one) for stage, one in zip(order, found, strict=True))

    def tasks(self, stage: _Stage) -> Iterator[_Numbered]:
        """Yield the tasks with their moments or fitted steps, and the seconds for these."""
        known: Iterator[Moments | None] | None = None
        if self.moments is not None and stage.steps.basis is None and not stage.fitted:
            summed = stage.solved or self.in_passes(stage)
            known = self.moments(summed or stage.steps.n_components is not None)
        for i, (sample, test) in enumerate(self.plan):
            start, before = time.perf_counter(), 0.0
            if known is not None:
                sample = sample._replace(moments=next(known))
            if stage.fitted and i in stage.fitted:
                fitted, before = stage.fitted[i]
                sample = sample._replace(moments=None, fitted=fitted)
            yield i, Task(sample, test), before + time.perf_counter() - start

    def by_passes(self, stage: _Stage) -> Iterator[_Found]:
        """Fit the method of a stage in passes over blocks, which several tasks share."""
        assert self.data.blocks is not None
        fitter, tasks = _Fitter(self.data, self.seed, self.stacked, stage), self.tasks(stage)
        while batch := list(islice(tasks, SHARE_PASSES)):
            passes = SharedPasses(self.data.blocks)
            # A thread that predicted rows would keep memory for them: tests are left for this one.
            parts = [[(i, task._replace(test=task.test[:0]), spent)] for i, task, spent in batch]
            with parallel_config(n_jobs=self.n_jobs):
                found = passes.map(partial(fitter.fit, fold=passes.fold), parts)
            for (i, outcomes), (_, task, _) in zip(chain(*found), batch, strict=True):
                yield i, {name: fitter.tested(one, task.test) for name, one in outcomes.items()}

    def in_process(self, stage: _Stage) -> Iterator[_Found]:
        """Fit the methods of a stage: large tasks in threads, small ones of a stack at once."""
        fitter, tasks = _Fitter(self.data, self.seed, self.stacked, stage), self.tasks(stage)
        large, number = self.n_values >= WORTHWHILE, 1
        if self.stacked:
            number = len(self.plan)
        elif large and not stage.iterated and self.data.n_features >= WIDE:
            number = n_threads()  # the moments of all folds may not fit into memory
        # Small products are finished before a second BLAS thread has woken up.
        small = not large and (self.stacked or not stage.iterated)
        with part_mapper(self.n_values if small else 0):
            while batch := list(islice(tasks, number)):
                summed = self.stacked or all(
                    task.sample.moments is not None for _, task, _ in batch
                )
                apart = large and summed and len(self.plan) > 1
                with part_mapper(self.n_values if apart else 0) as mapper:
                    parts = [[one] for one in batch] if large else [batch]
                    for found in mapper(fitter.fit, parts):
                        yield from found


class _Fitter(NamedTuple):
    """What fits the methods of a stage in some tasks, in this process or another one."""

    data: Dataset
    seed: int
    stacked: bool
    stage: _Stage

    def fit(self, part: list[_Numbered], *, fold: Callable[..., Any] | None = None) -> list[_Found]:
        """Fit the methods in some tasks, in this thread; `fold` is a pass over blocks."""
        found: list[_Found] = [(i, dict(self.stage.refused)) for i, _, _ in part]
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
            rows, weight = task.sample.rows, task.sample.class_weight
            blocks = TrainingBlocks(self.data, rows, weight, preprocessor, fold)
            # Without the codes of all rows: tasks that share passes wait with all that they hold.
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
                    fit_classifier(model, ready.training)
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


def _detached(stage: _Stage) -> _Stage:
    """Return a stage as it is sent: its tasks bring their steps."""
    return stage._replace(fitted=None, refused=dict(stage.refused))


def _fit(part: tuple[_Stage, _Numbered], data: Dataset, seed: int, stacked: bool) -> _Found:
    """Fit the methods of a stage in a task, in another process."""
    stage, task = part
    return _Fitter(data, seed, stacked, stage).fit([task])[0]


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


def _by_steps(
    methods: Sequence[Method], data: Dataset, steps: Steps
) -> list[tuple[Steps, tuple[Method, ...]]]:
    """Group methods by their steps."""
    groups: dict[str, tuple[Steps, tuple[Method, ...]]] = {}
    for method in methods:
        own = method_steps(method, data, steps)
        # A basis may be any transformer, which is not hashable.
        _, members = groups.get(repr(own), (own, ()))
        groups[repr(own)] = own, (*members, method)
    return list(groups.values())


def _fresh_model(method: Method, data: Dataset, seed: int = 0) -> Any:
    """Return an estimator to fit on rows of the data, see `Method.fresh`.

    ``priors="all"`` become the shares of all rows, including test rows, as in R's ``lda(..., CV =
    TRUE)``. An estimator itself only knows its training rows.
    """
    model = method.fresh(data.classes, seed)
    priors = model.get_params(deep=False).get("priors")
    if isinstance(priors, str) and priors == "all":
        model.set_params(priors=TrainingSample(np.arange(data.n_rows)).shares(data))
    return model
