"""Parsing of text rows by pandas in bounded memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, cast

import pandas as pd

from lincore.io.tables.text.column_assignment import with_columns

# Longer texts are parsed in chunks, so that pandas needs half the memory.
_IN_PARTS = 10_000_000
_PIECE = 4_000_000


class _Text:
    """Text that is read in pieces, without creating its bytes or a file."""

    def __init__(self, text: str) -> None:
        self._text, self._place = text, 0

    def read(self, size: int = -1) -> str:
        """Return the next characters."""
        begin, self._place = self._place, self._place + size if size >= 0 else len(self._text)
        return self._text[begin : self._place]

    def __iter__(self) -> Iterator[str]:
        """Yield the lines, like a file."""
        return iter(self.read().splitlines(keepends=True))


def parse_text(rows: str, **how: Any) -> pd.DataFrame:
    """Parse rows by `pandas.read_csv`, in chunks if there are many and no type is given."""
    text = cast(Any, _Text(rows))
    how = {**how, "encoding_errors": "replace"}
    if len(rows) <= _IN_PARTS or "dtype" in how:
        return pd.read_csv(text, **how)
    # pandas warns of columns whose chunks differ in type: see `of_one_kind`.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        return pd.read_csv(text, **{**how, "low_memory": True})


def of_one_kind(frame: pd.DataFrame, rows: str, how: dict[str, Any]) -> pd.DataFrame:
    """Read columns again that have numbers in some chunks of a long file and words in others."""
    if len(rows) <= _IN_PARTS:
        return frame
    mixed = [str(name) for name in frame if frame[name].dtype == object]
    if not mixed:
        return frame
    again = parse_text(rows, usecols=mixed, dtype="str", **how)
    return with_columns(frame, {name: again[name] for name in mixed})


def pieces_of(rows: str) -> Iterator[bytes]:
    """Yield the bytes of some lines at a time."""
    begin = 0
    while begin < len(rows):
        end = rows.find("\n", begin + _PIECE) + 1 or len(rows)
        yield rows[begin:end].encode("utf-8", "replace")
        begin = end
