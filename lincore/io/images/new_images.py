"""Images without known classes, resized to those of a model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import ImageScale, Skipped
from lincore.errors import DataError
from lincore.io.files.archives import SkippedFile, list_zip, unpack
from lincore.io.images._class_folders import folders_above
from lincore.io.images._collection import ImageCollection, ImageFile, path_key
from lincore.io.images._pixels import decode_pixels, find_grey_levels, read_headers
from lincore.io.images.decode import HEAD_BYTES, image_kind
from lincore.limits import LIMITS, check_size
from lincore.utils.typing import Progress

_PADDED = ImageScale()


class NewImages(NamedTuple):
    """Pixels of images of unknown class.

    Attributes
    ----------
    X : (n, pixels) uint8
    paths : tuple of n str
        Of the files, in natural order.
    n_resized : int
        Number of images with another size than the common one.
    skipped : tuple of Skipped
        Files that are not images or cannot be used, and why.
    """

    X: NDArray[np.uint8]
    paths: tuple[str, ...]
    n_resized: int
    skipped: tuple[Skipped, ...]


def read_new_images(
    source: bytes | Sequence[tuple[str, bytes]],
    shape: tuple[int, ...],
    scale: ImageScale = _PADDED,
    *,
    name: str = "images",
    progress: Progress | None = None,
) -> NewImages:
    """Read images from a zip, or single files, regardless of folders.

    Parameters
    ----------
    source : bytes or sequence of (name, content)
        A zip, or files.
    shape : (height, width) or (height, width, 3)
        In pixels; images are resized to it.
    scale : ImageScale
        How images are resized, and known black and white levels.
    name : str
        Of the zip, for messages.
    progress : callable, optional
        Called with (done, total, current task); returning False stops with a DataError.

    Returns
    -------
    NewImages

    Raises
    ------
    DataError
        If the zip is damaged or malicious, or contains no images.

    Examples
    --------
    >>> import io
    >>> from PIL import Image
    >>> Image.new("L", (4, 3), 200).save(buffer := io.BytesIO(), "PNG")
    >>> found = read_new_images([("a.png", buffer.getvalue()), ("b.txt", b"text")], (3, 2))
    >>> found.X.shape, found.paths, found.n_resized, found.skipped[0].reason
    ((1, 6), ('a.png',), 1, 'not an image')
    """
    collection = _collection(source, name)
    images = []
    for number, path in enumerate(collection.paths):
        try:
            folders_above(path)
            image_kind(collection.head(number), path)
        except SkippedFile as reason:
            collection.skipped[number] = str(reason)
        else:
            images.append(ImageFile(number, "", False, ""))
    images.sort(key=lambda image: path_key(collection.paths[image.number]))
    # Pillow warns of large and unusual images; here limits and skipped files handle them.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="PIL")
        headers = read_headers(collection, images, progress, LIMITS)
        images = [image for image in images if image.number in headers]
        _check_pixels(sum(h.height * h.width for h in headers.values()), len(images), shape, name)
        deep = [number for number, header in headers.items() if header.is_deep]
        levels, _ = find_grey_levels(collection, deep, scale, progress)
        X, images = decode_pixels(collection, images, shape, scale.fit, levels, progress)
    if not images:
        raise _none(collection)
    skipped = tuple(
        Skipped(collection.paths[i], why) for i, why in sorted(collection.skipped.items())
    )
    resized = sum(headers[image.number][:2] != shape[:2] for image in images)
    return NewImages(X, tuple(collection.paths[i.number] for i in images), resized, skipped)


def _collection(source: bytes | Sequence[tuple[str, bytes]], name: str) -> ImageCollection:
    if isinstance(source, bytes):
        check_size(len(source), name)
        files = list_zip(source, name)
        return ImageCollection(
            name,
            [file.path for file in files],
            lambda i: unpack(source, files[i]),
            lambda i: unpack(source, files[i], most=HEAD_BYTES),
            {},
        )
    contents = [content for _, content in source]
    check_size(sum(map(len, contents)), name)
    if len(contents) > LIMITS.max_members:
        raise DataError(
            f"There are more than {LIMITS.max_members:,} files.", where=name, remedy="Load fewer."
        )
    paths = [path.replace("\\", "/") for path, _ in source]
    return ImageCollection(name, paths, contents.__getitem__, contents.__getitem__, {})


def _check_pixels(n_pixels: int, n_images: int, shape: tuple[int, ...], name: str) -> None:
    """Reject images with too many pixels, before or after resizing."""
    if n_pixels > LIMITS.max_source_pixels or n_images * np.prod(shape) > LIMITS.max_total_pixels:
        raise DataError(
            f"{n_images:,} images have too many pixels.",
            where=name,
            remedy="Zip fewer or smaller images.",
        )


def _none(collection: ImageCollection) -> DataError:
    first = next(iter(sorted(collection.skipped)), None)
    example = ""
    if first is not None:
        example = f"; {collection.paths[first]}: {collection.skipped[first]}"
    return DataError(
        f"No image can be used ({len(collection.skipped)} files skipped{example}).",
        where=collection.name,
        remedy="Upload images, or a zip of them.",
    )
