"""The parts of a script that load data and describe them."""

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
from lincore.analysis.questions import GeometryQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, changed, fill, record
from lincore.io.images.read import ImageOptions
from lincore.io.samples import SAMPLE_TABLES
from lincore.io.tables.bins import Bins
from lincore.io.tables.options import TableOptions
from lincore.io.tables.row_filters import Condition
from lincore.io.tables.text.options import ReadOptions
from lincore.utils.code import call, literal

#: Records that stand in those of a specification, and their names in a script.
RECORDS = {
    Bins: "io.Bins",
    Condition: "io.Condition",
    ImageOptions: "io.ImageOptions",
    ReadOptions: "io.ReadOptions",
    TableOptions: "io.TableOptions",
}
_CHECK = """with open(FILE, "rb") as stream:
    found = hashlib.file_digest(stream, "sha256").hexdigest()
if found != FILE_SHA256:
    raise SystemExit(f"{FILE} is another file: its SHA-256 is {found}.")"""
_READ_FOLDER = """FILE_PARTS = sorted(
    (path.relative_to(FOLDER).as_posix(), path.read_bytes())
    for path in pathlib.Path(FILE).rglob("*")
    if path.is_file()
)"""
_ONE_TABLE = """tables = io.tables_among(FILE_PARTS)
RAW = tables[0][1] if len(tables) == 1 else io.zip_tables(tables)"""
_CHECK_FOLDER = """found = hashlib.sha256(b"".join(raw for _, raw in FILE_PARTS)).hexdigest()
if found != FILE_SHA256:
    raise SystemExit(f"{FILE} holds other files: their SHA-256 is {found}.")"""


_FOUND = """if table is not None:
    columns = io.choose_roles(table, target, choices)
    lines = [
        {
            "column": column.name,
            "role": column.role,
            "type": column.kind,
            "missing (%)": f"{100 * column.n_missing / len(table.frame):.1f}",
            "distinct": column.n_distinct,
            "examples": ", ".join(column.examples),
        }
        for column in columns
    ]
    print(export.to_text(lines))
    binned = choices.bins is not None
    for problem in checks.find_table_problems(table, columns, binned=binned):
        print(problem.notice)"""


def load_block(analysis: Analysis) -> Block:
    """Return the code that loads the data and divides them."""
    lines = [*_loading(analysis.data), 'rows = "images" if data.kind.is_images else "rows"']
    choice = analysis.split
    keywords = {"test_size": literal(choice.test_size), "seed": literal(choice.seed)}
    how = literal(choice.how)
    if choice.how is None:
        how = '"given" if data.given_test is not None else None  # by group where there are any'
    lines += [f"how = {how}", f"split = {call('lincore.split', 'data', 'how', **keywords)}"]
    lines.append("print(data)")
    lines.append('print(f"{len(split.train):,} {rows} train, {len(split.test):,} test.")')
    return Block("Data", "\n".join(lines))


def file_code(word: str, name: str, sha256: str, what: str, *, several: bool = False) -> list[str]:
    """Return the code that names a file and checks it; of several, reads their folder."""
    lines = []
    if several:  # names of files in a folder that was given as such begin with it
        given = name.partition("/")[0]
        folder = "FILE" if given in ("images", "tables") else "pathlib.Path(FILE).parent"
        lines, name = [_READ_FOLDER.replace("FOLDER", folder)], given
    if sha256:
        lines.insert(0, f"{word}_SHA256 = {literal(sha256)}")
        lines.append(_CHECK_FOLDER if several else _CHECK)
    words = {part: part.replace("FILE", word, 1) for part in ("FILE", "FILE_SHA256", "FILE_PARTS")}
    path = f"{word} = {literal(name)}  # the path of {what}"
    return [path, *(line if line.startswith(word) else fill(line, **words) for line in lines)]


def describe_block(analysis: Analysis, calls: Sequence[str]) -> Block:
    """Return the code that prints the displays of the page Data, and the columns of a table."""
    calls = calls or ("data.class_counts(split=split)", "data.findings(split=split)")
    code = "\n".join([*(f"print({text})" for text in calls), f"{_table(analysis.data)}{_FOUND}"])
    return Block("Classes, columns and findings", code, tuple(f"{text}.plot()" for text in calls))


def _table(source: DataSource) -> str:
    """Return the code that makes the table that the columns are described by; None without."""
    if isinstance(source, FileData):
        options = record("io.ReadOptions", source.reading, RECORDS)
        raw = "RAW" if source.several else "pathlib.Path(FILE).read_bytes()"
        if source.several and source.target is None:
            return "table = None\n"
        return f"""kind, raw, file = io.recognise_file({raw}, {literal(source.name)})
table = io.read_table(raw, file, {options}) if kind == "table" else None
choices = {record("io.TableOptions", source.table, RECORDS)}
target = {literal(source.target)}
"""
    if isinstance(source, SampleData) and source.name in SAMPLE_TABLES:
        file = literal(f"{source.name}.csv")
        return f"""table = io.read_table(io.sample_file({literal(source.name)}), {file})
choices = {record("io.TableOptions", source.table, RECORDS)}
target = {literal(source.target or SAMPLE_TABLES[source.name])}
"""
    return """table, target = None, data.target_name or "class"
choices = io.TableOptions()
if not data.kind.is_images and not data.n_words:
    table = io.dataset_to_table(data, target)
"""


def _loading(source: DataSource) -> list[str]:
    fewer = getattr(source, "drop_image_duplicates", False)
    return [*_read(source), *["data = checks.drop_image_duplicates(data)"] * fewer]


def _read(source: DataSource) -> list[str]:
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
        return _file(source)
    return _sample(source)


def _sample(source: SampleData) -> list[str]:
    name = literal(source.name)
    reading, table = changed(source.reading, RECORDS), changed(source.table, RECORDS)
    if not (source.target or reading or table):
        return [f"data = lincore.sample({name})"]
    options = record("io.ReadOptions", source.reading, RECORDS)
    if source.name in SAMPLE_TABLES:
        target = literal(source.target or SAMPLE_TABLES[source.name])
        file = literal(f"{source.name}.csv")
        lines = [f"table = {call('io.read_table', f'io.sample_file({name})', file, options)}"]
    else:
        lines = [
            f"sample = lincore.sample({name})",
            'called = sample.target_name or "class"',
            f"table = {call('io.dataset_to_table', 'sample', 'called', options)}",
        ]
        target = literal(source.target) if source.target else "called"
    choices = record("io.TableOptions", source.table, RECORDS)
    return [*lines, f"data = {call('io.table_to_dataset', 'table', target, choices)}"]


def _file(source: FileData) -> list[str]:
    several = source.several or source.name == "images"
    what = "the folder that was analysed" if several else "the file that was analysed"
    lines = file_code("FILE", source.name, source.sha256, what, several=several)
    images = record("io.ImageOptions", source.images, RECORDS)
    name, file = literal(source.name), "FILE"
    if several and source.target is None:
        read = call("io.read_image_files", "FILE_PARTS", images, name=name)
        return [*lines, f"data = {read}"]
    if source.images != ImageOptions():
        read = call("io.read_image_zip", "pathlib.Path(FILE).read_bytes()", name, images)
        return [*lines, f"data = {read}"]
    if several:
        lines.append(_ONE_TABLE)
        file = "RAW"
    return [*lines, f"data = {call('lincore.load', file, name=name, **_used(source))}"]


def _used(source: FileData) -> dict[str, str]:
    """Return the keywords that say how a table is read and used."""
    keywords = {} if source.target is None else {"target": literal(source.target)}
    if changed(source.reading, RECORDS):
        keywords["options"] = record("io.ReadOptions", source.reading, RECORDS)
    return keywords | changed(source.table, RECORDS)


def experiment_blocks(question: GeometryQuestion) -> tuple[Block, ...]:
    """Return the code that carries out an experiment and prints what it shows."""
    code = f"experiment = {question.display().call()}\nprint(experiment)"
    code += "\nfor table in experiment.tables():\n    print(table)"
    return (Block("Experiment", code, ("experiment.plot()",)),)
