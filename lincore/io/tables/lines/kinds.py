"""Kinds of a single field: blank, number, amount, percentage, date, time of day or word."""

from __future__ import annotations

import re
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
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([,.' ]\d{3})+([.,]\d*)?")
_LONGEST = 60


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
