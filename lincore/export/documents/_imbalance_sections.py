"""The cost of an imbalance and the study of one, in a report."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lincore import report
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, SectionTable
from lincore.imbalance.remedies import choose_remedy


def imbalance_sections(contents: ReportContents) -> tuple[Section, ...]:
    """Return the cost of the imbalance and the imbalance study, as far as there are any."""
    found = (_cost(contents), _study(contents))
    return tuple(section for section in found if section is not None)


def _cost(contents: ReportContents) -> Section | None:
    found = contents.cost
    if found is None:
        return None
    method = contents.shown(found.methods)
    loss = contents.loss if contents.loss in found.loss_names else found.loss_names[0]
    sentences = [report.cost_finding(found, method, loss)]
    if np.isnan(found.decomposition(method, loss).uncorrected.value):
        return Section("Cost of the imbalance", tuple(sentences))
    sentences += [report.cost_recommendation(found, method, loss), report.cost_basis(found)]
    label = report.cost_method_label(found, method)
    curves = (report.cost_curve(found, method),) if method in found.curves else ()
    return Section(
        "Cost of the imbalance",
        tuple(sentences),
        (
            *curves,
            report.cost_waterfall(found, method, loss),
            report.cost_corrections(found, method, loss),
        ),
        (
            SectionTable(
                f"Corrections of {label}, with 95 % intervals",
                _filled(report.cost_correction_rows(found, method, loss)),
            ),
            SectionTable(
                f"Every model: {report.loss_name(found, loss)} and its parts",
                _filled(report.cost_method_rows(found, loss)),
            ),
            *(
                SectionTable(
                    f"Expected cost of 100 rows by {label}, a false alarm costs 1",
                    _filled(report.cost_curve_rows(found, name)),
                )
                for name in found.curves
                if name == method
            ),
        ),
        report.cost_decomposition_sentences(found, method, loss),
    )


def _study(contents: ReportContents) -> Section | None:
    study = contents.study
    if study is None:
        return None
    method = contents.shown(study.methods)
    loss = contents.loss if contents.loss in study.loss_names else study.loss_names[0]
    sentences = [report.balance_finding(study, method, loss)]
    if np.isnan(study.attribution(method, loss).full.value):
        return Section("Imbalance study", tuple(sentences))
    sentences.append(report.remedy_finding(choose_remedy(study, method, loss), loss))
    sentences.append(report.balance_basis(study))
    recalls = [name for name, cut in zip(study.recall_names, study.is_reduced, strict=True) if cut]
    losses = ["error", "balanced error", "log loss", *recalls]
    label = study.settings.label(method)
    return Section(
        "Imbalance study",
        tuple(sentences),
        (
            report.balance_waterfall(study, method, loss),
            report.balance_corrections(study, method, loss),
        ),
        (
            SectionTable(
                f"Losses of {label} and their parts, with 95 % intervals",
                _filled(report.decomposition_rows(study, method, losses)),
            ),
            SectionTable(
                f"Corrections: what each recovers of the {loss}",
                _filled(report.remedy_rows(study, method, loss)),
            ),
            SectionTable(
                "Scores of every model on one split, with 95 % intervals",
                _filled(report.score_rows(study, ("full", "reduced"))),
            ),
        ),
        tuple(report.decomposition_sentences(study, method, loss).values()),
    )


def _filled(rows: tuple[dict[str, str], ...]) -> pd.DataFrame:
    return pd.DataFrame(rows).fillna("")
