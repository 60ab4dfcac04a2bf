"""Displays of the laboratory: an experiment with its frames and its answer, and its tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import pandas as pd

from lincore import laboratory
from lincore.displays.base import Display
from lincore.fields import Field
from lincore.laboratory import Demonstration, Numbers, Preset

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True, eq=False)
class ExperimentDisplay(Display):
    """An experiment of the laboratory: what is asked, what is seen, and the computed answer."""

    title: ClassVar[str] = "Experiment"
    made_by: ClassVar[str] = "laboratory.answer"

    experiment: Annotated[str, Field("Experiment", "From chapter 4.", longest=40)] = "one-function"
    preset: Annotated[
        str, Field("Preset", "The classic case, and cases that contradict it.", longest=40)
    ] = "classic"
    guess: Annotated[float, Field("Your prediction", "Compared with the answer.")] | None = None
    points: Annotated[
        tuple[tuple[float, float, int], ...],
        Field("Points", "Points moved by hand.", longest=laboratory.MOST_POINTS),
    ] = ()
    letter: Annotated[str, Field("A letter of your own", "Its words are counted.", longest=200)] = (
        ""
    )

    @property
    def shown(self) -> Demonstration:
        """The experiment, carried out."""
        return laboratory.demonstrate(
            self.experiment, self.preset, points=self.points, letter=self.letter
        )

    @property
    def compared(self) -> Demonstration:
        """The experiment with the prediction drawn."""
        return laboratory.demonstrate(
            self.experiment, self.preset, points=self.points, letter=self.letter, guess=self.guess
        )

    @property
    def asked(self) -> Preset:
        """The preset whose question is asked."""
        return laboratory.EXPERIMENTS[self.experiment].presets[self.preset]

    @property
    def question(self) -> str:
        """What is asked."""
        return self.asked.asked(self.letter)

    def verdict(self) -> str:
        """Compare the guess with the answer, which holds for the points as they were."""
        as_asked = laboratory.demonstrate(self.experiment, self.preset, letter=self.letter)
        return self.asked.verdict(self.guess, as_asked.answer)

    def finding(self) -> str:
        """Return the verdict, and what is learned."""
        return f"{self.verdict()} {self.shown.finding}"

    def scope(self) -> str:
        """Return the question, and its place in the text."""
        return f"{self.question} {laboratory.EXPERIMENTS[self.experiment].passage}"

    def frame(self) -> pd.DataFrame:
        """Return what is seen in each frame."""
        lines = [(frame.label, frame.sentence) for frame in self.shown.frames]
        return pd.DataFrame(lines, columns=["frame", "what is seen"])

    def plot(self) -> go.Figure:
        """Return the figure after the last frame."""
        return self.compared.figure_at(range(len(self.shown.frames))[self.shown.stop])

    def tables(self) -> tuple[ExperimentTableDisplay, ...]:
        """Return what is computed, each table a display."""
        return tuple(ExperimentTableDisplay(numbers) for numbers in self.shown.numbers)


@dataclass(frozen=True, eq=False)
class ExperimentTableDisplay(Display):
    """A table of what an experiment computes."""

    title: ClassVar[str] = "Numbers"

    numbers: Numbers

    def finding(self) -> str:
        """State what the table contains."""
        return self.numbers.title

    def frame(self) -> pd.DataFrame:
        """Return the numbers in full precision."""
        return self.numbers.frame

    def table(self) -> pd.DataFrame:
        """Return the numbers to five digits."""
        table = self.numbers.frame
        floats = table.select_dtypes("float").columns
        return table.assign(**{name: table[name].map("{:.5g}".format) for name in floats})
