"""Learning rates of gradient descent on the logistic loss: proved and local limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from lincore.estimators.logistic.loss import SoftmaxLoss
from lincore.utils.typing import Array

# Up to so many parameters the Hessian is written out.
WRITTEN_OUT = 200


class LearningRates(NamedTuple):
    """Rates of gradient descent on one loss, in its standardised coordinates.

    Attributes
    ----------
    one_over_L : float
        1/L, with L the largest curvature that Böhning's bound allows anywhere: the largest
        guaranteed decrease a step, and the rate that is taken where none is given.
    two_over_L : float
        2/L: below it the loss is proved never to rise.
    local_limit : float
        2/λmax of the Hessian where the model stands: above it descent does not settle there,
        below it it does once it is near.
    """

    one_over_L: float
    two_over_L: float
    local_limit: float


def learning_rates(loss: SoftmaxLoss, probabilities: Array) -> LearningRates:
    """Compute the three rates.

    Parameters
    ----------
    loss : SoftmaxLoss
        Of rows that are not too many columns for a matrix of all of them squared.
    probabilities : ndarray of shape (n, K)
        Of the model at whose coefficients the local limit is wanted.

    References
    ----------
    Nesterov (2004), "Introductory lectures on convex optimization", theorem 2.1.14; Böhning
    (1992), "Multinomial logistic regression algorithm", for L.

    Examples
    --------
    >>> from lincore.estimators.logistic.design_matrix import StandardRows
    >>> rows = StandardRows(np.array([[-1.0], [1.0]]), np.zeros(1), np.ones(1))
    >>> loss = SoftmaxLoss(rows, np.array([0, 1]), 2, None, np.zeros(2))
    >>> [round(rate, 6) for rate in learning_rates(loss, np.full((2, 2), 0.5))]
    [1.0, 2.0, 2.0]
    """
    bound = loss.bound()
    L = float(np.linalg.eigvalsh(bound)[-1])
    local = _largest_eigenvalue(loss, probabilities)
    return LearningRates(1 / L, 2 / L, float(2 / local) if local > 0 else float("inf"))


def _largest_eigenvalue(loss: SoftmaxLoss, probabilities: Array) -> float:
    """Return that of the Hessian, over coefficients that sum to zero over the classes."""
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
