"""Cross-validation over sites: models of merged moments, tested where the rows are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.dataset import Dataset
from lincore.data.labels import positions
from lincore.errors import DataError
from lincore.federation.shared_moments import SharedMoments, deal_rows
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
from lincore.model_selection.methods import Spec, as_methods
from lincore.utils.threads import part_mapper
from lincore.utils.typing import Array

#: Methods that are solved from moments, as they are compared where none are named.
METHODS = ("lda", "qda", "naive-bayes", "fisher", "least-squares")


@dataclass(frozen=True, eq=False)
class SharedScores:
    """Counts of predictions and sums of losses: what a site reports for its tested rows.

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

    def __add__(self, other: SharedScores) -> SharedScores:
        """Count the rows of two sites together.

        Raises
        ------
        DataError
            When methods, folds or classes differ.
        """
        if self.methods != other.methods or self.confusion.shape != other.confusion.shape:
            raise DataError(
                "Scores of different methods, folds or classes cannot be added.",
                where="shared scores",
                remedy="Score every site by the same merged moments and methods.",
            )
        return SharedScores(
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
        of the logarithm. Where all folds agree they say nothing of chance: then the accuracy has
        Wilson's interval for its rows, and other scores have no ends (NaN).

        Parameters
        ----------
        method : str
        score : str
            One of `scores`.

        References
        ----------
        Nadeau, Bengio (2003), "Inference for the generalization error", section 4.
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


def score_rows(
    shared: SharedMoments, data: Dataset, methods: Spec | Iterable[Spec]
) -> SharedScores:
    """Test the models of every fold on a site's own rows.

    Each fold's models learn from the rows of all sites that the fold does not test, by their
    moments; the rows of the fold never leave the site.

    Parameters
    ----------
    shared : SharedMoments
        Of all sites, this one among them.
    data : Dataset
        The rows of this site.
    methods : spec or specs

    Raises
    ------
    DataError
        When the rows are not among those that were summarised.

    Examples
    --------
    >>> import lincore
    >>> from lincore.federation.shared_moments import summarise
    >>> iris = lincore.sample("iris")
    >>> found = score_rows(summarise(iris, n_folds=5, smallest=10), iris, ["lda"])
    >>> [round(end, 2) for end in found.interval("lda", "accuracy")]
    [0.98, 0.83, 1.0]
    """
    return fit_folds(shared, methods).score(*own_rows(shared, data))


def own_rows(
    shared: SharedMoments, data: Dataset
) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.intp]]:
    """Return a site's rows as the moments of all sites have them.

    Parameters
    ----------
    shared : SharedMoments
    data : Dataset

    Returns
    -------
    X : ndarray of shape (n, p)
    codes : ndarray of shape (n,)
        Positions of their labels in `shared.classes`.
    part : ndarray of shape (n,)
        The fold that tests each.

    Raises
    ------
    DataError
        When the rows are not among those that were summarised.
    """
    if data.digest not in shared.digests:
        raise DataError(
            "These rows are not among those that were summed.",
            where=f"rows of {data.name}",
            remedy="Give the file that this site's moments were made of, unchanged.",
        )
    part = deal_rows(data, shared.n_folds, shared.seed)
    columns = [list(data.feature_names).index(name) for name in shared.feature_names]
    truth = positions(data.classes, shared.classes)[data.codes]
    return data.X[:, columns], truth, part


@dataclass(frozen=True, eq=False)
class FoldModels:
    """Models of every fold, which may travel to the rows that they are tested on.

    Parameters
    ----------
    methods : tuple of M str
    models : tuple of F tuple of M fitted classifiers
        Without the moments that they were fitted to.
    classes : ndarray of shape (K,)
        The labels, in the order of the codes.
    """

    methods: tuple[str, ...]
    models: tuple[tuple[Any, ...], ...]
    classes: NDArray[Any]

    def score(
        self, X: NDArray[Any], codes: NDArray[np.intp], part: NDArray[np.intp]
    ) -> SharedScores:
        """Test the models on rows.

        Parameters
        ----------
        X : ndarray of shape (n, p)
        codes : ndarray of shape (n,)
            Positions of the rows' labels in `classes`.
        part : ndarray of shape (n,)
            The fold that tests each row.
        """
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
        return SharedScores(self.methods, confusion, losses)


def fit_folds(shared: SharedMoments, methods: Spec | Iterable[Spec]) -> FoldModels:
    """Fit methods to what each fold trains on, the rows of all other folds.

    Parameters
    ----------
    shared : SharedMoments
    methods : spec or specs

    Returns
    -------
    FoldModels

    Raises
    ------
    DataError
        When one of them wants rows.
    """
    chosen = as_methods(methods)
    models = tuple(
        tuple(shared.fit(method, moments).without_moments() for method in chosen)
        for moments in shared.training()
    )
    return FoldModels(tuple(method.name for method in chosen), models, shared.classes)


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
