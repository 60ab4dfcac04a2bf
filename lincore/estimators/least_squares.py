"""Least-squares classification: linear regression on coded targets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lincore.estimators.base.class_weights import ClassWeight
from lincore.estimators.base.linear import LinearClassifier, WithoutProbabilities
from lincore.estimators.base.moment_classifier import MomentClassifier, total_mean
from lincore.estimators.base.validation import require_number
from lincore.linalg.canonical import canonical_means
from lincore.linalg.covariance import RowSpace, is_positive
from lincore.moments.moments import Moments
from lincore.utils.typing import Array

Targets = Literal["one-hot", "plus-minus", "fisher"]


class LeastSquaresClassifier(WithoutProbabilities, MomentClassifier, LinearClassifier):
    """Linear functions fitted to coded targets by least squares; the class of the largest wins.

    ``W = argmin Σᵢ ‖tᵢ - Wᵀx̃ᵢ‖² + alpha ‖W‖²`` with ``x̃ = (x, 1)``; the intercept is not
    penalised. The fitted values are not probabilities: they may lie outside [0, 1], and the squared
    loss is not the likelihood of any model of the labels. Rows far on the correct side of the
    boundary are penalised and pull it towards them; LDA and logistic regression are better
    classifiers.

    Parameters
    ----------
    alpha : float, default 0.0
        Ridge penalty, in squared units of the features; >= 0. With 0 and singular data the solution
        has minimum norm.
    targets : {"one-hot", "plus-minus", "fisher"}, default "one-hot"
        Target values of a row of class k. "one-hot": 1 for class k, 0 for the others.
        "plus-minus": 1 and -1. "fisher": N / N_k and 0, so that small classes count as much as
        large ones. For two classes the score is the second minus the first: 1 and -1 (the same for
        "one-hot" and "plus-minus"), or ``N / N_2`` and ``-N / N_1``, which give Fisher's direction.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, which multiply the sample weights; see
        `lincore.estimators.base.class_weights.class_weights`. They also enter N and N_k.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    coef_ : ndarray of shape (K, p), or (1, p) for two classes
        Per unit of each feature.
    intercept_ : ndarray of shape (K,), or (1,) for two classes
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Only if X is a DataFrame with string column names.

    Notes
    -----
    With ``targets="plus-minus"`` it equals scikit-learn's `RidgeClassifier`. It is solved from the
    total scatter and the class means, so `partial_fit` is exact. If p > n and units differ so much
    that the space of the rows loses directions, the minimum norm refers to standardised features.

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
        require_number("alpha", self.alpha)
        if not np.isfinite(self.alpha) or self.alpha < 0:
            raise ValueError(f"alpha must be a finite number >= 0, got {self.alpha!r}.")
        target = class_targets(moments.count, self.targets)
        total = moments.pooled()
        coef = None
        if space is None and not self.alpha:
            coef = _canonical_solution(moments, target)
        if coef is None:
            # A class without rows has no mean, but weight zero in the product.
            products = (moments.mean - total.mean).T @ (moments.count[:, None] * target)
            coef = _smallest_solution(total.scatter, products, self.alpha)
        if space is not None:
            coef = space.forward @ coef
        mean_target = moments.count @ target / total.count
        self._set_linear(coef.T, mean_target - total_mean(total, space) @ coef)

    def _row_space(self, rows: NDArray[Any], diagonal: Moments) -> RowSpace:
        # Norms of weights refer to the units of the features, so the axes do too.
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
    # The score of two classes is a difference, which is already ±1 for one-hot targets.
    if targets == "one-hot" or (targets == "plus-minus" and len(count) == 2):
        return np.eye(len(count))
    if targets == "plus-minus":
        return 2 * np.eye(len(count)) - 1
    raise ValueError(f"targets must be 'one-hot', 'plus-minus' or 'fisher', got {targets!r}.")


def _canonical_solution(moments: Moments, target: Array) -> Array | None:
    """Solve the unpenalised normal equations if the classes vary in all directions."""
    # In canonical coordinates, where M are the class means times ``sqrt(n_k)``, the total scatter
    # is ``I + MᵀM``; with ``M = U S V`` the solution for targets T is
    # ``V diag(s / (1 + s²)) Uᵀ T``. None if the rank of the within-class scatter is less than the
    # number of varying features.
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
    """Solve ``(scatter + alpha I) W = products``; of several solutions return the shortest."""
    solution = np.zeros_like(products)
    varying = np.flatnonzero(np.diagonal(scatter) > 0)
    if not len(varying):
        return solution
    normal = scatter[np.ix_(varying, varying)] + alpha * np.eye(len(varying))
    # After scaling, each feature counts equally for the rank.
    scale = np.sqrt(np.diagonal(normal))[:, None]
    values, vectors = np.linalg.eigh(normal / scale / scale.T)
    positive = is_positive(values)
    coordinates = vectors[:, positive].T @ (products[varying] / scale) / values[positive, None]
    standard, null = vectors[:, positive] @ coordinates, vectors[:, ~positive]
    if null.shape[1]:
        # The shortest in these units; a null-space component makes it shortest in the original
        # ones.
        standard -= null @ np.linalg.lstsq(null / scale, standard / scale, rcond=None)[0]
    solution[varying] = standard / scale
    return solution
