"""Phase of reading: the rows below the header become columns, uneven lines are repaired."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from lincore.data.labels import numbered, unique_names
from lincore.errors import DataError, Notice
from lincore.io.tables.lines.fit import FittedLines, Target, UnevenLine, fit_lines
from lincore.io.tables.lines.kinds import kind_of
from lincore.io.tables.text._parsing import of_one_kind, parse_text, pieces_of
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
    # pandas would cut a first row that is too long, or use its first field as a name.
    frame = None if _first_is_long(rows, layout, len(names)) else _try(rows, how, marks, options)
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


def _first_is_long(rows: str, layout: Layout, width: int) -> bool:
    first = next(read_records(rows[:_BEGINNING], layout.separator, layout.quote), None)
    return first is not None and len(first.fields) > width


def _looks_uneven(rows: str, layout: Layout, frame: pd.DataFrame) -> bool:
    """Return whether lines have too few fields, or quotation marks are unpaired."""
    n_lines = _n_lines(rows)
    if layout.quote and layout.quote in rows:
        if len(frame) < n_lines and len(frame) < n_lines - _count_blank(rows):
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


def _count_blank(rows: str) -> int:
    """Return the number of empty lines, which are not rows."""
    return len(re.findall(r"^[ \r]*\n", rows, re.MULTILINE))


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


def _try(
    rows: str, how: dict[str, Any], marks: NumberMarks, options: ReadOptions
) -> pd.DataFrame | None:
    """Parse the rows; None if a line is too long, or quotation marks mislead."""
    try:
        return _read_csv(rows, how, marks, options)
    except _STUMBLES:
        return None


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
        return parse_text(rows, dtype="str", **how)
    frame = of_one_kind(parse_text(rows, **how), rows, how)
    if not any(
        may_have_zeros(piece, SPACES if how["sep"] == r"\s+" else how["sep"])
        for piece in pieces_of(rows)
    ):
        return frame

    def read_as_text(some: list[str]) -> pd.DataFrame:
        try:
            return parse_text(rows, dtype="str", usecols=some, **how)
        except _STUMBLES:
            # pandas cannot select columns if the header is longer than all rows.
            return parse_text(rows, dtype="str", **how)[some]

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
