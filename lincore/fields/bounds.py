"""Bounds on the values of a specification, as annotations of its fields."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf, isfinite
from typing import Annotated, Any, TypeAlias

from lincore.errors import DataError


def refuse(message: str, where: str, remedy: str) -> DataError:
    """Return the error for an invalid value in a specification, such as in "split.seed"."""
    return DataError(message, where=where, remedy=remedy)


def shown(value: Any) -> str:
    """Return a value for a message, shortened."""
    if isinstance(value, int) and abs(value) > 10**18:
        return "a number with too many digits"
    text = repr(value[:60] if isinstance(value, (str, list)) else value)
    return text if len(text) <= 40 else f"{text[:39]}…"


@dataclass(frozen=True)
class Between:
    """A number from `low` to `high`; "inf" is allowed if a bound is infinite."""

    low: float = -1e12
    high: float = 1e12

    def __call__(self, value: Any, where: str) -> Any:
        """Return the number, or refuse it."""
        if not self.low <= value <= self.high:
            wanted = f"Give a number from {self.low:g} to {self.high:g}."
            raise refuse(f"It is {shown(value)}.", where, wanted)
        return value


@dataclass(frozen=True)
class AtMost:
    """A text with a maximum length, or a list or mapping with a maximum number of items."""

    most: int

    def __call__(self, value: Any, where: str) -> Any:
        """Return the value, or refuse it."""
        if len(value) > self.most:
            noun = "characters" if isinstance(value, str) else "items"
            raise refuse(f"It has {len(value):,} {noun}.", where, f"Give at most {self.most:,}.")
        return value


@dataclass(frozen=True)
class Matching:
    """A text that matches a pattern, with a description for messages."""

    pattern: str
    wanted: str

    def __call__(self, value: Any, where: str) -> Any:
        """Return the text, or refuse it."""
        if not re.fullmatch(self.pattern, value):
            raise refuse(f"It is {shown(value)}.", where, f"Give {self.wanted}.")
        return value


@dataclass(frozen=True)
class OneOf:
    """One of several words."""

    words: tuple[str, ...]

    def __call__(self, value: Any, where: str) -> Any:
        """Return the word, or refuse it."""
        if value not in self.words:
            wanted = f"Give one of: {', '.join(self.words)}."
            raise refuse(f"There is no {shown(value)}.", where, wanted)
        return value


def number(value: Any, where: str, *, infinite: bool = False) -> float:
    """Return a number from JSON; "inf" and "-inf" if infinite numbers are allowed."""
    if infinite and value in ("inf", "-inf"):
        return float(value)
    if infinite and type(value) is float and abs(value) == inf:
        return value
    if type(value) is int and abs(value) <= 2**53:
        return value
    if type(value) is float and isfinite(value):
        return value
    raise refuse(f"It is {shown(value)}.", where, "Give a number.")


#: Name of a file, a column or a source.
Name: TypeAlias = Annotated[str, AtMost(200)]
