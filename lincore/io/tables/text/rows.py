"""Phase of reading: the rows below the header become columns, uneven lines are repaired."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

import pandas as pd

from lincore.data.frames import first_texts, numbered, unique_names, with_columns
from lincore.errors import DataError
from lincore.io.tables.text.dialect import read_records, split_with_other
from lincore.io.tables.text.fields import SPACES, kind_of
from lincore.io.tables.text.options import MISSING_CODES, Record, TextImport
from lincore.io.tables.text.uneven_lines import LineFitter

_FOOTER_LINES = 10
_SHORT_LINES = 1_000
_BEGINNING = 2_000_000
_JUDGED_LINES = 200_000
_FEWEST_LEVELS = 20
_STUMBLES = (pd.errors.ParserError, pd.errors.EmptyDataError, OverflowError)
# Longer texts are parsed in parts: pandas needs half of the memory.
_IN_PARTS = 10_000_000
_DIGITS = r"[0-9]+"
PADDED = r"0[0-9]+"
_GLANCE = 20


def parse_rows(table: TextImport) -> None:
    """Parse the rows below the header; uneven lines are examined one by one."""
    n_above = table.first_line - 1
    rows = "".join(table.text.split("\n", n_above)[n_above:])
    if "LIN020" not in table.options.overrule:
        rows, footer = _without_footer(rows, table)
        if footer:
            table.note(
                f"Skipped note below the table: {footer[:60]!r}.", "at the end", code="LIN020"
            )
    frame = None
    # pandas would cut a first row that is too long, or take its first field for a name.
    first = next(read_records(rows[:_BEGINNING], table.separator, table.quote), None)
    if first is None or len(first.fields) <= len(table.names):
        with suppress(*_STUMBLES):  # a later line is too long, or quotation marks lead astray
            frame = _read_csv(rows, table)
    if frame is None or table.options.uneven == "skip" or _looks_uneven(rows, table, frame):
        fitted = _fit_lines(rows, table, needed=frame is None)
        if frame is None or fitted is not rows or frame.shape[1] < len(table.names):
            rows = fitted
            del frame
            try:
                frame = _read_csv(rows, table)
            except _STUMBLES as error:
                raise parse_error(error, table.name) from error
    # Blank lines and line breaks inside quotes would make all line numbers wrong.
    table.rows_are_lines &= _n_lines(rows) == len(frame)
    table.frame, table.text = frame, ""


def _fit_lines(rows: str, table: TextImport, *, needed: bool) -> str:
    """Return the rows with uneven lines repaired or skipped; there may be one column more."""
    known = [r.fields for r in table.records if r.first_line >= table.first_line]
    policy = table.options.uneven or "mend"
    for may_widen in (policy == "mend", False):
        fitter = LineFitter(table, known, may_join=True, may_widen=may_widen)
        fitted = fitter.fit(rows, table.first_line, needed=needed)
        if fitter.is_wider or not fitter.n_wider:
            break
        # Damage to a few lines does not make a column.
    if fitter.is_wider:
        more = numbered("column", len(table.names) + 1)[-1]
        table.names = unique_names([*table.names, more])[0]
        sentence = "Some lines have a field after the last column: it became a column."
        table.note(sentence, f"column {more!r}", code="LIN025")
    table.notices += fitter.notices()
    table.uneven, table.rows_are_lines = fitter.lines, fitter.numbers_kept
    return fitted


def _n_lines(rows: str) -> int:
    return rows.rstrip("\n").count("\n") + 1


def _looks_uneven(rows: str, table: TextImport, frame: pd.DataFrame) -> bool:
    """Return whether lines have too few fields, or quotation marks are unpaired."""
    n_lines = _n_lines(rows)
    if table.quote and table.quote in rows:
        if len(frame) < n_lines:
            n_blank = len(re.findall(r"^[ \r]*\n", rows, re.MULTILINE))
            if len(frame) < n_lines - n_blank:
                return True
        mark, comma = re.escape(table.quote), re.escape(table.separator)
        inner = rf"(?:^|{comma}){mark}(?:[^{mark}\n]|{mark}{mark})*{mark}(?![{comma}{mark}\s])."
        if re.search(inner, rows[:_BEGINNING], re.MULTILINE):
            return True
    other_quote = "'" if table.quote == '"' else '"'
    if table.separator != SPACES and re.search(
        rf"^{other_quote}[^\n]*{other_quote}$", rows[:_BEGINNING], re.MULTILINE
    ):
        return True
    # Only a row with a missing last field can be short.
    suspects = frame.iloc[:, -1].isna().to_numpy().nonzero()[0]
    suspects = suspects[suspects < _JUDGED_LINES][:_SHORT_LINES]
    if not len(suspects):
        return False
    if len(frame) != n_lines:
        return len(rows) < _BEGINNING
    lines = rows.split("\n", suspects[-1] + 1)
    width = min(frame.shape[1], table.width)
    some = (next(read_records(lines[row], table.separator, table.quote), None) for row in suspects)
    return any(record is not None and len(record.fields) < width for record in some)


def _without_footer(rows: str, table: TextImport) -> tuple[str, str]:
    """Remove single-field lines from the end of a table with at least three columns."""
    footer = ""
    for _ in range(_FOOTER_LINES if table.width >= 3 else 0):
        stripped = rows.rstrip()
        start = stripped.rfind("\n") + 1
        line = stripped[start:]
        if not start or (table.quote and table.quote in line) or table.separator == SPACES:
            break
        record = next(read_records(line, table.separator, table.quote), None)
        if record is None or not _is_note(record, table):
            break
        rows, footer = rows[:start], line.strip()
    return rows, footer


def _is_note(record: Record, table: TextImport) -> bool:
    """Return whether a line below a table is a sentence, with or without a separator."""
    kinds = [kind_of(r.fields[0]) for r in table.records if len(r.fields) == table.width]
    if len(record.fields) == 1:
        kind = kind_of(record.fields[0])
        # A truncated row, or one with another separator, is not a note.
        begins = kind != "word" and kinds.count(kind) > 1
        return not begins and split_with_other(record.fields[0], table, table.width) is None
    n_filled = max((i + 1 for i, field in enumerate(record.fields) if field), default=0)
    few = 0 < 2 * n_filled <= table.width and kind_of(record.fields[0]) == "word"
    if not few or 4 * kinds.count("word") < len(kinds):
        return few
    # Below levels that recur, a sentence is not one of them.
    some = table.records[1:-_FOOTER_LINES]
    known = [r.fields[0] for r in some if len(r.fields) == table.width]
    are_levels = len(known) >= _FEWEST_LEVELS and 5 * len(set(known)) <= len(known)
    return are_levels and record.fields[0] not in known


def _read_csv(rows: str, table: TextImport) -> pd.DataFrame:
    arguments, marks = csv_arguments(table), table.marks
    # With a decimal comma 1.234 has no fraction: numbers are recognised later.
    if table.options.as_text or marks.decimal == "," or "." in marks.thousands:
        return _parse_text(rows, dtype="str", **arguments)
    frame = _parse_text(rows, **arguments)
    # Of a long file, only some parts of a column may hold numbers.
    mixed = [str(name) for name in frame if len(rows) > _IN_PARTS and frame[name].dtype == object]
    if mixed:
        texts = _parse_text(rows, usecols=mixed, dtype="str", **arguments)
        frame = with_columns(frame, {name: texts[name] for name in mixed})
    # pandas drops leading zeros. The search begins at each zero and looks back, which is fast.
    padded = rf"0(?<![^\n\"' \t{re.escape(table.separator)}]0)[0-9]"
    kinds = zip(map(str, frame), frame.dtypes, strict=True) if re.search(padded, rows) else ()
    whole = [
        name
        for name, kind in kinds
        if kind.kind in "iu" or (kind.kind == "f" and (frame[name].dropna() % 1 == 0).all())
    ]
    if not whole:
        return frame
    try:
        texts = _parse_text(rows, dtype="str", usecols=whole, **arguments)
    except _STUMBLES:
        # A header that is longer than all rows cannot be chosen from.
        texts = _parse_text(rows, dtype="str", **arguments)
    return with_columns(frame, {name: texts[name] for name in whole if is_padded(texts[name])})


def csv_arguments(table: TextImport) -> dict[str, Any]:
    """Return pandas' arguments for reading the rows below the header."""
    given = ("",) if table.options.as_text else table.options.missing_codes
    return {
        "sep": r"\s+" if table.separator == SPACES else table.separator,
        "header": None,
        "names": table.names,
        "index_col": False,
        "na_values": ["", *given] if given is not None else list(MISSING_CODES),
        "keep_default_na": given is None,
        "quotechar": table.quote or '"',
        "quoting": csv.QUOTE_MINIMAL if table.quote else csv.QUOTE_NONE,
        "skipinitialspace": True,
        "low_memory": False,
    }


def parse_error(error: Exception, name: str) -> DataError:
    """Return pandas' error in the user's terms."""
    message, remedy = str(error).rstrip("."), "Check that quotation marks are paired."
    return DataError(f"The table cannot be read: {message}.", where=name, remedy=remedy)


class _Text:
    """A file-like view of a text, which avoids a copy of the whole text."""

    def __init__(self, text: str) -> None:
        self._text, self._position = text, 0

    def read(self, size: int = -1) -> str:
        """Return the next characters."""
        begin = self._position
        self._position = begin + size if size >= 0 else len(self._text)
        return self._text[begin : self._position]

    def __iter__(self) -> Iterator[str]:
        """Yield the lines, as a file does."""
        return iter(self.read().splitlines(keepends=True))


def _parse_text(rows: str, **arguments: Any) -> pd.DataFrame:
    """Parse rows by `pandas.read_csv`; long texts without given types in parts."""
    text = cast(Any, _Text(rows))
    arguments = {**arguments, "encoding_errors": "replace"}
    if len(rows) <= _IN_PARTS or "dtype" in arguments:
        return pd.read_csv(text, **arguments)
    # Pandas warns about columns of mixed types, which are read again.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        return pd.read_csv(text, **{**arguments, "low_memory": True})


def is_padded(column: pd.Series[Any]) -> bool:
    """Return whether a column is text of only digits, some with leading zeros."""
    if not isinstance(column.dtype, pd.StringDtype):
        return False
    # A single mismatch avoids the full check of thousands of text columns.
    some = (value.strip() for value in first_texts(column, _GLANCE))
    if any(not value.isdecimal() for value in some if value):
        return False
    present = column.dropna().str.strip()
    present = present[present != ""]
    return bool(
        len(present)
        and present.str.fullmatch(_DIGITS).all()
        and present.str.fullmatch(PADDED).any()
    )
