"""Types of classifier options: choices, ranges, defaults and help."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

Kind: TypeAlias = Literal["choice", "number", "integer", "switch", "priors", "method"]


class Choice(NamedTuple):
    """One of the values of an option.

    Attributes
    ----------
    value : object
        Value passed to the classifier.
    label : str
    """

    value: Any
    label: str


class Option(NamedTuple):
    """One option of a classifier.

    Attributes
    ----------
    name : str
        Name of the classifier's parameter.
    label : str
    kind : str
        "choice" (one of `choices`); "number" and "integer" (from `low` to `high`, or one of
        `choices`, such as infinity); "switch"; "priors" (one of `choices`, or K probabilities);
        "method" (a short name from `lincore.model_selection.methods`).
    default : object
    help : str
        One line.
    main : bool
        Whether it matters to most users.
    choices : tuple of Choice
    low, high : float
        Bounds of the range, inclusive; `low` is exclusive with ``open_low``.
    open_low : bool
        Whether `low` itself is excluded.
    """

    name: str
    label: str
    kind: Kind
    default: Any
    help: str
    main: bool = False
    choices: tuple[Choice, ...] = ()
    low: float = -np.inf
    high: float = np.inf
    open_low: bool = False

    def allows(self, value: Any) -> bool:
        """Return whether a value is one of the choices, or a number within the range."""
        if any(value is choice.value or value == choice.value for choice in self.choices):
            return True
        if self.kind in ("choice", "priors", "method"):
            return False
        if self.kind == "switch":
            return isinstance(value, bool)
        whole = self.kind == "number" or (isinstance(value, int) and not isinstance(value, bool))
        above = value > self.low if self.open_low else value >= self.low
        return bool(whole and above and value <= self.high)
