"""What a user's file can get wrong, said so that the user can put it right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Notice:
    """One finding about the user's data: what was found, where, and what to do about it.

    Parameters
    ----------
    what : str
        The cause with the offending value, as a sentence.
    where : str
        The place: a row, a column, a file. Empty when it is the whole input.
    remedy : str
        What the user can do. Empty when nothing is needed.
    """

    what: str
    where: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        """Return the three parts as one line of text."""
        place = f"{self.where}: " if self.where else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{remedy}"


class DataError(ValueError):
    """The user's input cannot be used. The one error that a user's file can raise.

    Parameters
    ----------
    what, where, remedy : str
        As in `Notice`.

    Examples
    --------
    >>> raise DataError("No such column.", where="column 'Speces'", remedy="Did you mean Species?")
    Traceback (most recent call last):
    ...
    lincore.errors.DataError: column 'Speces': No such column. Did you mean Species?
    """

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.notice = Notice(what, where, remedy)
        super().__init__(str(self.notice))
