"""Column rule: rows without any value are left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from lincore.errors import Notice
from lincore.io.tables.rules.protocol import Applied, Columns
from lincore.utils.typing import Flags


class BlankRows:
    """Leave out rows without any value.

    Examples
    --------
    >>> frame = pd.DataFrame({"u": ["1.5", None, "2.5"], "v": ["a", None, "b"]})
    >>> BlankRows().apply(Columns(frame, "made.csv")).columns.frame["u"].tolist()
    ['1.5', '2.5']
    """

    codes = ("LIN030",)

    def apply(self, columns: Columns) -> Applied | None:
        """Return the columns without blank rows."""
        return leave_out(columns, _blank(columns.frame), "without any value", "LIN030")


def leave_out(columns: Columns, rows: Flags, what: str, code: str) -> Applied | None:
    """Return the columns without some rows, (n,) bool; None if there are no such rows."""
    count = int(rows.sum())
    if not count:
        return None
    some = "1 row was" if count == 1 else f"{count:,} rows were"
    frame = columns.frame[~rows].reset_index(drop=True)
    finding = Notice(f"{some} {what} and left out.", columns.name, code=code)
    return Applied(replace(columns, frame=frame, rows_kept=False), (finding,))


def _blank(frame: pd.DataFrame) -> Flags:
    """Return which rows are empty, (n,)."""
    # Only rows without a first and a last value need a full check.
    blank = (frame.iloc[:, 0].isna() & frame.iloc[:, -1].isna()).to_numpy(bool, copy=True)
    if blank.any() and not blank.all():
        blank[blank] = frame[blank].isna().all(axis=1)
    # An empty table is rejected elsewhere.
    return blank if not blank.all() else np.zeros(len(frame), bool)
