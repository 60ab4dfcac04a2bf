"""Loss of logistic regression as a sum over blocks of rows that are not all in memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import and_
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from lincore.estimators.logistic.design_matrix import StandardRows
from lincore.estimators.logistic.loss import NEXT_TO_NOTHING, Linear, SoftmaxLoss
from lincore.linalg.optimize import Iterate
from lincore.utils.typing import Array

Result = TypeVar("Result")
#: Some rows (m, p) of any real type, and the class of each, (m,).
Block: TypeAlias = tuple[NDArray[Any], NDArray[np.intp]]


class OverBlocks(Protocol):
    """A pass over all blocks of rows, local or remote, that merges their results."""

    def __call__(
        self, work: Callable[[Block], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the merged results of all blocks; `work` and `merge` are picklable."""


class BlockLoss(NamedTuple):
    """The unpenalised loss of a block, with rows standardised and weighted like all others.

    Attributes
    ----------
    rows : StandardRows
        May be empty.
    n_classes : int
    class_weights : ndarray of shape (K,) or None
    """

    rows: StandardRows
    n_classes: int
    class_weights: Array | None

    def __call__(self, block: Block) -> SoftmaxLoss:
        """Return the loss of a single block."""
        X, codes = block
        rows = self.rows.of(X)
        weight = None if self.class_weights is None else self.class_weights[codes]
        return SoftmaxLoss(rows, codes, self.n_classes, weight, np.zeros(rows.n_coordinates))


class SummedLoss:
    """The loss of `SoftmaxLoss` over blocks; each value, gradient or product takes one pass.

    The probabilities of the rows are not stored: curvature recomputes them from the coefficients,
    always in double precision.

    Parameters
    ----------
    over : OverBlocks
    of_block : BlockLoss
    penalty : ndarray of shape (q,)
    n_rows : int
    total : float
        Weight of all rows.

    Examples
    --------
    >>> X, codes = np.array([[0.0], [1.0]]), np.array([0, 1])
    >>> blocks = [(X[:1], codes[:1]), (X[1:], codes[1:])]
    >>> def over(work, merge):
    ...     return merge(*map(work, blocks))
    >>> of_block = BlockLoss(StandardRows(X, np.zeros(1), np.ones(1)), 2, None)
    >>> point = SummedLoss(over, of_block, np.zeros(2), 2, 2.0)(np.zeros((2, 2)))
    >>> round(point.value, 6), point.gradient.tolist()  # as of both rows together
    (1.386294, [[0.5, -0.5], [0.0, 0.0]])
    """

    def __init__(
        self, over: OverBlocks, of_block: BlockLoss, penalty: Array, n_rows: int, total: float
    ) -> None:
        self._over = over
        self._of_block = of_block
        self.penalty = penalty
        self.n_rows = n_rows
        self.total = total

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (q, K) of the coefficients."""
        return len(self.penalty), self._of_block.n_classes

    @property
    def wide(self) -> bool:
        """True if a q × q matrix would be too large: never here."""
        return False

    def __call__(self, coef: Array) -> Iterate:
        """Return value and gradient at coefficients (q, K), which also serve as the state."""
        value, gradient = self._over(partial(_value_and_gradient, self._of_block, coef), _added)
        pull = self.penalty[:, None] * coef
        whole = float(value) + 0.5 * float((pull * coef).sum())
        return Iterate(coef, whole, gradient + pull, coef)

    def separates(self, point: Iterate) -> bool:
        """Return whether every row with positive weight is strictly on the side of its class."""
        return self._over(partial(_separates, self._of_block, point.state), and_)

    def is_unbounded(self, point: Iterate) -> bool:
        """Return whether there is clearly no minimum: separated classes, almost no loss left."""
        if self.penalty.any() or point.value > NEXT_TO_NOTHING * self.total:
            return False
        return self.separates(point)

    def product_at(self, state: Array, *, exact: bool = True) -> Linear:
        """Return the map ``coef -> H @ coef``, H being the Hessian at coefficients `state`."""
        del exact

        def product(coef: Array) -> Array:
            (found,) = self._over(partial(_product, self._of_block, state, coef), _added)
            return np.asarray(found + self.penalty[:, None] * coef)

        return product

    def hessian(self, state: Array, *, exact: bool = True, every: int = 1) -> Array:
        """Return the Hessian for the differences of classes 1 to K - 1 from class 0."""
        del exact
        (found,) = self._over(partial(_hessian, self._of_block, state, every), _added)
        K = self._of_block.n_classes
        alike = np.eye(K - 1) - 1 / K
        return np.asarray(found + np.kron(alike, np.diag(self.penalty)))

    def bound(self) -> Array:
        """Return Böhning's bound for one class, (q, q)."""
        (found,) = self._over(partial(_bound, self._of_block), _added)
        return np.asarray(found + np.diag(self.penalty))

    def unsettled(self, state: Array, *, every: int = 1) -> Array:
        """Return Böhning's matrix (q, q) with row weights."""
        (found,) = self._over(partial(_unsettled, self._of_block, state, every), _added)
        return np.asarray(found + np.diag(self.penalty))

    def unsettled_diagonal(self, state: Array) -> Array:
        """Return the diagonal (q,) of `unsettled`."""
        return np.diagonal(self.unsettled(state)).copy()


def _added(one: tuple[Array, ...], other: tuple[Array, ...]) -> tuple[Array, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _value_and_gradient(of_block: BlockLoss, coef: Array, block: Block) -> tuple[Array, ...]:
    point = of_block(block)(coef)
    return np.asarray(point.value), point.gradient


def _separates(of_block: BlockLoss, coef: Array, block: Block) -> bool:
    loss = of_block(block)
    return loss.separates(loss(coef))


def _product(of_block: BlockLoss, state: Array, coef: Array, block: Block) -> tuple[Array, ...]:
    loss = of_block(block)
    return (loss.product_at(loss(state).state)(coef),)


def _hessian(of_block: BlockLoss, state: Array, every: int, block: Block) -> tuple[Array, ...]:
    loss = of_block(block)
    return (loss.hessian(loss(state).state, every=every),)


def _bound(of_block: BlockLoss, block: Block) -> tuple[Array, ...]:
    return (of_block(block).bound(),)


def _unsettled(of_block: BlockLoss, state: Array, every: int, block: Block) -> tuple[Array, ...]:
    loss = of_block(block)
    return (loss.unsettled(loss(state).state, every=every),)
