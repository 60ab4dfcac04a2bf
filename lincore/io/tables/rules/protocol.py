"""The protocol of column rules: columns in, columns and findings out, or a rejection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import pandas as pd

from lincore.errors import Notice
from lincore.io.tables.text.marks import Marks
from lincore.io.tables.text.options import ReadOptions


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a table between two rules, with what is known of the file they come from.

    Parameters
    ----------
    frame : DataFrame
        The columns as they are by now.
    name : str
        The file's name, for messages.
    options : ReadOptions
    marks : Marks
        Decimal and thousands mark of the file.
    header : tuple of str
        Fields of the header line; none where there is no such line.
    texts : frozenset of str
        Columns of digits that stay text.
    rows_kept : bool
        Whether the rows are still those of the file, one after the other.
    """

    frame: pd.DataFrame
    name: str
    options: ReadOptions = ReadOptions()
    marks: Marks = Marks(".", "")
    header: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    rows_kept: bool = True

    def with_frame(self, frame: pd.DataFrame) -> Columns:
        """Return the columns with another frame."""
        return replace(self, frame=frame)


class Applied(NamedTuple):
    """Columns after a rule, and what it found."""

    columns: Columns
    findings: tuple[Notice, ...] = ()


class ColumnRule(Protocol):
    """One decision about parsed columns."""

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of its findings, which `ReadOptions.overrule` may name."""
        ...

    def apply(self, columns: Columns) -> Applied | None:
        """Return the changed columns and the findings, or None where the rule does not apply."""
        ...
