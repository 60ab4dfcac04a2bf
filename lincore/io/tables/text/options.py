"""Import options of a text table, as requested and as detected, and the record of its import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import pandas as pd

from lincore.errors import DataError, Notice
from lincore.fields.bounds import Name
from lincore.fields.field import Field
from lincore.io.tables.text.fields import BLANKS, SPACES
from lincore.limits import LIMITS, Limits
from lincore.utils.formatting import count

DeclaredRole: TypeAlias = Literal["target", "weight", "ignore", "feature"]
_JUDGED = 100
# In addition to those of pandas: NA, N/A, NaN, null, None and the like.
# fmt: off
MISSING_CODES = (
    "", "?", "-", " ?", "--", "n.a.", "N.A.", "<NA>", "#DIV/0!", "#VALUE!", "#REF!", "\\N",
)
# fmt: on
# Fixed-width columns, separated by this mark after detection.
PLACES = "\x01"
SEPARATOR_NAMES = {
    ",": "comma",
    ";": "semicolon",
    "\t": "tab",
    "|": "vertical bar",
    ":": "colon",
    "~": "tilde",
    "^": "caret",
    SPACES: "spaces",
    PLACES: "fixed-width columns",
}
# Findings without a specific option; docs/findings.md has all of them.
# fmt: off
OVERRULABLE = (
    "LIN010", "LIN012", "LIN013", "LIN017", "LIN018", "LIN020", "LIN030", "LIN031", "LIN032",
    "LIN040", "LIN041", "LIN042", "LIN043", "LIN044", "LIN047", "LIN048", "LIN049",
)
# fmt: on
_ENCODING_NAMES = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32": "UTF-32",
    "latin-1": "Latin-1",
    "cp1252": "Windows-1252",
}
_MARK_NAMES = {".": "point", ",": "comma", " ": "space", "'": "apostrophe"}


@dataclass(frozen=True)
class ReadOptions:
    """Import options that override detection; None means detection.

    Parameters
    ----------
    encoding : str, optional
        Python's name: "utf-8", "latin-1", "cp1252", "utf-16".
    separator : str, optional
        One character; a space means runs of spaces and tabs.
    decimal, thousands : str, optional
        One character each; "" for no thousands mark.
    quote : str, optional
        The quotation mark; "" if quotation marks are plain text.
    header : bool or int, optional
        Whether there is a header line, or its line number in the file, counted from 1.
    comment : str, optional
        Prefix of lines to skip; "" for no such lines.
    table : int, optional
        Which of several stacked tables, counted from 1. Default: the first.
    sheet : str, optional
        The sheet of a workbook, or the file of a zip. Default: the largest.
    missing_codes : sequence of str, optional
        Missing-value codes, instead of `MISSING_CODES`.
    missing_in : mapping of str to sequence, optional
        Additional missing-value codes of single columns, such as ``{"BMI": (0,)}``.
    cut_at : mapping of str to str, optional
        Marks at which texts of some columns are cut, such as ``{"class": ".|"}`` if labels such as
        "negative.|3733" end in an identifier.
    ordered : mapping of str to sequence of str, optional
        Levels of some columns from lowest to highest, such as
        ``{"answer": ("never", "sometimes", "often")}``: they become the numbers 1, 2, 3, and other
        values are missing.
    uneven : {"mend", "skip", "keep"}, optional
        Treatment of lines with more or fewer fields than columns. "mend" (default): long lines are
        repaired if there is clearly one way to do so, and skipped otherwise; short lines are filled
        with missing values. "skip" skips all of them, "keep" cuts long lines that cannot be
        repaired.
    as_text : bool
        Keep all cells as text: numbers are not parsed, units, currencies and missing-value codes
        are not removed, and no row is left out. Blank cells are missing.
    overrule : sequence of str
        Codes of findings to ignore, such as ``("LIN032",)`` to keep totals; a subset of
        `OVERRULABLE`.

    Raises
    ------
    DataError
        If a mark is not a single character, or two marks that must differ are equal.
    """

    encoding: (
        Annotated[
            str,
            Field(
                "Encoding",
                "The character encoding, such as cp1252.",
                pattern=r"[\w.-]{1,40}",
                wanted="the name of an encoding",
            ),
        ]
        | None
    ) = None
    separator: Annotated[str, Field("Separator", "The sign between fields.", longest=4)] | None = (
        None
    )
    decimal: (
        Annotated[str, Field("Decimal mark", "The sign before the fraction.", longest=4)] | None
    ) = None
    thousands: (
        Annotated[str, Field("Thousands mark", "The sign between groups of digits.", longest=4)]
        | None
    ) = None
    quote: (
        Annotated[str, Field("Quotation mark", "The sign around texts with separators.", longest=4)]
        | None
    ) = None
    header: (
        bool
        | Annotated[int, Field("Header", "The line that names the columns.", low=1, high=10**9)]
        | None
    ) = None
    comment: (
        Annotated[str, Field("Comment lines", "Prefix of lines to skip.", longest=20)] | None
    ) = None
    missing_codes: (
        Annotated[
            Sequence[Name],
            Field("Missing-value codes", "Instead of the usual ones.", longest=5_000),
        ]
        | None
    ) = None
    missing_in: (
        Annotated[
            Mapping[Name, Sequence[float | Name]],
            Field(
                "Missing-value code of a column",
                "A number or text that means missing there, such as 0 or -200.",
            ),
        ]
        | None
    ) = None
    uneven: (
        Annotated[
            Literal["mend", "skip", "keep"],
            Field(
                "Lines that do not fit",
                "Treatment of lines with more or fewer fields than columns.",
            ),
        ]
        | None
    ) = None
    as_text: Annotated[
        bool,
        Field(
            "Keep cells as text",
            "Numbers are not parsed; units, currencies and missing-value codes are kept.",
        ),
    ] = False
    table: (
        Annotated[
            int, Field("Table", "Which of several tables below each other, counted from 1.", low=1)
        ]
        | None
    ) = None
    sheet: (
        Annotated[
            Name,
            Field(
                "Sheet or table",
                "The sheet of a workbook, or the file of a zip; by default the largest.",
            ),
        ]
        | None
    ) = None
    cut_at: (
        Annotated[Mapping[Name, Name], Field("Cut", "Cut the texts of a column at a mark.")] | None
    ) = None
    ordered: (
        Annotated[
            Mapping[Name, Sequence[Name]],
            Field("Ordered levels", "Read the levels of a column as the numbers 1, 2, 3."),
        ]
        | None
    ) = None
    overrule: Annotated[
        Sequence[str], Field("Overrule", "Ignore a finding, by its code.", longest=100)
    ] = ()

    def __post_init__(self) -> None:
        """Validate the marks."""
        single = {"separator": self.separator, "decimal": self.decimal}
        for name, mark in single.items():
            if mark is not None and (len(mark) != 1 or mark in '\r\n\0"'):
                raise _unfit(name, mark, "one character")
        for name, mark in {"thousands": self.thousands, "quote": self.quote}.items():
            if mark is not None and (len(mark) > 1 or mark in ("\r", "\n", "\0")):
                raise _unfit(name, mark, "one character, or nothing")
        if self.separator is not None and self.separator == self.quote:
            raise _unfit("quote", self.separator, "another character than the separator")
        if self.decimal is not None and self.decimal == self.thousands:
            raise _unfit("thousands", self.decimal, "another character than the decimal mark")
        if self.uneven not in (None, "mend", "skip", "keep"):
            raise _unfit("uneven", str(self.uneven), '"mend", "skip" or "keep"')
        if self.table is not None and (not isinstance(self.table, Integral) or self.table < 1):
            raise _unfit("table", str(self.table), "a number from 1")
        unknown = [code for code in self.overrule if code not in OVERRULABLE]
        if unknown or isinstance(self.overrule, str):
            raise _unfit("overrule", str(self.overrule), f"codes among {', '.join(OVERRULABLE)}")
        header = 1 if self.header is None or self.header is False else self.header
        if not isinstance(header, Integral) or header < 1:
            raise _unfit("header", str(self.header), "True, False or a line number from 1")


def _unfit(name: str, value: str, wanted: str) -> DataError:
    return DataError(
        f"It is {value!r}.", where=f"option {name}", remedy=f"Give {wanted}, or leave it out."
    )


class UnevenLine(NamedTuple):
    """A line with a wrong number of fields."""

    number: int  # counted from 1
    text: str  # its first 500 characters
    outcome: str  # "left out", "mended", "cut" to the columns, or "filled up" with missing values


@dataclass(frozen=True)
class DetectedOptions:
    """Import options in effect: as requested or as detected.

    Parameters
    ----------
    n_rows, n_columns : int
    kind : {"text", "workbook", "JSON", "Parquet", "SPSS", "Stata", "SAS", "database", "frame"}
    encoding, separator, decimal, thousands, quote, comment : str
        As in `ReadOptions`; "" if the table has none.
    header_line : int, optional
        Counted from 1; None without a header.
    packed : bool
        Whether the file was compressed by gzip.
    in_blocks : bool
        Whether it is too large for memory: then `n_rows` counts the lines below the header.
    n_tables : int
        Number of stacked tables in the file, of which one was read.
    sheet : str
        The sheet of a workbook, or the file of a zip; "" if there is no choice.
    sheets : tuple of str
        All sheets or files.
    uneven : tuple of UnevenLine
        Lines with more or fewer fields than columns, and their treatment; at most 1,000.
    """

    n_rows: int
    n_columns: int
    kind: str = "text"
    encoding: str = ""
    separator: str = ""
    decimal: str = "."
    thousands: str = ""
    quote: str = '"'
    comment: str = ""
    header_line: int | None = None
    packed: bool = False
    in_blocks: bool = False
    n_tables: int = 1
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    uneven: tuple[UnevenLine, ...] = ()

    def __str__(self) -> str:
        """Describe it in one line.

        Examples
        --------
        >>> found = DetectedOptions(1704, 6, "text", "utf-8", ";", ",", header_line=1)
        >>> print(found)
        UTF-8, semicolon, decimal comma, header in line 1, 1,704 rows of 6 columns
        """
        size = f"{count(self.n_rows, 'row')} of {count(self.n_columns, 'column')}"
        size += ", read in blocks" if self.in_blocks else ""
        header = f"header in line {self.header_line}" if self.header_line else "no header"
        if self.kind == "workbook":
            return f"workbook, sheet {self.sheet}, {header.replace('line', 'row')}, {size}"
        if self.kind != "text":
            return size if self.kind == "frame" else f"{self.kind}, {size}"
        parts = [self.sheet] if self.sheet else []
        parts += ["gzip"] if self.packed else []
        parts.append(_ENCODING_NAMES.get(self.encoding, self.encoding))
        parts.append(SEPARATOR_NAMES.get(self.separator, f"separator {self.separator}"))
        if self.decimal != ".":
            parts.append(f"decimal {_MARK_NAMES.get(self.decimal, self.decimal)}")
        if self.thousands:
            parts.append(f"thousands {_MARK_NAMES.get(self.thousands, self.thousands)}")
        if self.quote not in ('"', ""):
            parts.append("single quotes" if self.quote == "'" else f"quotes {self.quote}")
        if self.comment:
            parts.append(f"comments after {self.comment}")
        return ", ".join([*parts, header, size])


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
    values = (record.fields[column] for record in records[:_JUDGED] if len(record.fields) > column)
    return [value for value in values if value not in BLANKS]


class NumberMarks(NamedTuple):
    """The decimal mark of a file, and its thousands mark, "" if it has none."""

    # `assumed` is True if 7,094 may be either and no other column decides.

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

    def note(self, sentence: str, position: str = "", remedy: str = "", *, code: str) -> None:
        """Add a finding, at a place in the file."""
        where = f"{self.name}, {position}" if position else self.name
        self.notices.append(Notice(sentence, where, remedy, code))

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
