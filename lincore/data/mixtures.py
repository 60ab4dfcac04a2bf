"""Classes that are not linearly separable or have outliers: mixtures, XOR, rings.

Every component of a mixture has its own random stream, so changing one leaves the others unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi
from typing import Any, NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.frames import numbered
from lincore.errors import DataError
from lincore.limits import LIMITS
from lincore.linalg.eigenvectors import eigenpairs


class Component(NamedTuple):
    """Rows of one Gaussian, a part of a class.

    Attributes
    ----------
    mean : sequence of p numbers
    covariance : number or (p, p) array
        A number is the variance in every direction; 0 puts all rows at the mean.
    size : int
        Rows.
    """

    mean: Any
    covariance: Any = 1.0
    size: int = 100


def mixture_classes(
    classes: Sequence[Sequence[Component]], *, seed: int = 0, name: str = "mixture"
) -> Dataset:
    """Draw classes that are mixtures of Gaussians."""
    drawn = [
        [_draw(component, seed, k, j) for j, component in enumerate(components)]
        for k, components in enumerate(classes)
    ]
    if len(drawn) < 2 or not all(drawn):
        raise DataError(
            "A mixture has at least two classes of at least one component.",
            where="classes",
            remedy="Give a list of components for each class.",
        )
    widths = {rows.shape[1] for parts in drawn for rows in parts}
    if len(widths) > 1:
        raise DataError(
            f"The components have {sorted(widths)} features.",
            where="mean",
            remedy="Give all means the same number of coordinates.",
        )
    return _dataset([np.concatenate(parts) for parts in drawn], name)


def xor_classes(size: int = 50, *, seed: int = 0) -> Dataset:
    """Draw two classes in opposite corners of a square, separable by a product but not by a line.

    Parameters
    ----------
    size : int
        Rows in each corner.

    Examples
    --------
    >>> data = xor_classes(seed=1)
    >>> X, codes = data.X, data.codes
    >>> bool(np.all((X[:, 0] * X[:, 1] < 0) == (codes == 1)))
    True
    """
    corners = [[(-2, -2), (2, 2)], [(-2, 2), (2, -2)]]
    parts = [[Component(corner, 0.25, size) for corner in pair] for pair in corners]
    return mixture_classes(parts, seed=seed, name="XOR")


def ring_classes(
    radii: Sequence[float] = (1.0, 3.0),
    deviations: Sequence[float] = (0.15, 0.25),
    sizes: Sequence[int] = (100, 100),
    *,
    seed: int = 0,
) -> Dataset:
    """Draw classes on rings about the origin: squares of the features separate them.

    Parameters
    ----------
    radii, deviations : sequences of K numbers
        Mean and standard deviation of the distance from the origin.
    sizes : sequence of K int

    Raises
    ------
    DataError
        If lengths differ, or radii, deviations or sizes are invalid.

    Examples
    --------
    >>> data = ring_classes()
    >>> length = np.hypot(*data.X.T)
    >>> bool(length[data.codes == 0].max() < length[data.codes == 1].min()), data.n_rows
    (True, 200)
    """
    if not len(radii) == len(deviations) == len(sizes) or len(radii) < 2:
        raise DataError(
            "Each ring has a radius, a deviation and a size, and there are at least two.",
            where="radii",
            remedy="Give three lists of one length.",
        )
    for radius, deviation, size in zip(radii, deviations, sizes, strict=True):
        _check(float(radius), float(deviation), size, 2)
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * pi, sum(sizes))
    away = np.repeat(deviations, sizes) * rng.standard_normal(sum(sizes))
    length = np.repeat(radii, sizes) + away
    X = np.column_stack([length * np.cos(angle), length * np.sin(angle)])
    return _dataset(np.split(X, np.cumsum(sizes)[:-1]), "rings")


def with_far_rows(
    data: Dataset,
    code: int,
    mean: Sequence[float],
    *,
    deviation: float = 0.3,
    size: int = 10,
    seed: int = 0,
) -> Dataset:
    """Add outliers of one class on one side, to which least squares is sensitive.

    Parameters
    ----------
    data : Dataset
        With dense numeric features.
    code : int
        The class of the new rows.
    mean : sequence of p numbers
        Mean of the new rows.
    deviation : float
        Standard deviation in every direction.

    Returns
    -------
    Dataset
        The original rows first; the true parameters are dropped, because the new rows do not follow
        them.

    Raises
    ------
    DataError
        If the data have no such class, or a different number of features.

    Examples
    --------
    >>> from lincore.data.generators import gaussian_classes
    >>> data = gaussian_classes([[0, 0], [3, 0]], sizes=[60, 60])
    >>> with_far_rows(data, 1, [12, -12]).counts.tolist()
    [60, 70]
    """
    if not 0 <= code < data.n_classes or len(mean) != data.n_features:
        raise DataError(
            f"These data have no class {code}, or {list(mean)} has the wrong length.",
            where="far rows",
            remedy=f"Choose a class from 0 to {data.n_classes - 1} and {data.n_features} numbers.",
        )
    _check(float(np.abs(mean).max()), deviation, size, len(mean))
    away = np.random.default_rng(seed).standard_normal((size, len(mean)))
    return replace(
        data,
        X=np.concatenate([np.asarray(data.X, dtype=float), np.asarray(mean) + deviation * away]),
        codes=np.append(data.codes, np.full(size, code, dtype=np.intp)),
        truth=None,
        given_test=None,
        groups=None,
    )


def _draw(component: Component, seed: int, code: int, number: int) -> np.ndarray:
    try:
        mean = np.array(component.mean, dtype=float).reshape(-1)
        covariance = np.array(component.covariance, dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"A component is not made of numbers: {error}.", where="classes", remedy="Correct it."
        ) from error
    if covariance.ndim == 0:
        covariance = covariance * np.eye(len(mean))
    _check(float(np.abs(mean).max(initial=0.0)), 0.0, component.size, max(1, len(mean)))
    fits = covariance.shape == (len(mean), len(mean)) and np.isfinite(covariance).all()
    if not fits or not np.allclose(covariance, covariance.T):
        raise DataError(
            f"The covariance of a component of class {code + 1} is not a symmetric matrix of "
            f"{len(mean)} × {len(mean)} numbers.",
            where="covariance",
            remedy="Give one number, or such a matrix.",
        )
    values, vectors = eigenpairs(covariance)
    if values.size and values[0] < -1e-10 * max(values[-1], 1e-300):
        raise DataError(
            f"The covariance of a component of class {code + 1} has a negative variance.",
            where="covariance",
            remedy="Give a positive semidefinite one.",
        )
    rows = np.random.default_rng([seed, code, number]).standard_normal((component.size, len(mean)))
    return np.asarray(mean + rows * np.sqrt(values.clip(0)) @ vectors.T)


def _check(distance: float, deviation: float, size: Any, p: int) -> None:
    most = LIMITS.max_cells // p
    whole = isinstance(size, int | np.integer) and 0 < size <= most
    if not (np.isfinite(distance) and np.isfinite(deviation) and deviation >= 0 and whole):
        raise DataError(
            f"{size} rows at {distance:g} with a deviation of {deviation:g} cannot be drawn.",
            where="component",
            remedy=f"Give finite numbers, no negative deviation, and 1 to {most:,} rows.",
        )


def _dataset(parts: list[np.ndarray], name: str) -> Dataset:
    p = parts[0].shape[1]
    return Dataset(
        name=name,
        X=np.concatenate(parts),
        codes=np.repeat(np.arange(len(parts)), [len(rows) for rows in parts]),
        classes=np.array(numbered("class", len(parts))),
        feature_names=tuple(f"x{i}" for i in range(1, p + 1)),
    )
