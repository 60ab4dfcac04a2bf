"""A data set of images as a zip that can be read again."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Sequence

import numpy as np
from PIL import Image

from lincore.data.dataset import Dataset
from lincore.errors import DataError


def write_image_zip(data: Dataset) -> bytes:
    """Write images as a zip for `read_image_zip`: <name>/<class>/<00001>.png.

    If the source had a test set, the folders train and test contain the classes.
    """
    if data.image_shape is None or data.X.dtype != np.uint8:
        raise DataError("The rows are not images.", where=data.name, remedy="Save it as a table.")
    (top,) = _folder_names([data.name])
    folders = _folder_names([str(label) for label in data.classes])
    tested = np.zeros(data.n_rows, dtype=bool) if data.given_test is None else data.given_test
    parts = ("train/", "test/") if tested.any() else ("",)
    written = Counter[str]()
    buffer = io.BytesIO()
    # PNG is already compressed.
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for code, tests, pixels in zip(data.codes.tolist(), tested.tolist(), data.X, strict=True):
            folder = f"{top}/{parts[tests]}{folders[code]}"
            written[folder] += 1
            png = io.BytesIO()
            Image.fromarray(pixels.reshape(data.image_shape)).save(png, "PNG")
            # An explicit ZipInfo has a fixed date.
            entry = zipfile.ZipInfo(f"{folder}/{written[folder]:05}.png")
            archive.writestr(entry, png.getvalue())
    return buffer.getvalue()


def _folder_names(labels: Sequence[str]) -> list[str]:
    """Return a distinct, portable folder name for each label."""
    folders: list[str] = []
    for label in labels:
        folder = re.sub(r'[\x00-\x1f/\\:*?"<>|]', "_", label)
        # A folder whose name begins with a dot is hidden, and not read.
        folder = re.sub(r"^[.\s]+", "", folder).rstrip() or "_"
        # Nor are the folders that macOS adds to zips.
        folder = folder.removeprefix("__") if folder.startswith("__MACOSX") else folder
        while folder in folders:
            folder += "_"
        folders.append(folder)
    return folders
