"""Posteriors and decisions under other priors than those of training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import logsumexp

from lincore.data.row_weights import effective_number
from lincore.linalg.thresholds import minimum_error_shifts
from lincore.metrics.results import Results
from lincore.utils.probabilities import probabilities
from lincore.utils.typing import Array

# Tolerance for the gradient of the mean log likelihood on the simplex when estimating priors.
_TOLERANCE = 1e-8


def adjust_posteriors(log_proba: ArrayLike, old: ArrayLike, new: ArrayLike) -> Array:
    """Return posteriors under other priors: ``p' ∝ p · new / old``.

    Nothing is refitted: the likelihood is unchanged, only the priors are replaced. Exact if the
    model's posteriors are correct.

    Parameters
    ----------
    log_proba : array-like of shape (..., K)
        Logarithms of posterior probabilities. Rows of NaN stay NaN.
    old : array-like of shape (K,)
        The priors behind them, usually the training shares. A class with prior zero remains
        impossible.
    new : array-like of shape (K,)
        The priors in deployment. A row that only classes with new prior zero can explain gets the
        new priors themselves.

    Returns
    -------
    ndarray of shape (..., K)
        Logarithms; their exponentials sum to one.

    Raises
    ------
    ValueError
        If `old` or `new` are not K probabilities, or have no class in common.

    References
    ----------
    Elkan (2001), "The foundations of cost-sensitive learning", theorem 2.

    Examples
    --------
    >>> rare = np.log([[0.5, 0.5]])  # an even posterior in spite of a prior of 10 %
    >>> np.round(np.exp(adjust_posteriors(rare, [0.9, 0.1], [0.5, 0.5])), 3)
    array([[0.1, 0.9]])
    """
    log_proba = np.asarray(log_proba, dtype=float)
    old = _checked_priors(old, log_proba.shape[-1], "old")
    new = _checked_priors(new, log_proba.shape[-1], "new")
    if not ((old > 0) & (new > 0)).any():
        raise ValueError("No class has a positive prior both in training and in deployment.")
    return exchange_priors(log_proba, old, new)


def exchange_priors(log_proba: Array, old: Array, new: Array) -> Array:
    """Adjust the posteriors of many models at once, without the checks of `adjust_posteriors`."""
    possible = (old > 0) & (new > 0)
    shift = np.where(
        possible, np.log(np.where(possible, new, 1.0) / np.where(possible, old, 1.0)), -np.inf
    )
    joint = log_proba + shift
    unexplained = np.isneginf(joint).all(axis=-1, keepdims=True)
    if unexplained.any():
        with np.errstate(divide="ignore"):
            joint = np.where(unexplained, np.log(np.where(possible, new, 0.0)), joint)
    # By class, not by row: NumPy is slow at reducing many rows of few numbers.
    by_class = np.ascontiguousarray(np.moveaxis(joint, -1, 0))
    by_class -= by_class.max(axis=0)
    by_class -= np.log(np.exp(by_class).sum(axis=0))
    return np.moveaxis(by_class, 0, -1)


class PriorEstimate(NamedTuple):
    """Priors of unlabelled rows, estimated from posteriors."""

    priors: Array  # (K,)
    # Of the test of unchanged priors, chi-squared with K - 1 degrees of freedom. Correct for the
    # estimate only if this is small.
    p_value: float
    n_iter: int
    converged: bool  # whether the gradient on the simplex is below 1e-8


def estimate_priors(
    log_proba: ArrayLike,
    old: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    n_train: float | None = None,
    max_iter: int = 10_000,
) -> PriorEstimate:
    """Estimate the class shares of unlabelled rows.

    Maximises the likelihood over the priors by expectation maximisation: correct the posteriors for
    the current priors, then use their mean as the next priors. The posteriors must be calibrated on
    the training distribution; with strongly overlapping classes the estimate is imprecise.

    Parameters
    ----------
    log_proba : array-like of shape (m, K)
        Logarithms of the posteriors of the rows in question.
    old : array-like of shape (K,)
        The priors behind them.
    weight : array-like of shape (m,), optional
        Nonnegative sampling weights of the rows. The test then uses the effective number of rows
        (Kish).
    n_train : float, optional
        Number of training rows, from which the model and `old` were estimated: the likelihood ratio
        statistic of m rows is then multiplied by ``n_train / (n_train + m)``. Default: both are
        known.

    Raises
    ------
    ValueError
        If there are no rows, posteriors are missing or zero for all classes with a positive prior,
        or `old` are not K probabilities.

    References
    ----------
    Saerens, Latinne, Decaestecker (2002), "Adjusting the outputs of a classifier to new a priori
    probabilities: a simple procedure", eqs. 2.9 and 2.13.

    Examples
    --------
    >>> sure = np.log([[0.999, 0.001]] * 30 + [[0.001, 0.999]] * 10)
    >>> estimate = estimate_priors(sure, [0.5, 0.5])
    >>> np.round(estimate.priors, 2), estimate.converged
    (array([0.75, 0.25]), True)
    """
    log_proba = np.asarray(log_proba, dtype=float)
    if log_proba.ndim != 2 or not len(log_proba) or np.isnan(log_proba).any():
        raise ValueError(
            "Estimating priors needs posteriors of at least one row, without missing values."
        )
    old = _checked_priors(old, log_proba.shape[1], "old")
    # Likelihoods of the classes, up to a factor per row on which the estimate does not depend.
    log_ratio = log_proba - np.log(np.where(old > 0, old, 1.0))
    log_ratio[:, old == 0] = -np.inf
    if not np.isfinite(log_ratio.max(axis=1)).all():
        raise ValueError("Each row needs a class with positive posterior and positive prior.")
    ratio = np.exp(log_ratio - log_ratio.max(axis=1, keepdims=True))
    share = np.ones(len(ratio)) if weight is None else np.asarray(weight, dtype=float)
    share = share / share.sum()
    priors, converged, n_iter = old, False, 0
    while not converged and n_iter < max_iter:
        n_iter += 1
        gradient = share @ (ratio / (ratio @ priors)[:, None])
        # At the maximum no gradient exceeds 1, and it equals 1 for positive priors.
        converged = bool(
            max((priors * np.abs(gradient - 1)).max(), gradient.max() - 1) <= _TOLERANCE
        )
        priors = priors * gradient / (priors @ gradient)
    gain = float(share @ (np.log(ratio @ priors) - np.log(ratio @ old)))
    # The score is the mean posterior minus its mean over the training rows (about `old`), so its
    # variance is proportional to 1/m + 1/n_train instead of 1/m.
    m = effective_number(share)
    gain *= m if n_train is None else m * n_train / (n_train + m)
    degrees = np.count_nonzero(old) - 1
    return PriorEstimate(
        priors, float(stats.chi2.sf(2 * max(gain, 0.0), degrees)), n_iter, converged
    )


def adjust_priors(
    results: Results, old: ArrayLike | Mapping[Any, float], new: ArrayLike | Mapping[Any, float]
) -> Results:
    """Return results under other priors, without refitting.

    Parameters
    ----------
    old : array-like of shape (K,) or (M, K), or mapping of label to prior
        The priors behind the posteriors, common or for each method.
    new : array-like of shape (K,), or mapping of label to prior

    Returns
    -------
    Results
        Methods without posteriors keep their predictions.

    Examples
    --------
    >>> r = Results(("lda",), np.array(["a", "b"]), np.arange(1), np.array([1]), np.array([[0]]),
    ...             np.log([[[0.6, 0.4]]]), np.zeros(1))
    >>> adjust_priors(r, [0.9, 0.1], [0.5, 0.5]).predicted
    array([[1]])
    """
    shape = (len(results.methods), len(results.classes))
    if isinstance(old, str | Mapping):
        old = _checked_priors(old, results.classes, "old")
    if isinstance(new, Mapping):
        new = _checked_priors(new, results.classes, "new")
    olds = np.broadcast_to(np.asarray(old, dtype=float), shape)
    log_proba = np.empty(results.log_proba.shape)
    for i, (given, learned) in enumerate(zip(results.log_proba, olds, strict=True)):
        log_proba[i] = adjust_posteriors(given, learned, new)
    no_posteriors = np.isnan(log_proba).any(axis=2)
    predicted = np.where(no_posteriors, results.predicted, log_proba.argmax(axis=2))
    return replace(results, log_proba=log_proba, predicted=predicted)


def move_threshold(
    log_proba: ArrayLike, codes: ArrayLike, sample_weight: ArrayLike | None = None
) -> Array:
    """Return offsets for the log posteriors that minimise the errors on these rows.

    No priors are assumed: the rows determine the thresholds. Posteriors are unchanged, so the log
    loss does not change; labels are ``(log_proba + shifts).argmax(axis=1)``.
    """
    # Impossible classes are treated as 1e-300, so that thresholds are between finite scores.
    scores = np.maximum(np.asarray(log_proba, dtype=float), np.log(1e-300))
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    return minimum_error_shifts(scores, np.asarray(codes, dtype=np.intp), weight)


def decide(log_proba: ArrayLike, costs: ArrayLike) -> NDArray[np.intp]:
    """Return the decision with minimum expected cost for each row."""
    log_proba = np.asarray(log_proba, dtype=float)
    costs = np.asarray(costs, dtype=float)
    if costs.ndim != 2 or len(costs) != log_proba.shape[-1] or not np.isfinite(costs).all():
        raise ValueError(
            f"costs must be finite, with one row for each of {log_proba.shape[-1]} classes; "
            f"their shape is {costs.shape}."
        )
    # Relative to the cheapest decision in each row, so that posteriors of 1e-300 still count.
    excess = costs - costs.min(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        risk = logsumexp(log_proba[..., :, None] + np.log(excess), axis=-2)
    if costs.shape[1] != len(costs):
        return np.asarray(risk.argmin(axis=-1))
    cheapest = risk == risk.min(axis=-1, keepdims=True)
    # A finite minimum: an impossible class is still a possible decision.
    likely = np.maximum(log_proba, np.finfo(float).min)
    return np.asarray(np.where(cheapest, likely, -np.inf).argmax(axis=-1))


def _checked_priors(priors: Any, classes: Any, name: str) -> Array:
    labels = np.arange(classes) if isinstance(classes, int) else classes
    if isinstance(priors, str) and priors == "equal":
        return np.full(len(labels), 1 / len(labels))
    return probabilities(priors, labels, f"{name} priors", "or 'equal'")
