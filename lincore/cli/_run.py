"""`lincore run`: the answer to the question of an analysis, as the page that saved it shows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import lincore
from lincore.analysis import Analysis, FileData, NewFile, PredictedRows, PredictQuestion
from lincore.cli._answer import Answer, answer_of, finding_sentences
from lincore.cli._balance import cost_answer, study_answer
from lincore.cli._compare import comparison_answer
from lincore.cli._displays import make_display, read_calls
from lincore.cli._inspect import dataset_answer
from lincore.cli._options import command, option
from lincore.cli._predict import predicted_answer
from lincore.io.files.sources import read_source
from lincore.model_selection import FittedClassifier
from lincore.utils import Progress


@command("lincore run analysis.json", "lincore run analysis.json titanic.csv --json")
@click.argument("analysis", help="The JSON that a page or --save-analysis wrote.")
@click.argument(
    "file",
    required=False,
    help="The data, if they come from a file; by default the file of that name beside ANALYSIS.",
)
@option("--new FILE", "The file of new rows; by default the one of that name beside ANALYSIS.")
@option(
    "--displays LIST",
    "What the answer shows instead of the usual, by the calls of the library, such as "
    '"model.operating_point(by=costs)"; any other word lists them.',
)
@option("--model FILE", "The saved model; by default the file of that name beside ANALYSIS.")
def run(
    analysis: str,
    file: str | None,
    new: str | None,
    displays: str | None,
    model: str | None,
    progress: Progress,
) -> Answer:
    """Answer the question of a saved analysis.

    ANALYSIS names the data, target, split, steps, methods and options; the answer is that of the
    page or the command that saved it.
    """
    text, _ = read_source(analysis, None)
    asked = Analysis.from_json(text)
    question: Any = asked.question
    root = ROOTS.get(question.kind, "")
    calls = [] if displays is None else read_calls(displays, (root,))
    is_predicting = isinstance(question, PredictQuestion)
    data, files = None, {}
    if not is_predicting or question.needs_data:
        source = asked.data if isinstance(asked.data, FileData) else None
        data = asked.load(_named_file(analysis, file, source), progress=progress)
    if is_predicting:
        rows = question.rows if isinstance(question.rows, NewFile) else None
        files = {
            "new": _named_file(analysis, new, rows),
            "model": _named_file(analysis, model, question.model),
        }
    result = asked.run(data, **files, progress=progress)
    if calls:
        results = {
            "data": data,
            root: result.predictions if isinstance(result, PredictedRows) else result,
        }
        chosen = [make_display(call, results) for call in calls]
        answer = answer_of("run", data, chosen, headings=[display.title for display in chosen])
    else:
        answer = ANSWERS[question.kind](data, result, question)
    record = {"question": question.kind, **answer.record, "command": "run"}
    return replace(answer, record={**record, "analysis": json.loads(asked.to_json())})


def _named_file(analysis: str, path: str | None, wanted: Any) -> Any:
    """Return a file of an analysis, or the files of a folder: as given, else beside the JSON."""
    if path is None and wanted is None:
        return None
    # Only the name: a path of another machine leads nowhere.
    named, several = getattr(wanted, "name", ""), getattr(wanted, "several", False)
    name = named.partition("/")[0] if several else Path(named).name
    if path is None and name in ("", ".", ".."):
        return None
    location = Path(path or Path(analysis).parent / name)
    if location.is_dir():
        top = location if name in ("images", "tables") else location.parent
        files = [file for file in location.rglob("*") if file.is_file()]
        return [(file.relative_to(top).as_posix(), file.read_bytes()) for file in files]
    return location if path is not None or location.is_file() else None


def _classifier(data: lincore.Dataset, model: FittedClassifier) -> Answer:
    displays = [model.steps(), model.scores(), model.classes(), model.confusion()]
    findings = finding_sentences(data)
    return answer_of("run", data, displays, remarks=findings, findings=findings)


def _predictions(data: lincore.Dataset | None, answered: PredictedRows) -> Answer:
    return replace(predicted_answer(answered, data), text=answered.predictions.to_csv().decode())


#: What the library calls the result of each kind of question that has displays.
ROOTS: Mapping[str, str] = {
    "data": "data",
    "explore": "data",
    "classify": "model",
    "compare": "results",
    "balance-cost": "cost",
    "balance-study": "study",
    "predict": "predictions",
}
#: The answer to each kind of question.
ANSWERS: Mapping[str, Callable[[Any, Any, Any], Answer]] = {
    "data": lambda data, result, question: dataset_answer(result),
    "explore": lambda data, result, question: dataset_answer(result),
    "geometry": lambda data, result, question: answer_of(
        "run", None, [result, *result.tables()], answer=result.shown.answer
    ),
    "classify": lambda data, result, question: _classifier(data, result),
    "predict": lambda data, result, question: _predictions(data, result),
    "compare": comparison_answer,
    "balance-cost": lambda data, result, question: cost_answer(data, result),
    "balance-study": lambda data, result, question: study_answer(data, result),
}
