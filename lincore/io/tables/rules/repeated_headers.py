"""Column rule: rows that repeat the header are left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from lincore.io.tables.rules.blank_rows import leave_out
from lincore.io.tables.rules.protocol import Applied, Columns
from lincore.utils.typing import Flags


class RepeatedHeaders:
    """Leave out rows that repeat the column names, as in concatenated files.

    Examples
    --------
    >>> frame = pd.DataFrame({"u": ["1.5", "u", "2.5"], "v": ["a", "v", "b"]})
    >>> columns = Columns(frame, "made.csv", header=("u", "v"))
    >>> RepeatedHeaders().apply(columns).columns.frame["u"].tolist()
    ['1.5', '2.5']
    """

    codes = ("LIN031",)

    def apply(self, columns: Columns) -> Applied | None:
        """Return the columns without repeated headers."""
        again = _repeating(columns.frame, columns.header)
        return leave_out(columns, again, "that repeat the header line", "LIN031")


def _repeating(frame: pd.DataFrame, header: Sequence[str]) -> Flags:
    """Return which rows repeat the column names, (n,)."""
    again = np.zeros(len(frame), bool)
    named = [i for i, field in enumerate(header[: frame.shape[1]]) if field]
    if len(named) < 2:
        return again
    again[:] = True
    for i in named:
        column = frame.iloc[:, i]
        if not (isinstance(column.dtype, pd.StringDtype) or column.dtype == object):
            # Numeric columns contain no names.
            return np.zeros(len(frame), bool)
        again[again] = column[again].astype("str").str.strip() == header[i]
        if not again.any():
            break
    return again
