"""Errors in a user's file, each with a message and a hint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any


@dataclass(frozen=True)
class Notice:
    """One finding about the user's data: what was found, where, and what to do about it.

    Parameters
    ----------
    what : str
        The cause with the offending value, as a sentence.
    where : str
        The location: a row, a column, a file. Empty for the whole input.
    remedy : str
        What the user can do. Empty if nothing needs to be done.
    code : str
        Permanent code of a finding made while reading the file, such as "LIN021". The codes are
        listed in ``docs/findings.md``.
    """

    what: str
    where: str = ""
    remedy: str = ""
    code: str = ""

    def __str__(self) -> str:
        """Return location, cause and remedy as one line of text."""
        location = f"{self.where}: " if self.where else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{location}{self.what}{remedy}"


@dataclass(frozen=True)
class Hint:
    """A change of options that fixes a problem, ready to be applied.

    Parameters
    ----------
    label : str
        Label of a button: "Ignore 'country'".
    roles : mapping of str to str
        New roles of columns.
    options : mapping
        New values of fields of `lincore.io.tables.table.TableOptions`.
    reading : mapping
        New values of fields of `lincore.io.tables.text.options.ReadOptions`.
    images : mapping
        New values of fields of `lincore.io.images.read.ImageOptions`, or of `drop_duplicates`.
    """

    label: str
    roles: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    images: Mapping[str, Any] = field(default_factory=dict)


class DataError(ValueError):
    """The user's input cannot be used. The only error that a user's file can raise.

    Parameters
    ----------
    what, where, remedy : str
        As in `Notice`.
    remedies : tuple of Hint
        Possible fixes, ready to be applied.

    Examples
    --------
    >>> raise DataError("No such column.", where="column 'Speces'", remedy="Did you mean Species?")
    Traceback (most recent call last):
    ...
    lincore.errors.DataError: column 'Speces': No such column. Did you mean Species?
    """

    def __init__(
        self, what: str, *, where: str = "", remedy: str = "", remedies: tuple[Hint, ...] = ()
    ) -> None:
        self.notice = Notice(what, where, remedy)
        self.remedies = remedies
        super().__init__(str(self.notice))

    def changed(self, **changes: str) -> DataError:
        """Return the error with another sentence, location or remedy."""
        notice = replace(self.notice, **changes)
        what, where, remedy = notice.what, notice.where, notice.remedy
        return DataError(what, where=where, remedy=remedy, remedies=self.remedies)


class TooLargeError(DataError):
    """The input exceeds a limit that another way of reading may not have."""


def not_among(message: str, where: str, choices: Iterable[object]) -> DataError:
    """Return the error for an unknown name, with the first of the known ones."""
    named = ", ".join(map(str, islice(choices, 10)))
    return DataError(message, where=where, remedy=f"Choose one of: {named}.")


def error_summary(error: Exception) -> str:
    r"""Return the first line of a third-party error's message, or its type if it has none."""
    return (str(error).splitlines() or [type(error).__name__])[0]
