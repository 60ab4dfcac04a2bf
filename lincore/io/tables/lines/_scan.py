"""A fast scan of all lines for those that may have a wrong number of fields."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.utils.typing import Flags

_PIECE = 4_000_000
_SPACES = " "


class Scan(NamedTuple):
    """Lines that need closer inspection.

    Attributes
    ----------
    n_lines : int
        Number of nonempty lines scanned.
    numbers : (m,) intp
        Line numbers, counted from 0.
    starts : (m,) intp
        Where they begin in the text.
    is_complete : bool
        Whether all lines were scanned.
    """

    n_lines: int
    numbers: NDArray[np.intp]
    starts: NDArray[np.intp]
    is_complete: bool


def scan_lines(text: str, separator: str, quote: str, width: int, most: int = 20_000) -> Scan:
    r"""Find the lines that do not clearly have `width` fields.

    A line is clear if its quotation marks are paired and at the ends of fields, and `width - 1`
    separators are outside of them. The scan stops after `most` other lines.
    """
    numbers, starts = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    begin = n_above = n_filled = n_odd = 0
    while begin < len(text) and n_odd <= most:
        end = text.find("\n", begin + _PIECE) + 1 or len(text)
        marks = _code_points(text[begin:end])
        ends = np.flatnonzero(marks == ord("\n"))
        if not len(ends) or ends[-1] != len(marks) - 1:
            ends = np.append(ends, len(marks))
        begins = np.append(0, ends[:-1] + 1)
        filled = ends > begins
        odd = filled & ~_are_plain(marks, begins, ends, separator, quote, width)
        numbers.append(np.flatnonzero(odd) + n_above)
        starts.append(begins[odd] + begin)
        n_above += len(ends)
        n_filled += int(filled.sum())
        n_odd += int(odd.sum())
        begin = end
    return Scan(n_filled, np.concatenate(numbers), np.concatenate(starts), n_odd <= most)


def _code_points(piece: str) -> NDArray[np.integer]:
    if piece.isascii():
        return np.frombuffer(piece.encode("ascii"), np.uint8)
    return np.frombuffer(piece.encode("utf-32-le", "surrogatepass"), np.uint32)


def _are_plain(
    marks: NDArray[np.integer],
    begins: NDArray[np.intp],
    ends: NDArray[np.intp],
    separator: str,
    quote: str,
    width: int,
) -> Flags:
    """Return which lines clearly have this many fields, (n,)."""
    breaks = marks == ord("\n")
    if separator == _SPACES:
        apart = (marks == ord(" ")) | (marks == ord("\t"))
        # A field begins after a gap; gaps that start a field are counted.
        parts = ~apart & ~breaks & np.append(True, (apart | breaks)[:-1])
        wanted = width
    else:
        parts = apart = marks == ord(separator)
        wanted = width - 1
    first, last = marks[np.minimum(begins, len(marks) - 1)], marks[np.maximum(ends - 1, 0)]
    other = ord("'") if quote == '"' else ord('"')
    around = (first == other) & (last == other) & (separator != _SPACES)
    if not quote or not (quotes := marks == ord(quote)).any():
        return (_sums(parts, begins, ends) == wanted) & ~around
    count = np.cumsum(quotes, dtype=np.int32)
    before = np.where(begins > 0, count[begins - 1], 0)
    inside = (count - quotes - np.repeat(before, np.diff(np.append(begins, len(marks))))) & 1
    n_parts = _sums(parts & (inside == 0), begins, ends)
    edges = apart | breaks | quotes
    stray = quotes & ~np.append(True, edges[:-1]) & ~np.append(edges[1:], True)
    paired = _sums(quotes, begins, ends) % 2 == 0
    return (n_parts == wanted) & paired & (_sums(stray, begins, ends) == 0) & ~around


def _sums(flags: Flags, begins: NDArray[np.intp], ends: NDArray[np.intp]) -> NDArray[np.intp]:
    """Count the True values of each line, (n,)."""
    total = np.append(0, np.cumsum(flags, dtype=np.int64))
    return total[ends] - total[begins]
