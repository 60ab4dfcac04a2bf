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
    if data.digest not in shared.digests:
        raise DataError(
            "These rows are not among those that were summed.",
            where=f"rows of {data.name}",
            remedy="Give the file that this site's moments were made of, unchanged.",
        )
    chosen = as_methods(methods)
    part = deal_rows(data, shared.n_folds, shared.seed)
    columns = [list(data.feature_names).index(name) for name in shared.feature_names]
    place = {label: k for k, label in enumerate(shared.classes.tolist())}
    truth = np.array([place[label] for label in data.classes.tolist()])[data.codes]
    K = len(place)
    confusion, losses = np.zeros((len(chosen), K, K)), np.zeros((len(chosen), 2))
    for fold, moments in enumerate(shared.training()):
        tested = np.flatnonzero(part == fold)
        rows = data.X[tested][:, columns]
        for m, method in enumerate(chosen):
            model = shared.fit(method, moments)
            own = np.array([place[label] for label in model.classes_.tolist()])
            counted = _counted(model, own, rows, truth[tested])
            confusion[m] += counted[0]
            losses[m] += counted[1]
    return SharedScores(tuple(method.name for method in chosen), confusion, losses)


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
