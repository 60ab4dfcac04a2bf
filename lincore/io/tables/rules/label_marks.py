"""Labels that end in an identifier, such as "negative.|3733", are cut at a mark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from lincore.data.column_values import first_texts, is_number
from lincore.data.names import columns_named
from lincore.errors import DataError, Hint, Notice
from lincore.io.tables.text.column_assignment import require_columns, with_columns

# Thyroid files write negative.|3733 and, with "-" for healthy, -[840801013].
_LABELLED = re.compile(
    r"([^\W\d][^#:;/\[(]*?|-)(\W{0,2}[|#:;/]\W?|\s?[\[(]|[_-](?=\d{2,}$))"
    r"((?<=[\[(])\w*\d\w*(?=[\])])|(?<![\[(])\w*\d\w*)[\])]?"
)
_GLANCE, _JUDGED = 3, 500
_FEWEST = 10
_MOST_LABELS = 50


def marked_labels(frame: pd.DataFrame, names: Sequence[str], where: str) -> DataError | None:
    """Return the error for columns that would be classes if cut at a mark, or None."""
    for name in names:
        mark = None if is_number(frame[name]) else label_mark(frame[name])
        if mark is not None:
            found = mark_notice(frame[name], mark)
            hint = Hint(f"Cut {name!r} at {mark}", reading={"cut_at": {name: mark}})
            return DataError(
                found.what, where=f"{where}, {found.where}", remedy=found.remedy, remedies=(hint,)
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
    """Return the mark between label and identifier in all values of a column, if any.

    The labels must be few and recur, and the identifiers almost unique.
    """
    # A single mismatch avoids the full check of thousands of columns.
    if not all(_LABELLED.fullmatch(value) for value in first_texts(column, _GLANCE)):
        return None
    some = first_texts(column, _JUDGED)
    found = [_LABELLED.fullmatch(value) for value in some]
    if len(found) < _FEWEST or not all(found):
        return None
    parts = [match.groups() for match in found if match is not None]
    labels, marks, identifiers = (set(values) for values in zip(*parts, strict=True))
    few = 1 < len(labels) <= min(_MOST_LABELS, len(parts) / 5)
    if not few or len(marks) != 1 or len(identifiers) <= 0.9 * len(parts):
        return None
    (mark,) = marks
    # Labels are cut at their first mark.
    return None if any(mark in label for label in labels) else mark


def cut_labels(frame: pd.DataFrame, cut_at: Mapping[str, str] | None) -> pd.DataFrame:
    """Return the frame with the values of some columns cut before a mark."""
    if not cut_at:
        return frame
    require_columns(frame, cut_at, "cut_at")
    found = {
        name: frame[name].astype("str").str.partition(mark)[0].where(frame[name].notna())
        for name, mark in cut_at.items()
        if mark
    }
    return with_columns(frame, found)
