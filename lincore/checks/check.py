"""The outcome of a check of data or model: statistics, verdict, sentence, remedy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

Verdict = Literal["fine", "note", "warning"]

# Rejections at this level count; Box's M and tests of normality are too keen at any other.
ALPHA = 0.001


@dataclass(frozen=True)
class Check:
    """What was looked at, what came out, and what it means for the choice of the model.

    Attributes
    ----------
    name : str
        "equal covariances", "normality", "conditioning", "rows per parameter", "separation",
        "copies across the split", "groups across the split".
    values : mapping of str to float
        The numbers behind the verdict.
    verdict : {"fine", "note", "warning"}
    sentence : str
        For the user.
    remedy : str
        What to do, or which model suits; empty when nothing need be done.
    """

    name: str
    values: Mapping[str, float]
    verdict: Verdict
    sentence: str
    remedy: str = ""


def chance(p_value: float) -> str:
    """Write a p-value for a sentence.

    Examples
    --------
    >>> chance(0.0421), chance(1e-9)
    ('p = 0.042', 'p < 0.001')
    """
    return f"p {p_text(p_value)}" if p_value < 0.001 else f"p = {p_text(p_value)}"


def p_text(p_value: float) -> str:
    """Write a p-value for a table; nothing where there is none.

    Examples
    --------
    >>> p_text(0.0421), p_text(1e-9), p_text(1.0), p_text(float("nan"))
    ('0.042', '< 0.001', '1.000', '')
    """
    if p_value != p_value:
        return ""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def class_names(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return labels as they stand in a sentence: numbers in quotation marks."""
    return tuple(label if isinstance(label, str) else f"“{label}”" for label in classes.tolist())
