"""Logistic recalibration: slope and intercept of the outcome on the stated log odds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from lincore.metrics.curves.calibration import posteriors_of
from lincore.metrics.intervals import UNKNOWN, Interval, Z
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, per_results, row_weights
from lincore.utils.formatting import count
from lincore.utils.typing import Array, Codes, Flags


class Recalibration(NamedTuple):
    """Slope and intercept of the outcome on the log odds of a posterior.

    Attributes
    ----------
    slope : Interval
        Of logistic regression on the log odds: 1 if the posteriors are calibrated, below 1 if they
        are too extreme, above 1 if they are not extreme enough. NaN without an estimate.
    intercept : Interval
        Calibration-in-the-large: the intercept if the slope is fixed at 1. 0 if the posteriors are
        calibrated, above 0 if they are too low on average. NaN without an estimate.
    reason : str
        Why estimates are missing; "" if none is.
    """

    slope: Interval
    intercept: Interval
    reason: str = ""


@per_results
def logistic_recalibration(results: Results, method: str, code: int | None = None) -> Recalibration:
    """Return calibration slope and calibration-in-the-large with 95 % Wald intervals.

    The variance of the slope is the inverse information. That of the intercept, whose model is
    wrong unless the slope is 1, is a sandwich, as both are if rows are weighted, grouped or
    predicted repeatedly.

    Parameters
    ----------
    method : str
        One of ``results.methods``, with posteriors.
    code : int, optional
        Class whose posterior is used. Default: the posterior of the predicted class, whose outcome
        is that the prediction is correct.

    Raises
    ------
    ValueError
        If the method has no posteriors.

    References
    ----------
    Cox (1958), "Two further applications of a model for binary regression"; Van Calster et al.
    (2019), "Calibration: the Achilles heel of predictive analytics", BMC Medicine 17.
    """
    is_class = posteriors_of(results, method, code)[1]
    log_odds = _log_odds(results, method, code)
    n_infinite = int(np.count_nonzero(~np.isfinite(log_odds)))
    if n_infinite:
        reason = (
            f"{count(n_infinite, 'posterior')} of exactly 0 or 1, with infinite log odds, so there "
            "is neither slope nor intercept."
        )
        return Recalibration(UNKNOWN, UNKNOWN, reason)
    if is_class.all() or not is_class.any():
        every = "Every" if is_class.any() else "No"
        is_positive = "prediction is correct" if code is None else "test row is of the class"
        reason = f"{every} {is_positive}, so there is neither slope nor intercept."
        return Recalibration(UNKNOWN, UNKNOWN, reason)
    base, weight = find_sampling_units(results), row_weights(results)
    is_simple = weight is None and base.n_units == len(is_class)
    weight = np.ones(len(is_class)) if weight is None else weight
    ones = np.ones((len(is_class), 1))
    intercept = _last_coefficient(ones, log_odds, is_class, weight, base.units)
    if np.ptp(log_odds) <= 1e-12 * np.abs(log_odds).max():
        return Recalibration(UNKNOWN, intercept, "All posteriors are equal, so there is no slope.")
    inside, outside = log_odds[is_class], log_odds[~is_class]
    if inside.min() >= outside.max() or outside.min() >= inside.max():
        reason = "The posteriors separate the outcomes without error, so the slope is infinite."
        return Recalibration(UNKNOWN, intercept, reason)
    design = np.column_stack([ones, log_odds])
    units = None if is_simple else base.units
    slope = _last_coefficient(design, np.zeros(len(is_class)), is_class, weight, units)
    return Recalibration(slope, intercept)


def _log_odds(results: Results, method: str, code: int | None) -> Array:
    """Return the log odds of a class, or of the predicted class, (m,); infinite at 0 and 1."""
    log_proba = results.log_proba[results.position(method)]
    own = results.predicted[results.position(method)] if code is None else code
    is_own = np.arange(log_proba.shape[1]) == np.broadcast_to(own, len(log_proba))[:, None]
    # Not log(1 - p): a posterior that rounds to 1 has finite log odds.
    rest = np.logaddexp.reduce(np.where(is_own, -np.inf, log_proba), axis=1)
    return np.asarray(log_proba[is_own] - rest)


def _last_coefficient(
    design: Array, offset: Array, is_class: Flags, weight: Array, units: Codes | None
) -> Interval:
    """Return the last coefficient of logistic regression; Wald's interval, by units if given."""
    scale = np.abs(design).max(axis=0)
    scaled = design / scale
    sign = np.where(is_class, -1.0, 1.0)

    def loss(coef: Array) -> tuple[float, Array]:
        score = scaled @ coef + offset
        residual = weight * (expit(score) - is_class)
        return float(weight @ np.logaddexp(0, sign * score)), scaled.T @ residual

    def information(coef: Array) -> Array:
        proba = expit(scaled @ coef + offset)
        return np.asarray((scaled * (weight * proba * (1 - proba))[:, None]).T @ scaled)

    start = np.zeros(design.shape[1])
    coef = minimize(loss, start, jac=True, hess=information, method="trust-exact",
                    options={"gtol": 1e-9 * len(design)}).x  # fmt: skip
    covariance = np.linalg.inv(information(coef))
    if units is not None:
        residual = weight * (is_class - expit(scaled @ coef + offset))
        scores = np.column_stack([np.bincount(units, column * residual) for column in scaled.T])
        n = len(scores)
        covariance = covariance @ (scores.T @ scores) @ covariance * n / (n - 1)
    value, half = coef[-1] / scale[-1], Z * np.sqrt(covariance[-1, -1]) / scale[-1]
    return Interval(float(value), float(value - half), float(value + half))
