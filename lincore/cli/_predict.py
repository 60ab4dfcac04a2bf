"""`lincore predict`: the classes of new rows, by a model of a file."""

from __future__ import annotations

import argparse
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lincore
from lincore import analysis, export, imbalance, prediction
from lincore.cli.answer import (
    STANDARD_OUTPUT,
    Answer,
    AnswerSection,
    display_section,
    write_file,
)
from lincore.cli.data_findings import class_named, data_record
from lincore.cli.data_options import (
    add_data_options,
    data_source,
    load_data,
)
from lincore.cli.method_options import add_steps_and_seed, chosen_steps, fraction, one_method
from lincore.cli.reading_options import read_options, without_column

if TYPE_CHECKING:
    from lincore.model_selection import FittedModel
    from lincore.utils import Progress

#: The end of the names of saved models.
MODEL = ".skops"

EXAMPLES = """examples:
  lincore predict titanic.csv new.csv --target Survived > predicted.csv
  lincore predict wine.csv new.csv --method "lda(shrinkage=oas)" --save-model wine.skops
  lincore predict wine.skops new.csv --output predicted.parquet
"""


def add_command(commands: Any) -> None:
    """Add the command to those of a parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "predict",
        help="classes and probabilities of new rows",
        description=f"Fit one method to all rows of FILE, or use the model saved in FILE "
        f"(*{MODEL}), and predict the rows of NEW, matched by column name: its columns with "
        f"class, posteriors and distance added. Rows unlike the training data, unseen categories "
        f"and drift are reported; if NEW has the classes, scores are computed.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_data_options(parser)
    parser.add_argument("new", metavar="NEW", help="the file with new rows")
    group = parser.add_argument_group("model")
    group.add_argument("--method", metavar="METHOD", type=one_method, default="lda", help="(lda)")
    add_steps_and_seed(group)
    parser.add_argument(
        "--priors",
        metavar="PRIORS",
        help="in deployment: equal, estimate (from the new rows), CLASS=SHARE (the others as in "
        "training), or a share of every class (CLASS=SHARE,CLASS=SHARE)",
    )
    parser.add_argument(
        "--level",
        type=fraction,
        default=0.01,
        metavar="SHARE",
        help="share of training rows that count as unlike the training data (0.01)",
    )
    parser.add_argument(
        "--fill-missing", action="store_true", help="a column that NEW lacks counts as missing"
    )
    parser.add_argument(
        "--save-model", metavar="FILE", help=f"save the model, as *{MODEL}, for other new rows"
    )
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        default=STANDARD_OUTPUT,
        help="a CSV, or a Parquet by its name (CSV on standard output)",
    )


def run(options: argparse.Namespace, progress: Progress) -> Answer:
    """Fit, predict and write the file; return counts, findings and scores."""
    model, data = _model(options, progress)
    new = data_source(options.new, None)
    found = prediction.predict(
        model,
        new.data,
        level=options.level,
        reading=prediction.Reading(
            new.name or Path(options.new).name,
            without_column(read_options(options), model.target_name),
            fill_missing=options.fill_missing,
        ),
        progress=progress,
    )
    found = found.with_priors(_priors(options.priors, found))
    drift = None if data is None else found.drift(data)
    answer = predicted_answer(analysis.PredictedRows(found, drift), data)
    record, lines, text = {**answer.record, "output": options.output}, [], ""
    if options.save_model:
        lines.append(write_file(options.save_model, export.save_model(model)))
    if options.output == STANDARD_OUTPUT:
        text = found.to_csv().decode()
    else:
        is_parquet = options.output.lower().endswith((".parquet", ".pq"))
        written = found.to_parquet() if is_parquet else found.to_csv()
        lines.append(write_file(options.output, written))
    sections = (*answer.sections, *([AnswerSection("", tuple(lines))] if lines else []))
    return Answer(record, sections, text)


def predicted_answer(answered: analysis.PredictedRows, data: lincore.Dataset | None) -> Answer:
    """Return classes, findings and scores of predicted rows."""
    found, drift = answered
    shown = [
        found.by_class(),
        found.columns(),
        *([found.scores(), found.confusion()] if found.truth is not None else []),
        *([drift] if drift is not None else []),
    ]
    record = {
        "command": "predict",
        "data": None if data is None else data_record(data),
        "model": found.model.label,
        "rows": len(found),
        "displays": [display.to_dict() for display in shown],
        "output": STANDARD_OUTPUT,
    }
    return Answer(record, tuple(map(display_section, shown)))


def _model(
    options: argparse.Namespace, progress: Progress
) -> tuple[FittedModel, lincore.Dataset | None]:
    """Return the model of a file that one was saved to, or fitted to all rows of the data."""
    if _is_model(options.file):
        return export.load_model(options.file).model, None
    data = load_data(options)
    results = lincore.compare(
        data,
        options.method,
        steps=chosen_steps(options, data),
        seed=options.seed,
        test_size=options.test_size,
        progress=progress,
        keep_models=True,
    )
    return results.model(results.methods[0]), data


def _is_model(path: str) -> bool:
    """Return whether a file holds a model: by its name, or as the dashboard writes it, a zip."""
    if path.lower().endswith(".zip"):
        with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
            return export.MODEL_PART in archive.namelist()
    return path.lower().endswith(MODEL)


def _priors(text: str | None, found: prediction.Predictions) -> Any:
    """Return priors as `Predictions.with_priors` takes them."""
    if text is None or text in ("equal", "estimate"):
        return text
    labels = found.classes.tolist()
    parts = text.split(",")
    if len(parts) > 1 and all("=" in part for part in parts):  # every class
        pairs = [part.rpartition("=") for part in parts]
        return {class_named(labels, name.strip()): _share(share) for name, _, share in pairs}
    name, equals, share = text.rpartition("=")
    if not equals:
        raise ValueError(f"{text!r} is neither equal nor estimate nor CLASS=SHARE.")
    value, code = _share(share), labels.index(class_named(labels, name))
    learned = found.learned_priors
    # Without posteriors `with_priors` says why none can be changed.
    return "equal" if learned is None else imbalance.priors_with_share(learned, code, value)


def _share(text: str) -> float:
    try:
        return float(fraction(text))
    except argparse.ArgumentTypeError as error:
        raise ValueError(str(error)) from error
