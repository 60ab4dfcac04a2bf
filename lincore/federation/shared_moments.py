"""Moments of the rows of one or several sites by fold and class: all that leaves a site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from lincore.data.dataset import Dataset
from lincore.data.labels import encode_labels
from lincore.errors import DataError
from lincore.model_selection.methods import Spec, as_method
from lincore.model_selection.splitters import plan_folds
from lincore.moments.moments import Moments, leave_one_out
from lincore.moments.sql import SMALLEST_CELL as SMALLEST_CELL


@dataclass(frozen=True, eq=False)
class SharedMoments:
    """Counts, means and scatters by fold and class, with the names that they belong to; no rows.

    Parameters
    ----------
    moments : Moments of shapes (F, K), (F, K, p), (F, K, p, p)
        Of the rows that each fold tests.
    feature_names : tuple of p str
    classes : ndarray of shape (K,)
        The labels, in order.
    target_name : str
    seed : int
        That the rows were dealt with.
    smallest : int
        No cell has fewer rows, but for none at all.
    digests : tuple of str
        Of the rows of each site, so that none is counted twice.

    Notes
    -----
    A mean and a scatter of so many rows name nobody, but they are not nothing: who may choose
    which rows are summed can find one by what it changes. Share sums of rows that stay the same.
    """

    moments: Moments
    feature_names: tuple[str, ...]
    classes: NDArray[Any]
    target_name: str
    seed: int
    smallest: int
    digests: tuple[str, ...]

    @property
    def n_folds(self) -> int:
        """Number of folds, F."""
        return len(self.moments)

    @property
    def n_rows(self) -> int:
        """Rows of all sites."""
        return int(self.moments.count.sum())

    @property
    def by_class(self) -> Moments:
        """Moments of all rows by class, (K,), (K, p), (K, p, p)."""
        return _over_folds(self.moments)

    def describe(self) -> str:
        """Say in a sentence what is summed.

        Examples
        --------
        >>> import lincore
        >>> summarise(lincore.sample("iris"), n_folds=2).describe()
        '150 rows of one site, 4 features, 3 classes, 2 folds.'
        """
        n_sites = len(self.digests)
        sites = "one site" if n_sites == 1 else f"{n_sites} sites"
        return (
            f"{self.n_rows:,} rows of {sites}, {len(self.feature_names):,} features, "
            f"{len(self.classes)} classes, {self.n_folds} folds."
        )

    def training(self) -> list[Moments]:
        """Moments by class of what each fold trains on: the rows of all other folds."""
        return leave_one_out(self.moments)

    def fit(self, method: Spec, moments: Moments | None = None) -> Any:
        """Fit a classifier that learns from moments, as if from the rows of all sites.

        Parameters
        ----------
        method : spec
            As `lincore.model_selection.as_method` takes it.
        moments : Moments of shapes (K,), (K, p), (K, p, p), optional
            Of some of the rows; all of them when not given.

        Raises
        ------
        DataError
            When the classifier wants rows.
        """
        chosen = as_method(method)
        if not chosen.from_moments:
            raise DataError(
                f"{chosen.label} learns from rows, and these are sums.",
                where=f"method {chosen.name}",
                remedy="Choose LDA, QDA, Naive Bayes, Fisher or least squares.",
            )
        order = np.argsort(self.classes)  # estimators want it; ours has Class2 before Class10
        whole = self.by_class if moments is None else moments
        return clone(chosen.estimator).fit_moments(whole[order], self.classes[order])


def summarise(
    data: Dataset, *, n_folds: int = 10, seed: int = 0, smallest: int = SMALLEST_CELL
) -> SharedMoments:
    """Summarise the rows of a site.

    Parameters
    ----------
    data : Dataset
        Of numbers without gaps: what a gap is filled with, and which level is pooled, would be
        another choice at every site.
    n_folds : int, default 10
        Rows of each class are dealt evenly over them.
    seed : int, default 0
    smallest : int, default 20
        Rows that a class must have in a fold, where it has any.

    Raises
    ------
    DataError
        When columns hold categories or gaps, when rows have weights, and when a cell would
        reveal too few rows.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> one = summarise(iris, n_folds=2)
    >>> one.moments.count.tolist(), one.n_rows
    ([[25.0, 25.0, 25.0], [25.0, 25.0, 25.0]], 150)
    >>> lda = lincore.LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    >>> bool(np.allclose(one.fit("lda").coef_, lda.coef_, rtol=1e-10))
    True
    """
    where = f"moments of {data.name}"
    if data.needs_preparation or data.kind.is_sparse:
        raise DataError(
            "Columns of categories, text or gaps cannot be shared: each site would prepare them "
            "in its own way.",
            where=where,
            remedy="Leave these columns out, or fill and code them alike at every site.",
        )
    if data.weights is not None:
        raise DataError(
            "Weights of rows cannot be shared: each site brings its own to a mean of one.",
            where=where,
            remedy="Leave the column of weights out.",
        )
    part = deal_rows(data, n_folds, seed)
    K = data.n_classes
    flat = Moments.from_groups(data.X, part * K + data.codes, n_folds * K)
    few = flat.count[(flat.count > 0) & (flat.count < smallest)]
    if len(few):
        raise DataError(
            f"A class has only {few.min():.0f} rows in one of {n_folds} folds, and sums of fewer "
            f"than {smallest} would reveal single rows.",
            where=where,
            remedy="Ask for fewer folds, or join or leave out the smallest class.",
        )
    return SharedMoments(
        flat.reshape(n_folds, K),
        tuple(data.feature_names),
        data.classes,
        data.target_name,
        seed,
        smallest,
        (data.digest,),
    )


def deal_rows(data: Dataset, n_folds: int, seed: int) -> NDArray[np.intp]:
    """Return the number of the fold that tests each row, (n,): the same whenever it is asked."""
    part = np.empty(data.n_rows, dtype=np.intp)
    for number, fold in enumerate(plan_folds(data, f"{n_folds}-fold", seed)):
        part[fold.test] = number
    return part


def merge(sites: Sequence[SharedMoments]) -> SharedMoments:
    """Merge what several sites have shared, as if their rows stood in one file.

    Parameters
    ----------
    sites : sequence of SharedMoments
        At least one. Columns may stand in another order, and a site may lack a class.

    Returns
    -------
    SharedMoments

    Raises
    ------
    DataError
        When columns, target or folds differ, or a site is there twice.
    """
    return reduce(_merged, sites)


def _merged(one: SharedMoments, other: SharedMoments) -> SharedMoments:
    _require_alike(one, other)
    labels = np.concatenate([one.classes, other.classes])
    codes, classes = encode_labels(labels, "merged moments")
    placed = [
        place_classes(one.moments, codes[: len(one.classes)], len(classes)),
        place_classes(_ordered(other, one.feature_names), codes[len(one.classes) :], len(classes)),
    ]
    return SharedMoments(
        placed[0] + placed[1],
        one.feature_names,
        classes,
        one.target_name,
        one.seed,
        min(one.smallest, other.smallest),
        one.digests + other.digests,
    )


def _require_alike(one: SharedMoments, other: SharedMoments) -> None:
    differ = ""
    if set(one.feature_names) != set(other.feature_names):
        lone = sorted(set(one.feature_names) ^ set(other.feature_names))
        differ = f"columns that only some sites have: {', '.join(lone[:5])}"
    elif one.target_name != other.target_name:
        differ = f"classes by {one.target_name!r} and by {other.target_name!r}"
    elif one.n_folds != other.n_folds:
        differ = f"{one.n_folds} and {other.n_folds} folds"
    elif set(one.digests) & set(other.digests):
        differ = "the same rows twice"
    if differ:
        raise DataError(
            f"These moments do not belong together: {differ}.",
            where="merged moments",
            remedy="Have every site summarise the same columns, once, with as many folds.",
        )


def _ordered(site: SharedMoments, names: tuple[str, ...]) -> Moments:
    """Return moments with the features in the order of some names."""
    m = site.moments
    if site.feature_names == names:
        return m
    order = [site.feature_names.index(name) for name in names]
    return Moments(m.count, m.mean[..., order], m.scatter[..., order, :][..., order])


def place_classes(moments: Moments, codes: NDArray[np.intp], n_classes: int) -> Moments:
    """Return moments (F, K', ...) with the classes at their places among more, (F, K, ...).

    Parameters
    ----------
    moments : Moments of shapes (F, K'), (F, K', p), (F, K', p, p)
    codes : ndarray of shape (K',)
        Place of each class.
    n_classes : int
        K; those that did not come are empty.
    """
    if np.array_equal(codes, np.arange(n_classes)):
        return moments
    placed = Moments.empty((len(moments), n_classes), moments.n_features)
    for name in ("count", "mean", "scatter"):
        getattr(placed, name)[:, codes] = getattr(moments, name)
    return placed


def _over_folds(moments: Moments) -> Moments:
    """Merge over the first axis of the grouping, (F, K) to (K,)."""
    return Moments(
        moments.count.T, moments.mean.swapaxes(0, 1), moments.scatter.swapaxes(0, 1)
    ).pooled()
