"""Numbers as texts: decimal and thousands marks of a file, currencies, units, percentages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from lincore.data.frames import first_texts, with_many
from lincore.errors import Notice
from lincore.io.tables.text.fields import BLANKS, CURRENCY
from lincore.io.tables.text.options import NumberMarks, Record, TextImport
from lincore.utils.formatting import count

_EXPONENT = r"(?:[eE][+-]?\d+)?"
# A group before a thousands mark never begins with zero: 0,444 is a fraction.
# In India, groups beyond a thousand have two digits: 12,34,567.
GROUPED = {
    mark: re.compile(
        rf"[+-]?(?:[1-9]\d{{0,2}}(?:(?:{grouping}\d{{3}})+|(?:[ '’]\d{{3}})+){indian}|\d+)"
        rf"(?:{re.escape(mark)}\d*)?{_EXPONENT}"
    )
    for mark, grouping, indian in ((".", ",", r"|[1-9]\d?(?:,\d\d)+,\d{3}"), (",", r"\.", ""))
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
# A measurement with its uncertainty: 1.50 ± 0.05.
_UNCERTAINTY = re.compile(r"(?<=[\d.,])\s*(?:±|\+/-)\s*[\d.,]+$")
# No number is longer; patterns with backtracking are applied to short texts only.
LONGEST = 60
OTHER_MARK = {",": ".", ".": ","}
FLAG, UNCERTAINTY = "a flag", "an uncertainty"
_FEWEST_RECORDS = 10
_MOST_FIELDS = 20_000
# Unit that may follow the numbers of a column, if it follows all of them: kg, m/s, °C.
_UNIT = re.compile(r"(?<=[\d.,])\s*([A-Za-zµμΩ°²³/·^()%]{1,10})$")
# Words that mean missing among numbers, whatever they mean elsewhere.
# fmt: off
_NO_VALUE = frozenset((
    "missing", "unknown", "none", "nil", "nd", "n.d.", "na", "n.a.", "n/a", "nan", "null",
    ".", "..", "...", "*", "**", "-", "--", "---", "–", "—", "k.a.", "n.v.", "s/d", "s.d.", "s/o",
    "#value!", "#div/0!", "#ref!", "#num!", "not available", "not applicable", "no data",
    "not measured", "no answer", "refused", "blank", "empty",
    "keine angabe", "keine angaben", "keine daten", "unbekannt", "fehlt", "fehlend", "leer",
    "nicht verfügbar", "nicht vorhanden", "nicht gemessen", "nicht bekannt", "entfällt",
    "inconnu", "inconnue", "manquant", "manquante", "sans objet", "non disponible", "vide",
    "non renseigné", "nsp", "desconocido", "desconocida", "sin dato", "sin datos", "vacío",
    "no disponible", "no aplica", "faltante", "sconosciuto", "mancante", "onbekend", "okänd",
    "desconhecido", "sem dados", "ausente",
))
# fmt: on
_CURRENCY_FIRST = re.compile(rf"{CURRENCY}\s*")
_SIGN_LAST = re.compile(rf"\s*(?:%|‰|{CURRENCY})$")
# For Arrow, whose digits are those of ASCII.
_WHOLE_NUMBER = {mark: f"^(?:{GROUPED[mark].pattern}|{BARE[mark].pattern})$" for mark in GROUPED}
_JUDGED = 100
_GLANCE = 20
_FEW_ROWS = 5_000
_MANY = 20
_FEW = 3
_SOME = 3


def find_marks(table: TextImport) -> None:
    """Find the decimal and the thousands mark, unless set by options."""
    body = [record for record in table.records if record.first_line >= table.first_line]
    detected, options = _detect_marks(body, table.separator), table.options
    decimal, thousands = options.decimal or detected.decimal, options.thousands
    if thousands is None:
        thousands = detected.thousands if decimal == detected.decimal else ""
    table.marks = NumberMarks(decimal, thousands, detected.assumed and not options.decimal)


def _detect_marks(records: Sequence[Record], separator: str) -> NumberMarks:
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
        if not marked or not all(_possible_decimals(value) is not None for value in marked):
            continue
        decimals, either = decimal_evidence(marked)
        for mark in decimals if len(decimals) == 1 else ():
            settled[mark] += 1
            if any(OTHER_MARK[mark] in value for value in marked):
                grouped.add(OTHER_MARK[mark])
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
def _possible_decimals(value: str) -> set[str] | None:
    """Return the possible decimal marks of a number without currency, None for other text."""
    marks = {m for m in OTHER_MARK if GROUPED[m].fullmatch(value) or BARE[m].fullmatch(value)}
    return marks or None


def decimal_evidence(values: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the decimal marks proven by numbers, and the ambiguous marks."""
    proved: set[str] = set()
    either: set[str] = set()
    for value in values:
        if "," not in value and "." not in value:
            continue
        if match := _EITHER.fullmatch(value):
            either.add(match[1])
        elif (marks := _possible_decimals(value)) is not None and len(marks) == 1:
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
    sign, removed = "", ""
    if _UNCERTAINTY.search(bare):
        bare, removed = _UNCERTAINTY.sub("", bare), UNCERTAINTY
    if match := _IN_BRACKETS.fullmatch(bare) or _MINUS_LAST.fullmatch(bare):
        sign, bare = "-", match[1].strip()
        removed = "brackets" if value.strip().startswith("(") else "a minus at the end"
    elif match := _SIGN_FIRST.fullmatch(bare):
        sign, bare = match[1], match[2]
    for pattern in (_FLAGS, SIGNS):
        bare, n_found = pattern.subn("", bare)
        removed = removed or (FLAG if n_found and pattern is _FLAGS else "")
    return sign + bare.strip(), removed


def read_numbers_in_text(table: TextImport) -> None:
    """Read text columns as numbers if they contain numbers."""
    converted: dict[str, pd.Series[Any]] = {}
    strict = table.options.decimal is not None
    for name, column in table.of_text.items():
        numbers = None if name in table.texts else read_numbers(column, table.marks, strict)
        if numbers is not None:
            converted[name], notices = numbers
            table.notices += notices
    table.frame = with_many(table.frame, converted)


def read_numbers(
    column: pd.Series[Any], marks: NumberMarks, strict: bool = False
) -> tuple[pd.Series[Any], list[Notice]] | None:
    """Return a text column as numbers, and notices; None if it contains something else."""
    if not marks.assumed and (alike := _read_uniform(column, marks.decimal)):
        return alike
    few = len(column) <= _FEW_ROWS
    unique = list(dict.fromkeys(first_texts(column))) if few else list(column.dropna().unique())
    if not unique:
        return None
    unit = _common_unit(unique)
    decimals = (marks.decimal,) if strict else (marks.decimal, OTHER_MARK[marks.decimal])
    # Checking some values first avoids the full check of long texts.
    judged = {decimal: _mostly_numbers(unique, decimal, unit) for decimal in decimals}
    likely = [decimal for decimal in decimals if judged[decimal]]
    proved: set[str] = set()
    either: set[str] = set()
    if likely and not strict:
        proved, either = decimal_evidence(
            bare_number(value.strip().removesuffix(unit))[0] for value in unique
        )
    for decimal in proved if len(proved) == 1 and proved <= set(likely) else likely:
        numbers = judged[decimal]
        numbers |= {value: _as_number(value, decimal, unit) for value in unique[_JUDGED:]}
        odd = [value for value, number in numbers.items() if number is None]
        if not _may_be_missing(odd, len(numbers), column) or not _mostly_plain(numbers):
            continue
        notices = _number_notices(column, numbers, odd, unit)
        if marks.assumed and "," in either and not proved:
            notices.append(_assumption_notice(column, numbers))
        return _convert(column, numbers), notices
    return None


def _mostly_numbers(unique: Sequence[str], decimal: str, unit: str) -> dict[str, str | None]:
    """Return the first values as numbers, None for others; nothing if most are not numbers."""
    numbers = {value: _as_number(value, decimal, unit) for value in unique[:_GLANCE]}
    # Twenty words without a number avoid checking the rest of thousands of text columns.
    if all(number is None for number in numbers.values()):
        return {}
    numbers |= {value: _as_number(value, decimal, unit) for value in unique[_GLANCE:_JUDGED]}
    n_numbers = sum(number is not None for number in numbers.values())
    return numbers if 2 * n_numbers >= len(numbers) else {}


def _assumption_notice(column: pd.Series[Any], numbers: Mapping[str, str | None]) -> Notice:
    """Report how 7,094 was read if it may be a fraction or seven thousand."""
    value = next(value for value in numbers if "," in value)
    fraction = "." in str(numbers[value])
    meant = "a decimal mark" if fraction else "a thousands mark"
    return Notice(
        f"A comma before three digits, such as {value!r}, may be a decimal or a thousands mark, "
        f"and nothing in the file decides: read as {meant}.",
        f"column {column.name!r}",
        f"If that is wrong, choose {'the point' if fraction else 'the comma'} as decimal mark.",
        "LIN045",
    )


def _read_uniform(
    column: pd.Series[Any], decimal: str
) -> tuple[pd.Series[Any], list[Notice]] | None:
    """Read a column of numbers with the same signs, such as $, in one step."""
    first = first_texts(column, _GLANCE)
    # Arrow takes a tenth of a millisecond for each of thousands of columns of words.
    if not first or len(first[0]) > LONGEST or not any(map(str.isdigit, first[0])):
        return None
    sign, suffix = _CURRENCY_FIRST.match(first[0]), _SIGN_LAST.search(first[0])
    if suffix is None and len(set(first)) >= _SOME:
        # A unit must follow several numbers.
        suffix = _UNIT.search(first[0])
    before, behind = sign[0] if sign else "", suffix[0] if suffix else ""
    # A single mismatch avoids the full check of thousands of text columns.
    if _strip_affixes(first[:1], before, behind, decimal) is None:
        return None
    present = column.dropna()
    texts = _strip_affixes(present, before, behind, decimal)
    if texts is None:
        return None
    signs = sorted({before.strip(), behind.strip()} - {""})
    notices = [_sign_notice(signs, f"column {column.name!r}")] if signs else []
    values = pd.Series(_to_numbers(texts), index=present.index, name=column.name)
    return values.reindex(column.index), notices


def _strip_affixes(
    texts: Sequence[str] | pd.Series[Any], before: str, behind: str, decimal: str
) -> list[str] | None:
    """Return numbers in Python's notation; None unless each text is one between the two signs."""
    array = pa.array(texts, pa.string())
    bare = pc.utf8_slice_codeunits(array, len(before), -len(behind) or None)
    is_number = pc.and_(
        pc.and_(pc.starts_with(array, before), pc.ends_with(array, behind)),
        pc.match_substring_regex(bare, _WHOLE_NUMBER[decimal]),
    )
    if pc.max(pc.utf8_length(array)).as_py() > LONGEST or not pc.all(is_number).as_py():
        return None
    for mark in (OTHER_MARK[decimal], " ", "'", "’"):
        bare = pc.replace_substring(bare, mark, "")
    numbers: list[str] = pc.replace_substring(bare, ",", ".").to_pylist()
    return numbers


def _to_numbers(texts: Sequence[str | None]) -> Any:
    """Return texts in Python's notation as numbers, (n,); NaN for None."""
    numbers: Any = pd.to_numeric(np.array(texts, dtype=object))
    # Integers of more than nineteen digits come as objects.
    return numbers.astype(np.float64) if numbers.dtype == object else numbers


def _as_number(value: str, decimal: str, unit: str = "") -> str | None:
    """Return a number in Python's notation, or None."""
    if len(value) > LONGEST:
        return None
    bare, _ = bare_number(value.strip().removesuffix(unit))
    if not bare.isascii():
        # Digits of any script are accepted: pandas reads only ASCII digits.
        bare = "".join(str(int(sign)) if sign.isdecimal() else sign for sign in bare)
    if not (GROUPED[decimal].fullmatch(bare) or BARE[decimal].fullmatch(bare)):
        return None
    groups = "," if decimal == "." else "."
    for mark in (groups, " ", "'", "’"):
        bare = bare.replace(mark, "")
    return bare.replace(",", ".")


def _common_unit(unique: Iterable[str]) -> str:
    """Return the common suffix of all numbers, such as kg."""
    units = set()
    n_numbers = 0
    for value in unique:
        if len(value) > LONGEST:
            return ""
        if any(sign.isdigit() for sign in value):
            match = _UNIT.search(value.strip())
            units.add(match[1] if match else "")
            n_numbers += 1
        if "" in units or len(units) > 1:
            return ""
    return units.pop() if units and n_numbers >= _SOME else ""


def _mostly_plain(numbers: dict[str, str | None]) -> bool:
    """Return whether most numbers have no flags, and some no brackets."""
    removed = [bare_number(value)[1] for value, number in numbers.items() if number is not None]
    negative = sum(sign not in ("", FLAG, UNCERTAINTY) for sign in removed)
    return 2 * removed.count(FLAG) <= len(removed) and 10 * negative <= 9 * len(removed)


def _may_be_missing(odd: Sequence[str], n_unique: int, column: pd.Series[Any]) -> bool:
    """Return whether the words among numbers may stand for missing values."""
    # Such as missing, (leer) or k. A.
    plain = [word.strip().strip("()[]<>").casefold() for word in odd]
    if all(w in _NO_VALUE or re.sub(r"\. (?=\w)", ".", w) in _NO_VALUE for w in plain):
        return True
    n_odd = int(column.isin(odd).sum())
    rare = 10 * n_odd <= int(column.notna().sum())
    return len(odd) <= _FEW and n_unique - len(odd) > _MANY and rare


def _convert(column: pd.Series[Any], numbers: dict[str, str | None]) -> pd.Series[Any]:
    values = _to_numbers(list(numbers.values()))
    position_of = {value: position for position, value in enumerate(numbers)}
    rows = [position_of.get(value, -1) for value in column.tolist()]
    values = np.append(values, np.nan) if min(rows) < 0 else values
    return pd.Series(values[rows], index=column.index, name=column.name)


def _sign_notice(signs: Sequence[str], where: str) -> Notice:
    without = "it" if len(signs) == 1 else "them"
    sentence = f"Numbers with {', '.join(signs)}: read without {without}."
    return Notice(sentence, where, code="LIN042")


def _number_notices(
    column: pd.Series[Any], numbers: dict[str, str | None], odd: Sequence[str], unit: str
) -> list[Notice]:
    where = f"column {column.name!r}"
    notices = []
    read = [v for v, n in numbers.items() if n is not None and not PLAIN.fullmatch(v)]
    signs = {m[0].strip() for value in read for m in SIGNS.finditer(value.strip(" ()+-"))}
    signs |= {unit} if unit else set()
    if signs:
        notices.append(_sign_notice(sorted(signs), where))
    examples = {bare_number(value)[1]: value for value in reversed(read)}
    examples.pop("", None)
    for flag, example in sorted(examples.items()):
        meaning = "read without it" if flag in (FLAG, UNCERTAINTY) else "read as negative"
        sentence = f"Numbers with {flag}, such as {example!r}: {meaning}."
        notices.append(Notice(sentence, where, code="LIN043"))
    if odd:
        rows = count(int(column.isin(odd).sum()), "row")
        words = ", ".join(repr(word[:30]) for word in odd[:5])
        sentence = f"Numbers except {words} ({rows}): read as missing."
        notices.append(
            Notice(sentence, where, "If it is a class or a level, make all values text.", "LIN044")
        )
    return notices
