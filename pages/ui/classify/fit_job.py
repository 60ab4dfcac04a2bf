"""The fitted model of the page Classify: at once where it is solved, by a job elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import model_selection
from lincore.errors import DataError
from pages.ui.classify import fitting
from pages.ui.classify.fitting import Fitted
from pages.ui.jobs import page_jobs
from pages.ui.widgets import text

if TYPE_CHECKING:
    from pages.ui.session.cache import ModelChoice
    from pages.ui.session.sidebar import Experiment

KEY = "classify.fit"


def require(experiment: Experiment, model: ModelChoice) -> Fitted:
    """Return the fitted model; draw progress, or why there is none, and end the page otherwise.

    A fit that was stopped before it had anything leaves the last one of the same data in place.
    """
    data, choice, split = experiment
    method = model_selection.as_method(model.line)
    try:
        front = fitting.front(
            data.digest, choice, model_selection.method_steps(method, data, model.steps), data
        )
        if method.from_moments and front.moments is not None:
            return fitting.classify(data.digest, choice, model, data)
    except DataError as error:
        text.show_problem(error.notice)
        st.stop()
    settings = (data.digest, choice, model)
    job = page_jobs.run(
        KEY,
        settings,
        lambda progress: fitting.fit(data, split, front, model, progress),
        describe=f"Fitting {method.label}",
    )
    if job.is_over and job.result is None and job.error is None:
        former = page_jobs.latest(KEY)
        if former is not None and former.settings[:2] == settings[:2]:
            page_jobs.show(job)
            st.caption("Shown is the model that was fitted before.")
            found: Fitted = former.result
            return found
    found = page_jobs.require(job)
    return found
