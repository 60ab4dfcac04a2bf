"""Data checks in one line under the headline of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.session import cache
from pages.ui.widgets import text

if TYPE_CHECKING:
    from pages.ui.session.sidebar import Experiment

#: The findings in a few words, where there are several.
_SHORT = {
    "target-guessed": "target guessed",
    "leakage": "possible target leakage",
    "duplicates": "duplicates in training and test set",
    "groups": "groups not kept together",
}


def show(experiment: Experiment) -> None:
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
        if found:
            sentences = [text.escape(finding.sentence) for finding in found]
            codes = ", ".join(_SHORT[finding.code] for finding in found)
            st.page_link(
                "pages/data.py",
                label=f"**Data checks:** {sentences[0] if len(found) == 1 else codes}",
                icon=":material/warning:",
                help="  \n".join([*sentences, "Opens the page Data."]),
            )
