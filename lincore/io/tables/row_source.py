"""Tables read in blocks: the protocol of a source, and the selection that is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.labels import is_number
from lincore.errors import DataError, Hint, Notice
from lincore.io.tables.features import level_name
from lincore.limits import Limits
from lincore.utils.typing import Array, Flags


class StoppedReading(DataError):
    """The progress callback returned False."""


class RowSource(Protocol):
    """All rows of a table, read in blocks: the interface of a streamed format.

    Text, Parquet and databases have separate readers: the fields, types and damage of text lines
    must be detected, while the others have typed columns. Everything else (choosing rows for
    memory, summing, predicting new rows) uses only this protocol.
    """

    @property
    def n_rows(self) -> int:
        """Number of rows, as far as known before reading."""
        ...

    @property
    def name(self) -> str:
        """Its name in messages."""
        ...

    @property
    def limits(self) -> Limits:
        """Limits on rows in memory and on sums."""
        ...

    @property
    def reason(self) -> str:
        """A sentence that says why it is not read into memory as a whole."""
        ...

    def frames(
        self,
        columns: Sequence[str],
        texts: Sequence[str] = (),
        findings: list[Notice] | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Yield some columns of all rows, block by block."""
        ...


class Wanted(NamedTuple):
    """Selection of columns and labels to read from a large table.

    Attributes
    ----------
    label : str
        The target.
    is_text : bool
        Whether its labels are text.
    features : sequence of str
        Numeric columns.
    dropped : sequence of str
        Labels whose rows are left out.
    merged : mapping of label to label
        Labels to be renamed.
    weight : str
        The weight column; "" if there is none.
    """

    label: str
    is_text: bool
    features: Sequence[str]
    dropped: Sequence[str] = ()
    merged: Mapping[str, str] = {}
    weight: str = ""


#: Code of a row without a label.
NO_LABEL = -1
_DROPPED = -2
DRAWN_ONLY = Hint("Use only the randomly drawn rows", options={"drawn_only": True})


class LabelCodes:
    """Labels and their codes, in order of arrival."""

    def __init__(self, source: RowSource, wanted: Wanted) -> None:
        self._source, self._wanted = source, wanted
        self._codes: dict[Any, int] = {}
        self._labels: list[Any] = []
        self.where = f"column {wanted.label!r}"

    def codes(self, column: pd.Series[Any]) -> NDArray[np.intp]:
        """Return the codes of labels: -1 for missing ones, -2 for left-out classes."""
        if pd.api.types.is_bool_dtype(column):
            column = column.map({True: "True", False: "False"})
        elif not self._wanted.is_text and not is_number(column) and column.notna().any():
            odd = str(column.dropna().iloc[0])[:60]
            raise DataError(
                f"Its first rows are numbers, but further down there is {odd!r}.",
                where=f"{self._source.name}, {self.where}",
                remedy="Name the missing-value codes, or choose another target.",
            )
        found, distinct = pd.factorize(column)
        table = np.array([self._code(value) for value in distinct.tolist()] + [NO_LABEL])
        return table[found].astype(np.intp)

    def _code(self, value: Any) -> int:
        value = float(value) if not isinstance(value, str) else value
        known = self._codes.get(value)
        if known is not None:
            return known
        name, merged = level_name(value), self._wanted.merged
        if name in self._wanted.dropped:
            code = _DROPPED
        else:
            label = merged.get(name, name) if merged else value
            if label not in self._labels:
                self._labels.append(label)
                self._check()
            code = self._labels.index(label)
        self._codes[value] = code
        return code

    def _check(self) -> None:
        n_classes, p = len(self._labels), len(self._wanted.features)
        limits = self._source.limits
        if n_classes > limits.max_levels or n_classes * p**2 > limits.max_streamed_values:
            raise DataError(
                f"It has {n_classes:,} or more distinct values: with {p:,} features these are too "
                f"many classes for a file that is read in blocks.",
                where=f"{self._source.name}, {self.where}",
                remedy="Choose another target, ignore columns, or use only the drawn rows.",
                remedies=(DRAWN_ONLY,),
            )

    def labels(self, codes: NDArray[np.intp]) -> NDArray[Any]:
        """Return the labels of some codes."""
        kind = object if any(isinstance(one, str) for one in self._labels) else np.float64
        return np.array(self._labels, dtype=kind)[codes]


def numbers(
    frame: pd.DataFrame, features: Sequence[str], n_before: int, source: RowSource
) -> Array:
    """Return the features of a block, (m, p), NaN for missing values."""
    X = np.empty((len(frame), len(features)))
    for j, name in enumerate(features):
        column = frame[name]
        if is_number(column):
            X[:, j] = column.to_numpy(dtype=np.float64, na_value=np.nan)
            continue
        X[:, j] = np.nan
        odd = column.notna() & pd.to_numeric(column, errors="coerce").isna()
        if odd.any():
            row = int(odd.to_numpy().argmax())
            raise DataError(
                f"{str(column.iloc[row])[:60]!r} is not a number. In a file that is read in "
                f"blocks, every feature must be numeric.",
                where=f"{source.name}, data row {n_before + row + 1:,}, column {name!r}",
                remedy="Ignore the column, or use only the drawn rows.",
                remedies=(Hint(f"Ignore {name!r}", roles={name: "ignore"}), DRAWN_ONLY),
            )
    if not _is_finite(X) and np.isinf(X).any():
        row, j = np.argwhere(np.isinf(X))[0]
        raise DataError(
            f"The value {X[row, j]} is infinite.",
            where=f"{source.name}, data row {n_before + row + 1:,}, column {features[j]!r}",
            remedy="Correct the value, or leave the cell empty.",
        )
    return X


def _is_finite(X: Array) -> bool:
    """Check quickly whether all values are finite, by their sum."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))


def incomplete(X: Array) -> Flags:
    """Return which rows have a missing value, (n,)."""
    incomplete = np.zeros(len(X), bool)
    if not _is_finite(X):
        np.logical_not(np.isfinite(X).all(axis=1), out=incomplete)
    return incomplete


def labelled_blocks(source: RowSource, wanted: Wanted) -> Iterator[tuple[Array, NDArray[Any]]]:
    """Yield the complete labelled rows, (m, p), and their labels, block by block."""
    names, n_rows = LabelCodes(source, wanted), 0
    texts = [wanted.label] if wanted.is_text else []
    for frame in source.frames([wanted.label, *wanted.features], texts):
        codes = names.codes(frame[wanted.label])
        X = numbers(frame, wanted.features, n_rows, source)
        kept = (codes >= 0) & ~incomplete(X)
        n_rows += len(frame)
        yield X[kept], names.labels(codes[kept])
