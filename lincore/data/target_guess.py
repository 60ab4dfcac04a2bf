"""Heuristic guess of the target column, with its reason and alternatives.

Every column that could hold classes is scored by its values, position and name, in this order of
importance: two values in the last column outweigh any name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lincore.data.frames import columns_named, count_present, first_texts, is_number
from lincore.data.labels import MAX_PROPOSED_CLASSES, is_quantity
from lincore.errors import DataError, Notice

if TYPE_CHECKING:
    import pandas as pd

#: Names that mean "target", and names that may also mean other things.
SURE_WORDS = frozenset(
    ("class", "label", "target", "y", "species", "outcome", "diagnosis", "survived", "churn")
    + ("attrition", "fraud", "spam", "sentiment", "genre")
)
DOUBTFUL_WORDS = frozenset(("default", "category", "type", "response"))
# Binary flags that describe a row, in any position.
_TRAITS = frozenset(("sex", "gender", "male", "female", "geschlecht", "sexe"))
# Points, chosen so that the tables of tests/common/test_real_tables.py and the cases of
# tests/lincore/data/test_target_guess.py are guessed as a person would.
_SURE_NAME, _SURE_TOKEN, _DOUBTFUL_NAME = 3.0, 2.5, 1.75
_LAST, _FIRST, _IS_TEXT = 2.25, 0.25, 0.5
_FLAG, _FEW, _SEVERAL, _NAMES = 2.75, 1.0, 0.5, -1.5
# The only text column among numbers is unlikely to be a feature.
_ONLY_TEXT = 3.5
# With a margin of this much or less the guess is uncertain.
_CLOSE = 1.0
# Numbers with more distinct values are counts rather than class codes.
_FEW_NUMBERS = 20
# Texts with more than a few values are classes if each has several rows, otherwise names.
_MOST_CLASSES = 200
_ROWS_OF_A_CLASS = 5
_NUMBERED_NAME = re.compile(r"[A-Za-z]{1,12}[\s_.:#-]?\d{1,6}")
_MOST_RUNNERS_UP = 3
_FEW_CLASSES = 10
# With thousands of columns only this many from either end and all texts are examined.
_EXAMINED = 100


class TargetGuess(NamedTuple):
    """The column proposed as the target.

    Attributes
    ----------
    column : str
    by_name : bool
        Whether its name decided: position and values alone would favour another column.
    runners_up : tuple of str
        The next best columns, at most three, those with few classes first.
    rival : str
        A column that is nearly as likely, or more likely apart from its name. Empty if the guess is
        clear.
    """

    column: str
    by_name: bool
    runners_up: tuple[str, ...] = ()
    rival: str = ""

    @property
    def reason(self) -> str:
        """The reason for the guess, as the end of a sentence."""
        return "by its name alone" if self.by_name else "by its position and its few values"

    @property
    def question(self) -> str:
        """The guess as a question, if there is a rival.

        Examples
        --------
        >>> TargetGuess("kind", True, ("sex",), "port").question
        "Target 'kind': guessed by its name alone. Or is it 'port'?"
        """
        return f"Target {self.column!r}: guessed {self.reason}. Or is it {self.rival!r}?"

    @property
    def notice(self) -> Notice:
        """The guess in words.

        Examples
        --------
        >>> print(TargetGuess("kind", False, ("sex", "port")).notice)
        column 'kind': Guessed to be the target, by its position and its few values. If it is \
another column, such as 'sex' or 'port', choose that one.
        """
        others = " or ".join(map(repr, self.runners_up))
        remedy = f"If it is another column, such as {others}, choose that one." if others else ""
        where = f"column {self.column!r}"
        return Notice(f"Guessed to be the target, {self.reason}.", where, remedy, "LIN054")


class _Candidate(NamedTuple):
    """A column that could hold classes."""

    name: str
    is_text: bool
    n_classes: int
    is_name_like: bool
    name_points: float

    @property
    def is_flag(self) -> bool:
        return self.n_classes == 2 and self.name.strip().casefold() not in _TRAITS


def guess_target(frame: pd.DataFrame) -> TargetGuess | None:
    """Guess the column that holds the classes, by values, place and name."""
    columns = _examined_columns(frame)
    candidates = _candidates(frame, columns)
    if not candidates and len(columns) < frame.shape[1]:
        candidates = _candidates(frame, [*map(str, frame)])
    if not candidates:
        return None
    plain = _points_by_name(frame, candidates)
    full = {c.name: plain[c.name] + c.name_points for c in candidates}
    # In case of ties, the column with fewer classes.
    ranked = sorted(candidates, key=lambda c: (-full[c.name], c.n_classes))
    best, others = ranked[0], ranked[1:]
    likeliest = max(candidates, key=lambda c: plain[c.name])
    by_name = plain[best.name] < plain[likeliest.name]
    rival = ""
    if by_name:
        rival = likeliest.name
    elif others and full[best.name] - full[others[0].name] <= _CLOSE:
        rival = others[0].name
    others.sort(key=lambda c: c.n_classes > _FEW_CLASSES)
    # Beside counts, only a sure name makes a target: the last column may be dose or sex.
    if best.name.casefold() not in SURE_WORDS and counted_outcome(frame, best.name):
        return None
    return TargetGuess(best.name, by_name, tuple(o.name for o in others)[:_MOST_RUNNERS_UP], rival)


def _examined_columns(frame: pd.DataFrame) -> Sequence[str]:
    columns: list[str] = list(frame.columns)
    if len(columns) <= 2 * _EXAMINED:
        return columns
    inner = columns[_EXAMINED:-_EXAMINED]
    telling = [name for name in inner if _name_points(name) or not is_number(frame[name])]
    return [*columns[:_EXAMINED], *telling, *columns[-_EXAMINED:]]


def _candidates(frame: pd.DataFrame, names: Sequence[str]) -> list[_Candidate]:
    return [c for name in names if (c := _candidate(frame[name])) is not None]


def _candidate(column: pd.Series[Any]) -> _Candidate | None:
    """Return a column that could hold classes: few repeated values, or a telling name."""
    # A column named exactly like a target needs no repeated values. Fractions are excluded.
    n_present, n_distinct = count_present(column)
    if n_distinct < 2:
        return None
    name, is_text = str(column.name), not is_number(column)
    points = _name_points(name)
    is_full = 2 * n_present >= len(column)  # otherwise most rows would be lost
    repeats = is_full and n_distinct <= min(MAX_PROPOSED_CLASSES, n_present / 2)
    several = n_present >= _ROWS_OF_A_CLASS * n_distinct
    many = is_full and is_text and several and n_distinct <= _MOST_CLASSES
    is_exact = name.strip().casefold() in SURE_WORDS | DOUBTFUL_WORDS
    if not (is_exact or repeats or many) or not (many or _is_label_like(column)):
        return None
    is_numbered = all(_NUMBERED_NAME.fullmatch(text.strip()) for text in first_texts(column, 50))
    name_like = is_text and n_distinct > _FEW_CLASSES and (not several or is_numbered)
    return _Candidate(name, is_text, n_distinct, name_like, points)


def _name_points(name: str) -> float:
    word = name.strip().casefold()
    if word in SURE_WORDS:
        return _SURE_NAME
    if word in DOUBTFUL_WORDS:
        return _DOUBTFUL_NAME
    tokens = re.split(r"[\W_]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).casefold())
    return _SURE_TOKEN if SURE_WORDS.intersection(tokens) - {"y"} else 0.0


def _points_by_name(frame: pd.DataFrame, candidates: Sequence[_Candidate]) -> dict[str, float]:
    """Return the points of each candidate for its values and its position."""
    n_flags = sum(c.is_flag for c in candidates)
    few = [c for c in candidates if c.n_classes <= MAX_PROPOSED_CLASSES]
    texts = [c.name for c in few if c.is_text and not c.is_name_like]
    last = _last_informative(frame)

    def value_points(candidate: _Candidate) -> float:
        many = _MOST_CLASSES if candidate.is_text else _FEW_NUMBERS
        if candidate.is_name_like or candidate.n_classes > many:
            return _NAMES
        if candidate.is_flag:  # one of many flags is not informative
            points = _FEW + _FLAG / sqrt(n_flags)
        elif candidate.n_classes <= _FEW_CLASSES:
            points = _FEW
        else:
            points = _SEVERAL
        is_only = texts == [candidate.name] and (candidate.n_classes > 2 or candidate.is_flag)
        return max(points, _ONLY_TEXT if is_only else points)

    return {
        c.name: value_points(c)
        + _IS_TEXT * c.is_text
        + _LAST * (c.name == last)
        + _FIRST * (c.name == frame.columns[0])
        for c in candidates
    }


def _last_informative(frame: pd.DataFrame) -> str | None:
    """Return the last column except free text, row names and constants."""
    for name in reversed(list(frame.columns)):
        n_present, n_distinct = count_present(frame[name])
        names_rows = not is_number(frame[name]) and 2 * n_distinct > n_present > _FEW_CLASSES
        if n_distinct > 1 and not names_rows:
            return str(name)
    return None


def _is_label_like(column: pd.Series[Any]) -> bool:
    """Return whether a column could hold classes: not too many values and no fractions."""
    if is_quantity(column):
        return False
    return not is_number(column) or bool((column.dropna() % 1 == 0).all())


# Tables of counts, such as successes and trials: their rows have no class.
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
    """Return the columns of successes and of totals or failures; None if there are none."""
    # Both contain counts, and no row has more successes than its total. Successes may have any name
    # if no column looks like classes, or if the one that does is a count out of a constant total.
    return _named_outcome(frame) or _part_of_total(frame, guess)


def _named_outcome(frame: pd.DataFrame) -> tuple[str, str] | None:
    successes = _counts_named(frame, _SUCCESSES)
    for success in successes:
        for total in _counts_named(frame, (*_TOTALS, *_FAILURES)):
            # A binary flag is the class of its row.
            if total == success or frame[success].max() <= 1:
                continue
            is_failure = _is_named(total, _FAILURES)
            if is_failure or bool((frame[success] <= frame[total]).all()):
                return success, total
    return None


def _part_of_total(frame: pd.DataFrame, guess: str | None) -> tuple[str, str] | None:
    for total in _counts_named(frame, _TRIALS):
        # If the total varies, the guess may be right: a grade next to a sum.
        is_constant = frame[total].nunique() == 1
        columns = [*frame] if guess in (None, total) else [guess] if is_constant else []
        for column in columns:
            values = frame[column]
            if column == total or not is_number(values) or not _are_counts(values):
                continue
            if values.max() > 1 and bool((values <= frame[total]).all()):
                return column, total
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


def _counts_named(frame: pd.DataFrame, words: Sequence[str]) -> list[str]:
    """Return the columns of counts that are named as such."""
    names = [str(name) for name in frame if _is_named(str(name), words)]
    return [name for name in names if is_number(frame[name]) and _are_counts(frame[name])]


def _is_named(name: str, words: Sequence[str]) -> bool:
    pattern = rf"{_COUNT_OF}(?:{'|'.join(words)})s?"
    return re.fullmatch(pattern, name.strip(), re.IGNORECASE) is not None


def _are_counts(column: pd.Series[Any]) -> bool:
    values = column.dropna().to_numpy(dtype=np.float64)
    return len(values) > 0 and bool(((values >= 0) & (values == np.floor(values))).all())
