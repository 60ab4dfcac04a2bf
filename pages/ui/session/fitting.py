"""The fitted model of Classify and Predict: solved at once, or iterated in a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import displays, linalg, model_selection, utils
from lincore.errors import DataError
from pages.ui.jobs import cache, page_jobs
from pages.ui.widgets import text

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from lincore.analysis import SplitChoice
    from lincore.data import Dataset, Split
    from lincore.linalg import OptimizerStep
    from lincore.metrics import Results
    from lincore.model_selection import FittedClassifier, Steps, TrainingSample
    from pages.ui.jobs.progress import Progress
    from pages.ui.session.experiment import PageExperiment

KEY = "classify.fit"
#: The model that was fitted last.
MODEL = "shared.fitted"
#: Values of the training rows of a model solved from moments that are fitted in folds at once.
FOLDS_AT_ONCE = 100_000
# They are reported by `lincore.report.convergence` or by the data checks.
_REPORTED = ("ConvergenceWarning", "SeparationWarning", "ConstantFeatureWarning")


class Fitted(NamedTuple):
    """A fitted pipeline, its results on the test set, and its warnings."""

    pipeline: Pipeline
    results: Results
    notes: tuple[str, ...]


def require(experiment: PageExperiment, model: cache.ModelChoice) -> FittedClassifier:
    """Return the fitted model; without one, draw progress or the error and end the page.

    If a fit is stopped before it has a result, the last model on the same data remains.
    """
    data, choice, split = experiment
    method = model_selection.as_method(model.line)
    try:
        steps = preprocessor(
            data.digest, choice, model_selection.method_steps(method, data, model.steps), data
        )
        is_solved = method.from_moments and steps.moments is not None
        if is_solved and not model.steps.chooses_components:
            fitted = classify(data.digest, choice, model, data)
            return _known(experiment, fitted, (data.digest, choice, model))
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
            st.caption("The previously fitted model is shown.")
            return _known(experiment, former.result, former.settings)
    return _known(experiment, page_jobs.require(job), settings)


def _known(experiment: PageExperiment, fitted: Fitted, settings: Any) -> FittedClassifier:
    """Return the model with its data, the same object as before, with its cached results."""
    digest, held = repr(settings), st.session_state.get(MODEL)
    if held is None or held.digest != digest:
        held = model_selection.FittedClassifier(
            fitted.pipeline,
            fitted.results,
            experiment.data,
            experiment.split,
            digest,
            fitted.notes,
            settings[2].steps,
        )
        st.session_state[MODEL] = held
    return held


@cache.by_bytes("Fitting the steps …")
def preprocessor(digest: str, choice: SplitChoice, steps: Steps, _data: Dataset) -> TrainingSample:
    """Fit the preprocessing steps, once for all classifiers."""
    return model_selection.fit_steps(_data, cache.training_set(digest, choice, _data), steps)


@cache.by_bytes("Fitting …")
def classify(digest: str, choice: SplitChoice, model: cache.ModelChoice, _data: Dataset) -> Fitted:
    """Fit a classifier and its steps on the training set and predict the test set.

    For closed-form solutions; iterative fits run as jobs, see `require`.
    """
    steps = model_selection.method_steps(model_selection.as_method(model.line), _data, model.steps)
    fitted = fit(
        _data, cache.split(digest, choice, _data), preprocessor(digest, choice, steps, _data), model
    )
    if fitted is None:  # only a job can be stopped
        raise RuntimeError("a fit ended without a model")
    return fitted


def fit(
    data: Dataset,
    split: Split,
    sample: TrainingSample,
    model: cache.ModelChoice,
    progress: Progress | None = None,
) -> Fitted | None:
    """Fit a classifier after its steps on the training set and predict the test set."""
    method, watch = model_selection.as_method(model.line), _Watch(progress)
    with utils.captured_warnings() as caught, linalg.iteration_callback(watch):
        fitted = model_selection.fit(data, model.line, split, steps=model.steps, sample=sample)
    if watch.was_stopped and method.word in ("one-vs-rest", "one-vs-one"):
        return None
    news = (warning for warning in caught if type(warning).__name__ not in _REPORTED)
    notes = tuple(dict.fromkeys(map(str, news)))
    return Fitted(fitted.pipeline, fitted.results, notes)


def has_held_out(key: str, model: FittedClassifier, settings: Any) -> bool:
    """Predict the training rows by models of folds, as a job if it takes long; True if they are."""
    if displays.has_held_out(model):
        return True

    def work(progress: Progress) -> Any:
        results = model.held_out(progress=progress)
        return results if len(results.rows) == len(model.split.train) else None  # stopped

    job = page_jobs.run(
        key,
        settings,
        work,
        describe="Fitting the models of five folds",
        at_once=hasattr(model.classifier, "fit_moments")
        and len(model.split.train) * model.data.n_features <= FOLDS_AT_ONCE,
    )
    page_jobs.show(job)
    if job.result is None:
        return False
    displays.held_out(model, job.result)
    return True


class _Watch:
    """Report an iteration to a job; return whether to continue."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self.was_stopped = False

    def __call__(self, step: OptimizerStep, max_iter: int) -> bool:
        if self._progress is None:
            return True
        self.was_stopped = not self._progress(0, 0, step.summary(max_iter))
        return not self.was_stopped
