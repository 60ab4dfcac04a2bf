"""Cross-validation over sites: models of merged moments, tested where the rows are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.federation.shared_moments import SharedMoments, deal_rows
from lincore.metrics.confusion_scores import brier_losses, log_losses
from lincore.model_selection.methods import Spec, as_methods
from lincore.utils.typing import Array

#: Methods that are solved from moments, as they are compared where none are named.
METHODS = ("lda", "qda", "naive-bayes", "fisher", "least-squares")


@dataclass(frozen=True, eq=False)
class SharedScores:
    """Counts of predictions and sums of losses: what a site tells of its tested rows.

    Parameters
    ----------
    methods : tuple of M str
    confusion : ndarray of shape (M, K, K)
        Rows of each class (first) by predicted class, over all folds.
    losses : ndarray of shape (M, 2)
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
            When methods or classes differ.
        """
        if self.methods != other.methods or self.confusion.shape != other.confusion.shape:
            raise DataError(
                "Scores of different methods or classes cannot be added.",
                where="shared scores",
                remedy="Score every site by the same merged moments and methods.",
            )
        return SharedScores(
            self.methods, self.confusion + other.confusion, self.losses + other.losses
        )

    def table(self) -> pd.DataFrame:
        """Return accuracy, balanced accuracy, log loss and Brier score of each method."""
        n_rows = self.confusion.sum(axis=(1, 2))
        hits = np.diagonal(self.confusion, axis1=1, axis2=2)
        sizes = self.confusion.sum(axis=2)
        recalls = np.divide(hits, sizes, out=np.full(hits.shape, np.nan), where=sizes > 0)
        scores = {
            "accuracy": hits.sum(axis=1) / n_rows,
            "balanced accuracy": np.nanmean(recalls, axis=1),
            "log loss": self.losses[:, 0] / n_rows,
            "Brier": self.losses[:, 1] / n_rows,
        }
        return pd.DataFrame(scores, index=pd.Index(self.methods, name="method"))


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
    >>> score_rows(summarise(iris, n_folds=2), iris, ["lda"]).table().round(2).to_dict("index")
    {'lda': {'accuracy': 0.97, 'balanced accuracy': 0.97, 'log loss': 0.05, 'Brier': 0.03}}
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
    place = {label: k for k, label in enumerate(shared.classes.tolist())}
    truth = np.array([place[label] for label in data.classes.tolist()])[data.codes]
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
        M, K = len(self.methods), len(self.classes)
        confusion, losses = np.zeros((M, K, K)), np.zeros((M, 2))
        for fold, models in enumerate(self.models):
            tested = np.flatnonzero(part == fold)
            if not len(tested):
                continue
            for m, model in enumerate(models):
                counted = _counted(model, self._places(model), X[tested], codes[tested])
                confusion[m] += counted[0]
                losses[m] += counted[1]
        return SharedScores(self.methods, confusion, losses)

    def _places(self, model: Any) -> NDArray[np.intp]:
        """Return the positions in `classes` of a model's own."""
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        return np.array([place[label] for label in model.classes_.tolist()])


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
    K = len(places)
    predicted = places[np.searchsorted(model.classes_, model.predict(rows))]
    counts = np.bincount(truth * K + predicted, minlength=K * K).reshape(K, K)
    if not hasattr(model, "predict_log_proba"):
        return counts, np.full(2, np.nan)
    log_proba = np.empty((len(rows), K))
    log_proba[:, places] = model.predict_log_proba(rows)
    losses = log_losses(log_proba, truth).sum(), brier_losses(log_proba, truth).sum()
    return counts, np.array(losses)
