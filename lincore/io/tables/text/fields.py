"""The fields of one line of text, under several dialects, and the kind of each."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

Kind = Literal["blank", "number", "amount", "percentage", "date", "time", "word"]

NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
BLANKS = ("", "?", "-", "NA", "NaN", "nan", "N/A", "#N/A", "null", "NULL", "None", "\\N")
CURRENCY = (
    r"(?:(?:US|A|C|R|NZ|HK|S)?\$|[€£¥₹₽₩₺₪]|Rs\.?|kr\.?|zł|Kč|Ft"
    r"|(?:USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|BRL|MXN|SEK|NOK|DKK|PLN|CZK|HUF|RUB|TRY|ZAR|KRW)"
    r"(?![A-Za-z]))"
)

_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:[.,]\d+)?)?(?:\s*[AaPp][Mm])?"
OFFSET = r"[+-]\d{1,2}(?::?\d{2})?"
_ZONE = rf"(?:Z|\s?[+-]\d{{2}}:?\d{{2}}|\s[A-Z]{{2,5}}(?:{OFFSET})?)?"
WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s)?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez)[a-z]*\.?"
_DAY = "|".join(
    (
        r"\d{4}([-/.])\d{1,2}\1\d{1,2}",  # 2007-11-11
        r"\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2})",  # 11.11.2007, 11/11/07
        rf"\d{{1,2}}\.?[-\s]?{_MONTH}[-\s,]+\d{{2,4}}",  # 11 Nov 2007
        rf"{_MONTH}\s\d{{1,2}},?\s\d{{4}}",  # Nov 11, 2007
    )
)
DATE = re.compile(rf"{WEEKDAY}(?:{_DAY})(?:[T\s,]+{_TIME}{_ZONE})?", re.IGNORECASE)
# Unix format: Mon Apr 06 22:19:45 PDT 2009.
UNIX_DATE = re.compile(
    rf"[a-z]{{3}}\s({_MONTH}\s+\d{{1,2}})\s({_TIME})\s(?:[A-Z]{{2,5}}|{OFFSET})\s(\d{{4}})",
    re.IGNORECASE,
)
CLOCK = re.compile(
    r"\d{1,2}:\d{2}(?:[:.]\d{2}(?:[.,]\d+)?)?(?:\s*[AaPp][Mm])?|\d{1,2}\.\d{2}\.\d{2}"
)

_DIGITS = r"\d[\d.,' ]*"
_AMOUNT = re.compile(
    rf"\(?[+-]?\s*{CURRENCY}\s*[+-]?{_DIGITS}\)?|\(?[+-]?{_DIGITS}\s*{CURRENCY}\)?"
)
_PERCENTAGE = re.compile(rf"[+-]?{_DIGITS}\s*[%‰]")
_GROUPED = re.compile(
    r"[+-]?[1-9]\d{0,2}([,.' ]\d{3})+([.,]\d*)?|[+-]?[1-9]\d?(,\d\d)+,\d{3}(\.\d*)?"
)
_LONGEST = 60
# Runs of spaces and tabs count as one separator.
SPACES = " "
_OTHERS = ",;\t|:"
_FEWEST_APART = 2
_FEWEST_TWICE = 4
_ESCAPED = "\x02"
_STRAY = "unpaired quotation marks are text"


def kind_of(field: str) -> Kind:
    """Return the kind of value of a field, by its form only."""
    if field in BLANKS:
        return "blank"
    # Patterns with backtracking are applied to short texts only.
    if len(field) > _LONGEST or not any(sign.isdigit() for sign in field):
        return "word"
    if NUMBER.fullmatch(field) or _GROUPED.fullmatch(field):
        return "number"
    if DATE.fullmatch(field) or UNIX_DATE.fullmatch(field):
        return "date"
    if CLOCK.fullmatch(field):
        return "time"
    if _AMOUNT.fullmatch(field):
        return "amount"
    return "percentage" if _PERCENTAGE.fullmatch(field) else "word"


def are_numbers(values: Sequence[str]) -> bool:
    """Return whether there are values, and all are numbers."""
    return len(values) > 0 and all(map(NUMBER.fullmatch, values))


def readings(
    line: str, plainly: list[str], separator: str, quote: str
) -> Iterator[tuple[list[str], str]]:
    r"""Yield the fields of a line under assumptions of decreasing plausibility."""
    # `plainly` are its fields by `split`.
    if quote and "\\" + quote in line:
        # With and without quotation marks around it, it represents the mark itself.
        fields = split(line.replace("\\" + quote, _ESCAPED), separator, quote)
        unescaped = [field.replace(_ESCAPED, quote) for field in fields]
        yield unescaped, "a backslash before quotation marks"
    for mark in "\"'":
        if mark != quote and line.startswith(mark) and line.endswith(mark):
            yield split(line, separator, mark), f"quotation mark {mark}"
    yield plainly, _STRAY
    if len(plainly) > _FEWEST_TWICE and not any(plainly[1::2]):
        yield plainly[::2], "each separator twice"
    if quote and quote in line:
        yield split(line, separator, quote, closed=False), _STRAY
    if quote and line.startswith(quote) and line.endswith(quote):
        # Each field is quoted, but marks inside are not doubled.
        fields = line[1:-1].split(quote + separator + quote)
        yield [field.replace(2 * quote, quote) for field in fields], _STRAY
    for mark in "\"'":
        if mark != quote and line.count(mark) >= _FEWEST_APART:
            yield split(line, separator, mark), f"quotation mark {mark}"
    for mark in _OTHERS + SPACES:
        if mark not in (separator, quote) and (mark in line or mark == ","):
            yield split(line, mark, quote), f"separator {'tab' if mark == chr(9) else mark}"
    if separator != SPACES and (single := first_record(iter([line]), SPACES, quote or '"')):
        yield single, "separator space"


def split(line: str, separator: str, quote: str, *, closed: bool = True) -> list[str]:
    """Return the fields of a line; a quotation mark closes a field only at its end."""
    if separator == SPACES:
        if not quote or quote not in line:
            return line.split()
        line, separator = re.sub(r"[ \t]+", " ", line.strip()), " "
    if not quote or quote not in line:
        return [field.strip() for field in line.split(separator)]
    fields, position, n, following = list[str](), 0, len(line), 0
    whole, closes = _patterns(separator, quote)
    closing = [match.span() for match in closes.finditer(line)] if closed else []
    while True:
        while position < n and line[position] in " \t" and line[position] != separator:
            position += 1
        match = whole.match(line, position)
        if match is not None:
            text, end = match[1], match.end()
        else:
            while following < len(closing) and closing[following][0] <= position:
                following += 1
            if line.startswith(quote, position) and following < len(closing):
                last, end = closing[following]
                text = line[position + 1 : last]
            else:
                end = line.find(separator, position)
                end = n if end < 0 else end
                fields.append(line[position:end].strip())
                text = None
        if text is not None:
            fields.append(text.replace(2 * quote, quote))
        if end >= n:
            return fields
        position = end + 1


@lru_cache
def _patterns(separator: str, quote: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns for a whole quoted field, and for a mark at the end of a field."""
    mark, blanks = re.escape(quote), "" if separator in " \t" else r"[ \t]*"
    behind = rf"{blanks}(?={re.escape(separator)}|$)"
    whole = re.compile(rf"{mark}((?:[^{mark}]|{mark}{mark})*+){mark}{behind}")
    return whole, re.compile(rf"{mark}{behind}")


def first_record(lines: Iterator[str], separator: str, quote: str) -> list[str] | None:
    r"""Return the first record of lines, reading no more than needed; None if damaged."""
    reader = csv.reader(
        lines,
        delimiter=separator,
        quotechar=quote,
        skipinitialspace=separator != SPACES,
        strict=True,
    )
    try:
        return next(reader)
    except (csv.Error, StopIteration):
        return None


def is_plain(line: str, fields: list[str], separator: str, quote: str) -> bool:
    """Return whether other readers agree: marks in the middle of a field are text."""
    if not quote or quote not in line:
        return True
    if separator == SPACES:
        return False
    record = first_record(iter([line]), separator, quote)
    return record is not None and [field.strip() for field in record] == fields


def written(fields: list[str], separator: str, quote: str) -> str | None:
    """Return a line of these fields, quoted as needed; None if no mark is suitable."""
    special = {separator, quote, "\n"} - {""}
    if separator == SPACES:
        special |= {"\t"}
    texts = []
    for field in fields:
        if any(mark in field for mark in special) or (separator == SPACES and not field):
            if not quote:
                return None
            field = quote + field.replace(quote, 2 * quote) + quote
        texts.append(field)
    return separator.join(texts)
