"""Tables on a terminal, by rich where it is installed."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lincore.cli.answer import Section


def write_sections(sections: tuple[Section, ...], stream: TextIO) -> None:
    """Write headings, sentences and tables as wide as the terminal is."""
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
