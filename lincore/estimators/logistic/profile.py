"""Intervals and tests of logistic regression by the profile of Firth's penalised likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from lincore.estimators.logistic.firth import FirthLoss
from lincore.estimators.logistic.wald import Wald, standardise, wald_errors
from lincore.linalg.optimize import Iterate
from lincore.utils.typing import Array

#: Steps to an end of an interval, halvings of a step, and the largest step of a coefficient of
#: standardised features.
MOST_STEPS, HALVINGS, LONGEST_STEP = 200, 30, 2.0
# Accuracy of the likelihood at an end, in nats, and of the gradient across it.
ACCURACY = 1e-9


@dataclass(frozen=True, eq=False)
class ProfileLikelihood(Wald):
    """Estimates with intervals and tests by the profile of the penalised likelihood."""

    # `low`, `high`, `p`: where twice the log likelihood falls by the quantile of χ²; NaN if an end
    # was not found
    low: Array  # (K - 1, q)
    high: Array  # (K - 1, q)
    p: Array  # (K - 1, q)

    @property
    def interval(self) -> tuple[Array, Array]:
        """Lower and upper bounds, each (K - 1, q)."""
        return self.low, self.high

    @property
    def p_value(self) -> Array:
        """P-values of the penalised likelihood ratio test that a coefficient is zero."""
        return self.p


def profile_errors(
    X: NDArray[Any],
    codes: NDArray[np.intp],
    coef: Array,
    intercept: Array | None,
    *,
    classes: NDArray[Any],
    reference: object,
    **common: Any,
) -> ProfileLikelihood:
    """Compute profile intervals for rows with codes 0 to K - 1; the options are `wald_errors`'s."""
    # Venzon, Moolgavkar (1988), "A method for computing profile-likelihood-based confidence
    # intervals".
    wald = wald_errors(X, None, coef, intercept, classes=classes, reference=reference, **common)
    order = np.argsort(classes != reference, kind="stable")
    full = coef if intercept is None else np.vstack([coef, intercept])
    plain, start, back = standardise(
        X, None, full[:, order], intercept is not None, np.argsort(order)[codes]
    )
    loss, axes = FirthLoss(plain), np.kron(np.eye(len(classes) - 1), back)
    least = loss(start)
    drop = 0.5 * float(stats.chi2.ppf(wald.confidence, 1))
    profiles = []
    for a, value in zip(axes, wald.estimate.ravel(), strict=True):
        ends = [_interval_end(loss, least, a, least.value + drop, sign) for sign in (-1, 1)]
        fallen = _loss_at_zero(loss, least, a) - least.value
        profiles.append((*(value + end for end in ends), stats.chi2.sf(2 * max(fallen, 0.0), 1)))
    low, high, p = np.array(profiles).T.reshape(3, *wald.estimate.shape)
    return ProfileLikelihood(**vars(wald), low=low, high=high, p=p)


def _as_vector(gradient: Array) -> Array:
    """Return a gradient (q, K) for the differences of classes 1 to K - 1, as one vector."""
    return gradient[:, 1:].T.ravel()


def _after_step(point: Iterate, step: Array) -> Array:
    """Return coefficients (q, K) after a step of the class differences."""
    q, K = point.x.shape
    x = point.x.copy()
    x[:, 1:] += step.reshape(K - 1, q).T
    return x


def _interval_end(loss: FirthLoss, least: Iterate, a: Array, level: float, sign: int) -> float:
    """Return how far ``a @ θ`` moves along the profile until the loss is at a level."""
    point, moved = least, 0.0
    for _ in range(MOST_STEPS):
        information, g = loss.hessian(point.state), _as_vector(point.gradient)
        across, along = np.linalg.solve(information, np.column_stack([g, a])).T
        reach = a @ along
        rest = max(2 * (level - point.value + 0.5 * g @ across) / reach, 0.0)
        slope = sign * np.sqrt(rest)
        step = slope * along - across
        if abs(point.value - level) < ACCURACY and np.abs(g - slope * a).max() < 1e3 * ACCURACY:
            return moved
        step *= min(1.0, LONGEST_STEP / np.abs(step).max())
        after = loss(_after_step(point, step))
        for _ in range(HALVINGS):
            # A long way beyond the level the quadratic model has failed.
            if after.value - level < max(1.0, 2 * abs(point.value - level)):
                break
            step = 0.5 * step
            after = loss(_after_step(point, step))
        point, moved = after, moved + float(a @ step)
    return np.nan


def _loss_at_zero(loss: FirthLoss, least: Iterate, a: Array) -> float:
    """Return the least loss with ``a @ θ = 0``."""
    theta = _as_vector(least.x - least.x[:, :1])
    point, remaining = least, -float(a @ theta)
    for _ in range(MOST_STEPS):
        g = _as_vector(point.gradient)
        across, along = np.linalg.solve(loss.hessian(point.state), np.column_stack([g, a])).T
        slope = (remaining + a @ across) / (a @ along)
        step = slope * along - across
        if abs(remaining) < ACCURACY and np.abs(g - slope * a).max() < 1e3 * ACCURACY:
            return float(point.value)
        share = min(1.0, LONGEST_STEP / np.abs(step).max())
        after = loss(_after_step(point, share * step))
        for _ in range(HALVINGS):
            # While the constraint is approached the loss may rise; afterwards it may not.
            if np.isfinite(after.value) and (
                remaining != 0 or after.value <= point.value + ACCURACY
            ):
                break
            share *= 0.5
            after = loss(_after_step(point, share * step))
        point, remaining = after, remaining - share * float(a @ step)
        remaining = 0.0 if abs(remaining) < 1e-14 else remaining
    return np.nan
