"""Planes and lines in which a model is looked at: from rows to points of it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.pipeline import Pipeline

from lincore.datasets import Dataset
from lincore.fisher import FisherDiscriminant
from lincore.linear import blocked_product
from lincore.moment_classifier import MomentClassifier
from lincore.moments import Moments
from lincore.pca import PCA

Array = NDArray[np.float64]
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
        Where the point zero lies.
    steps : ndarray of shape (d, q)
        The way of one unit along each axis.
    columns : tuple of d int, or None
        The features that are the axes; None for a plane through the classifier's coordinates.
    projection : ndarray of shape (q, d), or None
        Of a row less the base to its point; None where `columns` are read instead.
    subject : str
        What the plane is, for a title.
    rest : str
        Where everything else is held, for a caption; empty where there is nothing else.
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
    >>> from lincore.datasets import load
    >>> data = load(([[0.0, 5.0, 1.0], [1.0, 7.0, 2.0], [2.0, 9.0, 9.0]], ["a", "b", "a"]))
    >>> plane = feature_plane(data, (0, 2), np.arange(3))
    >>> plane.lift([[10.0, 20.0]]).tolist()
    [[10.0, 7.0, 20.0]]
    """
    base = typical_row(data, rows, rest)
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
        rest=_held(n_rest, "feature", where),
        levels=tuple(levels[column] for column in chosen),
    )


def typical_row(data: Dataset, rows: NDArray[np.intp], rest: Rest = "median") -> Array:
    """Return the median or mean of each feature, and the most frequent level of each category.

    Missing values are passed over; a feature without any value is missing here too.
    """
    part = data.X[rows]
    if issparse(part):
        return np.asarray(csr_array(part).mean(axis=0), dtype=float).ravel()
    if (
        part.dtype == np.uint8
    ):  # pictures: nothing is missing, and float64 takes eight times as much
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
    rest = _held(len(centre) - len(axes), "coordinate", "their means")
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
    seen = coordinates(pipeline, data.X[rows])
    pca = PCA().fit(_dense(seen))
    axes = tuple(axis for axis in axes if axis < pca.n_components_)
    directions = pca.components_[list(axes)]
    rest = _held(seen.shape[1] - len(axes), "direction", "their means")
    names = tuple(f"Principal axis {axis + 1}" for axis in axes)
    return Plane(
        names, pca.mean_, directions, None, directions.T, "principal axes", rest,
        (None,) * len(axes),
    )  # fmt: skip


def discriminant_plane(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> Plane:
    """Look along Fisher's first directions: two, or the only one of two classes.

    What lies off the plane is held where it lies on average, given the place in the plane, among
    the training rows of a class.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted. If its classifier is not Fisher's, that is fitted here, on what it sees.
    data : Dataset
    rows : ndarray of shape (n,)
        The training rows.

    Raises
    ------
    ValueError
        When the means of the classes are equal.
    """
    model = pipeline.steps[-1][1]
    moments = _moments(model, len(rows))
    if moments is None:
        seen, codes = _dense(coordinates(pipeline, data.X[rows])), data.codes[rows]
        if len(seen) >= seen.shape[1]:
            moments = Moments.from_groups(seen, codes, data.n_classes)
    if isinstance(model, FisherDiscriminant):
        fisher = model
    elif moments is not None:
        fisher = FisherDiscriminant().fit_moments(moments, np.arange(len(moments.count)))
    else:
        fisher = FisherDiscriminant().fit(seen, codes)
    directions = fisher.directions_[:2]
    if moments is not None:
        steps = _regression(directions @ moments.within(), directions)
    else:
        steps = _regression_of_rows(seen, codes, directions)
    names = tuple(f"Discriminant {axis + 1}" for axis in range(len(directions)))
    n_rest = len(fisher.mean_) - len(directions)
    return Plane(
        axis_names=names,
        base=fisher.mean_,
        steps=steps,
        columns=None,
        projection=directions.T,
        subject="discriminant plane" if len(directions) == 2 else "discriminant direction",
        rest=_held(n_rest, "direction", "what is usual within a class at that place"),
        levels=(None,) * len(directions),
    )


def coordinates(pipeline: Pipeline, X: Any) -> Any:
    """Return rows as the classifier at the end of a pipeline sees them, dense or sparse."""
    steps = pipeline[:-1] if "classify" in pipeline.named_steps else pipeline
    seen = steps.transform(X) if len(steps) else X
    return seen if issparse(seen) else np.asarray(seen)


def _moments(model: Any, n_rows: int) -> Moments | None:
    """Return the moments that a classifier was solved from, if they hold all of the scatter."""
    if not isinstance(model, MomentClassifier) or n_rows < model.n_features_in_:
        return None
    moments = model.moments_
    return moments if moments.scatter.ndim == 3 else None


def _regression(push: Array, directions: Array) -> Array:
    """Return the regression (d, q) of a row on its point; push: directions times the scatter.

    What is left over is uncorrelated with the point within classes.
    """
    return np.asarray(np.linalg.lstsq(push @ directions.T, push, rcond=None)[0], dtype=float)


def _regression_of_rows(seen: Array, codes: NDArray[np.intp], directions: Array) -> Array:
    """Return the same from the rows, where a scatter would be larger than these are."""
    centred = seen.astype(float)
    for code in np.unique(codes):
        centred[codes == code] -= centred[codes == code].mean(axis=0)
    return _regression((centred @ directions.T).T @ centred, directions)


def _dense(seen: Any) -> NDArray[Any]:
    return np.asarray(seen.toarray() if issparse(seen) else seen)


def _typical(data: Dataset, rest: Rest) -> str:
    if data.n_words:
        return "means"
    return f"{rest}s" + (" or most frequent level" if data.levels else "")


def _held(number: int, noun: str, where: str) -> str:
    if not number:
        return ""
    return f"the other {f'{number:,} {noun}s' if number > 1 else noun} held at {where}"
