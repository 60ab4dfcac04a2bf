"""Cumulative gains and lift: the share of a class among the rows of highest posterior."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lincore.metrics.curves.rates import roc_curve
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import row_weights
from lincore.utils.typing import Array


class Gains(NamedTuple):
    """Cumulative gains of one class, as the threshold falls.

    Attributes
    ----------
    label : object
        The class.
    depth : ndarray of shape (t + 1,)
        Share of the rows that are predicted as the class, from 0 to 1.
    gain : ndarray of shape (t + 1,)
        Share of the rows of the class among them: the recall.
    lift : ndarray of shape (t + 1,)
        Gain over depth, which is precision over the share of the class; NaN without rows.
    thresholds : ndarray of shape (t + 1,)
        As in `Roc`.
    share : float
        Share of the class among all rows.
    """

    label: Any
    depth: Array
    gain: Array
    lift: Array
    thresholds: Array
    share: float


def cumulative_gains(results: Results, method: str, code: int) -> Gains:
    """Return the cumulative gains of a class, over all predictions.

    Parameters
    ----------
    method : str
        One of ``results.methods``.
    code : int
        The class.

    Raises
    ------
    ValueError
        If the method has neither posteriors nor decision scores from a single fit.

    References
    ----------
    Berry, Linoff (2004), "Data mining techniques", chapter 4.

    Examples
    --------
    >>> truth = np.array([1, 1, 0, 0, 0])
    >>> yes = np.array([0.9, 0.6, 0.7, 0.2, 0.1])
    >>> r = Results(("LDA",), np.array(["no", "yes"]), np.arange(5), truth, truth[None],
    ...             np.log(np.column_stack([1 - yes, yes]))[None], np.zeros(1))
    >>> gains = cumulative_gains(r, "LDA", 1)
    >>> gains.depth, gains.gain
    (array([0. , 0.2, 0.4, 0.6, 0.8, 1. ]), array([0. , 0.5, 0.5, 1. , 1. , 1. ]))
    """
    curve = roc_curve(results, method)[code]
    counts = np.bincount(results.truth == code, row_weights(results), 2)
    share = float(counts[1] / counts.sum())
    depth = share * curve.recall + (1 - share) * curve.false_positive_rate
    with np.errstate(invalid="ignore"):
        lift = curve.recall / depth
    return Gains(curve.label, depth, curve.recall, lift, curve.thresholds, share)
