"""Options of a classifier that cross-validation within the training rows chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from lincore.estimators.base.inner_folds import INNER_FOLDS, Rows, WithInnerFolds, inner_folds
from lincore.moments.moments import LARGEST_SCATTER, Moments, leave_one_out
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array

#: Rules that may replace the value of an option: the best candidate, or the simplest one that is at
#: most one standard error worse.
RULES = ("cv", "cv-1se")
_FROM_0_TO_1 = (1.0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001, 0.0)
#: Candidates of each option, the most regularised first.
CANDIDATES: Mapping[str, tuple[float, ...]] = {
    "C": tuple(10.0**power for power in range(-4, 5)),
    "alpha": tuple(10.0**power for power in range(5, -4, -1)),
    "shrinkage": _FROM_0_TO_1,
    "regularization": _FROM_0_TO_1,
}
#: If both are chosen: the grid of Friedman (1989).
FRIEDMAN: Mapping[str, tuple[float, ...]] = {
    "regularization": (1.0, 0.65, 0.354, 0.125, 0.0),
    "shrinkage": (1.0, 0.75, 0.5, 0.25, 0.0),
}


@dataclass(frozen=True, eq=False)
class Tuning:
    """How options, or the number of principal components, were chosen."""

    rule: str  # {"cv", "cv-1se"}
    options: tuple[str, ...]
    candidates: Array  # (n, number of options); the most regularised first
    # (n, 5); mean loss in each inner fold, infinite where the candidate could not be fitted
    losses: Array
    loss: str  # "log loss" in nats, or "error rate" of a classifier without posteriors

    @property
    def mean(self) -> Array:
        """Mean loss of each candidate over the folds."""
        return np.asarray(self.losses.mean(axis=1))

    @property
    def error(self) -> Array:
        """Standard error of these means, from the spread between folds."""
        possible = np.where(np.isfinite(self.losses), self.losses, 0.0)
        return np.asarray(possible.std(axis=1, ddof=1) / np.sqrt(self.losses.shape[1]))

    @property
    def best(self) -> int:
        """Position of the least mean loss; of equal ones the most regularised."""
        return int(self.mean.argmin())

    @property
    def simplest(self) -> int:
        """Position of the most regularised candidate within one standard error of the best."""
        return int(np.argmax(self.mean <= self.mean[self.best] + self.error[self.best]))

    @property
    def chosen(self) -> int:
        """Position of the candidate that the rule takes."""
        return self.best if self.rule == "cv" else self.simplest

    @property
    def values(self) -> dict[str, float]:
        """The chosen value of each option."""
        return dict(zip(self.options, self.candidates[self.chosen].tolist(), strict=True))


class Tuned(WithInnerFolds):
    """A classifier some of whose options are chosen by cross-validation in the training rows.

    Five stratified inner folds give each candidate a mean log loss, or an error rate if there are
    no posteriors. The classifier with the chosen values is then fitted to all training rows; it is
    `best_estimator_`, and its `tuning_` holds the losses. Classifiers that are fitted from moments
    pass over the rows once for all candidates.

    Parameters
    ----------
    estimator : classifier
    options : tuple of str
        Keys of `CANDIDATES`.
    rule : {"cv", "cv-1se"}
        The candidate of least mean loss, or the most regularised one whose mean loss is at most one
        standard error larger.
    random_state : int, optional
        Seed of the inner folds.

    References
    ----------
    Friedman (1989), "Regularized discriminant analysis"; Breiman, Friedman, Olshen, Stone (1984),
    "Classification and regression trees", section 3.4.3; Varma, Simon (2006), "Bias in error
    estimation when using cross-validation for model selection".
    """

    def __init__(
        self,
        estimator: Any,
        options: tuple[str, ...] = (),
        rule: str = "cv",
        random_state: int | None = None,
    ):
        self.estimator = estimator
        self.options = options
        self.rule = rule
        self.random_state = random_state

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: Any = None, units: ArrayLike | None = None
    ) -> Self:
        """Choose the options and fit; rows of the same unit stay in one inner fold."""
        y = np.asarray(y)
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        folds = inner_folds(
            y,
            None if units is None else np.asarray(units),
            self.random_state,
            f"A choice of {' and '.join(self.options)} by cross-validation",
        )
        with captured_warnings():
            candidates = self._candidates(X, y, weight)
            losses, loss = self._losses(X, y, weight, folds, candidates)
        tuning = Tuning(self.rule, tuple(self.options), np.array(candidates), losses, loss)
        self.best_estimator_ = clone(self.estimator).set_params(**tuning.values)
        _fit(self.best_estimator_, X, y, weight)
        self.best_estimator_.tuning_ = tuning
        self.classes_ = self.best_estimator_.classes_
        self.n_features_in_ = X.shape[1]
        return self

    @property
    def _is_path(self) -> bool:
        """True if a penalty that selects features is chosen, for which C has no common scale."""
        return self.options == ("C",) and self.estimator.l1_ratio > 0

    def _candidates(self, X: Any, y: NDArray[Any], weight: Array | None) -> list[tuple[float, ...]]:
        """Return the values of the options to compare, the most regularised first."""
        if self._is_path:
            return [(model.C,) for model in self.estimator.fit_path(X, y, weight)]
        grid = CANDIDATES if len(self.options) == 1 else FRIEDMAN
        return list(product(*(grid[name] for name in self.options)))

    def _losses(
        self,
        X: Any,
        y: NDArray[Any],
        weight: Array | None,
        folds: list[tuple[Rows, Rows]],
        candidates: Sequence[tuple[float, ...]],
    ) -> tuple[Array, str]:
        """Return the losses of all candidates in all folds, and what they are."""
        losses = np.full((len(candidates), INNER_FOLDS), np.inf)
        classes, loss, reason = np.unique(y), "", None
        moments = self._moments(X, y, weight, folds, classes)
        for j, (train, test) in enumerate(folds):
            test_rows = X[test], y[test], None if weight is None else weight[test]
            if self._is_path:
                train_weight, Cs = None if weight is None else weight[train], np.ravel(candidates)
                for i, model in enumerate(
                    self.estimator.fit_path(X[train], y[train], train_weight, Cs=Cs)
                ):
                    losses[i, j], loss = _mean_loss(model, *test_rows)
                continue
            for i, values in enumerate(candidates):
                model = clone(self.estimator)
                model.set_params(**dict(zip(self.options, values, strict=True)))
                try:
                    if moments is None:
                        _fit(model, X[train], y[train], None if weight is None else weight[train])
                    else:
                        model.fit_moments(moments[j], classes)
                    losses[i, j], loss = _mean_loss(model, *test_rows)
                except ValueError as error:
                    reason = error
        if reason is not None and not np.isfinite(losses).all(axis=1).any():
            raise reason
        return losses, loss

    def _moments(
        self,
        X: Any,
        y: NDArray[Any],
        weight: Array | None,
        folds: list[tuple[Rows, Rows]],
        classes: NDArray[Any],
    ) -> list[Moments] | None:
        """Return the moments by class of the training rows of each fold, from one pass."""
        n, q = X.shape
        solved = hasattr(self.estimator, "fit_moments") and not sp.issparse(X)
        if not solved or n < q or len(classes) * q**2 > LARGEST_SCATTER / INNER_FOLDS:
            return None
        codes = np.searchsorted(classes, y)
        return leave_one_out(
            (
                Moments.from_groups(
                    X[test], codes[test], len(classes), None if weight is None else weight[test]
                )
                for _, test in folds
            ),
            overwrite=True,
        )

    def predict(self, X: Any) -> Any:
        """Return the class of each row."""
        return self.best_estimator_.predict(X)


def _fit(model: Any, X: Any, y: NDArray[Any], weight: Array | None) -> None:
    model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)


def _mean_loss(model: Any, X: Any, y: NDArray[Any], weight: Array | None) -> tuple[float, str]:
    """Return the mean log loss, or the error rate of a classifier without posteriors."""
    if not hasattr(model, "predict_log_proba"):
        return float(np.average(model.predict(X) != y, weights=weight)), "error rate"
    own = model.predict_log_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return mean_log_loss(own, weight), "log loss"


def mean_log_loss(own: Array, weight: Array | None) -> float:
    """Return the mean log loss from the log posteriors (n,) of each row's own class."""
    # As scikit-learn's `log_loss`: a single impossible row must not decide.
    return float(-np.average(np.maximum(own, np.log(np.finfo(float).eps)), weights=weight))
