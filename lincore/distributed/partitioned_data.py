"""Rows in partitions that nobody holds at once: their moments, scores and fits by an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from lincore.distributed.executor import Executor
from lincore.distributed.fold_moments import FoldModels, FoldMoments, FoldScores
from lincore.errors import DataError
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.model_selection.methods import Spec
from lincore.moments.moments import Moments

Result = TypeVar("Result")
#: Called where the work is done, and returns rows (n, p) and their labels (n,).
Partition: TypeAlias = Callable[[], tuple[ArrayLike, ArrayLike]]
# The number of a partition, its rows (n, p) and their labels (n,).
_Numbered: TypeAlias = tuple[int, NDArray[Any], NDArray[Any]]
# Classes that there may be at most.
_MOST_CLASSES = 10_000


@dataclass(frozen=True, eq=False)
class PartitionedData:
    """Rows of numbers in partitions, each read where it is worked on.

    Parameters
    ----------
    executor : Executor
        `Inline`, `ProcessPool` or `Dask`.
    partitions : iterable of callables
        Each returns rows (n, p) and labels (n,), the same whenever it is called; it is sent to
        who works on it, so it can be pickled and holds no rows itself: a path and a range, say.
        They are gone through once in every pass; of `Inline` each may be made when it is its turn.
    feature_names : tuple of p str
    target_name : str

    Examples
    --------
    >>> import lincore
    >>> from lincore.distributed import Inline
    >>> iris = lincore.sample("iris")
    >>> def partition(start):
    ...     return iris.X[start::3], iris.y[start::3]
    >>> parts = [partial(partition, i) for i in range(3)]
    >>> data = PartitionedData(Inline(), parts, iris.feature_names)
    >>> shared = data.summarise(n_folds=5)
    >>> shared.n_rows, shared.fit("lda").score(iris.X, iris.y)
    (150, 0.98)
    >>> data.score(shared, ["lda", "qda"]).table()["accuracy"].round(2).to_dict()
    {'lda': 0.98, 'qda': 0.97}
    """

    executor: Executor
    partitions: Iterable[Partition]
    feature_names: Sequence[str]
    target_name: str = "class"

    def summarise(self, *, n_folds: int = 10, seed: int = 0) -> FoldMoments:
        """Return the moments by fold and class in one pass, merged as a tree.

        Each partition deals its rows of a class evenly over the folds, by its number and the seed.

        Parameters
        ----------
        n_folds : int, default 10
        seed : int, default 0

        Returns
        -------
        FoldMoments
            Fits and compares what is solved from moments. It is made to be used by who may read
            the rows: cells may be of single rows.

        Raises
        ------
        DataError
            When there is no row, a partition has another number of features, or there are too
            many classes.
        """
        found: _ByLabel = self._sum(partial(_moments, n_folds, seed))
        if not len(found.labels):
            raise DataError(
                "No row is left: each has a missing value or no label.",
                where="partitions",
                remedy="Ignore the columns that are mostly missing.",
            )
        return FoldMoments(found.moments, found.labels, seed)

    def score(self, shared: FoldMoments, methods: Spec | Iterable[Spec]) -> FoldScores:
        """Compare methods: the models of every fold travel to the rows that it tests.

        Parameters
        ----------
        shared : FoldMoments
            As `summarise` returned them.
        methods : spec or specs
            That are solved from moments.

        Raises
        ------
        DataError
            When a method wants rows.
        """
        work = partial(_score, FoldModels.fit(shared, methods), shared.n_folds, shared.seed)
        scores: FoldScores = self._sum(work)
        return scores

    def fit(self, model: LogisticRegression, shared: FoldMoments) -> LogisticRegression:
        """Fit logistic regression, its gradients and products summed over the partitions.

        Parameters
        ----------
        model : LogisticRegression
            The options; it stays as it is.
        shared : FoldMoments
            As `summarise` returned them.

        Returns
        -------
        LogisticRegression
        """
        # Rows stay with who has read them, where they can, for the passes to come.
        read = partial(_read, len(self.feature_names), partial(_coded, shared.classes))
        blocks = self.executor.map(read, _Enumerated(self.partitions))

        def over(
            work: Callable[[Any], Result], merge: Callable[[Result, Result], Result]
        ) -> Result:
            return self.executor.reduce(merge, self.executor.map(work, blocks))

        fitted: LogisticRegression = clone(model)
        return fitted.fit_blocks(over, shared.by_class, shared.classes)

    def _sum(self, work: Callable[[_Numbered], Any]) -> Any:
        """Add up what a function of a partition's rows returns; the rows are not kept."""
        read = partial(_read, len(self.feature_names), work)
        return self.executor.reduce(add, self.executor.map(read, _Enumerated(self.partitions)))


@dataclass(frozen=True)
class _Enumerated:
    """Partitions and their numbers; each iteration starts anew."""

    partitions: Iterable[Partition]

    def __iter__(self) -> Iterator[tuple[int, Partition]]:
        return enumerate(self.partitions)


@dataclass(frozen=True, eq=False)
class _ByLabel:
    """Moments by fold and label, (F, K), of the labels that some partitions have, increasing."""

    labels: NDArray[Any]
    moments: Moments

    def __add__(self, other: _ByLabel) -> _ByLabel:
        labels = np.union1d(self.labels, other.labels)
        if len(labels) > _MOST_CLASSES:
            raise DataError(
                f"There are more than {_MOST_CLASSES:,} classes.",
                where="partitions",
                remedy="Let partitions return the labels of classes.",
            )
        one, two = (
            _place_classes(each.moments, np.searchsorted(labels, each.labels), len(labels))
            for each in (self, other)
        )
        return _ByLabel(labels, one + two)


def _place_classes(moments: Moments, codes: NDArray[np.intp], n_classes: int) -> Moments:
    """Return moments (F, K', ...) with the classes at their places among more, (F, K, ...)."""
    if np.array_equal(codes, np.arange(n_classes)):
        return moments
    placed = Moments.empty((len(moments), n_classes), moments.n_features)
    for name in ("count", "mean", "scatter"):
        getattr(placed, name)[:, codes] = getattr(moments, name)
    return placed


def _read(
    n_features: int, work: Callable[[_Numbered], Result], numbered: tuple[int, Partition]
) -> Result:
    """Read a partition, and return what a function makes of it."""
    number, partition = numbered
    rows, labels = map(np.asarray, partition())
    if rows.shape != (len(labels), n_features):
        raise DataError(
            f"It has rows of shape {rows.shape} and {len(labels):,} labels.",
            where=f"partition {number}",
            remedy=f"Let each partition return {n_features} features, and a label for each row.",
        )
    return work((number, rows, labels))


def _moments(n_folds: int, seed: int, read: _Numbered) -> _ByLabel:
    number, X, labels = read
    found, codes = np.unique(labels, return_inverse=True)
    part = deal(codes, n_folds, seed, number)
    flat = Moments.from_groups(X, part * len(found) + codes, n_folds * len(found))
    return _ByLabel(found, flat.reshape(n_folds, len(found)))


def _coded(classes: NDArray[Any], read: _Numbered) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the rows of a partition and the positions of their labels among known ones."""
    number, X, labels = read
    codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    if not (classes[codes] == labels).all():
        raise DataError(
            "It has other classes than were summed.",
            where=f"partition {number}",
            remedy="Let partitions return the same rows whenever they are called.",
        )
    return X, codes


def _score(models: FoldModels, n_folds: int, seed: int, read: _Numbered) -> Any:
    X, codes = _coded(models.classes, read)
    # As the rows were dealt when they were summed: by the labels of the partition alone.
    part = deal(np.unique(codes, return_inverse=True)[1], n_folds, seed, read[0])
    return models.score(X, codes, part)


def deal(codes: NDArray[np.intp], n_folds: int, seed: int, partition: int) -> NDArray[np.intp]:
    """Return the fold (n,) that tests each row of a partition, each class dealt evenly."""
    rng = np.random.default_rng([seed, partition])
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    sizes = np.bincount(codes)
    place = np.arange(len(codes)) - np.repeat(sizes.cumsum() - sizes, sizes)
    # Where a class's rows are no multiple of the folds, another fold begins in each partition.
    begins = np.repeat(rng.integers(n_folds, size=len(sizes)), sizes)
    part = np.empty(len(codes), dtype=np.intp)
    part[order] = (place + begins) % n_folds
    return part
