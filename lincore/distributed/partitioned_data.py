"""Rows in partitions that nobody holds at once: their moments, scores and fits by an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from lincore.distributed.executor import Executor
from lincore.errors import DataError
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.federation.cross_validation import FoldModels, SharedScores, fit_folds
from lincore.federation.shared_moments import SharedMoments
from lincore.imbalance.shared.models import SharedModels
from lincore.imbalance.shared.study import StudyScores, fit_study
from lincore.imbalance.shared.sweep import SizeScores, fit_sizes
from lincore.imbalance.size_curves import Sweep
from lincore.imbalance.study import SubsetStudy
from lincore.model_selection.methods import Spec
from lincore.moments.moments import Moments

Result = TypeVar("Result")
#: Called where the work is done, and returns rows (n, p) and their labels (n,).
Partition: TypeAlias = Callable[[], tuple[ArrayLike, ArrayLike]]
# The number of a partition, its rows (n, p) and their codes (n,).
_Numbered: TypeAlias = tuple[int, NDArray[Any], NDArray[np.intp]]


@dataclass(frozen=True, eq=False)
class PartitionedData:
    """Rows of numbers in partitions, each read where it is worked on.

    Parameters
    ----------
    executor : Executor
        `Inline`, `ProcessPool` or `Dask`.
    partitions : sequence of callables
        Each returns rows (n, p) and labels (n,), the same whenever it is called; it is sent to
        who works on it, so it can be pickled and holds no rows itself: a path and a range, say.
    classes : ndarray of shape (K,)
        The labels, increasing.
    feature_names : tuple of p str
    target_name : str

    Examples
    --------
    >>> import lincore
    >>> from lincore.distributed import Inline
    >>> iris = lincore.sample("iris")
    >>> def partition(start):
    ...     return iris.X[start::3], iris.y[start::3]
    >>> data = PartitionedData.of(Inline(), [partial(partition, i) for i in range(3)])
    >>> shared = data.summarise(n_folds=5)
    >>> shared.n_rows, shared.fit("lda").score(iris.X, iris.y)
    (150, 0.98)
    >>> data.score(shared, ["lda", "qda"]).table()["accuracy"].round(2).to_dict()
    {'lda': 0.98, 'qda': 0.97}
    """

    executor: Executor
    partitions: Sequence[Partition]
    classes: NDArray[Any]
    feature_names: tuple[str, ...]
    target_name: str = "class"

    @classmethod
    def of(
        cls,
        executor: Executor,
        partitions: Sequence[Partition],
        *,
        feature_names: Sequence[str] | None = None,
        target_name: str = "class",
    ) -> Self:
        """Find the classes and the number of features in one pass.

        Raises
        ------
        DataError
            When partitions have not as many features, or too many labels.
        """
        kinds = executor.reduce(_together, executor.map(_kinds, partitions))
        if len(kinds.widths) > 1:
            raise DataError(
                f"Partitions have {' and '.join(map(str, sorted(kinds.widths)))} features.",
                where="partitions",
                remedy="Let all of them return the same columns.",
            )
        names = feature_names or [f"x{j}" for j in range(*kinds.widths)]
        return cls(executor, partitions, kinds.labels, tuple(names), target_name)

    def summarise(self, *, n_folds: int = 10, seed: int = 0) -> SharedMoments:
        """Return the moments by fold and class, merged as a tree.

        Each partition deals its rows of a class evenly over the folds, by its number and the seed.

        Parameters
        ----------
        n_folds : int, default 10
        seed : int, default 0

        Returns
        -------
        SharedMoments
            Fits and compares what is solved from moments. It is made to be used by who may read
            the rows: cells may be of single rows.
        """
        work = partial(_moments, len(self.classes), n_folds, seed)
        moments = self._sum(work)
        return SharedMoments(
            moments, self.feature_names, self.classes, self.target_name, seed, 0, ()
        )

    def score(self, shared: SharedMoments, methods: Spec | Iterable[Spec]) -> SharedScores:
        """Compare methods: the models of every fold travel to the rows that it tests.

        Parameters
        ----------
        shared : SharedMoments
            As `summarise` returned them.
        methods : spec or specs
            That are solved from moments.

        Raises
        ------
        DataError
            When a method wants rows.
        """
        work = partial(_score, fit_folds(shared, methods), shared.n_folds, shared.seed)
        scores: SharedScores = self._sum(work)
        return scores

    def sweep(
        self,
        shared: SharedMoments,
        classes: Any,
        sizes: Sequence[float],
        methods: Spec | Iterable[Spec] = ("lda", "qda"),
    ) -> Sweep:
        """Return the exact curves of a class-size sweep, see `lincore.imbalance.fit_sizes`.

        Parameters
        ----------
        shared : SharedMoments
            As `summarise` returned them.
        classes, sizes, methods
            As for `lincore.imbalance.fit_sizes`.
        """
        models = fit_sizes(shared, classes, sizes, methods)
        work = partial(_score, models, shared.n_folds, shared.seed)
        scores: SizeScores = self._sum(work)
        return scores.sweep()

    def balance(
        self,
        shared: SharedMoments,
        sizes: Mapping[Any, float],
        methods: Spec | Iterable[Spec] = ("lda", "qda"),
    ) -> SubsetStudy:
        """Return an imbalance study whose subsets are whole folds, see `imbalance.fit_study`.

        Parameters
        ----------
        shared : SharedMoments
            As `summarise` returned them.
        sizes, methods
            As for `lincore.imbalance.fit_study`.
        """
        models = fit_study(shared, sizes, methods)
        work = partial(_score, models, shared.n_folds, shared.seed)
        scores: StudyScores = self._sum(work)
        return scores.study()

    def fit(self, model: LogisticRegression, shared: SharedMoments) -> LogisticRegression:
        """Fit logistic regression, its gradients and products summed over the partitions.

        Parameters
        ----------
        model : LogisticRegression
            The options; it stays as it is.
        shared : SharedMoments
            As `summarise` returned them.

        Returns
        -------
        LogisticRegression
        """
        # Rows stay with who has read them, where they can, for the passes to come.
        read = partial(_read, self.classes, len(self.feature_names), _without_number)
        blocks = self.executor.map(read, self._numbered)

        def over(
            work: Callable[[Any], Result], merge: Callable[[Result, Result], Result]
        ) -> Result:
            return self.executor.reduce(merge, self.executor.map(work, blocks))

        fitted: LogisticRegression = clone(model)
        return fitted.fit_blocks(over, shared.by_class, self.classes)

    def _sum(self, work: Callable[[_Numbered], Any]) -> Any:
        """Add up what a function of a partition's rows returns; the rows are not kept."""
        read = partial(_read, self.classes, len(self.feature_names), work)
        return self.executor.reduce(add, self.executor.map(read, self._numbered))

    @property
    def _numbered(self) -> list[tuple[int, Partition]]:
        return list(enumerate(self.partitions))


@dataclass(frozen=True)
class _Kinds:
    """Labels and numbers of features of some partitions."""

    labels: NDArray[Any]
    widths: frozenset[int]


def _kinds(partition: Partition) -> _Kinds:
    X, labels = partition()
    return _Kinds(np.unique(np.asarray(labels)), frozenset([np.shape(X)[1]]))


def _together(one: _Kinds, other: _Kinds) -> _Kinds:
    labels = np.union1d(one.labels, other.labels)
    if len(labels) > 10_000:
        raise DataError("There are more than 10,000 classes.", where="partitions")
    return _Kinds(labels, one.widths | other.widths)


def _read(
    classes: NDArray[Any],
    n_features: int,
    work: Callable[[_Numbered], Result],
    numbered: tuple[int, Partition],
) -> Result:
    """Read a partition, and return what a function makes of it.

    Raises
    ------
    DataError
        When it has other classes or features than were found before.
    """
    number, partition = numbered
    rows, labels = map(np.asarray, partition())
    codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    if rows.shape != (len(labels), n_features) or not (classes[codes] == labels).all():
        raise DataError(
            "It has other classes, features or numbers of rows than are known.",
            where=f"partition {number}",
            remedy="Let partitions return the same rows whenever they are called.",
        )
    return work((number, rows, codes))


def _without_number(read: _Numbered) -> tuple[NDArray[Any], NDArray[np.intp]]:
    return read[1], read[2]


def _moments(n_classes: int, n_folds: int, seed: int, read: _Numbered) -> Moments:
    number, X, codes = read
    part = deal(codes, n_folds, seed, number)
    flat = Moments.from_groups(X, part * n_classes + codes, n_folds * n_classes)
    shape, p = (n_folds, n_classes), X.shape[1]
    return Moments(
        flat.count.reshape(shape), flat.mean.reshape(*shape, p), flat.scatter.reshape(*shape, p, p)
    )


def _score(models: FoldModels | SharedModels, n_folds: int, seed: int, read: _Numbered) -> Any:
    number, X, codes = read
    return models.score(X, codes, deal(codes, n_folds, seed, number))


def deal(codes: NDArray[np.intp], n_folds: int, seed: int, partition: int) -> NDArray[np.intp]:
    """Return the fold that tests each row of a partition, (n,): each class evenly over the folds.

    Examples
    --------
    >>> deal(np.array([0, 0, 0, 0, 1, 1]), 2, seed=0, partition=7).tolist()
    [0, 1, 1, 0, 1, 0]
    """
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
