"""The panels below the study of the page Balance, each drawn only when it is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore.displays import (
    CorrectionsDisplay,
    CostsDisplay,
    DecompositionDisplay,
    PriorsDisplay,
    RegionsDisplay,
    SetBoundariesDisplay,
    SetConfusionDisplay,
    StudyScoresDisplay,
    SweepDisplay,
    TrainingLossDisplay,
)
from pages.ui.balance import computation, models
from pages.ui.frame import sidebar
from pages.ui.widgets import cost_table, displays, tabs, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.imbalance import BalanceStudy
    from pages.ui.jobs.executor import Job

KEY = "balance.tabs"
#: Keys of settings: both sets side by side, shares in deployment, sweep.
SIDES, PRIORS, SWEEP = "balance.sides", "balance.priors", "balance.sizes"
_PLANE = ("kind", "x", "y")


class ShownStudy(NamedTuple):
    """The study on one split and on many, with the selected model and loss."""

    one: computation.First
    data: Dataset
    method: str
    loss: str
    study: BalanceStudy

    @property
    def context(self) -> dict[str, Any]:
        """The subject of displays of the first split."""
        return {"study": self.one.study, "method": self.method, "data": self.data}

    def settings(self, key: str, display: type, *names: str, **more: Any) -> dict[str, Any]:
        """Return settings whose widgets are in another panel."""
        return displays.ask(display, key, *names, draw=False, **self.context, **more)

    @property
    def remedied(self) -> dict[str, Any]:
        """The subject of displays of the first split, with the applied correction."""
        return self.context | self.settings(SIDES, RegionsDisplay, "remedy")


@sidebar.fragment
def show(shown: ShownStudy) -> None:
    """Draw the tabs and the content of the open one."""
    tabs.show(KEY, {title: partial(draw, shown) for title, draw in PANELS.items()})


def _decomposition(shown: ShownStudy) -> None:
    about = shown.study, models.known(shown.study, shown.method), shown.loss
    displays.details(DecompositionDisplay(*about), key="balance.parts")
    displays.details(CorrectionsDisplay(*about), key="balance.remedies")


def _both_sets(shown: ShownStudy) -> None:
    with st.container(horizontal=True, key=f"{SIDES}.settings"):
        names = ("remedy", "drawing", "camera", *_PLANE)
        chosen = displays.ask(RegionsDisplay, SIDES, *names, width=220, **shown.context)
    pair = [RegionsDisplay(**shown.context, **chosen, side=side) for side in ("full", "reduced")]
    for column, regions in zip(st.columns(2, gap="medium"), pair, strict=True):
        with column:
            displays.body(regions, key=f"balance.{regions.side}")
    about = shown.context | {"remedy": chosen["remedy"], "data": None}
    sides = ("full", "difference", "reduced")
    for column, side in zip(st.columns(3, gap="medium"), sides, strict=True):
        with column:
            displays.figure(
                SetConfusionDisplay(**about, side=side), key=f"balance.confusion.{side}"
            )
    st.caption(text.escape(pair[0].scope()))


def _all_models(shown: ShownStudy) -> None:
    plane = shown.settings(SIDES, RegionsDisplay, *_PLANE)
    displays.show(SetBoundariesDisplay(**shown.remedied, **plane), key="balance.multiples")


def _class_sizes(shown: ShownStudy) -> None:
    def draw(job: Job) -> None:
        context = {"sweep": job.result, "loss": shown.loss}
        chosen = displays.ask(SweepDisplay, SWEEP, "kind", width=320, **context)
        displays.show(SweepDisplay(**context, **chosen), key=SWEEP)

    computation.sweep(shown.one, shown.data, draw=draw)


def _priors(shown: ShownStudy) -> None:
    with st.container(horizontal=True, key=f"{PRIORS}.settings"):
        names = ("code", "share")
        chosen = displays.ask(PriorsDisplay, PRIORS, *names, width=220, **shown.context)
    about = shown.remedied | {"data": None}
    displays.show(PriorsDisplay(**about, **chosen), key=PRIORS)


def _costs(shown: ShownStudy) -> None:
    costs = cost_table.ask(shown.data, CostsDisplay.place)
    if costs is None:
        return
    about = shown.remedied | {"costs": costs}
    about |= shown.settings(PRIORS, PriorsDisplay, "code", "share")
    about |= shown.settings(SIDES, RegionsDisplay, *_PLANE)
    cheapest = CostsDisplay(**about)
    probable = CostsDisplay(**about, decision="most probable class")
    st.markdown(f"**{text.escape(displays.parts(cheapest).finding)}**")
    displays.details(cheapest, key="balance.costs")
    for column, one in zip(st.columns(2, gap="medium"), (probable, cheapest), strict=True):
        with column:
            displays.figure(one, key=f"balance.costs.{one.decision.split()[0]}")
    st.caption(text.escape(cheapest.scope()))


def _scores(shown: ShownStudy) -> None:
    displays.show(StudyScoresDisplay(**shown.remedied), key="balance.scores")


def _training_loss(shown: ShownStudy) -> None:
    displays.show(TrainingLossDisplay(**shown.context), key="balance.convergence")


PANELS: dict[str, Callable[[ShownStudy], None]] = {
    DecompositionDisplay.title: _decomposition,
    "Full and reduced set": _both_sets,
    SetBoundariesDisplay.title: _all_models,
    SweepDisplay.title: _class_sizes,
    PriorsDisplay.title: _priors,
    CostsDisplay.title: _costs,
    StudyScoresDisplay.title: _scores,
    TrainingLossDisplay.title: _training_loss,
}
