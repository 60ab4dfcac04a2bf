"""Weights and frequencies of new rows, read from the columns that had them in training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.labels import is_number
from lincore.data.row_weights import checked_frequencies, checked_weights
from lincore.errors import DataError, Notice
from lincore.io.tables.matching import find_column
from lincore.model_selection.fitted_model import FittedModel
from lincore.utils.typing import Array


class RowCounts(NamedTuple):
    """Weights and frequencies of the rows of a new file.

    Attributes
    ----------
    names : tuple of str
        The columns that hold them, whether they can be used or not.
    weights : ndarray of shape (n,) or None
        Sampling weights; None where the file has none.
    frequencies : ndarray of shape (n,) or None
        As how many equal rows each counts; None where each counts once.
    notices : tuple of Notice
        Why a column cannot be used.
    """

    names: tuple[str, ...]
    weights: Array | None
    frequencies: NDArray[np.intp] | None
    notices: tuple[Notice, ...]


def row_counts(model: FittedModel, frame: pd.DataFrame) -> RowCounts:
    """Read what the rows of a new table count, by the names of the columns in training.

    Scores need them, and no prediction: a column with values that are no weights is reported and
    not used.
    """
    columns = [str(name) for name in frame.columns]
    names, notices = list[str](), list[Notice]()

    def values(name: str, check: Callable[[Any, str], Any]) -> Any:
        position = find_column(name, columns) if name else None
        if position is None:
            return None
        names.append(columns[position])
        column = frame.iloc[:, position]
        numbers = is_number(column)
        given = column.to_numpy(np.float64, na_value=np.nan) if numbers else column.to_numpy()
        try:
            return check(given, name)
        except DataError as error:
            cause = error.notice
            notices.append(Notice(cause.what, cause.where, "It is not used in scores."))
            return None

    weights = values(model.weight_name, checked_weights)
    frequencies = values(model.frequency_name, checked_frequencies)
    return RowCounts(tuple(names), weights, frequencies, tuple(notices))
