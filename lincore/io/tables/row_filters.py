"""Row filters: conditions on the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd

from lincore.data.frames import is_number
from lincore.data.labels import find_label_column, level_name
from lincore.errors import DataError
from lincore.io.tables.table import Condition, Relation, Table
from lincore.utils.typing import Flags

RELATIONS: tuple[Relation, ...] = get_args(Relation)


def as_conditions(where: Sequence[Any]) -> tuple[Condition, ...]:
    """Return conditions, converting tuples (column, relation, values)."""
    conditions = tuple(Condition(*condition) for condition in where)
    for condition in conditions:
        _, relation, values = condition
        if relation not in RELATIONS:
            _refuse(condition, f"There is no relation {relation!r}.", ", ".join(RELATIONS))
        if relation == "between" and (len(values) != 2 or values == (None, None)):
            sentence = "A range has a lower and an upper end."
            _refuse(condition, sentence, "(low, high), one may be None")
        if relation.endswith("one of") and not values:
            _refuse(condition, "There is no value to compare with.", "one value at least")
    return conditions


def matching_rows(frame: pd.DataFrame, where: Sequence[Any], name: str) -> Flags:
    """Return which rows meet all conditions, (n,) bool."""
    matches = np.ones(len(frame), dtype=bool)
    for condition in as_conditions(where):
        matches &= _meets(frame[find_label_column(frame, condition.column, name)], condition)
    return matches


def filter_rows(table: Table, where: Sequence[Any]) -> Table:
    """Return a table of the rows that meet all conditions.

    Parameters
    ----------
    table : Table
    where : sequence of Condition, or of (column, relation, values)

    Raises
    ------
    DataError
        If no row is left, or a condition cannot be evaluated.

    Examples
    --------
    >>> from lincore.io.tables.table import frame_to_table
    >>> table = frame_to_table(pd.DataFrame({"age": [15, 20, 70], "y": [1, 2, 1]}), "t")
    >>> filter_rows(table, [("age", "between", (18, None))]).frame["age"].tolist()
    [20, 70]
    """
    matching = np.flatnonzero(matching_rows(table.frame, where, table.name))
    if not len(matching):
        raise DataError(
            "No row meets all conditions.", where=table.name, remedy="Remove one of the conditions."
        )
    frame = table.frame.iloc[matching].reset_index(drop=True)
    rows = matching if table.rows is None else table.rows[matching]
    return replace(table, frame=frame, rows=rows, whole=table.whole or table)


def _meets(column: pd.Series[Any], condition: Condition) -> Flags:
    present = column.notna().to_numpy(dtype=bool)
    if condition.relation == "is missing":
        return ~present
    if condition.relation == "is not missing":
        return present
    if condition.relation == "between":
        return present & _is_between(column, condition)
    # By value, not by row: a large table has few distinct values.
    places, distinct = pd.factorize(column)
    wanted = {level_name(value) for value in condition.values}
    named = np.array([*(level_name(value) in wanted for value in distinct), False], dtype=bool)
    inside = named[places]
    return inside if condition.relation == "is one of" else present & ~inside


def _is_between(column: pd.Series[Any], condition: Condition) -> Flags:
    low, high = condition.values
    is_date = pd.api.types.is_datetime64_any_dtype(column)
    if not is_date and not is_number(column):
        _refuse(condition, "Text cannot be compared with a range.", "the relation “is one of”")
    try:
        read: Any = pd.Timestamp if is_date else float
        ends = [end if end is None else read(end) for end in (low, high)]
    except ValueError:
        _refuse(condition, "The ends of a range must be numbers or dates.", "other ends")
    inside = np.ones(len(column), dtype=bool)
    if ends[0] is not None:
        inside &= (column >= ends[0]).fillna(False).to_numpy(dtype=bool)
    if ends[1] is not None:
        inside &= (column <= ends[1]).fillna(False).to_numpy(dtype=bool)
    return inside


def _refuse(condition: Condition, message: str, remedy: str) -> None:
    raise DataError(message, where=f"condition on {condition.column!r}", remedy=f"Use {remedy}.")
