"""Data checks in one line under the headline of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore.plots.base import shorten
from pages.ui.session import cache, commands
from pages.ui.widgets import text

if TYPE_CHECKING:
    from lincore.analysis import SplitChoice
    from lincore.data import Dataset
    from pages.ui.session.sidebar import PageExperiment

# Characters of a column's name on a button.
_LONGEST = 18
#: The findings with a link to the page Data, in a few words where there are several.
_SHORT = {
    "numeric-target": "each number of the target is a class",
    "leakage": "possible target leakage",
    "duplicates": "duplicates in training and test set",
    "groups": "groups not kept together",
}


def show(experiment: PageExperiment) -> None:
    """Draw the findings about data and split, with a link to where they are put right."""
    found = cache.data_checks(
        experiment.data.digest,
        experiment.choice,
        experiment.data.target_guess,
        experiment.data.group_candidate,
        experiment.data,
    )
    # There with nothing in it too: an element more would draw all that follow anew.
    with st.container(key="checks"):
        show_on_data(experiment.data, experiment.choice)
        found = tuple(finding for finding in found if finding.code in _SHORT)
        if found:
            sentences = [text.escape(finding.sentence) for finding in found]
            codes = ", ".join(_SHORT[finding.code] for finding in found)
            st.page_link(
                "pages/data.py",
                label=f"**Data checks:** {sentences[0] if len(found) == 1 else codes}",
                icon=":material/warning:",
                help="  \n".join([*sentences, "Opens the page Data."]),
            )


def show_on_data(data: Dataset, choice: SplitChoice | None) -> None:
    """Draw what the page Data does not list among its findings."""
    _ask_target(data)
    finding = choice and cache.constant_within_classes(data.digest, choice, data)
    if finding:  # its remedy is a choice of models
        st.markdown(f":material/warning: {text.escape(finding.sentence)}")


def _ask_target(data: Dataset) -> None:
    """Ask whether a target is right that was guessed by its name alone or with a close rival."""
    guess = data.target_guess
    if guess is None or not guess.rival:
        return
    name, rival = text.escape(guess.column), text.escape(guess.rival)
    with st.container(
        horizontal=True, vertical_alignment="center", key="checks.guess", gap="small"
    ):
        st.markdown(
            f":material/help: Target **{name}**: guessed {guess.reason}. Or is it {rival}?",
            width="content",
        )
        for key, column, help in (
            ("keep", guess.column, f"Keep {name} as the target."),
            ("rival", guess.rival, f"Make {rival} the target."),
        ):
            st.button(
                text.escape(shorten(column, _LONGEST)),
                key=f"checks.guess.{key}",
                on_click=commands.choose_target,
                args=(column,),
                help=help,
            )
