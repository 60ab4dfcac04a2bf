"""What a fitted classifier makes of the points of a plane: densities, scores, posteriors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq
from scipy.special import log_softmax, logsumexp

from lincore.covariance import Whitener, is_positive
from lincore.gaussian import Gaussians
from lincore.linear import LinearClassifier, SoftmaxPosterior
from lincore.moments import BLOCK_VALUES

Array = NDArray[np.float64]
Lift = Callable[[Array], Any]

# Up to so many features a covariance is formed in order to look at a part of it.
MOST_FORMED = 2_000
# Points at which it is found out whether a model's scores decide.
CHECKED = 500


class Densities(NamedTuple):
    """Gaussian classes in a plane, and the logarithm of the weight of each, shape (K,)."""

    gaussians: Gaussians
    log_weights: Array


class Belief(ABC):
    """Scores of K classes at points of a plane."""

    has_posterior: bool

    @abstractmethod
    def scores(self, Z: Array) -> Array:
        """Return scores (g, K) at points Z (g, d), of which the largest decides."""

    @abstractmethod
    def log_posterior(self, Z: Array) -> Array:
        """Return log posteriors (g, K); only where `has_posterior`."""


class AffineBelief(Belief):
    """A linear classifier cut by a plane: scores are affine functions of the point.

    Parameters
    ----------
    coef : ndarray of shape (K, d)
    intercept : ndarray of shape (K,)
    has_posterior : bool
        Whether the softmax of the scores is the posterior.
    """

    def __init__(self, coef: Array, intercept: Array, has_posterior: bool) -> None:
        self.coef, self.intercept, self.has_posterior = coef, intercept, has_posterior

    @classmethod
    def of(cls, model: LinearClassifier, base: Array, steps: Array, n_classes: int) -> AffineBelief:
        """Cut a classifier, fitted on codes, by the plane ``base + z @ steps``."""
        coef, intercept = model.coef_, model.intercept_
        if len(model.classes_) == 2:
            coef = np.vstack([np.zeros_like(coef), coef])
            intercept = np.append(0.0, intercept)
        all_coef, all_intercept = np.zeros((n_classes, len(steps))), np.full(n_classes, -np.inf)
        all_coef[model.classes_] = coef @ steps.T
        all_intercept[model.classes_] = intercept + coef @ base
        return cls(all_coef, all_intercept, isinstance(model, SoftmaxPosterior))

    def scores(self, Z: Array) -> Array:
        """Return scores (g, K) at points Z (g, d), of which the largest decides."""
        return np.asarray(Z @ self.coef.T + self.intercept)

    def log_posterior(self, Z: Array) -> Array:
        """Return log posteriors (g, K)."""
        return np.asarray(log_softmax(self.scores(Z), axis=1))


class ModelBelief(Belief):
    """Any classifier with scikit-learn's contract, asked at the rows that points stand for.

    Parameters
    ----------
    model : classifier
        Fitted on codes.
    lift : callable
        From points (g, d) to what the classifier sees.
    width : int
        How many numbers such a row has: it limits how many are made at once.
    n_classes : int
    """

    def __init__(self, model: Any, lift: Lift, width: int, n_classes: int) -> None:
        self.model, self.lift, self.n_classes = model, lift, n_classes
        self.length = max(1, BLOCK_VALUES // max(1, width))
        # hasattr is scikit-learn's own contract: which of these a model has may hang on options.
        self.has_posterior = hasattr(model, "predict_proba")
        self._scores_decide: bool | None = None

    def scores(self, Z: Array) -> Array:
        """Return scores (g, K): decision function, or posteriors, or 1 for the prediction."""
        return self._spread(self._blocks(Z, self._block_scores))

    def log_posterior(self, Z: Array) -> Array:
        """Return log posteriors (g, K)."""
        with np.errstate(divide="ignore"):
            proba = self._blocks(Z, lambda rows: np.log(self.model.predict_proba(rows)))
        return self._spread(proba)

    def ambiguity(self, Z: Array) -> NDArray[np.intp]:
        """Return a code of `lincore.multiclass.Ambiguity` for each point, (g,)."""
        return self._blocks(Z, self.model.ambiguity).astype(np.intp)

    def _block_scores(self, rows: Any) -> Array:
        codes, known = np.asarray(self.model.classes_), len(self.model.classes_)
        if hasattr(self.model, "decision_function"):
            scores = np.asarray(self.model.decision_function(rows), dtype=float)
            if scores.ndim == 1:
                return np.column_stack([np.zeros(len(scores)), scores])
            if scores.shape[1] == known and self._decides(scores, rows):
                return scores
        if self.has_posterior:
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(self.model.predict_proba(rows)))
        return np.asarray(self.model.predict(rows)[:, None] == codes, dtype=float)

    def _decides(self, scores: Array, rows: Any) -> bool:
        """Whether the largest score is what is predicted: not so for scores of pairs of classes."""
        if self._scores_decide is None:
            some = slice(None, None, 1 + len(scores) // CHECKED)
            chosen = np.asarray(self.model.classes_)[scores[some].argmax(axis=1)]
            agrees = chosen == self.model.predict(rows[some])
            self._scores_decide = bool(np.mean(agrees) > 0.95)
        return self._scores_decide

    def _blocks(self, Z: Array, ask: Callable[[Any], Any]) -> NDArray[Any]:
        starts = range(0, max(len(Z), 1), self.length)
        return np.concatenate([ask(self.lift(Z[i : i + self.length])) for i in starts])

    def _spread(self, values: Array) -> Array:
        """Return (g, K): a class that the model never met is impossible."""
        spread = np.full((len(values), self.n_classes), -np.inf)
        spread[:, self.model.classes_] = values
        return spread


def marginal(model: Any, origin: Array, projection: Array, n_classes: int) -> Densities:
    """Integrate everything off a plane out of a Gaussian classifier.

    Parameters
    ----------
    model : classifier with `densities_` and `priors_`
        Fitted on codes.
    origin : ndarray of shape (q,)
    projection : ndarray of shape (q, d)
        Points are ``(x - origin) @ projection``.
    n_classes : int
    """
    means = (model.densities_.means - origin) @ projection
    covariances = _covariances(model, projection)
    whiteners = [Whitener.from_covariance(covariance) for covariance in covariances]
    with np.errstate(divide="ignore"):
        return _spread(model, means, whiteners, np.log(model.priors_), n_classes)


def conditional(model: Any, base: Array, steps: Array, n_classes: int) -> Densities:
    """Cut a Gaussian classifier by the plane ``base + z @ steps`` (steps: (d, q)).

    The densities are those of the place in the plane among the rows of a class that lie in it;
    the weights are the probabilities of the classes among those rows. Their product compares
    classes as the classifier itself does.
    """
    means, whiteners, log_weights = [], [], []
    with np.errstate(divide="ignore"):
        log_priors = np.log(model.priors_)
    gaussians = model.densities_
    for mean, whole, log_prior in zip(
        gaussians.means, gaussians.whiteners, log_priors, strict=True
    ):
        slope, start = whole.whiten(steps), whole.whiten((base - mean)[None])[0]
        # Free of the units of the axes first, so that the rank depends on neither.
        size = np.linalg.norm(slope, axis=1, keepdims=True)
        size = np.where(size > 0, size, 1.0)
        left, lengths, right = np.linalg.svd(slope / size, full_matrices=False)
        kept = is_positive(lengths**2) if lengths.any() else lengths > 0
        left, lengths, along = left[:, kept], lengths[kept], right[kept] @ start
        means.append(-(left / lengths / size) @ along)
        log_det = -2 * (np.log(lengths).sum() + np.log(size).sum())
        whitener = Whitener(size * left * lengths, float(log_det))
        off = start @ start - along @ along
        gain = whitener.rank * np.log(2 * np.pi) + whitener.log_det - off - whole.log_det
        whiteners.append(whitener)
        log_weights.append(log_prior + 0.5 * gain)
    weights = np.array(log_weights)
    weights = np.where(np.isnan(weights), -np.inf, weights)
    return _spread(model, np.array(means), whiteners, weights - logsumexp(weights), n_classes)


def _covariances(model: Any, projection: Array) -> Array:
    """Return the covariances in the plane, (K, d, d)."""
    whiteners = model.densities_.whiteners
    if whiteners[0].factor.ndim == 1:
        variances = []
        for whitener in whiteners:
            with np.errstate(divide="ignore"):
                inverse = 1 / whitener.factor**2
            variances.append(np.where(whitener.factor > 0, inverse, 0.0))
        return np.stack([(projection.T * variance) @ projection for variance in variances])
    if len(projection) <= MOST_FORMED:
        covariance = np.broadcast_to(model.covariance_, (len(whiteners), *[len(projection)] * 2))
        if model.covariance_.ndim == 2:
            return np.stack([projection.T @ covariance[0] @ projection] * len(whiteners))
        return np.asarray(projection.T @ covariance @ projection)
    found: dict[int, Array] = {}
    for whitener in whiteners:
        if id(whitener) not in found:
            root = lstsq(whitener.factor, projection, lapack_driver="gelsy")[0]
            found[id(whitener)] = root.T @ root
    return np.stack([found[id(whitener)] for whitener in whiteners])


def _spread(
    model: Any, means: Array, whiteners: list[Whitener], log_weights: Array, n_classes: int
) -> Densities:
    """Make room for classes that the model never met: without mean, and impossible."""
    all_means = np.full((n_classes, means.shape[1]), np.nan)
    all_weights = np.full(n_classes, -np.inf)
    all_whiteners = [whiteners[0]] * n_classes
    for code, mean, whitener, weight in zip(
        model.classes_, means, whiteners, log_weights, strict=True
    ):
        all_means[code], all_whiteners[code], all_weights[code] = mean, whitener, weight
    return Densities(Gaussians(all_means, tuple(all_whiteners)), all_weights)
