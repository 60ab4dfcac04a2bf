"""`lincore predict`: the classes of new rows, by a model from a file."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import lincore
from lincore import analysis, export, prediction
from lincore.cli._answer import (
    STANDARD_OUTPUT,
    Answer,
    AnswerSection,
    answer_of,
    by_label,
    write_file,
)
from lincore.cli._field_options import field_options
from lincore.cli._options import command, option
from lincore.cli._request import Request, request_options, source_of
from lincore.utils import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from lincore.metrics import Results
    from lincore.model_selection import FittedModel

#: File name extension of saved models.
MODEL = ".skops"


@command(
    "lincore predict titanic.csv new.csv --target Survived > predicted.csv",
    "lincore predict wine.csv new.csv --method qda --save-model wine.skops",
    "lincore predict wine.skops new.csv --output predicted.parquet",
)
@field_options(analysis.PredictQuestion, without=("classifier", "model", "rows"), into="question")
@field_options(analysis.NewFile, "fill_missing")
@option("--save-model FILE", f"Save the model, as *{MODEL}, for other new rows.")
@option(
    "-o --output FILE",
    "A CSV file, or Parquet if its name ends so.  [default: CSV on standard output]",
)
@request_options(analysis.PredictQuestion)
@click.argument("new", help="The file with new rows.")
def predict(
    request: Request,
    new: str,
    classifier: str,
    question: analysis.PredictQuestion,
    fill_missing: bool,
    save_model: str | None,
    output: str | None,
    progress: Progress,
) -> Answer:
    """Predict classes and probabilities of new rows.

    Fit one method to all rows of FILE, or use the model saved in FILE (*.skops), and predict the
    rows of NEW, matched by column name: its columns with class, posteriors and distance added.
    Rows unlike the training data, unseen categories and drift are reported; if NEW has the
    classes, scores are computed.
    """
    model, training, inner = _model(request, classifier, progress)
    rows, name, _ = source_of(new)
    predictions = prediction.predict(
        model,
        rows,
        level=question.level,
        reading=prediction.Reading(
            name or Path(new).name,
            request.reading_without(model.target_name),
            fill_missing=fill_missing,
        ),
        progress=progress,
    )
    priors = by_label(predictions.classes, question.priors)
    predictions = replace(question, priors=None).apply_to(predictions, inner).with_priors(priors)
    drift = None if training is None else predictions.drift(training)
    answer = predicted_answer(analysis.PredictedRows(predictions, drift), training)
    output = output or STANDARD_OUTPUT
    record, lines, text = {**answer.record, "output": output}, [], ""
    if save_model:
        stored = replace(model, operating_point=predictions.point)
        if question.reject == "cost":
            stored = stored.abstaining(question.rejection_cost)
        elif question.reject is not None:
            lines.append("The saved model does not abstain: prediction sets are not saved.")
        lines.append(write_file(save_model, export.save_model(stored)))
    if output == STANDARD_OUTPUT:
        text = predictions.to_csv().decode()
    else:
        is_parquet = output.lower().endswith((".parquet", ".pq"))
        lines.append(
            write_file(output, predictions.to_parquet() if is_parquet else predictions.to_csv())
        )
    sections = (*answer.sections, *([AnswerSection("", tuple(lines))] if lines else []))
    return Answer(record, sections, text)


def predicted_answer(answered: analysis.PredictedRows, data: lincore.Dataset | None) -> Answer:
    """Return classes, findings and scores of predicted rows."""
    predictions, drift = answered
    displays = [
        predictions.by_class(),
        predictions.columns(),
        *([predictions.scores(), predictions.confusion()] if predictions.truth is not None else []),
        *([drift] if drift is not None else []),
    ]
    more: dict[str, Any] = {
        "model": predictions.model.label,
        "rows": len(predictions),
        "output": STANDARD_OUTPUT,
    }
    answer = answer_of("predict", data, displays, **more)
    return answer if data is None else replace(answer, sections=answer.sections[1:])


def _model(
    request: Request, classifier: str, progress: Progress
) -> tuple[FittedModel, lincore.Dataset | None, Callable[[], Results] | None]:
    """Return a model from a file, or fitted to all rows with the data and held-out predictions."""
    if _is_model(request.file):
        return export.load_model(request.file).model, None, None
    data = request.load()
    keywords = request.arguments(data, analysis.CompareQuestion()) | {"methods": classifier}
    results = lincore.compare(**keywords, keep_models=True, preselection=False, progress=progress)
    return results.model(results.methods[0]), data, lambda: results


def _is_model(path: str) -> bool:
    """Return whether a file is a model: by its name, or a zip written by the dashboard."""
    if path.lower().endswith(".zip"):
        with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
            return export.MODEL_PART in archive.namelist()
    return path.lower().endswith(MODEL)
