"""The training samples for the corrections of an imbalance, one split at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset, Split
from lincore.imbalance.subsets import (
    NestedSubsets,
    largest_within,
    smallest_above,
)
from lincore.imbalance.trials import Plan, moments_serve
from lincore.metrics.training_variance import rows_to_predict
from lincore.model_selection.fitting import TrainingSample
from lincore.model_selection.splitters import group_folds
from lincore.model_selection.stages import Task
from lincore.moments.moments import Moments
from lincore.utils.typing import Array, Counts

#: Shares of the rarest class's training rows in the class-size sweep, and its minimum size.
SHARES, FEWEST_ROWS = (1 / 3, 0.45, 0.6, 0.8, 1.0), 2
#: Number of folds of the training set for tuning the threshold.
N_FOLDS = 5


class InnerFold(NamedTuple):
    """A fit without some training rows, and the prediction of these rows."""

    task: Task
    rows: NDArray[np.intp]


class Samples(NamedTuple):
    """Samples to be fitted on one split."""

    split: Split
    # `counts`, `totals`: number and total weight of the training rows by class
    counts: Counts  # (K,)
    totals: Array  # (K,)
    # `shares`, `target`: class shares in the training set, and the target shares of weights and
    # priors
    shares: Array  # (K,)
    target: Array  # (K,)
    # Training rows that `plain` and `weighted` predict in addition to the test rows
    trained: NDArray[np.intp]
    # `plain`, `weighted`: all training rows, unweighted and weighted to the target shares
    plain: Task
    weighted: Task
    resampled: dict[str, Task]  # "undersampling" and "oversampling"
    # (A,); rows of the rarest class in the class-size sweep, increasing; the last one is `weighted`
    sizes: Counts


class LaterSamples(NamedTuple):
    """Samples of the same split that are fitted last, because they take longest."""

    inner: list[InnerFold]
    # (A - 1,); weighted to the target shares, with fewer rows of the rarest class
    smaller: list[Task]


class _Drawing(NamedTuple):
    """The split of a repetition, the order of its training rows, and the target shares."""

    plan: Plan
    split: Split
    nested: NestedSubsets
    target: Array
    seed: int

    @classmethod
    def of(cls, plan: Plan, repeat: int, target: Array) -> _Drawing:
        split, nested = plan.draw(repeat)
        target = np.where(nested.counts > 0, target, 0.0)
        return cls(plan, split, nested, target / target.sum(), plan.seed + repeat)

    def samples(self, subsets: list[Counts]) -> list[TrainingSample]:
        summed = moments_serve(self.plan, len(self.split.train))
        return self.nested.samples(self.plan.data, subsets, summed=summed)

    def weighted(self, sample: TrainingSample) -> TrainingSample:
        """Return a sample with class weights that give it the target shares, with mean one."""
        shares = sample.shares(self.plan.data)
        weight = np.divide(self.target, shares, out=np.zeros(len(shares)), where=shares > 0)
        return sample._replace(class_weight=weight)


def draw_samples(plan: Plan, repeat: int, target: Array, rare: int | None) -> Samples:
    """Draw the split of a repetition and the samples that are fitted first."""
    data, drawn = plan.data, _Drawing.of(plan, repeat, target)
    counts, split = drawn.nested.counts, drawn.split
    under = largest_within(counts, drawn.target)
    over = smallest_above(counts, drawn.target)
    plain, fewer = drawn.samples([counts, under])
    trained = rows_to_predict(data.codes, split.train, data.n_classes)
    predicted = np.concatenate([split.test, trained])
    more = drawn.nested.oversampled(data, counts, over, plain, seed=drawn.seed)
    return Samples(
        split,
        counts,
        drawn.nested.totals(counts, data.weights),
        plain.shares(data),
        drawn.target,
        trained,
        Task(plain, predicted),
        Task(drawn.weighted(plain), predicted),
        {"undersampling": Task(fewer, split.test), "oversampling": Task(more, split.test)},
        sweep_sizes(counts, rare),
    )


def draw_later_samples(plan: Plan, repeat: int, target: Array, rare: int | None) -> LaterSamples:
    """Draw the inner folds and the class-size sweep of a repetition."""
    drawn = _Drawing.of(plan, repeat, target)
    counts = drawn.nested.counts
    is_rare = np.arange(len(counts)) == rare
    smaller = [np.where(is_rare, size, counts) for size in sweep_sizes(counts, rare)[:-1]]
    plain, *fewer = drawn.samples([counts, *smaller])
    return LaterSamples(
        [
            InnerFold(Task(sample, held_out), held_out)
            for sample, held_out in _inner_samples(
                plan.data, drawn.split, drawn.nested, plain, drawn.seed
            )
        ],
        [Task(drawn.weighted(sample), drawn.split.test) for sample in fewer],
    )


def sweep_sizes(counts: Counts, rare: int | None) -> Counts:
    """Return the sizes of the rarest class in the sweep, increasing up to all its rows."""
    if rare is None:
        return np.empty(0, dtype=np.intp)
    n = int(counts[rare])
    return np.unique([n, *(max(round(share * n), min(FEWEST_ROWS, n)) for share in SHARES)])


def _inner_samples(
    data: Dataset, split: Split, nested: NestedSubsets, plain: TrainingSample, seed: int
) -> list[tuple[TrainingSample, NDArray[np.intp]]]:
    """Return the inner folds: the sample to fit and the training rows held out."""
    held_out = _held_out(data, split, nested, seed)
    if plain.moments is None:
        return [(TrainingSample(np.setdiff1d(split.train, rows)), rows) for rows in held_out]
    n_classes = data.n_classes
    # Test rows have weight zero, so that the training rows need not be copied.
    weight, fold = np.zeros(data.n_rows), np.zeros(data.n_rows, dtype=np.intp)
    for i, rows in enumerate(held_out):
        weight[rows] = 1.0 if data.weights is None else data.weights[rows]
        fold[rows] = i
    groups = fold * n_classes + data.codes
    summed = Moments.from_groups(data.X, groups, len(held_out) * n_classes, weight)
    by_fold = [summed[i * n_classes : (i + 1) * n_classes] for i in range(len(held_out))]
    folds = []
    for i, rows in enumerate(held_out):
        rest = Moments.empty((n_classes,), data.n_features)
        if plain.blocks is not None:
            rest = rest + plain.blocks.moments
        for j, moments in enumerate(by_fold):
            rest = rest + moments if j != i else rest
        training_rows = np.setdiff1d(split.train, rows)
        folds.append((plain._replace(rows=training_rows, moments=rest), rows))
    return folds


def _held_out(
    data: Dataset, split: Split, nested: NestedSubsets, seed: int
) -> list[NDArray[np.intp]]:
    """Divide the training rows into folds, keeping groups together."""
    n_folds = min(N_FOLDS, len(split.train))
    if data.groups is not None:
        groups = data.groups[split.train]
        n_folds = min(n_folds, len(np.unique(groups)))
        if n_folds < 2:
            return []
        folds = group_folds(data.codes[split.train], groups, n_folds, seed)
        return [split.train[indices] for _, indices in folds if len(indices)]
    rows = np.concatenate(nested.order)
    return [np.sort(rows[i::n_folds]) for i in range(n_folds)]
