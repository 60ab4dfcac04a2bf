"""A sample of rows of a large table by class, and the moments of the other rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.blocks import Blocks, RowBlock
from lincore.data.labels import encode_labels, rows_left_out
from lincore.data.row_weights import zeros_left_out
from lincore.errors import DataError, Notice
from lincore.io.tables.row_source import (
    DRAWN_ONLY,
    LabelCodes,
    RowSelection,
    RowSource,
    StoppedReading,
    read_rows,
)
from lincore.moments.moments import Moments, stacked
from lincore.utils.memory import trim
from lincore.utils.typing import Array, Flags, Progress

# Minimum number of rows per class in memory: one for training, one for testing.
_AT_LEAST = 2
# So that rows of all parts have different numbers.
_MOST_ROWS_OF_A_PART = 2**40
_SEED = 0


class SampledRows(NamedTuple):
    """Rows in memory, in the order of the table, and all others."""

    X: Array  # (n, p)
    codes: NDArray[np.intp]  # (n,)
    classes: NDArray[Any]  # (K,)
    weights: Array | None  # (n,), weights of the rows in memory, with mean 1
    blocks: Blocks | None  # None if all rows are in memory
    notices: tuple[Notice, ...]  # why rows were left out


def sample_and_stream(
    source: RowSource, selection: RowSelection, progress: Progress | None = None
) -> SampledRows:
    """Read all rows once: keep some of each class in memory, and sum the others."""
    # Rows with missing values are left out and counted. Which rows are kept depends only on the
    # table and the selection: two of each class, then a random one out of every stratum of rows of
    # the class, so that class shares are those of the table. Weights do not matter.
    most = source.limits.max_rows_in_memory
    most = min(most, source.limits.max_values_in_memory // len(selection.features))
    share = min(1.0, most / max(1, source.n_rows))
    n_read = 0

    def watch(n_more: int) -> None:
        nonlocal n_read
        n_read += n_more
        total = max(n_read, source.n_rows)
        if progress is not None and progress(n_read, total, "rows") is False:
            raise StoppedReading("Reading was stopped.", where=source.name)

    work = partial(_sample_part, selection, share)
    sampled = source.executor.fold(
        work, add, [(part, i) for i, part in enumerate(source.parts)], watch
    )
    if sampled is None or not any(sampled.seen):
        raise DataError(
            "No row is left: each has a missing value or no label.",
            where=source.name,
            remedy="Ignore the columns that are mostly missing, or use only the drawn rows.",
            remedies=(DRAWN_ONLY,),
        )
    rows = _order_classes(sampled, source, selection)
    trim()  # small arrays of every block leave holes
    return rows


class _HeldRows(NamedTuple):
    """Rows of a part that are kept in memory."""

    # `rows` are their numbers in the part. `spare` is -1 if they were drawn; a row that was
    # not is only kept if it is one of the first of its class, and `spare` is the number of
    # those before it.

    part: int
    rows: NDArray[np.intp]
    X: Array
    codes: NDArray[np.intp]
    weights: Array | None
    spare: NDArray[np.intp]

    def take(self, chosen: Flags) -> _HeldRows:
        weights = None if self.weights is None else self.weights[chosen]
        rows, codes, spare = self.rows[chosen], self.codes[chosen], self.spare[chosen]
        return _HeldRows(self.part, rows, self.X[chosen], codes, weights, spare)


@dataclass
class _Sampled:
    """Consecutive rows: some of them, and the moments of the others by class."""

    # Classes are numbered in order of arrival.

    selection: RowSelection
    labels: tuple[Any, ...] = ()
    seen: list[int] = field(default_factory=list)  # rows by class
    sums: list[Moments] = field(default_factory=list)  # by class
    held: list[_HeldRows] = field(default_factory=list)
    findings: list[Notice] = field(default_factory=list)
    n_left_out: NDArray[np.intp] = field(default_factory=lambda: np.zeros(4, dtype=np.intp))

    def add_classes(self, labels: tuple[Any, ...]) -> None:
        """Add the classes that have been seen since; `labels` are all so far."""
        self.labels, n_new = labels, len(labels) - len(self.sums)
        self.sums += [Moments.empty((), len(self.selection.features)) for _ in range(n_new)]
        self.seen += [0] * n_new

    def add_rows(self, X: Array, codes: NDArray[np.intp], weights: Array | None) -> None:
        """Add rows to the sums of their classes."""
        counts = np.bincount(codes)
        present = np.flatnonzero(counts)
        numbered = np.cumsum(counts > 0) - 1
        group_moments = Moments.from_groups(X, numbered[codes], len(present), weights)
        for k, moments in zip(present.tolist(), group_moments, strict=True):
            self.sums[k] = self.sums[k] + moments

    def __add__(self, later: _Sampled) -> _Sampled:
        """Append the rows that come later."""
        new = [label for label in later.labels if label not in self.labels]
        self.selection.require_few_classes(len(self.labels) + len(new))
        both = replace(self, seen=list(self.seen), sums=list(self.sums), held=list(self.held))
        both.add_classes((*self.labels, *new))
        new_codes = np.array([both.labels.index(label) for label in later.labels], dtype=np.intp)
        before = np.array(both.seen, dtype=np.intp)
        for held in later.held:
            codes = new_codes[held.codes]
            spare = np.where(held.spare >= 0, held.spare + before[codes], -1)
            moved, keep = held._replace(codes=codes, spare=spare), spare < _AT_LEAST
            if not keep.all():
                extra = moved.take(~keep)
                both.add_rows(extra.X, extra.codes, extra.weights)
            both.held.append(moved.take(keep))
        for k, moments, n_seen in zip(new_codes.tolist(), later.sums, later.seen, strict=True):
            both.sums[k] = both.sums[k] + moments
            both.seen[k] += n_seen
        both.findings = list(dict.fromkeys([*self.findings, *later.findings]))
        both.n_left_out = self.n_left_out + later.n_left_out
        return both


def _sample_part(
    selection: RowSelection,
    share: float,
    source: RowSource,
    number: int,
    *,
    watch: Callable[[int], None] | None = None,
) -> _Sampled:
    """Read a part, and draw rows from it."""
    labels, draw, sampled = LabelCodes(selection), _Draw(share, number), _Sampled(selection)
    for read in read_rows(source, selection, labels, sampled.findings):
        sampled.add_classes(tuple(labels.labels))
        sampled.n_left_out += (read.n_read, read.n_unlabelled, read.n_gaps, read.n_weightless)
        held, spare = draw.choose(read.codes)
        every = _HeldRows(number, read.rows, read.X, read.codes, read.weights, spare)
        sampled.held.append(every.take(held))
        weights = None if read.weights is None else read.weights[~held]
        sampled.add_rows(read.X[~held], read.codes[~held], weights)
        if watch is not None:
            watch(read.n_read)
    sampled.seen = [draw.seen.get(k, 0) for k in range(len(sampled.labels))]
    return sampled


def _order_classes(sampled: _Sampled, source: RowSource, selection: RowSelection) -> SampledRows:
    """Return the rows with classes in the order of their labels instead of that of arrival."""
    label = f"column {selection.label!r}"
    present = np.flatnonzero(sampled.seen)
    kind = object if any(isinstance(value, str) for value in sampled.labels) else np.float64
    labels = np.array(sampled.labels, dtype=kind)[present]
    order, classes = encode_labels(labels, label)
    new_codes = np.full(len(sampled.seen), -1, dtype=np.intp)
    new_codes[present] = order
    by_label = present[np.argsort(order)]
    codes = new_codes[np.concatenate([held.codes for held in sampled.held])]
    weights, unit = None, 1.0
    if selection.weight:
        weights = np.concatenate([h.weights for h in sampled.held if h.weights is not None])
        unit = float(weights.mean())
        weights = weights / unit
    n_summed = np.array(sampled.seen)[by_label] - np.bincount(codes, minlength=len(classes))
    blocks = None
    if n_summed.any():
        moments = stacked([sampled.sums[k] for k in by_label])
        if unit != 1:
            moments = moments.scale(1 / unit)
        rows: dict[int, list[NDArray[np.intp]]] = {}
        for held in sampled.held:
            rows.setdefault(held.part, [np.empty(0, np.intp)]).append(held.rows)
        parts = [
            (part, np.concatenate(rows.get(i, [np.empty(0, np.intp)])), i)
            for i, part in enumerate(source.parts)
        ]
        codes_of = dict(zip(labels.tolist(), order.tolist(), strict=True))
        read = partial(_stream_part, selection, codes_of, unit)
        blocks = Blocks(moments, n_summed, parts, read, source.executor)
    n_read, n_unlabelled, n_gaps, n_weightless = sampled.n_left_out.tolist()
    why = "have no value in the target"
    notices = (
        *sampled.findings,
        *rows_left_out(n_unlabelled, n_read, why, label, "LIN051"),
        *rows_left_out(n_gaps, n_read, "have a missing value", source.name, "LIN053"),
        *zeros_left_out(n_weightless, n_read, "weight", selection.weight),
    )
    return SampledRows(_stacked_rows(sampled.held), codes, classes, weights, blocks, notices)


def _stacked_rows(held: list[_HeldRows]) -> Array:
    """Return the rows in memory as one array; the list is emptied, so that no row is held twice."""
    X = np.empty((sum(len(part.X) for part in held), held[0].X.shape[1]))
    end = len(X)
    while held:
        rows = held.pop().X
        X[end - len(rows) : end] = rows
        end -= len(rows)
    return X


def _stream_part(
    selection: RowSelection,
    codes_of: Mapping[Any, int],
    unit: float,
    source: RowSource,
    held: NDArray[np.intp],
    number: int,
) -> Iterator[RowBlock]:
    """Yield the rows of a part that are not in memory."""
    labels = LabelCodes(selection)
    for read in read_rows(source, selection, labels):
        # A label without a complete row has no code.
        code_of = np.array([codes_of.get(label, -1) for label in labels.labels], dtype=np.intp)
        if not len(read.rows):
            continue
        begin, end = np.searchsorted(held, [read.rows[0], read.rows[-1] + 1])
        rest = np.ones(len(read.rows), dtype=bool)
        rest[np.searchsorted(read.rows, held[begin:end])] = False
        weights = None if read.weights is None else read.weights[rest] / unit
        numbers = read.rows[rest].astype(np.uint64) + np.uint64(number * _MOST_ROWS_OF_A_PART)
        yield RowBlock(read.X[rest], code_of[read.codes[rest]], weights, numbers)


class _Draw:
    """Selection of a share of the rows of each class, of one part of a table, row by row."""

    def __init__(self, share: float, part: int) -> None:
        self.share = share
        self.seen: dict[int, int] = {}  # rows by class
        self._part = part
        self._next: dict[int, tuple[int, NDArray[np.intp]]] = {}
        self._rng: dict[int, np.random.Generator] = {}

    def choose(self, codes: NDArray[np.intp]) -> tuple[Flags, NDArray[np.intp]]:
        """Return which of the next rows are kept, from their classes (m,)."""
        # Also the number of rows of the class before a row that was not drawn, but is one of the
        # first of its class; -1 for all others.
        held, spare = np.zeros(len(codes), dtype=bool), np.full(len(codes), -1)
        # There are few codes: counting is faster than sorting.
        for k in np.flatnonzero(np.bincount(codes)).tolist():
            members = np.flatnonzero(codes == k)
            seen = self.seen.get(k, 0)
            drawn = self._due_positions(k, len(members))
            first = np.setdiff1d(np.arange(min(_AT_LEAST - seen, len(members))), drawn)
            held[members[drawn]] = held[members[first]] = True
            spare[members[first]] = first + seen
        return held, spare

    def _due_positions(self, k: int, n_rows: int) -> NDArray[np.intp]:
        """Return the positions of rows to keep among the next rows of a class."""
        seen = self.seen.get(k, 0)
        self.seen[k] = seen + n_rows
        rng = self._rng.setdefault(k, np.random.default_rng([_SEED, k, self._part]))
        stratum, waiting = self._next.get(k, (0, np.empty(0, dtype=np.intp)))
        # The row of the last, incomplete stratum may only come later.
        last = int((seen + n_rows) * self.share)
        strata = np.arange(stratum, last + 1)
        drawn = ((strata + rng.random(len(strata))) / self.share).astype(np.intp)
        drawn = np.concatenate([waiting, drawn])
        is_due = drawn < seen + n_rows
        self._next[k] = (last + 1, drawn[~is_due])
        return np.unique(drawn[is_due]) - seen
