"""Exact curves of a class-size sweep from moments, judged by whoever has the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.errors import DataError
from lincore.federation.shared_moments import SharedMoments
from lincore.imbalance.losses import loss_names
from lincore.imbalance.shared.models import SharedLosses, SharedModels
from lincore.imbalance.size_curves import CURVES, Sweep
from lincore.metrics.settings import Settings
from lincore.model_selection.methods import Spec, as_methods


@dataclass(frozen=True, eq=False)
class SizeModels(SharedModels["SizeScores"]):
    """Models of every fold at every size of some classes, which may travel to the tested rows.

    A class is made rarer by weight, as `Moments.scale` does: what is known of it stays that of all
    of its rows. For models of fewer rows see `lincore.imbalance.fit_study`. Samples are the sizes,
    of which the last has all rows.

    Parameters
    ----------
    swept : tuple
        The labels whose size changes.
    """

    swept: tuple[Any, ...]

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
        return SizeScores(self.without_models(), *self.sums(X, codes, part))


class SizeScores(SharedLosses):
    """Sums of losses by size: reported for tested rows, additive over sites or partitions."""

    def sweep(self) -> Sweep:
        """Return the curves, with a fold for each seed; those of rows that are left out are NaN."""
        of: SizeModels = self.of
        F, A, K = of.sizes.shape
        losses = np.full((len(of.methods), A, len(CURVES), F, 3 + K), np.nan)
        losses[:, :, 2:] = self.losses().reshape(len(of.methods), A, 2, F, -1)
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
        np.array([(a, b) for a in range(len(shares)) for b in (a, len(shares) - 1)]),
        shared.classes,
        shared.seed,
        tuple(labels),
    )
