"""The net benefit of deciding by a posterior, at every threshold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.stats import norm

from lincore.metrics.estimates import has_posteriors
from lincore.metrics.intervals import ADDED_ROWS
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, per_results, row_weights
from lincore.utils.typing import Array, Flags

#: In whole per cent: a threshold of 1 would make a false alarm infinitely expensive.
THRESHOLDS = np.arange(1, 100) / 100
#: Draws of the largest deviation of a band, and its level.
_DRAWS, _LEVEL = 2_000, 0.95


class DecisionCurve(NamedTuple):
    """Net benefit of predicting a class whenever its posterior reaches a threshold.

    Per row, in units of a hit: a hit counts 1, a false alarm -t / (1 - t) at the threshold t. Both
    bands hold together, over all thresholds, in 95 % of samples.

    Attributes
    ----------
    label : object
        The class.
    thresholds : ndarray of shape (t,)
    net_benefit, low, high : ndarray of shape (t,)
        Of deciding by the posterior; predicting no row as the class has a net benefit of 0.
    every_row : ndarray of shape (t,)
        Net benefit of predicting every row as the class.
    gain, gain_low, gain_high : ndarray of shape (t,)
        Net benefit of deciding by the posterior, minus that of predicting every row as the class.
    """

    label: Any
    thresholds: Array
    net_benefit: Array
    low: Array
    high: Array
    every_row: Array
    gain: Array
    gain_low: Array
    gain_high: Array

    @property
    def is_useful(self) -> Flags:
        """Thresholds at which the lower ends of both bands are above 0, (t,)."""
        return (self.low > 0) & (self.gain_low > 0)


@per_results
def decision_curve(results: Results, method: str, code: int) -> DecisionCurve:
    """Return the net benefit of deciding for a class by its posterior, with a simultaneous band.

    The variance is that of the rows, or groups of rows, with four hits and four false alarms added
    to those in the sample: few rows reach a high threshold, and there a false alarm costs most. The
    band is as many standard errors wide as the largest of normal deviations with the same
    correlations.

    Parameters
    ----------
    results : Results
        Of one test set.
    method : str
        One of ``results.methods``, with posteriors.
    code : int
        The class.

    Raises
    ------
    ValueError
        If the method has no posteriors, or was fitted more than once.

    References
    ----------
    Vickers, Elkin (2006), "Decision curve analysis: a novel method for evaluating prediction
    models"; Montiel Olea, Plagborg-Møller (2019), "Simultaneous confidence bands: theory,
    implementation, and an application to SVARs", for the band.
    """
    if not has_posteriors(results, method):
        raise ValueError(f"{method} predicts classes without probabilities.")
    base = find_sampling_units(results)
    if not base.one_fit:
        raise ValueError("A decision curve needs one test set, not folds.")
    n_rows, n_thresholds = len(results.rows), len(THRESHOLDS)
    odds = THRESHOLDS / (1 - THRESHOLDS)
    proba = np.exp(results.log_proba[results.position(method)][:, code])
    is_class = results.truth == code
    # Rows of the class, or of the others, between the same thresholds have equal effects: one kind.
    kind = 2 * np.searchsorted(THRESHOLDS, proba, side="right") + is_class
    reached = np.arange(n_thresholds + 1)[:, None] > np.arange(n_thresholds)
    worth = np.stack([np.broadcast_to(-odds, reached.shape), np.ones(reached.shape)], axis=1)
    decided = (worth * reached[:, None]).reshape(-1, n_thresholds)
    minus_every = (-worth * ~reached[:, None]).reshape(-1, n_thresholds)
    values = np.hstack([decided, minus_every])  # (kinds, statistics)

    weight = row_weights(results)
    weight = np.ones(n_rows) if weight is None else weight
    means = np.bincount(kind, weight, len(values)) @ values / n_rows
    counts = sparse.csr_array(
        (weight, (base.units, kind)), shape=(base.n_units, len(values)), dtype=float
    )
    from_mean = values - means
    sums = np.asarray((counts.T @ counts).todense())
    n = max(base.n_effective, 2.0)
    covariance = from_mean.T @ sums @ from_mean / n_rows**2 * n / (n - 1)
    hit, alarm = np.repeat([1.0, -1.0], n_thresholds), np.concatenate([-odds, odds])
    added = ADDED_ROWS * ((hit - means) ** 2 + (alarm - means) ** 2) / n**2
    half_width = _critical_value(covariance) * np.sqrt(covariance.diagonal() + added)
    low, high = np.split(means - half_width, 2), np.split(means + half_width, 2)
    net, gain = np.split(means, 2)
    label = results.classes.tolist()[code]
    return DecisionCurve(label, THRESHOLDS, net, low[0], high[0], net - gain, gain, low[1], high[1])


def _critical_value(covariance: Array) -> float:
    """Return the 95 % quantile of the largest of correlated standard normal deviations."""
    deviation = np.sqrt(covariance.diagonal())
    varies = deviation > 1e-9 * max(deviation.max(initial=0.0), 1e-300)
    scaled = covariance[np.ix_(varies, varies)] / np.outer(deviation[varies], deviation[varies])
    if not len(scaled):
        return float(norm.ppf((1 + _LEVEL) / 2))
    root = np.linalg.cholesky(scaled + 1e-9 * np.eye(len(scaled)))
    draws = np.random.default_rng(0).standard_normal((_DRAWS, len(root))) @ root.T
    return float(np.quantile(np.abs(draws).max(axis=1), _LEVEL))
