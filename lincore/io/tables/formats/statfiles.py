"""Files of SPSS, Stata and SAS as a table: labels of values instead of their codes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from lincore.data.labels import columns_named
from lincore.errors import Notice
from lincore.io.tables.formats._apart import ParsedFile, run_apart
from lincore.io.tables.formats.parquet import read_parquet
from lincore.io.tables.text.options import ReadOptions
from lincore.limits import LIMITS, Limits, check_size

# The first bytes of a file, the package, and pyreadstat's name of its reader.
_KINDS = (
    (re.compile(rb"\$FL[23]@\(#\)"), "SPSS", "sav"),
    (re.compile(rb"<stata_dta>|[\x69-\x73][\x01\x02]\x01\x00", re.DOTALL), "Stata", "dta"),
    (re.compile(rb"\x00{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00"), "SAS", "sas7bdat"),
    (re.compile(rb"HEADER RECORD\*{7}LIB(RARY|V8) +HEADER RECORD!{7}"), "SAS", "xport"),
)
_MOST_CELLS = 10_000_000
_ABSENT = "pyreadstat is not installed"
_INSTALL = "Install it (pip install lincore[statfiles]), or save the table as CSV and load that."
_PROCESS = Path(__file__).with_name("_statfile_process.py")


class StatTable(NamedTuple):
    """Content of a statistical package's file, and the package."""

    frame: pd.DataFrame
    notices: tuple[Notice, ...]
    package: str


def _kind(raw: bytes) -> tuple[str, str] | None:
    """Return package and reader of a file by its first bytes; None for other files."""
    return next(((package, word) for mark, package, word in _KINDS if mark.match(raw)), None)


def is_statfile(raw: bytes) -> bool:
    """Return whether a file is from SPSS (.sav), Stata (.dta) or SAS (.sas7bdat, .xpt)."""
    return _kind(raw[:100]) is not None


def read_statfile(
    raw: bytes, name: str, options: ReadOptions | None = None, limits: Limits = LIMITS
) -> StatTable:
    """Read a file of SPSS, Stata or SAS in a separate process.

    Values are replaced by their labels in columns in which all values have one, and in the others
    too if LIN048 is overridden. Values declared missing in the file are missing.
    """
    found = _kind(raw[:100])
    assert found is not None
    package, word = found
    check_size(len(raw), name, limits)
    n_cells = min(limits.max_cells, _MOST_CELLS)
    options = options or ReadOptions()
    arguments = [
        word,
        options.encoding or "",
        str(n_cells),
        str(limits.max_columns),
        str(limits.max_table_bytes),
    ]
    arguments += [str(int(code not in options.overrule)) for code in ("LIN047", "LIN048", "LIN049")]
    parsed = ParsedFile(f"{package} file", name, {_ABSENT: _INSTALL})
    head, _, table = run_apart(_PROCESS, arguments, raw, parsed).partition(b"\n")
    frame, notices = read_parquet(table, name, limits)
    return StatTable(frame, (*notices, *_notices(json.loads(head), package)), package)


def _notices(head: dict[str, list[str]], package: str) -> list[Notice]:
    """Report which labels were read, which were not, and which values are declared missing."""
    found = []
    if head["labelled"]:
        sentence = "Value labels were read instead of codes."
        found.append(Notice(sentence, columns_named(head["labelled"]), code="LIN047"))
    if head["partly"]:
        sentence = "Only some of the values have labels: the numbers were kept."
        found.append(Notice(sentence, columns_named(head["partly"]), code="LIN048"))
    if head["missing"]:
        sentence = f"Values declared missing in the {package} file were read as missing."
        found.append(Notice(sentence, columns_named(head["missing"]), code="LIN049"))
    return found
