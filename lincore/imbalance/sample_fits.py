"""Fits of methods to samples of the training rows, with prior-shifted predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.metrics.priors import adjust_posteriors, move_threshold
from lincore.model_selection.engine import Failure, Fit, FitTask, fit_tasks
from lincore.model_selection.methods import Method
from lincore.utils.typing import Array


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
    pipeline : Pipeline
        The fitted steps and classifier; the latter knows codes.
    seconds : float
    """

    predicted: NDArray[np.intp]
    log_proba: Array
    learned: Array | None
    shifts: Array | None
    pipeline: Pipeline
    seconds: float

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


def fit_samples(
    tasks: Sequence[FitTask], methods: Sequence[Method], failures: dict[str, str]
) -> tuple[list[dict[str, Prediction]], list[Warning]]:
    """Fit methods to samples of the same data, see `lincore.model_selection.engine.fit_tasks`."""
    free = [method for method in methods if method.own_weights is None]
    for method in methods:
        if method.own_weights is not None:
            failures[method.name] = (
                f"It weighs the classes itself ({method.own_weights}), and so does the study: "
                "leave these weights out."
            )
    found: list[dict[str, Prediction]] = []
    every, warned = fit_tasks(tasks, free)
    for task, outcomes in zip(tasks, every, strict=True):
        shares = task.sample.shares(task.data)
        found.append({})
        for method in free:
            outcome = outcomes[method.name]
            if isinstance(outcome, Failure):
                failures.setdefault(method.name, outcome.reason)
            else:
                found[-1][method.name] = _prediction(task, method, shares, outcome)
    return found, warned


def _prediction(task: FitTask, method: Method, shares: Array, fit: Fit) -> Prediction:
    predicted, log_proba, _ = fit.predicted
    silent, shifts = bool(np.isnan(log_proba).any()), None
    if task.threshold is not None and fit.own is not None and not silent:
        codes = task.data.codes[task.sample.rows]
        costs = task.threshold / np.where(shares > 0, shares, 1.0)
        weight = task.data.weights_of(task.sample.rows)
        cost_of_row = costs[codes] if weight is None else costs[codes] * weight
        shifts = move_threshold(fit.own.log_proba, codes, cost_of_row)
    return Prediction(
        predicted,
        log_proba,
        learned=None if silent or method.has_fixed_priors else shares,
        shifts=shifts,
        pipeline=fit.pipeline,
        seconds=fit.seconds,
    )


def cut_apart(
    fits: Mapping[str, Prediction], n_test: int
) -> tuple[dict[str, Prediction], dict[str, Prediction]]:
    """Return the predictions of the first rows, which are tested, and those of the others."""
    first, others = slice(None, n_test), slice(n_test, None)
    tested, trained = (
        {
            name: fit._replace(predicted=fit.predicted[part], log_proba=fit.log_proba[part])
            for name, fit in fits.items()
        }
        for part in (first, others)
    )
    return tested, trained
