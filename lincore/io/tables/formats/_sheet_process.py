"""A separate process that writes a sheet of a workbook as CSV.

A workbook of a few kilobytes can use any amount of memory, and the parser then terminates its
process, so it runs in a separate one. Nothing of lincore is imported here.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import zipfile
import zlib
from collections import Counter
from datetime import date, datetime
from typing import Any

from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

_MOST_SHEETS = 50
# A cell of a workbook with a formula and no value. A text may be empty.
_UNSTORED = re.compile(
    rb'<c\b(?![^<>]*\bt="str")[^<>]*>\s*<f\b(?:[^<>]*/>|[^<>]*>[^<]*</f>)'
    rb"\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)
_SHEET_FILE = re.compile(r"xl/worksheets/[^/]+\.xml$")


def text_of(value: Any) -> str:
    """Return a cell as in a text table: whole numbers and dates without a fraction."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        value = value.date()
    return value.isoformat() if isinstance(value, date) else str(value)


def score(rows: list[list[Any]]) -> int:
    """Count the cells of rows with the most frequent width, if this is at least two."""
    filled = Counter(sum(value != "" for value in row) for row in rows)
    return max((width * count for width, count in filled.items() if width > 1), default=0)


def filled_down(rows: list[list[Any]], sheet: Any) -> list[list[Any]]:
    """Return rows in which a cell merged over several rows is repeated in each of them."""
    above, left = sheet.start or (0, 0)
    for (first, column), (last, last_column) in sheet.merged_cell_ranges or ():
        first, last, column = first - above, last - above, column - left
        if not 0 <= first < len(rows):
            continue
        # A header consists of texts only: there, a merged cell is a single name.
        is_header = not any(isinstance(value, (float, int, date)) for value in rows[first])
        if column != last_column - left or is_header:
            continue
        for row in rows[first + 1 : last + 1]:
            row[column] = rows[first][column]
    return rows


def count_unstored(raw: bytes) -> int:
    """Count the formulas without values: a program that does not calculate has written them."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            sheets = [name for name in archive.namelist() if _SHEET_FILE.match(name)]
            return sum(len(_UNSTORED.findall(archive.read(name))) for name in sheets[:_MOST_SHEETS])
    # An old workbook; or one that the reader of workbooks repairs.
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        return 0


def main(wanted: str, max_cells: str, max_bytes: str) -> None:
    """Write the list of sheets as a line of JSON, and one sheet as CSV, to the output."""
    raw = sys.stdin.buffer.read()
    book = CalamineWorkbook.from_filelike(io.BytesIO(raw))
    worksheets = [s for s in book.sheets_metadata if s.typ == SheetTypeEnum.WorkSheet]
    names = [sheet.name for sheet in worksheets]
    visible = [s.name for s in worksheets if s.visible == SheetVisibleEnum.Visible]
    candidates = [wanted] if wanted in names else (visible or names)[:_MOST_SHEETS]
    best: tuple[int, str, int, list[list[Any]]] = (-1, "", 0, [])
    for name in candidates:
        sheet = book.get_sheet_by_name(name)
        if sheet.total_height * sheet.total_width > int(max_cells):
            raise MemoryError
        rows = filled_down(sheet.to_python(), sheet)
        above = sheet.start[0] if sheet.start else 0
        sheet_score = score(rows)
        best = (sheet_score, name, above, rows) if sheet_score > best[0] else best
    stream = io.StringIO()
    # Blank lines above preserve row numbers.
    stream.write("\n" * best[2])
    writer = csv.writer(stream, lineterminator="\n")
    for row in best[3]:
        writer.writerow([text_of(value) for value in row])
        if stream.tell() > int(max_bytes):
            raise MemoryError
    chosen = best[1] if best[0] > 0 or wanted else ""
    head = {"sheets": names, "chosen": chosen, "unstored": count_unstored(raw)}
    sys.stdout.buffer.write(f"{json.dumps(head)}\n{stream.getvalue()}".encode("utf-8", "replace"))
