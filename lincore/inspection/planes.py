"""Planes and lines through the feature space: projection of rows, and reconstruction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.linalg.products import blocked_product
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.preprocessing.pca import PCA
from lincore.utils.typing import Array

Rest = Literal["median", "mean"]


class Plane(NamedTuple):
    """A plane (d = 2) or line (d = 1) through a space of q dimensions.

    That space is the one of the data set's features, or of the coordinates that a classifier at
    the end of a pipeline sees.

    Attributes
    ----------
    axis_names : tuple of d str
        With units where they are known.
    base : ndarray of shape (q,)
        The origin of the plane.
    steps : ndarray of shape (d, q)
        The step of one unit along each axis.
    columns : tuple of d int, or None
        The features that are the axes; None for a plane through the classifier's coordinates.
    projection : ndarray of shape (q, d), or None
        Of a row less the base to its point; None where `columns` are read instead.
    subject : str
        Description of the plane, for a title.
    rest : str
        Where everything else is held, for a caption; empty if there is nothing else.
    levels : tuple of d (tuple of str, or None)
        The names of 0, 1, … on an axis that holds categories.
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
        """Return the rows (g, q) at points (g, d); on an axis of categories the nearest one."""
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
        # Centred after the product: sparse rows stay sparse, and pixels bytes.
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
    """Let one or two features vary and hold the others.

    Parameters
    ----------
    data : Dataset
    features : tuple of one or two int
    rows : ndarray of shape (n,)
        The training rows, at whose medians or means the others are held: at their most frequent
        level for categories, at their means for counts of words.
    values : mapping of feature to value, optional
        Where to hold some of the others instead.
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
    where = "values that were chosen" if values else f"their {_typical(data, rest)}"
    levels = data.levels or (None,) * data.n_features
    return Plane(
        axis_names=tuple(data.feature_names[column] for column in chosen),
        base=base,
        steps=steps,
        columns=tuple(chosen),
        projection=None,
        subject="two features" if len(chosen) == 2 else "one feature",
        rest=held(n_rest, "feature", where),
        levels=tuple(levels[column] for column in chosen),
    )


def median_row(data: Dataset, rows: NDArray[np.intp], rest: Rest = "median") -> Array:
    """Return the median or mean of each feature, and the most frequent level of each category.

    Missing values are passed over; a feature without any value is missing here too.

    Parameters
    ----------
    data : Dataset
    rows : ndarray of int, shape (n,)
        Row numbers.
    rest : {"median", "mean"}
        For numbers; sparse counts of words always have their mean.

    Returns
    -------
    ndarray of shape (p,)
        In the units of the features; categories as codes of their levels.
    """
    part = data.X[rows]
    if issparse(part):
        return np.asarray(csr_array(part).mean(axis=0), dtype=float).ravel()
    if part.dtype == np.uint8:  # images: nothing is missing, and float64 takes eight times as much
        return np.asarray((np.median if rest == "median" else np.mean)(part, axis=0), dtype=float)
    part = np.asarray(part, dtype=float)
    known = ~np.isnan(part).all(axis=0)
    base = np.full(part.shape[1], np.nan)
    typical = np.nanmedian if rest == "median" else np.nanmean
    base[known] = typical(part[:, known], axis=0)
    for column, names in enumerate(data.levels or ()):
        if names is not None and known[column]:
            codes = part[:, column][~np.isnan(part[:, column])].astype(np.intp)
            base[column] = np.bincount(codes, minlength=len(names)).argmax()
    return base


def complete_row(data: Dataset, rows: NDArray[np.intp], row: int | None = None) -> Array:
    """Return the values of a row without gaps, to be changed.

    Parameters
    ----------
    data : Dataset
    rows : ndarray of int, shape (n,)
        The training rows, whose medians stand for what is missing.
    row : int, optional
        By default the median row itself.

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
    usual = np.nan_to_num(median_row(data, rows))
    if row is None:
        return usual
    values = np.asarray(dense(data.X[[row]]), dtype=float)[0]
    return np.where(np.isnan(values), usual, values)


def coordinate_plane(
    axes: tuple[int, ...], names: tuple[str, ...], centre: ArrayLike, *, subject: str = ""
) -> Plane:
    """Let one or two of a classifier's coordinates vary and hold the others at a centre.

    Parameters
    ----------
    axes : tuple of one or two int
    names : tuple of as many str
    centre : array-like of shape (q,)
        The mean of the training rows; zero behind PCA.
    subject : str, optional
    """
    centre = np.array(centre, dtype=float)
    unit = np.eye(len(centre))[list(axes)]
    base = np.where(unit.any(axis=0), 0.0, centre)
    what = subject or ("two coordinates" if len(axes) == 2 else "one coordinate")
    rest = held(len(centre) - len(axes), "coordinate", "their means")
    return Plane(names, base, unit, None, unit.T, what, rest, (None,) * len(axes))


def principal_plane(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], axes: tuple[int, ...] = (0, 1)
) -> Plane:
    """Look along principal axes of what the classifier sees: those of its PCA, or its own.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.
    data : Dataset
    rows : ndarray of shape (n,)
        The training rows.
    axes : tuple of one or two int
        Those beyond the dimension are left out.
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
    rest = held(seen.shape[1] - len(axes), "direction", "their means")
    names = tuple(f"Principal axis {axis + 1}" for axis in axes)
    return Plane(
        names, pca.mean_, directions, None, directions.T, "principal axes", rest,
        (None,) * len(axes),
    )  # fmt: skip


def dense(seen: Any) -> NDArray[Any]:
    """Return rows as an array that has all of their zeros."""
    return np.asarray(seen.toarray() if issparse(seen) else seen)


def _typical(data: Dataset, rest: Rest) -> str:
    if data.kind.is_sparse:
        return "means"
    return f"{rest}s" + (" or most frequent level" if data.levels else "")


def held(number: int, noun: str, where: str) -> str:
    """Return where everything off a plane is held, in words; empty where there is nothing."""
    if not number:
        return ""
    return f"the other {f'{number:,} {noun}s' if number > 1 else noun} held at {where}"
