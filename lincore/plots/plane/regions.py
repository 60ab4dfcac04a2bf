"""Grids of posteriors or densities by class, restricted to where they are visible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.inspection.views import Quantity, View
from lincore.plots.plane.axis_limits import AxisLimits, spread
from lincore.utils.typing import Array

# Values in all layers of a figure: 85 kB as float32 in base64, up to 110 kB as JSON.
CELLS = 16_000
# JSON of a layer besides its values, expressed in values.
OVERHEAD = 260
# Minimum number of nodes on each axis of a layer.
FEWEST = 9
# Nodes on each axis of the grid that determines which class wins where.
NODES = 161
# Beyond this many standard deviations a density has less than a thousandth of its peak.
REACH = 3.8


class Layer(NamedTuple):
    """Values of one class on a grid.

    Attributes
    ----------
    code : int
        Which class.
    x, y : ndarray of shapes (nx,), (ny,)
    z : ndarray of shape (ny, nx), float32 or int8
    """

    code: int
    x: Array
    y: Array
    z: NDArray[np.float32] | NDArray[np.int8]


class Map(NamedTuple):
    """Scores on a grid: log joint densities, where the model has any.

    Attributes
    ----------
    x, y : ndarray of shapes (nx,), (ny,)
    scores : ndarray of shape (ny, nx, K)
        Minus infinity for a class that cannot occur.
    """

    x: Array
    y: Array
    scores: Array

    @classmethod
    def of(cls, view: View, low: Array, high: Array, n: int) -> Map:
        """Evaluate a view of two coordinates at n times n nodes of a rectangle."""
        x, y = np.linspace(low[0], high[0], n), np.linspace(low[1], high[1], n)
        return cls(x, y, possible(view.scores(nodes(x, y))).reshape(n, n, -1))

    @classmethod
    def whole(cls, view: View, limits: AxisLimits) -> Map:
        """Evaluate it over all of a plot."""
        return cls.of(view, limits.low, limits.high, NODES)

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The class of the largest score, (ny, nx)."""
        return np.asarray(self.scores.argmax(axis=2))


def nodes(x: Array, y: Array) -> Array:
    """Return the points (ny * nx, 2) of a grid, x running first."""
    return np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))])


def possible(log_values: Array) -> Array:
    """Return log densities with minus infinity for a class without rows, which may have none."""
    return np.where(np.isnan(log_values), -np.inf, log_values)


def whole_layer(view: View, limits: AxisLimits, code: int, quantity: Quantity) -> Layer:
    """Return one class over all of the plot; its density over the part where there is any."""
    low, high = limits.low, limits.high
    if quantity == "score":
        raise ValueError("The margin is of the predicted class, not of one chosen class.")
    if quantity == "density":
        low, high = _near_class(view, limits, code)
    # The rows of many classes take space as well.
    n = int(np.sqrt(max(CELLS - OVERHEAD * len(view.classes), CELLS // 2)))
    x, y = np.linspace(low[0], high[0], n), np.linspace(low[1], high[1], n)
    log = view.log_posterior if quantity == "posterior" else view.log_joint
    z = np.exp(possible(log(nodes(x, y)))[:, code]).reshape(n, n)
    return Layer(code, x, y, thrifty(z))


def winning_layers(view: View, limits: AxisLimits, quantity: Quantity) -> list[Layer]:
    """Return every class that wins somewhere, over a box around where it does."""
    # Within its region a layer holds the posterior or density. Across the region's edge the
    # values run down to `floor_level` at the very edge and stay below it beyond, within one
    # cell, so that filled contours end on the decision boundary and not on the steps of the
    # grid.
    floor = floor_level(len(view.classes), quantity)
    layers = []
    whole = Map.whole(view, limits)
    maps = _winning_maps(view, limits, whole, near_classes=quantity == "density")
    for code, grid in maps:
        best = winning_values(view, grid, quantity)
        z = floor + (best - floor) * np.clip(_cells_inside(grid, code), -1, 1)
        layers.append(Layer(code, grid.x, grid.y, thrifty(z)))
    return layers


def winning_values(view: View, grid: Map, quantity: Quantity) -> Array:
    """Return on a grid (ny, nx) the predicted class's posterior, density, or margin in score."""
    if quantity == "posterior":
        log = possible(view.log_posterior(nodes(grid.x, grid.y)))
        return np.exp(log.max(axis=1)).reshape(grid.scores.shape[:2])
    if quantity == "density":
        return np.exp(grid.scores.max(axis=2))
    best = np.sort(grid.scores, axis=2)[..., -2:]
    with np.errstate(invalid="ignore"):
        lead = best[..., -1] - best[..., 0]
    # Where every other class is impossible the margin is larger than any.
    finite = lead[np.isfinite(lead)]
    return np.nan_to_num(lead, nan=0.0, posinf=float(finite.max(initial=0.0)) or 1.0)


def region_layers(view: View, limits: AxisLimits, whole: Map, *, cells: int = CELLS) -> list[Layer]:
    """Return for every class that wins somewhere values above zero where it does."""
    # All layers together have about this many cells; `whole` tells which class wins where. Only
    # their zero crossings are visible, which bytes resolve to 1/254 of a cell.
    return [
        Layer(code, grid.x, grid.y, _as_bytes(_cells_inside(grid, code)))
        for code, grid in _winning_maps(view, limits, whole, near_classes=False, cells=cells)
    ]


def _as_bytes(cells: Array) -> NDArray[np.int8]:
    """Return values clipped to the range from -1 to 1, in steps of 1/127."""
    return np.round(127 * cells.clip(-1, 1)).astype(np.int8)


def thrifty(values: Array) -> NDArray[np.float32]:
    """Return values as float32 with an error of at most 1/8192 of the largest."""
    # 0.9999999 takes four times the bytes of 1: Plotly escapes each "/" of base64.
    largest = np.abs(values).max()
    step = 2.0 ** np.floor(np.log2(largest) - 12) if largest > 0 else 1.0
    return np.asarray(np.round(values / step) * step, dtype=np.float32)


def floor_level(n_classes: int, quantity: Quantity) -> float:
    """Return where layers end: a level that no predicted class falls below, to one decimal."""
    if quantity != "posterior":
        return 0.0
    return float(np.floor(10 / n_classes + 1e-9) / 10)


def _winning_maps(
    view: View, limits: AxisLimits, whole: Map, *, near_classes: bool, cells: int = CELLS
) -> list[tuple[int, Map]]:
    """Return each class that wins somewhere with a map of the box around that place."""
    boxes = _boxes(view, limits, whole, near_classes=near_classes)
    n = int(np.sqrt(max(cells / max(len(boxes), 1) - OVERHEAD, FEWEST**2)))
    return [(code, Map.of(view, low, high, n)) for code, (low, high) in boxes.items()]


def _cells_inside(grid: Map, code: int) -> Array:
    """Return how many cells each node lies inside the region that a class wins, (ny, nx)."""
    others = np.delete(grid.scores, code, axis=2).max(axis=2, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        margin = np.nan_to_num(grid.scores[..., code] - others, nan=-1e6)
    margin = np.clip(margin, -1e6, 1e6)
    down, across = np.gradient(margin)
    return np.asarray(margin / np.maximum(np.hypot(down, across), 1e-12))


def _boxes(
    view: View, limits: AxisLimits, grid: Map, *, near_classes: bool
) -> dict[int, tuple[Array, Array]]:
    """Return for each class that wins somewhere the corners of a box around that place."""
    predicted, step = grid.predicted, (limits.high - limits.low) / (NODES - 1)
    boxes = {}
    for code in np.unique(predicted):
        rows, columns = np.nonzero(predicted == code)
        low = np.array([grid.x[columns.min()], grid.y[rows.min()]]) - step
        high = np.array([grid.x[columns.max()], grid.y[rows.max()]]) + step
        low, high = np.maximum(low, limits.low), np.minimum(high, limits.high)
        if near_classes:
            near_low, near_high = _near_class(view, limits, int(code))
            low, high = np.maximum(low, near_low), np.minimum(high, near_high)
        if np.all(low < high):
            boxes[int(code)] = (low, high)
    return boxes


def _near_class(view: View, limits: AxisLimits, code: int) -> tuple[Array, Array]:
    """Return the part of the plot in which a class has density; all of it if there is none."""
    reach = REACH * spread(view, code)
    mean = view.gaussians.means[code]
    low, high = np.maximum(limits.low, mean - reach), np.minimum(limits.high, mean + reach)
    return (low, high) if np.all(low < high) else (limits.low, limits.high)


def checked(view: View, quantity: Quantity | None) -> Quantity:
    """Return the shaded quantity, by default the most informative; ValueError if there is none."""
    if quantity is None:
        return view.quantities[0]
    if quantity not in view.quantities:
        raise ValueError(
            f"This model has no {quantity} here; it has {' and '.join(view.quantities)}."
        )
    return quantity
