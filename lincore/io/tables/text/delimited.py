"""Delimited text to a frame: the bytes, their encoding, the separator, the header, the values."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from lincore.data.labels import columns_named, unique_names
from lincore.errors import DataError, Notice
from lincore.io.files.archives import unpack_gzip
from lincore.io.tables.text._header import Heading, find_heading
from lincore.io.tables.text._leading_zeros import find_codes, may_have_zeros, restore_zeros
from lincore.io.tables.text._merge_notices import merge_notices
from lincore.io.tables.text._odd_rows import drop_odd_rows, drop_totals
from lincore.io.tables.text._parsing import of_one_kind, parse_text, pieces_of
from lincore.io.tables.text.column_assignment import with_columns
from lincore.io.tables.text.dialect import Layout, find_layout, read_records
from lincore.io.tables.text.encoding import decode
from lincore.io.tables.text.missing_values import MISSING_CODES, mark_missing
from lincore.io.tables.text.numbers import Marks, find_marks, read_numbers
from lincore.io.tables.text.options import SPACES, DetectedOptions, ReadOptions
from lincore.limits import LIMITS, Limits, check_rows, check_size, check_table_shape

_FOOTER_LINES = 10
_SHORT_LINES = 1_000
_BEGINNING = 2_000_000
_FEW_ROWS = 5_000
_JUDGED_LINES = 200_000


class Way(NamedTuple):
    """Plan for reading rows: the layout without its text, the columns, the first line of rows."""

    layout: Layout
    names: list[str]
    marks: Marks
    first_line: int


class Delimited(NamedTuple):
    """Content of the text, notices on it, and the line of the first row.

    `first_line` counts from 1; it is None where rows and lines do not run together.
    """

    frame: pd.DataFrame
    notices: tuple[Notice, ...]
    first_line: int | None
    reading: DetectedOptions


def read_delimited(
    raw: bytes, name: str, options: ReadOptions | None = None, limits: Limits = LIMITS
) -> Delimited:
    r"""Read delimited text; whatever the options leave open is detected.

    Parameters
    ----------
    raw : bytes
        The file, possibly packed by gzip.
    name : str
        The file's name, for messages.
    options : ReadOptions, optional
    limits : Limits

    Returns
    -------
    Delimited

    Raises
    ------
    DataError
        When this is no text, is too large, or has fewer than two columns or no rows.

    Examples
    --------
    >>> read_delimited(b"a;b\n1,5;x\n2,5;y\n", "small.csv").frame["a"].tolist()
    [1.5, 2.5]
    """
    return read_with_way(raw, name, options, limits)[0]


def read_with_way(
    raw: bytes, name: str, options: ReadOptions | None = None, limits: Limits = LIMITS
) -> tuple[Delimited, Way]:
    """Read as `read_delimited` does, and return the way too, for more rows of the same kind."""
    options = options or ReadOptions()
    check_size(len(raw), name, limits)
    most = min(limits.max_table_bytes, limits.max_file_bytes)
    unpacked = unpack_gzip(raw, name, replace(limits, max_file_bytes=most))
    check_size(len(unpacked), name, replace(limits, max_file_bytes=most))
    text, encoding, decoding = decode(unpacked, name, options.encoding, limits)
    layout = find_layout(text, options)
    for record in layout.records[:1]:
        # Before a million names are looked at.
        check_table_shape(1, max(len(record.fields), 2), name, limits)
    heading = find_heading(layout, options.header, name)
    names, naming = unique_names(heading.names)
    n_lines = text.count("\n") + 1
    check_table_shape(n_lines, len(names), name, limits)
    # The header, and what follows the last line end, are no rows.
    check_rows(n_lines - 2, name, limits)
    marks = marks_of(layout, heading, options)
    frame, first_line, parsing = _parse(layout, heading, names, marks, options, name)
    check_table_shape(*frame.shape, name, limits)
    frame, dropping = drop_odd_rows(frame, _header_fields(layout, heading), name)
    frame, tidying = _tidy(frame, heading, marks, options)
    frame, totals = drop_totals(frame, name)
    # Rows left out between others make every line number wrong.
    first_line = None if dropping else first_line
    frame = mark_missing(frame, options.missing_in)
    check_table_shape(*frame.shape, name, limits)
    reading = DetectedOptions(
        *frame.shape,
        encoding=encoding,
        separator=layout.separator,
        decimal=marks.decimal,
        thousands=marks.thousands,
        quote=layout.quote,
        comment=layout.comment,
        header_line=heading.header_line,
        packed=unpacked is not raw,
    )
    notices = merge_notices(
        (*decoding, *heading.notices, *naming, *parsing, *dropping, *tidying, *totals)
    )
    way = Way(layout._replace(text="", records=[]), names, marks, heading.first_line)
    return Delimited(frame, notices, first_line, reading), way


def _header_fields(layout: Layout, heading: Heading) -> list[str]:
    line = heading.header_line
    return next((record.fields for record in layout.records if record.first_line == line), [])


def marks_of(layout: Layout, heading: Heading, options: ReadOptions) -> Marks:
    """Return the decimal and the thousands mark: those asked for, or those found."""
    body = [record for record in layout.records if record.first_line >= heading.first_line]
    found = find_marks(body, layout.separator)
    decimal = options.decimal or found.decimal
    agree = decimal == found.decimal
    thousands = (
        (found.thousands if agree else "") if options.thousands is None else options.thousands
    )
    return Marks(decimal, thousands, found.assumed and options.decimal is None)


def _parse(
    layout: Layout,
    heading: Heading,
    names: Sequence[str],
    marks: Marks,
    options: ReadOptions,
    name: str,
) -> tuple[pd.DataFrame, int | None, tuple[Notice, ...]]:
    """Read the rows below the header; say which lines were short or left out."""
    _check_first_row(layout, heading, names, name)
    rows, footer = _without_footer(_from_line(layout.text, heading.first_line), layout)
    frame = _read_csv(rows, layout, names, marks, options, name, heading.first_line)
    n_lines = rows.rstrip("\n").count("\n") + 1
    notices = []
    if (
        len(frame) < n_lines
        and layout.quote in rows
        and len(frame) < n_lines - _count_blank(rows)
        and _splits_evenly(rows, layout, len(names))
    ):
        # An apostrophe or quotation mark that opens a text and never closes it joins lines.
        unquoted = layout._replace(quote="")
        del frame
        frame = _read_csv(rows, unquoted, names, marks, options, name, heading.first_line)
        notices.append(Notice("Quotation marks do not come in pairs: read as plain text.", name))
    # Blank lines and line breaks inside quotes would make every line number wrong.
    first_line = heading.first_line if n_lines == len(frame) else None
    if footer:
        sentence = f"It stands below the table and was left out: {footer[:60]!r}."
        notices.append(Notice(sentence, f"{name}, at the end"))
    short = _short_lines(rows, layout, frame, first_line)
    if short:
        shown = ", ".join(map(str, short[:10])) + (" and more" if len(short) > 10 else "")
        sentence = "Fewer fields than columns: the rest was read as missing."
        notices.append(Notice(sentence, f"{name}, line{'s' if len(short) > 1 else ''} {shown}"))
    return frame, first_line, tuple(notices)


def _count_blank(rows: str) -> int:
    """Return how many lines hold nothing, which are no rows."""
    return len(re.findall(r"^[ \r]*\n", rows, re.MULTILINE))


def _check_first_row(layout: Layout, heading: Heading, names: Sequence[str], name: str) -> None:
    """Refuse a first row that pandas would cut to the number of columns."""
    beginning = _from_line(layout.text, heading.first_line)[:_BEGINNING]
    first = next(read_records(beginning, layout.separator, layout.quote), None)
    if first is not None and any(first.fields[len(names) :]):
        raise DataError(
            f"The line has {len(first.fields)} fields; there are {len(names)} columns.",
            where=f"{name}, line {heading.first_line}",
            remedy="Put text that holds the separator in quotation marks, which come in pairs.",
        )


def _from_line(text: str, line: int) -> str:
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
        if not start:
            return ""
    return text[start:]


def _without_footer(rows: str, layout: Layout) -> tuple[str, str]:
    """Cut lines of a single field off the end of a table of three columns or more."""
    footer = ""
    for _ in range(_FOOTER_LINES if layout.width >= 3 else 0):
        stripped = rows.rstrip()
        start = stripped.rfind("\n") + 1
        line = stripped[start:]
        if not start or (layout.quote and layout.quote in line) or layout.separator == SPACES:
            break
        record = next(read_records(line, layout.separator, layout.quote), None)
        if record is None or len(record.fields) > 1:
            break
        rows, footer = rows[:start], line.strip()
    return rows, footer


def _read_csv(
    rows: str,
    layout: Layout,
    names: Sequence[str],
    marks: Marks,
    options: ReadOptions,
    name: str,
    first_line: int,
) -> pd.DataFrame:
    # With a decimal comma 1.234 is no number with a fraction: what is one is decided later.
    everything: Any = "str" if marks.decimal == "," or "." in marks.thousands else None
    how = csv_arguments(layout, names, options)
    try:
        if everything is not None:
            return parse_text(rows, dtype=everything, **how)
        frame = of_one_kind(parse_text(rows, **how), rows, how)
        if not any(may_have_zeros(piece, layout.separator) for piece in pieces_of(rows)):
            return frame
        return restore_zeros(frame, lambda some: parse_text(rows, dtype="str", usecols=some, **how))
    except (pd.errors.ParserError, pd.errors.EmptyDataError, OverflowError) as error:
        if _splits_evenly(rows, layout, len(names)):
            unquoted = layout._replace(quote="")
            return _read_csv(rows, unquoted, names, marks, options, name, first_line)
        shorter = _without_blank_ends(rows, layout, len(names))
        if shorter is not None:
            return _read_csv(shorter, layout, names, marks, options, name, first_line)
        raise parse_error(str(error), name, first_line) from error


def _without_blank_ends(rows: str, layout: Layout, n_columns: int) -> str | None:
    """Cut fields without text that stand behind the last column; None where there are none."""
    mark = layout.separator
    if mark == SPACES:
        return None
    lines = []
    for line in io.StringIO(rows, newline="\n"):
        fields = line.rstrip("\n").split(mark)
        # Between quotation marks a separator is text.
        plain = not layout.quote or layout.quote not in line
        if plain and len(fields) > n_columns and not "".join(fields[n_columns:]).strip():
            line = mark.join(fields[:n_columns]) + "\n"
        lines.append(line)
    shorter = "".join(lines)
    return shorter if len(shorter.rstrip("\n")) < len(rows.rstrip("\n")) else None


def csv_arguments(layout: Layout, names: Sequence[str], options: ReadOptions) -> dict[str, Any]:
    """Return what pandas must be told to read the rows below the header."""
    given = options.missing_codes
    return {
        "sep": r"\s+" if layout.separator == SPACES else layout.separator,
        "header": None,
        "names": list(names),
        "index_col": False,
        "na_values": ["", *given] if given is not None else list(MISSING_CODES),
        "keep_default_na": given is None,
        "quotechar": layout.quote or '"',
        "quoting": csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE,
        "skipinitialspace": True,
        "low_memory": False,
    }


def _splits_evenly(rows: str, layout: Layout, n_columns: int) -> bool:
    """Tell whether every line has all fields even if quotation marks are plain text."""
    if (
        not layout.quote
        or layout.separator == SPACES
        or rows.count(layout.separator) % max(n_columns - 1, 1)
    ):
        return False
    lines = (line for line in io.StringIO(rows, newline="\n") if line != "\n")
    return all(line.count(layout.separator) == n_columns - 1 for line in lines)


def parse_error(message: str, name: str, first_line: int) -> DataError:
    """Say in the user's words, and lines, what pandas found."""
    counts = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if counts:
        return DataError(
            f"The line has {counts[3]} fields, the first one has {counts[1]}.",
            where=f"{name}, line {int(counts[2]) + first_line - 1}",
            remedy="Put text that holds the separator in quotation marks.",
        )
    if "No columns" in message:
        return DataError("There are no rows.", where=name, remedy="Load a table that holds rows.")
    return DataError(
        f"The table cannot be read: {message.rstrip('.')}.",
        where=name,
        remedy="Check that quotation marks come in pairs.",
    )


def _short_lines(
    rows: str, layout: Layout, frame: pd.DataFrame, first_line: int | None
) -> list[int]:
    """Return the numbers of the lines that have fewer fields than there are columns."""
    if first_line is None or frame.empty:
        return []
    # Only a row whose last field is missing can be short.
    suspects = frame.iloc[:, -1].isna().to_numpy().nonzero()[0]
    suspects = suspects[suspects < _JUDGED_LINES][:_SHORT_LINES]
    if not len(suspects):
        return []
    lines, width, short = rows.split("\n", suspects[-1] + 1), frame.shape[1], []
    for row in suspects:
        record = next(read_records(lines[row], layout.separator, layout.quote), None)
        if record is not None and len(record.fields) < min(width, layout.width):
            short.append(first_line + int(row))
    return short


def is_text(column: pd.Series[Any]) -> bool:
    """Tell whether pandas left a column as text."""
    return isinstance(column.dtype, pd.StringDtype) or column.dtype == object


def stripped(column: pd.Series[Any], options: ReadOptions) -> pd.Series[Any]:
    """Return a text column without blanks around its values, missing-value codes taken out."""
    given = options.missing_codes
    marked = ["", *(mark.strip() for mark in (MISSING_CODES if given is None else given))]
    if column.dtype == object:
        column = column.astype("str").where(column.notna())
    if len(column) <= _FEW_ROWS:
        # In pandas each step takes a third of a millisecond, for each of thousands of columns.
        values = column.tolist()
        tidy = [value.strip() if isinstance(value, str) else None for value in values]
        tidy = [None if value in marked else value for value in tidy]
        same = all(a == b for a, b in zip(values, tidy, strict=True) if isinstance(a, str))
        return column if same else pd.Series(tidy, name=column.name, dtype="str")
    column = column.str.strip()
    blank = column.isin(marked)
    return column.mask(blank) if blank.any() else column


def _tidy(
    frame: pd.DataFrame, heading: Heading, marks: Marks, options: ReadOptions
) -> tuple[pd.DataFrame, list[Notice]]:
    """Strip text, find the numbers in it, drop the columns that only trailing separators made."""
    names = [str(name) for name in frame]
    kinds = zip(names, frame.dtypes, strict=True)
    # By its type: of thousands of columns of numbers none is taken out to be looked at.
    wordy = [name for name, kind in kinds if kind.kind == "O"]
    texts = {name: stripped(frame[name], options) for name in wordy}
    codes, keeping = find_codes(texts, len(names))
    notices = list(keeping)
    for name, column in texts.items():
        strict = options.decimal is not None
        numbers = None if name in codes else read_numbers(column, marks, strict)
        texts[name] = column if numbers is None else numbers.column
        notices += () if numbers is None else numbers.notices
    # Thousands of columns of numbers are left where they are.
    if len(texts) < len(names) / 2:
        frame = with_columns(frame, texts)
    else:
        frame = pd.DataFrame({name: texts.get(name, frame[name]) for name in names})
    unnamed = [
        name
        for i, name in reversed(list(enumerate(names, start=1)))
        if name == f"column {i}" and heading.header_line and frame[name].isna().all()
    ]
    tail = names[len(names) - len(unnamed) :]
    if unnamed and len(unnamed) < len(names) and unnamed[::-1] == tail:
        sentence = "Left out, neither a name nor a value."
        notices.append(Notice(sentence, columns_named(tail)))
        frame = frame[names[: -len(tail)]]
    return frame, notices
