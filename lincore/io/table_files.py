"""From the bytes of a table, a frame or arrays to a data set, with an import log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lincore.data.dataset import Dataset
from lincore.data.frames import display_name, is_number, refuse_infinite, with_columns
from lincore.data.labels import encode_column, find_label_column, is_quantity, lone_class_notices
from lincore.data.row_weights import CountedRows, count_rows, line_groups
from lincore.errors import DataError, Notice, TooLargeError
from lincore.io.files.sources import LargeFile, table_format
from lincore.io.tables.bins import Binned, Binning, bin_values
from lincore.io.tables.column_changes import marked_labels
from lincore.io.tables.column_roles import COLUMN_ROLES
from lincore.io.tables.column_selection import (
    choose_roles,
    keep_rows,
    left_out_notices,
    no_feature_error,
)
from lincore.io.tables.features import build_features, merge_labels, order_key
from lincore.io.tables.formats.in_subprocess import read_sheet, read_statfile, unstored_formulas
from lincore.io.tables.formats.json_records import read_json
from lincore.io.tables.formats.parquet import read_parquet
from lincore.io.tables.formats.zipped import read_zipped_table
from lincore.io.tables.read import read_text
from lincore.io.tables.repeated_ids import common_prefix, group_codes, repeated_ids
from lincore.io.tables.row_filters import filter_rows
from lincore.io.tables.streamed.reader import drawn_notice, large_table_to_dataset, open_large_table
from lincore.io.tables.table import AS_PROPOSED, Table, TableOptions, frame_to_table
from lincore.io.tables.text.options import ReadOptions
from lincore.limits import LIMITS, Limits, on_own_disk
from lincore.utils.typing import Flags, Progress

# With fewer rows than this, rare levels cannot be identified.
_ENOUGH_ROWS = 100
_RARE = 5
_PACKAGES = ("SPSS", "Stata", "SAS")


def read_table(
    raw: bytes | Path, name: str, options: ReadOptions | None = None, *, limits: Limits = LIMITS
) -> Table:
    r"""Read text, a workbook, JSON, Parquet, SPSS, Stata or SAS; unspecified options are detected.

    From a workbook, or a zip of several tables, one sheet or table is read: see `ReadOptions`.

    A file that exceeds the memory budget is opened for reading in blocks: see `Table.source`.

    Parameters
    ----------
    raw : bytes or Path
        The file, or its path if it is too large for memory; text may be compressed by gzip.
    name : str
        The file's name, for messages.
    options : ReadOptions, optional
        Encoding, separator, header and so on, to override detection.
    limits : Limits

    Returns
    -------
    Table
        ``str(table.reading)`` describes in one line how it was read.

    Raises
    ------
    DataError
        If it is not a table, is too large, or has fewer than two columns or no rows.

    Examples
    --------
    >>> table = read_table(b"a;b\n1,5;x\n2,5;y\n", "small.csv")
    >>> table.frame["a"].tolist()
    [1.5, 2.5]
    >>> print(table.reading)
    UTF-8, semicolon, decimal comma, header in line 1, 2 rows of 2 columns
    """
    options = options or ReadOptions()
    if isinstance(raw, Path):
        reason = f"The file is larger than {limits.max_file_bytes / 1e6:,.0f} MB."
        limits = on_own_disk(limits)
    else:
        try:
            return _read_whole(raw, name, options, limits)
        except TooLargeError as error:
            if table_format(raw) in ("workbook", "zip", *_PACKAGES):
                raise
            # Opened below and not here, where the error still references what had been read.
            reason = error.notice.what
    return open_large_table(LargeFile(raw, name, limits, reason), options)


def _read_whole(raw: bytes, name: str, options: ReadOptions, limits: Limits) -> Table:
    kind, notices = table_format(raw), tuple[Notice, ...]()
    if kind == "workbook":
        return _read_workbook(raw, name, options, limits)
    zipped = read_zipped_table(raw, name, options.sheet, limits) if kind == "zip" else None
    if zipped is not None:
        table = _read_whole(zipped.raw, zipped.path, replace(options, sheet=None), limits)
        return _with_sheets(table, name, zipped.path, zipped.paths)
    frame: pd.DataFrame | None = None
    if kind == "Parquet":
        frame, notices = read_parquet(raw, name, limits)
    elif kind in _PACKAGES:
        frame, notices = read_statfile(raw, name, options, limits)
    elif kind == "JSON":
        frame = read_json(raw, name, limits)
    if frame is None:
        return _read_text(raw, name, options, limits)
    return frame_to_table(frame, name, notices, options, kind=kind, limits=limits)


def _read_text(raw: bytes, name: str, options: ReadOptions, limits: Limits) -> Table:
    text = read_text(raw, name, options, limits)
    first_line = text.first_line if text.rows_are_lines else None
    return Table(text.frame, name, tuple(text.notices), first_line, text.reading, roles=text.roles)


def _read_workbook(raw: bytes, name: str, options: ReadOptions, limits: Limits) -> Table:
    sheet = read_sheet(raw, name, options.sheet, limits)
    asked = replace(options, encoding="utf-8", separator=",", quote='"', comment="")
    table = _read_text(sheet.text, f"{name}, sheet {sheet.name}", asked, limits)
    if sheet.n_unstored:
        notice = unstored_formulas(sheet.n_unstored, name)
        table = replace(table, notices=(notice, *table.notices))
    return _with_sheets(table, name, sheet.name, sheet.sheets, kind="workbook")


def _with_sheets(
    table: Table, name: str, sheet: str, sheets: tuple[str, ...], kind: str = ""
) -> Table:
    """Return one of several tables in a file, and report that."""
    assert table.reading is not None
    kind = kind or table.reading.kind
    reading = replace(table.reading, kind=kind, sheet=sheet, sheets=sheets)
    notices = table.notices
    if len(sheets) > 1:
        sentence = f"There are {len(sheets)} tables in the file; {sheet!r} was read."
        remedy = "Choose another one with the import option for the sheet."
        notices = (Notice(sentence, name, remedy, "LIN003"), *notices)
    return replace(table, name=name, notices=notices, reading=reading)


def dataset_to_table(data: Dataset, target: str, options: ReadOptions | None = None) -> Table:
    """Return a numeric data set as a table, to change its use.

    Parameters
    ----------
    data : Dataset
        With only numeric features.
    target : str
        Name of the column of the classes, the last one.
    options : ReadOptions, optional
        Only its missing-value codes of single columns are used.

    Examples
    --------
    >>> from lincore import load
    >>> table = dataset_to_table(load(([[1.5], [2.5]], ["b", "a"])), "kind")
    >>> table.frame.to_dict("list")
    {'feature 1': [1.5, 2.5], 'kind': ['b', 'a']}
    """
    frame = pd.DataFrame(data.X, columns=list(data.feature_names))
    return frame_to_table(with_columns(frame, {target: data.y}), data.name, options=options)


def table_to_dataset(
    table: Table,
    target: str | int | None = None,
    options: TableOptions = AS_PROPOSED,
    *,
    progress: Progress | None = None,
) -> Dataset:
    """Choose target and features of a table.

    Parameters
    ----------
    table : Table
    target : str or int, optional
        Name of a column, or its position (negative ones count from the end). Guessed if None.
    options : TableOptions
        Roles of columns, missing values, row filters, and so on.
    progress : callable, optional
        ``progress(done, total, what)``, called while a file is read in blocks; False stops it.

    Returns
    -------
    Dataset
        `X` (n, p) float64, NaN for missing values, or CSR if there are words; rows without a label
        are left out. For a file that is read in blocks, the rows in memory; `streamed` has the
        moments of the others.

    Raises
    ------
    DataError
        If there is no such target, it contains no classes, or no feature is left.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1.5, None, 3.5], "sex": ["m", "f", "m"], "y": [1, 2, 1]})
    >>> data = table_to_dataset(frame_to_table(frame, "small"))
    >>> data.feature_names, data.levels
    (('size', 'sex'), (None, ('f', 'm')))
    >>> options = TableOptions(roles={"sex": "ignore"})
    >>> table_to_dataset(frame_to_table(frame, "small"), options=options).levels is None
    True
    """
    if table.source is not None and not options.drawn_only:
        data = large_table_to_dataset(table, target, options, progress)
    else:
        data = _in_memory_dataset(table, target, options)
    return rename_features(data, table, options.rename)


def _in_memory_dataset(table: Table, target: str | int | None, options: TableOptions) -> Dataset:
    """Make a data set of the rows in memory, under the names of the file."""
    if table.source is not None:
        table = replace(table, notices=(*table.notices, drawn_notice(table)))
    if options.where:
        table = filter_rows(table, options.where)
    columns = choose_roles(table, target, options)
    guess = None if target is not None or "target" in options.roles.values() else table.guess
    chosen = {role: [c for c in columns if c.role == role] for role in COLUMN_ROLES}
    names = {role: of_role[0].name if of_role else "" for role, of_role in chosen.items()}
    label, texts = names["target"], [column.name for column in chosen["text"]]
    used = [*chosen["feature"], *chosen["text"]]
    keep, dropping = keep_rows(table, label, used, options)
    counted = _count_kept_rows(table, keep, names["weight"], names["frequency"], len(used))
    rows = counted.rows
    frame = table.frame.iloc[rows]
    labels = frame[label]
    if options.merge_classes:
        labels = merge_labels(labels, options.merge_classes)
    if is_quantity(labels) and (error := marked_labels(table.frame, [label], table.name)):
        raise error
    codes, classes, bounds = _classes(labels, options.bins, table.orders.get(label, ()))
    if not used:
        raise no_feature_error(table, columns)
    built = build_features(
        frame, chosen["feature"], texts, table.name, options.categories, table.orders
    )
    if not built.n_words:
        refuse_infinite(built.X, built.names, table.name, lambda row: table.place(rows[row]))
    grouping, together = _groups(table, counted, names["group"], names["frequency"], options)
    missing = options.missing
    return Dataset(
        name=display_name(table.name),
        X=built.X,
        codes=codes,
        classes=classes,
        feature_names=built.names,
        notices=(
            *table.notices,
            *dropping,
            *counted.notices,
            *left_out_notices(columns),
            *together,
            *built.notices,
            *lone_class_notices(codes, classes),
            *([guess.notice] if guess is not None else []),
        ),
        levels=built.levels,
        n_words=built.n_words,
        imputation="median" if not missing or missing == "drop" else missing,
        rare=_RARE * (len(codes) >= _ENOUGH_ROWS) if options.rare is None else options.rare,
        target_name=label,
        target_guess=guess,
        group_candidate=next((r.column for r in repeated_ids(table.frame, columns)), ""),
        text_columns=tuple(texts),
        bin_bounds=bounds,
        weights=counted.weights,
        weight_name=names["weight"],
        **grouping,
    )


def _groups(
    table: Table, counted: CountedRows, name: str, frequency: str, options: TableOptions
) -> tuple[dict[str, Any], list[Notice]]:
    """Return the groups of rows as fields of a data set, and a notice if they were detected."""
    if not name:
        return line_groups(counted.lines, frequency) if frequency else {}, []
    # By line of the file: copies of a line without a group would otherwise be separate groups.
    column = table.frame[name].iloc[np.unique(counted.rows)]
    groups, names = group_codes(column)
    common = common_prefix(column)
    fields = {
        "groups": groups[counted.lines],
        "group_names": names,
        "group_name": name,
        "groups_by_part": common is not None,
    }
    if options.roles.get(name) == "group":
        return fields, []
    same = repr(name)
    if common is not None:
        same = f"beginning of {name!r} (such as {str(common.dropna().iloc[0])!r})"
    sizes = f"{len(column):,} rows of {len(names):,} subjects"
    sentence = f"Rows with the same {same} are kept together: {sizes}."
    remedy = "If they do not belong together, ignore it."
    return fields, [Notice(sentence, f"column {name!r}", remedy, "LIN059")]


def _count_kept_rows(
    table: Table, keep: Flags, weight: str, frequency: str, width: int
) -> CountedRows:
    """Return the rows that are kept, repeated by their frequencies, and their weights."""
    rows = np.flatnonzero(keep)
    if not weight and not frequency:
        return CountedRows(rows, None, ())
    weights, frequencies = (
        table.frame[name].iloc[rows] if name else None for name in (weight, frequency)
    )
    counted = count_rows(
        len(rows), weights, frequencies, weight, frequency,
        width=width, locate=lambda row: table.place(rows[row]),
    )  # fmt: skip
    return counted._replace(rows=rows[counted.rows])


def _classes(labels: pd.Series[Any], bins: Binning | None, order: Sequence[str]) -> Binned:
    where = f"column {labels.name!r}"
    if bins is None:
        codes, classes = encode_column(labels)
        # Renamed columns come after the others.
        new = np.array(sorted(range(len(classes)), key=order_key(order, classes.tolist())))
        return Binned(np.argsort(new)[codes], classes[new], ())
    if not is_number(labels):
        remedy = "Remove the bins, or choose a numeric target."
        raise DataError("Only numbers can be binned.", where=where, remedy=remedy)
    return bin_values(labels.to_numpy(dtype=np.float64), bins, where)


def rename_features(data: Dataset, table: Table, rename: Mapping[str, str] | None) -> Dataset:
    """Return a data set with renamed features."""
    if not rename:
        return data
    for name in rename:
        find_label_column(table.frame, name, table.name)
    names = [rename.get(str(name), str(name)).strip() for name in table.frame.columns]
    wrong = next((name for name in names if not name or names.count(name) > 1), None)
    if wrong is not None:
        message = f"Two columns would be called {wrong!r}." if wrong else "A name is empty."
        raise DataError(message, where="option rename", remedy="Choose another name.")
    columns = data.feature_names[: data.n_table_columns]
    called = (rename.get(name, name).strip() for name in columns)
    return replace(data, feature_names=(*called, *data.feature_names[len(columns) :]))
