"""What makes the numbers of a page doubtful, in one line under its headline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.ui import cached, text

if TYPE_CHECKING:
    from pages.ui.sidebar import Experiment


def show(experiment: Experiment) -> None:
    """Draw the findings about data and split, with a link to where they are put right."""
    found = cached.data_checks(
        experiment.data.digest,
        experiment.choice,
        experiment.data.target_guess,
        experiment.data.group_candidate,
        experiment.data,
    )
    # There with nothing in it too: an element more would draw all that follow anew.
    with st.container(horizontal=True, vertical_alignment="center", key="checks", gap="small"):
        if not found:
            return
        sentences = " ".join(text.escape(finding.sentence) for finding in found)
        st.markdown(f":material/warning: **Data checks.** {sentences}", width="content")
        st.page_link("pages/data.py", label="Open Data", width="content")
