"""The record of a text table while it is read: each phase fills the fields that it finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import pandas as pd

from lincore.errors import Notice
from lincore.io.tables.lines.fit import UnevenLine
from lincore.io.tables.lines.kinds import BLANKS
from lincore.io.tables.text.options import DetectedOptions, ReadOptions
from lincore.limits import LIMITS, Limits

DeclaredRole: TypeAlias = Literal["target", "weight", "ignore", "feature"]
_JUDGED = 100


class Record(NamedTuple):
    """The fields of one row as text, and its lines, counted from 1."""

    fields: list[str]
    first_line: int
    last_line: int

    @property
    def n_filled(self) -> int:
        """Number of fields that are not blank."""
        return sum(bool(field) for field in self.fields)


def nonblank_values(records: Sequence[Record], column: int) -> list[str]:
    """Return the nonblank values of a column in the first records."""
    values = (one.fields[column] for one in records[:_JUDGED] if len(one.fields) > column)
    return [value for value in values if value not in BLANKS]


class NumberMarks(NamedTuple):
    """The decimal mark of a file, and its thousands mark, "" if it has none.

    `assumed` is True if 7,094 may be either and no other column decides.
    """

    decimal: str
    thousands: str
    assumed: bool = False


@dataclass(eq=False)
class TextImport:
    """A text table on its way from bytes to columns."""

    name: str  # the file's name, for messages
    options: ReadOptions = ReadOptions()  # as requested; everything else is detected
    limits: Limits = LIMITS
    notices: list[Notice] = field(default_factory=list)  # findings, in the order of the phases
    # Decoded, with lines ended by newlines and comment lines emptied, so that line numbers are
    # those of the file; "" once the rows are parsed.
    text: str = ""
    encoding: str = ""
    is_packed: bool = False  # whether the file was compressed by gzip
    separator: str = ","  # `quote` and `comment` are "" if there are none
    quote: str = '"'
    comment: str = ""
    # Records at the beginning of the table, without blank lines.
    records: list[Record] = field(default_factory=list)
    width: int = 0  # number of fields of most records
    # Whether more than comments was changed in the text, so that other lines of the file cannot be
    # read in this way.
    is_rewritten: bool = False
    n_tables: int = 1  # number of stacked tables in the file
    names: list[str] = field(default_factory=list)  # unique column names
    # Fields of the header line; empty if there is none.
    header: list[str] = field(default_factory=list)
    header_line: int | None = None  # counted from 1; None if the columns are numbered
    first_line: int = 1  # line where the rows begin
    # Those declared in the file, by column name.
    types: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, DeclaredRole] = field(default_factory=dict)
    marks: NumberMarks = NumberMarks(".", "")
    # The columns, parsed and then changed by the column rules.
    frame: pd.DataFrame = field(default_factory=pd.DataFrame)
    uneven: list[UnevenLine] = field(default_factory=list)
    rows_are_lines: bool = True  # whether row i is line `first_line` + i of the file
    texts: set[str] = field(default_factory=set)  # columns of digits that stay text

    def note(self, what: str, place: str = "", remedy: str = "", *, code: str) -> None:
        """Add a finding, at a place in the file."""
        where = f"{self.name}, {place}" if place else self.name
        self.notices.append(Notice(what, where, remedy, code))

    @property
    def of_text(self) -> dict[str, pd.Series[Any]]:
        """The columns that are still text, by name."""
        # By dtype, so that thousands of numeric columns are not accessed.
        kinds = zip(map(str, self.frame), self.frame.dtypes, strict=True)
        return {name: self.frame[name] for name, kind in kinds if kind.kind == "O"}

    @property
    def reading(self) -> DetectedOptions:
        """The import options in effect."""
        return DetectedOptions(
            *self.frame.shape,
            encoding=self.encoding,
            separator=self.separator,
            decimal=self.marks.decimal,
            thousands=self.marks.thousands,
            quote=self.quote,
            comment=self.comment,
            header_line=self.header_line,
            packed=self.is_packed,
            n_tables=self.n_tables,
            uneven=tuple(self.uneven),
        )
