"""Learning rates of gradient descent on the logistic loss: proven and local limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from lincore.estimators.logistic.loss import SoftmaxLoss
from lincore.utils.typing import Array

# Up to this many parameters the Hessian is formed.
WRITTEN_OUT = 200


class LearningRates(NamedTuple):
    """Rates of gradient descent on one loss, in its standardised coordinates.

    Attributes
    ----------
    one_over_L : float
        1/L, with L the maximum curvature according to Böhning's bound: the rate with the largest
        guaranteed decrease per step, and the default.
    two_over_L : float
        2/L: with any lower rate the loss provably never rises.
    local_limit : float
        2/λmax of the Hessian at the model: with a lower rate descent converges there once it is
        near, with a higher one it does not.
    """

    one_over_L: float
    two_over_L: float
    local_limit: float


def learning_rates(loss: SoftmaxLoss, probabilities: Array) -> LearningRates:
    """Compute the three rates."""
    bound = loss.bound()
    L = float(np.linalg.eigvalsh(bound)[-1])
    local = _largest_eigenvalue(loss, probabilities)
    return LearningRates(1 / L, 2 / L, float(2 / local) if local > 0 else float("inf"))


def _largest_eigenvalue(loss: SoftmaxLoss, probabilities: Array) -> float:
    """Return the rate limit of the Hessian, for coefficients that sum to zero over the classes."""
    (q, K), times = loss.shape, loss.product_at(probabilities)

    def product(flat: Array) -> Array:
        coef = flat.reshape(q, K)
        coef = coef - coef.mean(axis=1, keepdims=True)
        found = times(coef)
        return np.asarray(found - found.mean(axis=1, keepdims=True)).ravel()

    size = q * K
    if size <= WRITTEN_OUT:
        matrix = np.array([product(unit) for unit in np.eye(size)])
        return float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[-1])
    start = np.random.default_rng(0).standard_normal(size)
    operator = LinearOperator((size, size), matvec=product, dtype=float)
    return float(eigsh(operator, k=1, which="LA", v0=start, return_eigenvectors=False)[0])
