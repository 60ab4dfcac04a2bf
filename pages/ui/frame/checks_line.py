"""Data checks in one line under the headline of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore.utils import shorten
from pages.ui.jobs import cache
from pages.ui.session import commands
from pages.ui.widgets import displays, text, verdicts

if TYPE_CHECKING:
    from lincore.analysis import SplitChoice
    from lincore.data import Dataset
    from pages.ui.session.experiment import PageExperiment

# Maximum characters of a column name on a button.
_LONGEST = 18
#: Findings that ask: the results are right either way.
_QUESTIONS = {"numeric-target", "groups"}
#: Findings with a link to the page Data, and their short forms if there are several.
_SHORT = {
    "numeric-target": "each number of the target is a class",
    "leakage": "possible target leakage",
    "duplicates": "duplicates in training and test set",
    "groups": "groups not kept together",
}


def show(experiment: PageExperiment) -> None:
    """Draw the findings on data and split, with a link to the page that offers remedies."""
    findings = cache.data_checks(
        experiment.data.digest,
        experiment.choice,
        experiment.data.target_guess,
        experiment.data.group_candidate,
        experiment.data,
    )
    # Even if empty: an additional element would rebuild all that follow.
    with st.container(key="checks"):
        show_on_data(experiment.data, experiment.choice)
        findings = tuple(finding for finding in findings if finding.code in _SHORT)
        if findings:
            split = cache.split(experiment.data.digest, experiment.choice, experiment.data)
            displays.note(experiment.data.findings(split=split))
            sentences = [text.escape(finding.sentence) for finding in findings]
            codes = ", ".join(_SHORT[finding.code] for finding in findings)
            is_question = all(finding.code in _QUESTIONS for finding in findings)
            st.page_link(
                "pages/data.py",
                label=f"**Data checks:** {sentences[0] if len(findings) == 1 else codes}",
                icon=verdicts.DECIDE if is_question else verdicts.WRONG,
                help="  \n".join([*sentences, "Opens the page Data."]),
            )


def show_on_data(data: Dataset, choice: SplitChoice | None) -> None:
    """Draw the findings that the page Data does not list itself."""
    _ask_target(data)
    if choice is None:
        return
    for finding in cache.constant_within_classes(data.digest, choice, data):
        # The remedy is another model, not an edit of the data.
        st.markdown(f"{verdicts.WRONG} {text.escape(finding.sentence)}")


def _ask_target(data: Dataset) -> None:
    """Ask whether the target is correct, if it was guessed by its name or with a close rival."""
    guess = data.target_guess
    if guess is None or not guess.rival:
        return
    name, rival = text.escape(guess.column), text.escape(guess.rival)
    with st.container(
        horizontal=True, vertical_alignment="center", key="checks.guess", gap="small"
    ):
        st.markdown(f"{verdicts.DECIDE} {text.escape(guess.question)}", width="content")
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
