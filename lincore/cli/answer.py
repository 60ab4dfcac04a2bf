"""The answer of a command: sections for people, a record for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: The name of a file that stands for standard output.
STANDARD_OUTPUT = "-"


@dataclass(frozen=True)
class Section:
    """A heading with sentences and a table below it.

    Parameters
    ----------
    title : str
        Empty for none.
    sentences : tuple of str
    rows : tuple of mapping
        Heading of a column to text; a heading that a row lacks is an empty cell.
    """

    title: str
    sentences: tuple[str, ...] = ()
    rows: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class Answer:
    """The findings of a command.

    Parameters
    ----------
    record : mapping
        Of what JSON has, NumPy numbers and arrays; what is no number becomes null.
    sections : tuple of Section
    text : str
        Of a file, such as a CSV, which goes to standard output as it is; the sections then go to
        standard error.
    """

    record: Mapping[str, Any] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    text: str = ""
