"""Output to a terminal while a command works: progress, warnings, printable text."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from lincore.utils.formatting import percent


def printable(text: str) -> str:
    """Return text without control characters, which a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)


def never_fail(*streams: TextIO) -> None:
    """Replace characters that the encoding of a terminal lacks, instead of failing."""
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


class ProgressLine:
    """Shows progress: one line that is overwritten on a terminal, else a few lines."""

    def __init__(self, stream: TextIO, quiet: bool = False) -> None:
        self.stream, self.quiet = stream, quiet
        self._tenths = 0
        self._width = 0

    def __call__(self, done: int, total: int, description: str) -> bool:
        """Show that `done` parts of `total` are done; return True, since nothing stops it."""
        if self.quiet or total <= 0:
            return True
        line = f"{description}: {percent(done / total, 0)}"
        if self.stream.isatty():
            self.stream.write(f"\r{line:<{self._width}}")
            self.stream.flush()
            self._width = len(line)
            return True
        before, self._tenths = self._tenths, 10 * done // total
        if before != self._tenths:
            self.stream.write(f"{line}\n")
            self.stream.flush()
        return True

    def clear(self) -> None:
        """Erase the line before something else is written."""
        if self._width:
            self.stream.write(f"\r{'':<{self._width}}\r")
            self.stream.flush()
            self._width = 0


@contextmanager
def progress_and_warnings(stream: TextIO, quiet: bool) -> Iterator[ProgressLine]:
    """Show progress, and afterwards each warning once, without its location in the code."""
    progress = ProgressLine(stream, quiet)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield progress
        finally:
            progress.clear()
            never_fail(stream)
            # Methods that fail are named among the notes of the answer.
            shown = [w for w in caught if w.category.__name__ != "FitFailedWarning"]
            for message in dict.fromkeys(str(warning.message) for warning in shown):
                stream.write(f"lincore: warning: {printable(message)}\n")
