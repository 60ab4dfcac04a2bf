"""Optimism of the best of several corrections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from lincore.imbalance.losses import Loss
from lincore.linalg.eigenvectors import eigenpairs
from lincore.metrics.sampling_units import per_results
from lincore.metrics.seed_intervals import less
from lincore.utils.typing import Array

#: Pairs of simulated halves; the optimism is then known to 2 % of a standard error.
N_DRAWS = 2_000


def optimism_of_best(values: Array, covariance: Array) -> float:
    """Return the optimism of the largest of several estimates.

    One half of the rows chooses the best, the other half evaluates it, averaged over all ways to
    halve them. Given the estimates, those of the two halves are normal with equal and opposite
    deviations that have the covariance of the estimates. Like bootstrap bias correction, but its
    out-of-bag half is no smaller than the half that chooses.
    """
    if len(values) < 2:
        return 0.0
    if not (np.isfinite(values).all() and np.isfinite(covariance).all()):
        return float("nan")
    spectrum, axes = eigenpairs(covariance)  # of differences: hardly ever of full rank
    root = axes * np.sqrt(np.maximum(spectrum, 0.0))
    draws = np.random.default_rng(0).normal(size=(N_DRAWS, len(values))) @ root.T
    draws = np.concatenate([draws, -draws])
    chosen = (values + draws).argmax(axis=1)
    judged = values[chosen] - draws[np.arange(len(draws)), chosen]
    return max(float(values.max() - judged.mean()), 0.0)


def covariance_of_recovered(
    names: Sequence[str],
    baseline: str,
    variance: Callable[[Mapping[str, float]], float],
    by_seed: Array,
    test_ratio: float,
) -> Array:
    """Return the covariance (m, m) of the recovered losses from variances of contrasts."""
    variances = np.array([variance({baseline: 1.0, name: -1.0}) for name in names])
    if np.isnan(variances).any():
        with np.errstate(invalid="ignore"):
            spread = np.atleast_2d(np.cov(by_seed))
        return np.asarray(spread * (1 / by_seed.shape[1] + test_ratio))
    covariance = np.diag(variances)
    for i, name in enumerate(names):
        for j in range(i):
            difference = variance({name: 1.0, names[j]: -1.0})
            covariance[i, j] = covariance[j, i] = (variances[i] + variances[j] - difference) / 2
    return covariance


class SplitMeans(Protocol):
    """A study of one baseline and several corrections."""

    @property
    def test_ratio(self) -> float:
        """Test rows for each training row, see `lincore.metrics.seed_intervals.over_seeds`."""

    def named(self, loss: str) -> Loss:
        """Return a loss by its name."""

    def loss(self, method: str, condition: str, loss: str) -> Array:
        """Return one loss at every seed."""

    def variance(self, method: str, contrast: Mapping[str, float], loss: str) -> float:
        """Return the variance of a contrast of mean losses."""


@per_results
def optimism(
    study: SplitMeans, method: str, loss: str, names: tuple[str, ...], baseline: str
) -> float:
    """Return the optimism of the best of several conditions of a study."""
    # In the unit of the loss; NaN for a single split.
    if not names:
        return float("nan")
    sign = -1.0 if study.named(loss).greater_is_better else 1.0
    before = study.loss(method, baseline, loss)
    by_seed = sign * np.stack([less(before, study.loss(method, name, loss)) for name in names])
    if by_seed.shape[1] < 2:
        return float("nan")
    covariance = covariance_of_recovered(
        names, baseline, lambda c: study.variance(method, c, loss), by_seed, study.test_ratio
    )
    return optimism_of_best(by_seed.mean(axis=1), covariance)
