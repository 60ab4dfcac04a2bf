"""Records of experiments, presets, their questions, and points that can be moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.laboratory.demonstration import Demonstration, signed
from lincore.plots.base.palette import INK, colour
from lincore.plots.base.style import Trace
from lincore.plots.geometry.stage import FULL, Panel, Spot, StagePlane, joined
from lincore.utils.typing import Array, Codes

#: Two coordinates and a class.
Point = tuple[float, float, int]
#: Maximum number of points.
MOST_POINTS = 200


class Reply(NamedTuple):
    """The answer for some points: a sentence and lines.

    Attributes
    ----------
    sentence : str
    lines : tuple of dict
        For JSON: name, ends, number, colour and dash; panel, if it is not in the plane, width in
        pixels, and isAnswer, if it is drawn only after the answer is revealed.
    judged : str
        The sentence after the answer is revealed, if different.
    """

    sentence: str
    lines: tuple[dict[str, Any], ...] = ()
    judged: str = ""


class Board(NamedTuple):
    """A plane in which points can be moved.

    Attributes
    ----------
    start : callable
        Returns the initial points.
    reply : callable
        Maps points to a `Reply`; raises DataError if there is no answer.
    show : callable
        Maps points to a `Demonstration`.
    window : StagePlane
    digits : int
        Decimals of a coordinate.
    names : tuple of str
        Names of points that can only be moved; empty for rows, which can also be added and deleted.
    symbols : tuple of str
        What is written beside the named points.
    rows : callable or None
        Returns rows that do not move.
    ellipses : tuple of (int, int, int, int)
        Positions of the ellipse's centre, of the centre to which the handles belong, and of two
        handles on the ellipse.
    best : callable or None
        Returns the points of the answer.
    follows : tuple of (int, int)
        Positions of points that move along with another, and of that one.
    ways : tuple of str
        Coordinate of each named point that can be moved, "x" or "y"; empty for both.
    ticks : tuple of (float, str)
        Marks of the second axis, if its numbers are not the coordinates.
    spot : Spot
        What the plane fills beside panels.
    panels : tuple of Panel
    cluster : callable or None
        Returns the places of rows that go along with the first point, relative to it.
    """

    start: Callable[[], tuple[Point, ...]]
    reply: Callable[[Sequence[Point]], Reply]
    show: Callable[[Sequence[Point]], Demonstration]
    window: StagePlane
    digits: int = 2
    names: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    rows: Callable[[], Dataset] | None = None
    ellipses: tuple[tuple[int, int, int, int], ...] = ()
    best: Callable[[], tuple[Point, ...]] | None = None
    follows: tuple[tuple[int, int], ...] = ()
    ways: tuple[str, ...] = ()
    ticks: tuple[tuple[float, str], ...] = ()
    spot: Spot = FULL
    panels: tuple[Panel, ...] = ()
    cluster: Callable[[], tuple[tuple[float, float], ...]] | None = None

    def settings(self) -> dict[str, Any]:
        """Return the properties that do not depend on the points, for JSON."""
        rows = self.rows() if self.rows is not None else None
        return {
            "panels": [
                {
                    "low": panel.plane.low.tolist(),
                    "high": panel.plane.high.tolist(),
                    "axes": list(panel.plane.names),
                    "spot": panel.spot,
                    "isBare": panel.across.get("showticklabels") is False,
                }
                for panel in (Panel(self.window, self.spot), *self.panels)
            ],
            "cluster": [] if self.cluster is None else self.cluster(),
            "digits": self.digits,
            "names": list(self.names),
            "symbols": list(self.symbols),
            "behind": [] if rows is None else points_of(rows.X, rows.codes, self.digits),
            "ellipses": list(self.ellipses),
            "best": None if self.best is None else self.best(),
            "follows": list(self.follows),
            "ways": list(self.ways),
            "ticks": list(self.ticks),
            "colours": [colour(0), colour(1)],
            "most": MOST_POINTS,
        }


def board_lines(looks: Sequence[Trace], coordinates: Sequence[Array]) -> tuple[dict[str, Any], ...]:
    """Return lines and stems of `plots.geometry.stage` for a board, without those not drawn."""
    lines = []
    for look, points in zip(looks, coordinates, strict=True):
        if not np.isfinite(points).any():
            continue
        path, style = points, look.get("line")
        if style is None:
            path = joined([np.array([[x, 0.0], [x, y]]) for x, y in points])
            style = {"width": look["error_y"]["thickness"], "dash": "solid", **look["marker"]}
        ends = [[x, y] if np.isfinite(y) else [None, None] for x, y in path.round(3).tolist()]
        lines.append(
            {
                "name": look["name"],
                "ends": ends,
                # Ink follows the theme.
                "colour": "currentColor" if style["color"] == INK else style["color"],
                "dash": style["dash"],
                "width": style["width"],
                "panel": int(look.get("xaxis", "x1")[1:]) - 1,
            }
        )
    return tuple(lines)


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
            "A point is outside the window or belongs to neither class.",
            where="points",
            remedy="Move it.",
        )
    return table[:, :2], table[:, 2].astype(np.intp)


def points_of(X: Array, codes: Codes, digits: int) -> tuple[Point, ...]:
    """Return rows as points, rounded."""
    places = np.round(np.asarray(X, dtype=float), digits).tolist()
    return tuple((x, y, int(code)) for (x, y), code in zip(places, codes, strict=True))


class Letter(NamedTuple):
    """A text whose words are counted; it can be replaced by another."""

    text: str  # as quoted in the question
    show: Callable[[str], Demonstration]


class Preset(NamedTuple):
    """One situation of an experiment.

    Attributes
    ----------
    title : str
    question : str
        Question whose answer is a number.
    unit : str
        Unit of the answer.
    digits : int
        Decimals of the answer.
    show : callable
        Runs it, without arguments.
    rows : callable or None
        Returns its rows as a data set; None if it has none.
    board : Board or None
        Given if points can be moved.
    letter : Letter or None
        Given if the words of a text are counted.
    """

    title: str
    question: str
    unit: str
    digits: int
    show: Callable[[], Demonstration]
    rows: Callable[[], Dataset] | None = None
    board: Board | None = None
    letter: Letter | None = None

    def asked(self, letter: str = "") -> str:
        """Return the question, with another letter if given."""
        if self.letter is None or not letter:
            return self.question
        return self.question.replace(f"“{self.letter.text}”", f"“{letter}”")

    def verdict(self, guess: float | None, answer: float) -> str:
        """Compare a guess with the answer.

        Examples
        --------
        >>> Preset("", "", "rows", 0, lambda: None).verdict(12.0, 15.0)
        'Your prediction: 12 rows. Computed: 15 rows.'
        """
        truth = self.in_words(answer)
        if guess is None:
            return f"Computed: {truth}."
        if round(guess, self.digits) == round(answer, self.digits):
            return f"Your prediction is exact: {truth}."
        return f"Your prediction: {self.in_words(guess)}. Computed: {truth}."

    def in_words(self, value: float) -> str:
        """Return an answer with its unit."""
        text, unit = signed(value, self.digits), self.unit
        if text == "1":
            unit = unit.removesuffix("s")
        return f"{text}{'' if unit == '°' or not unit else ' '}{unit}"


@dataclass(frozen=True)
class LaboratoryExperiment:
    """An experiment of the laboratory.

    Attributes
    ----------
    title : str
    passage : str
        Reference to the source text, in one line.
    presets : mapping of str to Preset
        By name; the first is the classic one.
    """

    title: str
    passage: str
    presets: Mapping[str, Preset]
