"""Loss, gradient and curvature of softmax regression, as sums over blocks of rows.

`SoftmaxLoss` has its rows in memory, `SummedLoss` only a sample of them. The state of a point holds
intermediate results for its curvature only. Curvature that is not `exact` may be accurate to six
digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import add, and_
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from lincore.data.blocks import RowBlock
from lincore.estimators.logistic.design_matrix import RowView, StandardRows
from lincore.linalg.optimize import Iterate
from lincore.utils.memory import require_memory
from lincore.utils.threads import Mapper, parts_of
from lincore.utils.typing import Array

Linear = Callable[[Array], Array]
Result = TypeVar("Result")


class SoftmaxLoss:
    """The penalised negative log likelihood of K classes, symmetric in the classes."""

    # ``E(V) = -Σᵢ sᵢ log p(yᵢ | xᵢ) + ½ Σⱼ penaltyⱼ ‖Vⱼ‖²`` with ``p = softmax(x @ V)``, where x
    # are standardised coordinates ending with a one for the intercept. Gradients sum to zero over
    # the classes, so a descent that starts at coefficients with sum zero preserves it.
    # A row of weight s counts as s copies of itself. The mapper applies a function to chunks of the
    # rows, see `lincore.utils.threads.part_mapper`. Values, gradients and Hessians have the leading
    # axes of the rows: none, or one for B problems, see `stacked`.
    # "faces-generative-vs-discriminative", "Probabilistic Discriminative Model" (the error, its
    # gradient and the blocks of its Hessian); "lda-qda-derivations", eqs. 1 to 5, for two classes.

    def __init__(
        self,
        rows: StandardRows,
        codes: NDArray[np.intp],
        n_classes: int,
        weight: Array | None,
        penalty: Array,
        mapper: Mapper = map,
    ) -> None:
        self.rows = rows
        self.codes = codes
        self.n_classes = n_classes
        self.weight = weight
        self.penalty = penalty
        self._mapper = mapper
        self.total = len(rows) if weight is None else weight.sum(axis=-1)
        self.shape = rows.n_coordinates, n_classes
        self.n_rows = len(rows)
        # Whether a q × q matrix would be too large.
        self.wide = rows.wide

    def __call__(self, coef: Array) -> Iterate:
        """Return value and gradient at coefficients (q, K); the state is P, (n, K)."""
        view = self.rows.double
        W, constant = view.unfold(coef)
        probabilities = np.empty((*coef.shape[:-2], len(self.rows), self.n_classes))

        def sum_chunk(rows: range) -> tuple[Array, Array, Array]:
            value, products, sums = (
                np.zeros(shape) for shape in (W.shape[:-2], W.shape, constant.shape)
            )
            for where, block in view.blocks(rows):
                P_block = probabilities[..., where, :]
                np.add(block @ W, constant[..., None, :], out=P_block)
                losses, residual = softmax_in_place(P_block, self.codes[..., where])
                if self.weight is not None:
                    losses *= self.weight[..., where]
                    residual *= self.weight[..., where, None]
                value += losses.sum(axis=-1)
                products += (residual.mT @ block).mT
                sums += _column_sums(residual)
            return value, products, sums

        total, products, sums = self.summed(sum_chunk)
        penalty_gradient = self.penalty[..., None] * coef
        gradient = view.fold(products, sums) + penalty_gradient
        value = total + 0.5 * (penalty_gradient * coef).sum(axis=(-2, -1))
        return Iterate(coef, value, gradient, probabilities)

    def separates(self, point: Iterate) -> bool:
        """Return whether every row with positive weight is strictly on the side of its class."""
        state = point.state[: len(self.codes)]  # in a stack it is padded
        index = np.arange(len(self.codes))
        others = state.copy()
        others[index, self.codes] = 0
        right = state[index, self.codes] > others.max(axis=1)
        return bool(np.all(right if self.weight is None else right[self.weight > 0]))

    @classmethod
    def stacked(cls, losses: Sequence[SoftmaxLoss]) -> SoftmaxLoss:
        """Stack B problems of rows of the same form and of the same number of classes."""
        rows = StandardRows.stacked([loss.rows for loss in losses])
        codes = np.zeros((len(losses), len(rows)), dtype=np.intp)
        weight = np.zeros(codes.shape)
        for b, loss in enumerate(losses):
            codes[b, : len(loss.codes)] = loss.codes
            weight[b, : len(loss.codes)] = 1.0 if loss.weight is None else loss.weight
        penalty = np.stack([loss.penalty for loss in losses])
        return cls(rows, codes, losses[0].n_classes, weight, penalty)

    def select(self, chosen: Any) -> SoftmaxLoss:
        """Return some of B problems."""
        weight = None if self.weight is None else self.weight[chosen]
        rows, codes, penalty = self.rows.select(chosen), self.codes[chosen], self.penalty[chosen]
        return SoftmaxLoss(rows, codes, self.n_classes, weight, penalty)

    def batch_gradient(self, coef: Array, chosen: NDArray[np.intp]) -> Array:
        """Return the gradient over some rows, with their share of the penalty."""
        block = self.rows.double.coordinates(chosen)
        weight = np.ones(len(chosen)) if self.weight is None else self.weight[chosen]
        _, residual = softmax_in_place(block @ coef, self.codes[chosen])
        share = weight.sum() / self.total
        return block.T @ (weight[:, None] * residual) + share * self.penalty[:, None] * coef

    def product_at(self, state: Array, *, exact: bool = True) -> Linear:
        """Return the map ``coef -> H @ coef`` of the Hessian H at a point."""
        view = self.rows.double if exact else self.rows.single
        return partial(self._product, state.astype(view.dtype, copy=False), view)

    def _product(self, probabilities: NDArray[Any], view: RowView, coef: Array) -> Array:
        W, constant = view.unfold(coef)

        def sum_chunk(rows: range) -> tuple[Array, Array]:
            products, sums = np.zeros(W.shape), np.zeros(self.n_classes)
            for where, block in view.blocks(rows):
                change = block @ W
                change += constant
                P_block = probabilities[where]
                change *= P_block
                change -= P_block * _row_sums(change)[:, None]
                if self.weight is not None:
                    change *= self.weight[where][:, None].astype(change.dtype)
                products += (change.T @ block).T
                sums += _column_sums(change)
            return products, sums

        products, sums = self.summed(sum_chunk)
        return view.fold(products, sums) + self.penalty[:, None] * coef

    def hessian(self, state: Array, *, exact: bool = True, every: int = 1) -> Array:
        """Return the Hessian for the differences of classes 1 to K - 1 from class 0."""
        (q, K), view = self.shape, self.rows.double if exact else self.rows.single
        require_memory(
            3 * 8 * ((K - 1) * q) ** 2,
            f"The Hessian of {K} classes with {q:,} coefficients each",
            'Use the solver "newton-cg", principal components or fewer features.',
        )

        def sum_chunk(rows: range) -> tuple[Array]:
            blocks = np.zeros((*state.shape[:-2], K - 1, q, K - 1, q))
            for where, block in view.coordinate_blocks(rows, every):
                root: NDArray[Any] = self._root_weight(where, every).astype(view.dtype)
                P_block: NDArray[Any] = state[..., where, :].astype(view.dtype)
                blocks += curvature(root[..., None] * block, P_block)
            return (blocks,)

        (blocks,) = self.summed(sum_chunk)
        diagonals = np.einsum("...kjmj->...jkm", blocks)  # a view
        diagonals += self.penalty[..., None, None] * (np.eye(K - 1) - 1 / K)
        return blocks.reshape(*blocks.shape[:-4], (K - 1) * q, (K - 1) * q)

    def bound(self) -> Array:
        """Return Böhning's bound for one class, for coefficients that sum to zero."""
        return self._scatter(np.full(len(self.rows), 0.5), self.rows.double)

    def weighted_bound(self, state: Array, *, every: int) -> Array:
        """Return Böhning's matrix (q, q) with row weights."""
        # The bound gives every row the weight ½. Near the minimum most rows have almost no weight,
        # which this takes into account: ``Σ_k p_k (1 - p_k) / (K - 1)`` is also at most ½.
        return self._scatter(_bound_weights(state), self.rows.single, every)

    def _scatter(self, row_weight: Array, view: RowView, every: int = 1) -> Array:
        """Return ``Σ sᵢ row_weightᵢ xᵢ xᵢᵀ`` plus the penalty, (q, q); see `hessian`."""
        q = self.shape[0]

        def sum_chunk(rows: range) -> tuple[Array]:
            total = np.zeros((q, q))
            for where, block in view.coordinate_blocks(rows, every):
                root = self._root_weight(where, every) * np.sqrt(row_weight[where])
                block *= root[:, None].astype(view.dtype)
                total += block.T @ block
            return (total,)

        (total,) = self.summed(sum_chunk)
        return np.asarray(total + np.diag(self.penalty))

    def diagonal(self, state: Array | None = None) -> Array:
        """Return the diagonal (q,) of `bound`, or of `weighted_bound` at a state."""
        weight = np.full(len(self.rows), 0.5) if state is None else _bound_weights(state)
        weight = weight if self.weight is None else self.weight * weight
        return self.rows.double.squares(weight) + self.penalty

    def summed(self, work: Callable[[range], tuple[Array, ...]]) -> tuple[Array, ...]:
        """Sum the results of a function over chunks of the rows."""
        sums = self._mapper(work, parts_of(len(self.rows)))
        return tuple(sum(terms) for terms in zip(*sums, strict=True))

    def _root_weight(self, where: slice, every: int) -> Array:
        """Return the square roots of the weights of some rows that represent all."""
        if self.weight is None:
            return np.full(len(range(*where.indices(len(self.rows)))), np.sqrt(every))
        return np.sqrt(self.weight[..., where] * every)


class OverBlocks(Protocol):
    """A pass over all blocks of rows, local or remote, that merges their results."""

    def __call__(
        self, work: Callable[[RowBlock], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the merged results of all blocks; `work` and `merge` are picklable."""


class BlockLoss(NamedTuple):
    """The unpenalised loss of a block, with rows standardised and weighted like all others."""

    rows: StandardRows  # may be empty
    positions: NDArray[np.intp]  # (K',); of the codes among the K classes that have rows
    class_weights: Array | None  # (K,)

    @property
    def n_classes(self) -> int:
        """Number of classes that have rows."""
        return int(self.positions[-1]) + 1

    def __call__(self, block: RowBlock) -> SoftmaxLoss:
        """Return the loss of a single block."""
        rows, codes = self.rows.standardise(block.X), self.positions[block.codes]
        weight = block.weight
        if self.class_weights is not None:
            of_class = self.class_weights[codes]
            weight = of_class if weight is None else of_class * weight
        return SoftmaxLoss(rows, codes, self.n_classes, weight, np.zeros(rows.n_coordinates))


class SummedLoss:
    """The loss of rows that are not in memory; each value with its gradient takes one pass."""

    # The curvature is that of a sample of rows in memory, scaled to the weight of all: it directs
    # the steps towards the minimum, but does not move it. The state of a point is that of the
    # sample.

    wide = False

    def __init__(
        self, over: OverBlocks, of_block: BlockLoss, sample: RowBlock, penalty: Array, total: float
    ) -> None:
        self._over = over
        self._of_block = of_block
        self.penalty = penalty
        self.total = total
        self.sample = of_block(sample)
        self.scale = total / float(self.sample.total)
        self.sample.penalty = penalty / self.scale
        self.n_rows = self.sample.n_rows
        self.shape = self.sample.shape

    def __call__(self, coef: Array) -> Iterate:
        """Return value and gradient at coefficients (q, K)."""
        summed = self._over(partial(_value_and_gradient, self._of_block, coef), add)
        penalty_gradient = self.penalty[:, None] * coef
        value = np.asarray(summed[0] + 0.5 * (penalty_gradient * coef).sum())
        gradient = summed[1:].reshape(self.shape) + penalty_gradient
        return Iterate(coef, value, gradient, self.sample(coef).state)

    def separates(self, point: Iterate) -> bool:
        """Return whether every row with positive weight is strictly on the side of its class."""
        return self._over(partial(_separates, self._of_block, point.x), and_)

    def product_at(self, state: Array, *, exact: bool = True) -> Linear:
        """Return the map ``coef -> H @ coef`` of an approximate Hessian H at a point."""
        times = self.sample.product_at(state, exact=exact)
        return lambda coef: self.scale * times(coef)

    def hessian(self, state: Array, *, exact: bool = True, every: int = 1) -> Array:
        """Return an approximate Hessian for the differences of classes 1 to K - 1 from class 0."""
        return self.scale * self.sample.hessian(state, exact=exact, every=every)

    def weighted_bound(self, state: Array, *, every: int) -> Array:
        """Return Böhning's matrix (q, q) with row weights."""
        return self.scale * self.sample.weighted_bound(state, every=every)


def _value_and_gradient(of_block: BlockLoss, coef: Array, block: RowBlock) -> Array:
    """Return the value of a block's loss, followed by the gradient."""
    point = of_block(block)(coef)
    return np.append(point.value, point.gradient)


def _separates(of_block: BlockLoss, coef: Array, block: RowBlock) -> bool:
    loss = of_block(block)
    return loss.separates(loss(coef))


LogisticLoss: TypeAlias = SoftmaxLoss | SummedLoss


def _bound_weights(probabilities: Array) -> Array:
    """Return the weight of every row in the curvature, (n,): at most one half."""
    K = probabilities.shape[1]
    return (1 - np.einsum("ik,ik->i", probabilities, probabilities)).clip(0) / (K - 1)


def softmax_in_place(scores: NDArray[Any], codes: NDArray[np.intp]) -> tuple[Array, Array]:
    """Convert scores (..., m, K) to probabilities; return the losses (..., m) and ``P - T``."""
    own = (*np.indices(codes.shape, sparse=True), codes)
    scores -= np.ascontiguousarray(scores.swapaxes(-1, -2)).max(axis=-2)[..., None]
    losses = -scores[own]
    np.exp(scores, out=scores)
    sums = _row_sums(scores)
    losses += np.log(sums)
    scores /= sums[..., None]
    residual = scores.copy()
    residual[own] -= 1
    return losses, residual


def _row_sums(values: NDArray[Any]) -> NDArray[Any]:
    # Products, because NumPy sums many rows of few numbers ten times as slowly.
    return values @ np.ones(values.shape[-1], values.dtype)


def _column_sums(values: NDArray[Any]) -> NDArray[Any]:
    return np.ones(values.shape[-2], values.dtype) @ values


def curvature(rows: NDArray[Any], probabilities: NDArray[Any]) -> NDArray[Any]:
    """Return ``Σᵢ p_k (I_kl - p_l) xᵢ xᵢᵀ`` for classes 1 to K - 1, (..., K - 1, q, K - 1, q)."""
    q, K = rows.shape[-1], probabilities.shape[-1]
    blocks = np.zeros((*rows.shape[:-2], K - 1, q, K - 1, q), rows.dtype)
    if K > 2:
        products = probabilities[..., 1:, None] * rows[..., None, :]
        stacked = products.reshape(*rows.shape[:-1], (K - 1) * q)
        blocks[:] = -(stacked.swapaxes(-1, -2) @ stacked).reshape(blocks.shape)
    for k in range(1, K):
        # p (1 - p) with 1 - p as a sum, for p near 1.
        rest = _row_sums(probabilities[..., :k]) + _row_sums(probabilities[..., k + 1 :])
        scaled = np.sqrt(probabilities[..., k] * rest)[..., None] * rows
        blocks[..., k - 1, :, k - 1, :] = scaled.swapaxes(-1, -2) @ scaled
    return blocks
