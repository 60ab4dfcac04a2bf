"""`lincore run`: the answer to the question of an analysis, as the page that saved it shows it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lincore
from lincore import analysis, laboratory
from lincore.cli._balance import cost_answer, study_answer
from lincore.cli._compare import comparison_answer
from lincore.cli._inspect import dataset_answer
from lincore.cli.answer import Answer, Section
from lincore.io.files.sources import read_source

if TYPE_CHECKING:
    from lincore.utils import Progress

EXAMPLES = """examples:
  lincore run analysis.json
  lincore run analysis.json titanic.csv --json
"""


def add_command(commands: Any) -> None:
    """Add the command to those of a parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "run",
        help="the question of a saved analysis",
        description="Answer the question of an analysis that was saved as JSON: data, target, "
        "split, steps, methods and options are those in it.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("analysis", metavar="ANALYSIS", help="the JSON")
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="where the analysis is of a file (the file of its name beside the JSON)",
    )


def run(options: argparse.Namespace, progress: Progress) -> Answer:
    """Load the data, answer the question, and return the answer with the analysis."""
    text, _ = read_source(options.analysis, None)
    asked = analysis.Analysis.from_json(text)
    data = asked.load(options.file or _beside(options.analysis, asked), progress=progress)
    found = asked.run(data, progress=progress)
    answer = ANSWERS[asked.question.kind](data, found, asked.question)
    record = {"question": asked.question.kind, **answer.record, "command": "run"}
    return replace(answer, record={**record, "analysis": json.loads(asked.to_json())})


def _beside(path: str, asked: analysis.Analysis) -> Path | None:
    """Return the file that an analysis is of, where it lies in the same folder."""
    if not isinstance(asked.data, analysis.FileData):
        return None
    # The name alone: a path in an analysis of somebody else leads nowhere.
    found = Path(path).parent / Path(asked.data.name).name
    return found if found.is_file() else None


def _data(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    return dataset_answer(found)


def _experiment(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    preset = laboratory.EXPERIMENTS[question.experiment].presets[question.preset]
    verdict = preset.verdict(question.guess, found.answer)
    record = {"answer": found.answer, "finding": found.finding}
    return Answer(record, (Section(preset.question, (verdict, found.finding)),))


def _classifier(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    return comparison_answer(data, found.results, None, ROPE)


def _comparison(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    return comparison_answer(data, found, question.score, question.rope or ROPE)


def _cost(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    return cost_answer(data, found)


def _study(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    return study_answer(data, found)


#: Region of practical equivalence where an analysis has none.
ROPE = 0.01
#: The answer to each kind of question.
ANSWERS: Mapping[str, Callable[[lincore.Dataset, Any, Any], Answer]] = {
    "data": _data,
    "explore": _data,
    "geometry": _experiment,
    "classify": _classifier,
    "predict": _classifier,
    "compare": _comparison,
    "balance-cost": _cost,
    "balance-study": _study,
}
