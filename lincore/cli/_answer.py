"""The answer of a command, written as text, as tables of rich, or as JSON."""

from __future__ import annotations

import json
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import lincore
from lincore.cli._terminal import printable
from lincore.data import counting
from lincore.displays import Display
from lincore.displays.base import plain, upright, written
from lincore.errors import DataError
from lincore.utils import listed

try:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text
except ImportError:
    HAS_RICH = False
else:
    HAS_RICH = True

#: Version of the JSON output; it is raised when a field changes its meaning.
SCHEMA = 2
#: Line width without a terminal.
WIDTH = 100
#: The file name that means standard output.
STANDARD_OUTPUT = "-"


@dataclass(frozen=True)
class AnswerSection:
    """A heading, sentences, and a table of text: a mapping from heading to cell for each row."""

    title: str
    sentences: tuple[str, ...] = ()
    rows: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class Answer:
    """The result of a command: a record for programs, and sections for people."""

    # With a `text`, such as a CSV, that text goes to standard output as it is, and the
    # sections go to standard error.

    record: Mapping[str, Any] = field(default_factory=dict)
    sections: tuple[AnswerSection, ...] = ()
    text: str = ""


def answer_of(
    command: str,
    data: lincore.Dataset | None,
    displays: Sequence[Display],
    *,
    remarks: Sequence[str] = (),
    headings: Sequence[str] = (),
    **more: Any,
) -> Answer:
    """Return the answer that some displays give, without repeated sentences and tables."""
    # Remarks come last and are for people; `more` is for programs.
    record = {
        "command": command,
        "data": None if data is None else data_record(data),
        **more,
        "displays": [display.to_dict() for display in displays],
    }
    sections = [] if data is None else [AnswerSection(data_line(data))]
    for i, display in enumerate(displays):
        section = display_section(display)
        earlier_sentences = {sentence for earlier in sections for sentence in earlier.sentences}
        new = tuple(sentence for sentence in section.sentences if sentence not in earlier_sentences)
        rows = () if section.rows in [earlier.rows for earlier in sections] else section.rows
        sections.append(AnswerSection(headings[i] if headings else "", new, rows))
    sections += [AnswerSection("Notes", tuple(remarks))] * bool(remarks)
    return Answer(record, tuple(sections))


def settings_record(settings: Any, **more: Any) -> dict[str, Any]:
    """Return what makes a result reproducible."""
    names = ("scheme", "seed", "test_size", "versions")
    return {name: getattr(settings, name) for name in names} | more


def display_section(display: Display) -> AnswerSection:
    """Return what a display says: sentences, and its table as text."""
    lines = upright(written(display.table(), display.form)).to_dict("records")
    rows = tuple(
        {str(name): "" if v != v or v is None else str(v) for name, v in line.items()}
        for line in lines
    )
    sentences = (display.finding(), display.scope(), *display.notes())
    return AnswerSection("", tuple(filter(None, sentences)), rows)


def data_line(data: lincore.Dataset) -> str:
    """Describe name, rows, features and classes in one line."""
    counts = [f"{label} {n:,}" for label, n in _class_counts(data)]
    more = [f"{len(counts) - 6} more"] if len(counts) > 6 else []
    target = f" by {data.target_name}" if data.target_name else ""
    weighting = f"; {sentence}" if (sentence := counting(data)) else ""
    missing = "; some values are missing" if data.has_missing else ""
    classes = ", ".join(counts[:6] + more)
    return f"{data.name}: {data.size_text}{target} ({classes}){missing}{weighting}"


def data_record(data: lincore.Dataset) -> dict[str, Any]:
    """Describe the data for programs, with the digest of their content."""
    return {
        "name": data.name,
        "rows": data.n_rows,
        "features": data.n_features,
        "target": data.target_name,
        "classes": {str(label): n for label, n in _class_counts(data)},
        "digest": data.digest,
    }


def _class_counts(data: lincore.Dataset) -> Iterable[tuple[Any, int]]:
    return zip(data.classes.tolist(), data.counts.tolist(), strict=True)


def finding_sentences(data: lincore.Dataset) -> tuple[str, ...]:
    """Return the findings that affect every score: guessed target, leakage, duplicates, groups."""
    try:
        findings = lincore.data_checks(data, lincore.split(data))
    except DataError:  # no test set can be drawn; a comparison says why by itself
        return ()
    return tuple(finding.sentence for finding in findings)


def by_label(classes: np.ndarray, values: Any) -> Any:
    """Return values by class with labels instead of texts; other values unchanged."""
    if not isinstance(values, Mapping):
        return values
    labels = {str(label): label for label in classes.tolist()}
    for name in values.keys() - labels.keys():
        known = listed(list(labels), most=10)
        raise DataError(
            "There is no such class.", where=f"class {name!r}", remedy=f"There are {known}."
        )
    return {labels[name]: value for name, value in values.items()}


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


def write(answer: Answer, stream: TextIO, beside: TextIO, *, as_json: bool = False) -> None:
    """Write an answer: JSON for programs, tables of rich on a terminal, else aligned text."""
    if as_json:
        record = {"schema": SCHEMA, **_json_value(answer.record)}
        stream.write(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
        return
    if answer.text:
        stream.write(answer.text)
        stream = beside
    sections = tuple(_printable(section) for section in answer.sections)
    if HAS_RICH and stream.isatty():
        _write_tables(sections, stream)
    else:
        stream.write("\n".join(_section_text(section) for section in sections))


def _json_value(value: Any) -> Any:
    """Return a value as JSON represents it; NaN and infinity become null."""
    if isinstance(value, Mapping):
        return {str(key): _json_value(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_json_value(each) for each in value]
    return plain(value)


def _printable(section: AnswerSection) -> AnswerSection:
    rows = tuple(
        {printable(heading): printable(cell) for heading, cell in row.items()}
        for row in section.rows
    )
    return AnswerSection(printable(section.title), tuple(map(printable, section.sentences)), rows)


def _write_tables(sections: tuple[AnswerSection, ...], stream: TextIO) -> None:
    """Write headings, sentences and tables in the width of the terminal, by rich."""
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
            headings = _headings(section.rows)
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
        lines += [""] * bool(section.sentences) + _aligned(section.rows)
    return "".join(f"{line}\n" for line in lines)


def _headings(rows: Sequence[Mapping[str, str]]) -> list[str]:
    return list(dict.fromkeys(heading for row in rows for heading in row))


def _aligned(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the lines of a table with aligned columns, numbers to the right."""
    columns: list[list[str]] = []
    for heading in _headings(rows):
        cells = [row.get(heading, "") for row in rows]
        widths = [_width(cell) for cell in (heading, *cells)]
        padding = [" " * (max(widths) - width) for width in widths]
        is_right = bool(columns) and all(map(_is_number, cells))
        padded = zip((heading, *cells), padding, strict=True)
        columns.append([blanks + cell if is_right else cell + blanks for cell, blanks in padded])
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def _width(text: str) -> int:
    """Return the width of a text on a terminal: 2 for a wide character, 0 for a combining mark."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _is_number(cell: str) -> bool:
    return not cell or cell == "–" or cell.lstrip("−-+<> ")[:1].isdigit()
