"""What is suspicious about the chosen columns of a table, each with what could be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.errors import Notice, Remedy
from lincore.files.columns import REASONS, Column
from lincore.files.labels import is_number
from lincore.files.leakage import LEAKS, may_leak, share_by_level, share_by_order
from lincore.files.missing import suspicious_number
from lincore.files.misspelt import is_slip
from lincore.files.repeated_ids import RepeatedId, repeated_ids

if TYPE_CHECKING:
    from lincore.tables import Table

_ENOUGH_ROWS = 50
_MOST_CLASSES = 200
# A class of at most this share of another one's rows may be that one, misspelt.
_RARE_SLIP = 0.15
# Words: names of people and things have fewer.
_LONG_TEXT = 6
_SOME_TEXTS = 500
# Where no column has more values, as in a questionnaire, rows may be alike by chance.
_FEW_ANSWERS = 10


@dataclass(frozen=True)
class Finding:
    """Something suspicious, and what could be done about it at one click."""

    notice: Notice
    remedies: tuple[Remedy, ...] = ()


def find_problems(table: Table, columns: Sequence[Column]) -> tuple[Finding, ...]:
    r"""Look for what makes a comparison of classifiers meaningless, or merely worse.

    Parameters
    ----------
    table : Table
    columns : sequence of Column
        As from `describe_columns`, with the roles as they were chosen.

    Returns
    -------
    tuple of Finding
        Identifiers, constants and columns that give the classes away among the features, numbers

    Examples
    --------
    >>> from lincore.files.columns import describe_columns
    >>> from lincore.tables import read_table
    >>> table = read_table(b"u,class\n1.5,a\n2.5,b\n2.5,b\n", "made.csv")
    >>> for finding in find_problems(table, describe_columns(table)):
    ...     print(finding.notice, [remedy.label for remedy in finding.remedies])
    class a: A single row can be trained on but never tested. Leave it out or merge it. [...]
    made.csv: 1 row repeats another one in every feature and the class. ...
    """
    features = [column for column in columns if column.role in ("feature", "text")]
    found: list[Finding | None]
    found = [_posing(column) for column in features if column.kind in ("identifier", "constant")]
    values = {column.name: table.frame[column.name] for column in features}
    found += [_unread(table.frame[c.name], c) for c in columns if c.role == "ignore"]
    found += [_belonging(one) for one in repeated_ids(table.frame, columns)]
    found += [_zeros(values[c.name], c) for c in features if c.kind == "number"]
    target = next((column.name for column in columns if column.role == "target"), None)
    if target is not None:
        known = table.frame[target].notna().to_numpy(bool)
        labels = table.frame.loc[known, target]
        codes = pd.factorize(labels)[0]
        found += [_giving_away(values[c.name], known, codes, c) for c in features]
        used = [column for column in columns if column.role in ("feature", "text", "target")]
        found += [_spellings(labels), _slips(labels), _lone_classes(labels), _repeats(table, used)]
    return tuple(finding for finding in found if finding is not None)


def _posing(column: Column) -> Finding:
    notice = Notice(
        f"It is used as a feature, but {REASONS[column.kind]}.",
        f"column {column.name!r}",
        "Ignore it.",
    )
    return Finding(notice, (_ignore(column),))


def _ignore(column: Column) -> Remedy:
    return Remedy(f"Ignore {column.name!r}", roles={column.name: "ignore"})


def _unread(values: pd.Series[Any], column: Column) -> Finding | None:
    """Tell whether a column that is ignored holds texts of some length in nearly every row."""
    if column.kind != "text" or len(values) < _ENOUGH_ROWS or column.n_missing > len(values) / 10:
        return None
    some = values.dropna().iloc[:_SOME_TEXTS]
    n_words = sum(len(str(text).split()) for text in some) / len(some)
    if n_words < _LONG_TEXT:
        return None
    notice = Notice(
        f"It holds texts of {n_words:.0f} words on average, which no model sees.",
        f"column {column.name!r}",
        "Count their words beside the other features.",
    )
    return Finding(notice, (Remedy(f"Count the words of {column.name!r}", {column.name: "text"}),))


def _belonging(found: RepeatedId) -> Finding:
    """Propose to keep the rows of one subject together."""
    name = found.column
    notice = Notice(
        f"It seems to name {found.n_groups:,} subjects of several rows each: it {found.why}. With "
        "rows of one subject both in training and in test, scores are biased upwards.",
        f"column {name!r}",
        "Keep the rows of each together.",
    )
    together = Remedy(f"Keep the rows of one {name!r} together", {name: "group"})
    ignore = Remedy(f"Ignore {name!r}", roles={name: "ignore"})
    return Finding(notice, (together, ignore))


def _zeros(values: pd.Series[Any], column: Column) -> Finding | None:
    if not is_number(values):
        return None
    number = suspicious_number(values)
    if number is None:
        return None
    count = int((values == number).sum())
    notice = Notice(
        f"{number:g} stands in {count:,} rows, and no other value comes near it: it may mean that "
        "the value is missing.",
        f"column {column.name!r}",
        "If so, read it as missing.",
    )
    label = f"Read {number:g} in {column.name!r} as missing"
    return Finding(notice, (Remedy(label, reading={"missing_in": {column.name: (number,)}}),))


def _giving_away(
    values: pd.Series[Any], known: NDArray[np.bool_], codes: NDArray[np.intp], column: Column
) -> Finding | None:
    """Tell whether a column alone tells the class of nearly every row.

    `codes` are those of the rows whose class is known.
    """
    if column.role == "text" or not may_leak(codes):
        return None
    few = column.kind != "number" or column.n_distinct <= len(codes) / 10
    if few:
        share = share_by_level(values[known], codes)
    else:
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)[known]
        share = share_by_order(numbers, codes)
    if share < LEAKS:
        return None
    notice = Notice(
        f"It alone tells the class of {share:.1%} of the rows, as if it said the answer in other "
        "words.",
        f"column {column.name!r}",
        "Ignore it, unless it is known before the class is.",
    )
    return Finding(notice, (_ignore(column),))


def _spellings(labels: pd.Series[Any]) -> Finding | None:
    """Tell whether classes differ in nothing but capitals and blanks."""
    if is_number(labels):
        return None
    merged: dict[str, str] = {}
    commonest: dict[str, str] = {}
    # The most frequent first: it is the one that the others become.
    for label in map(str, labels.value_counts().index[:_MOST_CLASSES]):
        kept = commonest.setdefault(_folded(label), label)
        if label != kept:
            merged[label] = kept
    if not merged or len(commonest) < 2:
        return None
    same = ", ".join(f"{label!r} and {kept!r}" for label, kept in list(merged.items())[:5])
    notice = Notice(
        f"Classes that differ in capitals or blanks alone: {same}.",
        f"column {labels.name!r}",
        "Merge them if they mean the same.",
    )
    return Finding(notice, (Remedy("Merge the spellings", options={"merge_classes": merged}),))


def _slips(labels: pd.Series[Any]) -> Finding | None:
    """Tell whether rare classes differ from frequent ones by one slip of the pen."""
    if is_number(labels):
        return None
    counts = labels.map(str).map(_folded).value_counts()[: 2 * _MOST_CLASSES]
    meant: dict[str, str] = {}
    for rare, few in counts.items():
        common = (word for word, many in counts.items() if few <= _RARE_SLIP * many)
        near = next((word for word in common if is_slip(str(rare), str(word))), None)
        if near is not None:
            meant[str(rare)] = str(near)
    if not meant:
        return None
    spelled: dict[str, str] = {}
    for label in map(str, labels.value_counts().index):
        spelled.setdefault(_folded(label), label)
    merged = {
        label: spelled[meant[_folded(label)]]
        for label in map(str, labels.unique())
        if _folded(label) in meant
    }
    same = ", ".join(f"{label!r} for {kept!r}" for label, kept in list(merged.items())[:5])
    notice = Notice(
        f"Classes of few rows that may be slips of the pen: {same}.",
        f"column {labels.name!r}",
        "Merge them if they mean the same.",
    )
    return Finding(notice, (Remedy("Merge what is misspelt", options={"merge_classes": merged}),))


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()


def _lone_classes(labels: pd.Series[Any]) -> Finding | None:
    counts = labels.value_counts()
    lone = [str(label) for label in counts.index[counts == 1]]
    if not lone or len(lone) > 20 or len(counts) < 2:
        return None
    notice = Notice(
        "A single row can be trained on but never tested.",
        f"class {', '.join(lone)}",
        "Leave it out or merge it.",
    )
    drop = Remedy(f"Leave out {', '.join(lone)}", options={"drop_classes": tuple(lone)})
    if len(lone) == 1:
        nearest = str(counts.index[counts > 1][-1]) if (counts > 1).any() else ""
        merged = {lone[0]: nearest}
        merge = Remedy(f"Merge {lone[0]} with {nearest}", options={"merge_classes": merged})
        return Finding(notice, (drop, merge) if nearest and len(counts) > 2 else (drop,))
    merged = dict.fromkeys(lone, "other")
    return Finding(notice, (drop, Remedy("Merge them", options={"merge_classes": merged})))


def _repeats(table: Table, used: Sequence[Column]) -> Finding | None:
    # Rows that differ in one column are no copies, and thousands of columns take long to compare.
    n_rows = len(table.frame)
    if len(used) < 2 or any(c.n_distinct == n_rows for c in used):
        return None
    frame = table.frame[[column.name for column in used]]
    count = int(frame.duplicated().sum())
    few = n_rows >= _ENOUGH_ROWS and max(c.n_distinct for c in used) <= _FEW_ANSWERS
    if not count or (few and count <= _repeats_by_chance(frame, count)):
        return None
    said = "1 row repeats another one" if count == 1 else f"{count:,} rows repeat another one"
    notice = Notice(
        f"{said} in every feature and the class.",
        table.name,
        "If they are copies, keep one of each: in training and in test they flatter every model.",
    )
    return Finding(notice, (Remedy("Keep one of each", options={"drop_duplicates": True}),))


def _repeats_by_chance(frame: pd.DataFrame, enough: int) -> float:
    """Return how many pairs of rows would be alike if the columns had nothing to do with another.

    Below `enough` they are no longer counted.
    """
    pairs = len(frame) * (len(frame) - 1) / 2
    for name in frame:
        shares = frame[name].value_counts(normalize=True, dropna=False).to_numpy()
        pairs *= float((shares**2).sum())
        if pairs < enough:
            break
    return pairs
