"""Moments of the training rows of every fold, from one pass over all rows if possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, repeat
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset
from lincore.data.splits import Fold
from lincore.model_selection.streamed_rows import add_streamed_moments
from lincore.moments.moments import Moments, leave_one_out
from lincore.utils.threads import WIDE, Mapper, part_mapper
from lincore.utils.typing import Array

# Values in the scatters of all test sets (640 MB): ten folds of ten classes of 784 features, or
# each of 30,000 rows of 50 features left out. Beyond it every fold is summed separately.
LARGEST_PARTS = 80_000_000
# Up to this many (32 MB) all classes are merged at once; beyond, one by one on all cores.
FEW_VALUES = 4_000_000


def fold_moments(
    data: Dataset, plan: Sequence[Fold], scatters: bool = True
) -> Iterator[Moments | None]:
    """Yield the moments by class of each fold's training rows, including streamed rows."""
    # Folds of a repetition that leave out their test rows need one pass over all rows together.
    # None if a fold has to be summed separately, or if no scatters are needed.
    for _, members in groupby(plan, key=lambda fold: fold.repetition):
        folds = list(members)
        moments: Iterable[Moments | None] = repeat(None)
        can_sum = scatters and not data.needs_preparation
        if can_sum and _train_on_all_others(folds, data.X, data.codes):
            moments = _from_one_pass(data, folds)
        for fold, of_train in zip(folds, moments, strict=False):
            yield add_streamed_moments(data, fold.train, fold.test, of_train)


def _from_one_pass(data: Dataset, folds: Sequence[Fold]) -> Iterator[Moments]:
    tested = _summarise_tested_rows(data.X, data.codes, data.n_classes, folds, data.weights)
    with part_mapper(data.X.size if data.n_features >= WIDE else 0) as mapper:
        moments = _training_moments(tested, len(folds), mapper)
    del tested  # of all folds
    for i in range(len(folds)):
        yield _assemble_fold(moments, i)


# For some classes, one list entry per fold.
ByFold: TypeAlias = list[Moments]


class _TestedRows(NamedTuple):
    """The rows of some classes, divided into the test sets of folds."""

    folds: NDArray[np.intp]  # (f,); the folds in which they are tested
    moments: Moments  # (f, c), (f, c, p), (f, c, p, p); of c classes in each test set


def _train_on_all_others(plan: Sequence[Fold], X: NDArray[Any], codes: NDArray[np.intp]) -> bool:
    """Return whether the folds of one repetition train on all rows except the tested ones."""
    # Then one pass is enough for all of them, if its moments fit into memory: n_folds * K * p^2
    # numbers, or p^2 per row in leave-one-out.
    n_rows, p = X.shape
    if len(plan) < 2:
        return False
    complements = all(
        len(fold.train) + len(fold.test) == n_rows and (np.diff(fold.train) > 0).all()
        for fold in plan
    )
    smallest = min(len(fold.train) for fold in plan)
    n_groups = sum(np.count_nonzero(np.bincount(codes[fold.test])) for fold in plan)
    return complements and smallest >= p and n_groups * p**2 <= LARGEST_PARTS


def _summarise_tested_rows(
    X: NDArray[Any],
    codes: NDArray[np.intp],
    n_classes: int,
    plan: Sequence[Fold],
    weight: Array | None,
) -> list[_TestedRows]:
    """Make the one pass over all rows; rows that no fold tests form one more group."""
    tested_in = np.full(len(codes), len(plan), dtype=np.intp)
    for i, fold in enumerate(plan):
        tested_in[fold.test] = i
    n_values = len(plan) * n_classes * X.shape[1] ** 2
    n_present = len(np.unique(tested_in * n_classes + codes))
    if n_values <= FEW_VALUES or n_present > 0.8 * len(plan) * n_classes:
        return [_summarise_by_fold(X, tested_in, codes, n_classes, weight)]
    # In leave-one-out, each test set has only one class.
    members = [np.flatnonzero(codes == k) for k in range(n_classes)]
    return [
        _summarise_by_fold(
            X[rows], tested_in[rows], 0 * rows, 1, None if weight is None else weight[rows]
        )
        for rows in members
    ]


def _training_moments(tested: list[_TestedRows], n_folds: int, mapper: Mapper) -> list[ByFold]:
    """Return the moments of the training rows, for the classes of each entry and each fold."""
    # Uses `leave_one_out`. Classes without test rows in a fold keep all of their rows. The moments
    # of the tested rows are overwritten.
    folds, moments = tested[0]
    n_classes = moments.count.shape[1]
    if len(tested) > 1 or len(folds) < 2 or not np.array_equal(folds[:n_folds], range(n_folds)):
        return list(mapper(lambda group: _leave_out(group, n_folds), tested))
    count, mean = np.empty_like(moments.count), np.empty_like(moments.mean)

    def merge(classes: slice) -> None:
        for i, left_out in enumerate(leave_one_out(moments[:, classes], overwrite=True)):
            count[i, classes], mean[i, classes] = left_out.count, left_out.mean

    step = n_classes if moments.scatter.size <= FEW_VALUES else 1
    list(mapper(merge, [slice(k, k + step) for k in range(0, n_classes, step)]))
    # Their scatters have been overwritten by those of all other parts.
    left_out = Moments(count, mean, moments.scatter)[:n_folds]
    return [left_out.unstack() if moments.scatter.size <= FEW_VALUES else list(left_out)]


def _assemble_fold(moments: list[ByFold], fold: int) -> Moments:
    """Assemble the moments of one fold's training rows: (K,), (K, p), (K, p, p)."""
    if len(moments) == 1:
        return moments[0][fold]
    chosen = [of_classes[fold] for of_classes in moments]
    return Moments(
        np.concatenate([m.count for m in chosen]),
        np.concatenate([m.mean for m in chosen]),
        np.concatenate([m.scatter for m in chosen]),
    )


def _leave_out(tested: _TestedRows, n_folds: int) -> ByFold:
    """Return the training moments of some classes that are not tested in every fold."""
    n_groups, moments = len(tested.folds), tested.moments
    empty = Moments.empty(moments.count.shape[1:], moments.n_features)
    if not n_groups:
        return [empty] * n_folds
    left_out = leave_one_out(moments) if n_groups > 1 else [empty]
    merged = [left_out[0] + moments[0]] * n_folds
    for i, of_others in zip(tested.folds, left_out, strict=True):
        if i < n_folds:
            merged[i] = of_others
    return merged


def _summarise_by_fold(
    X: NDArray[Any],
    tested_in: NDArray[np.intp],
    codes: NDArray[np.intp],
    n_classes: int,
    weight: Array | None,
) -> _TestedRows:
    present, indices = np.unique(tested_in, return_inverse=True)
    groups = indices * n_classes + codes
    moments = Moments.from_groups(X, groups, len(present) * n_classes, weight)
    return _TestedRows(present, moments.reshape(len(present), n_classes))
