"""Delimited text to a frame: the bytes, their encoding, the separator, the header, the values."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from lincore.data.labels import unique_names
from lincore.errors import DataError, Notice
from lincore.io.files.archives import unpack_gzip
from lincore.io.tables.text._arff import arff_as_csv, is_arff
from lincore.io.tables.text._header import Heading, find_heading
from lincore.io.tables.text._merge_notices import merge_notices
from lincore.io.tables.text._odd_rows import drop_odd_rows, drop_totals
from lincore.io.tables.text._tables_below import find_tables
from lincore.io.tables.text.column_types import tidy
from lincore.io.tables.text.dialect import Layout, find_layout
from lincore.io.tables.text.encoding import decode
from lincore.io.tables.text.label_marks import cut_labels
from lincore.io.tables.text.missing_values import mark_missing
from lincore.io.tables.text.numbers import Marks, find_marks
from lincore.io.tables.text.options import DetectedOptions, ReadOptions
from lincore.io.tables.text.rows import parse_rows
from lincore.limits import LIMITS, Limits, check_rows, check_size, check_table_shape


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
    if is_arff(text):
        text = arff_as_csv(text, name)
        options = replace(options, separator=options.separator or ",", quote="'", header=True)
    layout, n_tables, choosing = _layout_of_one(text, options, name)
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
    frame, first_line, parsing, uneven = parse_rows(layout, heading, names, marks, options, name)
    check_table_shape(*frame.shape, name, limits)
    notices = [*decoding, *choosing, *heading.notices, *naming, *parsing]
    if not options.as_text:
        frame, dropping = drop_odd_rows(frame, _header_fields(layout, heading), name)
        frame, tidying = tidy(frame, heading, marks, options)
        frame, totals = drop_totals(frame, name)
        notices += [*dropping, *tidying, *totals]
        # Rows left out between others make every line number wrong.
        first_line = None if dropping else first_line
    frame = cut_labels(mark_missing(frame, options.missing_in), options.cut_at)
    check_table_shape(*frame.shape, name, limits)
    reading = DetectedOptions(
        *frame.shape,
        uneven=uneven,
        encoding=encoding,
        separator=layout.separator,
        decimal=marks.decimal,
        thousands=marks.thousands,
        quote=layout.quote,
        comment=layout.comment,
        header_line=heading.header_line,
        packed=unpacked is not raw,
        n_tables=n_tables,
    )
    way = Way(layout._replace(text="", records=[]), names, marks, heading.first_line)
    return Delimited(frame, merge_notices(notices), first_line, reading), way


def _layout_of_one(
    text: str, options: ReadOptions, name: str
) -> tuple[Layout, int, tuple[Notice, ...]]:
    """Return the layout of the first table of the text, or of the one that was asked for."""
    layout = find_layout(text, options)
    starts = find_tables(layout)
    wanted = options.table or 1
    if wanted > len(starts):
        raise DataError(
            f"There is no table {wanted}: {len(starts)} was found.",
            where=f"{name}, option table",
            remedy="Choose another one, or leave it out.",
        )
    if len(starts) == 1:
        return layout, 1, ()
    begin, end = starts[wanted - 1], [*starts[1:], len(layout.text)][wanted - 1]
    # Blank lines instead of the others, for the numbers of the lines.
    part = "\n" * text.count("\n", 0, begin) + text[begin:end] if not layout.rewritten else ""
    layout = find_layout(part or layout.text[begin:end], options)
    lines = ", ".join(str(text.count("\n", 0, start) + 1) for start in starts)
    sentence = f"{len(starts)} tables stand below each other: number {wanted} was read."
    remedy = "Choose another one by the import option for the table."
    return layout, len(starts), (Notice(sentence, f"{name}, lines {lines}", remedy, "LIN002"),)


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
