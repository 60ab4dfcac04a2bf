"""Workbooks of Excel and LibreOffice: one sheet as a text table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from lincore.errors import DataError
from lincore.io.files.archives import list_zip
from lincore.io.tables.formats._apart import ParsedFile, run_apart
from lincore.limits import LIMITS, Limits, is_zip

OLD_EXCEL_MAGIC = b"\xd0\xcf\x11\xe0"
_MARKS = (b"xl/workbook.xml", b"xl/workbook.bin", b"content.xml")
_SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"
_DIRECTORY_BYTES = 65_536
_PROCESS = Path(__file__).with_name("_sheet_process.py")


class Sheet(NamedTuple):
    """One sheet of a workbook as text.

    Attributes
    ----------
    text : bytes
        CSV in UTF-8.
    name : str
    sheets : tuple of str
        The names of all sheets.
    """

    text: bytes
    name: str
    sheets: tuple[str, ...]


def is_workbook(raw: bytes) -> bool:
    """Return whether a file is a workbook: .xlsx, .xlsm, .xlsb, .xls or .ods."""
    if raw.startswith(OLD_EXCEL_MAGIC):
        return True
    if not is_zip(raw):
        return False
    directory = raw[-_DIRECTORY_BYTES:]
    if any(mark in directory for mark in _MARKS[:2]):
        return True
    return _MARKS[2] in directory and _SPREADSHEET in raw[:200]


def read_sheet(raw: bytes, name: str, sheet: str | None = None, limits: Limits = LIMITS) -> Sheet:
    """Read one sheet of a workbook: the requested one, or the one with the largest table."""
    if is_zip(raw):
        _refuse_bombs(raw, name, limits)
    n_cells, n_bytes = min(limits.max_cells, 20_000_000), limits.max_table_bytes
    arguments, parsed = (sheet or "", str(n_cells), str(n_bytes)), ParsedFile("workbook", name)
    head, _, text = run_apart(_PROCESS, arguments, raw, parsed).partition(b"\n")
    found = json.loads(head)
    sheets = tuple(found["sheets"])
    if sheet is not None and sheet not in sheets:
        raise DataError(
            f"There is no sheet {sheet!r}.",
            where=f"{name}, option sheet",
            remedy=f"Choose among: {', '.join(sheets[:10])}.",
        )
    if not found["chosen"]:
        raise DataError(
            "No sheet of the workbook contains a table.",
            where=name,
            remedy="Fill at least two columns of a sheet, without gaps between rows.",
        )
    return Sheet(text, found["chosen"], sheets)


def _refuse_bombs(raw: bytes, name: str, limits: Limits) -> None:
    """Reject a workbook whose zip directory shows that it unpacks to too much."""
    for file in list_zip(raw, name, limits):
        # Images and other media are never unpacked.
        if file.path.endswith((".xml", ".bin")) and file.refused not in ("", "empty file"):
            raise DataError(
                f"The workbook cannot be opened: {file.refused}.",
                where=f"{name}, {file.path}",
                remedy="Save the sheet as CSV (text with one row per line) and load that.",
            )
