"""Options of a command as an analysis that the dashboard and `lincore run` open."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import lincore
from lincore import analysis, io, model_selection
from lincore.analysis.data_sources import hash_of
from lincore.cli.answer import Answer, AnswerSection, write_file
from lincore.cli.data_options import SAMPLE, STANDARD_INPUT, table_choices
from lincore.cli.method_options import chosen_steps
from lincore.cli.reading_options import read_options
from lincore.errors import DataError

#: Validations by name that are the test set of an analysis.
_TEST_SETS: Mapping[str | None, Any] = {
    None: None,
    "holdout": "stratified",
    "holdout by group": "group",
    "last": "last",
    "given": "given",
}


def add_save_option(parser: argparse.ArgumentParser) -> None:
    """Add the file that an analysis is written to."""
    parser.add_argument(
        "--save-analysis",
        metavar="FILE",
        help="write data, steps, methods and question as JSON, for `lincore run` and for Share on "
        "the dashboard",
    )


def with_saved(
    answer: Answer, options: argparse.Namespace, asked: analysis.Analysis | None
) -> Answer:
    """Write an analysis where the options say so, and return the answer with a line about it."""
    if asked is None:
        return answer
    text = asked.to_json(indent=2)
    analysis.Analysis.from_json(text)
    line = write_file(options.save_analysis, f"{text}\n".encode())
    sections = (*answer.sections, AnswerSection("Analysis", (line,)))
    return replace(
        answer, record={**answer.record, "saved": options.save_analysis}, sections=sections
    )


def analysis_of(
    options: argparse.Namespace, data: lincore.Dataset, question: analysis.Question
) -> analysis.Analysis:
    """Return the analysis that a command carries out."""
    how = _TEST_SETS.get(getattr(options, "scheme", None))
    chosen, _ = method_options(options.methods or ())
    return analysis.Analysis(
        _source(options),
        analysis.SplitChoice(how, options.test_size, options.seed),
        chosen_steps(options, data),
        chosen,
        question,
    )


def method_options(
    lines: Sequence[str],
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the options of each classifier, and those of a second entry of the same."""
    first: dict[str, dict[str, Any]] = {}
    second: dict[str, dict[str, Any]] = {}
    for word, options in map(model_selection.parse_spec, lines):
        if word in second:
            raise DataError(
                f"An analysis can contain {word} at most twice.",
                where="--methods",
                remedy="Save an analysis of fewer methods.",
            )
        (second if word in first else first)[word] = dict(options)
    return {word: options for word, options in first.items() if options}, second


def words_of(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the classifiers of some methods, each once."""
    return tuple(dict.fromkeys(model_selection.parse_spec(line)[0] for line in lines))


def compare_question(
    options: argparse.Namespace, data: lincore.Dataset
) -> analysis.CompareQuestion:
    """Return the question of `lincore compare`."""
    lines = options.methods or model_selection.default_methods(data)
    scheme = "holdout" if options.scheme in _TEST_SETS else options.scheme
    return analysis.CompareQuestion(
        words_of(lines), method_options(lines)[1], scheme, options.score, options.rope
    )


def _source(options: argparse.Namespace) -> analysis.DataSource:
    reading = read_options(options) or io.ReadOptions()
    table = io.TableOptions(**table_choices(options))
    if options.file.startswith(SAMPLE):
        name = options.file.removeprefix(SAMPLE)
        return analysis.SampleData(name, options.target, reading, table)
    if options.file == STANDARD_INPUT:
        raise DataError(
            "An analysis needs a file or a sample, not standard input.",
            where="--save-analysis",
            remedy="Give the command the path of the file.",
        )
    path = Path(options.file)
    with path.open("rb") as stream:
        digest = hash_of(iter(lambda: stream.read(1 << 20), b""))
    images = io.ImageOptions(options.size, options.colour)
    return analysis.FileData(path.name, digest, options.target, reading, table, images)
