"""The views of Explore: columns, pairs, correlations, summary, words, projections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lincore.analysis import ExploreQuestion
from pages.ui.session import questions
from pages.ui.widgets import displays

if TYPE_CHECKING:
    from pages.ui.session.experiment import PageExperiment


def current(experiment: PageExperiment) -> str:
    """Return the current view."""
    return str(displays.read(ExploreQuestion, questions.EXPLORE, data=experiment.data)["view"])


def choose(experiment: PageExperiment) -> None:
    """Offer the views, in the row of controls of the current one."""
    displays.ask(ExploreQuestion, questions.EXPLORE, "view", data=experiment.data)
