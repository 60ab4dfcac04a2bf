"""The score of the best of several methods, corrected for the choice on the same rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincore.metrics.estimates import SCORES, estimate
from lincore.metrics.intervals import Interval, Z
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, per_results
from lincore.metrics.scores import score
from lincore.utils.typing import Array

_DRAWS, _SEED = 20_000, 0


class BestScore(NamedTuple):
    """The best of several methods on the rows on which it was chosen.

    Attributes
    ----------
    method : str
    n_methods : int
        Number of methods with this score.
    raw : Interval
        As returned by `lincore.metrics.score`, which is optimistic.
    corrected : Interval
        Corrected for the choice.
    """

    method: str
    n_methods: int
    raw: Interval
    corrected: Interval


@per_results
def best_score(results: Results, name: str) -> BestScore | None:
    """Return the best method by a score, with the score corrected for the choice.

    The bootstrap bias correction of Tsamardinos et al. in its limit for many rows: bootstrapped
    scores deviate from those of all rows by normal e, with the covariance of the methods' influence
    values over rows (or groups), and scores on the rows left out of a bootstrap sample deviate by
    -e. The method with the best bootstrapped score is chosen and evaluated on the rows left out.
    The mean over draws is the corrected score, and the interval is shifted with it.

    Parameters
    ----------
    name : str
        One of `SCORES`.

    Returns
    -------
    BestScore or None
        None if no method has the score.

    References
    ----------
    Tsamardinos, Greasidou, Borboudakis (2018), "Bootstrapping the out-of-sample predictions for
    efficient and accurate cross-validation".

    Examples
    --------
    >>> truth = np.arange(200) % 2
    >>> guesses = np.random.default_rng(3).integers(0, 2, (7, 200))
    >>> r = Results(tuple("ABCDEFG"), np.array(["a", "b"]), np.arange(200), truth, guesses,
    ...             np.full((7, 200, 2), np.nan), np.zeros(7))
    >>> best = best_score(r, "accuracy")
    >>> f"{best.method}: {best.raw.value:.3f}, corrected {best.corrected.value:.3f}"
    'C: 0.555, corrected 0.500'
    """
    kind = SCORES[name]
    estimates = {method: estimate(results, method, name) for method in results.methods}
    known = [method for method in estimates if np.isfinite(estimates[method].value)]
    if not known:
        return None
    sign = 1 if kind.greater_is_better else -1
    values = np.array([estimates[method].value for method in known])
    best = int((sign * values).argmax())
    raw = score(results, known[best], name)
    shift = 0.0
    if len(known) > 1:
        influence = np.stack([estimates[method].influence for method in known])
        covariance = _covariance(results, influence, [score(results, m, name) for m in known])
        shift = sign * _mean_of_chosen(sign * values, covariance) - values[best]
    value = float(np.clip(raw.value + shift, kind.lowest, kind.highest))
    # A limit at a bound, such as that of a perfect score, stays there.
    low = raw.low + shift * (raw.low > kind.lowest)
    high = raw.high + shift * (raw.high < kind.highest)
    corrected = Interval(value, low, high).within(kind.lowest, kind.highest)
    return BestScore(known[best], len(known), raw, corrected)


def _covariance(results: Results, influence: Array, intervals: list[Interval]) -> Array:
    """Return the covariance of scores over rows, scaled to the variances of their intervals."""
    # These include the contribution of the training rows over folds.
    base = find_sampling_units(results)
    sums = np.stack([np.bincount(base.units, values, base.n_units) for values in influence])
    covariance = sums @ sums.T / influence.shape[1] ** 2
    widths = np.array([interval.high - interval.low for interval in intervals]) / (2 * Z)
    by_rows = np.sqrt(covariance.diagonal())
    ratio = np.divide(widths, by_rows, out=np.ones(len(widths)), where=by_rows > 0)
    ratio = np.fmax(ratio, np.sqrt(1 + base.ratio))  # NaN without an interval
    return np.asarray(covariance * np.outer(ratio, ratio))


def _mean_of_chosen(values: Array, covariance: Array) -> float:
    """Return the mean out-of-bootstrap score of the method that is best on bootstrapped rows."""
    variances, axes = np.linalg.eigh(covariance)
    # The symmetric root: the signs of axes are arbitrary.
    root = axes * np.sqrt(np.maximum(variances, 0)) @ axes.T
    normal = np.random.default_rng(_SEED).standard_normal((_DRAWS // 2, len(values)))
    deviations = np.concatenate([normal, -normal]) @ root
    chosen = (values + deviations).argmax(axis=1)
    left_out = values[chosen] - deviations[np.arange(len(chosen)), chosen]
    return float(left_out.mean())
