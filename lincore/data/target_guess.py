"""Heuristic choice of the target column, with its reason and alternatives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from lincore.data.labels import (
    MAX_PROPOSED_CLASSES,
    count_present,
    is_number,
    is_quantity,
)
from lincore.errors import Notice

if TYPE_CHECKING:
    import pandas as pd

# fmt: off
TARGET_WORDS = (
    "class", "label", "target", "species", "outcome", "diagnosis", "response", "survived",
    "churn", "default", "category", "type", "y", "attrition", "fraud", "spam", "sentiment", "genre",
)
# fmt: on
# Words that say "target" also inside a longer name.
_TARGET_TOKENS = frozenset((*TARGET_WORDS[:6], *TARGET_WORDS[-5:]))
# Flags of two values that describe a row, whatever place they have.
_TRAITS = frozenset(("sex", "gender", "male", "female", "geschlecht", "sexe"))
# Numbers of more different values count something, rather than name a class.
_FEW_NUMBERS = 20
# Texts of more than a few values are classes where each has several rows.
_MOST_CLASSES = 200
_ROWS_OF_A_CLASS = 5
_MOST_RUNNERS_UP = 3
_FEW_CLASSES = 10
# Of thousands of columns a few are looked at for the next best.
_LOOKED_AT = 100


class TargetGuess(NamedTuple):
    """The column proposed as the target.

    Attributes
    ----------
    column : str
    by_name : bool
        Whether its name says that it holds classes; else its place and its values alone do.
    runners_up : tuple of str
        The next best columns, at most three, the best one first.
    """

    column: str
    by_name: bool
    runners_up: tuple[str, ...] = ()

    @property
    def notice(self) -> Notice:
        """The guess in words.

        Examples
        --------
        >>> print(TargetGuess("kind", False, ("sex", "port")).notice)
        column 'kind': Guessed to be the target, by its place and its few values. If it is \
another column, such as 'sex' or 'port', choose that.
        """
        why = "by its name" if self.by_name else "by its place and its few values"
        others = " or ".join(map(repr, self.runners_up))
        remedy = f"If it is another column, such as {others}, choose that." if others else ""
        where = f"column {self.column!r}"
        return Notice(f"Guessed to be the target, {why}.", where, remedy, "LIN054")


def guess_target(frame: pd.DataFrame) -> TargetGuess | None:
    """Guess the column that holds the classes: first by its name, then by place and content.

    Examples
    --------
    >>> import pandas as pd
    >>> guess_target(pd.DataFrame({"u": [1, 1, 2, 2], "kind": list("abab")}))
    TargetGuess(column='kind', by_name=False, runners_up=('u',))
    """
    named = list(dict.fromkeys(_by_name(frame)))
    columns = list(frame.columns)
    few = list(dict.fromkeys([*columns[:_LOOKED_AT], *columns[-1:]]))
    best = named[0] if named else next(_by_place(frame), None)
    if best is None:
        return None
    # What names forty subjects is less likely the target than a yes or no.
    likely, others = list[str](), list[str]()
    for name in chain(named, _by_place(frame[few])):
        if name != best and name not in likely and name not in others:
            is_likely = count_present(frame[name])[1] <= _FEW_CLASSES
            (likely if is_likely else others).append(name)
        if len(likely) == _MOST_RUNNERS_UP:
            break
    return TargetGuess(best, bool(named), (*likely, *others)[:_MOST_RUNNERS_UP])


def _by_name(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the columns that are called as classes are, the surest name first."""
    columns: list[str] = list(frame.columns)
    for word in TARGET_WORDS:
        for column in columns:
            if column.strip().casefold() == word and _is_label_like(frame[column]):
                yield column
    for column in columns:
        tokens = re.split(r"[\W_]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", column).casefold())
        if _TARGET_TOKENS.intersection(tokens) and (
            _is_repeating(frame[column]) or _is_of_many_classes(frame[column])
        ):
            yield column


def _by_place(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the columns that repeat few values: the last, the first, then the others."""
    columns: list[str] = list(frame.columns)
    last, found = columns[-1], _repeating(frame)
    first = next(found, None)
    if first is None:
        yield from [last] if _is_of_many_classes(frame[last]) else []
        return
    if first == last and _is_count(frame[last], 2) and not _is_count(frame[last], _FEW_NUMBERS):
        # The only flag of 0 and 1, in front: the classes, rather than a count at the end.
        plain = [n for n in _repeating(frame) if not _is_count(frame[n], _FEW_NUMBERS)]
        flags = [name for name in plain if count_present(frame[name])[1] == 2]
        leading = next(name for name in columns if not is_quantity(frame[name]))
        named = leading.strip().casefold() in _TRAITS
        if flags == [leading] and is_number(frame[leading]) and not named:
            yield leading
    yield first
    yield from found


def _repeating(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the columns that repeat few values, the last before the first; counts behind them."""
    columns: list[str] = list(frame.columns)
    counts = []
    for name in columns[-1:] + columns[:-1]:
        if _is_repeating(frame[name]):
            if _is_count(frame[name], _FEW_NUMBERS):
                counts.append(name)
            else:
                yield name
    yield from counts


def _is_label_like(column: pd.Series[Any]) -> bool:
    """Tell whether a column could hold classes: some distinct values, none with a fraction."""
    if count_present(column)[1] < 2 or is_quantity(column):
        return False
    return not is_number(column) or bool((column.dropna() % 1 == 0).all())


def _is_repeating(column: pd.Series[Any]) -> bool:
    """Tell whether a column looks like classes whatever its name: few values, repeated."""
    n_present, n_distinct = count_present(column)
    # A column that is mostly empty would take most rows with it.
    if 2 * n_present < len(column):
        return False
    few = n_distinct <= min(MAX_PROPOSED_CLASSES, n_present / 2)
    return few and _is_label_like(column)


def _is_count(column: pd.Series[Any], most: int) -> bool:
    """Tell whether a column holds numbers, more different ones than so many."""
    return is_number(column) and count_present(column)[1] > most


def _is_of_many_classes(column: pd.Series[Any]) -> bool:
    """Tell whether a column of text has up to some hundred values, each of several rows."""
    if is_number(column):
        return False
    n_present, n_distinct = count_present(column)
    enough = n_present >= _ROWS_OF_A_CLASS * n_distinct and 2 * n_present >= len(column)
    return 2 <= n_distinct <= _MOST_CLASSES and enough
