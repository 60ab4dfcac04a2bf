"""Dask DataFrames: all rows block by block, read by the workers of a cluster if there is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from lincore.data.executors import DaskExecutor, JoblibExecutor
from lincore.data.frames import as_plain
from lincore.errors import DataError
from lincore.io.tables.row_source import ColumnarRows, Findings, RowSource
from lincore.limits import Limits

_BLOCK_CELLS = 1_000_000
_SEED = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Partition(RowSource):
    """A pandas DataFrame as a source of rows, on the machine where it is."""

    frame: Any  # a `dask.delayed` object if no cluster computes it

    def frames(
        self, columns: Sequence[str], texts: Sequence[str] = (), findings: Findings = None
    ) -> Iterator[pd.DataFrame]:
        """Yield some columns of all rows, block by block."""
        frame = self.frame
        if not isinstance(frame, pd.DataFrame):
            frame = frame.compute(scheduler="synchronous")
        frame = as_plain(frame[list(columns)].reset_index(drop=True))
        length = max(1, _BLOCK_CELLS // len(columns))
        for start in range(0, len(frame), length):
            yield frame.iloc[start : start + length]


@dataclass(frozen=True, eq=False, kw_only=True)
class DaskRows(ColumnarRows):
    """All rows of a Dask DataFrame."""

    # If a `distributed.Client` is connected, its workers read the partitions; otherwise this
    # process does, one after the other.

    client: Any
    partitions: Sequence[Any]  # `dask.delayed` DataFrames
    sizes: Sequence[int]  # rows of each

    @cached_property
    def parts(self) -> list[Any]:
        """The partitions, each as a `Partition` to be made where it is computed."""
        import dask

        make: Any = Partition if self.client is None else dask.delayed(Partition)
        return [
            make(frame=frame, name=f"{self.name}, partition {i}", limits=self.limits, n_rows=n_rows)
            for i, (frame, n_rows) in enumerate(zip(self.partitions, self.sizes, strict=True))
        ]

    def frames(
        self, columns: Sequence[str], texts: Sequence[str] = (), findings: Findings = None
    ) -> Iterator[pd.DataFrame]:
        """Yield some columns of all rows, block by block."""
        for frame in self.partitions:
            partition = Partition(frame=frame.compute(), name=self.name, limits=self.limits)
            yield from partition.frames(columns)

    def whole(self) -> pd.DataFrame:
        """Return all rows."""
        return self.sampled(1.0)

    def sampled(self, share: float) -> pd.DataFrame:
        """Return a random share of the rows."""
        samples = _compute(_drawn, self.partitions, self.client, share)
        return pd.concat(samples, ignore_index=True)


def open_dask(source: Any, name: str, limits: Limits) -> DaskRows:
    """Open a Dask DataFrame, whose columns must have distinct texts as names."""
    names = list(source.columns)
    if not all(isinstance(column, str) for column in names) or len(set(names)) < len(names):
        raise DataError(
            "The names of its columns are not distinct texts.",
            where=name,
            remedy="Rename the columns.",
        )
    try:
        from distributed import default_client

        client = default_client()
    except (ImportError, ValueError):
        client = None
    partitions = source.to_delayed()
    sizes = _compute(_size, partitions, client)
    return DaskRows(
        name=name,
        limits=limits,
        n_rows=sum(n_rows for n_rows, _ in sizes),
        reason="The Dask DataFrame does not fit into memory.",
        executor=JoblibExecutor() if client is None else DaskExecutor(client),
        n_bytes=sum(n_bytes for _, n_bytes in sizes),
        columns=names,
        client=client,
        partitions=partitions,
        sizes=[n_rows for n_rows, _ in sizes],
    )


def _compute(work: Any, partitions: Sequence[Any], client: Any, *options: Any) -> list[Any]:
    """Apply a function to every partition."""
    import dask

    tasks = [dask.delayed(work)(partition, i, *options) for i, partition in enumerate(partitions)]
    if client is None:
        return list(dask.compute(*tasks, scheduler="synchronous"))
    return list(client.gather(client.compute(tasks)))


def _size(frame: pd.DataFrame, number: int) -> tuple[int, int]:
    return len(frame), int(frame.memory_usage(index=False, deep=True).sum())


def _drawn(frame: pd.DataFrame, number: int, share: float) -> pd.DataFrame:
    chosen = np.random.default_rng([_SEED, number]).random(len(frame)) < share
    return frame[chosen]
