"""Firth's penalty, which removes the small-sample bias of logistic regression."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from lincore.estimators.logistic.loss import SoftmaxLoss
from lincore.linalg.optimize import Iterate
from lincore.utils.typing import Array


class FirthLoss:
    """A loss less half the log determinant of the information: Jeffreys' prior as a penalty."""

    # With it the bias of order 1/n vanishes, and separable classes have finite estimates. The
    # Hessian is that of the loss without it (Fisher scoring).
    # Firth (1993), "Bias reduction of maximum likelihood estimates"; Heinze, Schemper (2002), "A
    # solution to the problem of separation in logistic regression"; Bull, Mak, Greenwood (2002), "A
    # modified score function estimator for multinomial logistic regression in small samples".

    def __init__(self, loss: SoftmaxLoss) -> None:
        self.plain = loss
        self.shape, self.total, self.penalty = loss.shape, loss.total, loss.penalty
        self._rows = loss.rows.double.coordinates(slice(None))

    def __call__(self, coef: Array) -> Iterate:
        """Return value and gradient at coefficients (q, K); the state is P, (n, K)."""
        (q, K), point = self.shape, self.plain(coef)
        try:
            root = np.linalg.cholesky(self.plain.hessian(point.state))
        except np.linalg.LinAlgError:  # a step too far
            return point._replace(value=np.inf)
        # M[i, k, l] = z_iᵀ V_kl z_i, with V the inverse information, for classes 1 to K - 1.
        inverse = solve_triangular(root, np.eye(len(root)), lower=True).reshape(-1, K - 1, q)
        half = np.einsum("akj,ij->iak", inverse, self._rows, optimize=True)
        M = half.mT @ half
        P = point.state
        pull = np.zeros_like(P)
        pull[:, 1:] = np.einsum("ikk->ik", M) - 2 * (M @ P[:, 1:, None])[:, :, 0]
        pull = 0.5 * P * (pull - (P * pull).sum(axis=1, keepdims=True))
        if self.plain.weight is not None:
            pull *= self.plain.weight[:, None]
        return point._replace(
            value=point.value - np.log(np.diagonal(root)).sum(),
            gradient=point.gradient - self._rows.T @ pull,
        )

    def separates(self, point: Iterate) -> bool:
        """Return False: the minimum exists, also if the classes are separable."""
        return False

    def hessian(self, state: Array, *, exact: bool = True, every: int = 1) -> Array:
        """Return the Hessian of the loss, for the differences of classes 1 to K - 1 from 0."""
        return self.plain.hessian(state, exact=exact, every=every)
