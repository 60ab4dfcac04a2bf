"""Assembly of a data frame from columns with arbitrary names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd


def with_columns(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the frame with some columns replaced, or with new ones appended.

    Like `DataFrame.assign`, which takes names as keywords and therefore rejects a column called
    "self".
    """
    # Nothing is copied: pandas copies a column only on writing.
    changed = frame.copy(deep=False)
    for name, values in columns.items():
        changed[name] = values
    return changed
