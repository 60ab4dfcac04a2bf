"""The sections of a report, in the order in which they are read."""

from __future__ import annotations

import platform
from collections.abc import Sequence

import numpy as np
import pandas as pd

from lincore import fields
from lincore.data.dataset import Dataset
from lincore.data.row_weights import counting
from lincore.displays import (
    COMPARISON,
    MODEL,
    AssumptionsDisplay,
    ClassCountsDisplay,
    Display,
    FindingsDisplay,
    ScoresDisplay,
    StepsDisplay,
)
from lincore.displays.model.model_display import ModelDisplay
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.methods import methods_section
from lincore.export.documents.section import Section, SectionTable
from lincore.utils.formatting import percent_of

#: Maximum number of features for which a table of features is shown.
MOST_FEATURES = 40
#: Maximum number of notices and skipped files that are listed.
MOST_NOTICES = 20
# Displays of the section on the data, and prefixes of the titles of displays by subject.
_OF_DATA = (ClassCountsDisplay, FindingsDisplay)
_SUBJECTS = {"cost": "Cost of the imbalance", "study": "Imbalance study", "first": "First split"}
#: Maximum of squared rows times features for checks of assumptions, which then take seconds.
MOST_DISTANCES = 2_000_000_000


def report_sections(contents: ReportContents) -> tuple[Section, ...]:
    """Return the sections of a report on data and results.

    No model is fitted; assumptions are checked, and displays are computed.

    Parameters
    ----------
    contents : ReportContents

    Returns
    -------
    tuple of Section
        Data; its displays, by default those of `report_displays`; methods with references;
        settings; script. Sections without content are left out.

    Examples
    --------
    >>> import lincore
    >>> from lincore.export.documents.contents import ReportContents
    >>> iris = lincore.sample("iris")
    >>> contents = ReportContents(iris, comparison=lincore.compare(iris, ["lda", "qda"]))
    >>> [section.title for section in report_sections(contents)]
    ['Data', 'Comparison', 'Pairwise comparisons', 'Methods', 'Settings']
    """
    shown = (
        report_displays(contents)
        if contents.displays is None
        else titled_displays(contents.displays)
    )
    sections = [_data(contents), *(_section(display, title) for title, display in shown.items())]
    sections += [methods_section(contents), _settings(contents)]
    if contents.script:
        explanation = "This script computes the numbers of the report again, and prints them."
        sections.append(Section("Script", (explanation,), code=contents.script))
    return tuple(sections)


def report_displays(contents: ReportContents, others: Sequence[Display] = ()) -> dict[str, Display]:
    """Return the displays that a report can show: those of its results, then others of a page.

    Parameters
    ----------
    contents : ReportContents
    others : sequence of Display
        Displays that belong to the section on the data are left out.

    Returns
    -------
    dict of str to Display
        By the titles of their sections, each once: model, scores, errors, geometry and
        assumptions; comparison and pairs; cost of the imbalance and imbalance study; predictions
        and drift.

    Examples
    --------
    >>> import lincore
    >>> from lincore.export.documents.contents import ReportContents
    >>> iris = lincore.sample("iris")
    >>> contents = ReportContents(iris, comparison=lincore.compare(iris, ["lda", "qda"]))
    >>> list(report_displays(contents, [contents.comparison.disagreements()]))
    ['Comparison', 'Pairwise comparisons', 'Disagreements']
    """
    subjects = _model, _comparison, _imbalance, _predictions
    own = [display for displays_of in subjects for display in displays_of(contents)]
    return titled_displays([*own, *others])


def titled_displays(displays: Sequence[Display]) -> dict[str, Display]:
    """Return displays by the titles of their sections, with settings where titles are equal."""
    by_title: dict[str, Display] = {}
    for display in {display.key: display for display in displays}.values():
        title = _title(display)
        if title in by_title:
            settings = [f"{name}: {value}" for name, value in fields.given(display).items()]
            title = f"{title} ({', '.join(settings)})"
        if not isinstance(display, _OF_DATA):
            by_title[title] = display
    return by_title


def _title(display: Display) -> str:
    root, title = display.made_by.partition(".")[0], display.title
    if isinstance(display, ModelDisplay):
        name, point = display.model.name, display.model.point
        name += "" if point is None else f" {point.phrase(display.model.data.classes)}"
        return f"Model: {name}" if isinstance(display, StepsDisplay) else f"{title} of {name}"
    if isinstance(display, ScoresDisplay):
        return "Comparison"
    return f"{_SUBJECTS[root]}: {title.lower()}" if root in _SUBJECTS else title


def _section(display: Display, title: str) -> Section:
    if not isinstance(display, ScoresDisplay):
        return Section.of(display, title)
    fitted = display.results.describe()
    # Empty columns are left out.
    fitted = fitted.loc[:, [bool((fitted[name] != "").any()) for name in fitted.columns]]
    return Section.of(display, title, SectionTable("Methods, options, steps and seconds", fitted))


def _data(contents: ReportContents) -> Section:
    """Return rows, classes, target, missing values, hash, notices and findings of the data."""
    data, split = contents.data, contents.split
    classes, findings = ClassCountsDisplay(data, split), FindingsDisplay(data, split)
    tables = [
        SectionTable("Data card", _card(contents)),
        SectionTable(classes.title, classes.table()),
    ]
    if not data.kind.is_images and not data.n_words and data.n_features <= MOST_FEATURES:
        tables.append(SectionTable("Features", _features(data)))
    drawn, notes = classes.plot(), list(findings.notes())
    if len(notes) > MOST_NOTICES:
        notes[MOST_NOTICES:] = [f"{len(notes) - MOST_NOTICES:,} more notices."]
    sentences = () if split is None else (findings.finding(),)
    return Section("Data", sentences, (drawn,) if drawn else (), tuple(tables), tuple(notes))


def _card(contents: ReportContents) -> pd.DataFrame:
    data, split = contents.data, contents.split
    noun = data.kind.rows
    card = {
        "Name": data.name,
        "File": contents.file_name,
        "SHA-256 of the file": contents.sha256,
        "Digest of the data": data.digest,
        f"Number of {noun}": f"{data.n_rows:,}",
        f"{noun.capitalize()} streamed": f"{data.n_streamed:,}" if data.n_streamed else "",
        "Features": _width(data),
        "Target": data.target_name,
        "Classes": f"{data.n_classes:,}",
        "Missing values": _missing(data),
        "Rows count": counting(data),
        "Groups": f"{len(data.group_names or ()):,}" if data.groups is not None else "",
    }
    if split is not None:
        card["Training and test set"] = f"{len(split.train):,} and {len(split.test):,} {noun}"
    items = [(name, value) for name, value in card.items() if value]
    return pd.DataFrame(items, columns=["item", "value"])


def _width(data: Dataset) -> str:
    if data.kind.is_images:
        height, width = data.image_shape[:2]  # type: ignore[index]
        return f"{data.n_features:,} pixels ({width} × {height})"
    words = f", {data.n_words:,} of them counts of words" if data.n_words else ""
    return f"{data.n_features:,}{words}"


def _missing(data: Dataset) -> str:
    if not data.has_missing:
        return "none"
    missing = np.isnan(data.X)
    cells, lines = int(missing.sum()), int(missing.any(axis=1).sum())
    return (
        f"{cells:,} ({percent_of(cells, missing.size)} of the cells), in {lines:,} "
        f"{data.kind.rows} and {int(missing.any(axis=0).sum()):,} features"
    )


def _features(data: Dataset) -> pd.DataFrame:
    table = data.describe().reset_index()
    for name in table.columns:
        if pd.api.types.is_float_dtype(table[name].dtype):
            table[name] = ["" if value != value else f"{value:.4g}" for value in table[name]]
    return table.astype(object).where(table.notna(), "")


def _model(contents: ReportContents) -> list[Display]:
    """Return the reported displays of the model, in their order on the page Classify."""
    model = contents.model
    if model is None:
        return []
    distances = len(model.split.train) ** 2 * model.data.n_features
    can_be_checked = distances <= MOST_DISTANCES and not model.assumptions().obstacle
    return [
        kind.of(model)
        for kind in MODEL
        if kind.is_reported and (can_be_checked or kind is not AssumptionsDisplay)
    ]


def _comparison(contents: ReportContents) -> list[Display]:
    """Return scores with intervals and groups, and pairwise tests."""
    results = contents.comparison
    if results is None:
        return []
    judged = {"score": contents.score, "rope": contents.rope}
    scores, *others = [kind.of(results, **judged) for kind in COMPARISON if kind.is_reported]
    return [scores, *others] if len(results.methods) > 1 else [scores]


def _imbalance(contents: ReportContents) -> list[Display]:
    """Return displays of the cost of the imbalance and of the imbalance study, if available."""
    shown: list[Display] = []
    if (cost := contents.cost) is not None:
        method, loss = contents.shown(cost)
        if method in cost.curves:
            shown += [cost.curve(method)]
            shown += [cost.curve_difference(method)] if len(cost.curves) > 1 else []
        shown += [cost.decomposition(method, loss), cost.corrections(method, loss)]
    if (study := contents.study) is not None:
        method, loss = contents.shown(study)
        shown.append(study.decomposition(method, loss=loss))
        shown += [study.corrections(method, loss=loss), study.scores()]
    return shown


def _predictions(contents: ReportContents) -> list[Display]:
    """Return displays of predicted rows: classes, mismatched columns, scores and drift."""
    if contents.predicted is None:
        return []
    predictions, drift = contents.predicted
    shown: list[Display] = [predictions.by_class()]
    if predictions.new.findings:
        shown.append(predictions.columns())
    if predictions.truth is not None:
        shown += [predictions.scores(), predictions.confusion()]
    return [*shown, drift] if drift is not None else shown


def _settings(contents: ReportContents) -> Section:
    lines: list[tuple[str, str, str]] = []
    for experiment, record in contents.experiments.items():
        settings = record.settings
        lines.append((experiment, "validation", settings.scheme))
        lines.append((experiment, "test fraction", f"{settings.test_size:g}"))
        lines.append((experiment, "seed", str(settings.seed)))
        if settings.repeats > 1:
            lines.append((experiment, "repetitions", str(settings.repeats)))
        for name in record.methods:
            steps = settings.steps.get(name, {})
            chosen = [
                f"{key}={value}" for key, value in steps.items() if value not in (None, False)
            ]
            lines.append((experiment, f"steps before {name}", ", ".join(chosen) or "none"))
    if contents.seed is not None:
        lines.append(("split", "seed", str(contents.seed)))
    lines += [("versions", name, version) for name, version in contents.versions.items()]
    lines.append(("versions", "Python", platform.python_version()))
    frame = pd.DataFrame(lines, columns=["part", "setting", "value"])
    return Section("Settings", tables=(SectionTable("Settings, seeds and versions", frame),))
