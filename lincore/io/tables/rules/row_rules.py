"""Column rules that leave rows out: blank rows, repeated headers, totals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from lincore.data.column_values import is_number
from lincore.io.tables.text.text_import import TextImport
from lincore.utils.typing import Flags

# fmt: off
_TOTALS = frozenset((
    "total", "totals", "grand total", "sum", "subtotal", "average", "mean", "all", "overall",
    "summe", "gesamt", "insgesamt", "mittelwert", "durchschnitt", "somme", "moyenne", "suma",
    "totale", "media", "totaal",
))
# fmt: on
_MOST_TOTALS, _FEWEST_ROWS_ABOVE = 3, 5
# Relative error of a total.
_TOLERANCE = 0.01


def leave_out_blank_rows(table: TextImport) -> None:
    """Leave out rows without any value."""
    frame = table.frame
    # Only rows without a first and a last value need a full check.
    blank = (frame.iloc[:, 0].isna() & frame.iloc[:, -1].isna()).to_numpy(bool, copy=True)
    if blank.any() and not blank.all():
        blank[blank] = frame[blank].isna().all(axis=1)
    # An empty table is rejected elsewhere.
    if not blank.all():
        _leave_out(table, blank, "without any value", "LIN030")


def leave_out_repeated_headers(table: TextImport) -> None:
    """Leave out rows that repeat the column names, as in concatenated files."""
    frame, kinds = table.frame, [dtype.kind for dtype in table.frame.dtypes]
    named = [i for i, field in enumerate(table.header[: len(kinds)]) if field]
    # Numeric columns contain no names.
    if len(named) < 2 or any(kinds[i] != "O" for i in named):
        return
    again = np.ones(len(frame), bool)
    for i in named:
        again[again] = frame.iloc[:, i][again].astype("str").str.strip() == table.header[i]
        if not again.any():
            return
    _leave_out(table, again, "that repeat the header line", "LIN031")


def _leave_out(table: TextImport, rows: Flags, what: str, code: str) -> None:
    """Leave out some rows, (n,) bool, and report them."""
    if count := int(rows.sum()):
        some = "1 row was" if count == 1 else f"{count:,} rows were"
        table.note(f"{some} {what} and left out.", code=code)
        table.frame, table.rows_are_lines = table.frame[~rows].reset_index(drop=True), False


def leave_out_totals(table: TextImport) -> None:
    """Leave out the last rows if they are labelled as totals or means, and are."""
    frame = table.frame
    if not _says_total(frame.iloc[-1]):
        return
    for count in range(min(_MOST_TOTALS, len(frame) - _FEWEST_ROWS_ABOVE), 0, -1):
        rows = frame.iloc[:-count]
        if all(_is_total(rows, frame.iloc[-i]) for i in range(1, count + 1)):
            several = f"The last {count} rows contain totals and were left out."
            one = "The last row contains totals and was left out."
            table.note(several if count > 1 else one, code="LIN032")
            table.frame = rows
            return


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
    return any(abs(last - one) <= _TOLERANCE * max(abs(one), 1e-12) for one in sums)


def _says_total(row: pd.Series[Any]) -> list[str]:
    """Return the columns in which a row is labelled as a total."""
    return [
        str(name)
        for name, value in row.items()
        if isinstance(value, str) and value.strip(" :").casefold() in _TOTALS
    ]
