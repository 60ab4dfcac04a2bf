"""A sample of rows of a large table by class, and the moments of the other rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.labels import encode_labels, rows_left_out
from lincore.data.row_weights import checked_weights, zeros_left_out
from lincore.errors import DataError, Notice
from lincore.io.tables.row_source import (
    DRAWN_ONLY,
    NO_LABEL,
    LabelCodes,
    RowSource,
    StoppedReading,
    Wanted,
    incomplete,
    numbers,
)
from lincore.moments.moments import Moments
from lincore.utils.typing import Array, Flags, Progress

# Minimum number of rows per class in memory: one for training, one for testing.
_AT_LEAST = 2
_SEED = 0


class SampledRows(NamedTuple):
    """Rows in memory, in file order, and the moments of all others.

    Attributes
    ----------
    X : ndarray of shape (n, p)
    codes : ndarray of shape (n,)
    classes : ndarray of shape (K,)
    streamed : Moments of shapes (K,), (K, p), (K, p, p), or None
        None if all rows are in memory. If rows have weights, weighted in the unit of `weights`.
    weights : ndarray of shape (n,) or None
        Weights of the rows in memory, with mean 1.
    streamed_rows : ndarray of shape (K,) or None
        Number of rows in `streamed`, if these have weights.
    notices : tuple of Notice
        Why rows were left out.
    """

    X: Array
    codes: NDArray[np.intp]
    classes: NDArray[Any]
    streamed: Moments | None
    weights: Array | None
    streamed_rows: NDArray[np.intp] | None
    notices: tuple[Notice, ...]


def sample_and_stream(
    source: RowSource, wanted: Wanted, progress: Progress | None = None
) -> SampledRows:
    """Read all rows once: keep some of each class in memory, and sum the others.

    Rows with missing values are left out and counted. Which rows are kept depends only on the file
    and the selection: two of each class, then a random one out of every stratum of rows of the
    class, so that class shares are those of the file. Weights do not matter.
    """
    names, p = LabelCodes(source, wanted), len(wanted.features)
    most = min(source.limits.max_rows_in_memory, source.limits.max_values_in_memory // p)
    draw = Draw(min(1.0, most / max(1, source.n_rows)))
    sums, findings = list[Moments](), list[Notice]()
    X_held, codes_held = [np.empty((0, p))], [np.empty(0, dtype=np.intp)]
    weights_held = list[Array]()
    n_rows = n_unlabelled = n_gaps = n_weightless = 0
    texts = [wanted.label] if wanted.is_text else []
    columns = [wanted.label, *wanted.features, *filter(None, [wanted.weight])]
    for frame in source.frames(columns, texts, findings):
        codes = names.codes(frame[wanted.label])
        X = numbers(frame, wanted.features, n_rows, source)
        gaps = (codes >= 0) & incomplete(X)
        n_unlabelled += int((codes == NO_LABEL).sum())
        n_gaps += int(gaps.sum())
        kept = (codes >= 0) & ~gaps
        weights = None
        if wanted.weight:
            weights = _weights(frame[wanted.weight], kept, n_rows)
            n_weightless += int((weights == 0).sum())
            kept[kept] = weights > 0
            weights = weights[weights > 0]
        X, codes = (X, codes) if kept.all() else (X[kept], codes[kept])
        held = draw.chosen(codes)
        X_held.append(X[held])
        codes_held.append(codes[held])
        if weights is not None:
            weights_held.append(weights[held])
        _sum(sums, X[~held], codes[~held], None if weights is None else weights[~held])
        n_rows += len(frame)
        if progress is not None and progress(n_rows, max(n_rows, source.n_rows), "rows") is False:
            raise StoppedReading("Reading was stopped.", where=source.name)
    codes = np.concatenate(codes_held)
    if not len(codes):
        raise _nothing_left(source)
    codes, classes, streamed, n_summed = _in_order(codes, sums, names, draw, p)
    weights = number = None
    if weights_held:
        weights = np.concatenate(weights_held)
        unit = float(weights.mean())
        weights = weights / unit
        if streamed is not None:
            streamed, number = streamed.scale(1 / unit), n_summed
    notices = (
        *findings,
        *rows_left_out(
            n_unlabelled,
            n_rows,
            "have no value in the target",
            f"column {wanted.label!r}",
            "LIN051",
        ),
        *rows_left_out(n_gaps, n_rows, "have a missing value", source.name, "LIN053"),
        *zeros_left_out(n_weightless, n_rows, "weight", wanted.weight),
    )
    X = np.concatenate(X_held)
    return SampledRows(X, codes, classes, streamed, weights, number, notices)


class Draw:
    """Selection of the rows of each class to keep, decided row by row.

    Parameters
    ----------
    share : float
        Share of the rows of each class.

    Examples
    --------
    >>> draw = Draw(0.1)
    >>> codes = np.repeat([0, 1, 2], [1000, 50, 3])
    >>> np.bincount(codes[draw.chosen(codes)]).tolist()
    [102, 7, 2]
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.seen: dict[int, int] = {}  # rows by class
        self._next: dict[int, tuple[int, NDArray[np.intp]]] = {}
        self._rng: dict[int, np.random.Generator] = {}

    def chosen(self, codes: NDArray[np.intp]) -> Flags:
        """Return which of the next rows are kept, (m,) bool, from their classes."""
        held = np.zeros(len(codes), dtype=bool)
        # There are few codes: counting is faster than sorting.
        for k in np.flatnonzero(np.bincount(codes)).tolist():
            members = np.flatnonzero(codes == k)
            held[members[self._places(k, len(members))]] = True
        return held

    def _places(self, k: int, n_rows: int) -> NDArray[np.intp]:
        """Return the positions, among the next rows of a class, of the rows to keep."""
        seen = self.seen.get(k, 0)
        self.seen[k] = seen + n_rows
        rng = self._rng.setdefault(k, np.random.default_rng([_SEED, k]))
        stratum, waiting = self._next.get(k, (0, np.empty(0, dtype=np.intp)))
        # The row of the last, incomplete stratum may only come later.
        last = int((seen + n_rows) * self.share)
        strata = np.arange(stratum, last + 1)
        drawn = ((strata + rng.random(len(strata))) / self.share).astype(np.intp)
        drawn = np.concatenate([waiting, drawn])
        here = drawn < seen + n_rows
        self._next[k] = (last + 1, drawn[~here])
        first = np.arange(seen, min(_AT_LEAST, seen + n_rows))
        return np.unique(np.concatenate([first, drawn[here]])) - seen


def _weights(column: pd.Series[Any], kept: Flags, n_before: int) -> Array:
    """Return the weights of the kept rows of a block."""
    rows = np.flatnonzero(kept)

    def place(row: int) -> str:
        return f"data row {n_before + int(rows[row]) + 1:,}"

    return checked_weights(column.iloc[rows], str(column.name), place, is_part=True)


def _sum(sums: list[Moments], X: Array, codes: NDArray[np.intp], weights: Array | None) -> None:
    """Add rows to the sums of their classes, creating sums for new classes."""
    counts = np.bincount(codes)
    present = np.flatnonzero(counts)
    sums += [Moments.empty((), X.shape[1]) for _ in range(len(counts) - len(sums))]
    numbered = np.cumsum(counts > 0) - 1
    found = Moments.from_groups(X, numbered[codes], len(present), weights)
    for k, moments in zip(present.tolist(), found, strict=True):
        sums[k] = sums[k] + moments


def _in_order(
    codes: NDArray[np.intp], sums: list[Moments], names: LabelCodes, draw: Draw, p: int
) -> tuple[NDArray[np.intp], NDArray[Any], Moments | None, NDArray[np.intp]]:
    """Reorder codes, sums and numbers of rows from order of arrival to label order."""
    present = np.unique(codes)
    order, classes = encode_labels(names.labels(present), names.where)
    place = np.full(int(present.max()) + 1, -1, dtype=np.intp)
    place[present] = order
    sums = sums + [Moments.empty((), p) for _ in range(len(place) - len(sums))]
    by_label = present[np.argsort(order)]
    n_seen = np.array([draw.seen[k] for k in by_label.tolist()])
    n_summed = n_seen - np.bincount(codes)[by_label]
    chosen = [sums[k] for k in by_label]
    if not n_summed.sum():
        return place[codes], classes, None, n_summed
    streamed = Moments(
        np.array([one.count for one in chosen], dtype=float),
        np.stack([one.mean for one in chosen]),
        np.stack([one.scatter for one in chosen]),
    )
    return place[codes], classes, streamed, n_summed


def _nothing_left(source: RowSource) -> DataError:
    return DataError(
        "No row is left: each has a missing value or no label.",
        where=source.name,
        remedy="Ignore the columns that are mostly missing, or use only the drawn rows.",
        remedies=(DRAWN_ONLY,),
    )
