"""The result of a check of data or model: statistics, verdict, sentence, remedy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from lincore.utils.formatting import quoted

Verdict = Literal["fine", "note", "warning"]

# Significance level, low because Box's M and tests of normality reject too easily.
ALPHA = 0.001


@dataclass(frozen=True)
class Check:
    """Result of a check: statistics, verdict, and consequences for the choice of a model.

    Attributes
    ----------
    name : str
        "equal covariances", "normality", "conditioning", "rows per parameter", "separation",
        "duplicates across the split", "groups across the split".
    values : mapping of str to float
        Statistics behind the verdict.
    verdict : {"fine", "note", "warning"}
    sentence : str
        The finding, for the user.
    remedy : str
        What to do, or a suitable model; empty if nothing needs to be done.
    """

    name: str
    values: Mapping[str, float]
    verdict: Verdict
    sentence: str
    remedy: str = ""


def class_names(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return labels in quotes."""
    return tuple(map(quoted, classes.tolist()))
