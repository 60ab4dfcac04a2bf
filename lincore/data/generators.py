"""Samples of Gaussian classes with known parameters."""

from __future__ import annotations

from math import cos, isfinite, pi, radians, sin
from typing import Any

import numpy as np

from lincore.data.dataset import Dataset, TrueParameters
from lincore.data.frames import numbered
from lincore.errors import DataError
from lincore.limits import LIMITS
from lincore.linalg.eigenvectors import eigenpairs

_MEANS = ((0.0, 0.0), (2.5, 0.5), (1.0, 2.5))
_COVARIANCES = (((1.0, 0.3), (0.3, 1.0)), ((1.0, -0.4), (-0.4, 0.8)), ((0.7, 0.0), (0.0, 1.2)))
_SIZES = (300, 150, 75)

# An outlier is this many times as far from its mean as the row that it replaces.
OUTLIER_SCALE = 6.0
# Purposes of the random streams.
_ROWS, _OUTLIERS, _NOISE, _CLASSES = range(4)


def gaussian_classes(
    means: Any = None,
    covariances: Any = None,
    *,
    sizes: Any = None,
    priors: Any = None,
    outliers: float = 0.0,
    label_noise: float = 0.0,
    seed: int = 0,
) -> Dataset:
    """Draw classes from Gaussian distributions; the data include the true parameters.

    Parameters
    ----------
    means : (K, p) array, optional
        Default: three overlapping classes in two dimensions. See also `means_on_ring`.
    covariances : (K, p, p) or (p, p) array, optional
        Positive semidefinite; a single matrix is shared by all classes. The identity if only other
        arguments are given. See also `ellipse_covariance`.
    sizes : (K,) array of int, or int, optional
        Rows of each class, or in total: then each row's class is drawn from `priors`. 100 for each
        class if only other arguments are given.
    priors : (K,) array, optional
        Positive; scaled to sum to one. Default: the shares of `sizes`, or equal.
    outliers : float
        Share of the rows, from 0 to 1, that are `OUTLIER_SCALE` times as far from their mean: a
        scale mixture, as in [1]_.
    label_noise : float
        Share of the rows, from 0 to 1, that get the label of another class, each equally likely.
        One row of each class keeps its own.
    seed : int
        Each class has its own random streams: changing the size of one, or the share of outliers,
        leaves all other rows unchanged.

    Returns
    -------
    Dataset
        Rows grouped by the class from which they were drawn.

    Raises
    ------
    DataError
        If shapes do not match, a covariance is not symmetric and positive semidefinite, a size is
        not a positive whole number, or a share is not between 0 and 1.

    References
    ----------
    .. [1] J. W. Tukey (1960), "A survey of sampling from contaminated distributions", in
       Contributions to Probability and Statistics, Stanford University Press.

    Examples
    --------
    >>> data = gaussian_classes([[0.0], [2.0]], sizes=[30, 10])
    >>> data.X.shape, data.truth.priors.tolist()
    ((40, 1), [0.75, 0.25])
    >>> drawn = gaussian_classes([[0.0], [2.0]], sizes=1000, priors=[3, 1], seed=1)
    >>> drawn.counts.tolist(), drawn.truth.priors.tolist()
    ([773, 227], [0.75, 0.25])
    """
    plain = means is None and covariances is None
    means = _checked_means(_MEANS if means is None else means)
    n_classes, p = means.shape
    if covariances is None:
        covariances = _COVARIANCES if plain else np.eye(p)
    covariances = _checked_covariances(covariances, n_classes, p)
    if sizes is None:
        sizes = _SIZES if plain else [100] * n_classes
    sizes, priors = _sizes_and_priors(sizes, priors, n_classes, p, seed)
    _check_share(outliers, "outliers")
    _check_share(label_noise, "label_noise")
    draws = [
        mean + _standard_rows(size, p, outliers, [seed, code]) @ _root(cov).T
        for code, (mean, cov, size) in enumerate(zip(means, covariances, sizes, strict=True))
    ]
    return Dataset(
        name="gaussian",
        X=np.concatenate(draws),
        codes=np.concatenate(_labels(sizes, label_noise, seed)),
        classes=np.array(numbered("class", n_classes)),
        feature_names=tuple(f"x{i}" for i in range(1, p + 1)),
        truth=TrueParameters(means, covariances, priors, float(outliers), float(label_noise)),
    )


def ellipse_covariance(
    spread: float = 1.0, ratio: float = 1.0, angle: float = 0.0, *, n_features: int = 2
) -> np.ndarray:
    """Return the covariance whose contours are a given ellipse in the first two features.

    Parameters
    ----------
    spread : float
        Standard deviation along the long axis, and along every further feature.
    ratio : float
        Ratio of the short to the long axis, above 0 and up to 1.
    angle : float
        From the first feature's axis to the long axis, in degrees, anticlockwise.

    Returns
    -------
    (n_features, n_features) float64
        For one feature only its variance.

    Raises
    ------
    DataError
        If an argument is out of range.

    Examples
    --------
    >>> ellipse_covariance(2.0, 0.5, 90.0).round(9).tolist()
    [[1.0, 0.0], [0.0, 4.0]]
    """
    if not (isfinite(spread) and spread > 0 and 0 < ratio <= 1 and isfinite(angle)):
        raise DataError(
            f"Spread {spread}, ratio {ratio} and angle {angle} do not define an ellipse.",
            where="ellipse",
            remedy="Give a positive spread, and a ratio above 0 and up to 1.",
        )
    _check_count(n_features, 1, LIMITS.max_columns, "n_features")
    covariance = spread**2 * np.eye(n_features)
    if n_features > 1:
        turn = radians(angle)
        axes = np.array([[cos(turn), -sin(turn)], [sin(turn), cos(turn)]])
        covariance[:2, :2] = spread**2 * (axes * [1.0, ratio**2]) @ axes.T
    return covariance


def means_on_ring(n_classes: int, n_features: int = 2, distance: float = 3.0) -> np.ndarray:
    """Return means that are each equally far from their two neighbours.

    Parameters
    ----------
    n_classes : int
        At least 2.
    n_features : int
        With one feature they are on a line; features after the second are zero.
    distance : float
        Distance between neighbours.

    Returns
    -------
    (n_classes, n_features) float64

    Raises
    ------
    DataError
        If an argument is out of range.

    Examples
    --------
    >>> means_on_ring(3, 1, 2.0).tolist()
    [[-2.0], [0.0], [2.0]]
    """
    _check_count(n_classes, 2, LIMITS.max_columns, "n_classes")
    _check_count(n_features, 1, LIMITS.max_columns, "n_features")
    if not isfinite(distance) or distance < 0:
        raise DataError(f"It is {distance}.", where="distance", remedy="Give a positive number.")
    means = np.zeros((n_classes, n_features))
    steps = np.arange(n_classes)
    if n_features == 1 or n_classes == 2:
        means[:, 0] = distance * (steps - (n_classes - 1) / 2)
        return means
    radius = distance / (2 * sin(pi / n_classes))
    turns = 2 * pi * steps / n_classes
    means[:, :2] = radius * np.column_stack([np.cos(turns), np.sin(turns)])
    return means


def _standard_rows(size: int, p: int, outliers: float, stream: list[int]) -> np.ndarray:
    """Return (size, p) standard normal rows, a share of them scaled up."""
    rows = np.random.default_rng([*stream, _ROWS]).standard_normal((size, p))
    if outliers:
        rows[np.random.default_rng([*stream, _OUTLIERS]).random(size) < outliers] *= OUTLIER_SCALE
    return rows


def _labels(sizes: np.ndarray, noise: float, seed: int) -> list[np.ndarray]:
    """Return the codes of each class's rows, a share of them changed to another class."""
    labels = []
    for code, size in enumerate(sizes.tolist()):
        codes = np.full(size, code, dtype=np.intp)
        if noise:
            draws = np.random.default_rng([seed, code, _NOISE]).random((size, 2))
            # A class must not lose all of its rows.
            wrong = np.flatnonzero(draws[1:, 0] < noise) + 1
            away = 1 + (draws[wrong, 1] * (len(sizes) - 1)).astype(np.intp)
            codes[wrong] = (code + away) % len(sizes)
        labels.append(codes)
    return labels


def _sizes_and_priors(
    sizes: Any, priors: Any, n_classes: int, p: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of rows of each class, and the true priors."""
    if priors is not None:
        priors = _checked_priors(priors, n_classes)
    if np.ndim(sizes) > 0:
        sizes = _checked_sizes(sizes, n_classes, p)
        return sizes, sizes / sizes.sum() if priors is None else priors
    if priors is None:
        priors = np.full(n_classes, 1 / n_classes)
    (total,) = _checked_sizes([sizes], 1, p)
    drawn = np.random.default_rng([seed, n_classes, _CLASSES]).multinomial(total, priors)
    if not drawn.all():
        raise DataError(
            f"None of the {total} rows is of class {drawn.argmin() + 1}.",
            where="sizes",
            remedy="Give more rows, a larger prior, or another seed.",
        )
    return drawn.astype(np.intp), priors


def _root(covariance: np.ndarray) -> np.ndarray:
    """Return A with A @ A.T = covariance, of shape (p, p)."""
    # eigh, not Cholesky: a covariance may be singular.
    values, vectors = eigenpairs(covariance)
    root: np.ndarray = vectors * np.sqrt(np.maximum(values, 0))
    return root


def _as_numbers(values: Any, argument: str) -> np.ndarray:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"They are not an array of numbers: {error}.", where=argument, remedy="Give numbers."
        ) from error
    if not np.isfinite(numbers).all():
        raise DataError(
            "They contain values that are not finite.", where=argument, remedy="Correct it."
        )
    return numbers


def _checked_means(values: Any) -> np.ndarray:
    means: np.ndarray = _as_numbers(values, "means")
    if means.ndim != 2 or len(means) < 2 or means.shape[1] < 1:
        raise DataError(
            f"Their shape is {means.shape}.",
            where="means",
            remedy="Give one row for each of at least two classes, one column for each feature.",
        )
    return means


def _checked_covariances(values: Any, n_classes: int, p: int) -> np.ndarray:
    covariances: np.ndarray = _as_numbers(values, "covariances")
    if covariances.shape == (p, p):
        covariances = np.repeat(covariances[None], n_classes, axis=0)
    if covariances.shape != (n_classes, p, p):
        raise DataError(
            f"Their shape is {covariances.shape}; the means require {(n_classes, p, p)}.",
            where="covariances",
            remedy="Give one square matrix for each class, or one for all.",
        )
    for k, covariance in enumerate(covariances, start=1):
        smallest = np.linalg.eigvalsh(covariance)[0]
        rounding = p * np.finfo(np.float64).eps * np.abs(covariance).max()
        if np.abs(covariance - covariance.T).max() > rounding:
            raise DataError(
                "It is not symmetric.",
                where=f"covariance of class {k}",
                remedy="Make the entries above and below the diagonal equal.",
            )
        if smallest < -rounding:
            raise DataError(
                f"It is not positive semidefinite: its smallest eigenvalue is {smallest:.3g}.",
                where=f"covariance of class {k}",
                remedy="Make the entries off the diagonal smaller, or the variances larger.",
            )
    return covariances


def _checked_sizes(sizes: Any, n_classes: int, p: int) -> np.ndarray:
    numbers = _as_numbers(sizes, "sizes")
    if numbers.shape != (n_classes,) or (numbers < 1).any() or (numbers % 1 != 0).any():
        raise DataError(
            f"They are {numbers.tolist()}.",
            where="sizes",
            remedy=f"Give {n_classes} whole numbers of at least 1, one for each class.",
        )
    if numbers.sum() * p > LIMITS.max_cells:
        raise DataError(
            f"{numbers.sum():,.0f} rows of {p} features are too many.",
            where="sizes",
            remedy="Give smaller sizes.",
        )
    return numbers.astype(np.intp)


def _checked_priors(values: Any, n_classes: int) -> np.ndarray:
    priors = _as_numbers(values, "priors")
    if priors.shape != (n_classes,) or (priors <= 0).any():
        raise DataError(
            f"They are {priors.tolist()}.",
            where="priors",
            remedy=f"Give {n_classes} positive numbers, one for each class.",
        )
    shares: np.ndarray = priors / priors.sum()
    return shares


def _check_share(value: float, argument: str) -> None:
    if not 0 <= value <= 1:
        raise DataError(f"It is {value}.", where=argument, remedy="Give a share from 0 to 1.")


def _check_count(value: int, least: int, most: int, argument: str) -> None:
    if not least <= value <= most:
        raise DataError(
            f"It is {value}.",
            where=argument,
            remedy=f"Give a whole number from {least} to {most:,}.",
        )
