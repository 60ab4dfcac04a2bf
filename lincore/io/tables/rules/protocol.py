"""The protocol of column rules: columns in, columns and findings out, or None."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import pandas as pd

from lincore.errors import DataError, Notice
from lincore.io.tables.text.marks import NumberMarks
from lincore.io.tables.text.options import ReadOptions


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a table between two rules, with information about their file.

    Parameters
    ----------
    frame : DataFrame
        The current columns.
    name : str
        The file's name, for messages.
    options : ReadOptions
    marks : NumberMarks
        Decimal and thousands mark of the file.
    header : tuple of str
        Fields of the header line; empty if there is none.
    texts : frozenset of str
        Columns of digits that stay text.
    declared : mapping of str to str
        Types declared in the file, "number", "category" or "text", by column name.
    rows_kept : bool
        Whether the rows are still all rows of the file, in order.
    """

    frame: pd.DataFrame
    name: str
    options: ReadOptions = ReadOptions()
    marks: NumberMarks = NumberMarks(".", "")
    header: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    declared: Mapping[str, str] = field(default_factory=dict)
    rows_kept: bool = True

    @cached_property
    def of_text(self) -> dict[str, pd.Series[Any]]:
        """The columns that are still text, by name."""
        # By dtype, so that thousands of numeric columns are not accessed.
        kinds = zip(map(str, self.frame), self.frame.dtypes, strict=True)
        return {name: self.frame[name] for name, kind in kinds if kind.kind == "O"}

    def with_frame(self, frame: pd.DataFrame) -> Columns:
        """Return a copy with another frame."""
        return replace(self, frame=frame)


class Applied(NamedTuple):
    """Columns after a rule, and what it found."""

    columns: Columns
    findings: tuple[Notice, ...] = ()


class ColumnRule(Protocol):
    """One decision about parsed columns."""

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of its findings, for `ReadOptions.overrule`."""
        ...

    def apply(self, columns: Columns) -> Applied | None:
        """Return the changed columns and the findings, or None if the rule does not apply."""
        ...


def require_columns(frame: pd.DataFrame, names: Iterable[str], option: str) -> None:
    """Reject names of columns that the frame does not have."""
    for name in names:
        if name not in frame:
            raise DataError(
                "There is no such column.",
                where=f"option {option}, {name!r}",
                remedy=f"Choose among: {', '.join(map(str, frame.columns[:10]))}.",
            )
