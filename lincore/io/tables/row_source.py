"""Tables read in blocks: the base of their sources, and the selection that is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.executors import Executor, JoblibExecutor
from lincore.data.frames import is_number, refuse_infinite
from lincore.data.labels import level_name
from lincore.data.row_weights import checked_weights
from lincore.errors import DataError, Hint, Notice
from lincore.limits import LIMITS, Limits
from lincore.utils.typing import Array, Flags

#: Code of a row without a label.
NO_LABEL = -1
_DROPPED = -2
#: What reading found, if it is asked for.
Findings: TypeAlias = list[Notice] | None
DRAWN_ONLY = Hint("Use only the randomly drawn rows", options={"drawn_only": True})


class StoppedReading(DataError):
    """The progress callback returned False."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RowSource:
    """All rows of a table, or of a part of it, read in blocks: the base of a streamed format."""

    # Text, Parquet and Dask have separate readers: the fields, types and damage of text lines
    # must be detected, while the others have typed columns. Everything else (choosing rows
    # for memory, summing, predicting new rows) uses only this interface.

    name: str  # for messages
    limits: Limits  # on rows in memory and on sums
    n_rows: int = 0  # as far as known before reading
    reason: str = ""  # why it is not read into memory as a whole, as a sentence
    first_row: int = 0  # number of rows before it, if it is a part
    executor: Executor = JoblibExecutor()  # which processes read its parts

    @cached_property
    def parts(self) -> Sequence[Any]:
        """Sources of consecutive rows, picklable, or `dask.delayed` objects that become such."""
        return (self,)

    def frames(
        self, columns: Sequence[str], texts: Sequence[str] = (), findings: Findings = None
    ) -> Iterator[pd.DataFrame]:
        """Yield some columns of all rows, block by block."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnarRows(RowSource):
    """Rows of typed columns, whose size is known before reading."""

    n_bytes: int = 0
    columns: Sequence[str] = ()  # those with scalar cells

    def whole(self) -> pd.DataFrame:
        """Return all rows, without replacing missing-value codes."""
        raise NotImplementedError

    def sampled(self, share: float) -> pd.DataFrame:
        """Return a random share of the rows."""
        raise NotImplementedError


class RowSelection(NamedTuple):
    """Selection of columns and labels to read from a large table."""

    label: str  # the target
    is_text: bool  # whether its labels are text
    features: Sequence[str]  # numeric columns
    dropped: Sequence[str] = ()  # labels whose rows are left out
    merged: Mapping[str, str] = {}  # labels to be renamed
    weight: str = ""  # the weight column; "" if there is none
    name: str = ""  # the table's name in messages
    limits: Limits = LIMITS

    def require_few_classes(self, n_classes: int) -> None:
        """Reject a target with too many distinct values for sums by class."""
        p, limits = len(self.features), self.limits
        if n_classes > limits.max_levels or n_classes * p**2 > limits.max_streamed_values:
            raise DataError(
                f"It has {n_classes:,} or more distinct values: with {p:,} features these are too "
                f"many classes for a file that is read in blocks.",
                where=f"{self.name}, column {self.label!r}",
                remedy="Choose another target, ignore columns, or use only the drawn rows.",
                remedies=(DRAWN_ONLY,),
            )


class LabelCodes:
    """Labels and their codes, in order of arrival."""

    def __init__(self, selection: RowSelection) -> None:
        self._selection = selection
        self._codes: dict[Any, int] = {}
        self.labels: list[Any] = []

    def codes(self, column: pd.Series[Any]) -> NDArray[np.intp]:
        """Return the codes of labels: -1 for missing ones, -2 for left-out classes."""
        if pd.api.types.is_bool_dtype(column):
            column = column.map({True: "True", False: "False"})
        elif not self._selection.is_text and not is_number(column) and column.notna().any():
            odd = str(column.dropna().iloc[0])[:60]
            raise DataError(
                f"Its first rows are numbers, but further down there is {odd!r}.",
                where=f"{self._selection.name}, column {self._selection.label!r}",
                remedy="Name the missing-value codes, or choose another target.",
            )
        positions, distinct = pd.factorize(column)
        table = np.array([self._code(value) for value in distinct.tolist()] + [NO_LABEL])
        return table[positions].astype(np.intp)

    def _code(self, value: Any) -> int:
        value = float(value) if not isinstance(value, str) else value
        known = self._codes.get(value)
        if known is not None:
            return known
        name, merged = level_name(value), self._selection.merged
        if name in self._selection.dropped:
            code = _DROPPED
        else:
            label = merged.get(name, name) if merged else value
            if label not in self.labels:
                self.labels.append(label)
                self._selection.require_few_classes(len(self.labels))
            code = self.labels.index(label)
        self._codes[value] = code
        return code


def feature_values(
    frame: pd.DataFrame, features: Sequence[str], n_before: int, source: RowSource
) -> Array:
    """Return the features of a block, (m, p), NaN for missing values."""

    def locate(row: int) -> str:
        return f"data row {source.first_row + n_before + row + 1:,}"

    chosen = frame[list(features)]
    # Few rows of a wide table make a block: calls on each column would take longer than the rest.
    kinds = chosen.dtypes.drop_duplicates()
    odd_kinds = [kind for name, kind in kinds.items() if not is_number(chosen[name])]
    texts = chosen.columns[chosen.dtypes.isin(odd_kinds)]
    for name in texts:
        column = frame[name]
        odd = column.notna() & pd.to_numeric(column, errors="coerce").isna()
        if odd.any():
            row = int(odd.to_numpy().argmax())
            raise DataError(
                f"{str(column.iloc[row])[:60]!r} is not a number. In a file that is read in "
                f"blocks, every feature must be numeric.",
                where=f"{source.name}, {locate(row)}, column {name!r}",
                remedy="Ignore the column, or use only the drawn rows.",
                remedies=(Hint(f"Ignore {name!r}", roles={name: "ignore"}), DRAWN_ONLY),
            )
    if len(texts):
        chosen = chosen.assign(**dict.fromkeys(texts, np.nan))
    X = np.ascontiguousarray(chosen.to_numpy(np.float64, na_value=np.nan))
    if not _is_finite(X):
        refuse_infinite(X, features, source.name, locate)
    return X


def _is_finite(X: Array) -> bool:
    """Check quickly whether all values are finite, by their sum."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))


class ReadRows(NamedTuple):
    """The complete rows of a block, and how many others there are."""

    rows: NDArray[np.intp]  # (m,), their numbers in the source, counted from 0
    X: Array  # (m, p)
    codes: NDArray[np.intp]  # (m,)
    weights: Array | None  # (m,)
    n_read: int  # number of all rows of the block
    # Rows that are left out: without a label, with a missing value, with weight zero.
    n_unlabelled: int
    n_gaps: int
    n_weightless: int


def read_rows(
    source: RowSource,
    selection: RowSelection,
    labels: LabelCodes,
    findings: list[Notice] | None = None,
) -> Iterator[ReadRows]:
    """Yield the complete rows with their codes, block by block."""
    texts, n_before = [selection.label] if selection.is_text else [], 0
    columns = [selection.label, *selection.features, *filter(None, [selection.weight])]
    for frame in source.frames(columns, texts, findings):
        codes = labels.codes(frame[selection.label])
        X = feature_values(frame, selection.features, n_before, source)
        n_unlabelled = int((codes == NO_LABEL).sum())
        keep = codes >= 0
        # Finite blocks, which most are, need no look at single rows.
        gaps = np.zeros_like(keep) if _is_finite(X) else keep & ~np.isfinite(X).all(axis=1)
        keep &= ~gaps
        weights, n_weightless = None, 0
        if selection.weight:
            weights = _kept_weights(frame[selection.weight], keep, source.first_row + n_before)
            n_weightless = int((weights == 0).sum())
            keep[keep] = weights > 0
            weights = weights[weights > 0]
        X, codes = (X, codes) if keep.all() else (X[keep], codes[keep])
        rows = np.flatnonzero(keep) + n_before
        n_before += len(frame)
        yield ReadRows(
            rows, X, codes, weights, len(frame), n_unlabelled, int(gaps.sum()), n_weightless
        )


def _kept_weights(column: pd.Series[Any], keep: Flags, n_before: int) -> Array:
    """Return the weights of the kept rows of a block."""
    rows = np.flatnonzero(keep)

    def locate(row: int) -> str:
        return f"data row {n_before + int(rows[row]) + 1:,}"

    return checked_weights(column.iloc[rows], str(column.name), locate, is_part=True)
