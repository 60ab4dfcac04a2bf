"""Count, mean and scatter of groups of rows, from which the closed-form classifiers are fitted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.errors import DataError, error_summary
from lincore.moments._accumulate import block_moments, map_blocks
from lincore.moments._merging import MergedMeans, merge_means, merge_rows, pool, tiles
from lincore.utils.memory import require_memory
from lincore.utils.typing import Array

# Values centred into one buffer and multiplied at a time (51 MB in float64): enough for BLAS to run
# at full speed and to make merging cheap, but small compared with data worth blocking.
BLOCK_VALUES = 6_400_000
# Moments by class with more values than this (400 MB) are not worth their memory: such data have
# many features and few rows, or very many classes, and are fitted from the rows.
LARGEST_SCATTER = 50_000_000
# The sums, and the covariances and factors computed from them.
SCATTERS_AT_ONCE = 3


@dataclass(frozen=True, eq=False)
class Moments:
    """Count, mean and centred scatter of any grouping of rows.

    The moments of two disjoint sets of rows merge into those of their union, so a set of rows
    may be split in any way (blocks, folds, files, machines) and merged again. The scatter is kept
    about each group's own mean, never as raw sums, which lose half of the digits at an offset of
    1e6. For the same reason there is no subtraction; see `leave_one_out`.

    Parameters
    ----------
    count : ndarray of shape (...)
        Number (or total weight) of the rows of each group, >= 0.
    mean : ndarray of shape (..., p)
        In the units of the features. Zero for an empty group.
    scatter : ndarray of shape (..., p, p) or (..., p)
        Sum of the outer products of the centred rows, in squared units; or only its diagonal.

    Notes
    -----
    The scatter squares the condition number: directions whose singular value is below 1e-8 of
    the largest are lost. Memory is p^2 for each group (p if diagonal). Missing values must be
    imputed first.

    References
    ----------
    Chan, Golub, LeVeque (1983), "Algorithms for computing the sample variance", eq. 2.1.
    "lda-qda-derivations", eqs. 19 and 28, for the estimates based on it.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 6.0], [9.0, 9.0]])
    >>> m = Moments.from_groups(X, [0, 0, 1], n_groups=2)
    >>> m.mean
    array([[2., 4.],
           [9., 9.]])
    >>> m.pooled().scatter / (len(X) - 1)  # the covariance of all rows
    array([[17.33..., 13.66...],
           [13.66..., 12.33...]])
    """

    count: Array
    mean: Array
    scatter: Array

    @classmethod
    def from_groups(
        cls,
        X: ArrayLike,
        codes: ArrayLike,
        n_groups: int,
        sample_weight: ArrayLike | None = None,
        *,
        diagonal: bool = False,
    ) -> Moments:
        """Summarise rows in one blocked pass.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Finite numbers of any real type. Conversion is done block by block, so rows in uint8 or
            float32 are never copied to float64 as a whole.
        codes : array-like of shape (n,)
            Group of each row, an integer from 0 to `n_groups` - 1.
        n_groups : int
            Number of groups, including those without rows.
        sample_weight : array-like of shape (n,), optional
            A row of weight w counts as w copies of itself; w >= 0 may be fractional.
        diagonal : bool, default False
            Keep only the diagonal of the scatter.

        Returns
        -------
        Moments
            With shapes (n_groups,), (n_groups, p) and (n_groups, p, p) or (n_groups, p).

        Raises
        ------
        ValueError
            If codes are out of range, weights are negative, lengths do not match, or rows contain
            NaN or infinity.
        lincore.errors.TooLargeError
            Before anything is summed, if the scatters and their factors would exceed free memory.
        """
        X, codes, weight = _checked_rows(X, codes, n_groups, sample_weight)
        if not diagonal:
            _require_memory(n_groups, X.shape[1])
        moments = cls.empty((n_groups,), X.shape[1], diagonal=diagonal)
        order = np.argsort(codes, kind="stable")
        if weight is not None:
            order = order[weight[order] > 0]
        bounds = np.searchsorted(codes[order], np.arange(n_groups + 1))
        lengths = np.diff(bounds)
        longest = int(lengths.max(initial=1))
        length = max(1, min(BLOCK_VALUES // max(1, X.shape[1]), longest))
        blocks = [
            (group, start, min(start + length, bounds[group + 1]))
            for group in range(n_groups)
            for start in range(bounds[group], bounds[group + 1], length)
        ]

        # Long blocks first, so that no thread is left with one at the end.
        blocks.sort(key=lambda block: block[1] - block[2])

        def summarise(block: tuple[int, int, int], buffer: Array) -> Moments:
            group, start, stop = block
            # The first block of a group is written in place: merging would copy it.
            out = moments.scatter[group]
            out = out if start == bounds[group] else np.zeros_like(out)
            return cls(*block_moments(X, order[start:stop], weight, buffer, out))

        shape = (length, X.shape[1] + 1)
        summaries = map_blocks(summarise, blocks, shape, n_values=X.size)
        for (group, start, _), block_sums in zip(blocks, summaries, strict=True):
            merged = block_sums if start == bounds[group] else moments[group] + block_sums
            moments.count[group], moments.mean[group] = merged.count, merged.mean
            if start > bounds[group]:
                moments.scatter[group] = merged.scatter
        return moments

    @classmethod
    def empty(cls, shape: tuple[int, ...], p: int, *, diagonal: bool = False) -> Moments:
        """Return the moments of no rows: the neutral element of merging."""
        tail = (p,) if diagonal else (p, p)
        return cls(np.zeros(shape), np.zeros((*shape, p)), np.zeros((*shape, *tail)))

    @property
    def is_diagonal(self) -> bool:
        """True if only the diagonal of the scatter is kept."""
        return self.scatter.ndim == self.mean.ndim

    @property
    def n_features(self) -> int:
        """Number of features, p."""
        return int(self.mean.shape[-1])

    def __len__(self) -> int:
        """Return the length of the first axis of the grouping."""
        return len(self.count)

    def __getitem__(self, index: Any) -> Moments:
        """Select along the leading axes."""
        return Moments(self.count[index], self.mean[index], self.scatter[index])

    def reshape(self, *shape: int) -> Moments:
        """Arrange the groups along other axes, the last one fastest.

        Parameters
        ----------
        *shape : int
            Of the grouping.

        Returns
        -------
        Moments
            Shares the memory of the original.

        Raises
        ------
        ValueError
            If the shape implies a different number of groups.

        Examples
        --------
        >>> Moments.empty((6,), 2).reshape(3, 2).scatter.shape
        (3, 2, 2, 2)
        """
        k = self.count.ndim
        arrays = (self.count, self.mean, self.scatter)
        return Moments(*(array.reshape(*shape, *array.shape[k:]) for array in arrays))

    def __iter__(self) -> Iterator[Moments]:
        """Iterate over the first axis of the grouping."""
        return (self[i] for i in range(len(self)))

    def unstack(self) -> list[Moments]:
        """Split along the first axis; pooled moments are computed for all at once."""
        groups = list(self)
        for group, pooled, within in zip(groups, self.pooled(), self.within(), strict=True):
            group.__dict__.update(_pooled=pooled, _within=within)
        return groups

    def __add__(self, other: Moments) -> Moments:
        """Merge group by group; an empty group is neutral.

        Raises
        ------
        ValueError
            If groupings, numbers of features or kinds of scatter differ.
        """
        if not isinstance(other, Moments):
            return NotImplemented
        if self.mean.shape != other.mean.shape or self.scatter.shape != other.scatter.shape:
            raise ValueError(
                f"Moments of shapes {self.mean.shape}, {self.scatter.shape} and "
                f"{other.mean.shape}, {other.scatter.shape} cannot be merged."
            )
        merged = merge_means(self, other)
        scatter = np.empty(self.scatter.shape)
        for rows in tiles(self.n_features, self.is_diagonal):
            merge_rows(
                self.scatter[rows], other.scatter[rows], merged.step, rows, out=scatter[rows]
            )
        return Moments(merged.count, merged.mean, scatter)

    def to_json(self) -> str:
        """Return the moments as JSON, exact to the last bit; see `from_json`."""
        return json.dumps(
            {name: getattr(self, name).tolist() for name in ("count", "mean", "scatter")}
        )

    @classmethod
    def from_json(cls, text: str) -> Moments:
        """Read what `to_json` wrote.

        Raises
        ------
        DataError
            If the text is not JSON with three finite arrays of matching shapes.
        """
        try:
            arrays = json.loads(text)
            count, mean, scatter = (
                np.array(arrays[name], dtype=float) for name in ("count", "mean", "scatter")
            )
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DataError(
                f"It does not contain count, mean and scatter: {error_summary(error)}.",
                where="moments as JSON",
                remedy="Write it by Moments.to_json.",
            ) from error
        shapes = (mean.shape, mean.shape + mean.shape[-1:])
        if mean.shape[:-1] != count.shape or not mean.ndim or scatter.shape not in shapes:
            raise DataError(
                f"Count {count.shape}, mean {mean.shape} and scatter {scatter.shape} have shapes "
                f"that do not match.",
                where="moments as JSON",
                remedy="Write it by Moments.to_json.",
            )
        if not all(np.isfinite(values).all() for values in (count, mean, scatter)) or (
            (count < 0).any()
        ):
            raise DataError(
                "Counts, means or scatters are not finite, or a count is negative.",
                where="moments as JSON",
                remedy="Write it by Moments.to_json.",
            )
        return cls(count, mean, scatter)

    def scale(self, weight: ArrayLike) -> Moments:
        """Return the moments as if each row of a group occurred `weight` times.

        Parameters
        ----------
        weight : array-like that broadcasts to the grouping (...)
            Finite and >= 0; may be fractional.
        """
        w = np.asarray(weight, dtype=float)
        if not np.all(np.isfinite(w) & (w >= 0)):
            raise ValueError("Weights of groups must be finite and not negative.")
        w = np.broadcast_to(w, self.count.shape)
        tail = (None,) * (self.scatter.ndim - w.ndim)
        mean = np.where((w > 0)[..., None], self.mean, 0.0)
        return Moments(self.count * w, mean, self.scatter * w[(..., *tail)])

    def map(self, matrix: ArrayLike, origin: ArrayLike | None = None) -> Moments:
        """Return the moments of ``(X - origin) @ matrix`` without reading the rows again.

        Parameters
        ----------
        matrix : array-like of shape (p, q), or (p,) for a change of units
            A vector represents a diagonal matrix and is the only map allowed for diagonal moments.
        origin : array-like of shape (p,), optional
            Subtracted first; default zero.

        Returns
        -------
        Moments
            With q features. Empty groups stay empty, with mean zero.
        """
        A = np.asarray(matrix, dtype=float)
        mean = self.mean if origin is None else self.mean - np.asarray(origin, dtype=float)
        mean = np.where((self.count > 0)[..., None], mean, 0.0)
        if A.ndim == 1:
            outer = A * A if self.is_diagonal else A[:, None] * A
            mapped = Moments(self.count, mean * A, self.scatter * outer)
            if "_pooled" in self.__dict__:  # mapping them is cheaper than pooling again
                mapped.__dict__["_pooled"] = self._pooled.map(A, origin)
                mapped.__dict__["_within"] = self._within * outer
            return mapped
        if self.is_diagonal:
            raise ValueError("Diagonal moments can only be mapped by a change of units.")
        return Moments(self.count, mean @ A, A.T @ self.scatter @ A)

    def diagonal(self) -> Moments:
        """Keep only the diagonal of the scatter."""
        if self.is_diagonal:
            return self
        variances = np.diagonal(self.scatter, axis1=-2, axis2=-1).copy()
        diagonal = Moments(self.count, self.mean, variances)
        if "_pooled" in self.__dict__:
            diagonal.__dict__["_pooled"] = self._pooled.diagonal()
        return diagonal

    def pooled(self) -> Moments:
        """Merge over the last axis of the grouping."""
        return self._pooled

    @cached_property
    def _pooled(self) -> Moments:
        # Cached, because every classifier fitted to these moments needs it.
        return Moments(*pool(self.count, self.mean, self.within()))

    def pooled_fully(self) -> Moments:
        """Merge over every axis of the grouping: one count, one mean, one scatter."""
        moments = self
        while moments.count.ndim:
            moments = moments.pooled()
        return moments

    def within(self) -> Array:
        """Sum the scatters about each group's own mean over the last axis of the grouping.

        Returns
        -------
        ndarray of shape (..., p, p) or (..., p)
        """
        return self._within

    @cached_property
    def _within(self) -> Array:
        return np.asarray(self.scatter.sum(axis=self.count.ndim - 1))


def stacked(groups: Sequence[Moments]) -> Moments:
    """Return moments of single groups as the groups of one Moments."""
    return Moments(
        np.array([group.count for group in groups]),
        np.stack([group.mean for group in groups]),
        np.stack([group.scatter for group in groups]),
    )


def leave_one_out(parts: Iterable[Moments], *, overwrite: bool = False) -> list[Moments]:
    """Merge all parts but one, for every part.

    Uses merges of prefixes and suffixes, k - 2 each way, never subtraction: subtracting an outlying
    fold from the total has an error of 4e-7, compared with 3e-15 for merging, and can result in a
    scatter that is not positive semidefinite.
    """
    parts = list(parts)
    n = len(parts)
    if n < 2:
        raise ValueError("Leaving one part out needs at least two parts.")
    # Counts and means first, which determine the steps between means: for the parts up to i, for
    # those from i on, and for all except i.
    ends = [MergedMeans(part.count, part.mean, part.mean) for part in parts]
    heads, tails = ends[:1], {n - 1: ends[-1]}
    for i in range(1, n - 1):
        heads.append(merge_means(heads[-1], ends[i]))
        tails[n - 1 - i] = merge_means(ends[n - 1 - i], tails[n - i])
    between = [merge_means(heads[i - 1], tails[i + 1]) for i in range(1, n - 1)]
    left_out = [tails[1], *between, heads[-1]]
    scatters = [part.scatter if overwrite else np.empty(part.scatter.shape) for part in parts]
    # Some rows of all scatters at a time, so that they are merged in cache.
    for rows in tiles(parts[0].n_features, parts[0].is_diagonal):
        pieces = [part.scatter[rows] for part in parts]
        behind = {n - 1: pieces[-1]}
        for i in range(n - 2, 0, -1):
            behind[i] = merge_rows(pieces[i], behind[i + 1], tails[i].step, rows)
        before = pieces[0]
        for i in range(1, n - 1):
            longer = merge_rows(before, pieces[i], heads[i].step, rows)
            # This part is not needed any more.
            merge_rows(before, behind[i + 1], left_out[i].step, rows, out=scatters[i][rows])
            before = longer
        first, last = (behind[1], before) if n > 2 else (pieces[1].copy(), before.copy())
        scatters[0][rows], scatters[-1][rows] = first, last
    return [
        Moments(end.count, end.mean, scatter)
        for end, scatter in zip(left_out, scatters, strict=True)
    ]


def _require_memory(n_groups: int, p: int) -> None:
    require_memory(
        SCATTERS_AT_ONCE * 8 * n_groups * p**2,
        f"The covariances of {n_groups} groups of rows with {p:,} features",
        "Use principal components or fewer features.",
    )


def _checked_rows(
    X: ArrayLike, codes: ArrayLike, n_groups: int, sample_weight: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[np.intp], Array | None]:
    X = np.asarray(X)
    X = X if X.dtype.kind in "biuf" else X.astype(np.float64)
    codes = np.asarray(codes)
    if X.ndim != 2 or codes.shape != (len(X),):
        raise ValueError(f"X of shape {X.shape} and codes of shape {codes.shape} do not match.")
    codes = codes.astype(np.intp, casting="safe" if len(codes) else "unsafe")
    if len(codes) and not 0 <= codes.min() <= codes.max() < n_groups:
        raise ValueError(f"Codes must lie in 0 .. {n_groups - 1}.")
    if sample_weight is None:
        return X, codes, None
    weight = np.asarray(sample_weight, dtype=float)
    if weight.shape != codes.shape or not np.all(np.isfinite(weight) & (weight >= 0)):
        raise ValueError("Weights must be finite and not negative, with one for each row.")
    return X, codes, weight
