"""From the bytes of a table, a frame or arrays to a data set, with all that was found said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lincore.datasets import Dataset
from lincore.delimited import read_delimited
from lincore.errors import DataError, Notice
from lincore.labels import (
    columns_named,
    display_name,
    encode_column,
    encode_labels,
    find_label_column,
    is_number,
    lone_class_notices,
    numbered,
    pixel_names,
    propose_label_column,
    unique_names,
)
from lincore.limits import LIMITS, Limits, check_table_shape

# Why a column is no feature: what to say, and what to do about it.
_LEFT_OUT = {
    "empty": ("Left out, no value at all.", "Fill the column in, or delete it."),
    "text": ("Left out, not numeric.", "Encode it as numbers to use it as a feature."),
    "constant": (
        "Left out, the same value in every row.",
        "Nothing needs to be done: it cannot tell classes apart.",
    ),
    "identifier": (
        "Left out, consecutive whole numbers that merely count the rows.",
        "If it measures something, change its unit so that it does not run 1, 2, 3.",
    ),
}


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read, before a target is chosen.

    Parameters
    ----------
    frame : DataFrame
        Columns under unique names, in the order of the file.
    name : str
        The file's name.
    notices : tuple of Notice
        What reading did or found.
    first_line : int, optional
        Line of the file that holds the first row; None where rows and lines do not run together.
    """

    frame: pd.DataFrame
    name: str
    notices: tuple[Notice, ...] = ()
    first_line: int | None = None

    def place(self, row: int) -> str:
        """Say in words where a row, counted from 0, stands."""
        return f"data row {row + 1}" if self.first_line is None else f"line {row + self.first_line}"


def read_table(raw: bytes, name: str, *, limits: Limits = LIMITS) -> Table:
    r"""Read delimited text; encoding, separator, header and decimal mark are detected.

    Parameters
    ----------
    raw : bytes
        The file, possibly packed by gzip.
    name : str
        The file's name, for messages.
    limits : Limits

    Returns
    -------
    Table

    Raises
    ------
    DataError
        When this is no text, is too large, or has fewer than two columns or no rows.

    Examples
    --------
    >>> read_table(b"a;b\n1,5;x\n2,5;y\n", "small.csv").frame["a"].tolist()
    [1.5, 2.5]
    """
    frame, notices, first_line = read_delimited(raw, name, limits)
    return Table(frame, name, notices, first_line)


def frame_to_table(frame: pd.DataFrame, name: str, *, limits: Limits = LIMITS) -> Table:
    """Wrap a frame, its columns under unique names in text.

    Raises
    ------
    DataError
        When the frame is too large, has fewer than two columns or no rows.
    """
    check_table_shape(len(frame), frame.shape[1], name, limits)
    names, notices = unique_names([str(column) for column in frame.columns])
    return Table(frame.set_axis(names, axis=1).reset_index(drop=True), name, notices)


def propose_target(table: Table) -> str | None:
    """Guess the column that holds the classes, or None where no column looks like it.

    A column called "class", "label", "species" and so on comes first; then the last column,
    then the first, that has few distinct values and repeats them.

    Examples
    --------
    >>> propose_target(frame_to_table(pd.DataFrame({"Class": [1, 2, 1], "x": [1, 1, 2]}), "t"))
    'Class'
    """
    return propose_label_column(table.frame)


def table_to_dataset(table: Table, target: str | int | None = None) -> Dataset:
    """Choose target and features of a table.

    Parameters
    ----------
    table : Table
    target : str or int, optional
        Name of a column, or its position (negative ones count from the end). Proposed if None.

    Returns
    -------
    Dataset
        `X` (n, p) float64, NaN where a value is missing; rows without a label are left out.

    Raises
    ------
    DataError
        When there is no such target, it holds no classes, or no numeric feature is left.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1.5, None, 3.5], "name": ["a", "b", "c"], "y": [1, 2, 1]})
    >>> data = table_to_dataset(frame_to_table(frame, "small"))
    >>> data.feature_names
    ('size',)
    >>> print(data.notices[0])
    column 'name': Left out, not numeric. Encode it as numbers to use it as a feature.
    """
    column = find_label_column(table.frame, target, table.name)
    kept = table.frame[column].notna().to_numpy()
    codes, classes = encode_column(table.frame.loc[kept, column])
    features, leaving = _choose_features(table, column, kept)
    X = table.frame.loc[kept, features].to_numpy(dtype=np.float64, na_value=np.nan)
    rows = np.flatnonzero(kept)
    _refuse_infinite(X, features, table.name, lambda row: table.place(rows[row]))
    return Dataset(
        name=display_name(table.name),
        X=np.ascontiguousarray(X),
        codes=codes,
        classes=classes,
        feature_names=tuple(features),
        notices=(
            *table.notices,
            *_dropped_rows(kept, column),
            *leaving,
            *lone_class_notices(codes, classes),
        ),
    )


def arrays_to_dataset(X: Any, y: Any, *, name: str = "arrays") -> Dataset:
    """Build a data set from arrays as they are: no column is judged or left out.

    Parameters
    ----------
    X : (n, p) array, or (n, height, width) uint8 array of grey images
    y : (n,) array
        Labels.
    name : str

    Returns
    -------
    Dataset
        `X` in float64; uint8 stays as it is.

    Raises
    ------
    DataError
        When the shapes do not fit, a value is no number or infinite, or a label is missing.

    Examples
    --------
    >>> arrays_to_dataset([[1, 2], [3, 4]], ["b", "a"]).codes.tolist()
    [1, 0]
    """
    X, y = np.asarray(X), np.asarray(y)
    shape = X.shape[1:] if X.ndim == 3 and X.dtype == np.uint8 else None
    X = X.reshape(len(X), -1) if shape else X
    if X.ndim != 2 or y.shape != X.shape[:1] or X.size == 0:
        raise DataError(
            f"X of shape {X.shape} and y of shape {y.shape} do not fit.",
            where=name,
            remedy="Give X as (rows, features) and y as (rows,).",
        )
    if pd.isna(y).any():
        raise DataError("Some labels are missing.", where=name, remedy="Leave those rows out.")
    features = pixel_names(*shape) if shape else numbered("feature", X.shape[1])
    if X.dtype != np.uint8:
        X = _as_float(X, name)
        _refuse_infinite(X, features, name, lambda row: f"data row {row + 1}")
    codes, classes = encode_labels(y, name)
    notices = lone_class_notices(codes, classes)
    return Dataset(name, X, codes, classes, features, image_shape=shape, notices=notices)


def _choose_features(table: Table, target: str, kept: np.ndarray) -> tuple[list[str], list[Notice]]:
    roles: dict[str, list[str]] = {role: [] for role in ("feature", *_LEFT_OUT)}
    for column in table.frame.columns.drop(target):
        roles[_role(table.frame[column], kept)].append(column)
    if not roles["feature"]:
        # In a handful of rows made up by hand a measurement may well run 1, 2, 3.
        roles["feature"], roles["identifier"] = roles["identifier"], []
    if not roles["feature"]:
        found = ", ".join(f"{len(names)} {role}" for role, names in roles.items() if names)
        raise DataError(
            f"No numeric feature is left besides the target ({found}).",
            where=f"{table.name}, {columns_named(list(table.frame.columns.drop(target)))}",
            remedy="Add a column of numbers, or encode text as numbers.",
        )
    notices = [
        Notice(what, columns_named(roles[role]), remedy)
        for role, (what, remedy) in _LEFT_OUT.items()
        if roles[role]
    ]
    return roles["feature"], notices


def _role(column: pd.Series[Any], kept: np.ndarray) -> str:
    """Say what a column is: a feature, or the reason why it is none."""
    n_distinct = column[kept].nunique()
    if n_distinct == 0:
        return "empty"
    if not is_number(column):
        return "text"
    if n_distinct == 1:
        return "constant"
    return "identifier" if _counts_rows(column) else "feature"


def _counts_rows(column: pd.Series[Any]) -> bool:
    """Tell whether the values are distinct whole numbers without a gap, as of an identifier."""
    n_rows = len(column)
    if pd.api.types.is_bool_dtype(column) or column.nunique() < n_rows:
        return False
    return bool(column.max() - column.min() == n_rows - 1 and (column % 1 == 0).all())


def _dropped_rows(kept: np.ndarray, column: str) -> list[Notice]:
    if kept.all():
        return []
    what = f"{(~kept).sum()} of {len(kept)} rows have no value in the target and were left out."
    return [Notice(what, f"column {column!r}", "Fill the class in to use these rows.")]


def _refuse_infinite(
    X: np.ndarray, features: Sequence[str], name: str, place: Callable[[int], str]
) -> None:
    """Raise for the first infinite value; `place` says where a row of `X` stands."""
    infinite = np.isinf(X)
    if infinite.any():
        row, feature = np.argwhere(infinite)[0]
        raise DataError(
            f"The value {X[row, feature]} is infinite.",
            where=f"{name}, {place(row)}, column {features[feature]!r}",
            remedy="Correct the value, or leave the cell empty.",
        )


def _as_float(X: np.ndarray, name: str) -> np.ndarray:
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"X holds something that is not a number: {error}.",
            where=name,
            remedy="Encode text as numbers first, or load a DataFrame.",
        ) from error
