"""The separating plane with the widest margin, which gives the tightest perceptron bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from lincore.errors import DataError
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.utils.typing import Array


def widest_margin(X: ArrayLike, y: ArrayLike) -> Array:
    """Return the weights with the widest margin in the space of (1, x), shape (p + 1,).

    Parameters
    ----------
    X : array-like of shape (n, p)
        At most a few hundred rows.
    y : array-like of shape (n,)
        Labels of two classes.

    Returns
    -------
    ndarray of shape (p + 1,)
        The intercept first; scaled so that the smallest margin is 1.

    Raises
    ------
    DataError
        If no plane separates the classes.

    References
    ----------
    Bishop (2006), eqs. 7.6 and 7.5; here the norm includes the intercept, as in Novikoff's bound.

    Examples
    --------
    >>> widest_margin([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]).round(6).tolist()
    [-2.0, 1.0]
    """
    rows = np.asarray(X, dtype=float)
    _, codes = np.unique(y, return_inverse=True)
    signed = np.column_stack([np.ones(len(rows)), rows]) * (2.0 * codes - 1)[:, None]
    start = LogisticRegression(C=1e4).fit(rows, codes)
    w = np.r_[start.intercept_, start.coef_[0]]
    least = float((signed @ w).min())
    if least <= 0:
        raise DataError(
            "No plane that separates the classes was found.",
            where="widest margin",
            remedy="Give classes that a plane separates.",
        )
    solution = minimize(
        lambda w: float(w @ w),
        w / least,
        jac=lambda w: 2 * w,
        constraints={"type": "ineq", "fun": lambda w: signed @ w - 1, "jac": lambda w: signed},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    return np.asarray(solution.x / float((signed @ solution.x).min()))
