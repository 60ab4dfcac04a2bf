"""One row after the other, as the perceptron sees them, at the speed of matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Values of one block (400 KB): after a mistake the rest of the block is scored again, so it
# should stay in the processor's cache.
BLOCK_VALUES = 50_000


@dataclass(frozen=True)
class StepRows:
    """Rows as the perceptron sees them: ``x̃ = (1, (x - origin) / scale)``.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Of any real type; converted block by block.
    codes : ndarray of shape (n,)
        Classes, from 0 to K - 1.
    steps : ndarray of shape (n,)
        How far a mistake at each row moves the weights, > 0.
    origin, scale : ndarray of shape (p,)
    """

    X: NDArray[Any]
    codes: NDArray[np.intp]
    steps: Array
    origin: Array
    scale: Array

    def blocks(
        self, order: NDArray[np.intp]
    ) -> Iterator[tuple[Array, NDArray[np.intp], NDArray[np.float64]]]:
        """Yield rows x̃ (b, p + 1), their codes and their steps, in the order asked for."""
        p = self.X.shape[1]
        length = int(np.clip(BLOCK_VALUES // (p + 1), 16, 512))
        for start in range(0, len(order), length):
            chosen = order[start : start + length]
            block = np.ones((len(chosen), p + 1))
            np.subtract(self.X[chosen], self.origin, out=block[:, 1:])
            block[:, 1:] /= self.scale
            yield block, self.codes[chosen], self.steps[chosen]


@dataclass
class Walk:
    """The weights, and what is remembered of the way that they have come.

    Attributes
    ----------
    rows : StepRows
    weights : ndarray of shape (K, p + 1)
        The bias first.
    keeps_pocket : bool
        Whether the weights with the fewest errors are kept as well.
    pocket : ndarray of shape (K, p + 1)
    visits : int
        Rows seen, the same row again and again.
    """

    rows: StepRows
    weights: Array
    keeps_pocket: bool = False
    pocket: Array = field(init=False)
    visits: int = 0
    _drift: Array = field(init=False)
    _fewest: float = np.inf
    _run: int = 0
    _longest_run: int = -1

    def __post_init__(self) -> None:
        """Begin with the weights as pocket."""
        self.pocket, self._drift = self.weights.copy(), np.zeros_like(self.weights)

    def epoch(self, order: NDArray[np.intp]) -> int:
        """Visit rows once each and return the number of mistakes; each one is an update."""
        mistakes = sum(self._visit(*block) for block in self.rows.blocks(order))
        if self.keeps_pocket:
            self._consider()
        return mistakes

    def average(self) -> Array:
        """Return the mean of the weights after every visit, (K, p + 1)."""
        # The update of visit u is part of the weights after visits u to the last.
        return ((self.visits + 1) * self.weights - self._drift) / max(1, self.visits)

    def _visit(self, block: Array, codes: NDArray[np.intp], steps: Array) -> int:
        """Visit the rows of a block.

        Between two mistakes the weights stand still, so one product tells all scores up to the
        next mistake; only what an update adds to the scores of the rows after it is new.
        """
        scores = self.weights @ block.T
        own = scores[codes, np.arange(len(codes))]
        rivals = scores
        rivals[codes, np.arange(len(codes))] = -np.inf
        here = mistakes = 0
        while True:
            # A tie is a mistake: the beginning, where all weights are zero, is one tie.
            wrong = own[here:] <= rivals[:, here:].max(axis=0)
            ahead = int(wrong.argmax()) if wrong.any() else len(wrong)
            self.visits, self._run, here = self.visits + ahead, self._run + ahead, here + ahead
            if here == len(codes):
                return mistakes
            mistakes += 1
            true, rival = int(codes[here]), int(rivals[:, here].argmax())
            self._update(steps[here] * block[here], true, rival)
            rest = slice(here + 1, None)
            change = steps[here] * (block[rest] @ block[here])
            for k, signed in ((true, change), (rival, -change)):
                rivals[k, rest] += signed
                own[rest] += signed * (codes[rest] == k)
            here += 1

    def _update(self, step: Array, true: int, rival: int) -> None:
        if self.keeps_pocket and self._run > self._longest_run:
            self._consider()
        self.visits, self._run = self.visits + 1, 0
        for k, signed in ((true, step), (rival, -step)):
            self.weights[k] += signed
            self._drift[k] += self.visits * signed

    def _consider(self) -> None:
        """Pocket the weights if fewer rows are wrong with them than with those in the pocket."""
        self._longest_run = max(self._longest_run, self._run)
        errors = 0.0
        for block, codes, steps in self.rows.blocks(np.arange(len(self.rows.codes))):
            scores = self.weights @ block.T
            own = scores[codes, np.arange(len(codes))]
            scores[codes, np.arange(len(codes))] = -np.inf
            errors += float(steps[own <= scores.max(axis=0)].sum())
        if errors < self._fewest:
            self._fewest, self.pocket = errors, self.weights.copy()
