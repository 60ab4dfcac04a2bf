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
from typing import NamedTuple, TypeAlias

from joblib import effective_n_jobs, parallel_config

from lincore.data.dataset import Dataset
from lincore.model_selection.methods import Method
from lincore.model_selection.pipeline import PLAIN, Steps, steps_before
from lincore.model_selection.shared_passes import SharedPasses
from lincore.model_selection.stages import (
    Failure,
    FittedSteps,
    NumberedOutcomes,
    NumberedTask,
    Outcome,
    Stage,
    StageFitter,
    Task,
    fit_stage,
)
from lincore.moments.moments import Moments
from lincore.utils.threads import WIDE, WORTHWHILE, n_threads, part_mapper
from lincore.utils.workers import map_in_workers

# Number of singular vectors onto which sparse rows are projected, for methods that need dense rows.
SPARSE_COMPONENTS = 100
# Numbers in the fitted steps of all tasks that are kept for the methods that need rows (240 MB).
LARGEST_STEPS = 30_000_000

# Number of tasks that share passes over rows that are not in memory.
SHARE_PASSES = 10

# Yields the moments of the training rows of each task. The argument: whether scatters are needed.
MomentSource: TypeAlias = Callable[[bool], Iterator[Moments | None]]


class Completed(NamedTuple):
    """A step of a run: some methods, fitted in one task.

    Attributes
    ----------
    task : int
        Position of the task in the plan.
    outcomes : dict of method name to Outcome
    label : str
        Labels of these methods.
    done, total : int
        Number of steps so far and in all.
    """

    task: int
    outcomes: dict[str, Outcome]
    label: str
    done: int
    total: int


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
    >>> from lincore.model_selection import TrainingSample, as_methods
    >>> iris = lincore.sample("iris")
    >>> train, test = lincore.split(iris)
    >>> for step in run([Task(TrainingSample(train), test)], as_methods(["lda", "logistic"]), iris):
    ...     print(step.label, step.done, step.total, [*step.outcomes])
    LDA 1 2 ['lda']
    Logistic regression 2 2 ['logistic']
    """
    n_values = max((task.sample.n_rows for task in plan), default=0) * data.n_features
    n_jobs = effective_n_jobs(n_jobs)
    engine = _Engine(plan, methods, data, steps, seed, moments, stacked, n_jobs, n_values)
    stages = engine.plan_stages()
    total = len(stages) * len(plan)
    for done, (stage, task, outcomes) in enumerate(engine.fit(stages), 1):
        outcomes |= stage.failed
        if stage.iterated and not stacked:
            failures = (name for name, fit in outcomes.items() if isinstance(fit, Failure))
            stage.failed.update({name: outcomes[name] for name in failures})
        yield Completed(task, outcomes, stage.label, done, total)


class _Engine(NamedTuple):
    """The arguments of `run`, and the parts of its loop."""

    plan: Sequence[Task]
    methods: Sequence[Method]
    data: Dataset
    steps: Steps
    seed: int
    moments: MomentSource | None
    stacked: bool
    n_jobs: int
    n_values: int  # in the largest training set

    def plan_stages(self) -> list[Stage]:
        """Group the methods by steps; those that need rows come last, one by one."""
        together: list[Stage] = []
        one_by_one: list[Stage] = []
        for steps, members in _by_steps(self.methods, self.data, self.steps):
            if self.stacked:
                together.append(Stage(steps, members, None, {}))
                continue
            solved = tuple(method for method in members if method.from_moments)
            iterated = [method for method in members if not method.from_moments]
            # Some steps are worth fitting once for all methods, also for those that need rows.
            is_costly = steps != Steps(standardize=False) or self.data.needs_preparation
            is_shared = solved or (is_costly and not steps.chooses_components)
            fitted: FittedSteps | None = None
            if is_shared and iterated and self.can_keep(steps):
                fitted = {}
            if is_shared:
                together.append(Stage(steps, solved, fitted, {}))
            for method in iterated:
                stage = Stage(steps, (method,), fitted, {})
                # Passes over blocks begin with moments before the steps.
                stage = stage._replace(fitted=None) if self.needs_passes(stage) else stage
                one_by_one.append(stage)
        return together + one_by_one

    def needs_passes(self, stage: Stage) -> bool:
        """Return whether a stage takes passes over rows that are not in memory."""
        return (
            stage.iterated
            and not self.stacked
            and stage.steps.basis is None
            and not stage.steps.chooses_components
            and all(method.from_blocks for method in stage.methods)
            and all(task.sample.blocks is not None for task in self.plan)
        )

    def can_keep(self, steps: Steps) -> bool:
        """Return whether the fitted steps of all tasks are small enough to be kept."""
        if steps.chooses_components:
            return False  # the number of components differs between methods
        width = steps.n_components if isinstance(steps.n_components, int) else self.data.n_features
        columns = 1 if steps.n_components is None else width
        return len(self.plan) * self.data.n_features * columns <= LARGEST_STEPS

    def fit(self, stages: Sequence[Stage]) -> Iterator[tuple[Stage, int, dict[str, Outcome]]]:
        """Yield the outcomes of every stage in every task: first those fitted in this process."""
        in_workers = [
            stage
            for stage in stages
            if self.n_jobs > 1 and stage.iterated and not self.needs_passes(stage)
        ]
        if len(in_workers) * len(self.plan) < 2:
            in_workers = []
        for stage in stages:
            if self.needs_passes(stage):
                yield from ((stage, *outcomes) for outcomes in self.fit_in_passes(stage))
            elif not in_workers or not stage.iterated:
                yield from ((stage, *outcomes) for outcomes in self.fit_in_process(stage))
        if in_workers:
            yield from self.fit_in_workers(in_workers)

    def fit_in_workers(
        self, stages: Sequence[Stage]
    ) -> Iterator[tuple[Stage, int, dict[str, Outcome]]]:
        """Fit the methods of stages in other processes, a task at a time."""
        # The tasks bring the fitted steps.
        work = (
            (stage._replace(fitted=None, failed=dict(stage.failed)), task)
            for stage in stages
            for task in self.numbered_tasks(stage)
        )
        shared = self.data, self.seed, self.stacked
        outcomes = map_in_workers(fit_stage, work, shared, self.n_jobs)
        order = (stage for stage in stages for _ in self.plan)
        for stage, (i, by_method) in zip(order, outcomes, strict=True):
            yield stage, i, by_method

    def numbered_tasks(self, stage: Stage) -> Iterator[NumberedTask]:
        """Yield the tasks with their moments or fitted steps, and the seconds for these."""
        moments: Iterator[Moments | None] | None = None
        if self.moments is not None and stage.steps.basis is None and not stage.fitted:
            needs_scatter = stage.solved or self.needs_passes(stage)
            moments = self.moments(needs_scatter or stage.steps.n_components is not None)
        for i, (sample, test) in enumerate(self.plan):
            start, seconds = time.perf_counter(), 0.0
            if moments is not None:
                sample = sample._replace(moments=next(moments))
            if stage.fitted and i in stage.fitted:
                fitted, seconds = stage.fitted[i]
                sample = sample._replace(moments=None, fitted=fitted)
            yield i, Task(sample, test), seconds + time.perf_counter() - start

    def fit_in_passes(self, stage: Stage) -> Iterator[NumberedOutcomes]:
        """Fit the method of a stage in passes over blocks, which several tasks share."""
        assert self.data.blocks is not None
        fitter = StageFitter(self.data, self.seed, self.stacked, stage)
        tasks = self.numbered_tasks(stage)
        while batch := list(islice(tasks, SHARE_PASSES)):
            passes = SharedPasses(self.data.blocks)
            # This thread predicts the test rows: every thread that does keeps memory for them.
            untested = [
                [(i, task._replace(test=task.test[:0]), seconds)] for i, task, seconds in batch
            ]
            with parallel_config(n_jobs=self.n_jobs):
                fits = passes.map(partial(fitter.fit, fold=passes.fold), untested)
            for (i, outcomes), (_, task, _) in zip(chain(*fits), batch, strict=True):
                yield i, {name: fitter.predict(fit, task.test) for name, fit in outcomes.items()}

    def fit_in_process(self, stage: Stage) -> Iterator[NumberedOutcomes]:
        """Fit the methods of a stage: large tasks in threads, small ones of a stack at once."""
        fitter = StageFitter(self.data, self.seed, self.stacked, stage)
        tasks = self.numbered_tasks(stage)
        is_large, n_at_once = self.n_values >= WORTHWHILE, 1
        if self.stacked:
            n_at_once = len(self.plan)
        elif is_large and not stage.iterated and self.data.n_features >= WIDE:
            n_at_once = n_threads()  # the moments of all folds may not fit into memory
        # Small products are finished before a second BLAS thread has woken up.
        one_blas_thread = not is_large and (self.stacked or not stage.iterated)
        with part_mapper(self.n_values if one_blas_thread else 0):
            while batch := list(islice(tasks, n_at_once)):
                summed = self.stacked or all(
                    task.sample.moments is not None for _, task, _ in batch
                )
                in_threads = is_large and summed and len(self.plan) > 1
                with part_mapper(self.n_values if in_threads else 0) as mapper:
                    parts = [[task] for task in batch] if is_large else [batch]
                    for outcomes in mapper(fitter.fit, parts):
                        yield from outcomes


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
