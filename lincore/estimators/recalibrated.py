"""A classifier whose posteriors are recalibrated by cross-validation within the training rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import (
    CalibratedClassifierCV,
    _CalibratedClassifier,
    _SigmoidCalibration,
    _TemperatureScaling,
)
from sklearn.isotonic import IsotonicRegression

from lincore.estimators.base.inner_folds import WithInnerFolds, inner_folds
from lincore.estimators.tuned import Tuned, Tuning
from lincore.utils.typing import Array

#: Lower bound of log posteriors: that of an impossible class is minus infinity.
_LEAST = -1e5


class LogOdds(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier with posteriors, scored by their log odds, or else by their logarithms."""

    # Scores of more than two classes may have a term that depends on the row and says nothing about
    # the classes; posteriors have none.

    def __init__(self, estimator: Any, odds: bool = True):
        self.estimator = estimator
        self.odds = odds

    def fit(self, X: Any, y: Any, sample_weight: Any = None, units: Any = None) -> Self:
        given = {"sample_weight": sample_weight, "units": units}
        given = {name: value for name, value in given.items() if value is not None}
        fitted = clone(self.estimator).fit(X, y, **given)
        self.estimator_ = fitted.best_estimator_ if isinstance(fitted, Tuned) else fitted
        self.classes_ = self.estimator_.classes_
        if not hasattr(self.estimator_, "predict_proba"):
            raise ValueError("Only posteriors can be recalibrated, and this model has none.")
        return self

    def predict(self, X: Any) -> Any:
        return self.estimator_.predict(X)

    def decision_function(self, X: Any) -> Array:
        if hasattr(self.estimator_, "predict_log_proba"):
            log_proba = self.estimator_.predict_log_proba(X)
        else:
            with np.errstate(divide="ignore"):
                log_proba = np.log(self.estimator_.predict_proba(X))
        log_proba = np.maximum(log_proba, _LEAST)
        if log_proba.shape[1] == 2:
            return np.asarray(log_proba[:, 1] - log_proba[:, 0])
        if not self.odds:
            return log_proba
        others = np.where(np.eye(log_proba.shape[1], dtype=bool), -np.inf, log_proba[:, None, :])
        return np.asarray(log_proba - np.logaddexp.reduce(others, axis=2))


class Recalibrated(WithInnerFolds):
    """A classifier with recalibrated posteriors, by scikit-learn's `CalibratedClassifierCV`.

    Five inner folds give each training row a posterior of a model that was fitted without it; the
    recalibration is fitted to these, and applied to the model of all training rows. Options of a
    `Tuned` classifier are chosen anew for each of these models, by folds within its own rows.

    Parameters
    ----------
    estimator : classifier
        With posteriors; or `Tuned`.
    method : {"sigmoid", "temperature", "isotonic"}
        Logistic regression of each class on its log odds, normalised; one factor for all log
        posteriors; isotonic regression of each class, normalised.
    random_state : int, optional
        Seed of the inner folds.

    References
    ----------
    Platt (1999), "Probabilistic outputs for support vector machines"; Zadrozny, Elkan (2002),
    "Transforming classifier scores into accurate multiclass probability estimates"; Guo et al.
    (2017), "On calibration of modern neural networks".
    """

    def __init__(self, estimator: Any, method: str = "sigmoid", random_state: int | None = None):
        self.estimator = estimator
        self.method = method
        self.random_state = random_state

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: Any = None, units: ArrayLike | None = None
    ) -> Self:
        """Fit model and recalibration; rows of the same unit stay in one inner fold."""
        y = np.asarray(y)
        units = None if units is None else np.asarray(units)
        is_tuned = isinstance(self.estimator, Tuned) and units is not None
        fit_params = {"units": units} if is_tuned else {}
        cv = CalibratedClassifierCV(
            LogOdds(self.estimator, self.method != "temperature"),
            method=self.method,
            cv=inner_folds(y, units, self.random_state, "Recalibration"),
            ensemble=False,
        ).fit(X, y, sample_weight, **fit_params)
        self.classes_ = cv.classes_
        self.calibrated_ = cv.calibrated_classifiers_[0]
        self.n_features_in_ = X.shape[1]
        return self

    @property
    def estimator_(self) -> Any:
        """The model of all training rows, before recalibration."""
        return self.calibrated_.estimator.estimator_

    @property
    def tuning_(self) -> Tuning | None:
        """How its options were chosen; None if they were given."""
        return getattr(self.estimator_, "tuning_", None)

    @property
    def parts(self) -> list[Any]:
        """The fitted objects around the model: scikit-learn's calibrators and what applies them."""
        return [self.calibrated_, self.calibrated_.estimator, *self.calibrated_.calibrators]

    def predict_proba(self, X: Any) -> Array:
        """Return the recalibrated posteriors, shape (n, K)."""
        return np.asarray(self.calibrated_.predict_proba(X))

    def predict(self, X: Any) -> Any:
        """Return the class with the largest recalibrated posterior of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


#: Types of the fitted objects around the model, see `Recalibrated.parts`.
PARTS = (
    LogOdds,
    _CalibratedClassifier,
    _SigmoidCalibration,
    _TemperatureScaling,
    IsotonicRegression,
)
