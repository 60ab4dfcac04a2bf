"""Moments of the training rows of every fold, from one pass over all rows if possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, repeat
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset
from lincore.data.splits import Fold
from lincore.model_selection.streamed_rows import with_streamed
from lincore.moments.moments import Moments, leave_one_out
from lincore.utils.threads import WIDE, Mapper, part_mapper
from lincore.utils.typing import Array

# Values in the scatters of all parts (640 MB): ten folds of ten classes of 784 features, or each of
# 30,000 rows of 50 features left out. Beyond it every fold is summed separately.
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
        found: Iterable[Moments | None] = repeat(None)
        if scatters and not data.needs_preparation and _leave_parts_out(folds, data.X, data.codes):
            found = _from_one_pass(data, folds)
        for fold, known in zip(folds, found, strict=False):
            yield with_streamed(data, fold.train, fold.test, known)


def _from_one_pass(data: Dataset, folds: Sequence[Fold]) -> Iterator[Moments]:
    parts = _summarise_parts(data.X, data.codes, data.n_classes, folds, data.weights)
    with part_mapper(data.X.size if data.n_features >= WIDE else 0) as mapper:
        moments = _training_moments(parts, len(folds), mapper)
    del parts  # of all folds
    for i in range(len(folds)):
        yield _of_fold(moments, i)


# For some classes, one list entry per fold.
ByFold: TypeAlias = list[Moments]


class _Parts(NamedTuple):
    """The rows of some classes, divided into the test parts of folds."""

    folds: NDArray[np.intp]  # (f,); the fold in which each part is tested
    moments: Moments  # (f, c), (f, c, p), (f, c, p, p); of c classes in each part


def _leave_parts_out(plan: Sequence[Fold], X: NDArray[Any], codes: NDArray[np.intp]) -> bool:
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
    n_parts = sum(np.count_nonzero(np.bincount(codes[fold.test])) for fold in plan)
    return complements and smallest >= p and n_parts * p**2 <= LARGEST_PARTS


def _summarise_parts(
    X: NDArray[Any],
    codes: NDArray[np.intp],
    n_classes: int,
    plan: Sequence[Fold],
    weight: Array | None,
) -> list[_Parts]:
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


def _training_moments(parts: list[_Parts], n_folds: int, mapper: Mapper) -> list[ByFold]:
    """Return the moments of the training rows, for the classes of each entry and each fold."""
    # Uses `leave_one_out`. Classes without test rows in a fold keep all of their rows. The parts
    # are invalid afterwards.
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


def _of_fold(moments: list[ByFold], fold: int) -> Moments:
    """Assemble the moments of one fold's training rows: (K,), (K, p), (K, p, p)."""
    if len(moments) == 1:
        return moments[0][fold]
    chosen = [of_classes[fold] for of_classes in moments]
    return Moments(
        np.concatenate([m.count for m in chosen]),
        np.concatenate([m.mean for m in chosen]),
        np.concatenate([m.scatter for m in chosen]),
    )


def _left_out(parts: _Parts, n_folds: int) -> ByFold:
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
) -> _Parts:
    present, numbered = np.unique(part, return_inverse=True)
    groups = numbered * n_classes + codes
    moments = Moments.from_groups(X, groups, len(present) * n_classes, weight)
    return _Parts(present, moments.reshape(len(present), n_classes))
