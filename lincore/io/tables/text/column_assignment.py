"""Assembly of a data frame from columns with arbitrary names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd


def with_columns(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the frame with some of its columns replaced, or with new ones behind the others.

    As `DataFrame.assign`, which takes names as keywords and so refuses a column called "self".
    """
    # Nothing is copied: pandas copies a column when it is written to.
    changed = frame.copy(deep=False)
    for name, values in columns.items():
        changed[name] = values
    return changed
