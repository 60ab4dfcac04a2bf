"""Features and labels from an untrusted npz file."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import isqrt, prod
from typing import Any, NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.frames import display_name, numbered, pixel_names
from lincore.data.labels import encode_labels, lone_class_notices
from lincore.errors import DataError, Notice
from lincore.io.files.archives import list_zip
from lincore.io.images._classes import TEST_WORDS, TRAIN_WORDS
from lincore.limits import LIMITS, Limits, is_zip

_FEATURE_WORDS = frozenset({"x", "data", "images", "features", "pixels"})
_LABEL_WORDS = frozenset({"y", "label", "labels", "target", "targets", "classes"})
_ROLES = dict.fromkeys(TRAIN_WORDS, "train") | dict.fromkeys(TEST_WORDS, "test")
_SAVE = "Save it by numpy.savez(path, X_train=..., y_train=..., X_test=..., y_test=...)."
# More than the header of any plain array.
_HEADER_BYTES = 4_096
# Rows with fewer bytes are not treated as square images.
_LEAST_PIXELS = 64
_LARGEST_GREY = 65_535


class _Array(NamedTuple):
    """One array of the file, of which only the header was read."""

    entry: str
    label: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def is_npz(raw: bytes) -> bool:
    """Return whether a zip contains only arrays (.npy), like an npz file."""
    # Only the first entry: listing a malicious zip of a million takes many seconds.
    length = int.from_bytes(raw[26:28], "little")
    return is_zip(raw) and raw[30 : 30 + length].endswith(b".npy")


def read_npz(raw: bytes, name: str, limits: Limits = LIMITS) -> Dataset:
    """Read an npz file with X and y, as a whole or as training and test set.

    Arrays are identified by name, in any order and case: X_train and y_train, train_images and
    train_labels, data and target, and so on; test and val form the test set. Objects and pickles,
    which could run code, are never read.

    Parameters
    ----------
    raw : bytes
    name : str
        The file's name.
    limits : Limits

    Returns
    -------
    Dataset
        `X` uint8 for images, of shape (n, h, w), (n, h, w, 1) or (n, h, w, 3) in the file; else
        float64, from (n, p).

    Raises
    ------
    DataError
        If the file is damaged or malicious, or does not contain such arrays.

    Examples
    --------
    >>> buffer = io.BytesIO()
    >>> train, test = (np.eye(2), ["a", "b"]), (np.ones((1, 2)), ["b"])
    >>> np.savez(buffer, X_train=train[0], y_train=train[1], X_test=test[0], y_test=test[1])
    >>> data = read_npz(buffer.getvalue(), "tiny.npz")
    >>> data.X.tolist(), data.given_test.tolist()
    ([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [False, False, True])
    """
    # An array is one entry, however many images it contains.
    limits = replace(limits, max_member_bytes=limits.max_total_bytes)
    for file in list_zip(raw, name, limits):
        if file.refused:
            raise _unusable(f"{file.path}: {file.refused}.", name)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            parts = _parts(_headers(archive, name), name)
            shape, notices = _row_shape([X for X, _ in parts], name)
            _check_cells(parts, shape, name, limits)
            rows = _as_pixels(_rows(archive, [X for X, _ in parts]), shape, name)
            labels = np.concatenate([_labels(archive, y) for _, y in parts])
    except DataError:
        raise
    # NumPy and zlib read untrusted bytes here.
    except Exception as error:
        raise _unusable(f"The file is damaged: {error}.", name) from error
    codes, classes = encode_labels(labels, name)
    tested = np.repeat(np.arange(len(parts)) == 1, [X.shape[0] for X, _ in parts])
    return Dataset(
        name=display_name(re.sub(r"\.npz$", "", name, flags=re.IGNORECASE)),
        X=rows,
        codes=codes,
        classes=classes,
        feature_names=pixel_names(*shape) if len(shape) > 1 else numbered("feature", shape[0]),
        given_test=tested if tested.any() else None,
        image_shape=shape if len(shape) > 1 else None,
        notices=(*notices, *lone_class_notices(codes, classes)),
    )


def _headers(archive: zipfile.ZipFile, name: str) -> Iterator[_Array]:
    """Read the header of each array, and reject invalid arrays and false sizes."""
    for entry in archive.infolist():
        with archive.open(entry) as stream:
            read = np.lib.format.read_array_header_1_0
            if np.lib.format.read_magic(stream) != (1, 0):
                read = np.lib.format.read_array_header_2_0
            shape, _, dtype = read(stream, max_header_size=_HEADER_BYTES)
            begun = stream.tell()
        shape, label = tuple(map(int, shape)), entry.filename.removesuffix(".npy")
        if dtype.hasobject or dtype.kind not in "biufUS":
            raise _unusable(f"The array {label!r} contains {dtype}, not numbers or text.", name)
        if min(shape, default=1) < 0 or prod(shape) * dtype.itemsize != entry.file_size - begun:
            raise _unusable(f"The array {label!r} differs in size from its header.", name)
        yield _Array(entry.filename, label, shape, dtype)


def _parts(arrays: Iterable[_Array], name: str) -> list[tuple[_Array, _Array]]:
    """Return (X, y) of the training set, and of the test set if there is one."""
    by_role: dict[tuple[str, str], _Array] = {}
    for array in arrays:
        words = [word for word in re.split(r"[^a-z]+", array.label.casefold()) if word]
        role = next((_ROLES[word] for word in words if word in _ROLES), "train")
        if _FEATURE_WORDS.intersection(words):
            by_role.setdefault((role, "X"), array)
        elif _LABEL_WORDS.intersection(words):
            by_role.setdefault((role, "y"), array)
    if ("train", "X") not in by_role or ("train", "y") not in by_role:
        raise _unusable("There are no arrays named X and y, or X_train and y_train.", name)
    parts = [(by_role["train", "X"], by_role["train", "y"])]
    if ("test", "X") in by_role and ("test", "y") in by_role:
        parts.append((by_role["test", "X"], by_role["test", "y"]))
    for X, y in parts:
        if len(X.shape) < 2 or prod(y.shape) != X.shape[0] or X.dtype.kind in "US":
            shapes = f"{X.label} of shape {X.shape} and {y.label} of shape {y.shape}"
            raise _unusable(f"{shapes} do not match.", name)
    return parts


def _row_shape(arrays: list[_Array], name: str) -> tuple[tuple[int, ...], list[Notice]]:
    """Return the shape of one row: (p,), (h, w) or (h, w, 3)."""
    shapes = {array.shape[1:] for array in arrays}
    shape = shapes.pop()
    if shapes:
        raise _unusable("The rows of the training and of the test set differ in shape.", name)
    if len(shape) == 3 and shape[-1] == 1:
        shape = shape[:2]
    side = isqrt(shape[0])
    if len(shape) == 1 and side**2 == shape[0] >= _LEAST_PIXELS and arrays[0].dtype == np.uint8:
        sentence = f"Rows of {shape[0]} bytes are treated as images of {side} × {side} pixels."
        remedy = "Save them as float if they are not images."
        return (side, side), [Notice(sentence, name, remedy, "LIN086")]
    if min(shape) < 1 or len(shape) > 3 or (len(shape) == 3 and shape[-1] != 3):
        raise _unusable(f"Rows of shape {shape} are neither features nor images.", name)
    return shape, []


def _check_cells(
    parts: list[tuple[_Array, _Array]], shape: tuple[int, ...], name: str, limits: Limits
) -> None:
    """Reject arrays that are too large, before reading them."""
    n_rows = sum(X.shape[0] for X, _ in parts)
    bytes_only = all(X.dtype == np.uint8 for X, _ in parts)
    most = limits.max_total_pixels if bytes_only else limits.max_cells
    widest = limits.max_features if bytes_only or len(shape) > 1 else limits.max_columns
    if n_rows == 0:
        raise _unusable("There are no rows.", name)
    if n_rows * prod(shape) > most or prod(shape) > widest:
        raise DataError(
            f"{n_rows:,} rows of {prod(shape):,} numbers are too many; {most:,} numbers in all "
            f"and {widest:,} in a row are allowed.",
            where=name,
            remedy="Save fewer rows, smaller images, or images as uint8.",
        )


def _rows(archive: zipfile.ZipFile, arrays: list[_Array]) -> np.ndarray:
    """Stack the rows of all arrays, each flattened."""
    width = prod(arrays[0].shape[1:])
    kind: Any = np.float32 if len(arrays[0].shape) > 2 else np.float64
    if all(array.dtype == np.uint8 for array in arrays):
        kind = np.uint8
    contents = (_content(archive, array) for array in arrays)
    blocks = [content.reshape(-1, width).astype(kind, copy=False) for content in contents]
    # Not copied if there is only one.
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def _content(archive: zipfile.ZipFile, array: _Array) -> np.ndarray:
    """Read an array whose header was checked."""
    # The checksum is compared at the very end.
    with archive.open(array.entry) as stream:
        read = np.lib.format.read_array
        content = read(stream, allow_pickle=False, max_header_size=_HEADER_BYTES)
        stream.read(1)
    return content


def _as_pixels(rows: np.ndarray, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Convert images to bytes with 255 as white; leave tables unchanged."""
    if rows.dtype == np.uint8:
        return rows
    # fmin, not nanmin, which warns of rows that are entirely missing.
    low, high = float(np.fmin.reduce(rows, axis=None)), float(np.fmax.reduce(rows, axis=None))
    if np.isinf([low, high]).any():
        raise _unusable("A number is infinite.", name)
    if len(shape) == 1:
        return rows
    if np.isnan(rows).any() or low < 0 or high > _LARGEST_GREY:
        raise _unusable(f"Pixels run from {low:g} to {high:g}, not from 0 to 1 or 255.", name)
    white = 1 if high <= 1 else 255 if high <= 255 else _LARGEST_GREY
    rows *= np.float32(255 / white)
    return np.rint(rows, out=rows).astype(np.uint8)


def _labels(archive: zipfile.ZipFile, y: _Array) -> np.ndarray:
    labels = _content(archive, y).ravel()
    return np.char.decode(labels, "utf-8", "replace") if y.dtype.kind == "S" else labels


def _unusable(message: str, name: str) -> DataError:
    return DataError(message, where=name, remedy=_SAVE)
