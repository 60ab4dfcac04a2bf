"""Every score, from `Results` alone, so that no two panels can disagree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from lincore.experiments.results import Results

LEVEL = 0.95


class Interval(NamedTuple):
    """An estimate with the ends of its confidence interval, all in the unit of the estimate."""

    value: float
    low: float
    high: float


def confusion(results: Results, method: str) -> NDArray[np.int64]:
    """Count the rows of each true class (first axis) by predicted class (second axis).

    Returns
    -------
    ndarray of shape (K, K)
    """
    n_classes = len(results.classes)
    cells = results.truth * n_classes + results.predicted[results.position(method)]
    return np.bincount(cells, minlength=n_classes**2).reshape(n_classes, n_classes)


def accuracy(results: Results, method: str) -> Interval:
    """Return the share of rows that are predicted right, with Wilson's interval.

    Only for one test set: over repeated folds the rows are not independent.

    Raises
    ------
    ValueError
        When a row was predicted more than once.

    References
    ----------
    Brown, Cai, DasGupta (2001), "Interval estimation for a binomial proportion".
    """
    if len(np.unique(results.rows)) < len(results.rows):
        raise ValueError("Wilson's interval is for one test set; these rows occur repeatedly.")
    counts = confusion(results, method)
    return _wilson(int(np.trace(counts)), int(counts.sum()))


def recall(results: Results, method: str) -> list[Interval]:
    """Return for each class the share of its rows that are predicted right; NaN without rows."""
    counts = confusion(results, method)
    return [_wilson(int(row[k]), int(row.sum())) for k, row in enumerate(counts)]


def log_loss(results: Results, method: str) -> Interval:
    """Return the mean of -log(posterior of the true class), in nats, with a bootstrap interval.

    Infinite when a class that was held impossible occurred. The percentile bootstrap resamples
    test rows, 2,000 times with a fixed seed.

    References
    ----------
    Gneiting, Raftery (2007), "Strictly proper scoring rules, prediction, and estimation".
    """
    proba = results.log_proba[results.position(method)]
    losses = -proba[np.arange(len(results.truth)), results.truth]
    value = float(losses.mean())
    if not np.isfinite(value) or np.ptp(losses) == 0:
        return Interval(value, value, value)
    rng = np.random.default_rng(0)
    # Resampling n rows is drawing how often each stands there.
    means = [rng.choice(losses, len(losses)).mean() for _ in range(2000)]
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(value, float(low), float(high))


def baseline(results: Results) -> float:
    """Return the accuracy of always guessing the largest class of the test rows."""
    return float(np.bincount(results.truth).max() / len(results.truth))


def table(results: Results) -> pd.DataFrame:
    """Return one line for each method: accuracy and log loss with their intervals, seconds."""
    lines = []
    for method in results.methods:
        right, loss = accuracy(results, method), log_loss(results, method)
        lines.append(
            {
                "method": method,
                "accuracy": right.value,
                "accuracy from": right.low,
                "accuracy to": right.high,
                "log loss": loss.value,
                "log loss from": loss.low,
                "log loss to": loss.high,
                "seconds": float(results.seconds[results.position(method)]),
            }
        )
    return pd.DataFrame(lines).set_index("method")


def _wilson(successes: int, n: int) -> Interval:
    if n == 0:
        return Interval(np.nan, np.nan, np.nan)
    ends = stats.binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return Interval(successes / n, float(ends.low), float(ends.high))
