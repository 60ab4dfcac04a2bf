"""Training subsets of a table larger than memory: streamed rows by rank, and rows in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import effective_n_jobs, parallel_config
from numpy.typing import ArrayLike, NDArray

from lincore.data.blocks import Blocks, RowSubset, SubsetSums
from lincore.data.dataset import Dataset
from lincore.imbalance.subsets import NestedSubsets
from lincore.model_selection.fitting import TrainingSample
from lincore.moments.moments import Moments
from lincore.utils.typing import Array, Counts

# Values in the sums of random subsets that are kept for coming repetitions (80 MB).
LARGEST_KEPT = 10_000_000


class SumsByRank:
    """Sums of random subsets of streamed rows: one pass serves several repetitions of a study."""

    def __init__(self, blocks: Blocks, seeds: Sequence[int], n_jobs: int | None) -> None:
        self.blocks = blocks
        self._seeds, self._n_jobs = seeds, n_jobs
        self._known: dict[RowSubset, SubsetSums] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out the sums: a study is fitted before it is sent to another process."""
        return SumsByRank, (self.blocks, self._seeds, self._n_jobs)

    def of(self, subsets: Sequence[RowSubset]) -> list[SubsetSums]:
        """Return the sums of subsets that have the same seed."""
        missing = [subset for subset in subsets if subset not in self._known]
        if missing:
            own = missing[0].seed
            n_values = self.blocks.moments.scatter.size * len(missing)
            later = [seed for seed in self._seeds if seed > own]
            seeds = [own, *later[: LARGEST_KEPT // n_values]]
            requested = [subset._replace(seed=seed) for seed in seeds for subset in missing]
            with parallel_config(n_jobs=effective_n_jobs(self._n_jobs)):
                computed = self.blocks.sums_of(requested)
            known = {key: sums for key, sums in self._known.items() if key.seed >= own}
            self._known = known | dict(zip(requested, computed, strict=True))
        return [self._known[subset] for subset in subsets]


@dataclass(frozen=True, eq=False, kw_only=True)
class StreamedSubsets(NestedSubsets):
    """Training rows of which some are not in memory."""

    # A subset contains the streamed rows of low rank, with the same share as of all rows up to
    # chance, and rows in memory that complete it to its size. If these are too few, or more than
    # half of their share would be left out, the size is only met up to chance.

    sums: SumsByRank
    seed: int  # of the ranks
    # Computed before fitting, and used again by a fitted study.
    _sizes: dict[RowSubset, Counts] = field(default_factory=dict, init=False, repr=False)

    @property
    def counts(self) -> Counts:
        """Rows of each class, shape (K,)."""
        return super().counts + self.sums.blocks.counts

    def totals(self, sizes: ArrayLike, weight: Array | None) -> Array:
        """Return the total weight of a subset by class, (K,), or its numbers of rows."""
        if weight is None:
            return np.asarray(sizes, dtype=float)
        (sums,) = self.sums.of([self._subset(sizes)])
        return super().totals(self._in_memory(sizes), weight) + sums.moments.count

    def take(self, sizes: ArrayLike) -> NDArray[np.intp]:
        """Return the rows in memory of a subset with `sizes` (K,) rows, in increasing order."""
        return super().take(self._in_memory(sizes))

    def samples(
        self, data: Dataset, subsets: Sequence[Counts], *, summed: bool
    ) -> list[TrainingSample]:
        """Return the samples of subsets with given sizes (K,), always with their moments."""
        chosen = [self._subset(sizes) for sizes in subsets]
        streamed = self.sums.of(chosen)
        in_memory = [self._in_memory(sizes) for sizes in subsets]
        own = self.moments(data.X, in_memory, data.weights)
        return [
            TrainingSample(
                super(StreamedSubsets, self).take(sizes), None, moments + sums.moments,
                blocks=self.sums.blocks, subset=subset if subset.is_drawn.any() else None,
            )
            for subset, sums, sizes, moments in zip(chosen, streamed, in_memory, own, strict=True)
        ]  # fmt: skip

    def growing(
        self, data: Dataset, subsets: Sequence[Counts], *, summed: bool
    ) -> Iterator[TrainingSample]:
        """Yield the samples of growing nested subsets."""
        yield from self.samples(data, subsets, summed=summed)

    def oversampled(
        self, data: Dataset, sizes: Counts, wanted: Counts, sample: TrainingSample, *, seed: int
    ) -> TrainingSample:
        """Add randomly repeated rows to a sample of `sizes` (K,) rows, up to `wanted` (K,)."""
        more = np.divide(wanted - sizes, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
        repeated = self._subset(sizes)._replace(copies=tuple(more.tolist()))
        once, streamed = self.sums.of([self._subset(sizes), repeated])
        in_memory = self._in_memory(sizes)
        extra = np.maximum(wanted - sizes - (streamed.counts - once.counts), 0)
        extra = np.where(in_memory > 0, extra, 0)
        rows = np.concatenate([sample.rows, *self.repeated(in_memory, extra, seed)])
        # As a weight, a repetition is not copied.
        times = np.bincount(rows, data.weights_of(rows), data.n_rows).astype(float)
        own = Moments.from_groups(data.X, data.codes, data.n_classes, times)
        return TrainingSample(
            rows, None, own + streamed.moments, blocks=self.sums.blocks, subset=repeated
        )

    def _subset(self, sizes: ArrayLike) -> RowSubset:
        counts = self.counts
        share = np.divide(sizes, counts, out=np.ones(len(counts)), where=counts > 0)
        return RowSubset(self.seed, tuple(share.tolist()), (0.0,) * len(counts))

    def _in_memory(self, sizes: ArrayLike) -> Counts:
        """Return the number of rows in memory (K,) that complete a subset to its size."""
        subset = self._subset(sizes)
        if subset not in self._sizes:
            (sums,) = self.sums.of([subset])
            own = super().counts
            # Some rows of every class: those in memory direct the steps of fits in passes.
            least = np.minimum(np.ceil(np.array(subset.share) / 2 * own), own)
            wanted = np.clip(np.asarray(sizes) - sums.counts, least, own)
            self._sizes[subset] = wanted.astype(np.intp)
        return self._sizes[subset]
