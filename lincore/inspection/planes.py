"""Planes and lines through the feature space: projection, reconstruction, units of the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.linalg.covariance import Whitener
from lincore.linalg.gaussian import Gaussians
from lincore.linalg.products import blocked_product
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.preprocessing.pca import PCA
from lincore.utils.typing import Array

Rest = Literal["median", "mean"]
# Within these limits a density over two coordinates neither overflows nor underflows in 32 bits.
SMALLEST, LARGEST = 1e-15, 1e15


class Plane(NamedTuple):
    """A plane (d = 2) or line (d = 1) through a space of q dimensions.

    The dimensions are the features, or the inputs of the classifier at the end of a pipeline.

    Attributes
    ----------
    axis_names : tuple of d str
        Names of the axes, with units if known.
    base : ndarray of shape (q,)
        Origin of the plane.
    steps : ndarray of shape (d, q)
        Unit step along each axis.
    columns : tuple of d int, or None
        Features that are the axes; None for a plane of classifier inputs.
    projection : ndarray of shape (q, d), or None
        Maps a row minus the base to its point; None if `columns` are used instead.
    subject : str
        Description of the plane, for a title.
    rest : str
        Where everything else is held, for a caption; empty if there is nothing else.
    levels : tuple of d (tuple of str, or None)
        Names of the values 0, 1, … on a categorical axis.
    """

    axis_names: tuple[str, ...]
    base: Array
    steps: Array
    columns: tuple[int, ...] | None
    projection: Array | None
    subject: str
    rest: str
    levels: tuple[tuple[str, ...] | None, ...]

    def lift(self, points: ArrayLike) -> Array:
        """Return the rows (g, q) at points (g, d), rounded to a level on a categorical axis."""
        points = np.array(points, dtype=float)
        for axis, names in enumerate(self.levels):
            if names is not None:
                points[:, axis] = np.clip(np.rint(points[:, axis]), 0, len(names) - 1)
        return np.asarray(self.base + points @ self.steps)

    def drop(self, rows: Any) -> Array:
        """Return the points (n, d) of rows (n, q), dense or sparse."""
        if self.columns is not None:
            chosen = rows[:, list(self.columns)]
            return np.asarray(chosen.toarray() if issparse(chosen) else chosen, dtype=float)
        if self.projection is None:
            raise ValueError("A plane needs columns or a projection.")
        # Centre after the product, so that rows stay sparse or bytes.
        product = (
            rows @ self.projection if issparse(rows) else blocked_product(rows, self.projection)
        )
        return np.asarray(product - self.base @ self.projection)


def feature_plane(
    data: Dataset,
    features: tuple[int, ...],
    rows: NDArray[np.intp],
    *,
    values: Mapping[int, float] | None = None,
    rest: Rest = "median",
) -> Plane:
    """Return a plane in which one or two features vary and the others are fixed.

    Parameters
    ----------
    features : tuple of one or two int
    rows : ndarray of shape (n,)
        Training rows. The other features are held at their medians or means in these rows:
        categories at the most frequent level, word counts at their means.
    values : mapping of feature to value, optional
        Values at which other features are held instead.
    rest : {"median", "mean"}

    Examples
    --------
    >>> from lincore.io.loading import load
    >>> data = load(([[0.0, 5.0, 1.0], [1.0, 7.0, 2.0], [2.0, 9.0, 9.0]], ["a", "b", "a"]))
    >>> plane = feature_plane(data, (0, 2), np.arange(3))
    >>> plane.lift([[10.0, 20.0]]).tolist()
    [[10.0, 7.0, 20.0]]
    """
    base = median_row(data, rows, rest)
    for column, value in (values or {}).items():
        base[column] = value
    chosen = list(features)
    base[chosen] = 0.0
    steps = np.zeros((len(chosen), len(base)))
    steps[np.arange(len(chosen)), chosen] = 1.0
    n_rest = len(base) - len(chosen)
    statistic = "mean" if data.kind.is_sparse else rest
    or_level = " or most frequent level" if data.levels and not data.kind.is_sparse else ""
    held_at = (f"its {statistic}{or_level}", f"their {statistic}s{or_level}")
    if values:
        held_at = ("a chosen value", "chosen values")
    levels = data.levels or (None,) * data.n_features
    return Plane(
        axis_names=tuple(data.feature_names[column] for column in chosen),
        base=base,
        steps=steps,
        columns=tuple(chosen),
        projection=None,
        subject="two features" if len(chosen) == 2 else "one feature",
        rest=rest_text(n_rest, "feature", *held_at),
        levels=tuple(levels[column] for column in chosen),
    )


def median_row(data: Dataset, rows: NDArray[np.intp], rest: Rest = "median") -> Array:
    """Return the median or mean of each feature, and the most frequent level of each category.

    Missing values are ignored; a feature without any value is NaN.

    Parameters
    ----------
    rows : ndarray of int, shape (n,)
        Row numbers.
    rest : {"median", "mean"}
        For numbers; sparse word counts always use the mean.

    Returns
    -------
    ndarray of shape (p,)
        In the units of the features; categories as codes of their levels.
    """
    values = data.X[rows]
    if issparse(values):
        return np.asarray(csr_array(values).mean(axis=0), dtype=float).ravel()
    if values.dtype == np.uint8:  # images: no missing values, and float64 takes 8 times the memory
        return np.asarray((np.median if rest == "median" else np.mean)(values, axis=0), dtype=float)
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values).all(axis=0)
    base = np.full(values.shape[1], np.nan)
    typical = np.nanmedian if rest == "median" else np.nanmean
    base[known] = typical(values[:, known], axis=0)
    for column, names in enumerate(data.levels or ()):
        if names is not None and known[column]:
            codes = values[:, column][~np.isnan(values[:, column])].astype(np.intp)
            base[column] = np.bincount(codes, minlength=len(names)).argmax()
    return base


def complete_row(data: Dataset, rows: NDArray[np.intp], row: int | None = None) -> Array:
    """Return a row with missing values filled in.

    Parameters
    ----------
    rows : ndarray of int, shape (n,)
        Training rows, whose medians replace missing values.
    row : int, optional
        Row number. Default: the median row.

    Returns
    -------
    ndarray of shape (p,)

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> complete_row(iris, np.arange(150), 0).tolist()
    [5.1, 3.5, 1.4, 0.2]
    """
    typical = np.nan_to_num(median_row(data, rows))
    if row is None:
        return typical
    values = np.asarray(dense(data.X[[row]]), dtype=float)[0]
    return np.where(np.isnan(values), typical, values)


def coordinate_plane(
    axes: tuple[int, ...], names: tuple[str, ...], centre: ArrayLike, *, subject: str = ""
) -> Plane:
    """Return a plane in which one or two classifier inputs vary and the others are fixed.

    Parameters
    ----------
    axes : tuple of one or two int
    names : tuple of as many str
    centre : array-like of shape (q,)
        Values of the other inputs: the mean of the training rows, which is zero after PCA.
    """
    centre = np.array(centre, dtype=float)
    unit = np.eye(len(centre))[list(axes)]
    base = np.where(unit.any(axis=0), 0.0, centre)
    title = subject or ("two coordinates" if len(axes) == 2 else "one coordinate")
    rest = rest_text(len(centre) - len(axes), "coordinate", "its mean", "their means")
    return Plane(names, base, unit, None, unit.T, title, rest, (None,) * len(axes))


def principal_plane(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], axes: tuple[int, ...] = (0, 1)
) -> Plane:
    """Return the plane of principal axes of the classifier's inputs, from its PCA if it has one.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.
    rows : ndarray of shape (n,)
        The training rows.
    axes : tuple of one or two int
        Axes beyond the dimension are left out.
    """
    if "pca" in pipeline.named_steps:
        size = pipeline.named_steps["pca"].n_components_
        axes = tuple(axis for axis in axes if axis < size)
        names = tuple(f"Component {axis + 1}" for axis in axes)
        return coordinate_plane(axes, names, np.zeros(size), subject="principal axes")
    seen = transform_for_classifier(pipeline, data.X[rows])
    pca = PCA().fit(dense(seen))
    axes = tuple(axis for axis in axes if axis < pca.n_components_)
    directions = pca.components_[list(axes)]
    rest = rest_text(seen.shape[1] - len(axes), "direction", "its mean", "their means")
    names = tuple(f"Principal axis {axis + 1}" for axis in axes)
    return Plane(
        names, pca.mean_, directions, None, directions.T, "principal axes", rest,
        (None,) * len(axes),
    )  # fmt: skip


def dense(seen: Any) -> NDArray[Any]:
    """Return rows as a dense array."""
    return np.asarray(seen.toarray() if issparse(seen) else seen)


def rest_text(number: int, noun: str, value: str, values: str) -> str:
    """Describe the value, or values, at which the other coordinates are held; empty if none are."""
    if number == 1:
        return f"the other {noun} held at {value}"
    return f"the other {number:,} {noun}s held at {values}" if number else ""


def drawable_units(points: ArrayLike) -> Array:
    """Return the power of ten by which each coordinate is divided for plotting, mostly 1."""
    points = np.asarray(points, dtype=float)
    size = np.where(np.isfinite(points), np.abs(points), 0.0).max(axis=0, initial=0.0)
    is_extreme = (size > LARGEST) | ((size > 0) & (size < SMALLEST))
    # The unit itself must not underflow.
    exponent = np.floor(np.log10(np.where(is_extreme, size, 1.0))).clip(-307)
    return np.asarray(10.0**exponent)


def named_units(names: Sequence[str], units: Array) -> tuple[str, ...]:
    """Return axis names that include the powers of ten."""
    powers = np.rint(np.log10(units)).astype(int).tolist()
    return tuple(
        f"{name} (× 1e{power})" if power else name
        for name, power in zip(names, powers, strict=True)
    )


def rescale_gaussians(units: Array, densities: Gaussians) -> Gaussians:
    """Return the class densities in coordinates that are divided by `units`."""
    shift = 2 * float(np.log(units).sum())
    whiteners = tuple(_rescale_whitener(whitener, units, shift) for whitener in densities.whiteners)
    return Gaussians(densities.means / units, whiteners)


def _rescale_whitener(whitener: Whitener, units: Array, shift: float) -> Whitener:
    basis = whitener.basis * (units if whitener.basis.ndim == 1 else units[:, None])
    return Whitener(basis, whitener.log_det - shift, whitener.root, whitener.is_certain)
