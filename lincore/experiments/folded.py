"""Training moments of every fold from one pass over the rows: parts left out by merging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lincore.experiments.schemes import Fold
from lincore.moments import Moments, leave_one_out

Mapper: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

# Values in the scatters of all parts (640 MB): ten folds of ten classes of 784 features, or each
# of 30,000 rows of 50 features left out. Beyond it every fold is summed by itself.
LARGEST_PARTS = 80_000_000
# Up to this many (32 MB) all classes are merged at once; beyond, one after the other, so that
# the parts of one class are gone before those of the next come.
FEW_VALUES = 4_000_000


class Parts(NamedTuple):
    """The rows of some classes, cut into the parts that folds leave out.

    Attributes
    ----------
    folds : ndarray of shape (f,)
        Which fold each part is tested in.
    moments : Moments of shapes (f, c), (f, c, p), (f, c, p, p)
        Of c classes in each part.
    """

    folds: NDArray[np.intp]
    moments: Moments


def leaves_parts_out(plan: Sequence[Fold], X: NDArray[Any], codes: NDArray[np.intp]) -> bool:
    """Tell whether the folds of one repetition train on all rows but the tested ones.

    Then one pass serves them all, if its moments can be held: n_folds * K * p^2 numbers, or p^2
    for each row where each is left out.
    """
    n_rows, p = X.shape
    if len(plan) < 2:
        return False
    complements = all(
        len(fold.train) + len(fold.test) == n_rows and (np.diff(fold.train) > 0).all()
        for fold in plan
    )
    smallest = min(len(fold.train) for fold in plan)
    n_parts = sum(len(np.unique(codes[fold.test])) for fold in plan)
    return complements and smallest >= p and n_parts * p**2 <= LARGEST_PARTS


def summarise_parts(
    X: NDArray[Any], codes: NDArray[np.intp], n_classes: int, plan: Sequence[Fold]
) -> list[Parts]:
    """Make the one pass over all rows; those that no fold tests are one more part."""
    part = np.full(len(codes), len(plan), dtype=np.intp)
    for i, fold in enumerate(plan):
        part[fold.test] = i
    if len(plan) * n_classes * X.shape[1] ** 2 <= FEW_VALUES:
        return [_cut(X, part, codes, n_classes)]
    members = [np.flatnonzero(codes == k) for k in range(n_classes)]
    return [_cut(X[rows], part[rows], np.zeros_like(rows), 1) for rows in members]


def training_moments(parts: list[Parts], n_folds: int, mapper: Mapper = map) -> list[Moments]:
    """Return the moments by class of the training rows of each fold: (K,), (K, p), (K, p, p).

    By `leave_one_out`. Classes without test rows in a fold have all of their rows there.

    Examples
    --------
    >>> X, codes = np.arange(8.0).reshape(4, 2), np.array([0, 0, 1, 1])
    >>> everything = np.arange(4)
    >>> plan = [Fold(0, i, np.delete(everything, i), everything[i : i + 1]) for i in range(4)]
    >>> moments = training_moments(summarise_parts(X, codes, 2, plan), 4)
    >>> moments[1].mean
    array([[0., 1.],
           [5., 6.]])
    """
    widths = [part.moments.count.shape[1] for part in parts]
    starts = np.cumsum([0, *widths])
    p = parts[0].moments.n_features
    found = [_blank(int(starts[-1]), p) for _ in range(n_folds)]

    def merge(part: Parts, start: int, width: int) -> None:
        """Write the training moments of some classes where they belong."""
        into = [moments[start : start + width] for moments in found]
        nothing = Moments.empty((width,), p)
        tested = {int(i): into[i] for i in part.folds if i < n_folds}
        rest = [moments for i, moments in enumerate(into) if i not in tested]
        if len(part.folds) < 2:
            left_out = [nothing.merge(nothing, moments) for moments in tested.values()]
        else:
            # Rows that no fold tests are left out of none.
            spare = _blank(width, p) if len(part.folds) > len(tested) else nothing
            left_out = leave_one_out(part.moments, [tested.get(int(i), spare) for i in part.folds])
        if rest:
            first = nothing if not len(part.folds) else part.moments[0]
            others = left_out[0] if left_out else nothing
            for moments in rest:
                first.merge(others, moments)

    list(mapper(lambda job: merge(*job), zip(parts, starts, widths, strict=False)))
    return found


def _blank(n_classes: int, p: int) -> Moments:
    return Moments(np.empty(n_classes), np.empty((n_classes, p)), np.empty((n_classes, p, p)))


def _cut(X: NDArray[Any], part: NDArray[np.intp], codes: NDArray[np.intp], n_classes: int) -> Parts:
    present, numbered = np.unique(part, return_inverse=True)
    groups = numbered * n_classes + codes
    moments = Moments.from_groups(X, groups, len(present) * n_classes)
    count, mean, scatter = (
        array.reshape(len(present), n_classes, *array.shape[1:])
        for array in (moments.count, moments.mean, moments.scatter)
    )
    return Parts(present, Moments(count, mean, scatter))
