"""Fixed-width tables: columns found by their position in the line."""

from __future__ import annotations

import csv
import io
import re

from lincore.io.tables.text.options import PLACES

_MOST_CHARS = 20_000_000
_FEWEST_LINES = 5
_FEWEST_SAID = 3
_FEWEST_SINGLE, _MOST_SINGLE_CHARS = 3, 5_000_000
_GAP = re.compile(r"[ \t]{2,}")
_MOSTLY, _FEW_SHORT = 0.8, 0.3


def rule_columns(text: str) -> str | None:
    r"""Return the text with `PLACES` between its columns; None if it is not fixed-width.

    Most lines must be about as long as the longest, and between columns no line may have a
    character.
    """
    if len(text) > _MOST_CHARS or {"\t", PLACES} & set(text) or not text.isascii():
        return None
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    width = max(map(len, filled), default=0)
    short = sum(len(line.rstrip()) < _MOSTLY * width for line in filled)
    if len(filled) < _FEWEST_LINES or short > _FEW_SHORT * len(filled):
        # Lines of varying length are words between spaces, whose positions mean nothing.
        return None
    # All lines at once as one number: a bit is set if any of them has a character there.
    taken = 0
    for line in filled:
        taken |= int("".join("0" if mark == " " else "1" for mark in line.ljust(width)), 2)
    spans = _spans(f"{taken:0{width}b}")
    if len(spans) < 2:
        return None
    return "\n".join(
        PLACES.join(line[a:b].strip() for a, b in spans) if line.strip() else "" for line in lines
    )


def part_by_gaps(text: str) -> str | None:
    r"""Return the text with `PLACES` for gaps of two or more blanks, if all lines have as many."""
    if len(text) > _MOST_CHARS or PLACES in text or "  " not in text:
        return None
    lines = [line.strip() for line in text.split("\n")]
    widths = {len(_GAP.split(line)) for line in lines if line}
    # Two blanks also occur between sentences and in justified prose.
    if len(widths) > 1 or max(widths, default=0) < 2 or sum(map(bool, lines)) < _FEWEST_SAID:
        return None
    return "\n".join(_GAP.sub(PLACES, line) for line in lines)


def part_by_single_blanks(text: str) -> str | None:
    r"""Return the text with `PLACES` for single blanks, if all lines have as many unquoted."""
    if len(text) > _MOST_SINGLE_CHARS or {"\t", PLACES} & set(text):
        return None
    width, n_rows, sink = 0, 0, io.StringIO()
    reader = csv.reader(io.StringIO(text), delimiter=" ", strict=True)
    writer = csv.writer(sink, delimiter=PLACES, lineterminator="\n")
    try:
        for fields in reader:
            width = width or len(fields)
            # Lines of prose differ in the number of words.
            if width < _FEWEST_SINGLE or (fields and len(fields) != width):
                return None
            writer.writerow(fields)
            n_rows += 1
    except csv.Error:
        return None
    return sink.getvalue() if n_rows >= _FEWEST_LINES else None


def _spans(taken: str) -> list[tuple[int, int]]:
    """Return the starts and ends of runs of ones."""
    edges = [i for i in range(1, len(taken)) if taken[i] != taken[i - 1]]
    bounds = [0, *edges, len(taken)]
    pairs = zip(bounds, bounds[1:], strict=False)
    return [(a, b) for a, b in pairs if taken[a] == "1"]
