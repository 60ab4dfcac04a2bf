"""Models of shared moments under several priors, judged by whoever has the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset
from lincore.data.labels import positions
from lincore.errors import DataError
from lincore.federation.cross_validation import own_rows
from lincore.federation.shared_moments import SharedMoments
from lincore.imbalance.losses import study_losses
from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.priors import exchanged
from lincore.utils.typing import Array

# Of the losses of rows: misclassified, and the log loss.
_KINDS = 2

Scores = TypeVar("Scores", bound="SharedLosses", covariant=True)


@dataclass(frozen=True, eq=False)
class SharedModels(ABC, Generic[Scores]):
    """Models of every fold, fitted to several samples, which may travel to the tested rows.

    Parameters
    ----------
    methods : tuple of M str
    models : tuple of F tuple of A tuple of M fitted classifiers
    learns_priors : ndarray of shape (M,)
        Whether a method's priors are the shares that it was trained with.
    sizes : ndarray of shape (F, A, K)
        What the training rows of each class count in a sample.
    conditions : ndarray of shape (C, 2)
        The sample of each condition, and the one whose shares are its priors.
    classes : ndarray of shape (K,)
    seed : int
        That the rows were dealt with.
    """

    methods: tuple[str, ...]
    models: tuple[tuple[tuple[Any, ...], ...], ...]
    learns_priors: NDArray[np.bool_]
    sizes: Array
    conditions: NDArray[np.intp]
    classes: NDArray[Any]
    seed: int

    @abstractmethod
    def score(self, X: NDArray[Any], codes: NDArray[np.intp], part: NDArray[np.intp]) -> Scores:
        """Test the models on rows in every condition.

        Parameters
        ----------
        X : ndarray of shape (n, p)
        codes : ndarray of shape (n,)
            Positions of the rows' labels in `classes`.
        part : ndarray of shape (n,)
            The fold that tests each row.
        """

    def score_site(self, shared: SharedMoments, data: Dataset) -> Scores:
        """Test the models on a site's own rows.

        Parameters
        ----------
        shared : SharedMoments
            Of all sites, this one among them.
        data : Dataset

        Raises
        ------
        DataError
            When the rows are not among those that were summarised.
        """
        return self.score(*own_rows(shared, data))

    def sums(
        self, X: NDArray[Any], codes: NDArray[np.intp], part: NDArray[np.intp]
    ) -> tuple[Array, Array]:
        """Return sums of losses (M, C, F, 2, K) and tested rows (F, K), see `score`."""
        F, _, K = self.sizes.shape
        sums = np.zeros((len(self.methods), len(self.conditions), F, _KINDS, K))
        counts = np.zeros((F, K))
        for fold in range(F):
            tested = np.flatnonzero(part == fold)
            counts[fold] = np.bincount(codes[tested], minlength=K)
            if not len(tested):
                continue
            for m in range(len(self.methods)):
                for a in np.unique(self.conditions[:, 0]):
                    asked = np.flatnonzero(self.conditions[:, 0] == a)
                    sums[m, asked, fold] = self._judge(
                        fold, a, m, self.conditions[asked, 1], X[tested], codes[tested]
                    )
        return sums, counts

    def without_models(self) -> Self:
        """Return what scores refer to."""
        return replace(self, models=())

    def _judge(
        self,
        fold: int,
        a: int,
        m: int,
        priors_of: NDArray[np.intp],
        X: Array,
        codes: NDArray[np.intp],
    ) -> Array:
        """Return sums of losses (B, kinds, K) of one model under the shares of B samples."""
        model, K = self.models[fold][a][m], len(self.classes)
        own = positions(model.classes_, self.classes)
        log_proba = np.full((len(priors_of), len(X), K), np.nan)
        predicted = np.tile(
            own[np.searchsorted(model.classes_, model.predict(X))], (len(priors_of), 1)
        )
        if hasattr(model, "predict_log_proba"):
            log_proba[..., own] = model.predict_log_proba(X)
            if self.learns_priors[m]:
                shares = self.sizes[fold] / self.sizes[fold].sum(axis=1, keepdims=True)
                log_proba = exchanged(log_proba, shares[a], shares[priors_of][:, None])
                predicted = log_proba.argmax(axis=-1)
        rows = np.stack([predicted != codes, log_losses(log_proba, codes)], axis=1)
        return np.asarray(rows @ (codes[:, None] == np.arange(K)).astype(float))


@dataclass(frozen=True, eq=False)
class SharedLosses:
    """Sums of losses by condition: reported for tested rows, additive over sites.

    Parameters
    ----------
    of : SharedModels
        Without the models.
    sums : ndarray of shape (M, C, F, 2, K)
        Of misclassified rows and log losses (nats) of each class.
    counts : ndarray of shape (F, K)
        Rows of each class that a fold tests.
    """

    of: Any
    sums: Array
    counts: Array

    def __add__(self, other: Self) -> Self:
        """Count the rows of two sites together.

        Raises
        ------
        DataError
            When the models differ.
        """
        one, two = self.of, other.of
        if one.methods != two.methods or not (
            np.array_equal(one.sizes, two.sizes) and np.array_equal(one.conditions, two.conditions)
        ):
            raise DataError(
                "Scores of different methods or sizes cannot be added.",
                where="shared scores",
                remedy="Score every site by the same merged moments, methods and sizes.",
            )
        return replace(self, sums=self.sums + other.sums, counts=self.counts + other.counts)

    def losses(self) -> Array:
        """Return the losses of a study in every fold, (M, C, F, L)."""
        losses = study_losses(self.of.classes)
        folds = [
            np.stack(
                [loss.compute(np.moveaxis(self.sums[:, :, fold], -2, 0), count) for loss in losses],
                axis=-1,
            )
            for fold, count in enumerate(self.counts.astype(np.intp))
        ]
        return np.stack(folds, axis=2)
