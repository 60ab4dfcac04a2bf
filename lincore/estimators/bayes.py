"""The Bayes classifier of Gaussian classes with known parameters."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from lincore.estimators.base.moment_classifier import Priors, class_priors
from lincore.estimators.base.validation import validate_rows
from lincore.linalg.covariance import Whitener, is_positive
from lincore.linalg.gaussian import Gaussians
from lincore.utils.atomic import atomic
from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.typing import Array

# Largest distance, in standard deviations, whose square can be summed.
FARTHEST = 1e150


class KnownClasses(NamedTuple):
    """Gaussian classes in coordinates in which their average covariance is the identity."""

    # This removes units, offsets and directions in which no class varies: every covariance is
    # regular, and densities can be compared.

    origin: Array  # (p,); in the units of the features
    forward: Array  # (p, r); coordinates are ``(x - origin) @ forward``
    back: Array  # (r, p); features are ``origin + z @ back``
    densities: Gaussians  # with means of shape (K, r)
    covariances: Array  # (K, r, r)
    priors: Array  # (K,)
    loss: Array  # (K, K); loss of deciding for the column's class if the row's class is true

    @classmethod
    def from_parameters(
        cls,
        means: ArrayLike,
        covariances: ArrayLike,
        priors: Any,
        loss: Any,
        classes: ArrayLike | None,
    ) -> KnownClasses:
        """Validate the parameters of `BayesClassifier` and change coordinates."""
        means, covariances = _checked_gaussians(means, covariances)
        pooled = covariances.mean(axis=0)
        forward = Whitener.from_covariance(pooled).factor
        back = forward.T @ pooled
        origin = means[0] + (means - means[0]).mean(axis=0)
        white = (means - origin) @ forward
        _refuse_certainty(means, (means - origin) - white @ back, np.sqrt(np.diagonal(pooled)))
        shapes = forward.T @ covariances @ forward
        _refuse_singular(shapes)
        labels = np.arange(len(means)) if classes is None else np.asarray(classes)
        if len(labels) != len(means):  # reported by `fit`
            labels = np.arange(len(means))
        probabilities = class_priors(np.ones(len(means)), priors, labels)
        costs = _checked_loss(loss, len(means))
        densities = Gaussians.from_covariances(white, shapes)
        return cls(origin, forward, back, densities, shapes, probabilities, costs)

    @property
    def means(self) -> Array:
        """Means of the classes in these coordinates, shape (K, r)."""
        return self.densities.means

    def restricted(self, axes: Array) -> KnownClasses:
        """Project the classes onto the subspace of orthonormal columns `axes` (r, q)."""
        covariances = axes.T @ self.covariances @ axes
        return self._replace(
            forward=self.forward @ axes,
            back=axes.T @ self.back,
            densities=Gaussians.from_covariances(self.means @ axes, covariances),
            covariances=covariances,
        )

    def coordinates(self, X: NDArray[Any]) -> Array:
        """Convert rows (n, p) of the features to coordinates (n, r)."""
        return (X - self.origin) @ self.forward

    def points(self, Z: Array) -> Array:
        """Convert coordinates (n, r) to rows (n, p) of the features."""
        return self.origin + Z @ self.back

    def log_posterior(self, Z: Array) -> Array:
        """Return the logarithms of the posterior probabilities at coordinates (n, r): (n, K)."""
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors)
        return np.asarray(log_softmax(self.densities.log_density(Z) + log_priors, axis=1))

    def risk(self, Z: Array) -> Array:
        """Return the expected loss of each decision at coordinates (n, r): (n, K)."""
        return np.exp(self.log_posterior(Z)) @ self.loss


class BayesClassifier(ClassifierMixin, BaseEstimator):
    """Decide with minimum expected loss under known class densities.

    No classifier is better on rows from these densities. Its expected loss is
    `lincore.estimators.bayes_risk.bayes_error`, and the excess loss of another classifier is
    `lincore.estimators.bayes_risk.regret`.

    Parameters
    ----------
    means : array-like of shape (K, p)
        In the units of the features, in the order of `classes_`.
    covariances : array-like of shape (K, p, p), or (p, p) if shared by all classes
        Positive semidefinite. Directions in which no class varies are ignored: rows are assumed to
        lie in the subspace of the classes.
    priors : array-like of shape (K,) or mapping of label to probability, optional
        Class probabilities. Default: equal.
    loss : array-like of shape (K, K), optional
        Cost of deciding for the column's class if the row's class is true, >= 0. Default: 1 for
        every error.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    n_features_in_ : int

    Raises
    ------
    ValueError
        In `fit`, if shapes do not match, a covariance is not symmetric and positive semidefinite,
        or is singular in a direction in which another class varies, means differ in a direction in
        which no class varies (such classes are separated without error), priors are not
        probabilities, or losses are negative; and if the rows do not have these p features and K
        classes.

    References
    ----------
    "lecture-linear-classifiers", "Probabilistic Classification": minimise expected loss;
    "lda-from-scratch", where the best classifier is the sign of ``n(x) - 1/2``.

    Examples
    --------
    >>> means, X, y = [[0.0], [2.0]], [[0.0], [1.4], [2.0]], ["healthy", "ill", "ill"]
    >>> BayesClassifier(means, [[1.0]]).fit(X, y).predict([[0.9], [1.1]])
    array(['healthy', 'ill'], dtype='<U7')
    >>> wary = BayesClassifier(means, [[1.0]], loss=[[0, 1], [10, 0]])  # a missed illness is costly
    >>> wary.fit(X, y).predict([[-0.2], [0.9]])
    array(['healthy', 'ill'], dtype='<U7')
    """

    classes_: NDArray[Any]

    def __init__(
        self,
        means: ArrayLike,
        covariances: ArrayLike,
        priors: Priors = None,
        *,
        loss: ArrayLike | None = None,
    ) -> None:
        self.means = means
        self.covariances = covariances
        self.priors = priors
        self.loss = loss

    def known_classes(self) -> KnownClasses:
        """Return the validated parameters in suitable coordinates; needs no fit."""
        classes = getattr(self, "classes_", None)
        return KnownClasses.from_parameters(
            self.means, self.covariances, self.priors, self.loss, classes
        )

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Check rows X (n, p) and take the class names from the labels y (n,)."""
        rows = validate_rows(self, X, y).X
        known = self.known_classes()
        shape = (len(self.classes_), rows.shape[1])
        expected = (len(known.means), len(known.origin))
        if shape != expected:
            raise ValueError(
                f"The means are of {expected[0]} classes and {expected[1]} features, but the rows "
                f"have {shape[0]} classes and {shape[1]} features."
            )
        self._known = known
        return self

    def risk(self, X: ArrayLike) -> Array:
        """Return the expected loss of each decision, shape (n, K), in the units of the loss."""
        Z = self._coordinates(X)
        return self._known.risk(Z)

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the negative logarithm of the expected loss of each decision.

        Parameters
        ----------
        X : array-like of shape (n, p)

        Returns
        -------
        ndarray of shape (n, K), or (n,) for two classes
            For two classes the score of ``classes_[1]`` minus that of ``classes_[0]``: without a
            loss matrix these are the log odds, up to ±708.
        """
        # A loss that underflows is replaced by the smallest number: scores stay finite.
        scores = -np.log(np.maximum(self.risk(X), np.finfo(np.float64).tiny))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label with the smallest expected loss, shape (n,)."""
        chosen = self.risk(X).argmin(axis=1)
        return self.classes_[chosen]

    def predict_log_proba(self, X: ArrayLike) -> Array:
        """Return the log posterior probabilities, shape (n, K), independent of the loss."""
        Z = self._coordinates(X)
        return self._known.log_posterior(Z)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probabilities, shape (n, K); rows sum to one."""
        return np.exp(self.predict_log_proba(X))

    def _coordinates(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False)
        with np.errstate(over="ignore", invalid="ignore"):
            Z = self._known.coordinates(rows)
        # `not <=`, because an overflow may have produced NaN.
        if not np.abs(Z).max(initial=0.0) <= FARTHEST:
            raise ValueError(
                "Some rows are more than 1e150 deviations from the classes, so that squared "
                "distances overflow. Look for wrong values, or units that do not match."
            )
        return Z


def _checked_gaussians(means: ArrayLike, covariances: ArrayLike) -> tuple[Array, Array]:
    means, covariances = np.array(means, dtype=float), np.array(covariances, dtype=float)
    if means.ndim != 2 or len(means) < 2 or not np.isfinite(means).all():
        raise ValueError(
            f"means must be finite, of shape (K >= 2, p); their shape is {means.shape}."
        )
    n_classes, p = means.shape
    if covariances.shape == (p, p):
        covariances = np.repeat(covariances[None], n_classes, axis=0)
    if covariances.shape != (n_classes, p, p) or not np.isfinite(covariances).all():
        raise ValueError(
            f"covariances must be finite, of shape {(n_classes, p, p)} or {(p, p)} for means of "
            f"shape {(n_classes, p)}; their shape is {covariances.shape}."
        )
    for k, cov in enumerate(covariances):
        scale = np.sqrt(np.maximum(np.diagonal(cov), 0.0))
        rounding = 1e-10 * np.outer(scale, scale)
        units = np.where(scale > 0, scale, 1.0)
        negative = np.diagonal(cov).min() < 0
        if (np.abs(cov - cov.T) > rounding).any():
            raise ValueError(f"The covariance of class {k} is not symmetric.")
        if negative or np.linalg.eigvalsh(cov / units / units[:, None]).min() < -1e-10:
            raise ValueError(f"The covariance of class {k} is not positive semidefinite.")
    return means, (covariances + covariances.swapaxes(1, 2)) / 2


def _refuse_certainty(means: Array, residual: Array, deviation: Array) -> None:
    """Reject means that differ in constant directions; `residual` (K, p) lies in these."""
    rounding = 1e-7 * deviation + 1e-13 * np.abs(means).max(axis=0)
    differing = np.argwhere(np.abs(residual) > rounding)
    if len(differing):
        raise ValueError(
            f"The means differ in a direction in which no class varies (feature {differing[0, 1]} "
            "is part of it), so that they are separated without error. Give that direction a "
            "variance, or leave the feature out."
        )


def _refuse_singular(covariances: Array) -> None:
    for k, cov in enumerate(covariances):
        values = np.linalg.eigvalsh(cov)
        # The average covariance is the identity here, so some class varies in a lost direction.
        if not is_positive(np.append(values, 1.0))[:-1].all():
            raise ValueError(
                f"The covariance of class {k} is singular in a direction in which another class "
                "varies, so that their densities cannot be compared. Give class "
                f"{k} a small variance there."
            )


def _checked_loss(loss: Any, n_classes: int) -> Array:
    if loss is None:
        return 1.0 - np.eye(n_classes)
    costs = np.array(loss, dtype=float)
    if costs.shape != (n_classes, n_classes) or not np.all(np.isfinite(costs) & (costs >= 0)):
        raise ValueError(
            f"loss must be a finite matrix of shape {(n_classes, n_classes)} without negative "
            f"entries (adding a constant to a row does not change decisions)."
        )
    return costs
