"""Moments by fold and class, models of every fold, and what these score on the tested rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from lincore.data.labels import positions
from lincore.errors import DataError
from lincore.metrics.confusion_scores import (
    Tally,
    accuracy,
    balanced_accuracy,
    brier_losses,
    divide,
    log_losses,
    macro_f1,
    mcc,
)
from lincore.metrics.estimates import SCORES
from lincore.metrics.intervals import Interval, Spread, from_spread, wilson
from lincore.model_selection.methods import Spec, as_method, as_methods
from lincore.moments.moments import Moments, leave_one_out
from lincore.utils.threads import part_mapper
from lincore.utils.typing import Array


@dataclass(frozen=True, eq=False)
class FoldMoments:
    """Counts, means and scatters by fold and class: enough to fit and cross-validate.

    Parameters
    ----------
    moments : Moments of shapes (F, K), (F, K, p), (F, K, p, p)
        Of the rows that each fold tests.
    classes : ndarray of shape (K,)
        Labels, increasing.
    seed : int
        The seed that dealt rows over the folds.
    """

    moments: Moments
    classes: NDArray[Any]
    seed: int

    @property
    def n_folds(self) -> int:
        """Number of folds, F."""
        return len(self.moments)

    @property
    def n_rows(self) -> int:
        """Number of rows summed."""
        return int(self.moments.count.sum())

    @property
    def by_class(self) -> Moments:
        """Moments of all rows by class, (K,), (K, p), (K, p, p)."""
        m = self.moments
        return Moments(m.count.T, m.mean.swapaxes(0, 1), m.scatter.swapaxes(0, 1)).pooled()

    def fit(self, method: Spec, moments: Moments | None = None) -> Any:
        """Fit a classifier that is solved from moments, as if from the rows."""
        chosen = as_method(method)
        if not chosen.from_moments:
            raise DataError(
                f"{chosen.label} learns from rows, and these are sums.",
                where=f"method {chosen.name}",
                remedy="Choose LDA, QDA, naive Bayes, Fisher or least squares.",
            )
        whole = self.by_class if moments is None else moments
        return clone(chosen.estimator).fit_moments(whole, self.classes)


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Counts of predictions and sums of losses by fold; those of different rows add up.

    Parameters
    ----------
    methods : tuple of M str
    confusion : ndarray of shape (M, F, K, K)
        Rows of each class (first) by predicted class, in each fold.
    losses : ndarray of shape (M, F, 2)
        Sums of log losses (nats) and of Brier scores (over classes).
    """

    methods: tuple[str, ...]
    confusion: Array
    losses: Array

    def __add__(self, other: FoldScores) -> FoldScores:
        """Add the counts and losses of other rows."""
        return FoldScores(
            self.methods, self.confusion + other.confusion, self.losses + other.losses
        )

    @property
    def scores(self) -> tuple[str, ...]:
        """Names of the scores."""
        return tuple(_scores(self.confusion, self.losses))

    def table(self) -> pd.DataFrame:
        """Return the scores of each method, a row each."""
        scores = _scores(self.confusion.sum(axis=1), self.losses.sum(axis=1))
        return pd.DataFrame(scores, index=pd.Index(self.methods, name="method"))

    def interval(self, method: str, score: str) -> Interval:
        """Return a score with its 95 % interval over the folds, by the corrected resampled t.

        Shares have Wilson's interval for the number of rows that would vary as much, losses that
        of the logarithm. If all folds agree, accuracy has Wilson's interval for its rows, and
        other scores have no ends (NaN).
        """
        m, kind = self.methods.index(method), SCORES[score]
        confusion, losses = self.confusion[m], self.losses[m]
        value = float(_scores(confusion.sum(axis=0), losses.sum(axis=0))[score])
        by_fold = _scores(confusion, losses)[score]
        n_folds = len(by_fold)
        variance = float(by_fold.var(ddof=1)) * (1 / n_folds + 1 / (n_folds - 1))
        if variance > 0:
            spread = Spread(variance, n_folds - 1)
            return from_spread(value, spread, kind.lowest, kind.highest)
        if score != "accuracy":
            return Interval(value, np.nan, np.nan)
        n_rows = confusion.sum()
        return Interval(*(float(end) for end in wilson(value * n_rows, n_rows)))


def _scores(confusion: Array, losses: Array) -> dict[str, Array]:
    """Return scores (...) of counts (..., K, K) and sums of losses (..., 2)."""
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    tally = Tally(right, confusion.sum(axis=-1), confusion.sum(axis=-2))
    n_rows = tally.true.sum(axis=-1)
    return {
        "accuracy": accuracy(tally),
        "balanced accuracy": balanced_accuracy(tally),
        "macro F1": macro_f1(tally),
        "MCC": mcc(tally),
        "log loss": divide(losses[..., 0], n_rows),
        "Brier": divide(losses[..., 1], n_rows),
    }


@dataclass(frozen=True, eq=False)
class FoldModels:
    """Models of every fold, sent to the rows that they are tested on.

    Parameters
    ----------
    methods : tuple of M str
    models : tuple of F tuple of M fitted classifiers
    classes : ndarray of shape (K,)
        Labels, in the order of the codes.
    """

    methods: tuple[str, ...]
    models: tuple[tuple[Any, ...], ...]
    classes: NDArray[Any]

    @classmethod
    def fit(cls, found: FoldMoments, methods: Spec | Iterable[Spec]) -> FoldModels:
        """Fit each method to what each fold trains on: the rows of all other folds."""
        chosen = as_methods(methods)
        models = tuple(
            tuple(found.fit(method, moments).without_moments() for method in chosen)
            for moments in leave_one_out(found.moments)
        )
        return cls(tuple(method.name for method in chosen), models, found.classes)

    def score(self, X: NDArray[Any], codes: NDArray[np.intp], part: NDArray[np.intp]) -> FoldScores:
        """Test the models on rows (n, p) with class codes (n,) and the fold that tests each."""
        M, F, K = len(self.methods), len(self.models), len(self.classes)
        confusion, losses = np.zeros((M, F, K, K)), np.zeros((M, F, 2))

        def test(fold: int) -> None:
            tested = np.flatnonzero(part == fold)
            if not len(tested):
                return
            for m, model in enumerate(self.models[fold]):
                confusion[m, fold], losses[m, fold] = _counted(
                    model, positions(model.classes_, self.classes), X[tested], codes[tested]
                )

        with part_mapper(X.size) as each:
            list(each(test, range(F)))
        return FoldScores(self.methods, confusion, losses)


def _counted(
    model: Any, places: NDArray[np.intp], rows: Array, truth: NDArray[np.intp]
) -> tuple[NDArray[np.intp], Array]:
    """Return counts (K, K) and summed losses (2,) of rows; `places` are those of its classes."""
    K, losses = len(places), np.full(2, np.nan)
    if hasattr(model, "predict_log_proba"):
        found = model.predict_log_proba(rows)
        log_proba = np.empty((len(rows), K))
        log_proba[:, places] = found
        losses[:] = log_losses(log_proba, truth).sum(), brier_losses(log_proba, truth).sum()
        # As `predict` has it, which would compute all of this again.
        predicted = places[found.argmax(axis=1)]
    else:
        predicted = places[np.searchsorted(model.classes_, model.predict(rows))]
    return np.bincount(truth * K + predicted, minlength=K * K).reshape(K, K), losses
