"""Wald inference for maximum likelihood coefficients: errors, tests, intervals, odds ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from lincore.estimators.logistic.conditioning import centre_and_scale
from lincore.estimators.logistic.design_matrix import StandardRows
from lincore.estimators.logistic.loss import SoftmaxLoss
from lincore.linalg.covariance import is_positive
from lincore.utils.typing import Array, Flags


@dataclass(frozen=True, eq=False)
class Wald:
    """Estimates and standard errors, for each class against a reference class."""

    # Columns are the features in order, followed by the intercept if there is one.

    reference: object  # label of the class with which the others are compared
    labels: NDArray[np.generic]  # (K - 1,); the other classes
    names: tuple[str, ...]  # names of the columns
    # (K - 1, q); log odds of the class against the reference for each unit of a feature
    estimate: Array
    # ((K - 1) q, (K - 1) q); the inverse of the information matrix, ordered by class, then column
    covariance: Array
    confidence: float  # level of the intervals

    @property
    def standard_error(self) -> Array:
        """Standard errors, (K - 1, q)."""
        return np.sqrt(np.diagonal(self.covariance)).reshape(self.estimate.shape)

    @property
    def z(self) -> Array:
        """Estimates divided by their standard errors, (K - 1, q)."""
        return self.estimate / self.standard_error

    @property
    def p_value(self) -> Array:
        """Two-sided p-values of the hypothesis that a coefficient is zero, (K - 1, q)."""
        return 2 * ndtr(-np.abs(self.z))

    @property
    def interval(self) -> tuple[Array, Array]:
        """Lower and upper bounds of the confidence intervals, each (K - 1, q)."""
        half = ndtri(0.5 + self.confidence / 2) * self.standard_error
        return self.estimate - half, self.estimate + half

    @property
    def odds_ratio(self) -> Array:
        """Odds ratios per unit of each feature, (K - 1, q)."""
        with np.errstate(over="ignore"):
            return np.exp(self.estimate)

    @property
    def odds_ratio_interval(self) -> tuple[Array, Array]:
        """Bounds of the confidence intervals of the odds ratios, each (K - 1, q)."""
        low, high = self.interval
        with np.errstate(over="ignore"):
            return np.exp(low), np.exp(high)


def wald_errors(
    X: NDArray[Any],
    weight: Array | None,
    coef: Array,
    intercept: Array | None,
    *,
    classes: NDArray[Any],
    names: tuple[str, ...],
    reference: object,
    confidence: float,
) -> Wald:
    """Compute standard errors from the information matrix, the Hessian at the maximum."""
    if reference not in classes:
        raise ValueError(f"reference must be one of {classes.tolist()}, got {reference!r}.")
    first = int(np.flatnonzero(classes == reference)[0])
    order = np.r_[first, np.delete(np.arange(len(classes)), first)]
    full = coef if intercept is None else np.vstack([coef, intercept])
    loss, start, back = standardise(X, weight, full[:, order], intercept is not None)
    information = loss.hessian(loss(start).state)
    repeated = np.kron(np.eye(len(classes) - 1), back)
    return Wald(
        reference=classes[first],
        labels=classes[order[1:]],
        names=names,
        estimate=(full[:, order[1:]] - full[:, [first]]).T,
        covariance=repeated @ invert_information(information, names) @ repeated.T,
        confidence=confidence,
    )


def standardise(
    X: NDArray[Any],
    weight: Array | None,
    full: Array,
    intercept: bool,
    codes: NDArray[np.intp] | None = None,
) -> tuple[SoftmaxLoss, Array, Array]:
    """Return loss and coefficients of standardised features, and the map (q, q) to the original."""
    origin, scale = centre_and_scale(X, weight, intercept=intercept)
    rows = StandardRows(X, origin, scale, intercept=intercept)
    W = full[:-1] if intercept else full
    coef: Array = np.where(np.isfinite(scale), scale, 0.0)[:, None] * W
    back: Array = np.diag(rows.units)
    if intercept:
        coef = np.vstack([coef, full[-1] + origin @ W])
        back = np.block([[back, np.zeros((len(origin), 1))], [-origin * rows.units, np.ones(1)]])
    # Labels do not affect the curvature: any will do.
    codes = np.zeros(len(X), dtype=np.intp) if codes is None else codes
    loss = SoftmaxLoss(rows, codes, full.shape[1], weight, np.zeros(rows.n_coordinates))
    return loss, coef, back


def reason_against_errors(model: Any) -> str:
    """Return why the coefficients of a fitted model have no Wald errors; empty if they have."""
    if model.class_weight is not None:
        return (
            "Wald standard errors require equally weighted rows: class weights change the estimate "
            "without adding information. Fit without them."
        )
    if model.selects:
        return (
            "Standard errors do not apply to features that were selected with the same rows: the "
            "L1 penalty chose them for their large estimates. Fit without a penalty."
        )
    if model.is_shrunk:
        return (
            f"Wald standard errors require the maximum of the likelihood, and a penalty (C = "
            f"{model.C:g}) moves the coefficients away from it. Fit without a penalty."
        )
    if getattr(model, "_in_blocks", False):
        return "Wald standard errors require all training rows in memory."
    if model.separation_ is not None:
        return (
            "The classes can be separated, so the likelihood has no maximum and there are "
            "no standard errors: the coefficients diverge. With Firth's penalty there are."
        )
    if not model.converged_:
        return (
            f"Wald standard errors require the maximum of the likelihood, which this fit did not "
            f"reach: {model.reason_.words}. {model.reason_.remedy}"
        )
    return ""


def invert_information(information: Array, names: tuple[str, ...]) -> Array:
    """Invert an information matrix, or report the columns that make it singular."""
    diagonal = np.diagonal(information)
    if not np.all(diagonal > 0):
        raise ValueError(_singular_message(diagonal <= 0, names))
    unit = np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(information / unit / unit[:, None])
    positive = is_positive(values)
    if not positive.all():
        loadings = np.abs(vectors[:, ~positive]).max(axis=1)
        raise ValueError(_singular_message(loadings > 0.1 * loadings.max(), names))
    root = vectors / np.sqrt(values) / unit[:, None]
    return root @ root.T


def _singular_message(culprits: Flags, names: tuple[str, ...]) -> str:
    columns = culprits.reshape(-1, len(names)).any(axis=0)
    listed = ", ".join(np.asarray(names)[columns])
    return (
        f"The information matrix is singular, so there are no standard errors. Columns concerned: "
        f"{listed}. Such columns are constant, are combinations of others, or separate the classes "
        f"(see `separation`): leave some of them out, or collect more rows."
    )
