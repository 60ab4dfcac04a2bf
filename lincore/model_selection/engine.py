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
    Found,
    Numbered,
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

# Yields the moments of the training rows of each task; False if no scatter is needed.
MomentSource: TypeAlias = Callable[[bool], Iterator[Moments | None]]


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
    """The arguments of `run`, and what its loop does with them."""

    # `n_values` is the number of values in the largest training set.

    plan: Sequence[Task]
    methods: Sequence[Method]
    data: Dataset
    steps: Steps
    seed: int
    moments: MomentSource | None
    stacked: bool
    n_jobs: int
    n_values: int

    def stages(self) -> list[Stage]:
        """Group the methods; those that need rows come last, one by one."""
        first, later = [], []
        for steps, members in _by_steps(self.methods, self.data, self.steps):
            if self.stacked:
                first.append(Stage(steps, members, None, {}))
                continue
            solved = tuple(method for method in members if method.from_moments)
            iterated = [method for method in members if not method.from_moments]
            # Some steps are worth fitting once for all methods, also for those that need rows.
            common = steps != Steps(standardize=False) or self.data.needs_preparation
            shared = solved or (common and not steps.chooses_components)
            fitted: FittedSteps | None = None
            if shared and iterated and self.may_keep(steps):
                fitted = {}
            if shared:
                first.append(Stage(steps, solved, fitted, {}))
            later += [Stage(steps, (method,), fitted, {}) for method in iterated]
        # Passes over blocks begin with moments before the steps.
        later = [one._replace(fitted=None) if self.in_passes(one) else one for one in later]
        return first + later

    def in_passes(self, stage: Stage) -> bool:
        """Return whether a stage takes passes over rows that are not in memory."""
        return (
            stage.iterated
            and not self.stacked
            and stage.steps.basis is None
            and not stage.steps.chooses_components
            and all(method.from_blocks for method in stage.methods)
            and all(task.sample.blocks is not None for task in self.plan)
        )

    def may_keep(self, steps: Steps) -> bool:
        """Return whether the fitted steps of all tasks are small enough to be kept."""
        if steps.chooses_components:
            return False  # the last of them differ between methods
        width = steps.n_components if isinstance(steps.n_components, int) else self.data.n_features
        columns = 1 if steps.n_components is None else width
        return len(self.plan) * self.data.n_features * columns <= LARGEST_STEPS

    def fits(self, stages: Sequence[Stage]) -> Iterator[tuple[Stage, int, dict[str, Outcome]]]:
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
        # The tasks bring the fitted steps.
        parts = (
            (stage._replace(fitted=None, refused=dict(stage.refused)), task)
            for stage in sent
            for task in self.tasks(stage)
        )
        found = map_in_workers(fit_stage, parts, (self.data, self.seed, self.stacked), self.n_jobs)
        order = (stage for stage in sent for _ in self.plan)
        yield from ((stage, *one) for stage, one in zip(order, found, strict=True))

    def tasks(self, stage: Stage) -> Iterator[Numbered]:
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

    def by_passes(self, stage: Stage) -> Iterator[Found]:
        """Fit the method of a stage in passes over blocks, which several tasks share."""
        assert self.data.blocks is not None
        fitter, tasks = StageFitter(self.data, self.seed, self.stacked, stage), self.tasks(stage)
        while batch := list(islice(tasks, SHARE_PASSES)):
            passes = SharedPasses(self.data.blocks)
            # This thread predicts the test rows: every thread that does keeps memory for them.
            parts = [[(i, task._replace(test=task.test[:0]), spent)] for i, task, spent in batch]
            with parallel_config(n_jobs=self.n_jobs):
                found = passes.map(partial(fitter.fit, fold=passes.fold), parts)
            for (i, outcomes), (_, task, _) in zip(chain(*found), batch, strict=True):
                yield i, {name: fitter.tested(one, task.test) for name, one in outcomes.items()}

    def in_process(self, stage: Stage) -> Iterator[Found]:
        """Fit the methods of a stage: large tasks in threads, small ones of a stack at once."""
        fitter, tasks = StageFitter(self.data, self.seed, self.stacked, stage), self.tasks(stage)
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
