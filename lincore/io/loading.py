"""Load a data set from any supported source."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import fields
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias

import numpy as np
import pandas as pd

from lincore.data.dataset import Dataset
from lincore.data.frames import as_frame, is_dask, is_frame, numbered, pixel_names, refuse_infinite
from lincore.data.labels import encode_labels, lone_class_notices
from lincore.data.row_weights import data_row, with_row_weights
from lincore.errors import DataError
from lincore.io.files.sources import large_path, read_source, table_format
from lincore.io.images.decode import is_image
from lincore.io.images.read import ImageOptions, read_image_files, read_image_zip
from lincore.io.npz import is_npz, read_npz
from lincore.io.table_files import read_table, table_to_dataset
from lincore.io.tables.formats.zipped import read_zipped_table, tables_among, zip_tables
from lincore.io.tables.streamed.reader import open_dask_frame, open_folder
from lincore.io.tables.table import Table, TableOptions, frame_to_table
from lincore.io.tables.text.options import ReadOptions
from lincore.limits import LIMITS

# Options of `load` for images, and for row weights.
_OF_IMAGES = {field.name for field in fields(ImageOptions)}
_COUNTING = {"weights", "frequencies"}

if TYPE_CHECKING:
    File: TypeAlias = str | os.PathLike[str] | BinaryIO | bytes | list[tuple[str, bytes]]
    Source: TypeAlias = File | pd.DataFrame | tuple[Any, Any]


def load(
    source: Source,
    *,
    target: str | int | None = None,
    name: str | None = None,
    options: ReadOptions | None = None,
    weights: Any = None,
    frequencies: Any = None,
    **choices: Any,
) -> Dataset:
    r"""Load a table, a zip of images in class folders, or an npz of arrays.

    Parameters
    ----------
    source : path, open binary file, bytes, several (name, bytes), DataFrame or (X, y)
        Or a table of another library that Arrow can read (polars, DuckDB, PyArrow), a folder of
        Parquet files, or a Dask DataFrame. Of a table that does not fit into memory some rows are
        kept in memory; models learn from all others too, in blocks (`Dataset.blocks`).
        A zip or npz is recognised by its contents (a zip with a single table is read as that
        table); any other file is read as a table. Arrays are used unchanged: `X` of shape (n, p),
        or (n, height, width) in uint8 for grey images.
    target : str or int, optional
        The column of the classes, by name or by position (negative ones count from the end).
        Default: guessed from names and contents. For tables only.
    name : str, optional
        Name of the data. Default: the file's name.
    options : ReadOptions, optional
        Encoding, separator, header, missing-value codes and so on, to override detection. For text
        files only.
    weights, frequencies : str or array-like of shape (n,), optional
        Row weights, as sampling weights or as numbers of equal rows: a column name of a table, or
        numbers for (X, y). See `lincore.data.with_row_weights`.
    **choices
        For tables, roles of columns, missing values, rare levels, bins and so on: the fields of
        `lincore.io.TableOptions`. For images, size, colour, fit, pattern and so on: those of
        `lincore.io.ImageOptions`.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        If the source cannot be used, with location and remedy.

    Examples
    --------
    >>> text = b"length,width,species\n5.1,3.5,setosa\n6.2,2.9,virginica\n4.9,3.0,setosa\n"
    >>> data = load(text, name="flowers.csv", target="species")
    >>> data.name, data.X.shape, data.classes.tolist()
    ('flowers', (3, 2), ['setosa', 'virginica'])
    """
    named = {"target": target, "options": options, "weights": weights, "frequencies": frequencies}
    given = [*(option for option, value in named.items() if value is not None), *choices]
    if isinstance(source, tuple):
        _check_options(given, "A pair (X, y)", _COUNTING)
        data = arrays_to_dataset(*source, name=name or "arrays")
        return with_row_weights(data, weights=weights, frequencies=frequencies)
    opened = _open(source, name, options)
    if isinstance(opened, Table):
        _check_options(given, "A table", set(given) - _OF_IMAGES)
        counting = _counting_columns(weight=weights, frequency=frequencies)
        choices |= {"roles": {**choices.get("roles", {}), **counting}} if counting else {}
        return table_to_dataset(opened, target, TableOptions(**choices))
    kind, raw, name = opened
    if kind == "arrays":
        _check_options(given, "An npz of arrays", set())
        return read_npz(raw, name)
    _check_options(given, "A zip of images", _OF_IMAGES)
    if isinstance(raw, bytes):
        return read_image_zip(raw, name, ImageOptions(**choices))
    return read_image_files(raw, ImageOptions(**choices), name=name)


def _counting_columns(**columns: Any) -> dict[str, str]:
    """Return the roles of the weight and frequency columns."""
    named = {role: column for role, column in columns.items() if column is not None}
    for role, column in named.items():
        if not isinstance(column, str):
            raise DataError(
                f"A table takes the name of its {role} column, not {type(column).__name__}.",
                where=f"option {role}",
                remedy="Add the numbers as a column of the table, and pass its name.",
            )
    return {column: role for role, column in named.items()}


def open_table(
    source: Source, *, name: str | None = None, options: ReadOptions | None = None
) -> Table | None:
    r"""Read a table like `load`, before a target is chosen.

    Parameters
    ----------
    source : path, open binary file, bytes, several (name, bytes) or DataFrame
    name : str, optional
        Name of the table. Default: the file's name.
    options : ReadOptions, optional
        Encoding, separator, header and so on, to override detection.

    Returns
    -------
    Table or None
        None if the source contains images or arrays.

    Raises
    ------
    DataError
        If it cannot be read.

    Examples
    --------
    >>> table = open_table(b"length,species\n5.1,setosa\n6.2,virginica\n", name="flowers.csv")
    >>> table.proposed
    'species'
    """
    opened = _open(source, name, options)
    return opened if isinstance(opened, Table) else None


def _open(
    source: Any, name: str | None, options: ReadOptions | None
) -> Table | tuple[str, Any, str]:
    """Return a table, or the result of `recognise_file` for other files; several images as such."""
    options = options or ReadOptions()
    if is_dask(source):
        return open_dask_frame(source, name or "table", options, LIMITS)
    if isinstance(source, str) and "\n" in source:
        raise DataError(
            "This text is the content of a table, not the path of a file.",
            remedy="Pass its bytes: lincore.load(text.encode(), name='table.csv').",
        )
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        path = Path(source)
        return open_folder(path, name or path.name, options, LIMITS)
    if is_frame(source):
        return frame_to_table(as_frame(source), name or "table")
    if isinstance(source, list):
        name, tables = name or source[0][0].partition("/")[0], combine_tables(source)
        if tables is None:
            return "images", source, name
        source = tables
    large = large_path(source)
    if large is not None:
        return read_table(large, name or large.name, options)
    kind, raw, name = recognise_file(*read_source(source, name))
    return read_table(raw, name, options) if kind == "table" else (kind, raw, name)


def combine_tables(files: Sequence[tuple[str, bytes]]) -> bytes | None:
    """Return the only table among several files, or a zip of all; None for images."""
    tables = tables_among(files)
    if not tables or any(is_image(raw, name) for name, raw in files):
        return None
    return tables[0][1] if len(tables) == 1 else zip_tables(tables)


def recognise_file(
    raw: bytes, name: str
) -> tuple[Literal["table", "arrays", "images"], bytes, str]:
    """Return the kind of a file by its content, and the file or the only table in a zip.

    Parameters
    ----------
    raw : bytes
        The whole file.
    name : str
        Name of the file, for messages.

    Returns
    -------
    kind : {"table", "arrays", "images"}
    raw : bytes
        Content of the file, or of the table in the zip.
    name : str
        Name of the file or table.

    Raises
    ------
    DataError
        If it is a document, or a zip that cannot be read.

    Examples
    --------
    >>> recognise_file(b"length,species", "iris.csv")
    ('table', b'length,species', 'iris.csv')
    """
    if table_format(raw) != "zip":
        return "table", raw, name
    inner = read_zipped_table(raw, name)
    if inner is not None and len(inner.paths) == 1:
        return "table", inner.raw, PurePosixPath(inner.path).name
    if inner is not None:
        return "table", raw, name
    return "arrays" if is_npz(raw) else "images", raw, name


def _check_options(given: Sequence[str], source: str, allowed: Collection[str]) -> None:
    """Reject an option that does not apply to the kind of source."""
    for option in given:
        if option not in allowed:
            raise DataError(
                f"{source} has no option {option!r}.",
                where=f"option {option}",
                remedy=f"Leave {option} out.",
            )


def arrays_to_dataset(X: Any, y: Any, *, name: str = "arrays") -> Dataset:
    """Build a data set from arrays unchanged: no column is described or left out."""
    named = tuple(str(column) for column in X.columns) if is_frame(X) else ()
    X, y = np.asarray(X), np.asarray(y)
    shape = X.shape[1:] if X.ndim == 3 and X.dtype == np.uint8 else None
    X = X.reshape(len(X), -1) if shape else X
    if X.ndim != 2 or y.shape != X.shape[:1] or X.size == 0:
        raise DataError(
            f"X of shape {X.shape} and y of shape {y.shape} do not match.",
            where=name,
            remedy="Give X as (rows, features) and y as (rows,).",
        )
    if pd.isna(y).any():
        raise DataError("Some labels are missing.", where=name, remedy="Leave those rows out.")
    features = pixel_names(*shape) if shape else numbered("feature", X.shape[1])
    features = named if len(set(named)) == X.shape[1] else features
    if X.dtype != np.uint8:
        try:
            X = X.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(
                f"X contains something that is not a number: {error}.",
                where=name,
                remedy="Encode text as numbers first, or load a DataFrame.",
            ) from error
        refuse_infinite(X, features, name, data_row)
    codes, classes = encode_labels(y, name)
    notices = lone_class_notices(codes, classes)
    return Dataset(name, X, codes, classes, features, image_shape=shape, notices=notices)


def as_dataset(data: Any, target: str | int | None = None) -> Dataset:
    """Return a data set unchanged, or load one by `lincore.load`."""
    if isinstance(data, Dataset):
        if target not in (None, data.target_name):
            raise DataError(
                f"The classes of {data.name} have already been chosen: {data.target_name!r}.",
                where=f"target={target!r}",
                remedy=f"Load it again: lincore.load(source, target={target!r}).",
            )
        return data
    pair = isinstance(data, tuple) and len(data) == 2
    if pair or isinstance(data, (str, bytes, os.PathLike)) or is_frame(data) or is_dask(data):
        return load(data, target=target)
    raise DataError(
        f"Methods are compared on a data set, not on {type(data).__name__}.",
        where="compare",
        remedy="Create one with lincore.load(file or DataFrame, target=...), lincore.load((X, y)) "
        "or lincore.sample(name).",
    )
