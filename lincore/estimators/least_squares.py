"""Least-squares classification: linear regression on coded targets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lincore.estimators.base.class_weights import ClassWeight
from lincore.estimators.base.linear import LinearClassifier, WithoutProbabilities
from lincore.estimators.base.moment_classifier import MomentClassifier, total_mean
from lincore.linalg.canonical import canonical_means
from lincore.linalg.covariance import RowSpace, is_positive
from lincore.moments.moments import Moments
from lincore.utils.typing import Array

Targets = Literal["one-hot", "plus-minus", "fisher"]


class LeastSquaresClassifier(WithoutProbabilities, MomentClassifier, LinearClassifier):
    """Linear functions fitted to target values by least squares; the largest one wins.

    ``W = argmin Σᵢ ‖tᵢ - Wᵀx̃ᵢ‖² + alpha ‖W‖²`` with ``x̃ = (x, 1)``; the intercept is not
    penalised. The fitted targets are no probabilities: they leave [0, 1], and the square loss is
    the likelihood of no model of the labels. Rows far on the correct side of the boundary are
    punished for it and pull it towards them; LDA and logistic regression are better classifiers.

    Parameters
    ----------
    alpha : float, default 0.0
        Ridge penalty, in squared units of the features; >= 0. With 0 and singular data the
        solution is the one of smallest norm.
    targets : {"one-hot", "plus-minus", "fisher"}, default "one-hot"
        What a row of class k should come out as. "one-hot": 1 for class k, 0 for the others.
        "plus-minus": 1 and -1. "fisher": N / N_k and 0, so that small classes count as much as
        large ones. The score of two classes is the difference of the second from the first: 1
        and -1 (the same for "one-hot" and "plus-minus"), or ``N / N_2`` and ``-N / N_1``, which
        give Fisher's direction.
    class_weight : None, "balanced" or mapping of label to weight
        What a row counts because of its class: as that sample weight, see
        `lincore.estimators.base.class_weights.class_weights`. It enters N and N_k too.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    coef_ : ndarray of shape (K, p), or (1, p) for two classes
        Per unit of each feature.
    intercept_ : ndarray of shape (K,), or (1,) for two classes
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Where X is a DataFrame with names of type str.

    Notes
    -----
    With ``targets="plus-minus"`` it is scikit-learn's `RidgeClassifier`. Solved from the total
    scatter and the class means, so `partial_fit` is exact. Where p > n and units differ so much
    that the rows' own space loses directions, the norm is that of standardised features.

    References
    ----------
    "lecture-linear-classifiers", "Least Square Classifier" (±1) and "Multi-class LS
    classification" (one-hot); "prml-chapter-4-in-r", section 4.1.3 (codes 1 and 2 with threshold
    1.5: ``1.5 + score / 2`` here); Bishop (2006), eqs. 4.16 and 4.31 to 4.36 (Fisher's targets).

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> model = LeastSquaresClassifier().fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> model.decision_function([[0.0]]).round(3)  # fitted targets: they sum to 1
    array([[ 0.905,  0.333, -0.238]])
    >>> model.predict([[0.0], [2.2], [5.0]])  # the middle class is masked
    array(['a', 'a', 'c'], dtype='<U1')
    """

    def __init__(
        self,
        alpha: float = 0.0,
        *,
        targets: Targets = "one-hot",
        class_weight: ClassWeight = None,
    ) -> None:
        self.alpha = alpha
        self.targets = targets
        self.class_weight = class_weight

    def _solve(self, moments: Moments, space: RowSpace | None) -> None:
        if not np.isfinite(self.alpha) or self.alpha < 0:
            raise ValueError(f"alpha must be a finite number >= 0, got {self.alpha!r}.")
        target = class_targets(moments.count, self.targets)
        total = moments.pooled()
        coef = None
        if space is None and not self.alpha:
            coef = _canonical_solution(moments, target)
        if coef is None:
            # A class without rows has no mean; its weight in the product is zero.
            products = (moments.mean - total.mean).T @ (moments.count[:, None] * target)
            coef = _smallest_solution(total.scatter, products, self.alpha)
        if space is not None:
            coef = space.forward @ coef
        mean_target = moments.count @ target / total.count
        self._set_linear(coef.T, mean_target - total_mean(total, space) @ coef)

    def _row_space(self, rows: NDArray[Any], diagonal: Moments) -> RowSpace:
        # Norms of weights are those of the features' own units, so the axes are too.
        centre = diagonal.pooled().mean
        plain = RowSpace.spanned_by(rows, centre, np.ones(rows.shape[1]))
        if self.alpha > 0 or plain.axes.shape[1] == len(rows) - 1:
            return plain
        scaled = super()._row_space(rows, diagonal)
        return scaled if scaled.axes.shape[1] > plain.axes.shape[1] else plain


def class_targets(count: Array, targets: Targets) -> Array:
    """Return the target vectors of rows of each class, shape (K, K)."""
    if targets == "fisher":
        return np.diag(np.where(count > 0, count.sum() / np.where(count > 0, count, 1.0), 0.0))
    # The score of two classes is a difference: that of one-hot targets is already ±1.
    if targets == "one-hot" or (targets == "plus-minus" and len(count) == 2):
        return np.eye(len(count))
    if targets == "plus-minus":
        return 2 * np.eye(len(count)) - 1
    raise ValueError(f"targets must be 'one-hot', 'plus-minus' or 'fisher', got {targets!r}.")


def _canonical_solution(moments: Moments, target: Array) -> Array | None:
    """Solve the normal equations without penalty where the classes vary in all directions.

    In canonical coordinates, where M are the class means times ``sqrt(n_k)``, the total scatter is
    ``I + MᵀM``; with ``M = U S V`` the solution for targets T is ``V diag(s / (1 + s²)) Uᵀ T``.
    None where the scatter within classes has less rank than there are varying features.
    """
    varying = np.diagonal(moments.pooled().scatter) > 0
    if not varying.any() or not (np.diagonal(moments.within())[varying] > 0).all():
        return None
    canonical = canonical_means(moments)
    whitener = canonical.whitener
    if not whitener.is_certain or whitener.rank < np.count_nonzero(varying):
        return None
    left, lengths, axes = canonical.decomposition
    weighted = np.sqrt(canonical.shares)[:, None] * target
    shrunk = (lengths / (1 + lengths**2))[:, None] * (left.T @ weighted)
    return whitener.unwhiten(shrunk.T @ axes).T


def _smallest_solution(scatter: Array, products: Array, alpha: float) -> Array:
    """Solve ``(scatter + alpha I) W = products``; of many solutions return the shortest."""
    solution = np.zeros_like(products)
    varying = np.flatnonzero(np.diagonal(scatter) > 0)
    if not len(varying):
        return solution
    normal = scatter[np.ix_(varying, varying)] + alpha * np.eye(len(varying))
    # In units of its own each feature counts alike for the rank, whatever its scale.
    scale = np.sqrt(np.diagonal(normal))[:, None]
    standard, null = _standard_solution(normal / scale / scale.T, products[varying] / scale)
    if null.shape[1]:
        # The shortest in these units; what the rows do not see makes it so in the features' own.
        standard -= null @ np.linalg.lstsq(null / scale, standard / scale, rcond=None)[0]
    solution[varying] = standard / scale
    return solution


def _standard_solution(R: Array, products: Array) -> tuple[Array, Array]:
    """Solve ``R W = products`` on the range of a correlation matrix R; return W and a null basis.

    What W holds of the null space is left open.
    """
    values, vectors = np.linalg.eigh(R)
    kept = is_positive(values)
    coordinates = vectors[:, kept].T @ products / values[kept, None]
    return vectors[:, kept] @ coordinates, vectors[:, ~kept]
