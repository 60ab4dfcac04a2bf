"""Decision functions and posteriors of a fitted classifier at points of a plane."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from lincore.estimators.base.linear import LinearClassifier, SoftmaxPosterior
from lincore.estimators.multiclass import BinaryModels, HalfSpace
from lincore.estimators.multinomial import MultinomialNB
from lincore.moments.moments import BLOCK_VALUES
from lincore.utils.typing import Array

Lift = Callable[[Array], Any]

# Number of points at which it is checked whether the largest score is the prediction.
CHECKED = 500


class DecisionFunction(ABC):
    """Scores of K classes at points of a plane."""

    has_posterior: bool

    @abstractmethod
    def scores(self, Z: Array) -> Array:
        """Return scores (g, K) at points Z (g, d); the largest decides."""

    def log_posterior(self, Z: Array) -> Array:
        """Return log posteriors (g, K), by default the log softmax of the scores."""
        # Only used if `has_posterior`.
        return np.asarray(log_softmax(self.scores(Z), axis=1))

    def in_units(self, units: Array) -> DecisionFunction:
        """Return the functions in coordinates that are divided by `units` (d,)."""
        return RescaledDecision(self, units)


class RescaledDecision(DecisionFunction):
    """Decision functions in coordinates that were divided by `units` (d,)."""

    def __init__(self, decision_function: DecisionFunction, units: Array) -> None:
        self.decision_function, self.units = decision_function, units
        self.has_posterior = decision_function.has_posterior

    def scores(self, Z: Array) -> Array:
        """Return scores (g, K) at points Z (g, d); the largest decides."""
        return self.decision_function.scores(Z * self.units)

    def log_posterior(self, Z: Array) -> Array:
        """Return log posteriors (g, K)."""
        return self.decision_function.log_posterior(Z * self.units)


class AffineDecision(DecisionFunction):
    """A linear classifier restricted to a plane, with coefficients (K, d) and intercepts (K,)."""

    def __init__(self, coef: Array, intercept: Array, has_posterior: bool) -> None:
        self.coef, self.intercept, self.has_posterior = coef, intercept, has_posterior

    @classmethod
    def of(
        cls, model: LinearClassifier, base: Array, steps: Array, n_classes: int
    ) -> AffineDecision:
        """Restrict a classifier, fitted on codes, to the plane ``base + z @ steps``."""
        coef, intercept = model.coef_, model.intercept_
        if len(model.classes_) == 2:
            coef = np.vstack([np.zeros_like(coef), coef])
            intercept = np.append(0.0, intercept)
        all_coef, all_intercept = np.zeros((n_classes, len(steps))), np.full(n_classes, -np.inf)
        all_coef[model.classes_] = coef @ steps.T
        all_intercept[model.classes_] = intercept + coef @ base
        return cls(all_coef, all_intercept, isinstance(model, SoftmaxPosterior))

    def scores(self, Z: Array) -> Array:
        """Return scores (g, K) at points Z (g, d); the largest decides."""
        return np.asarray(Z @ self.coef.T + self.intercept)


def binary_section(model: BinaryModels, base: Array, steps: Array) -> BinaryModels | None:
    """Return binary models restricted to ``base + z @ steps``; None if they are not linear."""
    if not all(isinstance(binary, LinearClassifier) for binary in model.estimators_):
        return None
    section = copy(model)
    section.estimators_ = [
        HalfSpace(binary.coef_ @ steps.T, binary.intercept_ + binary.coef_ @ base)
        for binary in model.estimators_
    ]
    section.n_features_in_ = len(steps)
    if hasattr(section, "feature_names_in_"):
        del section.feature_names_in_
    return section


class ModelDecision(DecisionFunction):
    """Any scikit-learn classifier, evaluated at the rows that points of the plane represent."""

    # `lift` maps points (g, d) to classifier inputs of `width` values; `section` is the model
    # restricted to the plane, if its binary models are half-planes there.

    def __init__(
        self,
        model: Any,
        lift: Lift,
        width: int,
        n_classes: int,
        section: BinaryModels | None = None,
    ) -> None:
        self.model, self.lift, self.n_classes, self.section = model, lift, n_classes, section
        self.length = max(1, BLOCK_VALUES // max(1, width))
        # As in scikit-learn: whether a model has these methods may depend on its options.
        self.has_posterior = hasattr(model, "predict_proba")
        self._scores_decide: bool | None = None

    def scores(self, Z: Array) -> Array:
        """Return scores (g, K): decision function, or posteriors, or 1 for the prediction."""
        return self._add_absent_classes(self._evaluate(Z, self._block_scores))

    def log_posterior(self, Z: Array) -> Array:
        """Return log posteriors (g, K)."""
        with np.errstate(divide="ignore"):
            log_proba = self._evaluate(Z, lambda rows: np.log(self.model.predict_proba(rows)))
        return self._add_absent_classes(log_proba)

    def in_units(self, units: Array) -> ModelDecision:
        """Return the functions in coordinates that are divided by `units` (d,)."""
        rescaled, lift = copy(self), self.lift
        rescaled.lift, rescaled.section = (lambda Z: lift(Z * units)), None
        return rescaled

    def ambiguity(self, Z: Array) -> NDArray[np.intp]:
        """Return a code of `lincore.estimators.multiclass.Ambiguity` for each point, (g,)."""
        return self._evaluate(Z, self.model.ambiguity).astype(np.intp)

    def _block_scores(self, rows: Any) -> Array:
        codes = np.asarray(self.model.classes_)
        if hasattr(self.model, "decision_function"):
            scores = np.asarray(self.model.decision_function(rows), dtype=float)
            if scores.ndim == 1:
                return np.column_stack([np.zeros(len(scores)), scores])
            if scores.shape[1] == len(codes) and self._scores_predict(scores, rows):
                return scores
        if self.has_posterior:
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(self.model.predict_proba(rows)))
        return np.asarray(self.model.predict(rows)[:, None] == codes, dtype=float)

    def _scores_predict(self, scores: Array, rows: Any) -> bool:
        """Return whether the largest score is the prediction; false for pairwise scores."""
        if self._scores_decide is None:
            checked = slice(None, None, 1 + len(scores) // CHECKED)
            chosen = np.asarray(self.model.classes_)[scores[checked].argmax(axis=1)]
            agrees = chosen == self.model.predict(rows[checked])
            self._scores_decide = bool(np.mean(agrees) > 0.95)
        return self._scores_decide

    def _evaluate(self, Z: Array, function: Callable[[Any], Any]) -> NDArray[Any]:
        """Evaluate a function of rows at points, in blocks."""
        starts = range(0, max(len(Z), 1), self.length)
        return np.concatenate([function(self._lifted(Z[i : i + self.length])) for i in starts])

    def _lifted(self, Z: Array) -> Any:
        rows = self.lift(Z)
        # Counts are not negative: the margin of the plot is evaluated at zero.
        return rows * (rows > 0) if isinstance(self.model, MultinomialNB) else rows

    def _add_absent_classes(self, values: Array) -> Array:
        """Return values (g, K) with -inf for classes without training rows."""
        all_values = np.full((len(values), self.n_classes), -np.inf)
        all_values[:, self.model.classes_] = values
        return all_values
