"""Decimal and thousands marks of a file, and symbols around a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from lincore.io.tables.lines.kinds import BLANKS, CURRENCY
from lincore.io.tables.text.text_import import NumberMarks, Record, TextImport

_EXPONENT = r"(?:[eE][+-]?\d+)?"
# A group before a thousands mark never begins with zero: 0,444 is a fraction.
GROUPED = {
    mark: re.compile(
        rf"[+-]?(?:[1-9]\d{{0,2}}(?:(?:{other}\d{{3}})+|(?:[ '’]\d{{3}})+)|\d+)"
        rf"(?:{re.escape(mark)}\d*)?{_EXPONENT}"
    )
    for mark, other in ((".", ","), (",", r"\."))
}
BARE = {mark: re.compile(rf"[+-]?{re.escape(mark)}\d+{_EXPONENT}") for mark in (".", ",")}
_WHOLE = re.compile(r"[+-]?\d+")
# Avoids the other patterns for most numbers.
PLAIN = re.compile(r"[+-]?[\d.,]+(?:[eE][+-]?\d+)?", re.ASCII)
_AMOUNT = re.compile(rf"{CURRENCY}\s*([\d.,]+)", re.ASCII)
# One mark and three digits after it: a fraction, or a number beyond a thousand.
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}([.,])\d{3}")
SIGNS = re.compile(rf"^{CURRENCY}\s*|\s*(?:%|‰|{CURRENCY})$")
# Negative numbers in accounting: (1.50), 1.50-, -$1.50.
_IN_BRACKETS = re.compile(r"\((.*\d.*)\)")
_MINUS_LAST = re.compile(r"(.*\d[^-]*)-")
_SIGN_FIRST = re.compile(rf"([+-])\s*({CURRENCY}.*)")
# A limit of detection, or a star that refers to a note, among numbers without.
_FLAGS = re.compile(r"^[<>≤≥~≈]\s*(?=[\d.,])|(?<=\d)\s*[*†‡]+$")
# No number is longer; patterns with backtracking are applied to short texts only.
LONGEST = 60
OTHER = {",": ".", ".": ","}
FLAG = "a flag"
_FEWEST_RECORDS = 10
_MOST_FIELDS = 20_000


def find_marks(table: TextImport) -> None:
    """Find the decimal and the thousands mark, unless set by options."""
    body = [record for record in table.records if record.first_line >= table.first_line]
    found, options = _marks_of(body, table.separator), table.options
    decimal, thousands = options.decimal or found.decimal, options.thousands
    if thousands is None:
        thousands = found.thousands if decimal == found.decimal else ""
    table.marks = NumberMarks(decimal, thousands, found.assumed and options.decimal is None)


def _marks_of(records: Sequence[Record], separator: str) -> NumberMarks:
    """Find the marks from the first values of the columns."""
    width = max((len(record.fields) for record in records), default=0)
    # With thousands of columns a few rows are enough.
    records = records[: max(_FEWEST_RECORDS, _MOST_FIELDS // max(width, 1))]
    settled = {",": 0, ".": 0}
    grouped: set[str] = set()
    for i in range(width):
        values = [record.fields[i] for record in records if len(record.fields) > i]
        values = [bare_number(value[:LONGEST])[0] for value in values if value not in BLANKS]
        marked = [value for value in values if not _WHOLE.fullmatch(value)]
        if not marked or not all(_marks_in(value) is not None for value in marked):
            continue
        decimals, either = evidence(marked)
        for mark in decimals if len(decimals) == 1 else ():
            settled[mark] += 1
            grouped |= {OTHER[mark]} if any(OTHER[mark] in value for value in marked) else set()
        grouped |= either if not decimals else set()
    if settled[","] and not settled["."]:
        return NumberMarks(",", "." if "." in grouped else "")
    thousands = "," if "," in grouped else ""
    if settled["."] or not thousands:
        return NumberMarks(".", thousands, bool(settled[","] and thousands))
    # In a file whose separator is not a comma, 7,094 has decimals.
    if separator != "," and "." not in grouped:
        return NumberMarks(",", "", True)
    return NumberMarks(".", ",", True)


@lru_cache(maxsize=10_000)
def _marks_in(value: str) -> set[str] | None:
    """Return the possible decimal marks of a number without currency, None for other text."""
    marks = {m for m in OTHER if GROUPED[m].fullmatch(value) or BARE[m].fullmatch(value)}
    return marks or None


def evidence(values: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the decimal marks proven by numbers, and the ambiguous marks."""
    proved: set[str] = set()
    either: set[str] = set()
    for value in values:
        if "," not in value and "." not in value:
            continue
        if found := _EITHER.fullmatch(value):
            either.add(found[1])
        elif (marks := _marks_in(value)) is not None and len(marks) == 1:
            proved |= marks
    return proved, either


@lru_cache(maxsize=10_000)
def bare_number(value: str) -> tuple[str, str]:
    """Return a number without currency, percent and flags, sign first, and what was removed."""
    if PLAIN.fullmatch(value):
        return value, ""
    if amount := _AMOUNT.fullmatch(value):
        return amount[1], ""
    bare = value.strip().replace("\u00a0", " ").replace("\u202f", " ").replace("−", "-")
    sign, taken = "", ""
    if found := _IN_BRACKETS.fullmatch(bare) or _MINUS_LAST.fullmatch(bare):
        sign, bare = "-", found[1].strip()
        taken = "brackets" if value.strip().startswith("(") else "a minus at the end"
    elif found := _SIGN_FIRST.fullmatch(bare):
        sign, bare = found[1], found[2]
    for pattern in (_FLAGS, SIGNS):
        bare, n_found = pattern.subn("", bare)
        taken = taken or (FLAG if n_found and pattern is _FLAGS else "")
    return sign + bare.strip(), taken
