"""Epochs of the perceptron rule in blocks, as fast as matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lincore.utils.typing import Array

# Values of one block (400 KB): after a mistake the rest of the block is scored again, so it should
# fit into the processor's cache.
BLOCK_VALUES = 50_000
# From this share of mistakes on, single rows are quicker than blocks, which need 0.1 ms a mistake.
MANY = 0.05
# Sparse rows of one block: their inner products fit into 0.5 MB.
SPARSE_LENGTH = 256


@dataclass(frozen=True)
class StepRows:
    """Rows in the perceptron's coordinates: ``x̃ = (1, (x - origin) / scale)``."""

    X: NDArray[Any]  # (n, p); of any real type; converted block by block
    codes: NDArray[np.intp]  # (n,); classes, from 0 to K - 1
    steps: Array  # (n,); step length for a mistake at each row, > 0
    origin: Array  # (p,)
    scale: Array  # (p,)

    def blocks(
        self, order: NDArray[np.intp]
    ) -> Iterator[tuple[EpochBlock, NDArray[np.intp], Array]]:
        """Yield rows x̃ (b, p + 1), their codes and their steps, in the given order."""
        length = int(np.clip(BLOCK_VALUES // (self.X.shape[1] + 1), 16, 512))
        for start in range(0, len(order), length):
            chosen = order[start : start + length]
            yield self._block(chosen), self.codes[chosen], self.steps[chosen]

    def _block(self, chosen: NDArray[np.intp]) -> EpochBlock:
        rows = np.ones((len(chosen), self.X.shape[1] + 1))
        np.subtract(self.X[chosen], self.origin, out=rows[:, 1:])
        rows[:, 1:] /= self.scale
        return EpochBlock(rows)


class SparseStepRows(StepRows):
    """The same for CSR rows, which are scaled and keep their zeros: the origin must be zero."""

    def blocks(
        self, order: NDArray[np.intp]
    ) -> Iterator[tuple[EpochBlock, NDArray[np.intp], Array]]:
        """Yield rows x̃ (b, p + 1), their codes and their steps, in the given order."""
        for start in range(0, len(order), SPARSE_LENGTH):
            chosen = order[start : start + SPARSE_LENGTH]
            yield SparseBlock(self._rows[chosen]), self.codes[chosen], self.steps[chosen]

    @cached_property
    def _rows(self) -> Any:
        """The rows x̃ in CSR."""
        scaled = sp.csr_array(self.X, dtype=np.float64) @ sp.diags_array(1 / self.scale)
        return sp.csr_array(sp.hstack([np.ones((self.X.shape[0], 1)), scaled]))


class EpochBlock:
    """A block of rows x̃, with the operations needed for an epoch."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def scores(self, weights: Array) -> Array:
        """Return ``weights @ rowsᵀ``, (K, b)."""
        return np.asarray(weights @ self.rows.T)

    def inner_products(self, i: int) -> Array:
        """Return the products of row `i` with the rows after it."""
        return np.asarray(self.rows[i + 1 :] @ self.rows[i])

    def add(self, target: Array, i: int, factor: float) -> None:
        """Add a multiple of row `i` to a vector (p + 1,)."""
        target += factor * self.rows[i]


class SparseBlock(EpochBlock):
    """The same for CSR rows."""

    def scores(self, weights: Array) -> Array:
        """Return ``weights @ rowsᵀ``, (K, b)."""
        return np.ascontiguousarray((self.rows @ weights.T).T)

    @cached_property
    def _products(self) -> Array:
        return np.asarray((self.rows @ self.rows.T).toarray())

    def inner_products(self, i: int) -> Array:
        """Return the products of row `i` with the rows after it."""
        return self._products[i, i + 1 :]

    def add(self, target: Array, i: int, factor: float) -> None:
        """Add a multiple of row `i` to a vector (p + 1,)."""
        stored = slice(self.rows.indptr[i], self.rows.indptr[i + 1])
        np.add.at(target, self.rows.indices[stored], factor * self.rows.data[stored])


@dataclass
class Walk:
    """The weights and their history."""

    rows: StepRows
    weights: Array  # (K, p + 1); the bias first
    keeps_pocket: bool = False  # whether to keep the weights with the fewest errors as well
    pocket: Array = field(init=False)  # (K, p + 1)
    visits: int = 0  # number of rows visited, counting repeats
    _drift: Array = field(init=False)
    _fewest: float = np.inf
    _run: int = 0
    _longest_run: int = -1
    _has_many: bool = False

    def __post_init__(self) -> None:
        """Start with the weights as pocket."""
        self.pocket, self._drift = self.weights.copy(), np.zeros_like(self.weights)

    def epoch(self, order: NDArray[np.intp]) -> int:
        """Visit each row once and return the number of mistakes; each causes an update."""
        visit = self._visit_singly if self._has_many else self._visit
        mistakes = sum(visit(*block) for block in self.rows.blocks(order))
        self._has_many = mistakes > MANY * len(order) and not sp.issparse(self.rows.X)
        if self.keeps_pocket:
            self._update_pocket()
        return mistakes

    def average(self) -> Array:
        """Return the mean of the weights after every visit, (K, p + 1)."""
        # The update of visit u is included in the weights after all visits from u on.
        return ((self.visits + 1) * self.weights - self._drift) / max(1, self.visits)

    def _visit(self, block: EpochBlock, codes: NDArray[np.intp], steps: Array) -> int:
        """Visit the rows of a block."""
        # Between two mistakes the weights are constant, so one product gives all scores up to the
        # next mistake; then only the change of the scores of later rows has to be added.
        scores = block.scores(self.weights)
        own = scores[codes, np.arange(len(codes))]
        rivals = scores
        rivals[codes, np.arange(len(codes))] = -np.inf
        i = mistakes = 0
        while True:
            # A tie is a mistake; at the start, with zero weights, everything is tied.
            wrong = own[i:] <= rivals[:, i:].max(axis=0)
            ahead = int(wrong.argmax()) if wrong.any() else len(wrong)
            self.visits, self._run, i = self.visits + ahead, self._run + ahead, i + ahead
            if i == len(codes):
                return mistakes
            mistakes += 1
            true, rival = int(codes[i]), int(rivals[:, i].argmax())
            self._update(block, i, steps[i], true, rival)
            rest = slice(i + 1, None)
            change = steps[i] * block.inner_products(i)
            for k, signed in ((true, change), (rival, -change)):
                rivals[k, rest] += signed
                own[rest] += signed * (codes[rest] == k)
            i += 1

    def _visit_singly(self, block: EpochBlock, codes: NDArray[np.intp], steps: Array) -> int:
        """Visit the rows of a block one by one."""
        mistakes = 0
        for i, (row, true) in enumerate(zip(block.rows, codes.tolist(), strict=True)):
            scores = self.weights @ row
            own, scores[true] = scores[true], -np.inf
            rival = int(scores.argmax())
            if own > scores[rival]:
                self.visits, self._run = self.visits + 1, self._run + 1
            else:
                mistakes += 1
                self._update(block, i, steps[i], true, rival)
        return mistakes

    def _update(self, block: EpochBlock, i: int, step: float, true: int, rival: int) -> None:
        if self.keeps_pocket and self._run > self._longest_run:
            self._update_pocket()
        self.visits, self._run = self.visits + 1, 0
        for k, signed in ((true, step), (rival, -step)):
            block.add(self.weights[k], i, signed)
            block.add(self._drift[k], i, self.visits * signed)

    def _update_pocket(self) -> None:
        """Pocket the weights if they misclassify fewer rows than those in the pocket."""
        self._longest_run = max(self._longest_run, self._run)
        errors = 0.0
        for block, codes, steps in self.rows.blocks(np.arange(len(self.rows.codes))):
            scores = block.scores(self.weights)
            own = scores[codes, np.arange(len(codes))]
            scores[codes, np.arange(len(codes))] = -np.inf
            errors += float(steps[own <= scores.max(axis=0)].sum())
        if errors < self._fewest:
            self._fewest, self.pocket = errors, self.weights.copy()
