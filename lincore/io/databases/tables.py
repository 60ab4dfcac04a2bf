"""A named source as a table: held where it fits, else read in blocks, never beyond its limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from lincore.errors import TooLargeError
from lincore.io.databases._connections import connect
from lincore.io.databases._relation import Relation
from lincore.io.databases.named_sources import NamedSource, find_source
from lincore.io.tables.formats.parquet import nested_notice
from lincore.io.tables.streamed.arrow_rows import ArrowRows
from lincore.io.tables.streamed.reader import open_in_blocks
from lincore.io.tables.table import Table, frame_to_table
from lincore.io.tables.text.options import ReadOptions
from lincore.limits import LIMITS, Limits, check_rows, check_table_shape


def open_source(
    name: str,
    options: ReadOptions | None = None,
    *,
    secrets: Path | str | None = None,
    limits: Limits = LIMITS,
) -> Table:
    """Open a table that an operator has named.

    Parameters
    ----------
    name : str
        As in `source_names`.
    options : ReadOptions, optional
        Of these, what is missing in some columns.
    secrets : path, optional
        As for `source_names`.
    limits : Limits

    Returns
    -------
    Table
        With all rows, or with rows drawn at random where they are too many to be held: then
        `Table.source` reads all of them in blocks.

    Raises
    ------
    DataError
        When there is no such source, it cannot be read, or is larger than its operator allows.
    """
    options = options or ReadOptions()
    source = find_source(name, secrets)
    relation = connect(source)
    rows = _limited_rows(source, relation, options, limits)
    notices = nested_notice(relation.nested)
    try:
        check_table_shape(rows.n_rows, len(rows.columns), name, limits)
        check_rows(rows.n_rows, name, limits)
        whole = rows.whole()
        return frame_to_table(whole, name, notices, options, kind=relation.kind, limits=limits)
    except TooLargeError as error:
        if isinstance(error, BeyondOperatorLimit):
            raise
        # Opened below and not here, where the error still holds what had been read.
        reason = error.notice.what
    return open_in_blocks(replace(rows, reason=reason), options, notices, relation.kind)


class BeyondOperatorLimit(TooLargeError):
    """A source is larger than its operator allows: reading it in blocks does not help."""


def _limited_rows(
    source: NamedSource, relation: Relation, options: ReadOptions, limits: Limits
) -> ArrowRows:
    def refuse(what: str) -> BeyondOperatorLimit:
        return BeyondOperatorLimit(
            what,
            where=f"source {source.name!r}",
            remedy="Ask whoever runs this server for a smaller table or view.",
        )

    if source.max_rows is not None and relation.n_rows > source.max_rows:
        raise refuse(f"There are {relation.n_rows:,} rows; {source.max_rows:,} are allowed.")

    def read(columns: Sequence[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        n_bytes, done = 0, 0
        for batch in relation.read(columns, n_rows):
            n_bytes, done = n_bytes + batch.nbytes, done + len(batch)
            if source.max_bytes is not None and n_bytes > source.max_bytes:
                raise refuse(f"It holds more than {source.max_bytes:,} bytes, which are allowed.")
            if source.max_rows is not None and done > source.max_rows:
                raise refuse(f"There are more than {source.max_rows:,} rows, which are allowed.")
            yield batch

    return ArrowRows(
        source.name, limits, "", relation.n_rows, relation.columns, options.missing_in or {}, read
    )
