"""Further tables below the first one: where they begin."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from lincore.errors import DataError
from lincore.io.tables.text.alignment import profile_of
from lincore.io.tables.text.dialect import find_dialect, read_records
from lincore.io.tables.text.fields import SPACES, are_numbers, split
from lincore.io.tables.text.header import is_above_values
from lincore.io.tables.text.options import PLACES, Record, TextImport, nonblank_values
from lincore.limits import check_table_shape

_MOST_BLOCKS = 100
_JUDGED_LINES = 30
_JUDGED_CHARS = 100_000
_FEWEST_LINES, _FEWEST_ROWS = 3, 2
_ALIKE = 0.9
_FEWEST_TAIL, _MOST_TAIL = 4, 20_000
# Text above a table is much shorter than the table.
_FAR = 5
_FEWEST_NUMERIC = 2
_WITHOUT_DIGITS = re.compile(r"\n([^0-9\n]+)(?=\n)")


class _Block(NamedTuple):
    """Lines between blank ones: start, number, and the first of them."""

    start: int
    n_lines: int
    records: list[Record]
    width: int


def choose_table(table: TextImport) -> None:
    """If several tables are stacked, keep the text of the first or of the requested one."""
    for record in table.records[:1]:
        # Checked before a million names are processed.
        check_table_shape(1, max(len(record.fields), 2), table.name, table.limits)
    starts, number = _find_tables(table), table.options.table or 1
    if number > len(starts):
        raise DataError(
            f"There is no table {number}; found: {len(starts)}.",
            where=f"{table.name}, option table",
            remedy="Choose another one, or leave it out.",
        )
    if len(starts) == 1:
        return
    lines = ", ".join(str(table.text.count("\n", 0, start) + 1) for start in starts)
    begin, end = starts[number - 1], [*starts[1:], len(table.text)][number - 1]
    # Blank lines replace the others, to preserve line numbers.
    above = "" if table.is_rewritten else "\n" * table.text.count("\n", 0, begin)
    table.text = above + table.text[begin:end]
    comment, is_rewritten = table.comment, table.is_rewritten
    find_dialect(table)
    # Comments are gone from the text, and quotation marks around lines.
    table.comment, table.is_rewritten = table.comment or comment, table.is_rewritten or is_rewritten
    table.n_tables = len(starts)
    sentence = f"{len(starts)} tables are stacked: number {number} was read."
    remedy = "Choose another one with the import option for the table."
    table.note(sentence, f"lines {lines}", remedy, code="LIN002")


def _find_tables(table: TextImport) -> list[int]:
    r"""Return where each table begins in the text; the first begins at 0."""
    # Blank lines separate tables if the following lines have equal numbers of fields, but a
    # different number than before, or name other columns. Without a blank line a table begins where
    # all remaining lines have a different number of fields, or where other names occur in columns
    # of which at least two are numeric.
    text, separator = table.text, table.separator
    if separator in (SPACES, PLACES):
        return [0]
    blank = islice(re.finditer(rf"\n[{re.escape(separator)}\s]*\n", text), _MOST_BLOCKS + 1)
    gaps = [(match.start() + 1, match.end()) for match in blank]
    if len(gaps) > _MOST_BLOCKS:
        # Rows with blank lines between them.
        return [0]
    starts = [0]
    begins, ends = [0, *(gap[1] for gap in gaps)], [*(gap[0] for gap in gaps), len(text)]
    blocks = [_block(table, a, b) for a, b in zip(begins, ends, strict=True)]
    former: _Block | None = None
    for block in blocks:
        if block.n_lines < _FEWEST_LINES or block.width < 2:
            continue
        if former is None or (len(starts) == 1 and former.n_lines * _FAR < block.n_lines):
            former = block
            continue
        quoted = table.quote and text.count(table.quote, 0, block.start) % 2
        known, rows = ([record.fields for record in some.records] for some in (former, block))
        goes_on = block.width != former.width and _continue_columns(known[1:], rows)
        # More rows of the table above have no header.
        head, *body = block.records
        named = head.fields != former.records[0].fields and is_above_values(head, body)
        is_new = len(body) >= _FEWEST_ROWS and (block.width != former.width or named)
        if not quoted and not goes_on and is_new:
            starts.append(block.start)
            former = block
    if len(starts) > 1:
        return starts
    tail = _find_tail(table) or _find_header_below(table)
    return starts if tail is None else [*starts, tail]


def _find_tail(table: TextImport) -> int | None:
    """Return the line from which on all lines have another number of fields."""
    text, width = table.text.rstrip("\n"), 0
    start = end = len(text)
    for n_lines in range(_MOST_TAIL):
        above = text.rfind("\n", 0, end)
        line = text[above + 1 : end]
        n_fields = len(split(line, table.separator, table.quote)) if line.strip() else 0
        width = width or n_fields
        if n_fields != width or width == table.width or width < 2 or above < 0:
            if n_lines < _FEWEST_TAIL or n_fields != table.width:
                return None
            rows = [split(row, table.separator, table.quote) for row in text[start:].splitlines()]
            known = [r.fields for r in table.records[1:] if len(r.fields) == table.width]
            return None if _continue_columns(known, rows) else start
        start, end = above + 1, above
    return None


def _continue_columns(above: list[list[str]], rows: list[list[str]]) -> bool:
    """Return whether rows of another width match the columns above them, from the first on."""
    # They must be numbers and words, so that there is no header among the rows, or recurring
    # levels: numbers alone may belong to any table.
    rows = [row for row in rows[:_JUDGED_LINES] if any(row)]
    width = min(map(len, [*above, *rows]), default=0)
    profile = profile_of([row[:width] for row in above], width)
    of_numbers = [kinds["number"] > 0 for kinds in profile.kinds if not kinds["word"]]
    if 0 < len(of_numbers) < width and any(of_numbers):
        fields = (pair for row in rows for pair in enumerate(row[:width]))
        return all(profile.is_usual(field, i) for i, field in fields if field)
    return any(profile.recurs) and all(profile.n_odd(row[:width]) == 0 for row in rows)


def _find_header_below(table: TextImport) -> int | None:
    """Return the position of a second header of the same width between rows of numbers."""
    text, width = table.text, table.width
    first = [record for record in table.records[: 1 + _FEWEST_ROWS] if len(record.fields) == width]
    if len(first) <= _FEWEST_ROWS or _n_numeric(first[1:]) < _FEWEST_NUMERIC:
        return None
    for match in islice(_WITHOUT_DIGITS.finditer(text), _MOST_BLOCKS):
        fields = split(match[1], table.separator, table.quote)
        if len(set(fields) - {""}) < len(fields) or len(fields) != width:
            continue
        above = _block(table, 0, match.start() + 1).records
        below = _block(table, match.end(), len(text)).records
        rows = [record for record in (*above, *below) if len(record.fields) == width]
        recurs = any(record.fields[i] == field for i, field in enumerate(fields) for record in rows)
        quoted = table.quote and text.count(table.quote, 0, match.start()) % 2
        if recurs or quoted or min(len(above), len(below)) < _FEWEST_LINES:
            continue
        is_header = is_above_values(Record(fields, 1, 1), below)
        if is_header and _n_numeric(above[1:]) >= _FEWEST_NUMERIC:
            return match.start() + 1
    return None


def _n_numeric(rows: list[Record]) -> int:
    """Count the columns with only numbers."""
    width = min((len(row.fields) for row in rows), default=0)
    return sum(are_numbers(nonblank_values(rows, i)) for i in range(width))


def _block(table: TextImport, begin: int, end: int) -> _Block:
    some = table.text[begin : min(end, begin + _JUDGED_CHARS)].split("\n", _JUDGED_LINES)
    lines = [line for line in some[:_JUDGED_LINES] if line.strip()]
    records = [Record(split(line, table.separator, table.quote), 1, 1) for line in lines]
    width = _width(records)
    if not width and table.quote:
        # Texts of several lines.
        records = list(read_records("\n".join(lines), table.separator, table.quote))
        width = _width(records)
    while records and len(records[0].fields) == 1:
        # A title above the table.
        records = records[1:]
    return _Block(begin, table.text.count("\n", begin, end), records, width)


def _width(records: list[Record]) -> int:
    """Return the number of fields of nearly all records below a title, or zero."""
    widths = [len(record.fields) for record in records]
    while widths and widths[0] == 1:
        widths = widths[1:]
    width = max(widths, key=widths.count, default=0)
    return width if widths.count(width) >= _ALIKE * len(widths) else 0
