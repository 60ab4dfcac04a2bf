"""The record of an experiment: passage, presets, and for each what is asked, drawn and found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from lincore.data.dataset import Dataset
from lincore.laboratory.board import Board
from lincore.laboratory.demonstration import Demonstration, signed


class Letter(NamedTuple):
    """A text whose words are counted, for which another may be put.

    Attributes
    ----------
    text : str
        As the question quotes it.
    show : callable
        Takes a text, and carries the experiment out on it.
    """

    text: str
    show: Callable[[str], Demonstration]


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
    board : Board or None
        On which points are moved by hand.
    letter : Letter or None
        Whose words are counted.
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
        """Return the question, about another letter if there is one."""
        if self.letter is None or not letter:
            return self.question
        return self.question.replace(f"“{self.letter.text}”", f"“{letter}”")

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
class LaboratoryExperiment:
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
