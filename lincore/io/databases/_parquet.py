"""Parquet files: one or a folder of them, here, in an object store or on the web."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from lincore.io.databases._relation import Relation, failures_of, flat_and_nested
from lincore.io.databases.named_sources import NamedSource
from lincore.io.tables.formats.parquet import batches_as_needed


def open_files(source: NamedSource) -> Relation:
    """Open the Parquet files of an address as one table.

    Raises
    ------
    DataError
        When it cannot be opened.
    """
    on_the_web = source.address.lower().startswith(("http://", "https://"))
    address = f"fsspec+{source.address}" if on_the_web else source.address

    def opened() -> Any:
        from pyarrow.dataset import dataset

        return dataset(address, format="parquet")

    def read(columns: Sequence[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        with failures_of(source):
            files = opened()
            # One after the other: Arrow's own scanner reads ahead as if memory were free.
            for path in files.files:
                with files.filesystem.open_input_file(path) as stream:
                    for batch in batches_as_needed(stream, files.schema, columns, n_rows):
                        yield batch.select(list(columns))

    with failures_of(source):
        files = opened()
        return Relation("Parquet", files.count_rows(), *flat_and_nested(files.schema), read)
