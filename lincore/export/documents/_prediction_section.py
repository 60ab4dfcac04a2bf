"""Predictions of new rows in a report: classes, priors, drift, scores."""

from __future__ import annotations

import pandas as pd

from lincore import plots, prediction, report
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, SectionTable
from lincore.prediction.predictions import Predictions


def prediction_sections(contents: ReportContents) -> tuple[Section, ...]:
    """Return what was predicted of new rows, and their drift; nothing without predictions."""
    if contents.predicted is None:
        return ()
    found, drift = contents.predicted
    noun = "rows" if found.model.image_shape is None else "images"
    named = f"{found.name}, by {found.model.label}. {prediction.priors_finding(found)}"
    one = len(found) == 1
    table = prediction.class_table(found) if one else _by_class(found)
    caption = "Posterior (%) and distance of each class" if one else "Predicted classes"
    tables, figures = [SectionTable(caption, table, ".3f" if one else ".4g")], []
    if found.truth is not None:
        scores = found.scores()
        rows = report.headline_scores(scores, scores.methods[0])
        tables.append(SectionTable("Scores, with 95 % intervals", pd.DataFrame(rows)))
        figures.append(plots.confusion(scores, scores.methods[0]))
    sentences = [prediction.prediction_finding(found, noun), named]
    counted = [note] if (note := prediction.counting_note(found)) else []
    if found.truth is not None:
        sentences.append(report.interval_method(scores, *report.headline_score_names(scores)))
    sentences += [*prediction.match_notes(found), *counted, prediction.far_note(found)]
    sections = [Section("Predictions", tuple(sentences), tuple(figures), tuple(tables))]
    if drift is not None:
        finding = prediction.drift_finding(drift)
        caption = "Training rows against new rows, column by column"
        sections.append(Section("Drift", (finding,), (), (SectionTable(caption, drift, ".3g"),)))
    return tuple(sections)


def _by_class(found: Predictions) -> pd.DataFrame:
    table = pd.DataFrame({"class": [str(label) for label in found.classes], "rows": found.counts})
    if found.learned_priors is not None:
        table["prior in training"] = found.learned_priors
        if found.priors is not None:
            table["prior in deployment"] = found.priors
    return table
