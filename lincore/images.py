"""A zip of images in class folders, read in memory and with suspicion, to a data set and back."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from PIL import Image

from lincore.archives import UnusableFile, open_zip, read_entry
from lincore.datasets import Dataset, Skipped
from lincore.errors import DataError, Notice
from lincore.labels import (
    display_name,
    encode_labels,
    lone_class_notices,
    natural_key,
    pixel_names,
)
from lincore.limits import LIMITS, Limits, Readable, check_size, read_limited
from lincore.pictures import grey_pixels, image_size

TRAIN_FOLDERS = frozenset({"train", "training"})
TEST_FOLDERS = frozenset({"test", "testing", "val", "validation"})

_SPLIT_FOLDERS = TRAIN_FOLDERS | TEST_FOLDERS
_SEPARATE = "Zip one folder for each class, with the images of that class inside."


@dataclass(frozen=True)
class _Picture:
    """One image of the archive, not yet decoded."""

    entry: zipfile.ZipInfo
    path: str
    label: str
    tests: bool
    size: tuple[int, int]


def read_image_zip(
    raw: bytes | Readable,
    name: str,
    *,
    size: tuple[int, int] | None = None,
    limits: Limits = LIMITS,
) -> Dataset:
    """Read grey images from a zip; the class of an image is the folder that it lies in.

    Nothing is written to disk. Folders called train and test (training, testing, val, validation)
    are no classes where both occur: they set `given_test`.

    Parameters
    ----------
    raw : bytes or open binary file
    name : str
        The file's name.
    size : (height, width), optional
        In pixels, to which every image is brought. The most frequent size when not given.
    limits : Limits

    Returns
    -------
    Dataset
        `X` (n, height * width) uint8, rows in natural order of their paths.

    Raises
    ------
    DataError
        When the zip is damaged or hostile, holds no images, or fewer than two classes of them.

    Examples
    --------
    >>> from lincore.samples import sample
    >>> digits = sample("digits")
    >>> again = read_image_zip(write_image_zip(digits), "digits.zip")
    >>> again.X.shape, again.image_shape, again.n_classes
    ((1797, 64), (8, 8), 10)
    """
    if not isinstance(raw, bytes):
        raw = read_limited(raw, name, limits)
    check_size(len(raw), name, limits)
    skipped: list[Skipped] = []
    # Pillow warns of large and of odd images; here the limits and the skipped files say so.
    with open_zip(raw, name, limits) as archive, warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="PIL")
        pictures = list(_pictures(archive, skipped, limits))
        _require(pictures, name, skipped)
        shape, notices = _common_shape(pictures, name, size, limits)
        X, pictures = _decode_all(archive, pictures, shape, skipped, limits)
    _require(pictures, name, skipped)
    codes, classes = encode_labels(np.array([p.label for p in pictures], dtype=object), name)
    given_test, given = _given_test(pictures, name)
    return Dataset(
        name=display_name(name),
        X=X,
        codes=codes,
        classes=classes,
        feature_names=pixel_names(*shape),
        row_names=tuple(picture.path for picture in pictures),
        given_test=given_test,
        image_shape=shape,
        notices=(*notices, *given, *lone_class_notices(codes, classes)),
        skipped=tuple(sorted(skipped, key=lambda file: _path_key(file.name))),
    )


def write_image_zip(data: Dataset) -> bytes:
    """Write images as a zip that `read_image_zip` reads back: <name>/<class>/<00001>.png.

    Parameters
    ----------
    data : Dataset
        Of grey images.

    Returns
    -------
    bytes
        The rows of each class in their order; the same bytes for the same data.

    Raises
    ------
    DataError
        When the rows are no images.
    """
    if data.image_shape is None or data.X.dtype != np.uint8:
        raise DataError("The rows are no images.", where=data.name, remedy="Save it as a table.")
    (top,) = _folder_names([data.name])
    folders = _folder_names([str(label) for label in data.classes])
    written = Counter[int]()
    buffer = io.BytesIO()
    # PNG is packed already.
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for code, pixels in zip(data.codes.tolist(), data.X, strict=True):
            written[code] += 1
            png = io.BytesIO()
            Image.fromarray(pixels.reshape(data.image_shape)).save(png, "PNG")
            # A ZipInfo of its own has a fixed date.
            entry = zipfile.ZipInfo(f"{top}/{folders[code]}/{written[code]:05}.png")
            archive.writestr(entry, png.getvalue())
    return buffer.getvalue()


def _pictures(
    archive: zipfile.ZipFile, skipped: list[Skipped], limits: Limits
) -> Iterator[_Picture]:
    """Look into the header of every image; add all other files to `skipped`."""
    located: list[tuple[zipfile.ZipInfo, str, list[str]]] = []
    for entry in archive.infolist():
        path = entry.filename.replace("\\", "/")
        if path.endswith("/"):
            continue
        try:
            located.append((entry, path, _folders(path)))
        except UnusableFile as reason:
            skipped.append(Skipped(path, str(reason)))
    found = {folder.casefold() for _, _, folders in located for folder in folders}
    splits = bool(found & TRAIN_FOLDERS and found & TEST_FOLDERS)
    for entry, path, folders in sorted(located, key=lambda file: _path_key(file[1])):
        try:
            label, tests = _class_of(folders, splits)
            size = image_size(read_entry(archive, entry, limits), path, limits)
            yield _Picture(entry, path, label, tests, size)
        except UnusableFile as reason:
            skipped.append(Skipped(path, str(reason)))


def _path_key(path: str) -> list[tuple[Any, ...]]:
    return [natural_key(part) for part in path.split("/")]


def _folders(path: str) -> list[str]:
    """Return the folders above a file."""
    parts = path.split("/")
    if path.startswith("/") or re.match("[A-Za-z]:/", path) or ".." in parts:
        raise UnusableFile("its path leads out of the zip")
    folders = [part for part in parts[:-1] if part not in ("", ".")]
    if any(part.startswith((".", "__MACOSX")) for part in (*folders, parts[-1])):
        raise UnusableFile("hidden, or a system's own (__MACOSX)")
    return folders


def _class_of(folders: Sequence[str], splits: bool) -> tuple[str, bool]:
    """Return the innermost folder that is no train or test folder, and whether it is for tests."""
    parts = [f.casefold() for f in folders if splits and f.casefold() in _SPLIT_FOLDERS]
    labels = [f for f in folders if not splits or f.casefold() not in _SPLIT_FOLDERS]
    if not labels:
        raise UnusableFile("not inside a class folder")
    return labels[-1], bool(parts) and parts[-1] in TEST_FOLDERS


def _require(pictures: Sequence[_Picture], name: str, skipped: Sequence[Skipped]) -> None:
    """Refuse a zip without images, or with images of one class."""
    labels = {picture.label for picture in pictures}
    if not labels:
        first = f"; {skipped[0].name}: {skipped[0].reason}" if skipped else ""
        raise DataError(
            f"The zip holds no image that can be used ({len(skipped)} files skipped{first}).",
            where=name,
            remedy=f"{_SEPARATE} A table or an Excel workbook: save it as CSV.",
        )
    if len(labels) == 1:
        raise DataError(
            f"All images lie in one class folder: {labels.pop()}.", where=name, remedy=_SEPARATE
        )


def _common_shape(
    pictures: Sequence[_Picture], name: str, size: tuple[int, int] | None, limits: Limits
) -> tuple[tuple[int, int], list[Notice]]:
    """Return the height and width that all images are brought to."""
    if size is not None and (len(size) != 2 or min(size) < 1):
        raise DataError(f"The size {size} is none.", where=name, remedy="Give (height, width).")
    if sum(prod(picture.size) for picture in pictures) > limits.max_source_pixels:
        raise DataError(
            f"The images have over {limits.max_source_pixels / 1e9:g} billion pixels.",
            where=name,
            remedy="Zip fewer or smaller images.",
        )
    sizes = Counter(picture.size for picture in pictures)
    common = (size[0], size[1]) if size else sizes.most_common(1)[0][0]
    shape = _scaled_down(common, limits.max_features)
    said = f"{shape[0]} × {shape[1]} pixels (height × width)"
    notices = []
    if shape != common:
        what = f"Images of {common[0]} × {common[1]} pixels are too large: scaled down to {said}."
        notices.append(Notice(what, name, "Give a smaller size, or cut the images out."))
    others = len(pictures) - sizes[common]
    if others and size is None:
        what = f"{others} of {len(pictures)} images had another size: resized to {said}."
        notices.append(Notice(what, name, "Zip images of one size to keep every pixel."))
    if len(pictures) * prod(shape) > limits.max_total_pixels:
        raise DataError(
            f"{len(pictures):,} images of {said} are too many.",
            where=name,
            remedy="Give a smaller size, for example half of it, or zip fewer images.",
        )
    return shape, notices


def _scaled_down(size: tuple[int, int], max_pixels: int) -> tuple[int, int]:
    height, width = size
    if height * width <= max_pixels:
        return size
    factor = (max_pixels / (height * width)) ** 0.5
    height = min(max(int(height * factor), 1), max_pixels)
    return height, min(max(int(width * factor), 1), max_pixels // height)


def _decode_all(
    archive: zipfile.ZipFile,
    pictures: Sequence[_Picture],
    shape: tuple[int, int],
    skipped: list[Skipped],
    limits: Limits,
) -> tuple[np.ndarray, list[_Picture]]:
    """Decode one image at a time into (n, height * width) uint8; add the damaged to `skipped`."""
    X = np.empty((len(pictures), prod(shape)), dtype=np.uint8)
    read: list[_Picture] = []
    for picture in pictures:
        try:
            X[len(read)] = grey_pixels(read_entry(archive, picture.entry, limits), shape)
            read.append(picture)
        except UnusableFile as reason:
            skipped.append(Skipped(picture.path, str(reason)))
    return X[: len(read)], read


def _given_test(
    pictures: Sequence[_Picture], name: str
) -> tuple[np.ndarray | None, tuple[Notice, ...]]:
    tested = np.array([picture.tests for picture in pictures])
    if not tested.any() or tested.all():
        return None, ()
    what = f"The zip brings a split: {(~tested).sum()} images to train on, {tested.sum()} to test."
    return tested, (Notice(what, name, "Split as given to use it."),)


def _folder_names(labels: Sequence[str]) -> list[str]:
    """Return a folder name for each label that any system can hold, each different."""
    folders: list[str] = []
    for label in labels:
        folder = re.sub(r'[\x00-\x1f/\\:*?"<>|]', "_", label).lstrip(".").strip() or "_"
        while folder in folders:
            folder += "_"
        folders.append(folder)
    return folders
