"""Progress on standard error: one line that is written over on a terminal, else a few lines."""

from __future__ import annotations

from typing import TextIO

from lincore.utils.formatting import percent


class ProgressLine:
    """Shows what is done; the callback of everything that takes long.

    Parameters
    ----------
    stream : text file
    quiet : bool, default False
        Show nothing.

    Examples
    --------
    >>> import sys
    >>> progress = ProgressLine(sys.stdout)
    >>> for done in range(1, 21):
    ...     _ = progress(done, 20, "Split")
    Split: 10 %
    ...
    Split: 100 %
    """

    def __init__(self, stream: TextIO, quiet: bool = False) -> None:
        self.stream, self.quiet = stream, quiet
        self._tenths = 0
        self._width = 0

    def __call__(self, done: int, total: int, what: str) -> bool:
        """Show that `done` parts of `total` are done; True, for nothing is to be stopped."""
        if self.quiet or total <= 0:
            return True
        line = f"{what}: {percent(done / total, 0)}"
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
        """Take the line away again, before something else is written."""
        if self._width:
            self.stream.write(f"\r{'':<{self._width}}\r")
            self.stream.flush()
            self._width = 0
