"""Answers as text, as tables of rich, or as JSON."""

from __future__ import annotations

import json
import math
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import numpy as np

from lincore.cli.answer import Answer, AnswerSection

try:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text
except ImportError:
    HAS_RICH = False
else:
    HAS_RICH = True

#: The version of what `--json` writes; it grows when a field changes its meaning.
SCHEMA = 2
#: Columns of text that sentences are folded to where there is no terminal.
WIDTH = 100


def write(answer: Answer, stream: TextIO, beside: TextIO, *, as_json: bool = False) -> None:
    """Write an answer: JSON for programs, tables of rich on a terminal, else aligned text."""
    if as_json:
        stream.write(
            json.dumps({"schema": SCHEMA, **plain(answer.record)}, indent=2, ensure_ascii=False)
            + "\n"
        )
        return
    if answer.text:
        stream.write(answer.text)
        stream = beside
    sections = tuple(_printable_section(section) for section in answer.sections)
    if HAS_RICH and stream.isatty():
        _write_tables(sections, stream)
    else:
        stream.write("\n".join(_section_text(section) for section in sections))


def plain(value: Any) -> Any:
    """Return a value as JSON has it: numbers that are none become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def printable(text: str) -> str:
    r"""Return text without what a terminal would obey instead of showing it."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)


def aligned(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the lines of a table, its columns one below the other."""
    headings = list(dict.fromkeys(heading for row in rows for heading in row))
    lines = [headings, *([row.get(heading, "") for heading in headings] for row in rows)]
    widths = [max(_width(line[i]) for line in lines) for i in range(len(headings))]
    right = [
        i > 0 and all(_is_number(row.get(h, "")) for row in rows) for i, h in enumerate(headings)
    ]
    return [
        "  ".join(
            " " * (width - _width(cell)) + cell if is_right else cell + " " * (width - _width(cell))
            for cell, width, is_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    ]


def _write_tables(sections: tuple[AnswerSection, ...], stream: TextIO) -> None:
    """Write headings, sentences and tables as wide as the terminal is, by rich."""
    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    for number, section in enumerate(sections):
        if number:
            console.print()
        if section.title:
            console.print(Text(section.title, style="bold"))
        for sentence in section.sentences:
            console.print(Text(sentence))
        if section.rows:
            table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
            headings = dict.fromkeys(heading for row in section.rows for heading in row)
            for heading in headings:
                table.add_column(Text(heading), overflow="fold")
            for row in section.rows:
                table.add_row(*(Text(row.get(heading, "")) for heading in headings))
            console.print(Padding(table, (1 if section.sentences else 0, 0, 0, 0)))


def _section_text(section: AnswerSection) -> str:
    lines = [section.title] if section.title else []
    for sentence in section.sentences:
        lines += textwrap.wrap(sentence, WIDTH, break_long_words=False, break_on_hyphens=False)
    if section.rows:
        lines += [""] * bool(section.sentences) + aligned(section.rows)
    return "".join(f"{line}\n" for line in lines)


def _printable_section(section: AnswerSection) -> AnswerSection:
    rows = tuple(
        {printable(heading): printable(cell) for heading, cell in row.items()}
        for row in section.rows
    )
    return AnswerSection(printable(section.title), tuple(map(printable, section.sentences)), rows)


def _width(text: str) -> int:
    """Return how many places of a terminal a text takes: two for a wide sign, none for marks."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _is_number(cell: str) -> bool:
    return not cell or cell == "–" or cell.lstrip("−-+<> ")[:1].isdigit()
