"""Load a data set from any supported source."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias

import numpy as np
import pandas as pd

from lincore.data.dataset import Dataset
from lincore.data.frames import as_frame, is_frame
from lincore.data.labels import encode_labels, lone_class_notices, numbered, pixel_names
from lincore.data.row_weights import with_row_weights
from lincore.errors import DataError
from lincore.io.files.sources import large_path, read_source
from lincore.io.images.read import ImageOptions, read_image_zip
from lincore.io.npz import is_npz, read_npz
from lincore.io.table_files import read_table, table_to_dataset
from lincore.io.tables.features import refuse_infinite
from lincore.io.tables.formats.workbooks import is_workbook
from lincore.io.tables.formats.zipped import read_zipped_table
from lincore.io.tables.options import TableOptions
from lincore.io.tables.table import Table, frame_to_table
from lincore.limits import is_zip

# Options of `load` for images, and for row weights.
_OF_IMAGES = {"size", "colour", "fit", "pattern"}
_COUNTING = {"weights", "frequencies"}

if TYPE_CHECKING:
    from lincore.io.images.decode import Fit
    from lincore.io.tables.text.options import ReadOptions

    Source: TypeAlias = str | os.PathLike[str] | BinaryIO | bytes | pd.DataFrame | tuple[Any, Any]


def load(
    source: Source,
    *,
    target: str | int | None = None,
    name: str | None = None,
    size: tuple[int, int] | None = None,
    colour: bool = False,
    fit: Fit = "pad",
    pattern: str | None = None,
    options: ReadOptions | None = None,
    weights: Any = None,
    frequencies: Any = None,
    **choices: Any,
) -> Dataset:
    r"""Load a table, a zip of images in class folders, or an npz of arrays.

    Parameters
    ----------
    source : path, open binary file, bytes, DataFrame or (X, y)
        Or a table of another library that Arrow can read (polars, DuckDB, PyArrow).
        A zip or npz is recognised by its contents (a zip with a single table is read as that
        table); any other file is read as a table. Arrays are used unchanged: `X` of shape (n, p),
        or (n, height, width) in uint8 for grey images.
    target : str or int, optional
        The column of the classes, by name or by position (negative ones count from the end).
        Default: guessed from names and contents. For tables only.
    name : str, optional
        Name of the data. The file's name when not given.
    size : (height, width), optional
        Size of all images in pixels. This and the following are for zips of images only.
    colour : bool
        Keep colours instead of converting to grey.
    fit : {"pad", "crop", "stretch"}
        How images are resized.
    pattern : str, optional
        Extracts the class or the group from a file's name: see `images.ImageOptions`.
    options : ReadOptions, optional
        Encoding, separator, header, missing-value codes and so on, to override detection. For text
        files only.
    weights, frequencies : str or array-like of shape (n,), optional
        Row weights, as sampling weights or as numbers of equal rows: a column name of a table, or
        numbers for (X, y). See `lincore.data.with_row_weights`.
    **choices
        Roles of columns, missing values, rare levels, bins and so on: the fields of
        `lincore.io.TableOptions`. For tables only.

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
    asked = {
        "target": target is not None,
        "size": size is not None,
        "colour": colour,
        "fit": fit != "pad",
        "pattern": pattern is not None,
        "options": options is not None,
        "weights": weights is not None,
        "frequencies": frequencies is not None,
    }
    given = [*(option for option, is_asked in asked.items() if is_asked), *choices]
    if isinstance(source, tuple):
        _refuse_others(given, "A pair (X, y)", _COUNTING)
        data = arrays_to_dataset(*source, name=name or "arrays")
        return with_row_weights(data, weights=weights, frequencies=frequencies)
    found = _open(source, name, options)
    if isinstance(found, Table):
        _refuse_others(given, "A table", set(given) - _OF_IMAGES)
        named = _counting_columns(weight=weights, frequency=frequencies)
        choices |= {"roles": {**choices.get("roles", {}), **named}} if named else {}
        return table_to_dataset(found, target, TableOptions(**choices))
    kind, raw, name = found
    if kind == "arrays":
        _refuse_others(given, "An npz of arrays", set())
        return read_npz(raw, name)
    _refuse_others(given, "A zip of images", _OF_IMAGES)
    return read_image_zip(raw, name, ImageOptions(size, colour, fit, pattern))


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
    source : path, open binary file, bytes or DataFrame
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
    found = _open(source, name, options)
    return found if isinstance(found, Table) else None


def _open(
    source: Any, name: str | None, options: ReadOptions | None
) -> Table | tuple[str, bytes, str]:
    """Return a table, or the result of `recognise_file` for other files."""
    if is_frame(source):
        return frame_to_table(as_frame(source), name or "table")
    large = large_path(source)
    if large is not None:
        return read_table(large, name or large.name, options)
    kind, raw, name = recognise_file(*read_source(source, name))
    return read_table(raw, name, options) if kind == "table" else (kind, raw, name)


def recognise_file(
    raw: bytes, name: str
) -> tuple[Literal["table", "arrays", "images"], bytes, str]:
    """Return the kind of a file by its content, and the file or the only table in a zip.

    Parameters
    ----------
    raw : bytes
        Of the whole file.
    name : str
        Of the file, for messages.

    Returns
    -------
    kind : {"table", "arrays", "images"}
    raw : bytes
        Of the file, or of the table that was in the zip.
    name : str
        Of the same.

    Raises
    ------
    DataError
        If it is a document, or a zip that cannot be read.

    Examples
    --------
    >>> recognise_file(b"length,species", "iris.csv")
    ('table', b'length,species', 'iris.csv')
    """
    if not is_zip(raw) or is_workbook(raw):
        return "table", raw, name
    inner = read_zipped_table(raw, name)
    if inner is not None and len(inner.paths) == 1:
        return "table", inner.raw, PurePosixPath(inner.path).name
    if inner is not None:
        return "table", raw, name
    return "arrays" if is_npz(raw) else "images", raw, name


def _refuse_others(given: Sequence[str], what: str, allowed: Collection[str]) -> None:
    """Reject an option that does not apply to the kind of source."""
    for option in given:
        if option not in allowed:
            raise DataError(
                f"{what} has no option {option!r}.",
                where=f"option {option}",
                remedy=f"Leave {option} out.",
            )


def arrays_to_dataset(X: Any, y: Any, *, name: str = "arrays") -> Dataset:
    """Build a data set from arrays unchanged: no column is described or left out."""
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
    if X.dtype != np.uint8:
        X = _as_float(X, name)
        refuse_infinite(X, features, name, lambda row: f"data row {row + 1}")
    codes, classes = encode_labels(y, name)
    notices = lone_class_notices(codes, classes)
    return Dataset(name, X, codes, classes, features, image_shape=shape, notices=notices)


def _as_float(X: np.ndarray, name: str) -> np.ndarray:
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"X contains something that is not a number: {error}.",
            where=name,
            remedy="Encode text as numbers first, or load a DataFrame.",
        ) from error
