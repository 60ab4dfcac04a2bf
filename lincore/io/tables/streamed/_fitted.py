"""Rows of a large text, each with the right number of fields."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from lincore.io.files.streams import whole_lines
from lincore.io.tables.lines.fit import LineFitter
from lincore.io.tables.text.dialect import without_comments
from lincore.limits import Limits

_MOST_CARRIED = 100_000


class FittedRows(io.RawIOBase):
    """The rows of a UTF-8 stream, with uneven lines repaired or skipped.

    Parameters
    ----------
    stream : file
        From the first row on.
    fitter : LineFitter
    comment : str
        Prefix of lines to skip, or "".
    first_line : int
        The line number of the first row.
    limits : Limits
    """

    def __init__(
        self, stream: BinaryIO, fitter: LineFitter, comment: str, first_line: int, limits: Limits
    ) -> None:
        self._parts = self._fitted(stream, fitter, comment, first_line, limits)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._rest = part
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def _fitted(
        self, stream: BinaryIO, fitter: LineFitter, comment: str, line: int, limits: Limits
    ) -> Iterator[bytes]:
        carried, quote = "", fitter.target.quote
        for block in whole_lines(stream, fitter.target.name, limits):
            text = carried + block.decode("utf-8", "replace").replace("\r\n", "\n")
            end = _last_whole(text, quote)
            text, carried = text[:end], text[end:]
            yield fitter.fit(without_comments(text, comment), line).encode("utf-8", "replace")
            line += text.count("\n")
        if carried:
            yield fitter.fit(without_comments(carried, comment), line).encode("utf-8", "replace")


def _last_whole(text: str, quote: str) -> int:
    """Return the start of the last line that may open a multi-line text, or the end."""
    if not quote or text.count(quote) % 2 == 0:
        return len(text)
    start = text.rfind("\n", 0, text.rindex(quote)) + 1
    return start if start > 0 and len(text) - start < _MOST_CARRIED else len(text)
