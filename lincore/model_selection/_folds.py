"""Run of a comparison: every method on every fold, from one pass if possible."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from threading import Lock
from typing import NamedTuple

from lincore.data.dataset import Dataset
from lincore.data.splits import Fold
from lincore.model_selection._fold_moments import (
    leaves_parts_out,
    of_fold,
    summarise_parts,
    training_moments,
)
from lincore.model_selection.engine import (
    Failure,
    FitTask,
    Outcome,
    Prepared,
    Preprocessor,
    TrainingSample,
    fit_one,
    group_methods,
    prepare,
    prepare_behind,
)
from lincore.model_selection.pipeline import Steps
from lincore.model_selection.run import Run, StoppedError
from lincore.model_selection.streamed_rows import with_streamed
from lincore.moments.moments import Moments
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.threads import WORTHWHILE, part_mapper

# Numbers in the fitted steps of all folds that are kept for the methods that need rows (240 MB).
_noting = Lock()
LARGEST_FRONTS = 30_000_000
# Features from which on folds are fitted on both cores: below, Python's own work decides.
WIDE = 200


class Group(NamedTuple):
    """Methods with the same steps, as positions among the methods of a run.

    Attributes
    ----------
    steps : Steps
    solved : tuple of int
        Those that depend only on the moments by class.
    iterated : tuple of int
        Those that need the rows.
    preprocessors : dict
        Fitted steps and their fitting time in seconds, by position of the fold.
    """

    steps: Steps
    solved: tuple[int, ...]
    iterated: tuple[int, ...]
    preprocessors: dict[int, tuple[Preprocessor, float]]


def execute(run: Run, steps: Steps) -> bool:
    """Fit and predict; return whether the progress callback stopped it.

    Methods fitted from moments come first, together; then the others, one by one.
    """
    groups = _grouped(run, steps)
    # Some steps are worth fitting once for all methods, also for those that need rows.
    shared = [
        group
        for group in groups
        if group.solved or group.steps != Steps(standardize=False) or run.data.needs_preparation
    ]
    n_iterated = sum(len(group.iterated) for group in groups)
    run.total = len(run.plan) * (len(shared) + n_iterated)
    try:
        # Small products are finished before a second BLAS thread has woken up.
        with part_mapper(run.data.X.size if run.data.X.size < WORTHWHILE else 0):
            for group in shared:
                _solve(run, group)
        for group in groups:
            for method in group.iterated:
                _iterate(run, group, method)
    except StoppedError:
        return len(run.finished) < len(run.methods)
    return False


def _grouped(run: Run, steps: Steps) -> list[Group]:
    groups = []
    for own, members in group_methods(run.methods, run.data, steps):
        solved = tuple(j for j in members if run.methods[j].from_moments)
        iterated = tuple(j for j in members if not run.methods[j].from_moments)
        groups.append(Group(own, solved, iterated, {}))
    return groups


def _solve(run: Run, group: Group) -> None:
    """Fit the steps of a group and its closed-form methods on every fold."""
    data = run.data
    what = ", ".join(run.methods[j].label for j in group.solved) or "steps before the methods"
    wanted = bool(group.solved) or group.steps.n_components is not None
    for _, members in groupby(enumerate(run.plan), key=lambda item: item[1].repetition):
        numbers, plan = zip(*members, strict=True)
        simple = wanted and not data.needs_preparation and group.steps.basis is None
        if simple and leaves_parts_out(plan, data.X, data.codes):
            outcomes = _from_one_pass(run, group, numbers, plan)
        else:
            outcomes = (_solve_fold(run, group, i) for i in numbers)
        for i, found in zip(numbers, outcomes, strict=True):
            for method, outcome in found.items():
                run.keep(method, i, outcome)
            if i == len(run.plan) - 1:
                run.finish(group.solved)
            run.report(f"{what}: fold {i + 1} of {len(run.plan)}")


def _from_one_pass(
    run: Run, group: Group, numbers: Sequence[int], plan: Sequence[Fold]
) -> Iterator[dict[int, Outcome]]:
    data = run.data
    start = time.perf_counter()
    known = _training(data, plan)
    shared = (time.perf_counter() - start) / len(plan)
    stopped = False
    with part_mapper(data.X.size if data.n_features >= WIDE else 0) as mapper:

        def solve(i: int) -> dict[int, Outcome]:
            return {} if stopped else _solve_fold(run, group, numbers[i], known(i), shared)

        try:
            yield from mapper(solve, range(len(plan)))
        finally:
            stopped = True  # pending work of the threads is dropped


def _training(data: Dataset, plan: Sequence[Fold]) -> Callable[[int], Moments]:
    """Make the single pass; return the source of the training moments of each fold."""
    parts = summarise_parts(data.X, data.codes, data.n_classes, plan, data.weights)
    with part_mapper(data.X.size if data.n_features >= WIDE else 0) as mapper:
        moments = training_moments(parts, len(plan), mapper)
    return lambda fold: of_fold(moments, fold)


def _solve_fold(
    run: Run, group: Group, number: int, known: Moments | None = None, seconds: float = 0.0
) -> dict[int, Outcome]:
    """Fit steps and methods on a fold, whose training moments may be known."""
    task = _task(run, group, number, known, moments=group.steps.basis is None)
    solved = bool(group.solved)
    try:
        one = prepare(task, group.steps, solved=solved, iterated=False, seconds=seconds)
    except ValueError as error:
        return dict.fromkeys((*group.solved, *group.iterated), Failure(error))
    if group.iterated and _may_keep(run, group):
        group.preprocessors[number] = one.preprocessor, one.seconds
    return {j: _fit_noting(run, j, one) for j in group.solved}


def _iterate(run: Run, group: Group, method: int) -> None:
    """Fit one method that needs rows on every fold."""
    label = run.methods[method].label
    for i in range(len(run.plan)):
        if method not in run.failures:
            run.keep(method, i, _fit_rows(run, group, method, i))
        if i == len(run.plan) - 1:
            run.finish([method])
        run.report(f"{label}: fold {i + 1} of {len(run.plan)}")


def _fit_rows(run: Run, group: Group, method: int, number: int) -> Outcome:
    """Fit one method that needs rows on a fold."""
    fitted, seconds = group.preprocessors.get(number, (None, 0.0))
    task = _task(run, group, number, moments=fitted is None and group.steps.basis is None)
    try:
        if fitted is None:
            one = prepare(task, group.steps, solved=False, iterated=True)
        else:
            one = prepare_behind(task, fitted, None, seconds=seconds)
    except ValueError as error:
        return Failure(error)
    return _fit_noting(run, method, one)


def _fit_noting(run: Run, method: int, one: Prepared) -> Outcome:
    """Fit one method on a fold; record its warnings (no convergence ...)."""
    with captured_warnings() as warned:
        outcome = fit_one(run.methods[method], one)
    with _noting:  # folds may be fitted in threads
        notes = run.notes.setdefault(method, {})
        for category in {type(warning).__name__ for warning in warned}:
            notes[category] = notes.get(category, 0) + 1
    return outcome


def _task(
    run: Run, group: Group, number: int, known: Moments | None = None, *, moments: bool
) -> FitTask:
    """Return the task of a fold, with the moments of rows not in memory if useful."""
    data, fold = run.data, run.plan[number]
    if moments:
        known = with_streamed(data, fold.train, fold.test, known)
    sample = TrainingSample(fold.train, None, known)
    return FitTask(data, sample, run.asked(number), group.steps, run.seed)


def _may_keep(run: Run, group: Group) -> bool:
    n_components = group.steps.n_components
    width = n_components if isinstance(n_components, int) else run.data.n_features
    wide = run.data.n_features * (width if n_components is not None else 1)
    return len(run.plan) * wide <= LARGEST_FRONTS
