"""The record of an experiment: passage, presets, and for each what is asked, drawn and found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from lincore.data.dataset import Dataset
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
    """

    figure: go.Figure
    frames: tuple[Snapshot, ...]
    answer: float
    finding: str
    stop: int = -1

    @property
    def moving(self) -> list[int]:
        """Positions of the traces that move."""
        return list(self.figure.layout.meta["moving"])

    def figure_at(self, number: int) -> go.Figure:
        """Return the figure in one of its frames."""
        return in_frame(self.figure, self.frames[number].places)


class Preset(NamedTuple):
    """One situation of an experiment.

    Attributes
    ----------
    title : str
    question : str
        Whose answer is a number.
    unit : str
        Of the answer.
    digits : int
        Of the answer, after the point.
    show : callable
        Carries it out, without arguments.
    rows : callable or None
        Makes its rows as a data set; None where there are no rows.
    """

    title: str
    question: str
    unit: str
    digits: int
    show: Callable[[], Demonstration]
    rows: Callable[[], Dataset] | None = None

    def verdict(self, guess: float | None, answer: float) -> str:
        """Return a guess set against the truth.

        Examples
        --------
        >>> Preset("", "", "rows", 0, lambda: None).verdict(12.0, 15.0)
        'Your prediction: 12 rows. Computed: 15 rows.'
        """
        truth = self._in_words(answer)
        if guess is None:
            return f"Computed: {truth}."
        if round(guess, self.digits) == round(answer, self.digits):
            return f"Your prediction is exact: {truth}."
        return f"Your prediction: {self._in_words(guess)}. Computed: {truth}."

    def _in_words(self, value: float) -> str:
        text, unit = signed(value, self.digits), self.unit
        if text == "1":
            unit = unit.removesuffix("s")
        return f"{text}{'' if unit == '°' or not unit else ' '}{unit}"


@dataclass(frozen=True)
class Experiment:
    """An experiment of the laboratory.

    Attributes
    ----------
    title : str
    passage : str
        Where the text has it, in one line.
    varied : str
        What the frames vary.
    presets : mapping of str to Preset
        By a word; the first is the classic one.
    """

    title: str
    passage: str
    varied: str
    presets: Mapping[str, Preset]


def nothing(n: int = 2) -> Array:
    """Return places that are not drawn, (n, 2)."""
    return np.full((n, 2), np.nan)


def signed(value: float, digits: int = 2) -> str:
    """Return a number with a true minus sign.

    Examples
    --------
    >>> signed(-1.5), signed(-0.001)
    ('−1.50', '0.00')
    """
    text = f"{value:,.{digits}f}"
    return (text.lstrip("-") if not float(text.replace(",", "")) else text).replace("-", "−")


def _short(values: Array) -> list[Any]:
    finite = np.abs(values[np.isfinite(values)])
    top = float(finite.max(initial=0.0))
    digits = DIGITS - 1 - int(np.floor(np.log10(top))) if top > 0 else 0
    return [None if value != value else round(value, digits) for value in values.tolist()]
