"""Changes of columns on request, and where they are proposed.

Values become missing, labels that end in an identifier are cut at a mark ("negative.|3733"), and
the levels of a scale (low, medium, high) become numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lincore.data.frames import columns_named, first_texts, is_number, present_numbers, with_columns
from lincore.errors import DataError, Hint, Notice, not_among

SENTINELS = (-1, -9, -99, -200, -999, -9999, -99999, 99, 999, 9999, 99999)
_FEW_DISTINCT = 10
_FEWEST_DISTINCT = 4
# If it is the only negative value, such a number is not a measurement.
_BELOW_ZERO = -99

# Thyroid files write negative.|3733 and, with "-" for healthy, -[840801013].
_LABELLED = re.compile(
    r"([^\W\d][^#:;/\[(]*?|-)(\W{0,2}[|#:;/]\W?|\s?[\[(]|[_-](?=\d{2,}$))"
    r"((?<=[\[(])\w*\d\w*(?=[\])])|(?<![\[(])\w*\d\w*)[\])]?"
)
_GLANCE, _JUDGED = 3, 500
_FEWEST_MARKED = 10
_MOST_LABELS = 50

# Questionnaire scales: each from lowest to highest, with synonyms after "=".
# fmt: off
_SCALES = tuple(
    tuple(level.split("=") for level in scale.split(" < "))
    for scale in (
        "strongly disagree=disagree strongly=completely disagree=totally disagree < disagree"
        "=somewhat disagree < slightly disagree < neutral=neither agree nor disagree=undecided"
        "=neither < slightly agree < agree=somewhat agree < strongly agree=agree strongly"
        "=completely agree=totally agree",
        "very dissatisfied < dissatisfied=unsatisfied < neutral=neither satisfied nor dissatisfied"
        " < satisfied < very satisfied",
        "very unlikely < unlikely < neutral < likely < very likely",
        "very unimportant=not at all important=not important < unimportant=slightly important"
        " < neutral=moderately important < important < very important < extremely important",
        "never < rarely=seldom < sometimes=occasionally < often=frequently < very often"
        " < always",
        "very low < low < medium=moderate=middle < high < very high",
        "very bad=very poor < bad=poor < fair=average=neutral < good < very good < excellent",
        "not at all=none < slightly=a little=a little bit=mild < somewhat=moderately=moderate"
        " < very=quite a bit=very much=severe < extremely=a lot",
        "very small < small < medium < large=big < very large",
        "stimme überhaupt nicht zu=stimme gar nicht zu=trifft nicht zu < stimme nicht zu"
        "=stimme eher nicht zu=trifft eher nicht zu < neutral=weder noch=teils/teils=teils teils"
        " < stimme eher zu=trifft eher zu=stimme zu < stimme voll zu=stimme voll und ganz zu"
        "=trifft zu",
        "nie=niemals < selten < manchmal=gelegentlich < oft=häufig < immer",
        "sehr schlecht < schlecht < mittel=mittelmäßig < gut < sehr gut",
        "sehr niedrig < niedrig=gering < mittel < hoch < sehr hoch",
        "jamais < rarement < parfois=quelquefois < souvent < toujours",
        "pas du tout d'accord < pas d'accord < neutre=ni d'accord ni pas d'accord < d'accord"
        " < tout à fait d'accord",
        "nunca < raramente=rara vez < a veces < a menudo=frecuentemente < siempre",
        "bajo < medio < alto",
    )
)
# fmt: on
_FEWEST_LEVELS = 3


def mark_missing(
    frame: pd.DataFrame, missing_in: Mapping[str, Sequence[str | float]]
) -> pd.DataFrame:
    """Return the frame with some values of some columns made missing."""
    _require_columns(frame, missing_in, "missing_in")
    marked = {}
    for name, values in missing_in.items():
        column, codes = frame[name], pd.Series([str(value) for value in values])
        if pd.api.types.is_numeric_dtype(column):
            column = column.astype("float64")
            codes = pd.to_numeric(pd.Series(list(values)), errors="coerce").dropna()
        marked[name] = column.mask(column.isin(codes))
    return with_columns(frame, marked)


def missing_codes(frame: pd.DataFrame, names: Sequence[str]) -> dict[float, list[str]]:
    """Find numbers that may be missing-value codes, with their columns."""
    # A conspicuous code in one column is proposed for all columns of which it is the smallest or
    # largest value; a zero only for columns in which it is conspicuous.
    columns_of: dict[float, list[str]] = {}
    for name in names:
        number = suspicious_number(frame[name])
        if number is not None:
            columns_of.setdefault(number, []).append(name)
    for code in columns_of:
        if code:
            columns_of[code] = [name for name in names if _is_extreme(frame[name], code)]
    return columns_of


def _is_extreme(column: pd.Series[Any], code: float) -> bool:
    values = present_numbers(column).astype(np.float64)
    end = values.min(initial=np.inf) if code < 0 else values.max(initial=-np.inf)
    return bool(end == code) and bool((values != code).any())


def suspicious_number(column: pd.Series[Any]) -> float | None:
    """Return a zero or a sentinel far from the others, which may code a missing value."""
    # A zero is suspicious if it is frequent and the next value is several usual steps away, such as
    # a blood pressure of 0; -999 and the like if they are far outside the range of all others, or
    # are the only negative value.
    values = present_numbers(column).astype(np.float64)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) < _FEWEST_DISTINCT:
        return None
    for at, rest in ((0, distinct[1:]), (-1, distinct[:-1])):
        extreme, repeated = float(distinct[at]), counts[at] > 1
        span, gap = rest[-1] - rest[0], min(abs(extreme - rest[0]), abs(extreme - rest[-1]))
        # With few distinct values, as in a scale from 1 to 5, a code must be extremely far away.
        steps = 0.5 if len(distinct) > _FEW_DISTINCT else 10
        is_far = gap > steps * max(span, 1e-300) or (extreme <= _BELOW_ZERO and rest[0] >= 0)
        if extreme in SENTINELS and repeated and is_far:
            return extreme
    if distinct[0] != 0 or len(distinct) <= _FEW_DISTINCT:
        return None
    others = values[values > 0]
    is_frequent = 0.005 * len(values) <= counts[0] <= 0.6 * len(values)
    is_far = distinct[1] > max(0.1 * np.median(others), 4 * np.median(np.diff(distinct[1:])))
    return 0.0 if is_frequent and is_far else None


def marked_labels(frame: pd.DataFrame, names: Sequence[str], where: str) -> DataError | None:
    """Return the error for columns that would be classes if cut at a mark, or None."""
    for name in names:
        mark = None if is_number(frame[name]) else label_mark(frame[name])
        if mark is not None:
            notice = mark_notice(frame[name], mark)
            hint = Hint(f"Cut {name!r} at {mark}", reading={"cut_at": {name: mark}})
            return DataError(
                notice.what,
                where=f"{where}, {notice.where}",
                remedy=notice.remedy,
                remedies=(hint,),
            )
    return None


def mark_notice(column: pd.Series[Any], mark: str) -> Notice:
    """Report that a column's labels end in identifiers."""
    example = str(column.dropna().iloc[0])
    return Notice(
        f"Each label ends in an identifier, as in {example[:40]!r}.",
        columns_named([str(column.name)]),
        f"Cut it at {mark!r}: {example.partition(mark)[0][:40]!r} remains.",
        code="LIN062",
    )


def label_mark(column: pd.Series[Any]) -> str | None:
    """Return the mark between label and identifier in all values of a column, if any."""
    # The labels must be few and recur, and the identifiers almost unique.
    # A single mismatch avoids the full check of thousands of columns.
    if not all(_LABELLED.fullmatch(value) for value in first_texts(column, _GLANCE)):
        return None
    some = first_texts(column, _JUDGED)
    matches = [_LABELLED.fullmatch(value) for value in some]
    if len(matches) < _FEWEST_MARKED or not all(matches):
        return None
    parts = [match.groups() for match in matches if match is not None]
    labels, marks, identifiers = (set(values) for values in zip(*parts, strict=True))
    few = 1 < len(labels) <= min(_MOST_LABELS, len(parts) / 5)
    if not few or len(marks) != 1 or len(identifiers) <= 0.9 * len(parts):
        return None
    (mark,) = marks
    # Labels are cut at their first mark.
    return None if any(mark in label for label in labels) else mark


def cut_labels(frame: pd.DataFrame, cut_at: Mapping[str, str]) -> pd.DataFrame:
    """Return the frame with the values of some columns cut before a mark."""
    _require_columns(frame, cut_at, "cut_at")
    cut = {
        name: frame[name].astype("str").str.partition(mark)[0].where(frame[name].notna())
        for name, mark in cut_at.items()
        if mark
    }
    return with_columns(frame, cut)


def find_order(levels: Iterable[str]) -> tuple[str, ...]:
    """Return levels in the order of their scale; empty if they match no scale."""
    known = {" ".join(level.casefold().split()): level for level in levels}
    if len(known) < _FEWEST_LEVELS:
        return ()
    for scale in _SCALES:
        rank = {word: i for i, words in enumerate(scale) for word in words}
        if known.keys() <= rank.keys() and len({rank[word] for word in known}) == len(known):
            return tuple(known[word] for word in sorted(known, key=rank.__getitem__))
    return ()


def with_ordered(frame: pd.DataFrame, ordered: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return the frame with the levels of some columns as numbers from 1, in the given order."""
    _require_columns(frame, ordered, "ordered")
    numbers = {
        name: frame[name].map({level: float(i) for i, level in enumerate(levels, 1)})
        for name, levels in ordered.items()
    }
    return with_columns(frame, numbers)


def _require_columns(frame: pd.DataFrame, names: Iterable[str], option: str) -> None:
    """Reject names of columns that the frame does not have."""
    for name in names:
        if name not in frame:
            where = f"option {option}, {name!r}"
            raise not_among("There is no such column.", where, frame.columns)
