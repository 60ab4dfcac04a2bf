"""Leading zeros, which pandas would drop: columns with any are parsed as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from lincore.data.labels import first_texts
from lincore.io.tables.text.column_assignment import with_columns

_DIGITS = r"[0-9]+"
PADDED = r"0[0-9]+"
_BLOCK = 4_000_000
_GLANCE = 20


def may_have_zeros(raw: bytes, separator: str) -> bool:
    r"""Return whether any field of a table may begin with a zero followed by a digit."""
    content = np.frombuffer(raw, np.uint8)
    before = np.zeros(256, bool)
    before[[ord(mark) for mark in ("\n", '"', "'", " ", "\t", separator) if ord(mark) < 256]] = True
    # In blocks, because the comparison takes as much memory as the text.
    for start in range(0, len(content), _BLOCK):
        block = content[max(start - 2, 0) : start + _BLOCK]
        zeros = np.flatnonzero(block[:-1] == ord("0"))
        after = block[zeros + 1]
        zeros = zeros[(after >= ord("0")) & (after <= ord("9"))]
        first = zeros[zeros == 0] if start == 0 else zeros[:0]
        if len(first) or before[block[zeros[zeros > 0] - 1]].any():
            return True
    return False


def restore_zeros(
    frame: pd.DataFrame, read_as_text: Callable[[list[str]], pd.DataFrame]
) -> pd.DataFrame:
    """Return the frame with integer columns as text if they had leading zeros."""
    kinds = zip(map(str, frame), frame.dtypes, strict=True)
    whole = [name for name, kind in kinds if kind.kind in "iuf" and _is_whole(frame[name])]
    if not whole:
        return frame
    text = read_as_text(whole)
    return with_columns(frame, {name: text[name] for name in whole if is_padded(text[name])})


def _is_whole(column: pd.Series[Any]) -> bool:
    types = pd.api.types
    if types.is_integer_dtype(column):
        return True
    return types.is_float_dtype(column) and bool((column.dropna() % 1 == 0).all())


def is_padded(column: pd.Series[Any]) -> bool:
    """Return whether a column is text of only digits, some with leading zeros."""
    if not isinstance(column.dtype, pd.StringDtype):
        return False
    # A single mismatch avoids the full check of thousands of text columns.
    some = (value.strip() for value in first_texts(column, _GLANCE))
    if any(not value.isdecimal() for value in some if value):
        return False
    present = column.dropna().str.strip()
    present = present[present != ""]
    return bool(
        len(present)
        and present.str.fullmatch(_DIGITS).all()
        and present.str.fullmatch(PADDED).any()
    )
