"""Parquet files as partitions: groups of rows, of one file or of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lincore.distributed.executor import Executor
from lincore.distributed.partitioned_data import PartitionedData
from lincore.errors import DataError


@dataclass(frozen=True)
class ParquetPart:
    """Some groups of rows of a Parquet file, read when it is called.

    Parameters
    ----------
    path : str
        As it is called where it is read.
    groups : range
    features : tuple of str
        Columns of numbers without gaps.
    target : str
    """

    path: str
    groups: range
    features: tuple[str, ...]
    target: str

    def __call__(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the rows and their labels."""
        with pq.ParquetFile(self.path) as file:
            table = file.read_row_groups(
                list(self.groups), columns=[*self.features, self.target], use_threads=False
            )
        columns = [table.column(name).to_numpy() for name in self.features]
        # Columns as they lie: moments take rows of them, a tile at a time.
        X = np.empty((table.num_rows, len(columns)))
        for j, column in enumerate(columns):
            X[:, j] = column
        return X, np.asarray(table.column(self.target).to_pylist())


def open_parquet(
    executor: Executor,
    paths: str | Path | Sequence[str | Path],
    target: str,
    *,
    features: Sequence[str] | None = None,
    groups_each: int = 1,
) -> PartitionedData:
    """Open Parquet files as partitions.

    Parameters
    ----------
    executor : Executor
    paths : path or paths
        Where both this process and the workers find them.
    target : str
        The column of the labels.
    features : sequence of str, optional
        All other columns when not given.
    groups_each : int, default 1
        Groups of rows in a partition.

    Raises
    ------
    DataError
        When there is no file, or columns are not in it.
    """
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    parts: list[ParquetPart] = []
    names: tuple[str, ...] | None = None if features is None else tuple(features)
    for path in files:
        metadata = pq.read_metadata(path)
        there = metadata.schema.to_arrow_schema().names
        names = names or tuple(name for name in there if name != target)
        missing = {target, *names} - set(there)
        if missing:
            raise DataError(
                f"There is no column {', '.join(sorted(missing))}.",
                where=str(path),
                remedy="Give files of the same columns.",
            )
        n_groups = metadata.num_row_groups
        parts += [
            ParquetPart(str(path), range(i, min(i + groups_each, n_groups)), names, target)
            for i in range(0, n_groups, groups_each)
        ]
    if names is None:
        raise DataError(
            "There is no file.", where="paths", remedy="Give the path of a Parquet file or more."
        )
    return PartitionedData(executor, parts, names, target)
