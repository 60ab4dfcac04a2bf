"""Renaming of the columns of a data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lincore.data.dataset import Dataset
from lincore.data.labels import find_label_column
from lincore.errors import DataError
from lincore.io.tables.table import Table


def rename_features(data: Dataset, table: Table, rename: Mapping[str, str] | None) -> Dataset:
    """Return a data set with renamed features."""
    if not rename:
        return data
    for name in rename:
        find_label_column(table.frame, name, table.name)
    names = [rename.get(str(name), str(name)).strip() for name in table.frame.columns]
    wrong = next((name for name in names if not name or names.count(name) > 1), None)
    if wrong is not None:
        what = f"Two columns would be called {wrong!r}." if wrong else "A name is empty."
        raise DataError(what, where="option rename", remedy="Choose another name.")
    columns = data.feature_names[: data.n_table_columns]
    words = data.feature_names[len(columns) :]
    called = tuple(rename.get(name, name).strip() for name in columns)
    return replace(data, feature_names=(*called, *words))
