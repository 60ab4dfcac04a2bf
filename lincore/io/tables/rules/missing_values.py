"""Missing-value codes of single columns, and the search for numbers such as -999."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lincore.data.column_values import present_numbers
from lincore.io.tables.text.column_assignment import require_columns, with_columns

SENTINELS = (-1, -9, -99, -200, -999, -9999, -99999, 99, 999, 9999, 99999)
_FEW_DISTINCT = 10
_FEWEST_DISTINCT = 4
# If it is the only negative value, such a number is not a measurement.
_BELOW_ZERO = -99


def mark_missing(
    frame: pd.DataFrame, missing_in: Mapping[str, Sequence[str | float]] | None
) -> pd.DataFrame:
    """Return the frame with some values of some columns made missing."""
    if not missing_in:
        return frame
    require_columns(frame, missing_in, "missing_in")
    marked = {name: _without(frame[name], values) for name, values in missing_in.items()}
    return with_columns(frame, marked)


def _without(column: pd.Series[Any], values: Sequence[str | float]) -> pd.Series[Any]:
    if not pd.api.types.is_numeric_dtype(column):
        return column.mask(column.isin([str(value) for value in values]))
    numbers = pd.to_numeric(pd.Series(list(values)), errors="coerce").dropna()
    return column.astype("float64").mask(column.isin(numbers))


def missing_codes(frame: pd.DataFrame, names: Sequence[str]) -> dict[float, list[str]]:
    """Find numbers that may be missing-value codes, with their columns.

    A conspicuous code in one column is proposed for all columns of which it is the smallest or
    largest value; a zero only for columns in which it is conspicuous.
    """
    found: dict[float, list[str]] = {}
    for name in names:
        number = suspicious_number(frame[name])
        if number is not None:
            found.setdefault(number, []).append(name)
    for code in found:
        if code:
            found[code] = [name for name in names if _is_at_an_end(frame[name], code)]
    return found


def _is_at_an_end(column: pd.Series[Any], code: float) -> bool:
    values = present_numbers(column).astype(np.float64)
    end = values.min(initial=np.inf) if code < 0 else values.max(initial=-np.inf)
    return bool(end == code) and bool((values != code).any())


def suspicious_number(column: pd.Series[Any]) -> float | None:
    """Return a number that may be a missing-value code: a zero or a sentinel far from the others.

    A zero is suspicious if it is frequent and the next value is several usual steps away, such as a
    blood pressure of 0; -999 and the like if they are far outside the range of all others, or are
    the only negative value.
    """
    values = present_numbers(column).astype(np.float64)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) < _FEWEST_DISTINCT:
        return None
    for at, rest in ((0, distinct[1:]), (-1, distinct[:-1])):
        end, repeated = float(distinct[at]), counts[at] > 1
        span, gap = rest[-1] - rest[0], min(abs(end - rest[0]), abs(end - rest[-1]))
        # With few distinct values, as in a scale from 1 to 5, a code must be extremely far away.
        steps = 0.5 if len(distinct) > _FEW_DISTINCT else 10
        far = gap > steps * max(span, 1e-300) or (end <= _BELOW_ZERO and rest[0] >= 0)
        if end in SENTINELS and repeated and far:
            return end
    if distinct[0] != 0 or len(distinct) <= _FEW_DISTINCT:
        return None
    others = values[values > 0]
    often = 0.005 * len(values) <= counts[0] <= 0.6 * len(values)
    far = distinct[1] > max(0.1 * np.median(others), 4 * np.median(np.diff(distinct[1:])))
    return 0.0 if often and far else None
