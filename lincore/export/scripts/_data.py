"""The part of a script that loads and splits the data."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.data_sources import (
    DataSource,
    DownloadData,
    ExperimentData,
    FileData,
    GeneratedData,
    SampleData,
)
from lincore.analysis.experiment import SplitChoice
from lincore.export.scripts._code import Block, changed_fields, record_code
from lincore.export.scripts._settings import how_code
from lincore.io.samples import SAMPLE_TABLES, sample
from lincore.io.tables.bins import Bins
from lincore.io.tables.table import Condition, TableOptions
from lincore.io.tables.text.options import ReadOptions
from lincore.utils.code import call, literal

#: Records nested in a specification, with their names in a script.
RECORDS = {
    Bins: "io.Bins",
    Condition: "io.Condition",
    ReadOptions: "io.ReadOptions",
    TableOptions: "io.TableOptions",
}


def data_block(
    source: DataSource, choice: SplitChoice, calls: Sequence[str], used: frozenset[str]
) -> Block:
    """Return the code that loads data, splits them if that is used, and prints displays."""
    lines = _loading(source, described="table" in used)
    if getattr(source, "drop_image_duplicates", False):
        lines.append("data = checks.drop_image_duplicates(data)")
    if choice.how is None and used & {"split", "how"}:
        given = '"given" if data.given_test is not None else None'
        lines.append(f"how = {given}  # by group where there are any")
    if "split" in used:
        keywords = {"test_size": literal(choice.test_size), "seed": literal(choice.seed)}
        lines.append(f"split = {call('lincore.split', 'data', how_code(choice.how), **keywords)}")
    lines += ["print(data)", *(f"print({text})" for text in calls)]
    return Block("Data", "\n".join(lines), tuple(f"{text}.plot()" for text in calls))


def file_code(variable: str, name: str, sha256: str, *, several: bool = False) -> str:
    """Return the line that names a file or a folder and checks it."""
    # Names of files in a folder begin with that of the folder.
    name = name.partition("/")[0] if several else name
    return f"{variable} = {call('io.verified', literal(name), *[literal(sha256)] * bool(sha256))}"


def _loading(source: DataSource, *, described: bool) -> list[str]:
    """Return the lines that load the data; through a table if its columns are described."""
    if isinstance(source, GeneratedData):
        given = {name: literal(value) for name, value in source.arguments().items()}
        return [f"data = {call('io.gaussian_classes', **given)}"]
    if isinstance(source, DownloadData):
        return [f"data = {call('io.fetch_dataset', literal(source.name))}"]
    if isinstance(source, ExperimentData):
        words = literal(source.experiment), literal(source.preset)
        points = {"points": literal(source.points)} if source.points else {}
        return [f"data = {call('laboratory.experiment_rows', *words, **points)}"]
    if isinstance(source, FileData):
        return _file(source, described=described)
    name, target, table = literal(source.name), source.target, source.name in SAMPLE_TABLES
    edited = bool(
        target or changed_fields(source.reading, RECORDS) or changed_fields(source.table, RECORDS)
    )
    if not edited and not described:
        return [f"data = lincore.sample({name})"]
    if table:
        file = {"name": literal(f"{source.name}.csv")}
        return _table(source, target or SAMPLE_TABLES[source.name], "io.open_table",
                      f"io.sample_file({name})", **file)  # fmt: skip
    called = sample(source.name).target_name or "class"
    if edited:
        made_from = f"lincore.sample({name})", literal(called)
        return _table(source, target or called, "io.dataset_to_table", *made_from)
    table_lines = _table(source, called, "io.dataset_to_table", "data", literal(called))
    return [f"data = lincore.sample({name})", *table_lines[:-1]]


def _table(
    source: SampleData | FileData, target: str | None, function: str, *sources: str, **named: str
) -> list[str]:
    """Return the lines that make a table, choose the use of its columns, and make the data."""
    if options := changed_fields(source.reading, RECORDS):
        named["options"] = call("io.ReadOptions", **options)
    lines, chosen = [f"table = {call(function, *sources, **named)}"], ["table", "target"]
    lines.append(f"target = {literal(target)}")
    if source.table != TableOptions():
        lines.append(f"choices = {record_code('io.TableOptions', source.table, RECORDS)}")
        chosen.append("choices")
    return [*lines, f"data = {call('io.table_to_dataset', *chosen)}"]


def _file(source: FileData, *, described: bool) -> list[str]:
    several = source.several or source.name == "images"
    path = file_code("path", source.name, source.sha256, several=several)
    keywords = {"name": literal(source.name)} if several else {}
    if described:
        return [path, *_table(source, source.target, "io.open_table", "path", **keywords)]
    if source.target is not None:
        keywords["target"] = literal(source.target)
    if changed_fields(source.reading, RECORDS):
        keywords["options"] = record_code("io.ReadOptions", source.reading, RECORDS)
    keywords |= changed_fields(source.table, RECORDS) | changed_fields(source.images, RECORDS)
    return [path, f"data = {call('lincore.load', 'path', **keywords)}"]
