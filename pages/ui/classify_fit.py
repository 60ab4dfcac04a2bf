"""The fitted model of the page Classify: at once where it is solved, by a job elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore.errors import DataError
from lincore.experiments.methods import as_method
from lincore.experiments.running import steps_of
from pages.ui import classify_fitting, jobs, text
from pages.ui.classify_fitting import Fitted

if TYPE_CHECKING:
    from pages.ui.cached import ModelChoice
    from pages.ui.sidebar import Experiment

KEY = "classify.fit"


def require(experiment: Experiment, model: ModelChoice) -> Fitted:
    """Return the fitted model; draw progress, or why there is none, and end the page otherwise.

    A fit that was stopped before it had anything leaves the last one of the same data in place.
    """
    data, choice, split = experiment
    method = as_method(model.line)
    try:
        front = classify_fitting.front(
            data.digest, choice, steps_of(method, data, model.steps), data
        )
        if method.from_moments and front.moments is not None:
            return classify_fitting.classify(data.digest, choice, model, data)
    except DataError as error:
        text.show_problem(error.notice)
        st.stop()
    settings = (data.digest, choice, model)
    job = jobs.run(
        KEY,
        settings,
        lambda progress: classify_fitting.fit(data, split, front, model, progress),
        describe=f"Fitting {method.label}",
    )
    if job.is_over and job.result is None and job.error is None:
        former = jobs.latest(KEY)
        if former is not None and former.settings[:2] == settings[:2]:
            jobs.show(job)
            st.caption("Shown is the model that was fitted before.")
            found: Fitted = former.result
            return found
    found = jobs.require(job)
    return found
