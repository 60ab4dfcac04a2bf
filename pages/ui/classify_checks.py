"""Whether what the classifiers take for granted holds, on the page Classify."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.ui import cached, jobs, text

if TYPE_CHECKING:
    from pages.ui.classify_fit import Fitted
    from pages.ui.sidebar import Experiment

KEY = "classify.checks"
_MARKS = {
    "fine": ":material/check_circle:",
    "note": ":material/info:",
    "warning": ":material/warning:",
}


def assumptions(experiment: Experiment, model: cached.ModelChoice, fitted: Fitted) -> None:
    """Say in words what was checked, what came out, and what it means for the choice of model."""
    from lincore.report import check_words

    data, choice, split = experiment
    if data.n_words and "svd" not in fitted.pipeline.named_steps:
        st.caption("Counts of words are not checked: nothing here takes them for Gaussian.")
        return
    pipeline = fitted.pipeline

    def work(progress):
        from lincore.experiments.checks import assumptions, coordinates_of

        progress(0, 0, "coordinates, covariances, normality and separation")
        return assumptions(*coordinates_of(pipeline, data, split.train))

    # What the classifier sees depends on the steps before it alone.
    settings = (data.digest, choice, model.steps)
    job = jobs.run(KEY, settings, work, describe="Checking the assumptions")
    jobs.show(job)
    if job.result is None:
        return
    st.markdown(f"**{text.escape(check_words.headline(job.result))}**")
    with st.container(key=f"{KEY}.list"):
        for line in check_words.table(job.result):
            remedy = f"  \n*{text.escape(line['What to do'])}*" if line["What to do"] else ""
            name = f"{line['Check'][:1].upper()}{line['Check'][1:]}"
            st.markdown(
                f"{_MARKS[line['Verdict']]} **{text.escape(name)}**  \n"
                f"{text.escape(line['Finding'])}{remedy}"
            )
    st.caption(
        f"Of the {len(split.train):,} training {text.row_noun(data)} as the classifier sees them."
    )
