"""Surplus and missing fields of a line, identified by the values of its columns elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from heapq import nlargest
from itertools import accumulate
from math import log
from operator import itemgetter
from typing import Any, NamedTuple

from lincore.io.tables.text.fields import kind_of

_MOST_SURPLUS = 3
_FEWEST_ROWS = 3
# Maximum number of distinct numeric levels: with more, numbers are measurements.
_FEW_NUMBERS = 2
_DIGIT, _LETTERS, _FORM_CHARS = re.compile(r"\d"), re.compile(r"[^\W\d_]+"), 40
# The best must be e² ≈ 7 times as likely as the next.
_CLEAR = 2.0
# A field split by a separator inside it is rarer than a surplus blank.
_SPLIT_PENALTY = log(0.1)
# Weights of form and value relative to the kind.
_FORM_WEIGHT, _WEIGHT = 0.5, 0.25


class Profile(NamedTuple):
    """Counts of kinds, forms and values in each column of the lines that fit."""

    kinds: list[Counter[str]]
    forms: list[Counter[str]]
    values: list[Counter[str]]
    n_rows: int

    def score(self, field: str, column: int) -> float:
        """Return the log probability of the field in a column."""
        likely = (self.kinds[column][kind_of(field)] + 0.05) / (self.n_rows + 0.5)
        form = (self.forms[column][form_of(field)] + 0.5) / (self.n_rows + 1)
        known = (self.values[column][field] + 1) / (self.n_rows + 1)
        return log(likely) + _FORM_WEIGHT * log(form) + _WEIGHT * log(known)

    def is_parted(self, upper: str, lower: str, column: int) -> bool:
        """Return whether two texts joined are a usual value and the lower one alone is not."""
        # The row of the lower part may be among the counted ones.
        whole, values, forms = upper + lower, self.values[column], self.forms[column]
        if values[lower] > 1 or forms[form_of(lower)] > 1 + values[whole]:
            return False
        return values[whole] > 0 or forms[form_of(whole)] > 1

    @property
    def recurs(self) -> list[bool]:
        """Whether the values of each column recur like levels."""
        return [
            len(values) <= max(_FEW_NUMBERS, self.n_rows / 10)
            if kinds["number"]
            else 2 * len(values) <= self.n_rows
            for values, kinds in zip(self.values, self.kinds, strict=True)
        ]

    def is_new_level(self, field: str, column: int) -> bool:
        """Return whether a text matches neither form nor values of a column of levels."""
        is_known = self.values[column][field] or self.forms[column][form_of(field)]
        return self.n_rows >= _FEWEST_ROWS and self.recurs[column] and not is_known

    def n_odd(self, fields: Sequence[str]) -> int:
        """Count the fields with a kind or level that does not occur elsewhere in their columns."""
        recurs = self.recurs
        return sum(
            bool(field)
            and (not self.is_usual(field, i) or (recurs[i] and not self.values[i][field]))
            for i, field in enumerate(fields)
        )

    def ends_early(self, fields: Sequence[str]) -> bool:
        """Return whether all fields except the last form a row and the last fits no column."""
        # Removing any other field must fit worse, so that no column can be shifted.
        width = len(self.kinds)
        if self.n_rows < _FEWEST_ROWS or len(fields) != width + 1:
            return False
        if not all(self.is_usual(field, i) for i, field in enumerate(fields[:width]) if field):
            return False
        n_odd = self.n_odd(fields[:width])
        others = [self.n_odd([*fields[:j], *fields[j + 1 :]]) for j in range(width)]
        # A level that is new only on such lines: then a word follows it too.
        is_tie = 0 < n_odd <= 1 and kind_of(fields[-1]) == "word"
        return n_odd < min(others) or (is_tie and n_odd == min(others))

    def is_usual(self, field: str, column: int) -> bool:
        """Return whether such a value occurs elsewhere in a column."""
        return self.kinds[column][kind_of(field)] > 0


def profile_of(rows: Sequence[Sequence[str]], width: int) -> Profile:
    """Count kinds and values of the columns in rows with the right number of fields."""
    fitting = [row for row in rows if len(row) == width]
    columns: list[Any] = list(zip(*fitting, strict=True)) or [()] * width
    kinds = [Counter[str](map(kind_of, column)) for column in columns]
    forms = [Counter[str](map(form_of, column)) for column in columns]
    return Profile(kinds, forms, [Counter[str](column) for column in columns], len(fitting))


def form_of(field: str) -> str:
    """Return the form of a field: digits as 9, runs of letters as a, no quotation marks."""
    return _LETTERS.sub("a", _DIGIT.sub("9", field[:_FORM_CHARS].replace('"', "")))


def remove_surplus(fields: Sequence[str], profile: Profile, separator: str) -> list[str] | None:
    """Return the right number of fields, if one way to do so is clearly the best."""
    # A blank field is removed, or two neighbours are one text that contains the separator. The two
    # most likely ways are tracked from the first field to the last.
    width = len(profile.kinds)
    surplus = len(fields) - width
    if profile.n_rows < _FEWEST_ROWS - 1 or not 0 < surplus <= _MOST_SURPLUS:
        return None
    # Two rows are enough to identify a surplus blank, but not what belongs together.
    may_join = profile.n_rows >= _FEWEST_ROWS
    # By the number of removed fields and whether a blank was kept last: from a run of blanks the
    # first ones are removed, so that no two ways give the same row. Each is a log probability and
    # the linked fields.
    score_of = itemgetter(0)
    parts: list[dict[tuple[int, bool], list[tuple[float, Any]]]]
    parts = [{} for _ in range(len(fields) + 1)]
    parts[0][0, False] = [(0.0, None)]
    for i, field in enumerate(fields):
        for (gone, after_blank), alignments in parts[i].items():
            column = i - gone
            moves: list[tuple[int, int, bool, str | None, float]]
            moves = [(1, gone, not field, field, 0.0)] if column < width else []
            if gone < surplus and not field and not after_blank:
                moves.append((1, gone + 1, False, None, 0.0))
            together = may_join and i + 1 < len(fields) and field and fields[i + 1]
            if gone < surplus and together and column < width:
                joined = field + separator + fields[i + 1]
                # Two words are never joined without the separator.
                is_word = not separator and kind_of(joined) == "word"
                if not is_word and not profile.is_new_level(joined, column):
                    moves.append((2, gone + 1, False, joined, _SPLIT_PENALTY))
            for step, less, blank, text, price in moves:
                gain = price + (profile.score(text, column) if text is not None else 0.0)
                longer = [(a + gain, b if text is None else (b, text)) for a, b in alignments]
                known = parts[i + step].setdefault((less, blank), [])
                known[:] = nlargest(2, [*known, *longer], key=score_of)
    complete = [a for (gone, _), some in parts[-1].items() if gone == surplus for a in some]
    best = nlargest(2, complete, key=score_of)
    if not best or (len(best) > 1 and best[0][0] - best[1][0] < _CLEAR):
        return None
    texts, rest = list[str](), best[0][1]
    while rest is not None:
        rest, text = rest
        texts.append(text)
    texts.reverse()
    usual = all(profile.is_usual(field, i) for i, field in enumerate(texts) if field)
    return texts if usual else None


def fill_up(fields: Sequence[str], profile: Profile) -> list[str]:
    """Fill a line up to the number of columns: at the end, or where the gap clearly is."""
    filled, width = list(fields), len(profile.kinds)
    is_judged = profile.n_rows >= _FEWEST_ROWS and width - len(fields) <= _MOST_SURPLUS
    while len(filled) < width:
        gap = len(filled)
        if is_judged:
            unmoved = [profile.score(field, i) for i, field in enumerate(filled)]
            later = [profile.score(field, i + 1) for i, field in enumerate(filled)]
            blank = [profile.score("", i) for i in range(len(filled) + 1)]
            before, behind = [0.0, *accumulate(unmoved)], [0.0, *accumulate(reversed(later))][::-1]
            scores = [a + b + c for a, b, c in zip(before, blank, behind, strict=True)]
            best = max(range(len(scores)), key=lambda i: scores[i])
            gap = best if scores[best] - scores[-1] >= _CLEAR else gap
        filled.insert(gap, "")
    return filled
