"""A separate process that writes a file of SPSS, Stata or SAS as Parquet.

The parser is written in C and reads untrusted bytes here: if it crashes, only this process ends.
Nothing of lincore is imported.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

try:
    import pyreadstat
except ImportError:
    pyreadstat = None  # type: ignore[assignment, unused-ignore]

# The same text as in in_subprocess.py.
ABSENT = "pyreadstat is not installed"


def with_labels(
    values: Any, labels: Mapping[Any, str], *, partly: bool = False
) -> list[str | None] | None:
    """Return the labels of values; None if a value has none, unless partial labels are accepted."""
    # Labels shared by two values get the value appended.
    names = {value: str(label).strip() for value, label in labels.items()}
    texts = list(names.values())
    names = {v: n if texts.count(n) == 1 else f"{n} ({v:g})" for v, n in names.items()}
    labelled: list[str | None] = []
    for value in values.tolist():
        if value is None or value != value or value == "":
            labelled.append(None)
        elif value in names:
            labelled.append(names[value])
        elif partly:
            labelled.append(f"{value:g}" if isinstance(value, float) else str(value))
        else:
            return None
    return labelled


def column(values: Any) -> pa.Array:
    """Return a column in Arrow's form: mixed types as text."""
    if values.dtype.kind not in "OU":
        return pa.array(values, from_pandas=True)
    listed = [None if value in (None, "") or value != value else value for value in values.tolist()]
    try:
        return pa.array(listed)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in listed])


def main(word: str, encoding: str, *numbers: str) -> None:
    """Write the treatment of labels and missing values as a line of JSON, then the table."""
    # `numbers` limit cells, columns and bytes; then 1 or 0 say whether labels are read, whether
    # only if all values have one, and whether declared missing values are missing.
    if pyreadstat is None:
        raise ImportError(ABSENT)
    raw = sys.stdin.buffer.read()
    max_cells, max_columns, max_bytes, label, complete, declared = map(int, numbers)
    read = getattr(pyreadstat, f"read_{word}")
    given = {"encoding": encoding or None}
    asked = given if word == "xport" else {**given, "user_missing": True}
    known = read(io.BytesIO(raw), metadataonly=True, **asked)[1]
    n_columns = max(known.number_columns or 0, len(known.column_names))
    if (known.number_rows or 0) * n_columns > max_cells or n_columns > max_columns:
        raise MemoryError
    # One row more than allowed, for files that do not state their number of rows.
    max_rows = max_cells // max(n_columns, 1) + 1
    missing = {*known.missing_ranges, *known.missing_user_values} if declared else ()
    asked = given if declared else asked
    table, known = read(io.BytesIO(raw), output_format="dict", row_limit=max_rows, **asked)
    if any(len(values) >= max_rows for values in table.values()):
        raise MemoryError
    head: dict[str, list[str]] = {"labelled": [], "partly": [], "missing": sorted(missing)}
    columns, n_bytes = [], 0
    for name in known.column_names:
        values = np.asarray(table.pop(name))
        labels = known.variable_value_labels.get(name) if label else None
        texts = with_labels(values, labels, partly=not complete) if labels else None
        if labels:
            head["labelled" if texts is not None else "partly"].append(name)
        columns.append(pa.array(texts, pa.string()) if texts is not None else column(values))
        n_bytes += columns[-1].nbytes
        if n_bytes > max_bytes:
            raise MemoryError
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, names=known.column_names), sink)
    sys.stdout.buffer.write(f"{json.dumps(head)}\n".encode() + sink.getvalue())
