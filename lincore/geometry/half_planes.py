"""Exact regions in which binary models contradict each other: a window cut by their lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.errors import DataError
from lincore.estimators.multiclass import Ambiguity, BinaryModels
from lincore.utils.typing import Array, Flags

# A piece smaller than this share of the window is rounding error at an intersection.
SLIVER = 1e-13


class Cell(NamedTuple):
    """A convex piece of a window, in which each model predicts one class.

    Attributes
    ----------
    polygon : ndarray of shape (m, 2)
        Corners, anticlockwise.
    positive : ndarray of shape (M,)
        Which models have a positive margin there.
    """

    polygon: Array
    positive: Flags


def polygon_area(polygon: ArrayLike) -> float:
    """Return the area of a polygon, positive if its corners are in anticlockwise order.

    Parameters
    ----------
    polygon : array-like of shape (m, 2)
        Corners in order.

    Examples
    --------
    >>> polygon_area([[0, 0], [2, 0], [2, 1], [0, 1]])
    2.0
    """
    points = np.asarray(polygon, dtype=float)
    if len(points) < 3:
        return 0.0
    x, y = (points - points[0]).T
    return float(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def clip(polygon: ArrayLike, normal: ArrayLike, offset: float) -> Array:
    """Return the part of a convex polygon on which ``normal @ x + offset >= 0``.

    Parameters
    ----------
    polygon : array-like of shape (m, 2)
        Corners in order.
    normal : array-like of shape (2,)

    Returns
    -------
    ndarray of shape (k, 2)
        Empty if nothing is left.

    References
    ----------
    Sutherland and Hodgman (1974), "Reentrant polygon clipping".

    Examples
    --------
    >>> clip([[0, 0], [2, 0], [2, 2], [0, 2]], [1, 0], -1).tolist()
    [[1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0]]
    """
    points = np.asarray(polygon, dtype=float).reshape(-1, 2)
    values = points @ np.asarray(normal, dtype=float) + offset
    corners: list[Array] = []
    for corner, value, next_corner, next_value in zip(
        points, values, np.roll(points, -1, axis=0), np.roll(values, -1), strict=True
    ):
        if value >= 0:
            corners.append(corner)
        if (value > 0 > next_value) or (value < 0 < next_value):
            corners.append(corner + value / (value - next_value) * (next_corner - corner))
    return np.array(corners).reshape(-1, 2)


def half_plane_cells(
    coef: ArrayLike, intercept: ArrayLike, low: ArrayLike, high: ArrayLike
) -> list[Cell]:
    """Cut a window by the lines of models into the cells between them.

    Parameters
    ----------
    coef : array-like of shape (M, 2)
    intercept : array-like of shape (M,)
    low, high : array-like of shape (2,)
        Corners of the window.

    Returns
    -------
    list of Cell
        At most ``1 + M + M (M - 1) / 2``; their areas sum to that of the window.

    Raises
    ------
    DataError
        If the window has no area or a line is not finite.

    Examples
    --------
    >>> cells = half_plane_cells([[1, 0], [0, 1]], [0, 0], [-1, -1], [1, 1])
    >>> [(cell.positive.tolist(), polygon_area(cell.polygon)) for cell in cells[:2]]
    [([True, True], 1.0), ([True, False], 1.0)]
    """
    W, w0 = np.atleast_2d(np.asarray(coef, dtype=float)), np.ravel(intercept).astype(float)
    if not (np.asarray(low, dtype=float) < np.asarray(high, dtype=float)).all():
        raise DataError("The window has no area.", where="low, high", remedy="Widen it.")
    if not (np.isfinite(W).all() and np.isfinite(w0).all()):
        raise DataError("A line is not finite.", where="coef", remedy="Fit the models again.")
    window = _corners(low, high)
    least = SLIVER * polygon_area(window)
    cells = [Cell(window, np.zeros(0, dtype=bool))]
    for normal, offset in zip(W, w0.tolist(), strict=True):
        cells = [half for cell in cells for half in _halves(cell, normal, offset, least)]
    return cells


def _halves(cell: Cell, normal: Array, offset: float, least: float) -> list[Cell]:
    """Return the parts of a cell on both sides of a line that are larger than `least`."""
    values = cell.polygon @ normal + offset
    is_claimed = not (values <= 0).all()  # a margin of zero claims nothing
    if not is_claimed or (values >= 0).all():
        return [Cell(cell.polygon, np.append(cell.positive, is_claimed))]
    halves = [
        Cell(clip(cell.polygon, sign * normal, sign * offset), np.append(cell.positive, sign > 0))
        for sign in (1, -1)
    ]
    return [half for half in halves if polygon_area(half.polygon) > least]


def ambiguity_cells(
    model: BinaryModels, low: ArrayLike, high: ArrayLike
) -> list[tuple[Ambiguity, Cell]]:
    """Cut a window by the lines of binary models and describe their agreement in each cell.

    Parameters
    ----------
    model : OneVsRest or OneVsOne
        Fitted to two features, with linear binary models.
    low, high : array-like of shape (2,)

    Returns
    -------
    list of (Ambiguity, Cell)

    Raises
    ------
    DataError
        If the boundaries are not lines in a plane.

    References
    ----------
    "lecture-linear-classifiers", "One versus The Other" and "One versus One"; Bishop (2006),
    figure 4.2.

    Examples
    --------
    >>> from lincore import LinearDiscriminantAnalysis, OneVsRest
    >>> corners = np.array([[0.0, 2.0], [-1.7, -1.0], [1.7, -1.0]])
    >>> X = np.concatenate([c + 0.1 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    ...                     for c in corners])
    >>> model = OneVsRest(LinearDiscriminantAnalysis()).fit(X, np.repeat([0, 1, 2], 4))
    >>> sorted({code.name for code, _ in ambiguity_cells(model, [-3, -3], [3, 3])})
    ['CLAIMED_BY_NONE', 'CLAIMED_BY_SEVERAL', 'CLEAR']
    """
    try:
        coef, intercept = model.coef_, model.intercept_
    except AttributeError:
        coef, intercept = np.zeros((0, 0)), np.zeros(0)
    if np.ndim(coef) != 2 or coef.shape[1] != 2:
        raise DataError(
            "Ambiguous regions need linear boundaries in a plane.",
            where=type(model).__name__,
            remedy="Fit linear binary models to two features.",
        )
    cells = half_plane_cells(coef, intercept, low, high)
    inside = np.array([cell.polygon.mean(axis=0) for cell in cells])
    codes: NDArray[np.intp] = model.ambiguity(inside)
    return [(Ambiguity(int(code)), cell) for code, cell in zip(codes, cells, strict=True)]


def line_in_window(normal: ArrayLike, offset: float, low: ArrayLike, high: ArrayLike) -> Array:
    """Return the ends of the line ``normal @ x + offset = 0`` within a window.

    Parameters
    ----------
    normal : array-like of shape (2,)
    low, high : array-like of shape (2,)

    Returns
    -------
    ndarray of shape (2, 2)
        NaN if the line misses the window.

    Examples
    --------
    >>> line_in_window([1, 0], -1, [0, 0], [2, 2]).tolist()
    [[1.0, 2.0], [1.0, 0.0]]
    """
    w, window = np.asarray(normal, dtype=float), _corners(low, high)
    length = float(w @ w)
    if not length:
        return np.full((2, 2), np.nan)
    across = np.array([-w[1], w[0]])
    half = clip(window, w, offset)
    on_line = half[np.abs(half @ w + offset) <= 1e-9 * np.sqrt(length) * np.ptp(window)]
    if len(on_line) < 2:
        return np.full((2, 2), np.nan)
    order = np.argsort(on_line @ across)
    return np.asarray(on_line[order[[-1, 0]]])


def argmax_regions(
    coef: ArrayLike, intercept: ArrayLike, low: ArrayLike, high: ArrayLike
) -> list[Array]:
    """Return for each class the part of a window where its linear function is the largest.

    Parameters
    ----------
    coef : array-like of shape (K, 2)
    intercept : array-like of shape (K,)
    low, high : array-like of shape (2,)

    Returns
    -------
    list of K ndarrays of shape (m, 2)
        Empty for a class that is nowhere the largest; together they cover the window.

    References
    ----------
    "lecture-linear-classifiers", "Multi-class: argmax"; Bishop (2006), figure 4.3.

    Examples
    --------
    >>> first, second = argmax_regions([[1, 0], [-1, 0]], [0, 0], [-1, -1], [1, 1])
    >>> polygon_area(first), polygon_area(second)
    (2.0, 2.0)
    """
    W, w0 = np.asarray(coef, dtype=float), np.asarray(intercept, dtype=float)
    window = _corners(low, high)
    regions = []
    for k in range(len(W)):
        region = window
        for j in range(len(W)):
            region = clip(region, W[k] - W[j], float(w0[k] - w0[j])) if j != k else region
        regions.append(region)
    return regions


def _corners(low: ArrayLike, high: ArrayLike) -> Array:
    """Return the corners of a window, (4, 2), anticlockwise."""
    (left, bottom), (right, top) = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
