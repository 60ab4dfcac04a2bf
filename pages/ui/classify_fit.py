"""Fitting the model of the page Classify: at once where it is solved, as a job elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lincore.errors import DataError
from lincore.heard import heard
from pages.ui import cached, jobs, text

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from lincore.datasets import Dataset, Split
    from lincore.experiments.holdout import TrainingPart
    from lincore.experiments.results import Results
    from lincore.optimize import Step
    from pages.ui.sidebar import Experiment
    from pages.ui.workers import Progress

KEY = "classify.fit"
#: Numbers that a solution from moments may look at and still be drawn without a bar.
AT_ONCE = 3e10


class Fitted(NamedTuple):
    """A fitted pipeline, what it makes of the test part, and what was said while it was fitted."""

    pipeline: Pipeline
    results: Results
    notes: tuple[str, ...]


def require(experiment: Experiment, model: cached.ModelChoice) -> Fitted:
    """Return the fitted model; draw progress, or why there is none, and end the page otherwise.

    A fit that was stopped before it had anything leaves the last one of the same data in place.
    """
    from lincore.experiments.methods import as_method

    data, choice, split = experiment
    method = as_method(model.line)
    try:
        if method.from_moments and _work(data, split) < AT_ONCE:
            return cached.classify(data.digest, choice, model, data)
        part = cached.training_part(data.digest, choice, data)
    except DataError as error:
        text.show_problem(error.notice)
        st.stop()
    settings = (data.digest, choice, model)
    job = jobs.run(
        KEY,
        settings,
        lambda progress: fit(data, split, part, model, progress),
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


def fit(
    data: Dataset,
    split: Split,
    part: TrainingPart,
    model: cached.ModelChoice,
    progress: Progress | None = None,
) -> Fitted | None:
    """Fit a classifier and its steps on the training part and predict the test part.

    Returns
    -------
    Fitted or None
        None when it was stopped and what there was is no model: several binary ones, of which
        some were not begun.
    """
    from lincore.experiments import holdout
    from lincore.experiments.methods import LABELS, as_method
    from lincore.experiments.pipeline import pipeline_for
    from lincore.experiments.running import steps_of

    method = as_method(model.line)
    steps = steps_of(method, data, model.steps)
    pipeline = pipeline_for(data, method.fresh(data.n_classes), steps)
    watch = _Watch(progress)
    start = time.perf_counter()
    with heard() as caught:
        if progress is None:
            holdout.fit(pipeline, data, split, part)
        else:
            from lincore.optimize import watched

            progress(0, 0, "steps before the classifier")
            with watched(watch):
                holdout.fit(pipeline, data, split, part)
    seconds = time.perf_counter() - start
    if watch.was_stopped and method.word in ("one-vs-rest", "one-vs-one"):
        return None
    label = LABELS[method.word] if method.word else method.label
    results = holdout.evaluate(pipeline, data, split, method=label, seconds=seconds)
    notes = tuple(dict.fromkeys(str(warning) for warning in caught if _is_news(warning)))
    return Fitted(pipeline, results, notes)


class _Watch:
    """Tell a job how an iteration goes, and the iteration whether to go on."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self.was_stopped = False

    def __call__(self, step: Step, max_iter: int) -> bool:
        if self._progress is None:
            return True
        what = f"error {step.objective:.6g} after {step.iteration:,} of at most {max_iter:,} rounds"
        self.was_stopped = not self._progress(0, 0, what)
        return not self.was_stopped


def _is_news(warning: Warning) -> bool:
    """Whether a warning is not already told from the model itself, see `lincore.report.endings`."""
    return type(warning).__name__ not in ("ConvergenceWarning", "SeparationWarning")


def _work(data: Dataset, split: Split) -> float:
    return len(split.train) * float(data.n_features) ** 2
