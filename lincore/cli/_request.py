"""Options of data, models and test set, shared by the commands about data."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from dataclasses import fields as record_fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias

import click

import lincore
from lincore import analysis, fields, io, model_selection
from lincore.cli._answer import Answer, AnswerSection, write_file
from lincore.cli._field_options import field_options, format_options
from lincore.cli._options import Decorator, option
from lincore.errors import DataError, Hint
from lincore.io.files.sources import read_source
from lincore.io.files.verified import file_hash

SAMPLE = "sample:"
STANDARD_INPUT = "-"
#: Source as accepted by `lincore.load`, name, and target.
Source: TypeAlias = tuple[Any, str | None, str | None]


@dataclass(frozen=True)
class Request:
    """The input of a command: a file, options of its use, and the methods fitted to it."""

    file: str
    target: str | None
    table: io.TableOptions
    images: io.ImageOptions
    reading: io.ReadOptions
    methods: tuple[str, ...] | None = None  # instead of the default ones, as are the steps
    steps: Mapping[str, Any] | None = None
    split: analysis.SplitChoice = analysis.SplitChoice()
    save_to: str | None = None

    def source(self) -> Source:
        """Return the data as `lincore.load` takes them, with name and target."""
        return source_of(self.file, self.target)

    def load(self, source: Source | None = None) -> lincore.Dataset:
        """Load the data; a source that has been opened is not read again."""
        data, name, target = source or self.source()
        if isinstance(data, lincore.Dataset):
            return data
        choices = fields.given(self.images) | fields.given(self.table)
        return lincore.load(data, target=target, name=name, options=self.given_reading, **choices)

    @property
    def given_reading(self) -> io.ReadOptions | None:
        """The import options; None if all is detected."""
        return None if self.reading == io.ReadOptions() else self.reading

    def reading_without(self, column: str | None) -> io.ReadOptions:
        """Return the import options for a file that need not have a column, such as the target."""
        changes: dict[str, Any] = {
            name: {key: item for key, item in value.items() if key != column} or None
            for name, value in fields.given(self.reading).items()
            if isinstance(value, Mapping)
        }
        return replace(self.reading, **changes)

    def arguments(self, data: lincore.Dataset, question: Any) -> dict[str, Any]:
        """Return the keywords of the call that answers a question, with the given methods."""
        methods = self._methods(data, question)
        if getattr(question, "both_features", False):
            methods = model_selection.on_both_features(methods)
        return question.arguments(self.experiment(data)) | {"methods": methods}

    def experiment(self, data: lincore.Dataset) -> analysis.Experiment:
        """Return the data with the choices that are common to all questions."""
        n_train = round((1 - self.split.test_size) * data.n_rows)
        steps = model_selection.default_steps(data, n_train)._replace(**self.steps or {})
        return analysis.Experiment(data, self.split, steps, {})

    def _methods(self, data: lincore.Dataset, question: Any) -> tuple[str, ...]:
        default: tuple[str, ...] = fields.resolved(
            replace(question, methods=None), data=data
        ).methods
        return self.methods or default

    def as_analysis(self, data: lincore.Dataset, question: Any) -> analysis.Analysis | None:
        """Return the question, with the given methods, as an analysis if it is to be saved."""
        return self.specified(data, question) if self.save_to else None

    def specified(self, data: lincore.Dataset, question: Any) -> analysis.Analysis:
        """Return the question as an analysis; DataError if that cannot hold the methods or data."""
        first: dict[str, dict[str, Any]] = {}
        second: dict[str, dict[str, Any]] = {}
        can_be_twice = isinstance(question, analysis.CompareQuestion)
        for word, options in map(model_selection.parse_spec, self._methods(data, question)):
            if word in (second if can_be_twice else first):
                often = "at most twice" if can_be_twice else "only once"
                raise DataError(
                    f"An analysis can contain {word} {often}.",
                    where="--methods",
                    remedy="Save an analysis of fewer methods.",
                )
            (second if word in first else first)[word] = options
        more: dict[str, Any] = {"second": second} if can_be_twice else {}
        question = replace(question, methods=tuple(first), **more)
        split, steps = self.experiment(data)[1:3]
        options = {word: given for word, given in first.items() if given}
        return analysis.Analysis(self._data_source(), split, steps, options, question)

    def _data_source(self) -> analysis.DataSource:
        if self.file.startswith(SAMPLE):
            name = self.file.removeprefix(SAMPLE)
            return analysis.SampleData(name, self.target, self.reading, self.table)
        if self.file == STANDARD_INPUT:
            raise DataError(
                "An analysis needs a file or a sample, not standard input.",
                where="--save-analysis",
                remedy="Give the command the path of the file.",
            )
        path = Path(self.file)
        return analysis.FileData(
            path.name, file_hash(path), self.target, self.reading, self.table, self.images
        )

    def with_saved(self, answer: Answer, asked: analysis.Analysis | None) -> Answer:
        """Write an analysis, and return the answer with a line about it."""
        if self.save_to is None or asked is None:
            return answer
        text = asked.to_json(indent=2)
        analysis.Analysis.from_json(text)
        line = write_file(self.save_to, f"{text}\n".encode())
        sections = (*answer.sections, AnswerSection("Analysis", (line,)))
        return replace(answer, record={**answer.record, "saved": self.save_to}, sections=sections)


def source_of(file: str, target: str | None = None) -> Source:
    """Return the source that a file on the command line names, with name and target."""
    if file == STANDARD_INPUT:
        return (*read_source(sys.stdin.buffer, "standard input"), target)
    if not file.startswith(SAMPLE):
        return file, None, target
    name = file.removeprefix(SAMPLE)
    if name in io.SAMPLE_TABLES:
        return io.sample_file(name), f"{name}.csv", target or io.SAMPLE_TABLES[name]
    data = lincore.sample(name)
    if data.kind.is_images:
        return data, name, None
    return data.to_frame(), name, target or data.target_name or "class"


_DATA: tuple[Decorator, ...] = (
    click.argument(
        "file",
        help="A table (CSV, Excel, SPSS, Parquet and others), a zip of images in class folders, or "
        f"an npz; {STANDARD_INPUT} for standard input, {SAMPLE}passengers for a bundled one.",
    ),
    field_options(analysis.FileData, "target", section="Data"),
    field_options(io.TableOptions, section="Data", into="table"),
    field_options(io.ImageOptions, "size", "colour", section="Images", into="images"),
    field_options(io.ReadOptions, section="Reading (detected if not given)", into="reading"),
)
_SAVE = option(
    "save_to --save-analysis FILE",
    "Write data, steps, methods and question as JSON, for `lincore run` and for Share on the "
    "dashboard.",
    section="Output",
)


def request_options(question: type | None = None, *, saves: bool = False) -> Decorator:
    """Return a decorator that adds FILE and the options of its use; the command gets a `Request`.

    With a question, the options include its models, the steps and the test set.
    """
    models: list[Decorator] = [
        field_options(question, "methods", "classifier", section="Models", methods=None),
        field_options(analysis.Analysis, "steps", section="Models", steps=None),
        field_options(analysis.SplitChoice, section="Models", into="split"),
    ] if question else []  # fmt: skip

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(**values: Any) -> Any:
            names = [field.name for field in record_fields(Request) if field.name in values]
            request = Request(**{name: values.pop(name) for name in names})
            return function(request=request, **values)

        decorated: Callable[..., Any] = run
        for add in ([_SAVE] if saves else []) + [*reversed((*models, *_DATA))]:
            decorated = add(decorated)
        return decorated

    return decorate


def format_hint(hint: Hint) -> str:
    """Return the options that apply a hint, if there are any."""
    roles = dict(hint.roles)
    target = [name for name, role in roles.items() if role == "target"]
    words = [f"--target {shlex.quote(name)}" for name in target]
    others = {name: role for name, role in roles.items() if name not in target}
    words += format_options(io.TableOptions, {"roles": others, **hint.options})
    colour = {"colour": True} if hint.images.get("colour") else {}
    words += format_options(io.ImageOptions, colour) + format_options(io.ReadOptions, hint.reading)
    return " ".join(words)
