"""Phase of reading: the rows below the header become columns, uneven lines are repaired."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

import pandas as pd

from lincore.data.labels import numbered, unique_names
from lincore.errors import DataError, Notice
from lincore.io.tables.lines.fit import FittedLines, Target, UnevenLine, fit_lines
from lincore.io.tables.lines.kinds import kind_of
from lincore.io.tables.text.column_assignment import with_columns
from lincore.io.tables.text.dialect import Layout, Record, parted_otherwise, read_records
from lincore.io.tables.text.header import Heading
from lincore.io.tables.text.leading_zeros import may_have_zeros, restore_zeros
from lincore.io.tables.text.marks import NumberMarks
from lincore.io.tables.text.options import MISSING_CODES, SPACES, ReadOptions

_FOOTER_LINES = 10
_SHORT_LINES = 1_000
_BEGINNING = 2_000_000
_JUDGED_LINES = 200_000
_FEWEST_LEVELS = 20
_STUMBLES = (pd.errors.ParserError, pd.errors.EmptyDataError, OverflowError)
# Longer texts are parsed in parts: pandas needs half of the memory.
_IN_PARTS = 10_000_000
_PIECE = 4_000_000


class Parsed(NamedTuple):
    """Parsed columns, and what was done with uneven lines.

    `first_line` is None if rows do not correspond to lines.
    """

    frame: pd.DataFrame
    first_line: int | None
    notices: tuple[Notice, ...]
    uneven: tuple[UnevenLine, ...]


def parse_rows(
    layout: Layout,
    heading: Heading,
    names: Sequence[str],
    marks: NumberMarks,
    options: ReadOptions,
    name: str,
) -> Parsed:
    """Parse the rows below the header; uneven lines are examined one by one."""
    rows, footer = _from_line(layout.text, heading.first_line), ""
    if "LIN020" not in options.overrule:
        rows, footer = _without_footer(rows, layout)
    how = csv_arguments(layout, names, options)
    begin = heading.first_line
    # pandas would cut a first row that is too long, or take its first field for a name.
    first = next(read_records(rows[:_BEGINNING], layout.separator, layout.quote), None)
    frame = None
    if first is None or len(first.fields) <= len(names):
        with suppress(*_STUMBLES):  # a later line is too long, or quotation marks lead astray
            frame = _read_csv(rows, how, marks, options)
    fitted, notices = FittedLines(rows, (), (), True), list[Notice]()
    if frame is None or options.uneven == "skip" or _looks_uneven(rows, layout, frame):
        known = [r.fields for r in layout.records if r.first_line >= begin]
        policy = options.uneven or "mend"
        target = Target(layout.separator, layout.quote, len(names), known, name, begin, policy)
        target = target._replace(may_widen=policy == "mend")
        fitted = fit_lines(rows, target, needed=frame is None)
        if fitted.is_wider:
            more = numbered("column", len(names) + 1)[-1]
            how["names"] = unique_names([*names, more])[0]
            sentence = "Some lines have a field after the last column: it became a column."
            notices = [Notice(sentence, f"{name}, column {more!r}", code="LIN025")]
        if frame is None or fitted.text is not rows or fitted.is_wider:
            rows = fitted.text
            del frame
            frame = _read(rows, how, marks, options, name, begin)
    if footer:
        sentence = f"Skipped note below the table: {footer[:60]!r}."
        notices.append(Notice(sentence, f"{name}, at the end", code="LIN020"))
    # Blank lines and line breaks inside quotes would make all line numbers wrong.
    together = fitted.numbers_kept and _n_lines(rows) == len(frame)
    first_line = begin if together else None
    return Parsed(frame, first_line, (*notices, *fitted.notices), fitted.lines)


def _n_lines(rows: str) -> int:
    return rows.rstrip("\n").count("\n") + 1


def _looks_uneven(rows: str, layout: Layout, frame: pd.DataFrame) -> bool:
    """Return whether lines have too few fields, or quotation marks are unpaired."""
    n_lines = _n_lines(rows)
    if layout.quote and layout.quote in rows:
        if len(frame) < n_lines:
            n_blank = len(re.findall(r"^[ \r]*\n", rows, re.MULTILINE))
            if len(frame) < n_lines - n_blank:
                return True
        mark, apart = re.escape(layout.quote), re.escape(layout.separator)
        inner = rf"(?:^|{apart}){mark}(?:[^{mark}\n]|{mark}{mark})*{mark}(?![{apart}{mark}\s])."
        if re.search(inner, rows[:_BEGINNING], re.MULTILINE):
            return True
    other = "'" if layout.quote == '"' else '"'
    if layout.separator != SPACES and re.search(
        rf"^{other}[^\n]*{other}$", rows[:_BEGINNING], re.MULTILINE
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
    width = min(frame.shape[1], layout.width)
    some = (
        next(read_records(lines[row], layout.separator, layout.quote), None) for row in suspects
    )
    return any(record is not None and len(record.fields) < width for record in some)


def _from_line(text: str, line: int) -> str:
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
        if not start:
            return ""
    return text[start:]


def _without_footer(rows: str, layout: Layout) -> tuple[str, str]:
    """Remove single-field lines from the end of a table with at least three columns."""
    footer = ""
    for _ in range(_FOOTER_LINES if layout.width >= 3 else 0):
        stripped = rows.rstrip()
        start = stripped.rfind("\n") + 1
        line = stripped[start:]
        if not start or (layout.quote and layout.quote in line) or layout.separator == SPACES:
            break
        record = next(read_records(line, layout.separator, layout.quote), None)
        if record is None or not _is_note(record, layout):
            break
        rows, footer = rows[:start], line.strip()
    return rows, footer


def _is_note(record: Record, layout: Layout) -> bool:
    """Return whether a line below a table is a sentence, with or without a separator."""
    kinds = [kind_of(r.fields[0]) for r in layout.records if len(r.fields) == layout.width]
    if len(record.fields) == 1:
        kind = kind_of(record.fields[0])
        # A truncated row, or one with another separator, is not a note.
        begins = kind != "word" and kinds.count(kind) > 1
        return not begins and parted_otherwise(record.fields[0], layout) is None
    n_filled = max((i + 1 for i, field in enumerate(record.fields) if field), default=0)
    few = 0 < 2 * n_filled <= layout.width and kind_of(record.fields[0]) == "word"
    if not few or 4 * kinds.count("word") < len(kinds):
        return few
    # Below levels that recur, a sentence is not one of them.
    some = layout.records[1:-_FOOTER_LINES]
    known = [r.fields[0] for r in some if len(r.fields) == layout.width]
    are_levels = len(known) >= _FEWEST_LEVELS and 5 * len(set(known)) <= len(known)
    return are_levels and record.fields[0] not in known


def _read(
    rows: str, how: dict[str, Any], marks: NumberMarks, options: ReadOptions, name: str, begin: int
) -> pd.DataFrame:
    try:
        return _read_csv(rows, how, marks, options)
    except _STUMBLES as error:
        raise parse_error(str(error), name, begin) from error


def _read_csv(
    rows: str, how: dict[str, Any], marks: NumberMarks, options: ReadOptions
) -> pd.DataFrame:
    # With a decimal comma 1.234 has no fraction: numbers are recognised later.
    if options.as_text or marks.decimal == "," or "." in marks.thousands:
        return _parse_text(rows, dtype="str", **how)
    frame = _of_one_kind(_parse_text(rows, **how), rows, how)
    if not any(
        may_have_zeros(piece, SPACES if how["sep"] == r"\s+" else how["sep"])
        for piece in _pieces_of(rows)
    ):
        return frame

    def read_as_text(some: list[str]) -> pd.DataFrame:
        try:
            return _parse_text(rows, dtype="str", usecols=some, **how)
        except _STUMBLES:
            # A header that is longer than all rows cannot be chosen from.
            return _parse_text(rows, dtype="str", **how)[some]

    return restore_zeros(frame, read_as_text)


def csv_arguments(layout: Layout, names: Sequence[str], options: ReadOptions) -> dict[str, Any]:
    """Return pandas' arguments for reading the rows below the header."""
    given = ("",) if options.as_text else options.missing_codes
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


def parse_error(message: str, name: str, first_line: int) -> DataError:
    """Translate an error of pandas into the user's terms and line numbers."""
    counts = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if counts:
        return DataError(
            f"The line has {counts[3]} fields, the first one has {counts[1]}.",
            where=f"{name}, line {int(counts[2]) + first_line - 1}",
            remedy="Put text that contains the separator in quotation marks.",
        )
    if "No columns" in message:
        return DataError("There are no rows.", where=name, remedy="Load a table with rows.")
    return DataError(
        f"The table cannot be read: {message.rstrip('.')}.",
        where=name,
        remedy="Check that quotation marks are paired.",
    )


class _Text:
    """Text to be read piece by piece: neither its bytes nor a file of it is ever made."""

    def __init__(self, text: str) -> None:
        self._text, self._place = text, 0

    def read(self, size: int = -1) -> str:
        """Return the next characters."""
        begin, self._place = self._place, self._place + size if size >= 0 else len(self._text)
        return self._text[begin : self._place]

    def __iter__(self) -> Iterator[str]:
        """Yield the lines, as a file does."""
        return iter(self.read().splitlines(keepends=True))


def _parse_text(rows: str, **how: Any) -> pd.DataFrame:
    """Parse rows by `pandas.read_csv`, in parts where they are many and no type is asked for."""
    text = cast(Any, _Text(rows))
    how = {**how, "encoding_errors": "replace"}
    if len(rows) <= _IN_PARTS or "dtype" in how:
        return pd.read_csv(text, **how)
    # Of columns whose parts are of several kinds pandas warns: see `_of_one_kind`.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        return pd.read_csv(text, **{**how, "low_memory": True})


def _of_one_kind(frame: pd.DataFrame, rows: str, how: dict[str, Any]) -> pd.DataFrame:
    """Read columns anew that hold numbers in some parts of a long file, and words in others."""
    if len(rows) <= _IN_PARTS:
        return frame
    mixed = [str(name) for name in frame if frame[name].dtype == object]
    if not mixed:
        return frame
    again = _parse_text(rows, usecols=mixed, dtype="str", **how)
    return with_columns(frame, {name: again[name] for name in mixed})


def _pieces_of(rows: str) -> Iterator[bytes]:
    """Yield the bytes of some lines at a time."""
    begin = 0
    while begin < len(rows):
        end = rows.find("\n", begin + _PIECE) + 1 or len(rows)
        yield rows[begin:end].encode("utf-8", "replace")
        begin = end
