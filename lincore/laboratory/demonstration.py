"""The result of an experiment: figure, frames and finding."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from lincore.plots.geometry.labels import labelled
from lincore.plots.geometry.stage import in_frame, with_ghost
from lincore.utils.typing import Array

# Significant digits of a coordinate relative to the largest: less than a tenth of a pixel.
DIGITS = 5


class Snapshot(NamedTuple):
    """One state of an experiment.

    Attributes
    ----------
    label : str
        Value of the varied quantity, with its unit.
    sentence : str
        Description with computed numbers.
    places : tuple of m ndarrays of shape (k, 2) or (k, 3)
        Coordinates of the moving traces, and sizes of their markers; NaN if not drawn.
    value : float
        What the question asks for, as it is in this state; NaN if only the end has one.
    """

    label: str
    sentence: str
    places: tuple[Array, ...]
    value: float = float("nan")

    def coordinates(self) -> list[dict[str, list[float | None]]]:
        """Return the coordinates in Plotly's JSON format, rounded to what is visible."""
        return [
            {
                name: _short(column)
                for name, column in zip(("x", "y", "size"), points.T, strict=False)
            }
            for points in self.places
        ]


class Numbers(NamedTuple):
    """A table of numbers computed in an experiment, with their formulas.

    Attributes
    ----------
    title : str
    formulas : tuple of str
        Keys of `lincore.report.FORMULAS`.
    frame : DataFrame
    """

    title: str
    formulas: tuple[str, ...]
    frame: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Demonstration:
    """The result of an experiment.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
        The first frame.
    frames : tuple of Snapshot
        The first shows the situation before the question, without the answer.
    answer : float
        Answer to the question.
    finding : str
        Conclusion in one or two sentences with computed numbers.
    stop : int
        Position of the frame at which the animation stops.
    numbers : tuple of Numbers
    """

    figure: go.Figure
    frames: tuple[Snapshot, ...]
    answer: float
    finding: str
    stop: int = -1
    numbers: tuple[Numbers, ...] = ()

    @property
    def moving(self) -> list[int]:
        """Positions of the traces that move."""
        return list(self.figure.layout.meta["moving"])

    def labelled(self) -> Demonstration:
        """Return it with the names of lines beside them."""
        figure, places = labelled(self.figure, [frame.places for frame in self.frames])
        pairs = zip(self.frames, places, strict=True)
        return replace(self, figure=figure, frames=tuple(a._replace(places=b) for a, b in pairs))

    def with_guess(self, guess: float, name: str) -> Demonstration:
        """Return it with the lines of the state that has the guessed value, pale and dotted.

        Without them if no state has such a value, or if they are those of the answer.
        """
        values = np.array([frame.value for frame in self.frames])
        known = values[np.isfinite(values)]
        if not len(known) or not known.min() <= guess <= known.max():
            return self
        # Of states with the same value the one in which playing ends.
        gaps = np.abs(values - guess)
        nearest = self.stop if gaps[self.stop] <= np.nanmin(gaps) else int(np.nanargmin(gaps))
        pairs = list(zip(self.frames[nearest].places, self.frames[self.stop].places, strict=True))
        return replace(self, figure=with_ghost(self.figure, pairs, name))

    def figure_at(self, number: int) -> go.Figure:
        """Return the figure in one of its frames."""
        return in_frame(self.figure, self.frames[number].places)


def nothing(n: int = 2) -> Array:
    """Return coordinates (n, 2) of something that is not drawn."""
    return np.full((n, 2), np.nan)


def signed(value: float, digits: int = 2) -> str:
    """Return a number with a true minus sign."""
    text = f"{value:,.{digits}f}"
    return (text.lstrip("-") if not float(text.replace(",", "")) else text).replace("-", "−")


def _short(values: Array) -> list[Any]:
    finite = np.abs(values[np.isfinite(values)])
    top = float(finite.max(initial=0.0))
    if len(finite) and finite.min() > 0 and top > 10**DIGITS * finite.min():  # on a log axis
        return [None if value != value else float(f"{value:.{DIGITS}g}") for value in values]
    digits = DIGITS - 1 - int(np.floor(np.log10(top))) if top > 0 else 0
    return [None if value != value else round(value, digits) for value in values.tolist()]
