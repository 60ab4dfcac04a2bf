"""Points that are moved by hand, and the answer that is computed from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.laboratory.demonstration import Demonstration
from lincore.plots.base.palette import colour
from lincore.plots.geometry.stage import StagePlane
from lincore.utils.typing import Array, Codes

#: Two coordinates and a class.
Point = tuple[float, float, int]
#: How many there may be.
MOST_POINTS = 200


class Reply(NamedTuple):
    """The answer to points: a sentence and lines.

    Attributes
    ----------
    sentence : str
    lines : tuple of dict
        As JSON has them: name, ends, number, colour and dash.
    judged : str
        The sentence once the answer is revealed, if that is another one.
    """

    sentence: str
    lines: tuple[dict[str, Any], ...] = ()
    judged: str = ""


class Board(NamedTuple):
    """A plane in which points are moved.

    Attributes
    ----------
    start : callable
        Returns the points at first.
    reply : callable
        Takes points; raises DataError where nothing follows from them.
    show : callable
        Takes points, and returns the experiment that they make.
    window : StagePlane
    digits : int
        Of a coordinate, after the point.
    names : tuple of str
        Of points that can only be moved; empty for rows, which are added and deleted as well.
    rows : callable or None
        Rows that stay.
    ellipses : tuple of (int, int, int, int)
        Positions of a centre, of the centre from which the handles are seen, and of two handles,
        through which the ellipse runs.
    best : callable or None
        Returns the points of the highest value.
    """

    start: Callable[[], tuple[Point, ...]]
    reply: Callable[[Sequence[Point]], Reply]
    show: Callable[[Sequence[Point]], Demonstration]
    window: StagePlane
    digits: int = 2
    names: tuple[str, ...] = ()
    rows: Callable[[], Dataset] | None = None
    ellipses: tuple[tuple[int, int, int, int], ...] = ()
    best: Callable[[], tuple[Point, ...]] | None = None

    def settings(self) -> dict[str, Any]:
        """Return what does not change while points are moved, as JSON has it."""
        rows = self.rows() if self.rows is not None else None
        return {
            "low": self.window.low.tolist(),
            "high": self.window.high.tolist(),
            "axes": list(self.window.names),
            "digits": self.digits,
            "names": list(self.names),
            "behind": [] if rows is None else points_of(rows.X, rows.codes, self.digits),
            "ellipses": list(self.ellipses),
            "best": None if self.best is None else self.best(),
            "colours": [colour(0), colour(1)],
            "most": MOST_POINTS,
        }


def checked(points: Sequence[Point], window: StagePlane) -> tuple[Array, Codes]:
    """Return places (n, 2) and classes (n,) of points."""
    if len(points) > MOST_POINTS or any(len(point) != 3 for point in points):
        raise DataError(
            f"There are {len(points)}.",
            where="points",
            remedy=f"Give at most {MOST_POINTS}, each with two coordinates and a class.",
        )
    table = np.array(points, dtype=float).reshape(-1, 3)
    inside = (table[:, :2] >= window.low) & (table[:, :2] <= window.high)
    if not inside.all() or not np.isin(table[:, 2], (0, 1)).all():
        raise DataError(
            "One is outside of the window, or of neither class.",
            where="points",
            remedy="Move it.",
        )
    return table[:, :2], table[:, 2].astype(np.intp)


def points_of(X: Array, codes: Codes, digits: int) -> tuple[Point, ...]:
    """Return rows as points, rounded."""
    places = np.round(np.asarray(X, dtype=float), digits).tolist()
    return tuple((x, y, int(code)) for (x, y), code in zip(places, codes, strict=True))
