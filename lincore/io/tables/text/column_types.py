"""Phase of reading: text columns without blanks around values, and the numbers found in them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from lincore.data.labels import columns_named
from lincore.errors import Notice
from lincore.io.tables.text._header import Heading
from lincore.io.tables.text._leading_zeros import find_codes
from lincore.io.tables.text.column_assignment import with_columns
from lincore.io.tables.text.missing_values import MISSING_CODES
from lincore.io.tables.text.numbers import Marks, read_numbers
from lincore.io.tables.text.options import ReadOptions

_FEW_ROWS = 5_000


def is_text(column: pd.Series[Any]) -> bool:
    """Tell whether pandas left a column as text."""
    return isinstance(column.dtype, pd.StringDtype) or column.dtype == object


def stripped(column: pd.Series[Any], options: ReadOptions) -> pd.Series[Any]:
    """Return a text column without blanks around its values, missing-value codes taken out."""
    given = options.missing_codes
    marked = ["", *(mark.strip() for mark in (MISSING_CODES if given is None else given))]
    if column.dtype == object:
        column = column.astype("str").where(column.notna())
    if len(column) <= _FEW_ROWS:
        # In pandas each step takes a third of a millisecond, for each of thousands of columns.
        values = column.tolist()
        tidy = [value.strip() if isinstance(value, str) else None for value in values]
        tidy = [None if value in marked else value for value in tidy]
        same = all(a == b for a, b in zip(values, tidy, strict=True) if isinstance(a, str))
        return column if same else pd.Series(tidy, name=column.name, dtype="str")
    column = column.str.strip()
    blank = column.isin(marked)
    return column.mask(blank) if blank.any() else column


def tidy(
    frame: pd.DataFrame, heading: Heading, marks: Marks, options: ReadOptions
) -> tuple[pd.DataFrame, list[Notice]]:
    """Strip text, find the numbers in it, drop the columns that only trailing separators made."""
    names = [str(name) for name in frame]
    kinds = zip(names, frame.dtypes, strict=True)
    # By its type: of thousands of columns of numbers none is taken out to be looked at.
    wordy = [name for name, kind in kinds if kind.kind == "O"]
    texts = {name: stripped(frame[name], options) for name in wordy}
    codes, keeping = find_codes(texts, len(names))
    notices = list(keeping)
    for name, column in texts.items():
        strict = options.decimal is not None
        numbers = None if name in codes else read_numbers(column, marks, strict)
        texts[name] = column if numbers is None else numbers.column
        notices += () if numbers is None else numbers.notices
    # Thousands of columns of numbers are left where they are.
    if len(texts) < len(names) / 2:
        frame = with_columns(frame, texts)
    else:
        frame = pd.DataFrame({name: texts.get(name, frame[name]) for name in names})
    unnamed = [
        name
        for i, name in reversed(list(enumerate(names, start=1)))
        if name == f"column {i}" and heading.header_line and frame[name].isna().all()
    ]
    tail = names[len(names) - len(unnamed) :]
    if unnamed and len(unnamed) < len(names) and unnamed[::-1] == tail:
        sentence = "Left out, neither a name nor a value."
        notices.append(Notice(sentence, columns_named(tail), code="LIN041"))
        frame = frame[names[: -len(tail)]]
    return frame, notices
