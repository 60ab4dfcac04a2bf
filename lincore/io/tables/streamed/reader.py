"""Tables larger than memory: types from a sample, then read block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from lincore.data.dataset import Dataset
from lincore.data.frames import columns_named, display_name, is_number
from lincore.data.labels import lone_class_notices
from lincore.errors import DataError, Hint, Notice, TooLargeError
from lincore.io.files.sources import PARQUET_MAGIC, LargeFile
from lincore.io.tables.column_roles import COLUMN_ROLES, Column
from lincore.io.tables.column_selection import choose_roles, left_out_notices, no_feature_error
from lincore.io.tables.row_source import (
    DRAWN_ONLY,
    ColumnarRows,
    RowSelection,
    RowSource,
    StoppedReading,
)
from lincore.io.tables.sampled_rows import sample_and_stream
from lincore.io.tables.streamed._delimited import open_large_text
from lincore.io.tables.streamed._parquet import open_parquet
from lincore.io.tables.streamed.dask_rows import open_dask
from lincore.io.tables.table import Table, TableOptions, frame_to_table
from lincore.io.tables.text.options import DetectedOptions, ReadOptions
from lincore.limits import Limits, on_own_disk
from lincore.utils.typing import Progress


def open_large_table(file: LargeFile, options: ReadOptions) -> Table:
    """Open a table that is too large for memory: its frame is a random sample of rows."""
    with _explaining_size(file.reason):
        if file.beginning(len(PARQUET_MAGIC)) == PARQUET_MAGIC:
            rows, notices = open_parquet([file], file.name, options.missing_in)
            return _sampled_table(rows, notices, options, "Parquet")
        table = open_large_text(file, options)
        assert table.source is not None
        _refuse_cells(table.source, table.frame.shape[1])
    return table


def open_folder(path: Path, name: str, options: ReadOptions, limits: Limits) -> Table:
    """Open a folder of Parquet files with the same columns: read as a whole if it is small."""
    reason = "The folder does not fit into memory."
    limits = on_own_disk(limits)
    files = [
        LargeFile(file_path, file_path.relative_to(path).as_posix(), limits, reason)
        for file_path in sorted(path.rglob("*.parquet"))
    ]
    if not files:
        raise DataError(
            "There is no Parquet file (*.parquet) in the folder.",
            where=name,
            remedy="Give a folder of Parquet files, or zip the folder if it contains images.",
        )
    rows, notices = open_parquet(files, name, options.missing_in)
    return _whole_or_drawn(rows, notices, options, "Parquet", limits)


def open_dask_frame(source: Any, name: str, options: ReadOptions, limits: Limits) -> Table:
    """Open a Dask DataFrame: fetched as a whole if it is small."""
    rows = open_dask(source, name, on_own_disk(limits))
    return _whole_or_drawn(rows, (), options, "Dask", limits)


def _whole_or_drawn(
    rows: ColumnarRows, notices: tuple[Notice, ...], options: ReadOptions, kind: str, limits: Limits
) -> Table:
    n_cells = rows.n_rows * len(rows.columns)
    few = rows.n_rows <= rows.limits.max_rows and n_cells <= rows.limits.max_cells
    if few and rows.n_bytes <= rows.limits.max_table_bytes:
        with suppress(TooLargeError):  # texts may be longer than the file says
            frame = rows.whole()
            return frame_to_table(frame, rows.name, notices, options, kind=kind, limits=limits)
    with _explaining_size(rows.reason):
        return _sampled_table(rows, notices, options, kind)


def _sampled_table(
    rows: ColumnarRows, notices: tuple[Notice, ...], options: ReadOptions, kind: str
) -> Table:
    """Return a random sample of rows as a table with all rows as its source."""
    most = rows.limits.max_drawn_bytes // (8 * max(1, len(rows.columns)))
    share = min(rows.limits.max_rows_in_memory, most) / max(1, rows.n_rows)
    table = frame_to_table(rows.sampled(share), rows.name, notices, options, kind=kind)
    _refuse_cells(rows, table.frame.shape[1])
    reading = DetectedOptions(rows.n_rows, table.frame.shape[1], kind, in_blocks=True)
    return replace(table, reading=reading, source=rows)


def _refuse_cells(rows: RowSource, n_columns: int) -> None:
    most = rows.limits.max_streamed_cells
    if rows.n_rows * n_columns > most:
        raise TooLargeError(
            f"There are {rows.n_rows:,} rows of {n_columns:,} columns; together {most:,} cells are "
            "allowed even in blocks.",
            where=rows.name,
            remedy="Leave columns out, or load only part of the rows.",
        )


@contextmanager
def _explaining_size(reason: str) -> Iterator[None]:
    """Prefix an error by the reason why the file is too large for memory."""
    try:
        yield
    except StoppedReading:
        raise
    except DataError as error:
        what = f"{reason} It cannot be read in blocks either. {error.notice.what}".strip()
        raise error.changed(what=what) from error


def large_table_to_dataset(
    table: Table, target: str | int | None, options: TableOptions, progress: Progress | None = None
) -> Dataset:
    """Read all rows of a large table: keep some in memory and sum the others by class."""
    assert table.source is not None
    guess = None if target is not None or "target" in options.roles.values() else table.guess
    with _explaining_size(table.source.reason):
        _refuse_options(table, options)
        columns = choose_roles(table, target, options)
        features = _features(table, columns)
        label = next(column.name for column in columns if column.role == "target")
        selection = RowSelection(
            label,
            not is_number(table.frame[label]),
            features,
            dropped=[str(name) for name in options.drop_classes],
            merged=options.merge_classes,
            weight=next((column.name for column in columns if column.role == "weight"), ""),
            name=table.name,
            limits=table.source.limits,
        )
        held = sample_and_stream(table.source, selection, progress)
    return Dataset(
        name=display_name(table.name),
        X=held.X,
        codes=held.codes,
        classes=held.classes,
        feature_names=tuple(features),
        notices=(
            *table.notices_with(held.notices),
            *left_out_notices(columns),
            *lone_class_notices(held.codes, held.classes),
            *([guess.notice] if guess is not None else []),
        ),
        blocks=held.blocks,
        target_name=label,
        target_guess=guess,
        weights=held.weights,
        weight_name=selection.weight,
    )


def drawn_notice(table: Table) -> Notice:
    """Report that only the sampled rows of a large table are used."""
    assert table.source is not None
    n_drawn, n_rows = len(table.frame), table.source.n_rows
    return Notice(
        f"{n_drawn:,} rows drawn at random from about {n_rows:,} are used; the others are ignored.",
        table.name,
        code="LIN057",
    )


def _refuse_options(table: Table, options: TableOptions) -> None:
    """Reject options that need all rows at once."""
    asked = {
        f"missing={options.missing!r}": options.missing not in (None, "drop"),
        "Binning the target": options.bins is not None,
        "Treating numbers as categorical": bool(options.categories),
        "Removing duplicates": options.drop_duplicates,
        "Filtering rows": bool(options.where),
    }
    for option in asked:
        if asked[option]:
            raise _refused(f"{option} needs all rows at once.", table, "Leave it out")


def _features(table: Table, columns: Sequence[Column]) -> list[str]:
    """Return the features; reject columns that need more than sums."""
    by_role = {role: [c.name for c in columns if c.role == role] for role in COLUMN_ROLES}
    features, groups = by_role["feature"], by_role["group"]
    if groups:
        # Rows of a tested group would be among the summed training rows.
        raise _refused("Rows of one group cannot be kept together.", table, "Ignore it", groups)
    if by_role["frequency"]:
        problem, remedy = "Rows can be repeated in memory only.", "Use it as weights"
        raise _refused(problem, table, remedy, by_role["frequency"], "weight")
    named = [name for name in features if not is_number(table.frame[name])]
    if named or by_role["text"]:
        problem = "Not numeric: encoding categories and texts needs the whole column."
        raise _refused(problem, table, "Ignore them", [*named, *by_role["text"]])
    if not features:
        raise no_feature_error(table, columns)
    return features


def _refused(
    problem: str, table: Table, remedy: str, columns: Sequence[str] = (), role: str = "ignore"
) -> DataError:
    where, hints = table.name, [DRAWN_ONLY]
    if columns:
        where = columns_named(columns)
        several = f"{len(columns)} columns" if len(columns) > 1 else repr(columns[0])
        change = f"Ignore {several}" if role == "ignore" else f"Use {several} as {role}s"
        hints.insert(0, Hint(change, roles=dict.fromkeys(columns, role)))
    remedy = f"{remedy}, or use only the drawn rows (drawn_only)."
    return DataError(problem, where=where, remedy=remedy, remedies=tuple(hints))
