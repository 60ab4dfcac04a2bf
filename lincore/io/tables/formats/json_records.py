"""JSON as a table: records in a list, in lines or within an object, or columns by name."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from lincore.errors import DataError
from lincore.limits import LIMITS, SAVE_AS_TEXT, Limits, check_table_shape

# Parsed, JSON takes ten times as much memory.
_MOST_BYTES = 30_000_000
_DEEPEST = 5


def read_json(raw: bytes, name: str, limits: Limits = LIMITS) -> pd.DataFrame | None:
    """Return the table in a file that begins like JSON; None if it is not, or not a table."""
    if len(raw) > _MOST_BYTES:
        message = f"The JSON file is larger than {_MOST_BYTES / 1e6:g} MB."
        raise DataError(message, where=name, remedy=SAVE_AS_TEXT)
    records = _records(raw)
    if not records:
        return None
    rows, names = list[dict[str, Any]](), dict[str, None]()
    for record in records:
        row = _flat(record)
        names.update(dict.fromkeys(row))
        rows.append(row)
        check_table_shape(1, max(len(names), 2), name, limits)
    return pd.DataFrame({column: _column([row.get(column) for row in rows]) for column in names})


def _records(raw: bytes) -> list[dict[str, Any]]:
    """Return the records; none if this is another kind of JSON, or not JSON."""
    try:
        text = raw.decode("utf-8-sig")
        try:
            records = json.loads(text)
        except ValueError:
            records = [json.loads(line) for line in text.splitlines() if line.strip()]
        if isinstance(records, dict):
            records = _records_in(records)
    except (ValueError, TypeError, RecursionError):
        return []
    if isinstance(records, list) and all(isinstance(record, dict) for record in records):
        return records
    return []


def _records_in(content: dict[str, Any]) -> Any:
    """Return the list of records in an object, or the records of its columns."""
    if set(content) == {"columns", "index", "data"} and len(content["columns"]) > 1:
        # pandas' orient="split".
        return [dict(zip(content["columns"], row, strict=True)) for row in content["data"]]
    if all(isinstance(value, dict) for value in content.values()):
        inner = [*map(list, content.values())]
        if len(content) > 1 and len(inner[0]) > 1 and all(keys == inner[0] for keys in inner):
            # pandas' orient="index" if the outer keys number the rows, otherwise "columns".
            if list(content) == [str(number) for number in range(len(content))]:
                return list(content.values())
            return [{name: content[name][key] for name in content} for key in inner[0]]
    lists = [value for value in content.values() if isinstance(value, list)]
    within = [value for value in content.values() if isinstance(value, dict)]
    if len(lists) == 1:
        return lists[0]
    if not lists and within:  # as in the answer of a web service
        tables = filter(None, map(_records_in, within))
        return next(tables, None)
    lengths = {len(value) for value in lists}
    if len(lists) == len(content) and len(lengths) == 1:
        return [dict(zip(content, values, strict=True)) for values in zip(*lists, strict=True)]
    return None


def _flat(record: dict[str, Any], depth: int = 1) -> dict[str, Any]:
    """Flatten the records within a record."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            inner = _flat(value, depth + 1)
            flat |= {f"{name}.{key}": inner[key] for key in inner}
        else:
            flat[name] = value
    return flat


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
