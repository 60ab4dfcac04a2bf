"""Weighted fits of methods to one sample of the training rows, and prior-shifted scores."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.imbalance._shared_steps import FitTask, Prepared, TrainingSample, grouped, prepare
from lincore.metrics.priors import adjust_posteriors, move_threshold
from lincore.model_selection.batched_fits import (
    fit_moment_stack,
    fit_stack,
    moment_stack,
    solved_together,
    stackable,
)
from lincore.model_selection.fitting import Predicted, fit_classifier, predict_codes
from lincore.model_selection.methods import Method
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array

__all__ = ["FitTask", "Prediction", "TrainingSample", "fit_sample", "fit_samples"]

# Answers what it is asked about the rows of each sample; None where a fit by itself must.
Fit: TypeAlias = Callable[[Sequence[Sequence[Any]]], list[list[Predicted] | None]]


class Prediction(NamedTuple):
    """Predictions of one fit for the test rows, under the priors that it learned.

    Attributes
    ----------
    predicted : ndarray of shape (m,)
    log_proba : ndarray of shape (m, K)
    learned : ndarray of shape (K,) or None
        Priors behind the posteriors; None where they do not come from the rows, or there are no
        posteriors: such a method stays as it is.
    shifts : ndarray of shape (K,) or None
        A moved threshold.
    made : callable
        Returns the pipeline: of what was solved together with others, by fitting it by itself.
    seconds : float
    """

    predicted: NDArray[np.intp]
    log_proba: Array
    learned: Array | None
    shifts: Array | None
    made: Callable[[], Pipeline]
    seconds: float

    @property
    def pipeline(self) -> Pipeline:
        """The fitted steps and classifier; the latter knows codes."""
        return self.made()

    def under(self, priors: Array) -> tuple[NDArray[np.intp], Array]:
        """Return codes and log posteriors with these priors in the place of the learned ones."""
        if self.learned is None:
            return self.predicted, self.log_proba
        # By the posteriors and never by votes, so that one rule holds under all priors.
        log_proba = adjust_posteriors(self.log_proba, self.learned, priors)
        return log_proba.argmax(axis=1), log_proba

    def moved(self, priors: Array) -> tuple[NDArray[np.intp], Array]:
        """Return codes by the moved threshold; the posteriors are those under `priors`."""
        predicted, log_proba = self.under(priors)
        if self.shifts is None:
            return predicted, log_proba
        return (self.log_proba + self.shifts).argmax(axis=1), log_proba


def fit_sample(
    job: FitTask, methods: Sequence[Method], failures: dict[str, str]
) -> dict[str, Prediction]:
    """Fit methods on a sample, the steps that they share once, and predict the test rows.

    Parameters
    ----------
    job : Job
    methods : sequence of Method
    failures : dict of method name to reason
        Filled for methods that cannot be fitted.

    Returns
    -------
    dict of method name to Prediction
        Without those that failed.
    """
    found = {}
    for steps, members in grouped(job, methods, failures):
        prepared = prepare(job, steps, members)
        for method in members:
            prediction = _predicted(prepared, method, failures)
            if prediction is not None:
                found[method.name] = prediction
    return found


def fit_samples(
    jobs: Sequence[FitTask], methods: Sequence[Method], failures: dict[str, str]
) -> list[dict[str, Prediction]]:
    """Do what `fit_sample` does with several samples of the same data, small models all at once.

    Log posteriors of models that were solved together agree with those of `fit_sample` but for
    rounding, and of logistic regression to as many digits as that solves for: about eight.
    """
    found: list[dict[str, Prediction]] = [{} for _ in jobs]
    for steps, members in grouped(jobs[0], methods, failures) if jobs else ():
        group = [prepare(job, steps, members) for job in jobs]
        trainings = [prepared.training for prepared in group]
        stack = moment_stack(trainings)
        for method in members:
            fit: Fit | None = None
            if stack is not None and solved_together(method.estimator, trainings):
                fit = partial(fit_moment_stack, method.like_prototype(jobs[0].data.classes), stack)
            elif stackable(method, trainings):
                fit = partial(fit_stack, method, trainings)
            for place, prediction in zip(
                found, _all_predicted(group, method, fit, failures), strict=True
            ):
                if prediction is not None:
                    place[method.name] = prediction
    return found


def _all_predicted(
    group: Sequence[Prepared], method: Method, fit: Fit | None, failures: dict[str, str]
) -> list[Prediction | None]:
    """Fit one method to several samples, at once if `fit` can, those that it cannot one by one."""
    start = time.perf_counter()
    every: Sequence[list[Predicted] | None] = [None] * len(group)
    if fit is not None:
        every = fit([_asked(one) for one in group])
    each = (time.perf_counter() - start) / len(group)
    return [
        _predicted(prepared, method, failures)
        if predictions is None
        else _prediction_of(prepared, method, predictions, each)
        for prepared, predictions in zip(group, every, strict=True)
    ]


def _asked(prepared: Prepared) -> list[Any]:
    """Return the rows that a model is asked about: for a threshold, those of the sample too."""
    own = [] if prepared.job.threshold is None else [prepared.training.rows]
    return [prepared.seen, *own]


def _prediction_of(
    prepared: Prepared, method: Method, predictions: list[Predicted], seconds: float
) -> Prediction:
    (predicted, log_proba, _), *own = predictions
    silent = bool(np.isnan(log_proba).any())
    return Prediction(
        predicted,
        log_proba,
        learned=None if silent or method.has_fixed_priors else prepared.shares,
        shifts=_threshold(prepared, own[0].log_proba) if own and not silent else None,
        made=partial(_fitted_alone, prepared, method),
        seconds=prepared.seconds + seconds,
    )


def _predicted(prepared: Prepared, method: Method, failures: dict[str, str]) -> Prediction | None:
    """Fit one method and ask it; None after noting why that cannot be done."""
    try:
        return _asked_alone(prepared, method)
    except ValueError as error:
        failures.setdefault(method.name, str(error))
    except Exception as error:  # a classifier from elsewhere may raise anything
        if method.word is not None:
            raise
        failures.setdefault(method.name, f"{type(error).__name__}: {error}")
    return None


def _asked_alone(prepared: Prepared, method: Method) -> Prediction:
    training = prepared.training
    start = time.perf_counter()
    model = _fitted(prepared, method)
    seconds = prepared.seconds + time.perf_counter() - start
    predicted, log_proba, _ = predict_codes(model, prepared.seen, training.n_classes)
    silent = bool(np.isnan(log_proba).any())
    shifts = None
    if prepared.job.threshold is not None and not silent:
        own = predict_codes(model, training.rows, training.n_classes).log_proba
        shifts = _threshold(prepared, own)
    return Prediction(
        predicted,
        log_proba,
        learned=None if silent or method.has_fixed_priors else prepared.shares,
        shifts=shifts,
        made=partial(_assembled, prepared.preprocessor, model),
        seconds=seconds,
    )


def _fitted(prepared: Prepared, method: Method) -> Any:
    """Return a fitted classifier; ValueError where there is none."""
    job, training = prepared.job, prepared.training
    solved = training.moments is not None and method.from_moments
    make = method.like_prototype if solved else method.fresh
    return fit_classifier(make(job.data.classes, job.seed), training)


def _fitted_alone(prepared: Prepared, method: Method) -> Pipeline:
    with captured_warnings():  # it was fitted before, together with others: all was said then
        return _assembled(prepared.preprocessor, _fitted(prepared, method))


def _assembled(preprocessor: Pipeline, model: Any) -> Pipeline:
    return Pipeline([*preprocessor.steps, ("classify", model)])


def _threshold(prepared: Prepared, log_proba: Array) -> Array:
    """Move the threshold on the training rows, whose log posteriors are given."""
    wanted, shares = prepared.job.threshold, prepared.shares
    codes = prepared.training.codes
    costs = wanted / np.where(shares > 0, shares, 1.0)
    return move_threshold(log_proba, codes, costs[codes])
