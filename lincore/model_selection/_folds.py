"""Run of a comparison: every method on every fold, from one pass if possible."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset
from lincore.data.splits import Fold
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
from lincore.moments.moments import Moments, leave_one_out
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.threads import WORTHWHILE, Mapper, part_mapper
from lincore.utils.typing import Array

# Numbers in the fitted steps of all folds that are kept for the methods that need rows (240 MB).
_noting = Lock()
LARGEST_FRONTS = 30_000_000
# Features from which on folds are fitted on both cores: below, Python's own work decides.
WIDE = 200
# Values in the scatters of all parts (640 MB): ten folds of ten classes of 784 features, or each
# of 30,000 rows of 50 features left out. Beyond it every fold is summed by itself.
LARGEST_PARTS = 80_000_000
# Up to this many (32 MB) all classes are merged at once; beyond, one by one on all cores.
FEW_VALUES = 4_000_000


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


# For some classes, one list entry per fold.
ByFold: TypeAlias = list[Moments]


class Parts(NamedTuple):
    """The rows of some classes, divided into the test parts of folds.

    Attributes
    ----------
    folds : ndarray of shape (f,)
        The fold in which each part is tested.
    moments : Moments of shapes (f, c), (f, c, p), (f, c, p, p)
        Of c classes in each part.
    """

    folds: NDArray[np.intp]
    moments: Moments


def leaves_parts_out(plan: Sequence[Fold], X: NDArray[Any], codes: NDArray[np.intp]) -> bool:
    """Return whether the folds of one repetition train on all rows except the tested ones.

    Then one pass is enough for all of them, if its moments fit into memory: n_folds * K * p^2
    numbers, or p^2 per row in leave-one-out.
    """
    n_rows, p = X.shape
    if len(plan) < 2:
        return False
    complements = all(
        len(fold.train) + len(fold.test) == n_rows and (np.diff(fold.train) > 0).all()
        for fold in plan
    )
    smallest = min(len(fold.train) for fold in plan)
    n_parts = sum(np.count_nonzero(np.bincount(codes[fold.test])) for fold in plan)
    return complements and smallest >= p and n_parts * p**2 <= LARGEST_PARTS


def summarise_parts(
    X: NDArray[Any],
    codes: NDArray[np.intp],
    n_classes: int,
    plan: Sequence[Fold],
    weight: Array | None = None,
) -> list[Parts]:
    """Make the one pass over all rows; those that no fold tests are one more part."""
    part = np.full(len(codes), len(plan), dtype=np.intp)
    for i, fold in enumerate(plan):
        part[fold.test] = i
    n_values = len(plan) * n_classes * X.shape[1] ** 2
    n_present = len(np.unique(part * n_classes + codes))
    if n_values <= FEW_VALUES or n_present > 0.8 * len(plan) * n_classes:
        return [_cut(X, part, codes, n_classes, weight)]
    # In leave-one-out, each part has only one class.
    members = [np.flatnonzero(codes == k) for k in range(n_classes)]
    return [
        _cut(X[rows], part[rows], np.zeros_like(rows), 1, None if weight is None else weight[rows])
        for rows in members
    ]


def training_moments(parts: list[Parts], n_folds: int, mapper: Mapper = map) -> list[ByFold]:
    """Return the moments of the training rows, for the classes of each entry and each fold.

    Uses `leave_one_out`. Classes without test rows in a fold keep all of their rows. The parts are
    invalid afterwards.
    """
    folds, moments = parts[0]
    n_classes = moments.count.shape[1]
    if len(parts) > 1 or len(folds) < 2 or not np.array_equal(folds[:n_folds], range(n_folds)):
        return list(mapper(lambda part: _left_out(part, n_folds), parts))
    count, mean = np.empty_like(moments.count), np.empty_like(moments.mean)

    def merge(classes: slice) -> None:
        for i, left_out in enumerate(leave_one_out(moments[:, classes], overwrite=True)):
            count[i, classes], mean[i, classes] = left_out.count, left_out.mean

    step = n_classes if moments.scatter.size <= FEW_VALUES else 1
    list(mapper(merge, [slice(k, k + step) for k in range(0, n_classes, step)]))
    # Their scatters have been overwritten by those of all other parts.
    left_out = Moments(count, mean, moments.scatter)[:n_folds]
    return [left_out.apart() if moments.scatter.size <= FEW_VALUES else list(left_out)]


def of_fold(moments: list[ByFold], fold: int) -> Moments:
    """Assemble the moments of one fold's training rows: (K,), (K, p), (K, p, p)."""
    if len(moments) == 1:
        return moments[0][fold]
    chosen = [of_classes[fold] for of_classes in moments]
    return Moments(
        np.concatenate([m.count for m in chosen]),
        np.concatenate([m.mean for m in chosen]),
        np.concatenate([m.scatter for m in chosen]),
    )


def _left_out(parts: Parts, n_folds: int) -> ByFold:
    """Return the training moments of some classes that are not tested in every fold."""
    n_parts, moments = len(parts.folds), parts.moments
    nothing = Moments.empty(moments.count.shape[1:], moments.n_features)
    if not n_parts:
        return [nothing] * n_folds
    left_out = leave_one_out(moments) if n_parts > 1 else [nothing]
    merged = [left_out[0] + moments[0]] * n_folds
    for i, found in zip(parts.folds, left_out, strict=True):
        if i < n_folds:
            merged[i] = found
    return merged


def _cut(
    X: NDArray[Any],
    part: NDArray[np.intp],
    codes: NDArray[np.intp],
    n_classes: int,
    weight: Array | None,
) -> Parts:
    present, numbered = np.unique(part, return_inverse=True)
    groups = numbered * n_classes + codes
    moments = Moments.from_groups(X, groups, len(present) * n_classes, weight)
    return Parts(present, moments.reshape(len(present), n_classes))
