"""Assumption checks of the chosen classifier, on the page Classify."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import checks, model_selection, report
from pages.ui.jobs import page_jobs
from pages.ui.session import cache
from pages.ui.widgets import text

if TYPE_CHECKING:
    from pages.ui.session.fitting import Fitted
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify.checks"
#: Distances between rows, times features, that take a few hundredths of a second.
MOST_AT_ONCE = 10_000_000
_MARKS = {
    "fine": ":material/check_circle:",
    "note": ":material/info:",
    "warning": ":material/warning:",
}


def assumptions(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Say in words what was checked, what came out, and what it means for the choice of model."""
    data, choice, split = experiment
    if data.kind.is_sparse and "svd" not in fitted.pipeline.named_steps:
        st.caption("Counts of words are not checked: nothing here takes them for Gaussian.")
        return
    pipeline, word = fitted.pipeline, _assumes(model.line)
    called = text.escape(fitted.results.methods[0])
    if not checks.ASSUMPTIONS[word]:
        st.caption(f"Nothing is assumed by {called} that is checked here.")
        return

    def work(progress):
        progress(0, 0, ", ".join(checks.ASSUMPTIONS[word]))
        return checks.assumptions(
            *checks.assumption_inputs(pipeline, data, split.train), model=word
        )

    # What the classifier sees depends on the steps before it alone.
    settings = (data.digest, choice, model.steps, word)
    job = page_jobs.run(
        KEY,
        settings,
        work,
        describe="Checking the assumptions",
        here=len(split.train) ** 2 * data.n_features <= MOST_AT_ONCE,
    )
    page_jobs.show(job)
    if job.result is None:
        return
    st.markdown(f"**{text.escape(report.assumptions_finding(job.result))}**")
    with st.container(key=f"{KEY}.list"):
        for line in report.assumption_rows(job.result):
            remedy = f"  \n*{text.escape(line['What to do'])}*" if line["What to do"] else ""
            name = f"{line['Check'][:1].upper()}{line['Check'][1:]}"
            st.markdown(
                f"{_MARKS[line['Verdict']]} **{text.escape(name)}**  \n"
                f"{text.escape(line['Finding'])}{remedy}"
            )
    st.caption(
        f"What {called} assumes, checked on the {len(split.train):,} training "
        f"{text.row_noun(data)} as the classifier sees them."
    )


def _assumes(line: str) -> str:
    """Return the word of the classifier whose assumptions hold: the binary one of several."""
    method = model_selection.as_method(line)
    if method.word in ("one-vs-rest", "one-vs-one"):
        return model_selection.parse_spec(str(method.options.get("estimator", "logistic")))[0]
    return str(method.word)
