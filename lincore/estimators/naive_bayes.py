"""Naive Bayes: features that are independent within classes, Gaussian or categorical."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from lincore.estimators._categorical import CategoricalFactors, checked_groups
from lincore.estimators.base.class_weights import ClassWeight
from lincore.estimators.base.moment_classifier import MomentClassifier, Priors, class_priors
from lincore.estimators.base.validation import require_number
from lincore.estimators.quadratic_discriminant import (
    QuadraticScores,
    gaussian_quadrics,
    gaussian_scores,
)
from lincore.linalg.covariance import RowSpace, Whitener
from lincore.linalg.gaussian import Gaussians
from lincore.linalg.quadric import Quadric
from lincore.moments.moments import Moments
from lincore.utils.typing import Array, Flags


class GaussianNB(QuadraticScores, MomentClassifier):
    """Gaussian classes with independent features: quadratic discriminants, diagonal Σ_k.

    Indicator columns of a category are not Gaussian: with `categorical_columns` each category is
    modelled by the probabilities of its levels (mixed naive Bayes), and the other columns stay
    Gaussian.

    The result does not depend on how the rows are split into batches (scikit-learn's `partial_fit`
    uses the variances of the current batch for smoothing, without sample weights).

    Parameters
    ----------
    priors : array-like of shape (K,), mapping, "equal" or "all", optional
        Class probabilities, in the order of `classes_` or by label. Default: class shares.
    var_smoothing : float >= 0, default 1e-9
        Added to every variance, as a fraction of the largest variance of a feature over all rows,
        as in scikit-learn. A feature with a large variance makes this exceed the variances of
        others: standardise first, or choose 0. Categorical columns are ignored.
    alpha : float > 0, default 1.0
        Pseudo-count added to every level of a category in every class.
    categorical_columns : sequence of sequences of int, optional
        Groups of indicator columns, one group per category: a column for each level, or a single
        one for two levels. `lincore.compare` and the dashboard set it automatically.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, which multiply the sample weights; see
        `lincore.estimators.base.class_weights.class_weights`. They change estimated priors, but not
        given `priors`.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    priors_, class_prior_ : ndarray of shape (K,)
        The second name is scikit-learn's.
    means_, theta_ : ndarray of shape (K, p)
        For an indicator column, the share of its level. The second name is scikit-learn's.
    class_count_ : ndarray of shape (K,)
        Rows, or total weight, of each class, including class weights.
    var_ : ndarray of shape (K, p)
        Variances within each class, divisor n, including smoothing. Those of categorical columns
        are unused.
    epsilon_ : float
        Added to every variance, in squared units of the features.
    densities_ : Gaussians
        Only if no column is categorical.
    n_features_in_ : int

    References
    ----------
    "lecture-linear-classifiers", "Naive Bayes", for independence given the class; Bishop, PRML,
    eq. 4.65 to 4.67, for the quadratic scores.

    Examples
    --------
    >>> X = np.array([[1.0, 10.0], [1.2, 30.0], [3.0, 11.0], [3.3, 29.0]])
    >>> nb = GaussianNB().fit(X, ["a", "a", "b", "b"])
    >>> nb.predict([[1.1, 25.0], [3.1, 25.0]])
    array(['a', 'b'], dtype='<U1')

    A number and a category with two levels: 1/2 of the rows of "a" have the second level, smoothed
    (1 + 1) / (2 + 2).

    >>> X[:, 1] = [0, 1, 1, 1]
    >>> mixed = GaussianNB(categorical_columns=[[1]]).fit(X, ["a", "a", "b", "b"])
    >>> ratio = np.exp(mixed.decision_function([[2.0, 1], [2.0, 0]]))
    >>> round(float(ratio[0] / ratio[1]), 10)  # (3/4) / (1/4), against (2/4) / (2/4)
    3.0
    """

    _diagonal: ClassVar[bool] = True
    _in_row_space: ClassVar[bool] = False

    def __init__(
        self,
        *,
        priors: Priors = None,
        var_smoothing: float = 1e-9,
        alpha: float = 1.0,
        categorical_columns: Sequence[Sequence[int]] | None = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.alpha = alpha
        self.categorical_columns = categorical_columns
        self.class_weight = class_weight

    @property
    def class_prior_(self) -> Array:
        """The priors (K,), under the name used by scikit-learn's naive Bayes."""
        check_is_fitted(self)
        return self.priors_

    @property
    def theta_(self) -> Array:
        """The means (K, p), under the name used by scikit-learn's naive Bayes."""
        check_is_fitted(self)
        return self.means_

    @property
    def class_count_(self) -> Array:
        """The total weight (K,) of the rows of each class."""
        return self._solved_moments.count

    @property
    def densities_(self) -> Gaussians:  # type: ignore[override]
        """The densities of the classes; AttributeError if a column is categorical."""
        check_is_fitted(self)
        if self._categories is not None:
            raise AttributeError("Classes with categorical columns have no Gaussian densities.")
        return self._densities

    def discriminants(self) -> list[Quadric]:
        """Return the score of each class as a function of the features, K quadrics."""
        check_is_fitted(self)
        functions = gaussian_quadrics(self._densities, self.priors_)
        if self._categories is None:
            return functions
        return [self._with_categories(k, function) for k, function in enumerate(functions)]

    def _log_joint(self, rows: NDArray[np.generic]) -> Array:
        if self._categories is None:
            return gaussian_scores(rows, self._densities, self.priors_)
        numbers = rows[:, self._numeric]
        scores = gaussian_scores(numbers, self._densities, self.priors_)
        return scores + self._categories.scores(rows)

    def _solve(self, moments: Moments, space: RowSpace | None) -> None:
        for name in ("var_smoothing", "alpha"):
            require_number(name, getattr(self, name))
        if not self.var_smoothing >= 0:
            raise ValueError(f"var_smoothing must be >= 0, got {self.var_smoothing!r}.")
        if not (self.alpha > 0 and np.isfinite(self.alpha)):
            raise ValueError(f"alpha must be a finite number > 0, got {self.alpha!r}.")
        self.priors_ = class_priors(moments.count, self.priors, self.classes_)
        self.means_ = moments.mean
        overall = moments.pooled()
        has_rows = moments.count[:, None] > 0
        variances = moments.scatter / np.where(has_rows, moments.count[:, None], 1.0)
        self._categories: CategoricalFactors | None = None
        self._numeric = np.ones(moments.n_features, dtype=bool)
        if self.categorical_columns:
            groups = checked_groups(self.categorical_columns, moments.n_features)
            self._categories = CategoricalFactors.from_moments(moments, groups, self.alpha)
            self._numeric[self._categories.columns] = False
        spread = overall.scatter / overall.count
        self.epsilon_ = float(self.var_smoothing * spread[self._numeric].max(initial=0.0))
        self.var_ = variances + self.epsilon_
        self._refuse_infinite_densities(has_rows)
        # A class without rows is never predicted, so any density will do.
        variances = np.where(has_rows, self.var_, spread + self.epsilon_)[:, self._numeric]
        if self._categories is not None and not variances.any():
            whiteners = (Whitener(np.zeros(variances.shape[1]), 0.0),) * len(variances)
        else:
            whiteners = Whitener.from_variances(variances)
        self._densities = Gaussians(self.means_[:, self._numeric], whiteners)

    def _refuse_infinite_densities(self, has_rows: Flags) -> None:
        constant = (self.var_ == 0) & has_rows
        infinite = constant & ~constant[has_rows[:, 0]].all(axis=0) & self._numeric
        if infinite.any():
            k, feature = np.argwhere(infinite)[0]
            raise ValueError(
                f"Feature {feature} does not vary within class {self.classes_[k]}, so its density "
                f"is infinite there. Use var_smoothing > 0, or leave the feature out."
            )

    def _with_categories(self, k: int, function: Quadric) -> Quadric:
        """Extend a function of the Gaussian columns to all columns."""
        assert self._categories is not None
        p, numeric = len(self._numeric), np.flatnonzero(self._numeric)
        A, b, origin = np.zeros((p, p)), np.zeros(p), np.zeros(p)
        A[np.ix_(numeric, numeric)] = function.A
        b[numeric], origin[numeric] = function.b, function.origin
        b[self._categories.columns] = self._categories.coef[k]
        return Quadric(A, b, function.c + float(self._categories.constant[k]), origin)
