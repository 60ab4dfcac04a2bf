"""Rows that are no observations: blank rows, repeated headers, totals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lincore.data.labels import is_number
from lincore.errors import Notice
from lincore.utils.typing import Flags

# fmt: off
_TOTALS = frozenset((
    "total", "totals", "grand total", "sum", "subtotal", "average", "mean", "all", "overall",
    "summe", "gesamt", "insgesamt", "mittelwert", "durchschnitt", "somme", "moyenne", "suma",
    "totale", "media", "totaal",
))
# fmt: on
_MOST_TOTALS = 3
_LEAST_ROWS = 5
_NEAR = 0.01


class Observed(NamedTuple):
    """A frame without the rows that are no observations, and what was left out."""

    frame: pd.DataFrame
    notices: tuple[Notice, ...]


def drop_odd_rows(frame: pd.DataFrame, header: Sequence[str], name: str) -> Observed:
    """Leave out rows without any value, and rows that repeat the header.

    Parameters
    ----------
    frame : DataFrame
        As it was parsed; missing values are NaN.
    header : sequence of str
        The fields of the header line; none where there is no such line.
    name : str
        The file's name, for messages.

    Examples
    --------
    >>> frame = pd.DataFrame({"u": ["1.5", None, "u", "2.5"], "v": ["a", None, "v", "b"]})
    >>> drop_odd_rows(frame, ["u", "v"], "made.csv").frame["u"].tolist()
    ['1.5', '2.5']
    """
    blank, again = _blank(frame), _repeating(frame, header)
    notices = [
        Notice(f"{_some(int(rows.sum()))} {what} and left out.", name, code=code)
        for rows, what, code in (
            (blank, "without any value", "LIN030"),
            (again, "like the header line", "LIN031"),
        )
        if rows.any()
    ]
    if not notices:
        return Observed(frame, ())
    return Observed(frame[~(blank | again)].reset_index(drop=True), tuple(notices))


def _some(count: int) -> str:
    return "1 row was" if count == 1 else f"{count:,} rows were"


def _blank(frame: pd.DataFrame) -> Flags:
    """Return which rows hold nothing, (n,)."""
    # Only a row without a first and a last value is worth comparing at the others.
    blank = (frame.iloc[:, 0].isna() & frame.iloc[:, -1].isna()).to_numpy(bool, copy=True)
    if blank.any() and not blank.all():
        blank[blank] = frame[blank].isna().all(axis=1)
    # A table of nothing is refused elsewhere.
    return blank if not blank.all() else np.zeros(len(frame), bool)


def _repeating(frame: pd.DataFrame, header: Sequence[str]) -> Flags:
    """Return which rows hold the very names of the columns, (n,)."""
    again = np.zeros(len(frame), bool)
    named = [i for i, field in enumerate(header[: frame.shape[1]]) if field]
    if len(named) < 2:
        return again
    again[:] = True
    for i in named:
        column = frame.iloc[:, i]
        if not (isinstance(column.dtype, pd.StringDtype) or column.dtype == object):
            # What was read as numbers holds no name.
            return np.zeros(len(frame), bool)
        again[again] = column[again].astype("str").str.strip() == header[i]
        if not again.any():
            break
    return again


def drop_totals(frame: pd.DataFrame, name: str) -> Observed:
    """Leave out the last rows where they say that they are totals or means, and are.

    Examples
    --------
    >>> frame = pd.DataFrame({"sex": ["m", "f", "m", "f", "m", "Total"], "u": [1, 2, 3, 2, 1, 9]})
    >>> drop_totals(frame, "made.csv").frame["u"].tolist()
    [1, 2, 3, 2, 1]
    """
    count = next((n for n in range(_MOST_TOTALS, 0, -1) if _are_totals(frame, n)), 0)
    if not count:
        return Observed(frame, ())
    sentence = "The last row holds totals" if count == 1 else f"The last {count} rows hold totals"
    was = "was" if count == 1 else "were"
    notice = Notice(f"{sentence} and {was} left out.", name, code="LIN032")
    return Observed(frame.iloc[:-count], (notice,))


def _are_totals(frame: pd.DataFrame, count: int) -> bool:
    """Tell whether the last rows, so many of them, are totals of those before."""
    rows = frame.iloc[:-count]
    last = (frame.iloc[-i] for i in range(1, count + 1))
    return len(rows) >= _LEAST_ROWS and all(_is_total(rows, row) for row in last)


def _is_total(rows: pd.DataFrame, last: pd.Series[Any]) -> bool:
    values = {str(name): value for name, value in last.items()}
    words = [
        name
        for name, value in values.items()
        if isinstance(value, str) and value.strip(" :").casefold() in _TOTALS
    ]
    # A class may be called "all": then it stands in other rows too.
    if not words or any((rows[name] == values[name]).any() for name in words):
        return False
    numbers = [name for name in values if is_number(rows[name]) and not pd.isna(values[name])]
    agreeing = [name for name in numbers if _sums_up(rows[name], float(values[name]))]
    return 2 * len(agreeing) > len(numbers)


def _sums_up(column: pd.Series[Any], last: float) -> bool:
    sums = (float(column.sum()), float(column.mean()))
    return any(abs(last - one) <= _NEAR * max(abs(one), 1e-12) for one in sums)
