"""JSON as a table: records in a list, in lines or within an object, or columns by name."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from lincore.errors import DataError
from lincore.limits import LIMITS, Limits

# Parsed, JSON takes ten times as much memory.
_MOST_BYTES = 30_000_000
_DEEPEST = 5


def read_json(raw: bytes, name: str, limits: Limits = LIMITS) -> pd.DataFrame | None:
    """Return the table in a file that begins like JSON; None if it is not, or not a table."""
    if len(raw) > _MOST_BYTES:
        raise DataError(
            f"The JSON file is larger than {_MOST_BYTES / 1e6:g} MB.",
            where=name,
            remedy="Save it as CSV (text with one row per line) and load that.",
        )
    records = _records(raw)
    if not records:
        return None
    rows, names = list[dict[str, Any]](), dict[str, None]()
    for record in records:
        row = _flat(record)
        names.update(dict.fromkeys(row))
        rows.append(row)
        if len(names) > limits.max_columns:
            raise DataError(
                f"There are more than {limits.max_columns:,} columns.",
                where=name,
                remedy="Leave columns out.",
            )
    columns = {one: _column([row.get(one) for row in rows]) for one in names}
    return pd.DataFrame(columns)


def _records(raw: bytes) -> list[dict[str, Any]]:
    """Return the records; none if this is another kind of JSON, or not JSON."""
    try:
        text = raw.decode("utf-8-sig")
        try:
            found = json.loads(text)
        except ValueError:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        if isinstance(found, dict):
            found = _of_one_object(found)
    except (ValueError, TypeError, RecursionError):
        return []
    if isinstance(found, list) and found and all(isinstance(one, dict) for one in found):
        return found
    return []


def _of_one_object(found: dict[str, Any]) -> Any:
    """Return the list of records in an object, or the records of its columns."""
    if set(found) == {"columns", "index", "data"} and len(found["columns"]) > 1:
        # pandas' orient="split".
        return [dict(zip(found["columns"], row, strict=True)) for row in found["data"]]
    if all(isinstance(value, dict) for value in found.values()):
        inner = [*map(list, found.values())]
        if len(found) > 1 and len(inner[0]) > 1 and all(keys == inner[0] for keys in inner):
            # pandas' orient="index" if the outer keys number the rows, otherwise "columns".
            if list(found) == [str(number) for number in range(len(found))]:
                return list(found.values())
            return [{name: found[name][key] for name in found} for key in inner[0]]
    lists = [value for value in found.values() if isinstance(value, list)]
    within = [value for value in found.values() if isinstance(value, dict)]
    if len(lists) == 1:
        return lists[0]
    if not lists and within:  # as in the answer of a web service
        tables = filter(None, map(_of_one_object, within))
        return next(tables, None)
    lengths = {len(value) for value in lists}
    if len(lists) == len(found) and len(lengths) == 1:
        return [dict(zip(found, values, strict=True)) for values in zip(*lists, strict=True)]
    return None


def _flat(record: dict[str, Any], depth: int = 1) -> dict[str, Any]:
    """Flatten the records within a record."""
    found = {}
    for name, value in record.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            found.update({f"{name}.{key}": one for key, one in _flat(value, depth + 1).items()})
        else:
            found[name] = value
    return found


def _column(values: list[Any]) -> pd.Series[Any]:
    """Return numbers as such; lists, records and mixed types as text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and len(kinds) > 0:
        large = any(isinstance(value, int) and abs(value) > 2**53 for value in values)
        if not large:
            return pd.Series(values, dtype="float64") if None in values else pd.Series(values)
    texts = [
        v if v is None or isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values
    ]
    return pd.Series(texts, dtype="str")
