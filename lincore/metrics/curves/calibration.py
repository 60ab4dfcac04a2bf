"""The calibration of posteriors: CORP reliability diagrams, and the parts of the Brier score."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from lincore.metrics.estimates import has_posteriors
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, per_results, row_weights
from lincore.utils.typing import Array, Codes, Flags

#: Samples of a calibrated model behind a band, and the level of the band.
SAMPLES, _LEVEL = 4_000, 0.95
# Samples that are drawn at once.
_AT_ONCE = 40
#: Maximum number of posteriors at which the band is computed: with more, the samples would not
#: suffice for its level.
_MOST_PLACES = 50
#: More distinct posteriors than this are first pooled into this many groups of neighbours.
_MOST_POINTS = 1_000


class BrierParts(NamedTuple):
    """The Brier score of a binary outcome, ``miscalibration - discrimination + uncertainty``.

    Attributes
    ----------
    brier : float
        Mean squared distance of the posterior from the outcome, 0 or 1.
    miscalibration : float
        MCB: what the Brier score would gain if each posterior were replaced by its isotonic
        regression; at least 0.
    discrimination : float
        DSC: Brier score of the share of the class as a constant posterior, minus that of the
        isotonic regression; at least 0.
    uncertainty : float
        UNC: Brier score of the share of the class as a constant posterior.
    """

    brier: float
    miscalibration: float
    discrimination: float
    uncertainty: float

    @classmethod
    def of(cls, proba: Array, is_class: Flags, weight: Array) -> BrierParts:
        """Decompose the score of posteriors of rows, given their weights, (m,) each."""
        _, point = np.unique(proba, return_inverse=True)
        best = _isotonic(point, is_class, weight)[point]
        share = np.average(is_class, weights=weight)
        brier, recalibrated, uncertainty = (
            float(np.average((value - is_class) ** 2, weights=weight))
            for value in (proba, best, share)
        )
        return cls(brier, brier - recalibrated, uncertainty - recalibrated, uncertainty)


class Calibration(NamedTuple):
    """A reliability diagram by isotonic regression, with its band.

    Attributes
    ----------
    label : object
        The class of the posterior; None for the predicted class.
    predicted : ndarray of shape (b,)
        Distinct posteriors, ascending; beyond 1,000, the means of 1,000 groups of neighbours.
    observed : ndarray of shape (b,)
        Isotonic regression of the outcome: how often the class occurs at each posterior.
    low, high : ndarray of shape (b,)
        Consistency band: in 95 % of samples of a calibrated model with these posteriors, `observed`
        lies within it everywhere. In steps between 50 posteriors.
    n_rows : ndarray of shape (b,)
        Predictions at each posterior.
    parts : BrierParts
    by_chance : float
        Mean miscalibration of the samples of a calibrated model.
    """

    label: Any
    predicted: Array
    observed: Array
    low: Array
    high: Array
    n_rows: NDArray[np.intp]
    parts: BrierParts
    by_chance: float

    @property
    def is_outside(self) -> Flags:
        """Posteriors at which the curve leaves the band, (b,)."""
        return (self.observed < self.low - 1e-12) | (self.observed > self.high + 1e-12)


@per_results
def calibration_curve(results: Results, method: str, code: int | None = None) -> Calibration:
    """Compare posteriors with observed frequencies, without a choice of bins.

    The band is the narrowest pair of order statistics, of the same ranks at all posteriors, that
    holds 95 % of 4,000 resampled curves. Each sample gives the outcomes that a calibrated model
    would have had: those of rows of a group, or of repeated predictions of a row, from one random
    number, because they are not independent. Pool adjacent violators is scipy's, as in
    scikit-learn's `IsotonicRegression`.

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
        If the method has no posteriors, or there are no rows.

    References
    ----------
    Dimitriadis, Gneiting, Jordan (2021), "Stable reliability diagrams for probabilistic
    classifiers", PNAS 118(8), for curve and decomposition; Myllymäki et al. (2017), "Global
    envelope tests for spatial processes", J. R. Stat. Soc. B 79, for a band over all posteriors
    together.
    """
    proba, is_class = posteriors_of(results, method, code)
    if not len(proba):
        raise ValueError("Calibration needs test rows.")
    base, row_weight = find_sampling_units(results), row_weights(results)
    weight = np.ones(len(proba)) if row_weight is None else row_weight
    _, point = np.unique(proba, return_inverse=True)
    if point.max() >= _MOST_POINTS:
        point = _pooled(proba)
    total = np.bincount(point, weight).astype(float, copy=False)
    predicted = np.bincount(point, weight * proba) / total
    rng, n_points = np.random.default_rng(0), len(total)
    grid = np.unique(np.linspace(0, n_points - 1, _MOST_PLACES).round().astype(np.intp))
    independent = row_weight is None and base.n_units == len(proba)
    curves, by_chance = np.empty((SAMPLES, len(grid))), np.empty(SAMPLES)
    for start in range(0, SAMPLES, _AT_ONCE):
        if independent:
            size = (_AT_ONCE, n_points)
            counts = rng.binomial(total.astype(np.int64), predicted.clip(0, 1), size)
        else:
            draws = (rng.random(base.n_units)[base.units] for _ in range(_AT_ONCE))
            counts = np.array([np.bincount(point, weight * (draw < proba)) for draw in draws])
        shares = counts / total
        curve = np.stack([isotonic_regression(share, weights=total).x for share in shares])
        batch = slice(start, start + _AT_ONCE)
        curves[batch] = curve[:, grid]
        by_chance[batch] = ((predicted - shares) ** 2 - (curve - shares) ** 2) @ total / total.sum()
    low, high = _envelope(curves)
    # Curves are monotone: a band at two posteriors also bounds them in between.
    below = np.searchsorted(grid, np.arange(n_points), side="right") - 1
    above = np.searchsorted(grid, np.arange(n_points))
    return Calibration(
        None if code is None else results.classes.tolist()[code],
        predicted,
        _isotonic(point, is_class, weight),
        low[below],
        high[above],
        np.bincount(point),
        BrierParts.of(proba, is_class, weight),
        float(by_chance.mean()),
    )


def posteriors_of(results: Results, method: str, code: int | None) -> tuple[Array, Flags]:
    """Return the posteriors of a class, or of the predicted one, and whether it is correct."""
    if not has_posteriors(results, method):
        raise ValueError(f"{method} predicts classes without probabilities.")
    i = results.position(method)
    log_proba, predicted = results.log_proba[i], results.predicted[i]
    if code is None:
        return np.exp(log_proba[np.arange(len(predicted)), predicted]), predicted == results.truth
    return np.exp(log_proba[:, code]), results.truth == code


def _pooled(proba: Array) -> Codes:
    """Return a group of neighbours for each row (m,), of about equal size; ties stay together."""
    ranks = np.searchsorted(np.sort(proba), proba)
    return np.unique(ranks * _MOST_POINTS // len(proba), return_inverse=True)[1]


def _isotonic(point: Codes, is_class: Flags, weight: Array) -> Array:
    """Return the isotonic regression of the outcome by points in ascending order, (b,)."""
    total = np.bincount(point, weight)
    frequency = np.bincount(point, weight * is_class) / total
    return np.asarray(isotonic_regression(frequency, weights=total).x)


def _envelope(curves: Array) -> tuple[Array, Array]:
    """Return the narrowest pair of order statistics that holds 95 % of all curves everywhere."""
    ordered = np.sort(curves, axis=0)

    def is_narrower(rank: int) -> bool:
        # A new curve is as often outside of a pair as these are outside of the next narrower pair.
        inner, outer = ordered[rank + 2], ordered[-3 - rank]
        outside = ((curves < inner) | (curves > outer)).any(axis=1)
        return bool(outside.mean() > 1 - _LEVEL)

    rank = bisect_left(range(len(curves) // 2 - 1), True, key=is_narrower)
    return ordered[rank], ordered[-1 - rank]
