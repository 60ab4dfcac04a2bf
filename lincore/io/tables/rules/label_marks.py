"""Column rule: labels with an identifier behind them, such as "negative.|3733": cut at the mark."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from lincore.data.labels import first_texts
from lincore.io.tables.rules.protocol import Applied, Columns, require_columns
from lincore.io.tables.text.column_assignment import with_columns

_LABELLED = re.compile(r"([^\W\d][^|#:;/]*?)(\W{0,2}[|#:;/]\W?)(\w*\d\w*)")
_GLANCE, _JUDGED = 3, 500
_FEWEST = 20
_MOST_LABELS = 50


class CutLabels:
    """Cut the texts of those columns that the options name at their marks."""

    codes = ()

    def apply(self, columns: Columns) -> Applied | None:
        """Return the columns with their texts cut; see `cut_labels`."""
        asked = columns.options.cut_at
        frame = columns.frame
        return Applied(columns.with_frame(cut_labels(frame, asked))) if asked else None


def label_mark(column: pd.Series[Any]) -> str | None:
    """Return what stands between label and identifier in each value of a column, if it does.

    The labels must be few and recur, and the identifiers hardly do.

    Examples
    --------
    >>> label_mark(pd.Series([f"{'negative' if i % 3 else 'sick'}.|{i}" for i in range(60)]))
    '.|'
    >>> label_mark(pd.Series([f"room {i}" for i in range(60)])) is None
    True
    """
    # One that is none spares thousands of columns the whole.
    if not all(_LABELLED.fullmatch(value) for value in first_texts(column, _GLANCE)):
        return None
    some = first_texts(column, _JUDGED)
    found = [_LABELLED.fullmatch(value) for value in some]
    if len(found) < _FEWEST or not all(found):
        return None
    parts = [match.groups() for match in found if match is not None]
    labels, marks, identifiers = (set(values) for values in zip(*parts, strict=True))
    few = 1 < len(labels) <= min(_MOST_LABELS, len(parts) / 5)
    return marks.pop() if few and len(marks) == 1 and len(identifiers) > 0.9 * len(parts) else None


def cut_labels(frame: pd.DataFrame, cut_at: Mapping[str, str] | None) -> pd.DataFrame:
    """Return the frame with the values of some columns up to a mark, which is left out too.

    Raises
    ------
    DataError
        When there is no such column.

    Examples
    --------
    >>> cut_labels(pd.DataFrame({"kind": ["sick.|12", "well.|7"]}), {"kind": ".|"})["kind"].tolist()
    ['sick', 'well']
    """
    if not cut_at:
        return frame
    require_columns(frame, cut_at, "cut_at")
    found = {
        name: frame[name].astype("str").str.partition(mark)[0].where(frame[name].notna())
        for name, mark in cut_at.items()
        if mark
    }
    return with_columns(frame, found)
