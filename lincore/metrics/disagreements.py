"""Test rows on which two methods disagree, and which of them is correct."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from lincore.metrics.results import Results
from lincore.utils.typing import Array, Flags


class Disagreement(NamedTuple):
    """Differing predictions of two methods, the most confident mistakes first.

    Attributes
    ----------
    first, second : str
    rows : ndarray of shape (d,)
        Row numbers in the data set.
    truth : ndarray of shape (d,)
        True codes.
    predicted : ndarray of shape (2, d)
        Codes predicted by the first and by the second.
    proba : ndarray of shape (2, d)
        Posterior that each method assigns to its prediction; NaN without posteriors.
    n_rows : int
        Number of compared predictions.
    """

    first: str
    second: str
    rows: NDArray[np.intp]
    truth: NDArray[np.intp]
    predicted: NDArray[np.intp]
    proba: Array
    n_rows: int

    @property
    def only_first(self) -> Flags:
        """Mask (d,) of the rows that only the first predicts correctly."""
        return np.asarray(self.predicted[0] == self.truth)

    @property
    def only_second(self) -> Flags:
        """Mask (d,) of the rows that only the second predicts correctly."""
        return np.asarray(self.predicted[1] == self.truth)

    @property
    def neither(self) -> Flags:
        """Mask (d,) of the rows that both misclassify, differently."""
        return ~(self.only_first | self.only_second)

    def where(self, chosen: Flags) -> Disagreement:
        """Return the predictions selected by `chosen` (d,)."""
        by_row: dict[str, Any] = {
            "rows": self.rows[chosen],
            "truth": self.truth[chosen],
            "predicted": self.predicted[:, chosen],
            "proba": self.proba[:, chosen],
        }
        return self._replace(**by_row)


def rank_correlation(results: Results, first: str, second: str) -> float:
    """Return Spearman's correlation of two methods' scores for the second of two classes.

    Posteriors, or else decision scores, are ranked within each fold; the result is the mean over
    rows.
    """
    margins = [_margin(results, method) for method in (first, second)]
    if len(results.classes) != 2 or any(margin is None for margin in margins):
        return float("nan")
    folds = np.unique(np.stack([results.repetition, results.fold]), axis=1, return_inverse=True)[1]
    total = n_ranked = 0.0
    for fold in np.unique(folds):
        ranks = [
            rankdata(margin[folds.ravel() == fold]) for margin in margins if margin is not None
        ]
        deviations = [rank - rank.mean() for rank in ranks]
        length = np.sqrt(np.prod([deviation @ deviation for deviation in deviations]))
        if length > 0:
            total += len(ranks[0]) * float(deviations[0] @ deviations[1] / length)
            n_ranked += len(ranks[0])
    return total / n_ranked if n_ranked else float("nan")


def _margin(results: Results, method: str) -> Array | None:
    if method in results.decision:
        return np.asarray(results.decision[method])[:, -1]
    log_proba = results.log_proba[results.position(method)]
    # The logarithm of an impossible class is infinite.
    margin = np.clip(log_proba[:, -1], -1e300, 0) - np.clip(log_proba[:, 0], -1e300, 0)
    return None if np.isnan(margin).any() else margin


def find_disagreements(results: Results, first: str, second: str) -> Disagreement:
    """Find where two methods differ, each row once.

    For repeated folds the first repetition is used.

    Raises
    ------
    KeyError
        If there is no such method; the message lists the known names.

    Examples
    --------
    >>> truth = np.array([0, 0, 1, 1])
    >>> guesses = np.array([[0, 1, 1, 1], [0, 0, 0, 1]])
    >>> r = Results(("LDA", "QDA"), np.array(["a", "b"]), np.arange(4), truth, guesses,
    ...             np.full((2, 4, 2), np.nan), np.zeros(2))
    >>> differing = find_disagreements(r, "LDA", "QDA")
    >>> differing.rows.tolist(), differing.only_first.tolist(), differing.n_rows
    ([1, 2], [False, True], 4)
    """
    pair = [results.position(first), results.position(second)]
    in_first_repetition = results.repetition == results.repetition.min(initial=0)
    predicted = results.predicted[pair]
    positions = np.flatnonzero(in_first_repetition & (predicted[0] != predicted[1]))
    predicted, truth = predicted[:, positions], results.truth[positions]
    log_proba = results.log_proba[np.array(pair)[:, None], positions[None, :], predicted]
    proba = np.exp(log_proba)
    # Confidence of the mistaken method; zero without posteriors.
    mistaken = np.where(predicted != truth, np.nan_to_num(proba, nan=0.0), 0.0).max(
        axis=0, initial=0
    )
    order = np.argsort(-mistaken, kind="stable")
    return Disagreement(
        first,
        second,
        results.rows[positions][order],
        truth[order],
        predicted[:, order],
        proba[:, order],
        int(np.count_nonzero(in_first_repetition)),
    )
