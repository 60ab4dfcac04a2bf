"""Learning curves extrapolated by an inverse power law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri, stdtrit

from lincore.metrics.intervals import LEVEL
from lincore.metrics.results import Results
from lincore.metrics.scores import Interval
from lincore.utils.typing import Array

#: Sizes and splits below which nothing is extrapolated: three parameters leave one degree of
#: freedom, and the variance between splits two.
FEWEST_SIZES, FEWEST_SPLITS = 4, 3
#: Errors from which a curve is extrapolated, in test rows: with fewer the variance is unknown.
FEWEST_ERRORS = 5
#: Exponents: from almost logarithmic curves to those that end within the sizes fitted.
EXPONENTS = np.geomspace(0.05, 3, 60)
_STEPS = 600


class ExtrapolatedLoss(NamedTuple):
    """A loss by the number of training rows, and its continuation.

    Attributes
    ----------
    sizes : ndarray of shape (S,)
    measured : list of S Interval
    targets : ndarray of shape (T,)
    extrapolated : list of T Interval
        Empty if there is no extrapolation.
    reason : str
        Why there is none; "" if there is one.
    """

    sizes: Array
    measured: list[Interval]
    targets: Array
    extrapolated: list[Interval]
    reason: str


class _Curve(NamedTuple):
    """Mean losses (S,) at some sizes, their covariance (S, S), number of splits and of errors."""

    sizes: Array
    loss: Array
    covariance: Array
    n_splits: int
    n_errors: float


def extrapolate_loss(
    results: Mapping[int, Results],
    method: str,
    targets: Sequence[float],
    *,
    test_ratio: float = 0.0,
    code: int | None = None,
    balanced: bool = False,
) -> ExtrapolatedLoss:
    """Extrapolate the error rate of a learning curve as a + b / n^c, with a, b >= 0 and c > 0.

    The interval is that of the profile likelihood over a, b and c, with Student's quantile for the
    number of splits, which is conservative: with the normal one the coverage is below 90 % where
    errors are only just shown to fall. The covariance of the errors at
    all sizes is that of the test rows, which all sizes share, and the remaining variance between
    splits. Sizes before the largest error are left out.

    Parameters
    ----------
    results : mapping of int to Results
        By number of training rows, on the same test rows of the same splits.
    method : str
    targets : sequence of T float
        Numbers of training rows.
    test_ratio : float
        Ratio of test to training rows of independent splits (Nadeau and Bengio).
    code : int, optional
        Only the rows of this class: the share of them that is misclassified.
    balanced : bool
        The mean of these shares over the classes instead of the error rate.

    References
    ----------
    Cortes, Jackel, Solla, Vapnik, Denker (1994), "Learning curves: asymptotic values and rate of
    convergence"; Figueroa, Zeng-Treitler, Kandula, Ngo (2012), "Predicting sample size required for
    classification performance".

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection import learning_curve
    >>> data = lincore.sample("passengers")
    >>> splits = [lincore.split(data, seed=seed) for seed in range(5)]
    >>> curve = learning_curve(data, "lda", splits)
    >>> extrapolate_loss(curve.results, "lda", [1260], test_ratio=curve.test_ratio).reason
    ''
    """
    target_sizes = np.asarray(targets, dtype=float)
    curve = _curve(results, method, test_ratio, code, balanced)
    errors = np.sqrt(np.diagonal(curve.covariance))
    quantile = float(stdtrit(max(curve.n_splits - 1, 1), 0.5 + LEVEL / 2))
    measured = [
        Interval(y, y - quantile * e, y + quantile * e).within(0, 1)
        for y, e in zip(curve.loss, errors, strict=True)
    ]

    def no_extrapolation(reason: str) -> ExtrapolatedLoss:
        return ExtrapolatedLoss(curve.sizes, measured, target_sizes, [], reason)

    if any(r.settings.row_weights is not None for r in results.values()):
        return no_extrapolation("rows have weights")
    if len(curve.sizes) < FEWEST_SIZES:
        return no_extrapolation(
            f"it needs at least {FEWEST_SIZES} training sizes that can be fitted"
        )
    if curve.n_splits < FEWEST_SPLITS:
        return no_extrapolation(f"it needs at least {FEWEST_SPLITS} random splits")
    first = int(curve.loss.argmax())
    if curve.n_errors < FEWEST_ERRORS:
        return no_extrapolation("too few errors are left to extrapolate them")
    if len(curve.sizes) - first < FEWEST_SIZES:
        return no_extrapolation("errors do not fall with more rows")
    falling = slice(first, None)
    fit = curve._replace(
        sizes=curve.sizes[falling],
        loss=curve.loss[falling],
        covariance=curve.covariance[falling, falling],
    )
    grid = np.linspace(0, min(1.0, fit.loss.max() + 4 * errors[falling].max()), _STEPS + 1)[1:]
    flat, least = _misfit_of_constants(fit, grid).min(), _misfit(fit, fit.sizes[-1], grid).min()
    if flat - least <= quantile**2:
        return no_extrapolation("errors are not shown to fall with more rows")
    if least > chdtri(len(fit.sizes) - 3, 0.01):
        return no_extrapolation("no inverse power law fits the errors")
    extrapolated = []
    for target in target_sizes.tolist():
        misfit = _misfit(fit, target, grid)
        inside = grid[misfit <= misfit.min() + quantile**2]
        extrapolated.append(
            Interval(float(grid[misfit.argmin()]), float(inside[0]), float(inside[-1]))
        )
    return ExtrapolatedLoss(curve.sizes, measured, target_sizes, extrapolated, "")


def _curve(
    results: Mapping[int, Results],
    method: str,
    test_ratio: float,
    code: int | None,
    balanced: bool,
) -> _Curve:
    """Return the mean losses of a method and their covariance, by rows and splits."""
    sizes = [size for size in sorted(results) if method in results[size].methods]
    if not sizes:
        return _Curve(np.empty(0), np.empty(0), np.empty((0, 0)), 0, 0.0)
    last = results[sizes[-1]]
    wrong = np.stack(
        [
            results[size].predicted[results[size].position(method)] != results[size].truth
            for size in sizes
        ],
        axis=1,
    ).astype(float)
    cells = np.column_stack([last.repetition, last.fold])
    split = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
    strata = last.truth if balanced or code is not None else np.zeros_like(last.truth)
    counted = strata == (0 if code is None else code) if not balanced else np.full(len(split), True)
    weight = counted.astype(float)
    for k in np.unique(strata[counted]):  # every stratum counts alike
        weight[counted & (strata == k)] /= (counted & (strata == k)).sum()
    weight /= weight.sum()
    loss = weight @ wrong
    # Influence of every independent unit: a row, in all of its splits, or a group of rows.
    centred = wrong.copy()
    for k in np.unique(strata):
        centred[strata == k] -= np.average(wrong[strata == k], axis=0)
    groups = last.settings.row_groups
    unit = np.unique(last.rows if groups is None else groups, return_inverse=True)[1].ravel()
    influence = np.zeros((unit.max() + 1, len(sizes)))
    np.add.at(influence, unit, weight[:, None] * centred)
    covariance = influence.T @ influence
    n_splits = int(split.max()) + 1
    loss_by_split = [
        (weight[split == j] @ wrong[split == j]) / max(weight[split == j].sum(), 1e-12)
        for j in range(n_splits)
    ]
    if n_splits > 1:
        between = np.var(loss_by_split, axis=0, ddof=1) * (1 / n_splits + test_ratio)
        remaining = np.maximum(between - np.diagonal(covariance), 0.0)
        covariance = covariance + np.diag(remaining)
    # No proportion is known better than to half a test row.
    covariance = covariance + np.eye(len(sizes)) * (0.5 / counted.sum()) ** 2
    n_errors = float(wrong[counted, -1].sum())
    return _Curve(np.array(sizes, dtype=float), loss, covariance, n_splits, n_errors)


def _misfit(curve: _Curve, target: float, grid: Array) -> Array:
    """Return the least weighted squares (G,) of curves that have some loss (G,) at the target."""
    # For given c and loss g at the target, a = g - b h with h = target^-c, so that only b is free:
    # it is at least 0, and at most g / h for a >= 0.
    precision = np.linalg.inv(curve.covariance)
    at_target = (target / curve.sizes[-1]) ** -EXPONENTS
    slopes = (curve.sizes / curve.sizes[-1]) ** -EXPONENTS[:, None] - at_target[:, None]
    residual = curve.loss - grid[:, None]
    weighted = slopes @ precision
    product, square = residual @ weighted.T, (weighted * slopes).sum(axis=1)
    b = np.clip(product / np.maximum(square, 1e-300), 0, grid[:, None] / at_target)
    constant = _misfit_of_constants(curve, grid)[:, None]
    return np.asarray((constant - 2 * b * product + b**2 * square).min(axis=1))


def _misfit_of_constants(curve: _Curve, grid: Array) -> Array:
    residual = curve.loss - grid[:, None]
    return np.asarray(((residual @ np.linalg.inv(curve.covariance)) * residual).sum(axis=1))
