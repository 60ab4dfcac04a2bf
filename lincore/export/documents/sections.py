"""The sections of a report, in the order in which they are read."""

from __future__ import annotations

import platform
from dataclasses import replace

import pandas as pd

from lincore.export.documents._comparison_section import comparison_sections
from lincore.export.documents._data_card import data_section
from lincore.export.documents._imbalance_sections import imbalance_sections
from lincore.export.documents._methods import methods_section
from lincore.export.documents._model_section import model_sections
from lincore.export.documents._prediction_section import prediction_sections
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, SectionTable, display_section

#: Characters of the figures of a page, so that a report stays below 8 MB.
MOST_BYTES = 2_500_000


def report_sections(contents: ReportContents) -> tuple[Section, ...]:
    """Return what a report says of data and results, section by section.

    Nothing is fitted: assumptions are checked, and the figures of `lincore.plots` are drawn.

    Parameters
    ----------
    contents : ReportContents

    Returns
    -------
    tuple of Section
        Data; model, scores, errors, geometry and assumptions; comparison and pairs; cost of the
        imbalance and imbalance study; predictions and drift; figures; methods with references;
        settings; script. Only those that there is something to say of.

    Examples
    --------
    >>> import lincore
    >>> from lincore.export.documents.contents import ReportContents
    >>> iris = lincore.sample("iris")
    >>> contents = ReportContents(iris, comparison=lincore.compare(iris, ["lda", "qda"]))
    >>> [section.title for section in report_sections(contents)]
    ['Data', 'Comparison', 'Pairwise comparisons', 'Methods', 'Settings']
    """
    sections = [
        data_section(contents),
        *model_sections(contents),
        *comparison_sections(contents),
        *imbalance_sections(contents),
        *prediction_sections(contents),
        *_views(contents),
        methods_section(contents),
        _settings(contents),
    ]
    if contents.script:
        about = "This script computes the numbers of the report again, and prints them."
        sections.append(Section("Script", (about,), code=contents.script))
    return tuple(sections)


def _views(contents: ReportContents) -> tuple[Section, ...]:
    """Return displays and figures of a page: the figures as long as they are not too large."""
    sections = [display_section(display) for display in contents.displays]
    sections += [Section("Figures", figures=contents.figures)] if contents.figures else []
    shown, left = [], MOST_BYTES
    for section in sections:
        kept = []
        for figure in section.figures:
            left -= len(figure.to_json())
            kept += [figure] if left >= 0 else []
        shown.append(replace(section, figures=tuple(kept)))
    return tuple(one for one in shown if one.sentences or one.figures)


def _settings(contents: ReportContents) -> Section:
    lines: list[tuple[str, str, str]] = []
    parts = {
        "comparison": contents.comparison,
        "cost of the imbalance": contents.cost,
        "imbalance study": contents.study,
    }
    for what, part in parts.items():
        if part is None:
            continue
        settings = part.settings
        lines.append((what, "validation", settings.scheme))
        lines.append((what, "test fraction", f"{settings.test_size:g}"))
        lines.append((what, "seed", str(settings.seed)))
        if settings.repeats > 1:
            lines.append((what, "repetitions", str(settings.repeats)))
        for name in part.methods:
            steps = settings.steps.get(name, {})
            chosen = [
                f"{key}={value}" for key, value in steps.items() if value not in (None, False)
            ]
            lines.append((what, f"steps before {name}", ", ".join(chosen) or "none"))
    if contents.seed is not None:
        lines.append(("split", "seed", str(contents.seed)))
    lines += [("versions", name, version) for name, version in contents.versions.items()]
    lines.append(("versions", "Python", platform.python_version()))
    frame = pd.DataFrame(lines, columns=["part", "setting", "value"])
    return Section("Settings", tables=(SectionTable("Settings, seeds and versions", frame),))
