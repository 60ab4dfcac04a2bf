"""Numbers that a column holds as text: decimal commas, thousands marks, percent, odd words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from lincore.errors import Notice
from lincore.layout import BLANKS, Record

_EXPONENT = r"(?:[eE][+-]?\d+)?"
_GROUPED = {
    ".": re.compile(
        rf"[+-]?(?:\d{{1,3}}(?:(?:,\d{{3}})+|(?:[ '’]\d{{3}})+)|\d+)(?:\.\d*)?{_EXPONENT}"
    ),
    ",": re.compile(
        rf"[+-]?(?:\d{{1,3}}(?:(?:\.\d{{3}})+|(?:[ '’]\d{{3}})+)|\d+)(?:,\d*)?{_EXPONENT}"
    ),
}
_BARE = {
    ".": re.compile(rf"[+-]?\.\d+{_EXPONENT}"),
    ",": re.compile(rf"[+-]?,\d+{_EXPONENT}"),
}
_WHOLE = re.compile(r"[+-]?\d+")
# What the marked numbers of a column look like, the narrower before the wider.
_WITH_MARKS = {
    "commas": re.compile(r"[+-]?\d{1,3}(?:,\d{3})+"),
    "comma": re.compile(rf"[+-]?(?:\d+,\d*|,\d+){_EXPONENT}"),
    "points": re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+"),
    "point": re.compile(rf"[+-]?(?:\d+\.\d*|\.\d+){_EXPONENT}"),
    "both, comma last": re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d*)?"),
    "both, point last": re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?"),
}
_SIGNS = re.compile(r"^[$€£¥]\s*|\s*[$€£¥%]$")
# Words that stand for a missing value among numbers, whatever they mean elsewhere.
# fmt: off
_NO_VALUE = frozenset((
    "missing", "unknown", "none", "nil", "nd", "n.d.", "na", "n.a.", "n/a", "nan", "null", "<na>",
    ".", "..", "...", "*", "**", "-", "--", "---", "–", "—", "(missing)", "(null)", "k.a.", "n.v.",
    "#value!", "#div/0!", "#ref!", "#num!", "not available", "not applicable", "no data",
    "not measured",
))
# fmt: on
# No number is longer, and only short texts are looked at by patterns that go back and forth.
_LONGEST = 60
_JUDGED = 300
_MANY = 20
_FEW = 3


class Marks(NamedTuple):
    """The decimal mark of a file, and its thousands mark, "" where it has none."""

    decimal: str
    thousands: str


class Numbers(NamedTuple):
    """A column read as numbers, and what had to be said about it."""

    column: pd.Series[Any]
    notices: tuple[Notice, ...]


def find_marks(records: Sequence[Record], separator: str) -> Marks:
    """Find the decimal mark of a file by the columns of its beginning.

    Examples
    --------
    >>> find_marks([Record(["1.234,50", "a"], 1, 1)], ";")
    Marks(decimal=',', thousands='.')
    """
    width = max((len(record.fields) for record in records), default=0)
    found = dict.fromkeys(_WITH_MARKS, 0)
    for i in range(width):
        values = [record.fields[i] for record in records if len(record.fields) > i]
        values = [_SIGNS.sub("", value[:_LONGEST]) for value in values if value not in BLANKS]
        marked = [value for value in values if not _WHOLE.fullmatch(value)]
        for kind, pattern in _WITH_MARKS.items():
            if marked and all(pattern.fullmatch(value) for value in marked):
                found[kind] += 1
                break
    if found["both, comma last"] or (found["comma"] and not found["point"]):
        return Marks(",", "." if found["both, comma last"] or found["points"] else "")
    if found["both, point last"]:
        return Marks(".", ",")
    if found["commas"]:
        # 1,234 may be either: in a file that needs no comma between fields it has decimals.
        decimals = separator != "," and not found["point"] and not found["points"]
        return Marks(",", "") if decimals else Marks(".", ",")
    return Marks(".", "")


def read_numbers(column: pd.Series[Any], marks: Marks, strict: bool = False) -> Numbers | None:
    """Read a text column as numbers; None where it holds something else.

    Parameters
    ----------
    column : Series of text
    marks : Marks
        Of the file. The other decimal mark is tried after it, unless `strict`.
    strict : bool
        Whether the marks were asked for.

    Examples
    --------
    >>> found = read_numbers(pd.Series(["1,234", "12 %", None], name="u"), Marks(".", ","))
    >>> found.column.tolist()
    [1234.0, 12.0, nan]
    """
    unique = column.dropna().unique()
    if not len(unique):
        return None
    for decimal in (
        (marks.decimal,) if strict else (marks.decimal, "." if marks.decimal == "," else ",")
    ):
        # A look at some of them spares long texts the whole.
        some = [value for value in unique[:_JUDGED] if _as_number(value, decimal) is not None]
        if 2 * len(some) < min(len(unique), _JUDGED):
            continue
        numbers = {value: _as_number(value, decimal) for value in unique}
        odd = [value for value, number in numbers.items() if number is None]
        if not _may_be_missing(odd, len(numbers), column):
            continue
        return Numbers(_convert(column, numbers), _said(column, numbers, odd))
    return None


def _as_number(value: str, decimal: str) -> str | None:
    """Return a number in Python's spelling, or None."""
    if len(value) > _LONGEST:
        return None
    bare = _SIGNS.sub("", value.strip()).strip().replace("\u00a0", " ").replace("\u202f", " ")
    bare = bare.replace("−", "-")
    if not bare.isascii():
        # Digits of any script count: pandas reads those of ASCII alone.
        bare = "".join(str(int(sign)) if sign.isdecimal() else sign for sign in bare)
    if not (_GROUPED[decimal].fullmatch(bare) or _BARE[decimal].fullmatch(bare)):
        return None
    groups = "," if decimal == "." else "."
    for mark in (groups, " ", "'", "’"):
        bare = bare.replace(mark, "")
    return bare.replace(",", ".")


def _may_be_missing(odd: Sequence[str], n_unique: int, column: pd.Series[Any]) -> bool:
    """Tell whether the words among numbers may stand for missing values."""
    if not odd or all(word.strip().casefold() in _NO_VALUE for word in odd):
        return True
    n_odd = int(column.isin(odd).sum())
    rare = 10 * n_odd <= int(column.notna().sum())
    return len(odd) <= _FEW and n_unique - len(odd) > _MANY and rare


def _convert(column: pd.Series[Any], numbers: dict[str, str | None]) -> pd.Series[Any]:
    values = pd.to_numeric(pd.Series(list(numbers.values()), index=list(numbers), dtype="str"))
    return column.map(values.to_dict()).astype(values.dtype if column.notna().all() else "float64")


def _said(
    column: pd.Series[Any], numbers: dict[str, str | None], odd: Sequence[str]
) -> tuple[Notice, ...]:
    where = f"column {column.name!r}"
    notices = []
    signs = sorted(
        {
            m[0].strip()
            for value in numbers
            if len(value) <= _LONGEST
            for m in _SIGNS.finditer(value.strip())
        }
    )
    if signs:
        notices.append(Notice(f"Numbers with {', '.join(signs)}: read without it.", where))
    if odd:
        count = int(column.isin(odd).sum())
        words = ", ".join(repr(word[:30]) for word in odd[:5])
        told = f"Numbers but for {words} ({count:,} rows), which was read as missing."
        notices.append(Notice(told, where, "If it is a class or a level, make all values text."))
    return tuple(notices)
