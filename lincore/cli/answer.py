"""The answer of a command: sections for people, a record for programs, files that are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lincore.displays import Display
from lincore.displays.base import upright, written
from lincore.errors import DataError

#: The name of a file that stands for standard output.
STANDARD_OUTPUT = "-"


@dataclass(frozen=True)
class AnswerSection:
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


def display_section(display: Display) -> AnswerSection:
    """Return what a display says: sentences, and its table as text."""
    table = upright(written(display.table(), display.form))
    rows = [
        {str(name): "" if value != value or value is None else str(value)
         for name, value in line.items()}
        for line in table.to_dict("records")
    ]  # fmt: skip
    sentences = (display.finding(), display.scope(), *display.notes())
    return AnswerSection("", tuple(filter(None, sentences)), tuple(rows))


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
    sections: tuple[AnswerSection, ...] = ()
    text: str = ""


def write_file(path: str, content: bytes) -> str:
    """Write a file, and return a sentence about it."""
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise DataError(
            f"The file cannot be written: {error.strerror or error}.",
            where=path,
            remedy="Choose another place with --output.",
        ) from error
    size = f"{len(content) / 1000:,.0f} kB" if len(content) >= 1000 else f"{len(content)} bytes"
    return f"Written to {path} ({size})."
