"""Column rule: totals and means in the last rows are left out."""

from __future__ import annotations

from typing import Any

import pandas as pd

from lincore.data.labels import is_number
from lincore.errors import Notice
from lincore.io.tables.rules.protocol import Applied, Columns

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


class Totals:
    """Leave out the last rows if they are labelled as totals or means, and are.

    Examples
    --------
    >>> frame = pd.DataFrame({"sex": ["m", "f", "m", "f", "m", "Total"], "u": [1, 2, 3, 2, 1, 9]})
    >>> Totals().apply(Columns(frame, "made.csv")).columns.frame["u"].tolist()
    [1, 2, 3, 2, 1]
    """

    codes = ("LIN032",)

    def apply(self, columns: Columns) -> Applied | None:
        """Return the columns without their totals."""
        frame = columns.frame
        if not _says_total(frame.iloc[-1]):
            return None
        count = next((n for n in range(_MOST_TOTALS, 0, -1) if _are_totals(frame, n)), 0)
        if not count:
            return None
        several = f"The last {count} rows contain totals and were left out."
        sentence = several if count > 1 else "The last row contains totals and was left out."
        finding = Notice(sentence, columns.name, code="LIN032")
        return Applied(columns.with_frame(frame.iloc[:-count]), (finding,))


def _are_totals(frame: pd.DataFrame, count: int) -> bool:
    """Return whether this many last rows are totals of the rows before."""
    rows = frame.iloc[:-count]
    last = (frame.iloc[-i] for i in range(1, count + 1))
    return len(rows) >= _LEAST_ROWS and all(_is_total(rows, row) for row in last)


def _says_total(row: pd.Series[Any]) -> list[str]:
    """Return the columns in which a row is labelled as a total."""
    return [
        str(name)
        for name, value in row.items()
        if isinstance(value, str) and value.strip(" :").casefold() in _TOTALS
    ]


def _is_total(rows: pd.DataFrame, last: pd.Series[Any]) -> bool:
    values = {str(name): value for name, value in last.items()}
    words = _says_total(last)
    # A class may be called "all": then it occurs in other rows too.
    if not words or any((rows[name] == values[name]).any() for name in words):
        return False
    numbers = [name for name in values if is_number(rows[name]) and not pd.isna(values[name])]
    agreeing = [name for name in numbers if _sums_up(rows[name], float(values[name]))]
    return 2 * len(agreeing) > len(numbers)


def _sums_up(column: pd.Series[Any], last: float) -> bool:
    sums = (float(column.sum()), float(column.mean()))
    return any(abs(last - one) <= _NEAR * max(abs(one), 1e-12) for one in sums)
