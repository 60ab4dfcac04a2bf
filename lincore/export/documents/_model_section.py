"""One fitted model in a report: pipeline, scores, errors, curves, assumptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from lincore import plots, report
from lincore.checks.model_assumptions import ASSUMPTIONS, assumption_inputs, assumptions
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, SectionTable
from lincore.inspection.first_plane import default_plane
from lincore.inspection.views import make_view
from lincore.metrics.estimates import has_posteriors
from lincore.metrics.ranking import available_scores
from lincore.model_selection.methods import as_method
from lincore.utils.formatting import seconds

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from lincore.data.dataset import Dataset, Split
    from lincore.metrics.results import Results

#: Curves of more classes than this are a thicket.
MOST_CURVES = 6
#: Classes of which a table of errors fits a page.
MOST_CLASSES = 12
#: Distances between rows, times features, that checks of assumptions may cost: seconds.
MOST_DISTANCES = 2_000_000_000


def model_sections(contents: ReportContents) -> tuple[Section, ...]:
    """Return pipeline, scores, errors and assumptions of the model; nothing without one."""
    if contents.model is None:
        return ()
    pipeline, results = contents.model
    data, split, method = contents.data, contents.split, results.methods[0]
    sections: list[Section | None] = [_pipeline(contents), _scores(results, method, data.kind.rows)]
    sections.append(_errors(results, method))
    if split is not None:
        sections.append(_plane(pipeline, data, split, method))
        sections.append(_assumptions(contents))
    return tuple(section for section in sections if section is not None)


def _pipeline(contents: ReportContents) -> Section:
    assert contents.model is not None
    pipeline, results = contents.model
    data, method = contents.data, results.methods[0]
    way = " → ".join(report.pipeline_steps(pipeline, data, method))
    n_train, took = int(results.n_train.max()), float(results.seconds[0])
    rows = f"{n_train:,} training {data.kind.rows}"
    note = "" if took != took else report.training_rows_note(rows, seconds(took))
    end = report.termination_reason(pipeline.steps[-1][1])
    return Section(
        f"Model: {method}",
        tuple(
            filter(None, (f"{way[:1].upper()}{way[1:]}. {note}".strip(), end.sentence, end.remedy))
        ),
        tables=(SectionTable("Steps and their settings", _option_lines(pipeline)),),
    )


def _option_lines(pipeline: Pipeline) -> pd.DataFrame:
    lines = [
        (name, type(step).__name__, ", ".join(f"{k}={v}" for k, v in _set_options(step).items()))
        for name, step in pipeline.steps
    ]
    return pd.DataFrame(lines, columns=["step", "class", "settings"])


def _set_options(step: object) -> dict[str, object]:
    if not hasattr(step, "get_params"):
        return {}
    found = step.get_params(deep=False).items()
    # How many levels columns have is no choice: it stands in the data card.
    return {
        name: value
        for name, value in found
        if value is not None and name not in ("n_levels", "n_words")
    }


def _scores(results: Results, method: str, noun: str) -> Section:
    return Section(
        f"Scores of {method}",
        (
            report.classification_finding(results, method, rows=noun),
            report.baseline_finding(results, method),
            report.interval_method(results, *available_scores(results)),
            *filter(None, (report.missing_intervals_note(results),)),
        ),
        tables=(
            SectionTable(
                f"Scores on {len(results.rows):,} test {noun}, with 95 % intervals",
                pd.DataFrame(report.model_score_rows(results, method)),
            ),
            SectionTable("Recall, precision and F1 of each class", pd.DataFrame(
                report.class_score_rows(results, method)
            )),
        ),
    )  # fmt: skip


def _errors(results: Results, method: str) -> Section:
    figures = [plots.confusion(results, method)]
    if len(results.classes) <= MOST_CURVES:
        figures += [plots.roc(results, method), plots.precision_recall(results, method)]
        if has_posteriors(results, method):
            figures.append(plots.calibration(results, method))
    tables: tuple[SectionTable, ...] = ()
    if len(results.classes) <= MOST_CLASSES:
        frame = pd.DataFrame(report.confusion_rows(results, method))
        tables = (SectionTable("Confusion matrix: test rows by true and predicted class", frame),)
    return Section(f"Errors of {method}", figures=tuple(figures), tables=tables)


def _plane(pipeline: Pipeline, data: Dataset, split: Split, method: str) -> Section | None:
    try:
        plane = default_plane(pipeline, data, split.train)
        view = make_view(pipeline, data, split.test, plane)
    except (ValueError, TypeError):  # such as class means that span no plane
        return None
    draw = plots.direction_histogram if len(view.axis_names) == 1 else plots.contour
    return Section(f"Geometry of {method}", (view.fidelity, view.caption), (draw(view),))


def _assumptions(contents: ReportContents) -> Section | None:
    assert contents.model is not None and contents.split is not None
    pipeline, data, rows = contents.model[0], contents.data, contents.split.train
    word = _assumes(contents)
    too_many = len(rows) ** 2 * data.n_features > MOST_DISTANCES
    words_alone = data.kind.is_sparse and "svd" not in pipeline.named_steps
    if not ASSUMPTIONS.get(word) or words_alone or too_many:
        return None
    found = assumptions(*assumption_inputs(pipeline, data, rows), model=word)
    return Section(
        "Assumptions",
        (
            report.assumptions_finding(found),
            f"Checked on the {len(rows):,} training {data.kind.rows} as the classifier sees them.",
        ),
        tables=(
            SectionTable("Checks of assumptions", pd.DataFrame(report.assumption_rows(found))),
        ),
    )


def _assumes(contents: ReportContents) -> str:
    """Return the word of the classifier whose assumptions hold: the binary one of several."""
    assert contents.model is not None
    word = contents.word or ""
    if word in ("one-vs-rest", "one-vs-one"):
        return as_method(contents.model[0].steps[-1][1].estimator).word or ""
    return word
