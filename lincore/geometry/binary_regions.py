"""Exact regions and boundary of one-versus-rest and one-versus-one with linear binary models."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lincore.errors import DataError
from lincore.estimators.multiclass import Ambiguity, BinaryModels
from lincore.geometry.half_planes import ambiguity_cells, clip, line_in_window, polygon_area
from lincore.utils.typing import Array, Codes

# Maximum number of binary models: their lines cut a window into thousands of cells.
MOST_MODELS = 66
# Distance from a line at which predictions are compared, and area below which a piece is rounding
# error, both as shares of the window.
BESIDE, SLIVER = 1e-7, 1e-12


class Piece(NamedTuple):
    """A convex piece of a window in which one class is predicted.

    Attributes
    ----------
    code : int
        Position of the class in `classes_`.
    ambiguity : Ambiguity
    polygon : ndarray of shape (m, 2)
    """

    code: int
    ambiguity: Ambiguity
    polygon: Array


class BinaryRegions(NamedTuple):
    """A window, cut by the lines of binary models.

    Attributes
    ----------
    pieces : tuple of Piece
        Their areas sum to that of the window.
    boundary : ndarray of shape (m, 2)
        Segments along which the prediction changes, two points each, separated by a row of NaN.
    lines : ndarray of shape (m, 2)
        Boundaries of the binary models, in the same form.
    """

    pieces: tuple[Piece, ...]
    boundary: Array
    lines: Array

    def areas(self) -> dict[Ambiguity, float]:
        """Return the share of the window of each kind of ambiguity, CLEAR among them."""
        areas = dict.fromkeys(Ambiguity, 0.0)
        for piece in self.pieces:
            areas[piece.ambiguity] += polygon_area(piece.polygon)
        whole = sum(areas.values())
        return {kind: area / whole for kind, area in areas.items()}


def binary_regions(model: BinaryModels, low: ArrayLike, high: ArrayLike) -> BinaryRegions:
    """Cut a window into pieces in which one class is predicted, exactly, without a grid.

    Parameters
    ----------
    model : OneVsRest or OneVsOne
        Fitted to two features, with linear binary models.
    low, high : array-like of shape (2,)
        Corners of the window.

    Raises
    ------
    DataError
        If the boundaries are not lines in a plane, or there are more than 66 models.

    References
    ----------
    "lecture-linear-classifiers", "One versus The Other" and "One versus One"; Bishop (2006),
    figure 4.2.

    Examples
    --------
    >>> from lincore import LinearDiscriminantAnalysis, OneVsOne
    >>> X = [[0.0, 0], [0.5, 1], [4, 0], [4.5, 1], [0, 5], [1, 5.5]]
    >>> model = OneVsOne(LinearDiscriminantAnalysis()).fit(X, [0, 0, 1, 1, 2, 2])
    >>> regions = binary_regions(model, [-1, -1], [6, 6])
    >>> round(sum(polygon_area(piece.polygon) for piece in regions.pieces), 9)
    49.0
    """
    cells = ambiguity_cells(model, low, high)
    if len(model.coef_) > MOST_MODELS:
        raise DataError(
            f"There are {len(model.coef_)} binary models.",
            where=type(model).__name__,
            remedy=f"Regions are exact for at most {MOST_MODELS}.",
        )
    coef, intercept = model.score_planes()
    least = SLIVER * sum(polygon_area(cell.polygon) for _, cell in cells)
    pieces = []
    for kind, cell in cells:
        rivals = np.flatnonzero(model.candidates(cell.positive[None])[0])
        for k in rivals.tolist():
            polygon = cell.polygon
            for j in rivals[rivals != k].tolist():
                polygon = clip(polygon, coef[k] - coef[j], float(intercept[k] - intercept[j]))
            if polygon_area(polygon) > least:
                pieces.append(Piece(k, kind, polygon))
    first, second = np.triu_indices(len(coef), k=1)
    lines = model.coef_, model.intercept_
    between = coef[first] - coef[second], intercept[first] - intercept[second]
    normals, offsets = (np.concatenate(pair) for pair in zip(between, lines, strict=True))
    window = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    return BinaryRegions(
        tuple(pieces),
        _boundary(model, normals, offsets, window),
        _joined([line_in_window(w, w0, *window) for w, w0 in zip(*lines, strict=True)]),
    )


def _boundary(
    model: BinaryModels, normals: Array, offsets: Array, window: tuple[Array, Array]
) -> Array:
    """Return the segments of lines whose two sides have different predictions."""
    beside = BESIDE * float(np.hypot(*(window[1] - window[0])))
    segments: list[Array] = []
    for normal, offset in zip(normals, offsets, strict=True):
        ends = line_in_window(normal, offset, *window)
        if not np.isfinite(ends).all():
            continue
        # Intersections with the other lines, as fractions of this line's length in the window.
        start, stop = (normals @ end + offsets for end in ends)
        with np.errstate(divide="ignore", invalid="ignore"):
            cuts = start / (start - stop)
        cuts = np.unique([0.0, 1.0, *cuts[(cuts > 0) & (cuts < 1)]])
        middle = ends[0] + ((cuts[1:] + cuts[:-1]) / 2)[:, None] * (ends[1] - ends[0])
        aside = beside * normal / np.hypot(*normal)
        changes = _predicted(model, middle + aside) != _predicted(model, middle - aside)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], changes, [0]])))
        for a, b in cuts[edges].reshape(-1, 2):
            segments.append(ends[0] + np.array([[a], [b]]) * (ends[1] - ends[0]))
    return _joined(_distinct(segments))


def _predicted(model: BinaryModels, points: Array) -> Codes:
    coef, intercept = model.score_planes()
    rivals = model.candidates(points @ model.coef_.T + model.intercept_ > 0)
    return np.where(rivals, points @ coef.T + intercept, -np.inf).argmax(axis=1)


def _distinct(segments: list[Array]) -> list[Array]:
    """Return segments without duplicates: two models may share a line."""
    distinct: dict[tuple[float, ...], Array] = {}
    for segment in segments:
        distinct.setdefault(tuple(np.sort(segment, axis=0).round(9).ravel().tolist()), segment)
    return list(distinct.values())


def _joined(segments: list[Array]) -> Array:
    parts = [
        np.vstack([segment, np.full(2, np.nan)])
        for segment in segments
        if np.isfinite(segment).all()
    ]
    return np.concatenate(parts)[:-1] if parts else np.empty((0, 2))
