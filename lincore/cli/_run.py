"""`lincore run`: the answer to the question of an analysis, as the page that saved it shows it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lincore
from lincore import analysis, metrics
from lincore.cli._balance import cost_answer, study_answer
from lincore.cli._compare import comparison_answer
from lincore.cli._inspect import dataset_answer
from lincore.cli._predict import predicted_answer
from lincore.cli.answer import Answer, AnswerSection, display_section
from lincore.cli.data_findings import data_line, data_record, finding_sentences
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
        description="Run an analysis saved as JSON, with its data, target, split, steps, methods "
        "and options.",
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
    parser.add_argument(
        "--new", metavar="FILE", help="the new rows, where they are predicted (likewise)"
    )
    parser.add_argument(
        "--model", metavar="FILE", help="the saved model, where one predicts (likewise)"
    )


def run(options: argparse.Namespace, progress: Progress) -> Answer:
    """Load the data, answer the question, and return the answer with the analysis."""
    text, _ = read_source(options.analysis, None)
    asked = analysis.Analysis.from_json(text)
    question: Any = asked.question
    is_predicting = isinstance(question, analysis.PredictQuestion)
    data, files = None, {}
    if not is_predicting or question.needs_data:
        source = asked.data if isinstance(asked.data, analysis.FileData) else None
        data = asked.load(_given(options, options.file, source), progress=progress)
    if is_predicting:
        rows = question.rows if isinstance(question.rows, analysis.NewFile) else None
        files = {
            "new": _given(options, options.new, rows),
            "model": _given(options, options.model, question.model),
        }
    found = asked.run(data, **files, progress=progress)
    answer = ANSWERS[question.kind](data, found, question)
    record = {"question": question.kind, **answer.record, "command": "run"}
    return replace(answer, record={**record, "analysis": json.loads(asked.to_json())})


def _given(options: argparse.Namespace, path: str | None, wanted: Any) -> Any:
    """Return a file of an analysis, or the images of a folder: as given, else beside the JSON."""
    if path is None and wanted is None:
        return None
    # The name alone: a path in an analysis of somebody else leads nowhere.
    named, several = getattr(wanted, "name", ""), getattr(wanted, "several", False)
    name = named.partition("/")[0] if several else Path(named).name
    if path is None and name in ("", ".", ".."):
        return None
    found = Path(path or Path(options.analysis).parent / name)
    if found.is_dir():
        top = found if name in ("images", "tables") else found.parent
        parts = [one for one in found.rglob("*") if one.is_file()]
        return [(one.relative_to(top).as_posix(), one.read_bytes()) for one in parts]
    return found if path is not None or found.is_file() else None


def _data(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    return dataset_answer(found)


def _experiment(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    shown = [found, *found.tables()]
    record = {"answer": found.shown.answer, "displays": [one.to_dict() for one in shown]}
    return Answer(record, tuple(map(display_section, shown)))


def _classifier(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    shown = [found.steps(), found.scores(), found.classes(), found.confusion()]
    findings = finding_sentences(data)
    record = {
        "data": data_record(data),
        "displays": [one.to_dict() for one in shown],
        "findings": findings,
    }
    sections = [
        AnswerSection(data_line(data)),
        *map(display_section, shown),
        *([AnswerSection("Notes on the data", findings)] if findings else []),
    ]
    return Answer(record, tuple(sections))


def _predictions(data: lincore.Dataset | None, found: Any, question: Any) -> Answer:
    text = found.predictions.to_csv().decode()
    return replace(predicted_answer(found, data), text=text)


def _comparison(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    rope = metrics.ROPE if question.rope is None else question.rope
    return comparison_answer(data, found, question.score, rope)


def _cost(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    return cost_answer(data, found)


def _study(data: lincore.Dataset, found: Any, question: Any) -> Answer:
    return study_answer(data, found)


#: The answer to each kind of question.
ANSWERS: Mapping[str, Callable[[Any, Any, Any], Answer]] = {
    "data": _data,
    "explore": _data,
    "geometry": _experiment,
    "classify": _classifier,
    "predict": _predictions,
    "compare": _comparison,
    "balance-cost": _cost,
    "balance-study": _study,
}
