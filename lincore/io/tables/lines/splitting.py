"""The fields of one damaged line, under each of several dialects."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import lru_cache

# Runs of spaces and tabs count as one separator.
SPACES = " "
_OTHERS = ",;\t|:"
_FEWEST_APART = 2
_FEWEST_TWICE = 4
_ESCAPED = "\x02"
_STRAY = "unpaired quotation marks are text"


def readings(
    line: str, plainly: list[str], separator: str, quote: str
) -> Iterator[tuple[list[str], str]]:
    r"""Yield the fields of a line under assumptions of decreasing plausibility.

    `plainly` are its fields by `split`.
    """
    if quote and "\\" + quote in line:
        # With and without quotation marks around it, it represents the mark itself.
        fields = split(line.replace("\\" + quote, _ESCAPED), separator, quote)
        found = [field.replace(_ESCAPED, quote) for field in fields]
        yield found, "a backslash before quotation marks"
    for other in "\"'":
        if other != quote and line.startswith(other) and line.endswith(other):
            yield split(line, separator, other), f"quotation mark {other}"
    yield plainly, _STRAY
    if len(plainly) > _FEWEST_TWICE and not any(plainly[1::2]):
        yield plainly[::2], "each separator twice"
    if quote and quote in line:
        yield split(line, separator, quote, closed=False), _STRAY
    if quote and line.startswith(quote) and line.endswith(quote):
        # Each field is quoted, but marks inside are not doubled.
        fields = line[1:-1].split(quote + separator + quote)
        yield [field.replace(2 * quote, quote) for field in fields], _STRAY
    for other in "\"'":
        if other != quote and line.count(other) >= _FEWEST_APART:
            yield split(line, separator, other), f"quotation mark {other}"
    for other in _OTHERS + SPACES:
        if other not in (separator, quote) and (other in line or other == ","):
            yield split(line, other, quote), f"separator {'tab' if other == chr(9) else other}"
    if separator != SPACES and (single := joined_record(iter([line]), SPACES, quote or '"')):
        yield single, "separator space"


def split(line: str, separator: str, quote: str, *, closed: bool = True) -> list[str]:
    """Return the fields of a line; a quotation mark closes a field only at its end."""
    if separator == SPACES:
        if not quote or quote not in line:
            return line.split()
        line, separator = re.sub(r"[ \t]+", " ", line.strip()), " "
    if not quote or quote not in line:
        return [field.strip() for field in line.split(separator)]
    fields, place, n, following = list[str](), 0, len(line), 0
    whole, closes = _patterns(separator, quote)
    closing = [found.span() for found in closes.finditer(line)] if closed else []
    while True:
        while place < n and line[place] in " \t" and line[place] != separator:
            place += 1
        found = whole.match(line, place)
        if found is not None:
            text, end = found[1], found.end()
        else:
            while following < len(closing) and closing[following][0] <= place:
                following += 1
            if line.startswith(quote, place) and following < len(closing):
                last, end = closing[following]
                text = line[place + 1 : last]
            else:
                end = line.find(separator, place)
                end = n if end < 0 else end
                fields.append(line[place:end].strip())
                text = None
        if text is not None:
            fields.append(text.replace(2 * quote, quote))
        if end >= n:
            return fields
        place = end + 1


@lru_cache
def _patterns(separator: str, quote: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns for a whole quoted field, and for a mark at the end of a field."""
    mark, apart = re.escape(quote), "" if separator in " \t" else r"[ \t]*"
    behind = rf"{apart}(?={re.escape(separator)}|$)"
    whole = re.compile(rf"{mark}((?:[^{mark}]|{mark}{mark})*+){mark}{behind}")
    return whole, re.compile(rf"{mark}{behind}")


def joined_record(lines: Iterator[str], separator: str, quote: str) -> list[str] | None:
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
    found = joined_record(iter([line]), separator, quote)
    return found is not None and [field.strip() for field in found] == fields


def written(fields: list[str], separator: str, quote: str) -> str | None:
    """Return a line of these fields, quoted as needed; None if no mark is suitable."""
    special = {separator, quote, "\n"} - {""}
    if separator == SPACES:
        special |= {"\t"}
    found = []
    for field in fields:
        if any(mark in field for mark in special) or (separator == SPACES and not field):
            if not quote:
                return None
            field = quote + field.replace(quote, 2 * quote) + quote
        found.append(field)
    return separator.join(found)
