"""Joint log likelihood of Gaussian classes, and the log ratio of two classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lincore.errors import DataError
from lincore.estimators.boundary_geometry import boundary
from lincore.linalg.gaussian import Gaussians
from lincore.linalg.quadric import Quadric
from lincore.utils.typing import Array


class LogRatio(NamedTuple):
    """The function ``log p(first | x) / p(second | x) = xᵀAx + bᵀx + c``.

    Attributes
    ----------
    A : ndarray of shape (p, p)
        Symmetric; zero if the covariances are equal.
    b : ndarray of shape (p,)
    c : float
    """

    A: Array
    b: Array
    c: float

    def values(self, X: ArrayLike) -> Array:
        """Return the function at rows X (n, p), shape (n,)."""
        rows = np.asarray(X, dtype=float)
        return np.asarray(((rows @ self.A) * rows).sum(axis=1) + rows @ self.b + self.c)


def joint_log_likelihood(
    X: ArrayLike, codes: ArrayLike, means: ArrayLike, covariances: ArrayLike, priors: ArrayLike
) -> float:
    """Return ``Σᵢ log p(yᵢ) + log p(xᵢ | yᵢ)`` for Gaussian classes with given parameters, in nats.

    Parameters
    ----------
    X : array-like of shape (n, p)
    codes : array-like of shape (n,)
        The class of each row, 0 to K - 1.
    means : array-like of shape (K, p)
    covariances : array-like of shape (K, p, p), or (p, p) shared by all
    priors : array-like of shape (K,)

    Raises
    ------
    DataError
        For parameters whose shapes do not fit.

    References
    ----------
    "lda-qda-derivations", eqs. 10 to 12; "lecture-linear-classifiers", "Continuous Input Variable".

    Examples
    --------
    >>> X, y = [[0.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1]
    >>> round(joint_log_likelihood(X, y, [[1.0], [6.0]], [[1.0]], [0.5, 0.5]), 6)
    -8.448343
    >>> joint_log_likelihood(X, y, [[1.1], [6.0]], [[1.0]], [0.5, 0.5]) < -8.448343
    True
    """
    rows, labels = np.asarray(X, dtype=float), np.asarray(codes, dtype=np.intp)
    centres, shares, spreads = _parameters(means, covariances, priors)
    if rows.ndim != 2 or rows.shape[1] != centres.shape[1] or len(labels) != len(rows):
        raise DataError(
            f"Rows of shape {rows.shape} do not fit means of shape {centres.shape}.",
            where="X",
            remedy="Give one mean for each class, in the features of the rows.",
        )
    density = Gaussians.from_covariances(centres, spreads).log_density(rows)
    with np.errstate(divide="ignore"):
        return float((density + np.log(shares))[np.arange(len(rows)), labels].sum())


def model_log_likelihood(model: Any, X: ArrayLike, y: ArrayLike) -> float:
    """Return the joint log likelihood of rows under a fitted Gaussian classifier, in nats.

    Parameters
    ----------
    model : LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis or GaussianNB
    X : array-like of shape (n, p)
    y : array-like of shape (n,)
        Labels among the classes of the model.

    Raises
    ------
    DataError
        If the classifier has no class densities or does not know a label.

    Examples
    --------
    >>> from lincore import LinearDiscriminantAnalysis
    >>> X, y = [[0.0], [2.0], [5.0], [7.0]], ["a", "a", "b", "b"]
    >>> round(model_log_likelihood(LinearDiscriminantAnalysis().fit(X, y), X, y), 6)
    -8.448343
    """
    if not (hasattr(model, "densities_") and hasattr(model, "priors_")):
        raise DataError(
            f"{type(model).__name__} has no class densities.",
            where="likelihood",
            remedy="Choose LDA, QDA or Naive Bayes.",
        )
    labels = np.asarray(y)
    codes = np.searchsorted(model.classes_, labels).clip(max=len(model.classes_) - 1)
    if not np.array_equal(model.classes_[codes], labels):
        raise DataError(
            "Some rows belong to classes that are unknown to the model.",
            where="y",
            remedy="Leave these rows out.",
        )
    density = model.densities_.log_density(np.asarray(X, dtype=float))
    with np.errstate(divide="ignore"):
        joint = density + np.log(model.priors_)
    return float(joint[np.arange(len(codes)), codes].sum())


def log_ratio(model: Any, first: int, second: int) -> LogRatio:
    """Return the log ratio of two classes of a fitted classifier, in terms of its features.

    Parameters
    ----------
    model : classifier of lincore, or Pipeline that ends in one
    first, second : int
        Positions of two classes; the ratio is positive where the first is more likely.

    Raises
    ------
    TypeError
        If the classifier has no such function; see `lincore.estimators.boundary`.

    References
    ----------
    "lda-from-scratch", "Linear Classifiers" (which leaves out the factor ½ of A).

    Examples
    --------
    >>> from lincore import QuadraticDiscriminantAnalysis
    >>> X = np.array([[-1.0], [1.0], [4.0], [8.0]])
    >>> ratio = log_ratio(QuadraticDiscriminantAnalysis().fit(X, [0, 0, 1, 1]), 1, 0)
    >>> ratio.A.tolist(), ratio.b.tolist(), round(ratio.c, 6)
    ([[0.375]], [1.5], -5.193147)
    """
    return LogRatio(*boundary(model, first, second).expanded())


def gaussian_log_ratio(
    means: ArrayLike, covariances: ArrayLike, priors: ArrayLike, first: int, second: int
) -> LogRatio:
    """Return the log ratio of two Gaussian classes of given parameters.

    ``A = (Σ₂⁻¹ - Σ₁⁻¹) / 2``, ``b = Σ₁⁻¹μ₁ - Σ₂⁻¹μ₂``, and c contains the constant terms.

    Parameters
    ----------
    means, covariances, priors
        As for `joint_log_likelihood`; covariances of full rank.

    Raises
    ------
    DataError
        For parameters whose shapes do not fit, and singular covariances.

    Examples
    --------
    >>> ratio = gaussian_log_ratio([[0.0], [2.0]], [[1.0]], [0.5, 0.5], 1, 0)
    >>> ratio.A.tolist(), ratio.b.tolist(), ratio.c
    ([[0.0]], [2.0], -2.0)
    """
    centres, shares, spreads = _parameters(means, covariances, priors)
    functions = []
    for code in (first, second):
        sign, log_det = np.linalg.slogdet(spreads[code])
        if not sign > 0:
            raise DataError(
                f"The covariance of class {code} is not positive definite.",
                where="covariances",
                remedy="Give one of full rank.",
            )
        precision = np.linalg.solve(spreads[code], np.eye(centres.shape[1]))
        with np.errstate(divide="ignore"):
            constant = float(np.log(shares[code]) - log_det / 2)
        zero = np.zeros(centres.shape[1])
        functions.append(Quadric(-(precision + precision.T) / 4, zero, constant, centres[code]))
    return LogRatio(*functions[0].less(functions[1]).expanded())


def _parameters(
    means: ArrayLike, covariances: ArrayLike, priors: ArrayLike
) -> tuple[Array, Array, Array]:
    """Return means (K, p), priors (K,) and covariances (K, p, p)."""
    centres = np.atleast_2d(np.asarray(means, dtype=float))
    shares, spreads = np.ravel(priors).astype(float), np.asarray(covariances, dtype=float)
    K, p = centres.shape
    if spreads.shape == (p, p):
        spreads = np.broadcast_to(spreads, (K, p, p))
    if spreads.shape != (K, p, p) or shares.shape != (K,):
        raise DataError(
            f"{K} classes of {p} features do not fit covariances of shape {spreads.shape} and "
            f"{len(shares)} priors.",
            where="parameters",
            remedy="Give a mean, a covariance and a prior for each class.",
        )
    return centres, shares, spreads
