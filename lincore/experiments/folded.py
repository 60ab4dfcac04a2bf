"""Training moments of every fold from one pass over the rows: parts left out by merging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lincore.experiments.schemes import Fold
from lincore.moments import Moments, leave_one_out

# The moments by class of each part, and of the rows that each fold trains on.
Parts: TypeAlias = tuple[NDArray[np.intp], Moments]
ByClass: TypeAlias = list[list[Moments]]
Mapper: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

# Values in the scatters of all parts (640 MB): ten folds of ten classes of 784 features, or each
# of 30,000 rows of 50 features left out. Beyond it every fold is summed by itself.
LARGEST_PARTS = 80_000_000


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
    """Make the one pass: for each class, which folds test rows of it, and their moments.

    Rows that no fold tests are one more part.
    """
    part = np.full(len(codes), len(plan), dtype=np.intp)
    for i, fold in enumerate(plan):
        part[fold.test] = i
    found = []
    for k in range(n_classes):
        rows = np.flatnonzero(codes == k)
        present, numbered = np.unique(part[rows], return_inverse=True)
        found.append((present, Moments.from_groups(X[rows], numbered, len(present))))
    return found


def training_moments(parts: list[Parts], n_folds: int, mapper: Mapper = map) -> ByClass:
    """Return the moments of the training rows, for each class and each fold.

    By `leave_one_out`, class by class: a class without test rows in a fold has all of its rows
    there. `by_class` puts those of one fold together.

    Examples
    --------
    >>> X, codes = np.arange(8.0).reshape(4, 2), np.array([0, 0, 1, 1])
    >>> everything = np.arange(4)
    >>> plan = [Fold(0, i, np.delete(everything, i), everything[i : i + 1]) for i in range(4)]
    >>> moments = training_moments(summarise_parts(X, codes, 2, plan), 4)
    >>> by_class(moments, 1).mean
    array([[0., 1.],
           [5., 6.]])
    """

    def merge(parts_of_class: Parts) -> list[Moments]:
        present, parts = parts_of_class
        if not len(parts):
            return [Moments.empty((), parts.n_features)] * n_folds
        left_out = leave_one_out(parts) if len(parts) > 1 else [Moments.empty((), parts.n_features)]
        everything = left_out[0] + parts[0]
        merged = [everything] * n_folds
        for i, moments in zip(present, left_out, strict=True):
            if i < n_folds:
                merged[i] = moments
        return merged

    return list(mapper(merge, parts))


def by_class(moments: ByClass, fold: int) -> Moments:
    """Put the moments of one fold's training rows together: (K,), (K, p), (K, p, p)."""
    chosen = [of_class[fold] for of_class in moments]
    return Moments(
        np.array([float(m.count) for m in chosen]),
        np.stack([m.mean for m in chosen]),
        np.stack([m.scatter for m in chosen]),
    )
