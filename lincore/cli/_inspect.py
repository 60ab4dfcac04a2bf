"""`lincore inspect`: columns, roles, proposed target and findings, with nothing fitted."""

from __future__ import annotations

from dataclasses import replace

import lincore
from lincore import checks, io
from lincore.cli._answer import (
    Answer,
    AnswerSection,
    answer_of,
    data_line,
    data_record,
    display_section,
)
from lincore.cli._options import command
from lincore.cli._request import Request, format_hint, request_options
from lincore.displays import TableColumnsDisplay
from lincore.errors import DataError, Notice
from lincore.utils import Progress

#: Maximum number of columns and classes listed as text; JSON has all of them.
MOST_ROWS = 200


@command(
    "lincore inspect titanic.csv",
    "lincore inspect titanic.csv --target Survived --role PassengerId=ignore",
)
@request_options()
def inspect(request: Request, progress: Progress) -> Answer:
    """Show columns, roles, target and findings of a file.

    Says how a file is read, the content and roles of its columns, the likely target, and problems
    for a comparison, with the options that solve them. Nothing is fitted.
    """
    source = data, name, target = request.source()
    if isinstance(data, lincore.Dataset):
        return dataset_answer(data)
    table = io.open_table(data, name=name, options=request.reading)
    if table is None:
        return dataset_answer(request.load(source))
    return _table_answer(table, target, request)


def _table_answer(table: io.Table, target: str | None, request: Request) -> Answer:
    """Return the columns of a table, its target and its findings."""
    data: lincore.Dataset | None = None
    findings: list[tuple[Notice, list[str]]] = []  # each with the options that solve it
    try:
        columns = io.choose_roles(table, target, request.table)
        data = io.table_to_dataset(table, target, request.table)
    except DataError as error:
        if target is not None or request.table.roles:
            raise
        columns = io.describe_columns(table)
        findings.append((error.notice, []))
    problems = checks.find_table_problems(table, columns, binned=request.table.bins is not None)
    notices = table.notices if data is None else data.notices
    findings += [
        (problem.notice, [words for hint in problem.remedies if (words := format_hint(hint))])
        for problem in checks.with_decisions(problems, table, columns, notices, request.reading)
    ]
    guess = data.target_guess if data is not None else None
    read = f"{table.name}: {table.reading}"
    sentences = [
        f"{notice} [{' or '.join(words)}]" if words else str(notice) for notice, words in findings
    ]
    described = table.columns(target, request.table)
    sections = [
        AnswerSection(read, (data_line(data),) if data is not None else ()),
        _column_section("Columns", described),
        AnswerSection("Findings", tuple(sentences) or ("None.",)),
    ]
    record = {
        "command": "inspect",
        "kind": "table",
        "data": None if data is None else data_record(data),
        "reading": str(table.reading),
        "columns": [column._asdict() for column in columns],
        "target_guess": None if guess is None else guess._asdict(),
        "findings": [{**vars(notice), "options": words} for notice, words in findings],
    }
    return Answer(record, tuple(sections))


def dataset_answer(data: lincore.Dataset) -> Answer:
    """Return the classes and the findings of a data set, such as one of images."""
    shape, displays = data.image_shape, (data.class_counts(), data.findings())
    answer = answer_of("inspect", data, displays, kind=data.kind.rows, image_shape=shape)
    if shape is None:
        return answer
    heading, *others = answer.sections
    size = f"; images of {' x '.join(map(str, shape))}"
    return replace(answer, sections=(AnswerSection(f"{heading.title}{size}"), *others))


def _column_section(title: str, shown: TableColumnsDisplay) -> AnswerSection:
    """Return a line for each column, or for the first of very many."""
    section = display_section(shown)
    rows, n_more = section.rows[:MOST_ROWS], len(section.rows) - MOST_ROWS
    if n_more > 0:
        rows += ({**dict.fromkeys(rows[0], ""), "column": f"{n_more:,} more"},)
    # The findings have a section of their own.
    return replace(section, title=title, sentences=section.sentences[:1], rows=rows)
