"""Exact curves of a class-size sweep from moments, judged by whoever has the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.federation.cross_validation import own_rows
from lincore.federation.shared_moments import SharedMoments
from lincore.imbalance.losses import loss_names, study_losses
from lincore.imbalance.size_curves import CURVES, Sweep
from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.priors import exchanged
from lincore.metrics.settings import Settings
from lincore.model_selection.methods import Spec, as_methods
from lincore.utils.typing import Array

# Of the losses of rows: misclassified, and the log loss.
_KINDS = 2


@dataclass(frozen=True, eq=False)
class SizeModels:
    """Models of every fold at every size of some classes, which may travel to the tested rows.

    A class is made rarer by weight, as `Moments.scale` does: what is known of it stays that of all
    of its rows. Models of rows that are left out would need the rows.

    Parameters
    ----------
    methods : tuple of M str
    models : tuple of F tuple of A tuple of M fitted classifiers
    learns_priors : ndarray of shape (M,)
        Whether a method's priors are the shares that it was trained with.
    sizes : ndarray of shape (F, A, K)
        Training rows that each class counts as; the last ones are all.
    classes : ndarray of shape (K,)
    swept : tuple
        The labels whose size changes.
    seed : int
        That the rows were dealt with.
    """

    methods: tuple[str, ...]
    models: tuple[tuple[tuple[Any, ...], ...], ...]
    learns_priors: NDArray[np.bool_]
    sizes: Array
    classes: NDArray[Any]
    swept: tuple[Any, ...]
    seed: int

    def score(self, X: NDArray[Any], codes: NDArray[np.intp], part: NDArray[np.intp]) -> SizeScores:
        """Test the models on rows, with the priors of each size and with those of all rows.

        Parameters
        ----------
        X : ndarray of shape (n, p)
        codes : ndarray of shape (n,)
            Positions of the rows' labels in `classes`.
        part : ndarray of shape (n,)
            The fold that tests each row.
        """
        F, A, K = self.sizes.shape
        sums = np.zeros((len(self.methods), A, 2, F, _KINDS, K))
        counts = np.zeros((F, K))
        for fold in range(F):
            tested = np.flatnonzero(part == fold)
            counts[fold] = np.bincount(codes[tested], minlength=K)
            for a in range(A if len(tested) else 0):
                for m in range(len(self.methods)):
                    sums[m, a, :, fold] = self._judge(fold, a, m, X[tested], codes[tested])
        return SizeScores(self._without_models(), sums, counts)

    def score_site(self, shared: SharedMoments, data: Dataset) -> SizeScores:
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

    def _judge(self, fold: int, a: int, m: int, X: Array, codes: NDArray[np.intp]) -> Array:
        """Return sums of losses (2, kinds, K) of one model under both priors."""
        model, K = self.models[fold][a][m], len(self.classes)
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        own = np.array([place[label] for label in model.classes_.tolist()])
        log_proba = np.full((2, len(X), K), np.nan)
        predicted = np.tile(own[np.searchsorted(model.classes_, model.predict(X))], (2, 1))
        if hasattr(model, "predict_log_proba"):
            log_proba[..., own] = model.predict_log_proba(X)
            if self.learns_priors[m]:
                sizes = self.sizes[fold][[a, -1]]
                priors = sizes / sizes.sum(axis=1, keepdims=True)
                log_proba = exchanged(log_proba, priors[0], priors[:, None])
                predicted = log_proba.argmax(axis=-1)
        rows = np.stack([predicted != codes, log_losses(log_proba, codes)], axis=1)
        return np.asarray(rows @ (codes[:, None] == np.arange(K)).astype(float))

    def _without_models(self) -> SizeModels:
        return SizeModels(
            self.methods, (), self.learns_priors, self.sizes, self.classes, self.swept, self.seed
        )


@dataclass(frozen=True, eq=False)
class SizeScores:
    """Sums of losses by size: what is told of tested rows, and adds up over sites or partitions.

    Parameters
    ----------
    of : SizeModels
        Without the models.
    sums : ndarray of shape (M, A, 2, F, 2, K)
        Of misclassified rows and log losses of each class, with the priors of the size and with
        those of all rows.
    counts : ndarray of shape (F, K)
        Rows of each class that a fold tests.
    """

    of: SizeModels
    sums: Array
    counts: Array

    def __add__(self, other: SizeScores) -> SizeScores:
        """Count the rows of two sites together.

        Raises
        ------
        DataError
            When the models differ.
        """
        if self.of.methods != other.of.methods or not np.array_equal(self.of.sizes, other.of.sizes):
            raise DataError(
                "Scores of different methods or sizes cannot be added.",
                where="shared scores",
                remedy="Score every site by the same merged moments, methods and sizes.",
            )
        return SizeScores(self.of, self.sums + other.sums, self.counts + other.counts)

    def sweep(self) -> Sweep:
        """Return the curves, with a fold for each seed; those of rows that are left out are NaN."""
        of, (F, A, K) = self.of, self.of.sizes.shape
        losses = np.full((len(of.methods), A, len(CURVES), F, 3 + K), np.nan)
        for fold in range(F):
            sums = np.moveaxis(self.sums[:, :, :, fold], -2, 0)
            losses[:, :, 2:, fold] = np.stack(
                [
                    loss.compute(sums, self.counts[fold].astype(np.intp))
                    for loss in study_losses(of.classes)
                ],
                axis=-1,
            )
        # With all rows, weights and rows that are left out are the same.
        losses[:, -1, :2] = losses[:, -1, 2:]
        return Sweep(
            classes=of.classes,
            swept=of.swept,
            sizes=of.sizes[0],
            methods=of.methods,
            loss_names=loss_names(of.classes),
            losses=losses,
            seeds=np.arange(F),
            test_ratio=1 / (F - 1),
            settings=Settings(data="", digest="", scheme=f"{F}-fold", seed=of.seed, repeats=F),
            n_test=int(self.counts[0].sum()),
        )


def fit_sizes(
    shared: SharedMoments,
    classes: Any,
    sizes: Sequence[float],
    methods: Spec | Iterable[Spec] = ("lda", "qda"),
) -> SizeModels:
    """Fit methods to what each fold trains on, some classes made rarer by weight.

    Parameters
    ----------
    shared : SharedMoments
    classes : label, or sequence of labels
        Which classes shrink, together.
    sizes : sequence of float
        Shares of their training rows, in (0, 1]; all rows are added.
    methods : spec or specs
        That are solved from moments.

    Returns
    -------
    SizeModels

    Raises
    ------
    DataError
        For classes and shares that are not there, and methods that want rows.

    Examples
    --------
    >>> import lincore
    >>> from lincore.federation import summarise
    >>> data = lincore.sample("gaussian")
    >>> shared = summarise(data, n_folds=2)
    >>> found = fit_sizes(shared, "class 3", [0.1, 0.5]).score_site(shared, data).sweep()
    >>> curve = found.curve("lda", "recall of class 3", "rarer")
    >>> bool(curve.mean[0] < curve.mean[-1])
    True
    """
    known, chosen = shared.classes.tolist(), as_methods(methods)
    labels = (classes,) if isinstance(classes, str) or np.ndim(classes) == 0 else tuple(classes)
    shares = sorted({*map(float, sizes), 1.0})
    if not labels or not set(labels) <= set(known) or not 0 < shares[0] <= shares[-1] <= 1:
        raise DataError(
            "Classes to sweep and shares of their rows are wanted.",
            where=f"classes {labels}, shares {shares}",
            remedy=f"Choose from {', '.join(map(str, known[:10]))}, and shares above 0, up to 1.",
        )
    weights = np.ones((len(shares), len(known)))
    weights[:, [known.index(label) for label in labels]] = np.array(shares)[:, None]
    training = shared.training()
    models = tuple(
        tuple(
            tuple(shared.fit(method, moments.scale(weight)).without_moments() for method in chosen)
            for weight in weights
        )
        for moments in training
    )
    return SizeModels(
        tuple(method.name for method in chosen),
        models,
        np.array([not method.has_fixed_priors for method in chosen]),
        np.stack([moments.count * weights for moments in training]),
        shared.classes,
        tuple(labels),
        shared.seed,
    )
