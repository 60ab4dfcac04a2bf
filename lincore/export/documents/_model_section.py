"""One fitted model in a report: its displays, and the checks of its assumptions."""

from __future__ import annotations

from dataclasses import replace

from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, display_section

#: Distances between rows, times features, that checks of assumptions may cost: seconds.
MOST_DISTANCES = 2_000_000_000


def model_sections(contents: ReportContents) -> tuple[Section, ...]:
    """Return steps, scores, errors, geometry and assumptions of the model; nothing without one."""
    model = contents.model
    if model is None:
        return ()
    shown = [model.scores(), model.classes(), model.confusion(), model.roc()]
    shown += [model.precision_recall(), model.calibration(), model.plane()]
    distances = len(model.split.train) ** 2 * model.data.n_features
    if distances <= MOST_DISTANCES and not (found := model.assumptions()).obstacle:
        shown.append(found)
    return (
        replace(display_section(model.steps()), title=f"Model: {model.name}"),
        *(replace(display_section(one), title=f"{one.title} of {model.name}") for one in shown),
    )
