"""Column rule: numbers stored as text: decimal commas, thousands separators, percentages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lincore.data.labels import first_texts
from lincore.errors import Notice
from lincore.io.tables.rules.protocol import Applied, Columns
from lincore.io.tables.rules.stripped_text import text_columns, with_many
from lincore.io.tables.text.marks import (
    BARE,
    FLAG,
    GROUPED,
    LONGEST,
    OTHER,
    PLAIN,
    SIGNS,
    Marks,
    bare_number,
    evidence,
)

# What may follow each number of a column, if it follows all of them: kg, m/s, °C.
_UNIT = re.compile(r"(?<=[\d.,])\s*([A-Za-zµμΩ°²³/·^()%]{1,10})$")
# Words that stand for a missing value among numbers, whatever they mean elsewhere.
# fmt: off
_NO_VALUE = frozenset((
    "missing", "unknown", "none", "nil", "nd", "n.d.", "na", "n.a.", "n/a", "nan", "null", "<na>",
    ".", "..", "...", "*", "**", "-", "--", "---", "–", "—", "(missing)", "(null)", "k.a.", "n.v.",
    "#value!", "#div/0!", "#ref!", "#num!", "not available", "not applicable", "no data",
    "not measured",
))
# fmt: on
_JUDGED = 100
_GLANCE = 20
_FEW_ROWS = 5_000
_MANY = 20
_FEW = 3
_SOME = 3


class Numbers(NamedTuple):
    """A column read as numbers, and what had to be said about it."""

    column: pd.Series[Any]
    notices: tuple[Notice, ...]


class NumbersInText:
    """Read text columns as numbers where they hold such.

    Examples
    --------
    >>> frame = pd.DataFrame({"price": ["$1.50", "$20", "$3.25"]}, dtype="str")
    >>> NumbersInText().apply(Columns(frame, "made.csv")).columns.frame["price"].tolist()
    [1.5, 20.0, 3.25]
    """

    codes = ("LIN042", "LIN043", "LIN044", "LIN045")

    def apply(self, columns: Columns) -> Applied | None:
        """Return the columns with numbers instead of texts."""
        found: dict[str, pd.Series[Any]] = {}
        findings = list[Notice]()
        strict, kept = columns.options.decimal is not None, set(columns.options.overrule)
        for name, column in text_columns(columns.frame).items():
            numbers = None if name in columns.texts else read_numbers(column, columns.marks, strict)
            if numbers is not None and kept.isdisjoint(one.code for one in numbers.notices):
                found[name] = numbers.column
                findings += numbers.notices
        if not found:
            return None
        return Applied(columns.with_frame(with_many(columns.frame, found)), tuple(findings))


def read_numbers(column: pd.Series[Any], marks: Marks, strict: bool = False) -> Numbers | None:
    """Read a text column as numbers; None where it holds something else.

    Parameters
    ----------
    column : Series of text
    marks : Marks
        Of the file. What the column itself proves comes first, and the other decimal mark is
        tried after that of the file, unless `strict`.
    strict : bool
        Whether the marks were asked for.

    Examples
    --------
    >>> found = read_numbers(pd.Series(["1,234", "12 %", None], name="u"), Marks(".", ","))
    >>> found.column.tolist()
    [1234.0, 12.0, nan]
    """
    if (plain := _read_plain(column, marks.decimal)) and not marks.assumed:
        return plain
    few = len(column) <= _FEW_ROWS
    unique = list(dict.fromkeys(first_texts(column))) if few else list(column.dropna().unique())
    if not unique:
        return None
    unit = _common_unit(unique)
    decimals = (marks.decimal,) if strict else (marks.decimal, OTHER[marks.decimal])
    # A look at some of them spares long texts the whole.
    likely = [decimal for decimal in decimals if _mostly_numbers(unique, decimal, unit)]
    proved: set[str] = set()
    either: set[str] = set()
    if likely and not strict:
        proved, either = evidence(
            bare_number(value.strip().removesuffix(unit))[0] for value in unique
        )
    for decimal in proved if len(proved) == 1 and proved <= set(likely) else likely:
        numbers = {value: _as_number(value, decimal, unit) for value in unique}
        odd = [value for value, number in numbers.items() if number is None]
        if not _may_be_missing(odd, len(numbers), column) or not _mostly_plain(numbers):
            continue
        notices = _number_notices(column, numbers, odd, unit)
        if marks.assumed and "," in either and not proved:
            notices = (*notices, _assumption(column, numbers))
        return Numbers(_convert(column, numbers), notices)
    return None


def _mostly_numbers(unique: Sequence[str], decimal: str, unit: str) -> bool:
    # Twenty words and no number spare thousands of columns of text the others.
    if not any(_as_number(value, decimal, unit) is not None for value in unique[:_GLANCE]):
        return False
    some = unique[:_JUDGED]
    return 2 * sum(_as_number(value, decimal, unit) is not None for value in some) >= len(some)


def _assumption(column: pd.Series[Any], numbers: Mapping[str, str | None]) -> Notice:
    """Say how 7,094 was read where it may be a fraction or seven thousand."""
    value = next(value for value in numbers if "," in value)
    fraction = "." in str(numbers[value])
    meant = "a decimal mark" if fraction else "a thousands mark"
    return Notice(
        f"A comma before three digits, such as {value!r}, may be a decimal or a thousands mark, "
        f"and nothing in the file says which: taken as {meant}.",
        f"column {column.name!r}",
        f"If it is the other, choose {'the point' if fraction else 'the comma'} as decimal mark.",
        "LIN045",
    )


def _read_plain(column: pd.Series[Any], decimal: str) -> Numbers | None:
    """Read a column of which each value is a number without any other mark, at a stroke."""
    mark = re.escape(decimal)
    pattern = rf"[+-]?(?:[0-9]+{mark}?[0-9]*|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    # One that is none spares thousands of columns of text the whole.
    if any(re.fullmatch(pattern, value) is None for value in first_texts(column, _GLANCE)):
        return None
    present = column.dropna()
    is_short = not present.empty and present.str.len().max() <= LONGEST
    if not is_short or not present.str.fullmatch(pattern).all():
        return None
    return Numbers(_to_numbers(column.str.replace(decimal, ".", regex=False)), ())


def _to_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    numbers = pd.to_numeric(column)
    # Whole numbers of more than nineteen digits come as objects.
    return numbers.astype("float64") if numbers.dtype == object else numbers


def _as_number(value: str, decimal: str, unit: str = "") -> str | None:
    """Return a number in Python's spelling, or None."""
    if len(value) > LONGEST:
        return None
    bare, _ = bare_number(value.strip().removesuffix(unit))
    if not bare.isascii():
        # Digits of any script count: pandas reads those of ASCII alone.
        bare = "".join(str(int(sign)) if sign.isdecimal() else sign for sign in bare)
    if not (GROUPED[decimal].fullmatch(bare) or BARE[decimal].fullmatch(bare)):
        return None
    groups = "," if decimal == "." else "."
    for mark in (groups, " ", "'", "’"):
        bare = bare.replace(mark, "")
    return bare.replace(",", ".")


def _common_unit(unique: Iterable[str]) -> str:
    """Return what stands behind the number in all values that hold one, such as kg."""
    units = set()
    n_numbers = 0
    for value in unique:
        if len(value) > LONGEST:
            return ""
        if any(sign.isdigit() for sign in value):
            found = _UNIT.search(value.strip())
            units.add(found[1] if found else "")
            n_numbers += 1
        if "" in units or len(units) > 1:
            return ""
    return units.pop() if units and n_numbers >= _SOME else ""


def _mostly_plain(numbers: dict[str, str | None]) -> bool:
    """Tell whether most numbers stand without flags, and some without brackets."""
    taken = [bare_number(value)[1] for value, number in numbers.items() if number is not None]
    negative = sum(bool(what) and what != FLAG for what in taken)
    return 2 * taken.count(FLAG) <= len(taken) and 10 * negative <= 9 * len(taken)


def _may_be_missing(odd: Sequence[str], n_unique: int, column: pd.Series[Any]) -> bool:
    """Tell whether the words among numbers may stand for missing values."""
    if not odd or all(word.strip().casefold() in _NO_VALUE for word in odd):
        return True
    n_odd = int(column.isin(odd).sum())
    rare = 10 * n_odd <= int(column.notna().sum())
    return len(odd) <= _FEW and n_unique - len(odd) > _MANY and rare


def _convert(column: pd.Series[Any], numbers: dict[str, str | None]) -> pd.Series[Any]:
    values: Any = pd.to_numeric(np.array(list(numbers.values()), dtype=object))
    # Whole numbers of more than nineteen digits come as objects.
    values = values.astype(np.float64) if values.dtype == object else values
    places = {value: place for place, value in enumerate(numbers)}
    rows = [places.get(value, -1) for value in column.tolist()]
    values = np.append(values, np.nan) if min(rows) < 0 else values
    return pd.Series(values[rows], index=column.index, name=column.name)


def _number_notices(
    column: pd.Series[Any], numbers: dict[str, str | None], odd: Sequence[str], unit: str
) -> tuple[Notice, ...]:
    where = f"column {column.name!r}"
    notices = []
    read = [
        value
        for value, number in numbers.items()
        if number is not None and not PLAIN.fullmatch(value)
    ]
    signs = {m[0].strip() for value in read for m in SIGNS.finditer(value.strip(" ()+-"))}
    signs |= {unit} if unit else set()
    if signs:
        sentence = f"Numbers with {', '.join(sorted(signs))}: read without it."
        notices.append(Notice(sentence, where, code="LIN042"))
    taken = {taken: value for value in reversed(read) if (taken := bare_number(value)[1])}
    for what, example in sorted(taken.items()):
        meaning = "read without it" if what == FLAG else "read as negative"
        sentence = f"Numbers with {what}, such as {example!r}: {meaning}."
        notices.append(Notice(sentence, where, code="LIN043"))
    if odd:
        count = int(column.isin(odd).sum())
        words = ", ".join(repr(word[:30]) for word in odd[:5])
        sentence = f"Numbers but for {words} ({count:,} rows), which was read as missing."
        notices.append(
            Notice(sentence, where, "If it is a class or a level, make all values text.", "LIN044")
        )
    return tuple(notices)
