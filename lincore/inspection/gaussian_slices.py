"""Gaussian classes in a plane: marginal densities, and densities along a slice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lstsq
from scipy.special import logsumexp

from lincore.linalg.covariance import Whitener, is_positive
from lincore.linalg.gaussian import Gaussians
from lincore.utils.typing import Array

# Maximum number of features for which a full covariance is formed to select part of it.
MOST_FORMED = 2_000


class Densities(NamedTuple):
    """Gaussian class densities in a plane, and the log weights (K,) of the classes."""

    gaussians: Gaussians
    log_weights: Array


def marginal(model: Any, origin: Array, projection: Array, n_classes: int) -> Densities:
    """Return the marginal of a Gaussian classifier in a plane."""
    means = (model.densities_.means - origin) @ projection
    covariances = _covariances(model, projection)
    whiteners = [Whitener.from_covariance(covariance) for covariance in covariances]
    with np.errstate(divide="ignore"):
        return _add_absent_classes(model, means, whiteners, np.log(model.priors_), n_classes)


def conditional(model: Any, base: Array, steps: Array, n_classes: int) -> Densities:
    """Restrict a Gaussian classifier to the plane ``base + z @ steps`` (steps: (d, q))."""
    # The densities are conditional on lying in the plane, and the weights are the class
    # probabilities given that. Their products compare the classes exactly as the classifier does.
    means, whiteners, log_weights = [], [], []
    with np.errstate(divide="ignore"):
        log_priors = np.log(model.priors_)
    gaussians = model.densities_
    for mean, full_whitener, log_prior in zip(
        gaussians.means, gaussians.whiteners, log_priors, strict=True
    ):
        slope, start = full_whitener.whiten(steps), full_whitener.whiten((base - mean)[None])[0]
        # Scale the axes first, so that the rank does not depend on their units.
        # (By the largest entry before squaring: otherwise units of 1e-160 would overflow.)
        largest = np.abs(slope).max(axis=1, keepdims=True)
        largest = np.where(largest > 0, largest, 1.0)
        size = largest * np.linalg.norm(slope / largest, axis=1, keepdims=True)
        size = np.where(size > 0, size, 1.0)
        left, lengths, right = np.linalg.svd(slope / size, full_matrices=False)
        is_nonzero = is_positive(lengths**2) if lengths.any() else lengths > 0
        left, lengths, along = left[:, is_nonzero], lengths[is_nonzero], right[is_nonzero] @ start
        means.append(-(left / lengths / size) @ along)
        log_det = -2 * (np.log(lengths).sum() + np.log(size).sum())
        whitener = Whitener(size * left * lengths, float(log_det))
        outside = start @ start - along @ along
        twice_log_mass = (
            whitener.rank * np.log(2 * np.pi) + whitener.log_det - outside - full_whitener.log_det
        )
        whiteners.append(whitener)
        log_weights.append(log_prior + 0.5 * twice_log_mass)
    weights = np.array(log_weights)
    weights = np.where(np.isnan(weights), -np.inf, weights)
    return _add_absent_classes(
        model, np.array(means), whiteners, weights - logsumexp(weights), n_classes
    )


def _covariances(model: Any, projection: Array) -> Array:
    """Return the covariances in the plane, (K, d, d)."""
    whiteners = model.densities_.whiteners
    if whiteners[0].factor.ndim == 1:
        variances = []
        for whitener in whiteners:
            with np.errstate(divide="ignore"):
                inverse = 1 / whitener.factor**2
            variances.append(np.where(whitener.factor > 0, inverse, 0.0))
        return np.stack([(projection.T * variance) @ projection for variance in variances])
    if len(projection) <= MOST_FORMED:
        covariance = np.broadcast_to(model.covariance_, (len(whiteners), *[len(projection)] * 2))
        if model.covariance_.ndim == 2:
            return np.stack([projection.T @ covariance[0] @ projection] * len(whiteners))
        return np.asarray(projection.T @ covariance @ projection)
    by_whitener: dict[int, Array] = {}
    for whitener in whiteners:
        if id(whitener) not in by_whitener:
            root = lstsq(whitener.factor, projection, lapack_driver="gelsy")[0]
            by_whitener[id(whitener)] = root.T @ root
    return np.stack([by_whitener[id(whitener)] for whitener in whiteners])


def _add_absent_classes(
    model: Any, means: Array, whiteners: list[Whitener], log_weights: Array, n_classes: int
) -> Densities:
    """Add classes without training rows, with NaN means and weight zero."""
    all_means = np.full((n_classes, means.shape[1]), np.nan)
    all_weights = np.full(n_classes, -np.inf)
    all_whiteners = [whiteners[0]] * n_classes
    for code, mean, whitener, weight in zip(
        model.classes_, means, whiteners, log_weights, strict=True
    ):
        all_means[code], all_whiteners[code], all_weights[code] = mean, whitener, weight
    return Densities(Gaussians(all_means, tuple(all_whiteners)), all_weights)
