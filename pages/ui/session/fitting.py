"""One fitted model, of Classify and of Predict: at once where it is solved, by a job elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st
from sklearn.pipeline import Pipeline

from lincore import linalg, model_selection, utils
from lincore.errors import DataError
from lincore.utils import class_named
from pages.ui.jobs import page_jobs
from pages.ui.session import cache
from pages.ui.widgets import text

if TYPE_CHECKING:
    from lincore.analysis import SplitChoice
    from lincore.data import Dataset, Split
    from lincore.linalg import OptimizerStep
    from lincore.metrics import Results
    from lincore.model_selection import FittedClassifier, FittedSteps, Steps
    from pages.ui.jobs.progress import Progress
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify.fit"
#: The model that was fitted last.
MODEL = "shared.fitted"
# By `lincore.report.convergence`, or by the data checks.
_REPORTED = ("ConvergenceWarning", "SeparationWarning", "ConstantFeatureWarning")


class Fitted(NamedTuple):
    """A fitted pipeline, its results on the test set, and its warnings."""

    pipeline: Pipeline
    results: Results
    notes: tuple[str, ...]


def require(experiment: PageExperiment, model: cache.ModelChoice) -> FittedClassifier:
    """Return the fitted model; draw progress, or why there is none, and end the page otherwise.

    A fit that was stopped before it had anything leaves the last one of the same data in place.
    """
    data, choice, split = experiment
    method = model_selection.as_method(model.line)
    try:
        steps = preprocessor(
            data.digest, choice, model_selection.method_steps(method, data, model.steps), data
        )
        if method.from_moments and steps.moments is not None:
            found = classify(data.digest, choice, model, data)
            return _known(experiment, found, (data.digest, choice, model))
    except DataError as error:
        text.show_problem(error.notice)
        st.stop()
    settings = (data.digest, choice, model)
    job = page_jobs.run(
        KEY,
        settings,
        lambda progress: fit(data, split, steps, model, progress),
        describe=f"Fitting {method.label}",
    )
    if job.is_over and job.result is None and job.error is None:
        former = page_jobs.latest(KEY)
        if former is not None and former.settings[:2] == settings[:2]:
            page_jobs.show(job)
            st.caption("Shown is the model that was fitted before.")
            return _known(experiment, former.result, former.settings)
    return _known(experiment, page_jobs.require(job), settings)


def _known(experiment: PageExperiment, fitted: Fitted, settings: Any) -> FittedClassifier:
    """Return the model with its data: the very one that the session had, with what it computed."""
    digest, held = repr(settings), st.session_state.get(MODEL)
    if held is None or held.digest != digest:
        held = model_selection.FittedClassifier(
            fitted.pipeline,
            fitted.results,
            experiment.data,
            experiment.split,
            digest,
            fitted.notes,
        )
        st.session_state[MODEL] = held
    found: FittedClassifier = held
    return found


@cache.by_bytes("Fitting the steps …")
def preprocessor(digest: str, choice: SplitChoice, steps: Steps, _data: Dataset) -> FittedSteps:
    """Fit the steps before a classifier, once for all classifiers."""
    rows, part = cache.split(digest, choice, _data), cache.training_set(digest, choice, _data)
    with _told(_data):
        return model_selection.fit_training_steps(_data, rows, part, steps)


@cache.by_bytes("Fitting …")
def classify(digest: str, choice: SplitChoice, model: cache.ModelChoice, _data: Dataset) -> Fitted:
    """Fit a classifier and its steps on the training set and predict the test set.

    For what is solved at once; what iterates runs as a job, see `require`.
    """
    steps = model_selection.method_steps(model_selection.as_method(model.line), _data, model.steps)
    fitted = fit(
        _data, cache.split(digest, choice, _data), preprocessor(digest, choice, steps, _data), model
    )
    if fitted is None:  # nobody can stop what no job watches over
        raise RuntimeError("a fit ended without a model")
    return fitted


def fit(
    data: Dataset,
    split: Split,
    before: FittedSteps,
    model: cache.ModelChoice,
    progress: Progress | None = None,
) -> Fitted | None:
    """Fit a classifier behind its steps on the training set and predict the test set."""
    method, watch = model_selection.as_method(model.line), _Watch(progress)
    label = model_selection.CLASSIFIER_LABELS[method.word] if method.word else method.label
    with utils.captured_warnings() as caught, linalg.iteration_callback(watch), _told(data):
        pipeline, results = model_selection.fit_behind(data, split, before, method, name=label)
    if watch.was_stopped and method.word in ("one-vs-rest", "one-vs-one"):
        return None
    notes = tuple(dict.fromkeys(str(warning) for warning in caught if _is_news(warning)))
    return Fitted(pipeline, results, notes)


@contextmanager
def _told(data: Dataset) -> Iterator[None]:
    """Make of what an estimator refuses a problem that the page shows."""
    try:
        yield
    except DataError:
        raise
    except ValueError as error:
        raise DataError(_named(str(error), data), where=f"training set of {data.name}") from error


def _named(sentence: str, data: Dataset) -> str:
    """Give the classes their names: what an estimator knows of them are codes."""

    def name(found: re.Match[str]) -> str:
        code = int(found[1])
        return class_named(data.classes[code]) if code < data.n_classes else found[0]

    return re.sub(r"\bclass (\d+)\b", name, sentence)


class _Watch:
    """Tell a job how an iteration goes, and the iteration whether to go on."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self.was_stopped = False

    def __call__(self, step: OptimizerStep, max_iter: int) -> bool:
        if self._progress is None:
            return True
        what = f"error {step.objective:.6g} after {step.iteration:,} of at most {max_iter:,} rounds"
        self.was_stopped = not self._progress(0, 0, what)
        return not self.was_stopped


def _is_news(warning: Warning) -> bool:
    """Return whether a warning is not reported from the model or by the data checks."""
    return type(warning).__name__ not in _REPORTED
