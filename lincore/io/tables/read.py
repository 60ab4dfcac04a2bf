"""Reading a text table in phases: decode, dialect, header, parse, then column rules."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from lincore.data.labels import columns_named, unique_names
from lincore.errors import DataError, Notice
from lincore.io.files.archives import unpack_gzip
from lincore.io.tables.column_roles import Role
from lincore.io.tables.rules.blank_rows import BlankRows
from lincore.io.tables.rules.declared_types import DeclaredTypes
from lincore.io.tables.rules.label_marks import CutLabels
from lincore.io.tables.rules.leading_zeros import LeadingZeros
from lincore.io.tables.rules.missing_values import MissingIn
from lincore.io.tables.rules.numbers_in_text import NumbersInText
from lincore.io.tables.rules.ordered_levels import OrderedLevels
from lincore.io.tables.rules.protocol import ColumnRule, Columns
from lincore.io.tables.rules.repeated_headers import RepeatedHeaders
from lincore.io.tables.rules.stripped_text import StrippedText
from lincore.io.tables.rules.totals import Totals
from lincore.io.tables.rules.unnamed_columns import UnnamedColumns
from lincore.io.tables.text.arff import arff_as_csv, is_arff
from lincore.io.tables.text.dialect import Layout, find_layout
from lincore.io.tables.text.encoding import Decoded, decode
from lincore.io.tables.text.header import Heading, find_heading
from lincore.io.tables.text.marks import NumberMarks, find_marks
from lincore.io.tables.text.options import DetectedOptions, ReadOptions
from lincore.io.tables.text.orange import refuse_basket
from lincore.io.tables.text.rows import parse_rows
from lincore.io.tables.text.tables_below import find_tables
from lincore.limits import LIMITS, Limits, check_rows, check_size, check_table_shape

#: Rules for parsed columns, applied in this order.
COLUMN_RULES: tuple[ColumnRule, ...] = (
    BlankRows(),
    RepeatedHeaders(),
    StrippedText(),
    LeadingZeros(),
    NumbersInText(),
    UnnamedColumns(),
    Totals(),
    DeclaredTypes(),
    MissingIn(),
    CutLabels(),
    OrderedLevels(),
)
#: Rules for cells that stay unchanged: only what was requested.
RULES_FOR_TEXT: tuple[ColumnRule, ...] = (MissingIn(), CutLabels(), OrderedLevels())
_COLUMN = re.compile(r"column '(.*)'|column \"(.*)\"")
# What differs between columns with the same fault: a number of rows, an example.
_OWN = re.compile(r" \([\d,]+ rows?\)|,? such as ('[^']*'|\"[^\"]*\"),?")


class Way(NamedTuple):
    """Plan for reading rows: the layout without its text, the columns, the first line of rows."""

    layout: Layout
    names: list[str]
    marks: NumberMarks
    first_line: int


class Delimited(NamedTuple):
    """Content of the text, findings, and the line of the first row.

    `first_line` counts from 1; it is None if rows do not correspond to lines. `roles` are those
    declared in the file.
    """

    frame: pd.DataFrame
    notices: tuple[Notice, ...]
    first_line: int | None
    reading: DetectedOptions
    roles: Mapping[str, Role] = {}


def read_delimited(
    raw: bytes, name: str, options: ReadOptions | None = None, limits: Limits = LIMITS
) -> Delimited:
    r"""Read delimited text; unspecified options are detected."""
    return read_with_way(raw, name, options, limits)[0]


def read_with_way(
    raw: bytes, name: str, options: ReadOptions | None = None, limits: Limits = LIMITS
) -> tuple[Delimited, Way]:
    """Like `read_delimited`, but also return the plan for reading more rows of the same kind."""
    decoded, packed, options = _decode(raw, name, options or ReadOptions(), limits)
    layout, n_tables, choosing = _find_dialect(decoded.text, options, name, limits)
    heading = find_heading(layout, options, name)
    names, naming = _name_columns(layout, heading, name, limits)
    marks = _find_marks(layout, heading, options)
    parsed = parse_rows(layout, heading, names, marks, options, name)
    check_table_shape(*parsed.frame.shape, name, limits)
    findings = [*decoded.notices, *choosing, *heading.notices, *naming, *parsed.notices]

    header = _header_fields(layout, heading)
    declared = heading.declared
    types = dict(zip(names, declared.types, strict=True)) if declared else {}
    columns = Columns(parsed.frame, name, options, marks, header, declared=types)
    for rule in RULES_FOR_TEXT if options.as_text else COLUMN_RULES:
        applied = None if set(rule.codes) & {*options.overrule} else rule.apply(columns)
        if applied is not None:
            columns, found = applied
            findings += found

    check_table_shape(*columns.frame.shape, name, limits)
    reading = DetectedOptions(
        *columns.frame.shape,
        uneven=parsed.uneven,
        encoding=decoded.encoding,
        separator=layout.separator,
        decimal=marks.decimal,
        thousands=marks.thousands,
        quote=layout.quote,
        comment=layout.comment,
        header_line=heading.header_line,
        packed=packed,
        n_tables=n_tables,
    )
    # Includes a column of the fields after the last one in some lines.
    columns_read = parsed.frame.columns.tolist()
    way = Way(layout._replace(text="", records=[]), columns_read, marks, heading.first_line)
    first_line = parsed.first_line if columns.rows_kept else None
    pairs = zip(names, declared.roles if declared else (), strict=False)
    roles = {column: role for column, role in pairs if role and column in columns.frame}
    return Delimited(columns.frame, _merge_notices(findings), first_line, reading, roles), way


def _decode(
    raw: bytes, name: str, options: ReadOptions, limits: Limits
) -> tuple[Decoded, bool, ReadOptions]:
    """Return the text, whether it was compressed, and the options, partly set by ARFF."""
    check_size(len(raw), name, limits)
    most = replace(limits, max_file_bytes=min(limits.max_table_bytes, limits.max_file_bytes))
    unpacked = unpack_gzip(raw, name, most)
    check_size(len(unpacked), name, most)
    decoded = decode(unpacked, name, options.encoding, limits)
    refuse_basket(decoded.text, name)
    if is_arff(decoded.text):
        decoded = decoded._replace(text=arff_as_csv(decoded.text, name))
        options = replace(options, separator=options.separator or ",", quote="'", header=True)
    return decoded, unpacked is not raw, options


def _find_dialect(
    text: str, options: ReadOptions, name: str, limits: Limits
) -> tuple[Layout, int, tuple[Notice, ...]]:
    """Return the layout of the first table of the text, or of the requested one."""
    layout = find_layout(text, options)
    for record in layout.records[:1]:
        # Checked before a million names are processed.
        check_table_shape(1, max(len(record.fields), 2), name, limits)
    starts = find_tables(layout)
    wanted = options.table or 1
    if wanted > len(starts):
        raise DataError(
            f"There is no table {wanted}; found: {len(starts)}.",
            where=f"{name}, option table",
            remedy="Choose another one, or leave it out.",
        )
    if len(starts) == 1:
        return layout, 1, ()
    begin, end = starts[wanted - 1], [*starts[1:], len(layout.text)][wanted - 1]
    # Blank lines replace the others, to preserve line numbers.
    part = "\n" * text.count("\n", 0, begin) + text[begin:end] if not layout.rewritten else ""
    layout = find_layout(part or layout.text[begin:end], options)
    lines = ", ".join(str(text.count("\n", 0, start) + 1) for start in starts)
    sentence = f"{len(starts)} tables are stacked: number {wanted} was read."
    remedy = "Choose another one with the import option for the table."
    return layout, len(starts), (Notice(sentence, f"{name}, lines {lines}", remedy, "LIN002"),)


def _name_columns(
    layout: Layout, heading: Heading, name: str, limits: Limits
) -> tuple[list[str], tuple[Notice, ...]]:
    """Return unique column names; reject tables with too many cells."""
    names, naming = unique_names(heading.names)
    n_lines = layout.text.count("\n") + 1
    check_table_shape(n_lines, len(names), name, limits)
    # The header, and text after the last line end, are not rows.
    check_rows(n_lines - 2, name, limits)
    return names, tuple(naming)


def _header_fields(layout: Layout, heading: Heading) -> tuple[str, ...]:
    line = heading.header_line
    found = (record.fields for record in layout.records if record.first_line == line)
    return tuple(next(found, ()))


def _find_marks(layout: Layout, heading: Heading, options: ReadOptions) -> NumberMarks:
    """Return the decimal and the thousands mark, as requested or detected."""
    body = [record for record in layout.records if record.first_line >= heading.first_line]
    found = find_marks(body, layout.separator)
    decimal = options.decimal or found.decimal
    agree = decimal == found.decimal
    thousands = (
        (found.thousands if agree else "") if options.thousands is None else options.thousands
    )
    return NumberMarks(decimal, thousands, found.assumed and options.decimal is None)


def _merge_notices(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Merge the notices that say the same of several columns, where the first of them stands."""
    alike: dict[tuple[str, str, str, str], list[Notice]] = {}
    for notice in notices:
        column = _COLUMN.fullmatch(notice.where)
        what = _OWN.sub("", notice.what) if column else notice.what
        alike.setdefault(
            (what, "" if column else notice.where, notice.remedy, notice.code), []
        ).append(notice)
    return tuple(
        same[0] if len(same) == 1 else Notice(what, where or _places(same), remedy, code)
        for (what, where, remedy, code), same in alike.items()
    )


def _places(notices: Sequence[Notice]) -> str:
    found = (_COLUMN.fullmatch(notice.where) for notice in notices)
    return columns_named([match[1] or match[2] or "" for match in found if match])
