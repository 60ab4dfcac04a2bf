"""The calibration of posteriors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.metrics.confusion_scores import divide
from lincore.metrics.estimates import has_posteriors, weighted
from lincore.metrics.intervals import wilson
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import independent_counts, row_weights
from lincore.utils.typing import Array


class Calibration(NamedTuple):
    """Calibration of predicted probabilities.

    Attributes
    ----------
    label : object
        The class of the posterior; None for the predicted class.
    edges : ndarray of shape (b + 1,)
        Of the bins.
    n_rows : ndarray of shape (b,)
        Predictions in each bin.
    mean_predicted, observed : ndarray of shape (b,)
        Mean posterior and share of rows of that class; NaN in an empty bin.
    low, high : ndarray of shape (b,)
        Wilson's 95 % interval of the share.
    error : float
        Expected calibration error: mean distance of the mean posterior from the observed frequency,
        weighted by the rows.
    """

    label: Any
    edges: Array
    n_rows: NDArray[np.intp]
    mean_predicted: Array
    observed: Array
    low: Array
    high: Array
    error: float


def calibration_curve(
    results: Results, method: str, code: int | None = None, *, n_bins: int = 10
) -> Calibration:
    """Compare predicted probabilities with observed frequencies.

    Parameters
    ----------
    results : Results
    method : str
    code : int, optional
        Class whose posterior is used. Default: the posterior of the predicted class, for which the
        observed frequency is the accuracy and the error is the expected calibration error of Guo.
    n_bins : int, default 10
        Bins of equal width from 0 to 1. If rows were predicted repeatedly, or are grouped,
        intervals count rows or groups instead of predictions.

    Raises
    ------
    ValueError
        If the method has no posteriors, or there is no bin.

    References
    ----------
    Guo, Pleiss, Sun, Weinberger (2017), "On calibration of modern neural networks", eq. 3.
    """
    if n_bins < 1:
        raise ValueError(f"Calibration needs at least one bin, not {n_bins}.")
    columns = _posteriors(results, method)
    if code is None:
        predicted = results.predicted[results.position(method)]
        log_proba = results.log_proba[results.position(method)]
        proba = np.exp(log_proba[np.arange(len(predicted)), predicted])
        label, true = None, predicted == results.truth
    else:
        label, true = columns[code][0], results.truth == code
        proba = np.exp(columns[code][1])
    edges = np.linspace(0, 1, n_bins + 1)
    bins = np.clip(np.searchsorted(edges, proba, side="right") - 1, 0, n_bins - 1)
    count, weight = np.bincount(bins, minlength=n_bins), row_weights(results)
    total = np.bincount(bins, weight, n_bins).astype(float)
    mean_predicted = divide(np.bincount(bins, weighted(proba, weight), n_bins).astype(float), total)
    hits = np.bincount(bins, weighted(true.astype(float), weight), n_bins).astype(float)
    units = independent_counts(results, bins, n_bins)
    came = divide(hits, total)
    share, low, high = wilson(np.where(units > 0, came, 0) * units, units)
    filled = count > 0
    gaps = np.abs(mean_predicted - share)[filled] * total[filled]
    error = float(gaps.sum() / total.sum()) if filled.any() else np.nan
    return Calibration(label, edges, count, mean_predicted, share, low, high, error)


def _posteriors(results: Results, method: str) -> list[tuple[Any, Array]]:
    """Yield each class with the log posteriors of all rows for it, (m,)."""
    if not has_posteriors(results, method):
        raise ValueError(f"{method} predicts classes without probabilities.")
    log_proba = results.log_proba[results.position(method)]
    return list(zip(results.classes.tolist(), log_proba.T, strict=True))
