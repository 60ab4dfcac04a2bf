"""The cost of an imbalance and the study of one, in a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lincore.displays import Display
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, display_section


def imbalance_sections(contents: ReportContents) -> tuple[Section, ...]:
    """Return the cost of the imbalance and the imbalance study, as far as there are any."""
    return (*_cost(contents), *_study(contents))


def _cost(contents: ReportContents) -> tuple[Section, ...]:
    cost = contents.cost
    if cost is None:
        return ()
    method = contents.shown(cost.methods)
    loss = contents.loss if contents.loss in cost.loss_names else cost.loss_names[0]
    shown = [cost.decomposition(method, loss), cost.corrections(method, loss)]
    if method in cost.curves:
        shown.insert(0, cost.curve(method))
    return _titled("Cost of the imbalance", shown)


def _study(contents: ReportContents) -> tuple[Section, ...]:
    study = contents.study
    if study is None:
        return ()
    method = contents.shown(study.methods)
    loss = contents.loss if contents.loss in study.loss_names else study.loss_names[0]
    shown = [
        study.decomposition(method, loss=loss),
        study.corrections(method, loss=loss),
        study.scores(),
    ]
    return _titled("Imbalance study", shown)


def _titled(title: str, shown: Sequence[Display]) -> tuple[Section, ...]:
    """Return displays as sections; the first has the title, others add their own to it."""
    first, *others = map(display_section, shown)
    rest = (replace(one, title=f"{title}: {one.title.lower()}") for one in others)
    return (replace(first, title=title), *rest)
