"""`lincore inspect`: columns, roles, proposed target and findings, with nothing fitted."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import lincore
from lincore import checks, io
from lincore.cli.answer import Answer, AnswerSection, display_section
from lincore.cli.data_findings import data_line, data_record
from lincore.cli.data_options import (
    add_data_options,
    data_source,
    load_data,
    spelling,
    table_choices,
)
from lincore.cli.reading_options import read_options
from lincore.errors import DataError, Notice

if TYPE_CHECKING:
    from lincore.utils import Progress

EXAMPLES = """examples:
  lincore inspect titanic.csv
  lincore inspect titanic.csv --target Survived --role PassengerId=ignore
"""
#: Columns and classes that are listed as text; JSON has all.
MOST_ROWS = 200
#: Roles that a table of columns has first.
_ROLES = ("target", "group", "weight", "frequency", "feature", "text", "ignore")


def add_command(commands: Any) -> None:
    """Add the command to those of a parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "inspect",
        help="columns, roles, target and findings of a file",
        description="Show how a file is read, the content and roles of its columns, the likely "
        "target, and problems for a comparison. Nothing is fitted.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_data_options(parser)


def run(options: argparse.Namespace, progress: Progress) -> Answer:
    """Read the file, and return its columns and the findings."""
    del progress  # reading says nothing of how far it is
    source = data_source(options.file, options.target)
    if isinstance(source.data, lincore.Dataset):
        return dataset_answer(source.data)
    reading = read_options(options)
    table = io.open_table(source.data, name=source.name, options=reading)
    if table is None:
        return dataset_answer(load_data(options, source))
    return table_answer(table, source.target, options)


def table_answer(table: io.Table, target: str | None, options: argparse.Namespace) -> Answer:
    """Return the columns of a table, its target and its findings."""
    chosen = io.TableOptions(**table_choices(options))
    data, findings = None, []
    try:
        columns = io.choose_roles(table, target, chosen)
        data = io.table_to_dataset(table, target, chosen)
    except DataError as error:
        if target is not None or options.role:
            raise
        columns = io.describe_columns(table)
        findings.append(Finding(error.notice))
    problems = checks.find_table_problems(table, columns, binned=chosen.bins is not None)
    notices = table.notices if data is None else data.notices
    findings += [
        Finding(found.notice, [words for hint in found.remedies if (words := spelling(hint))])
        for found in checks.with_decisions(problems, table, columns, notices, read_options(options))
    ]
    guess = data.target_guess if data is not None else None
    read = f"{table.name}: {table.reading}"
    sections = [
        AnswerSection(read, (data_line(data),) if data is not None else (), column_rows(columns)),
        AnswerSection("Findings", tuple(found.sentence for found in findings) or ("None.",)),
    ]
    record = {
        "command": "inspect",
        "kind": "table",
        "data": None if data is None else data_record(data),
        "reading": str(table.reading),
        "columns": [column._asdict() for column in columns],
        "target_guess": None if guess is None else guess._asdict(),
        "findings": [found.record for found in findings],
    }
    return Answer(record, tuple(sections))


def dataset_answer(data: lincore.Dataset) -> Answer:
    """Return the classes and the findings of a data set, such as one of images."""
    shown = (data.class_counts(), data.findings())
    record = {
        "command": "inspect",
        "kind": data.kind.rows,
        "data": data_record(data),
        "image_shape": data.image_shape,
        "displays": [display.to_dict() for display in shown],
    }
    size = (
        "" if data.image_shape is None else f"; images of {' x '.join(map(str, data.image_shape))}"
    )
    heading = AnswerSection(f"{data_line(data)}{size}")
    return Answer(record, (heading, *map(display_section, shown)))


class Finding(NamedTuple):
    """A notice, and the options of the command line that put it right.

    Attributes
    ----------
    notice : Notice
    options : list of str
        One of them is enough.
    """

    notice: Notice
    options: Sequence[str] = ()

    @property
    def sentence(self) -> str:
        """The notice, and the options in brackets."""
        options = f" [{' or '.join(self.options)}]" if self.options else ""
        return f"{self.notice}{options}"

    @property
    def record(self) -> dict[str, Any]:
        """The same for programs."""
        return {**vars(self.notice), "options": list(self.options)}


def column_rows(columns: Sequence[io.Column]) -> tuple[dict[str, str], ...]:
    """Return a line for each column, the target first; of very many the first ones."""
    order = sorted(columns, key=lambda column: _ROLES.index(column.role))
    rows = [
        {
            "column": column.name,
            "role": column.role,
            "content": column.kind,
            "missing": f"{column.n_missing:,}",
            "distinct": f"{column.n_distinct:,}",
            "examples": ", ".join(column.examples),
        }
        for column in order[:MOST_ROWS]
    ]
    if len(order) > MOST_ROWS:
        rows.append({**dict.fromkeys(rows[0], ""), "column": f"{len(order) - MOST_ROWS:,} more"})
    return tuple(rows)
