"""L1 and elastic-net penalties of logistic regression: Newton steps on an active set.

Each step minimises a quadratic model of the loss plus the penalty, as glmnet does (Friedman, Hastie
and Tibshirani 2010, "Regularization paths for generalized linear models via coordinate descent"),
but by solving for the active coefficients together: correlated features then cost no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack

from lincore.estimators.logistic.design_matrix import BLOCK_VALUES, StandardRows
from lincore.estimators.logistic.loss import SoftmaxLoss
from lincore.linalg.optimize import Iterate
from lincore.utils.memory import require_memory
from lincore.utils.typing import Array, Flags

# Values of C on a path, and its length in factors of ten: to a ten-thousandth of the penalty at
# which all coefficients are zero, or a hundredth with fewer rows than features (glmnet's). It ends
# earlier if the log loss of the training rows is less than this share of that of class shares.
N_PATH, LONG, SHORT, FITTED = 40, 4, 2, 1e-3
# Coefficients that join in one step: at most these, or as many as there are.
FEW_JOIN = 50
# Share of the diagonal of a Hessian that is added to it, so that it has a factor if features are
# collinear.
RIDGE = 1e-9
# Maximum number of systems that are solved for one step.
MOST_SOLVED = 100


class State(NamedTuple):
    """What a step needs of a point."""

    probabilities: Array  # (n, K)
    gradient: Array  # (q, K); of all but the L1 penalty


class ElasticNetLoss:
    """A loss with the penalties ``(l1_ratio ‖W‖₁ + ½ (1 - l1_ratio) ‖W‖²) / C``."""

    # W are the coefficients of the features in their own units; those of the iterates V are of
    # standardised features. The gradient of an iterate is the shortest subgradient, zero at the
    # minimum only. Of two classes only the second has coefficients, as in scikit-learn, and the
    # intercept of the first class is fixed: the others determine it up to a constant.

    def __init__(self, loss: SoftmaxLoss, C: float, l1_ratio: float) -> None:
        self.plain, self.shape, self.total = loss, loss.shape, loss.total
        units = loss.rows.units[:, None]
        l1 = np.where(units > 0, l1_ratio / C * units, 1.0)
        l2 = (1 - l1_ratio) / C * units**2
        rest = np.zeros((int(loss.rows.intercept), 1))
        self.penalty, self._l2 = np.vstack([l1, rest]), np.vstack([l2, rest])
        self._varies = np.ones(self.shape, dtype=bool)
        self._varies[:, 0] = self.shape[1] > 2
        if loss.rows.intercept:
            self._varies[-1, 0] = False

    def __call__(self, coef: Array) -> Iterate:
        """Return value and shortest subgradient at coefficients (q, K)."""
        point = self.plain(coef)
        gradient = (point.gradient + self._l2 * coef) * self._varies
        value = point.value + (self.penalty * np.abs(coef) + 0.5 * self._l2 * coef**2).sum()
        excess = np.sign(gradient) * np.maximum(np.abs(gradient) - self.penalty, 0.0)
        shortest = np.where(coef == 0, excess, gradient + self.penalty * np.sign(coef))
        return Iterate(coef, value, shortest, State(point.state, gradient))

    def separates(self, point: Iterate) -> bool:
        """Return False: the minimum exists, also if the classes are separable."""
        return False

    def direction(self, point: Iterate) -> Array:
        """Return the step to the minimum of the quadratic model over the active coefficients."""
        active = self._active(point)
        features, classes = np.nonzero(active)
        hessian = self._hessian(point.state.probabilities, features, classes)
        hessian.flat[:: len(hessian) + 1] += self._l2[features, 0]
        coef = point.x[active]
        step = np.zeros(self.shape)
        gradient, l1 = point.state.gradient[active], self.penalty[features, 0]
        step[active] = _minimise(hessian, gradient, coef, l1) - coef
        return step

    def _active(self, point: Iterate) -> Flags:
        """Return the coefficients that are not zero, and some of those that should not be."""
        active = self._varies & ((point.x != 0) | (self.penalty == 0))
        size = np.where(active, 0.0, np.abs(point.gradient))
        most = max(FEW_JOIN, int(np.count_nonzero(active)))
        if np.count_nonzero(size) > most:
            size[size < np.partition(size, -most, axis=None)[-most]] = 0.0
        return active | (size > 0)

    def _hessian(self, P: Array, features: NDArray[np.intp], classes: NDArray[np.intp]) -> Array:
        """Return the Hessian of the loss for m coefficients, given as features and classes."""
        m, n_classes = len(features), self.shape[1]
        require_memory(
            4 * 8 * m**2,
            f"A step with {m:,} coefficients other than zero",
            "Choose a larger L1 ratio, a smaller C, principal components or fewer features.",
        )
        rows, weight = self.plain.rows, self.plain.weight

        def sum_chunk(chunk: range) -> tuple[Array]:
            total, step = np.zeros((m, m)), max(1, BLOCK_VALUES // m)
            for start in range(chunk.start, chunk.stop, step):
                where = slice(start, min(start + step, chunk.stop))
                block = _columns(rows, where, features)
                if weight is not None:
                    block *= np.sqrt(weight[where])[:, None]
                P_block = P[where]
                if n_classes == 2:
                    block *= np.sqrt(P_block[:, :1] * P_block[:, 1:])
                    total += block.T @ block
                    continue
                for k in np.unique(classes):
                    of_class = np.flatnonzero(classes == k)
                    scaled = np.sqrt(P_block[:, k, None]) * block[:, of_class]
                    total[np.ix_(of_class, of_class)] += scaled.T @ scaled
                block *= P_block[:, classes]
                total -= block.T @ block
            return (total,)

        (hessian,) = self.plain.summed(sum_chunk)
        return hessian


def path_of_C(loss: SoftmaxLoss, start: Array, l1_ratio: float) -> Array:
    """Return values of C from the largest at which all coefficients are zero, ascending."""
    units = loss.rows.units
    gradient = np.abs(loss(start).gradient[: len(units)]).max(axis=1)
    steepest = np.max(gradient[units > 0] / units[units > 0], initial=0.0)
    length = LONG if loss.n_rows > len(units) else SHORT
    first = l1_ratio / steepest if steepest > 0 else 1.0
    return np.asarray(first * np.logspace(0, length, N_PATH))


def _columns(rows: StandardRows, where: slice, features: NDArray[np.intp]) -> Array:
    """Return standardised features of some rows, in the order asked for; ones for intercepts."""
    block = np.ones((where.stop - where.start, len(features)))
    known = features < len(rows.units)
    columns = features[known]
    values = rows.X[where][:, columns]
    values = values.toarray() if sp.issparse(values) else values
    block[:, known] = (values - rows.origin[columns]) * rows.units[columns]
    return block


def _minimise(hessian: Array, gradient: Array, coef: Array, l1: Array) -> Array:
    """Minimise ``gᵀ(z - w) + ½ (z - w)ᵀ H (z - w) + l1ᵀ|z|`` over z, starting from w = `coef`."""
    # Lee, Battle, Raina, Ng (2007), "Efficient sparse coding algorithms": solve for the signs that
    # are assumed, go to the lowest of the points on the way where a sign changes, and leave out
    # what is zero there. If it should not be zero, it becomes active again in the next step.
    diagonal = np.diagonal(hessian).copy()
    hessian.flat[:: len(diagonal) + 1] += RIDGE * (diagonal + 1e-3 * diagonal.mean())
    target = hessian @ coef - gradient
    z, active = coef.copy(), np.arange(len(coef))
    sign = np.where(coef == 0, -np.sign(gradient), np.sign(coef))
    for _ in range(MOST_SOLVED):
        inner, start, weight = hessian[np.ix_(active, active)], z[active], l1[active]
        end = lapack.dposv(inner, target[active] - weight * sign[active])[1]
        crosses = (weight > 0) & (end * sign[active] <= 0)
        stuck = crosses & (start == 0)
        if stuck.any():  # they would leave zero on the wrong side
            active = active[~stuck]
            continue
        if not crosses.any():
            z[active] = end
            break
        step = end - start
        lengths = np.append(start[crosses] / -step[crosses], 1.0)
        slope = (inner @ start - target[active]) @ step
        bend = 0.5 * step @ (inner @ step)
        sizes = np.abs(start + lengths[:, None] * step) @ weight
        best = int((lengths * slope + lengths**2 * bend + sizes).argmin())
        z[active] = start + lengths[best] * step
        if best < len(lengths) - 1:
            z[active[np.flatnonzero(crosses)[best]]] = 0.0
        active = active[(z[active] != 0) | (weight == 0)]
        sign[active] = np.sign(z[active])
    return z
