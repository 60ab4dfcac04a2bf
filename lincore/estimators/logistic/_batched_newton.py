"""Many small softmax regressions at once: Newton's method on all of them in the same products.

A study of class sizes fits the same model to hundreds of samples of a few hundred rows. One by one
the time goes to Python and not to arithmetic. Each problem here is that of `SoftmaxLoss`. With a
penalty its minimum is one point, without one it may be; all are followed to it beyond the tolerance
of a single fit, so that both agree to about ten digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.estimators.logistic.separation import STILL_MOVING
from lincore.linalg.optimize import HALVINGS, RESOLUTION
from lincore.utils.typing import Array, Flags

NEWTON_STEPS = 50
#: Without a penalty: overlapping classes take fewer, and of separated ones each would be wasted.
STEPS_WITHOUT_PENALTY = 15
#: Without a penalty a minimum is believed where the last step moved no score by `STILL_MOVING`, and
#: features are no nearer to being dependent: the smallest eigenvalue of their correlations.
CLEAR = 1e-6
#: Deviations below this share of the mean are rounding.
NOTHING = 1e-14


class Stack(NamedTuple):
    """Problems of the same number of coordinates and classes, in standardised coordinates.

    Attributes
    ----------
    rows : ndarray of shape (B, n, q)
        The last coordinate is one, where there is an intercept. Problems of fewer rows than n are
        filled up with rows of zeros.
    targets : ndarray of shape (B, n, K)
        One in the column of the class of a row.
    weight : ndarray of shape (B, n)
        What a row counts; zero where a problem has no such row.
    penalty : ndarray of shape (B, q)
        Of each squared coordinate; zero for the intercept's.
    """

    rows: Array
    targets: Array
    weight: Array
    penalty: Array

    def of(self, chosen: Any) -> Stack:
        """Return some of the problems."""
        return Stack(*(part[chosen] for part in self))


class Point(NamedTuple):
    """Values (B,), gradients (B, q, K) and probabilities (B, n, K) at some coefficients."""

    value: Array
    gradient: Array
    probabilities: Array

    @property
    def size(self) -> Array:
        """The largest entry of each gradient, (B,)."""
        return np.asarray(np.abs(self.gradient).max(axis=(1, 2)))


# Hears of some of the problems, by number: where they are, and the lengths of the steps there.
Told = Callable[[NDArray[np.intp], Point, Array], None]


class Solved(NamedTuple):
    """Coefficients (K, p) and intercepts (K,) of each problem, in the user's units.

    Attributes
    ----------
    coef : ndarray of shape (B, K, p)
    intercept : ndarray of shape (B, K)
    converged : ndarray of shape (B,)
        Whether the gradient became as small as was asked. The others want a solver that can say
        why it did not.
    """

    coef: Array
    intercept: Array
    converged: Flags


def solve_stack(
    rows: Sequence[Any],
    codes: Sequence[NDArray[np.intp]],
    weights: Sequence[Array | None],
    n_classes: int,
    *,
    strength: float,
    tol: float,
    intercept: bool = True,
    tell: Told | None = None,
) -> Solved:
    """Minimise ``-Σᵢ sᵢ log p(yᵢ | xᵢ) + ½ strength ‖coefficients‖²`` for each of B samples.

    Parameters
    ----------
    rows : sequence of B arrays of shape (n_b, p)
    codes : sequence of B arrays of shape (n_b,)
        The class of each row, 0 to K - 1.
    weights : sequence of B arrays of shape (n_b,), or None
        A row of weight w counts as w copies of itself.
    n_classes : int
    strength : float
        The intercepts carry no penalty. With none at all, problems of separated classes and
        dependent features, whose minimum is nowhere or not one point, do not converge.
    tol : float
        Bound of the largest entry of the gradient in standardised coordinates, by unit of weight.
    intercept : bool, default True
        Whether there are intercepts; else they are zero.
    tell : callable, optional
        Hears of every step that was taken, the start among them.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> solved = solve_stack([X, X[:3]], [np.array([0, 0, 1, 1]), np.array([0, 1, 1])],
    ...                      [None, None], 2, strength=2.0, tol=1e-8)
    >>> solved.converged.tolist(), solved.coef.shape
    ([True, True], (2, 2, 1))
    >>> np.round(solved.coef.sum(axis=1), 9).ravel().tolist()  # symmetric in the classes
    [0.0, 0.0]
    """
    padded, weight, places = _filled_up(rows, codes, weights)
    targets = np.eye(n_classes)[places] * (weight > 0)[..., None]
    # What overflows does not converge, and is told so.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        stack, origin, scale = _standardised(padded, targets, weight, strength, intercept)
        total = weight.sum(axis=1)
        start = np.zeros((len(rows), stack.rows.shape[2], n_classes))
        if intercept:
            start[:, -1] = _logs_of_shares(targets, weight)
        limit = NEWTON_STEPS if strength else STEPS_WITHOUT_PENALTY
        coef, converged, moved = _minimise(stack, start, tol * total, tell, limit)
        if not strength:
            converged &= (moved < STILL_MOVING) & _is_clear(stack)
        W = coef[:, : scale.shape[1]] / scale[:, :, None]
        constant = np.zeros((len(rows), n_classes))
        if intercept:
            constant = coef[:, -1] - np.einsum("bj,bjk->bk", origin, W)
    return Solved(W.swapaxes(1, 2), constant, converged)


def _filled_up(
    rows: Sequence[Any], codes: Sequence[NDArray[np.intp]], weights: Sequence[Array | None]
) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return rows (B, n, p), weights (B, n) and codes (B, n) of problems of the same length."""
    n = max(len(part) for part in rows)
    padded = np.zeros((len(rows), n, rows[0].shape[1]))
    weight, places = np.zeros((len(rows), n)), np.zeros((len(rows), n), dtype=np.intp)
    for b, (part, own, given) in enumerate(zip(rows, codes, weights, strict=True)):
        padded[b, : len(part)] = part
        weight[b, : len(part)] = 1.0 if given is None else given
        places[b, : len(part)] = own
    return padded, weight, places


def _standardised(
    rows: Array, targets: Array, weight: Array, strength: float, intercept: bool
) -> tuple[Stack, Array, Array]:
    """Centre and scale each problem by itself; return origins and scales (B, p) as well.

    Without an intercept zero stays where it is, and squares are about zero.
    """
    total = weight.sum(axis=1)
    origin = np.zeros((len(rows), rows.shape[2]))
    if intercept:
        origin = np.einsum("bn,bnj->bj", weight, rows) / total[:, None]
    centred = rows - origin[:, None]
    variance = np.einsum("bn,bnj->bj", weight, centred**2) / total[:, None]
    variance[~np.isfinite(variance)] = np.nan
    # A feature that does not vary keeps its coefficient of zero under any penalty.
    varies = np.sqrt(variance) > NOTHING * np.abs(origin)
    # In these units the penalty is never more than the rows, however little they vary.
    scale = np.sqrt(variance + 2 * strength / total[:, None])
    centred *= np.where(varies, 1 / scale, 0.0)[:, None]
    B, n, p = rows.shape
    coordinates = np.ones((B, n, p + int(intercept)))
    coordinates[..., :p] = centred
    coordinates *= (weight > 0)[..., None]
    penalty = np.zeros((B, p + int(intercept)))
    penalty[:, :p] = strength / scale**2
    return Stack(coordinates, targets, weight, penalty), origin, scale


def _is_clear(stack: Stack) -> Flags:
    """Return whether the coordinates of each problem are far from being dependent, (B,)."""
    weighed = stack.rows * (stack.weight / stack.weight.sum(axis=1, keepdims=True))[..., None]
    products = stack.rows.swapaxes(1, 2) @ weighed
    finite = np.isfinite(products).all(axis=(1, 2))
    products[~finite] = 0.0
    return finite & (np.linalg.eigvalsh(products)[:, 0] > CLEAR)


def _logs_of_shares(targets: Array, weight: Array) -> Array:
    """Return where intercepts begin, (B, K): at the shares of the classes."""
    count = np.einsum("bn,bnk->bk", weight, targets)
    least = np.where(count > 0, count, np.inf).min(axis=1, keepdims=True)
    logs = np.log(np.maximum(count, 0.5 * least))
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def _at(stack: Stack, coef: Array) -> Point:
    scores = stack.rows @ coef
    scores -= scores.max(axis=2, keepdims=True)
    own = np.einsum("bnk,bnk->bn", scores, stack.targets)
    probabilities = np.exp(scores, out=scores)
    sums = probabilities.sum(axis=2)
    probabilities /= sums[..., None]
    losses = stack.weight * (np.log(sums) - own)
    residual = (probabilities - stack.targets) * stack.weight[..., None]
    pull = stack.penalty[..., None] * coef
    gradient = stack.rows.swapaxes(1, 2) @ residual + pull
    value = losses.sum(axis=1) + 0.5 * (pull * coef).sum(axis=(1, 2))
    return Point(value, gradient, probabilities)


def _directions(stack: Stack, point: Point) -> Array:
    """Return Newton's directions (B, q, K), whose coefficients sum to zero over the classes."""
    B, q, K = point.gradient.shape
    hessian = np.empty((B, K - 1, q, K - 1, q))
    for k in range(1, K):
        for m in range(k, K):
            p = point.probabilities
            # p (1 - p) with 1 - p as a sum, for where p is all but 1.
            rest = p[..., :k].sum(axis=2) + p[..., k + 1 :].sum(axis=2)
            curved = p[..., k] * rest if k == m else -p[..., k] * p[..., m]
            weighed = stack.rows * (stack.weight * curved)[..., None]
            block = stack.rows.swapaxes(1, 2) @ weighed
            diagonal = np.arange(q)
            block[:, diagonal, diagonal] += stack.penalty * ((k == m) - 1 / K)
            hessian[:, k - 1, :, m - 1] = block
            hessian[:, m - 1, :, k - 1] = block
    target = -point.gradient[..., 1:].swapaxes(1, 2).reshape(B, (K - 1) * q, 1)
    size = (K - 1) * q
    found = np.linalg.solve(hessian.reshape(B, size, size), target)
    full = np.zeros((B, q, K))
    full[..., 1:] = found.reshape(B, K - 1, q).swapaxes(1, 2)
    return full - full.mean(axis=2, keepdims=True)


def _minimise(
    stack: Stack, coef: Array, tol: Array, tell: Told | None, limit: int
) -> tuple[Array, Flags, Array]:
    """Take Newton's steps until every gradient is small, and one more, which doubles the digits.

    Returns coefficients, whether the gradient is small, and how far the last step before that
    moved a score.
    """
    small, way = np.zeros(len(coef), dtype=bool), np.full(len(coef), np.inf)
    point = _at(stack, coef)
    going = np.flatnonzero(np.isfinite(point.size) & np.isfinite(point.value))
    part, point = stack.of(going), Point(*(values[going] for values in point))
    if tell is not None:
        tell(going, point, np.zeros(len(going)))
    for _ in range(limit):
        if not len(going):
            break
        last = point.size <= tol[going]
        try:
            directions = _directions(part, point)
        except np.linalg.LinAlgError:  # of one of them, which is not told
            break
        moved, after, fell, length = _halved(part, coef[going], point, directions)
        # The step beyond the tolerance is taken where it leads further down.
        better = np.where(last, after.size < point.size, fell)
        way[going[~last]] = _largest_move(part, moved - coef[going])[~last]
        coef[going[better]] = moved[better]
        small[going[last]] = True
        if tell is not None:
            tell(going[better], Point(*(values[better] for values in after)), length[better])
        left = better & ~last
        going, part = going[left], part.of(left)
        point = Point(*(values[left] for values in after))
    return coef, small, way


def _largest_move(stack: Stack, step: Array) -> Array:
    """Return by how much a step moves the score of any row, (B,)."""
    return np.asarray(np.abs(stack.rows @ step).max(axis=(1, 2)))


def _halved(
    stack: Stack, coef: Array, point: Point, directions: Array
) -> tuple[Array, Point, Flags, Array]:
    """Go the whole way, or half, a quarter ... of it, until each objective falls (Armijo)."""
    slope = (point.gradient * directions).sum(axis=(1, 2))
    # Where values drown in rounding the gradient, which does not, must judge.
    drowned = -slope <= RESOLUTION * np.abs(point.value)
    length = np.ones(len(coef))
    for _ in range(HALVINGS):
        moved = coef + length[:, None, None] * directions
        after = _at(stack, moved)
        armijo = after.value <= point.value + 1e-4 * length * slope
        lower = np.where(drowned, after.size < point.size, armijo)
        if (lower | drowned).all():
            break
        length = np.where(lower | drowned, length, length / 2)
    return moved, after, np.asarray(lower & (slope < 0)), length
