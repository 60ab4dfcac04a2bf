"""Base of linear classifiers: decision functions that are affine in the features."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lincore.linalg.products import blocked_product
from lincore.linalg.quadric import Quadric, stacked
from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.typing import Array


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that predicts the class with the largest ``x @ coef_[k] + intercept_[k]``."""

    classes_: NDArray[Any]  # (K,)
    # (K, p), or (1, p) for two classes; for two classes the second minus the first, as in
    # scikit-learn
    coef_: Array
    intercept_: Array  # (K,), or (1,) for two classes

    @abstractmethod
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Set `classes_`, `coef_` and `intercept_`."""

    # Whether rows may be sparse.
    _sparse: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Tags:
        """Declare whether rows may be sparse."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        return tags

    def discriminants(self) -> list[Quadric]:
        """Return the score of each class as a function of the features, K planes."""
        check_is_fitted(self)
        coef, intercept = self.coef_, self.intercept_
        if len(self.classes_) == 2:
            coef = np.vstack([np.zeros_like(coef), coef])
            intercept = np.append(0.0, intercept)
        return stacked(None, coef, intercept, np.zeros(coef.shape[1]))

    def _set_linear(self, coef: Array, intercept: Array) -> None:
        """Store K scores, coef (K, p) and intercept (K,); for two classes the difference."""
        if len(coef) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef, intercept

    def decision_function(self, X: ArrayLike) -> Array:
        """Score rows."""
        check_is_fitted(self)
        sparse = "csr" if self._sparse else False
        rows = numeric_rows(self, X, reset=False, accept_sparse=sparse)
        return self.score_rows(rows)

    def score_rows(self, rows: Any) -> Array:
        """Return the `decision_function` of validated rows without further checks."""
        scores = blocked_product(rows, self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of the largest score, shape (n,)."""
        chosen = chosen_codes(self.decision_function(X))
        return self.classes_[chosen]


class SoftmaxPosterior:
    """Posterior probabilities for classifiers whose scores are log joint densities."""

    decision_function: Any

    def predict_log_proba(self, X: ArrayLike) -> Array:
        """Return the logarithms of the posterior probabilities, shape (n, K)."""
        return log_posterior(self.decision_function(X))

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probabilities, shape (n, K); rows sum to one."""
        return np.exp(self.predict_log_proba(X))


class WithoutProbabilities:
    """Scores that are not probabilities: asking for these raises an AttributeError with advice."""

    @property
    def predict_proba(self) -> Any:
        """Unavailable: `hasattr` is False."""
        raise no_probabilities(self, "predict_proba")

    @property
    def predict_log_proba(self) -> Any:
        """Unavailable: `hasattr` is False."""
        raise no_probabilities(self, "predict_log_proba")


def no_probabilities(model: Any, name: str, because: str = "its scores are") -> AttributeError:
    """Return the error for a model without probabilities."""
    return AttributeError(
        f"{type(model).__name__} has no {name}: {because} no probabilities. Use decision_function, "
        "sklearn.calibration.CalibratedClassifierCV around it, or a classifier that has them, such "
        "as LogisticRegression or LinearDiscriminantAnalysis."
    )


def chosen_codes(scores: Array) -> NDArray[np.intp]:
    """Return the class with the largest score, (n,), from the output of `decision_function`."""
    chosen = scores > 0 if scores.ndim == 1 else scores.argmax(axis=1)
    return np.asarray(chosen, dtype=np.intp)


def log_posterior(scores: Array) -> Array:
    """Convert log joint densities, as returned by `decision_function`, to log posteriors (n, K)."""
    if scores.ndim == 1:
        # The score of an impossible class may be infinite, so scores are not subtracted.
        return -np.logaddexp(0, np.column_stack([scores, -scores]))
    # By class, not by row: NumPy is slow at reducing many rows of few numbers.
    shifted = np.ascontiguousarray(scores.T)
    shifted -= shifted.max(axis=0)
    shifted -= np.log(np.exp(shifted).sum(axis=0))
    return shifted.T
