"""Tables of counts, such as successes and trials, are rejected: their rows have no class."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lincore.data.column_values import is_number
from lincore.data.names import columns_named
from lincore.errors import DataError

# fmt: off
_SUCCESSES = (
    "success", "successe", "event", "death", "dead", "died", "killed", "dying", "case", "positive",
    "hit", "affected", "infected", "cured", "survived", "survivor", "erfolg", "erfolge", "treffer",
    "gestorben", "succès", "réussite", "éxito", "exito",
)
_TOTALS = (
    "total", "trial", "n", "exposed", "number", "count", "sample", "size", "tested", "tried",
    "anzahl", "gesamt", "versuch", "versuche", "summe", "essai", "ensayo", "intento",
)
# The unambiguous ones.
_TRIALS = ("total", "trial", "n", "exposed", "tested", "versuch", "versuche", "essai", "ensayo")
_FAILURES = (
    "failure", "fail", "control", "negative", "alive", "survived", "misse", "noncase",
    "misserfolg", "misserfolge", "échec", "fracaso",
)
# fmt: on
_COUNT_OF = r"(?:(?:num|nb|no|nr|n)[\s_.]*(?:of[\s_.]*)?)?"


def counted_outcome(frame: pd.DataFrame, guess: str | None = None) -> tuple[str, str] | None:
    """Return the columns of successes and of totals or failures; None if there are none.

    Both contain counts, and no row has more successes than its total. Successes may have any name
    if no column looks like classes, or if the one that does is a count out of a constant total.
    """
    return _named_outcome(frame) or _part_of_total(frame, guess)


def _named_outcome(frame: pd.DataFrame) -> tuple[str, str] | None:
    successes = _called(frame, _SUCCESSES)
    for first in successes:
        for second in _called(frame, (*_TOTALS, *_FAILURES)):
            # A binary flag is the class of its row.
            if second == first or frame[first].max() <= 1:
                continue
            is_failure = _is_called(second, _FAILURES)
            if is_failure or bool((frame[first] <= frame[second]).all()):
                return first, second
    return None


def _part_of_total(frame: pd.DataFrame, guess: str | None) -> tuple[str, str] | None:
    for total in _called(frame, _TRIALS):
        # If the total varies, the guess may be right: a grade next to a sum.
        is_constant = frame[total].nunique() == 1
        parts = [*frame] if guess in (None, total) else [guess] if is_constant else []
        for part in parts:
            values = frame[part]
            if part == total or not is_number(values) or not _counts(values):
                continue
            if values.max() > 1 and bool((values <= frame[total]).all()):
                return part, total
    return None


def refuse_counted(frame: pd.DataFrame, target: str | None, name: str) -> None:
    """Reject a table of counts without a target, or with one of the counts as target."""
    pair = counted_outcome(frame) if target is None else _named_outcome(frame)
    if pair is None or target not in (None, *pair):
        return
    raise DataError(
        f"These are binomial counts: each row has counts of {pair[0]!r} and {pair[1]!r}, but no "
        f"class.",
        where=f"{name}, {columns_named(pair)}",
        remedy="Write one row per case with its outcome as class, or name the target column.",
    )


def _called(frame: pd.DataFrame, words: Sequence[str]) -> list[str]:
    """Return the columns of counts that are named as such."""
    names = [str(name) for name in frame if _is_called(str(name), words)]
    return [name for name in names if is_number(frame[name]) and _counts(frame[name])]


def _is_called(name: str, words: Sequence[str]) -> bool:
    pattern = rf"{_COUNT_OF}(?:{'|'.join(words)})s?"
    return re.fullmatch(pattern, name.strip(), re.IGNORECASE) is not None


def _counts(column: pd.Series[Any]) -> bool:
    values = column.dropna().to_numpy(dtype=np.float64)
    return len(values) > 0 and bool(((values >= 0) & (values == np.floor(values))).all())
