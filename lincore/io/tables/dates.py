"""Dates and times: recognition of their format, and conversion to days."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from lincore.io.tables.lines.kinds import CLOCK, DATE, OFFSET, UNIX_DATE, WEEKDAY

_JUDGED = 200
# Names of the time zone and the weekday: the former is not always known, the latter is redundant.
_ZONE_NAME = re.compile(
    rf"(?:(?<=\d)|(?<=[AaPp][Mm]))\s?(?!AM|PM)[A-Z]{{2,5}}(?:{OFFSET})?$", re.IGNORECASE
)
_FRONT = re.compile(rf"^{WEEKDAY}", re.IGNORECASE)
_PLAIN = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")


def is_date(column: pd.Series[Any], distinct: Any = None) -> bool:
    """Return whether a column contains dates or times of day, as text or by type.

    `distinct` are its distinct values, if known; of numbers they are not needed.
    """
    if column.dtype.kind == "f":
        return False
    if pd.api.types.is_datetime64_any_dtype(column) or isinstance(column.dtype, pd.PeriodDtype):
        return True
    whole = pd.api.types.is_integer_dtype(column)
    if whole and not re.search(r"date|day|datum", str(column.name), re.IGNORECASE):
        return False
    if pd.api.types.is_numeric_dtype(column) and not whole:
        return False
    if distinct is None or whole:
        distinct = column.dropna().unique()
    forms = (_PLAIN,) if whole else (DATE, CLOCK, UNIX_DATE)
    some = [str(value) for value in distinct[:_JUDGED]]
    return len(some) > 0 and all(any(form.fullmatch(text) for form in forms) for text in some)


def to_days(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return dates as days since 1970-01-01, times of day as days; NaN for other values.

    If the day precedes the month anywhere in the column, it does so everywhere.
    """
    if not pd.api.types.is_datetime64_any_dtype(column):
        text = column.astype("str")
        clocks = text.dropna().str.fullmatch(CLOCK).all()
        if clocks:
            text = text.str.replace(".", ":", regex=False)
            spelled = text.where(text.str.count(":") == 2, text + ":00")
            return pd.to_timedelta(spelled, errors="coerce").dt.total_seconds() / 86_400
        text = text.map(_plain, na_action="ignore")
        first = text.str.extract(r"^(\d{1,2})[-/.](\d{1,2})[-/.]")
        later = pd.to_numeric(first[1], errors="coerce").max()
        day_first = bool(first[0].notna().any()) and not later > 12
        column = pd.to_datetime(text, errors="coerce", dayfirst=day_first, format="mixed", utc=True)
    if column.dt.tz is not None:
        column = column.dt.tz_convert(None)
    return (column - pd.Timestamp(0)).dt.total_seconds() / 86_400


def _plain(text: str) -> str:
    """Return a date without weekday and time zone, the year next to the day."""
    text = UNIX_DATE.sub(r"\1 \3 \2", text)
    return _FRONT.sub("", _ZONE_NAME.sub("", text))
