"""Workbooks, and files of SPSS, Stata and SAS: parsed in a separate process.

A small file may make these parsers use any amount of memory or time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from lincore.data.frames import columns_named
from lincore.errors import DataError, Notice, not_among
from lincore.io.files.archives import list_zip
from lincore.io.files.sources import STATFILES
from lincore.io.tables.formats.parquet import read_parquet
from lincore.io.tables.text.options import ReadOptions
from lincore.limits import LIMITS, SAVE_AS_TEXT, Limits, check_size, is_zip
from lincore.utils.formatting import count

# The parser of a file of the maximum size needs half of that.
_MEMORY_BYTES = 1_500_000_000
_SECONDS = 60
_LONGEST = 200
# Calls `main` of a script. Memory is limited once its libraries are loaded; where a system knows no
# such limit, only that on time applies.
_CALL = """
import runpy, sys
script, memory, *arguments = sys.argv[1:]
main = runpy.run_path(script)["main"]
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
except (ImportError, ValueError, OSError):
    pass
try:
    main(*arguments)
except MemoryError:
    sys.exit("too large")
except Exception as error:
    sys.exit(str(error) or type(error).__name__)
"""
_SHEET_PROCESS = Path(__file__).with_name("_sheet_process.py")
_MOST_CELLS = 10_000_000
_ABSENT = "pyreadstat is not installed"
_INSTALL = "Install it (pip install lincore[statfiles]), or save the table as CSV and load that."
_STATFILE_PROCESS = Path(__file__).with_name("_statfile_process.py")


def _run(script: Path, arguments: Sequence[str], raw: bytes, kind: str, name: str) -> list[bytes]:
    """Return the line of JSON and the table that ``main(*arguments)`` of a script writes."""
    # `kind` and `name` of the file are for messages.
    try:
        done = subprocess.run(  # noqa: S603  our own files, without a shell
            [sys.executable, "-I", "-c", _CALL, str(script), str(_MEMORY_BYTES), *arguments],
            input=raw,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _unreadable("it takes too long", kind, name) from error
    except (OSError, ValueError) as error:
        raise _unreadable(str(error), kind, name) from error
    if not done.returncode:
        return done.stdout.split(b"\n", 1)
    reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if done.returncode < 0 or reason[-1:] == ["too large"]:
        raise DataError(f"The {kind} is too large to be opened.", where=name, remedy=SAVE_AS_TEXT)
    raise _unreadable(reason[-1][:_LONGEST] if reason else "it is damaged", kind, name)


def _unreadable(reason: str, kind: str, name: str) -> DataError:
    message = f"The {kind} cannot be read: {reason.rstrip('.')}."
    remedy = "Open it, save the table as CSV (text with one row per line), and load that."
    return DataError(message, where=name, remedy=_INSTALL if reason == _ABSENT else remedy)


class Sheet(NamedTuple):
    """One sheet of a workbook as text."""

    text: bytes  # CSV in UTF-8
    name: str
    sheets: tuple[str, ...]  # the names of all sheets
    n_unstored: int  # formulas of the workbook without a stored value


def read_sheet(raw: bytes, name: str, sheet: str | None = None, limits: Limits = LIMITS) -> Sheet:
    """Read one sheet of a workbook: the requested one, or the one with the largest table."""
    # By the directory of the zip. Images and other media are never unpacked.
    for file in list_zip(raw, name, limits) if is_zip(raw) else ():
        if file.path.endswith((".xml", ".bin")) and file.refused not in ("", "empty file"):
            message = f"The workbook cannot be opened: {file.refused}."
            raise DataError(message, where=f"{name}, {file.path}", remedy=SAVE_AS_TEXT)
    n_cells, n_bytes = min(limits.max_cells, 20_000_000), limits.max_table_bytes
    arguments = (sheet or "", str(n_cells), str(n_bytes))
    head, text = _run(_SHEET_PROCESS, arguments, raw, "workbook", name)
    answer = json.loads(head)
    sheets = tuple(answer["sheets"])
    if sheet is not None and sheet not in sheets:
        raise not_among(f"There is no sheet {sheet!r}.", f"{name}, option sheet", sheets)
    if answer["unstored"] and not (answer["chosen"] and text.strip().count(b"\n")):
        notice = unstored_formulas(answer["unstored"], name)
        raise DataError(notice.what, where=name, remedy=notice.remedy)
    if not answer["chosen"]:
        raise DataError(
            "No sheet of the workbook contains a table.",
            where=name,
            remedy="Fill at least two columns of a sheet, without gaps between rows.",
        )
    return Sheet(text, answer["chosen"], sheets, answer["unstored"])


def unstored_formulas(number: int, name: str) -> Notice:
    """State that formulas of a workbook have no values, and how they get them."""
    verb, result = ("has", "it is") if number == 1 else ("have", "they are")
    formulas = f"{count(number, 'formula')} of the workbook {verb} no stored value"
    return Notice(
        f"{formulas}, so {result} read as blank.",
        name,
        "Open the workbook in a spreadsheet program, which calculates, and save it.",
        "LIN005",
    )


def read_statfile(
    raw: bytes, name: str, options: ReadOptions, limits: Limits = LIMITS
) -> tuple[pd.DataFrame, tuple[Notice, ...]]:
    """Read a file of SPSS, Stata or SAS; return its frame and findings."""
    # Values are replaced by their labels in columns in which all values have one, and in the others
    # too if LIN048 is overridden. Values declared missing in the file are missing.
    package, word = next(kind for mark, *kind in STATFILES if mark.match(raw))
    check_size(len(raw), name, limits)
    n_cells = min(limits.max_cells, _MOST_CELLS)
    flags = [int(code not in options.overrule) for code in ("LIN047", "LIN048", "LIN049")]
    numbers = [n_cells, limits.max_columns, limits.max_table_bytes, *flags]
    arguments = [word, options.encoding or "", *map(str, numbers)]
    head, table = _run(_STATFILE_PROCESS, arguments, raw, f"{package} file", name)
    frame, notices = read_parquet(table, name, limits)
    columns = {case: columns_named(names) for case, names in json.loads(head).items() if names}
    sentence = "Only some of the values have labels: the numbers were kept."
    missing = f"Values declared missing in the {package} file were read as missing."
    of_columns = {
        "labelled": Notice("Value labels were read instead of codes.", code="LIN047"),
        "partly": Notice(sentence, code="LIN048"),
        "missing": Notice(missing, code="LIN049"),
    }
    labels = (replace(of_columns[case], where=where) for case, where in columns.items())
    return frame, (*notices, *labels)
