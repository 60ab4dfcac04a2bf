"""Gaussian naive Bayes: classes within which the features are independent."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from lincore.class_weights import ClassWeight
from lincore.covariance import RowSpace, Whitener
from lincore.gaussian import Gaussians
from lincore.moment_classifier import MomentClassifier, Priors, class_priors
from lincore.moments import Moments
from lincore.quadratic import QuadraticScores

Array = NDArray[np.float64]


class GaussianNB(QuadraticScores, MomentClassifier):
    """Gaussian classes whose features are independent: quadratic discriminants, diagonal Σ_k.

    The result is the same under any cutting into batches (scikit-learn's `partial_fit` smooths
    by the variances of the batch at hand).

    Parameters
    ----------
    priors : array-like of shape (K,) or "equal", optional
        Probabilities of the classes, in the order of `classes_`; default: their shares.
    var_smoothing : float >= 0, default 1e-9
        Added to every variance, as a share of the variance of the same feature over all rows, so
        that units do not matter. (scikit-learn adds a share of the largest variance of all
        features, which drowns features of a small unit; with 0 the two agree.)
    class_weight : None, "balanced" or mapping of label to weight
        What a row counts because of its class: as that sample weight, see
        `lincore.class_weights.class_weights`. Learned priors follow it; given `priors` win.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    priors_ : ndarray of shape (K,)
    means_ : ndarray of shape (K, p)
    var_ : ndarray of shape (K, p)
        Variances within each class, divisor n, smoothing included; zero where no row varies.
    densities_ : Gaussians
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
    """

    _diagonal: ClassVar[bool] = True
    _in_row_space: ClassVar[bool] = False

    def __init__(
        self,
        *,
        priors: Priors = None,
        var_smoothing: float = 1e-9,
        class_weight: ClassWeight = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.class_weight = class_weight

    def _solve(self, moments: Moments, space: RowSpace | None) -> None:
        if not self.var_smoothing >= 0:
            raise ValueError(f"var_smoothing must be >= 0, got {self.var_smoothing!r}.")
        self.priors_ = class_priors(moments.count, self.priors)
        self.means_ = moments.mean
        overall = moments.pooled()
        seen = moments.count[:, None] > 0
        variances = moments.scatter / np.where(seen, moments.count[:, None], 1.0)
        self.var_ = variances + self.var_smoothing * overall.scatter / overall.count
        self._refuse_infinite_densities(seen)
        # A class without rows is never chosen, so any density will do.
        spare = overall.scatter / overall.count
        whiteners = Whitener.from_variances(np.where(seen, self.var_, spare))
        self.densities_ = Gaussians(self.means_, whiteners)

    def _refuse_infinite_densities(self, seen: NDArray[np.bool_]) -> None:
        constant = (self.var_ == 0) & seen
        infinite = constant & ~constant[seen[:, 0]].all(axis=0)
        if infinite.any():
            k, feature = np.argwhere(infinite)[0]
            raise ValueError(
                f"Feature {feature} does not vary within class {self.classes_[k]}, so its density "
                "is infinite there. Use var_smoothing > 0, or leave the feature out."
            )
