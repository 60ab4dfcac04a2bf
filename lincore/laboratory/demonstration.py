"""An experiment that was carried out: its figure, its frames and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from lincore.plots.geometry.stage import in_frame
from lincore.utils.typing import Array

# Digits of a coordinate, in shares of the largest: less than a tenth of a pixel.
DIGITS = 5


class Snapshot(NamedTuple):
    """One state of an experiment.

    Attributes
    ----------
    label : str
        The value of what is varied, with its unit.
    sentence : str
        What is seen, computed.
    places : tuple of m ndarrays of shape (k, 2)
        Of what moves; NaN where it is not drawn.
    """

    label: str
    sentence: str
    places: tuple[Array, ...]

    def coordinates(self) -> list[dict[str, list[float | None]]]:
        """Return the places as Plotly takes them from JSON, shortened to what is seen."""
        return [{"x": _short(place[:, 0]), "y": _short(place[:, 1])} for place in self.places]


class Numbers(NamedTuple):
    """A table of what an experiment computes, beside its formulas.

    Attributes
    ----------
    title : str
    formulas : tuple of str
        As in `lincore.report.FORMULAS`.
    frame : DataFrame
    """

    title: str
    formulas: tuple[str, ...]
    frame: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Demonstration:
    """An experiment that was carried out.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
        As in the first frame.
    frames : tuple of Snapshot
        The first is the situation before the question; the answer is in none of it.
    answer : float
        To the question.
    finding : str
        What is learned, in one or two computed sentences.
    stop : int
        The frame at which playing ends.
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

    def figure_at(self, number: int) -> go.Figure:
        """Return the figure in one of its frames."""
        return in_frame(self.figure, self.frames[number].places)


def nothing(n: int = 2) -> Array:
    """Return places that are not drawn, (n, 2)."""
    return np.full((n, 2), np.nan)


def signed(value: float, digits: int = 2) -> str:
    """Return a number with a true minus sign."""
    text = f"{value:,.{digits}f}"
    return (text.lstrip("-") if not float(text.replace(",", "")) else text).replace("-", "−")


def _short(values: Array) -> list[Any]:
    finite = np.abs(values[np.isfinite(values)])
    top = float(finite.max(initial=0.0))
    digits = DIGITS - 1 - int(np.floor(np.log10(top))) if top > 0 else 0
    return [None if value != value else round(value, digits) for value in values.tolist()]
