"""Untrusted images, in a zip or as files, to a data set or to new rows of one."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset, ImageScale, Skipped
from lincore.data.frames import display_name, pixel_names
from lincore.data.labels import encode_labels, lone_class_notices, natural_key, positions
from lincore.errors import DataError, Notice
from lincore.fields.bounds import Between, Name
from lincore.fields.field import Field
from lincore.io.images._collection import ImageCollection, ImageFile, find_images
from lincore.io.images._pixels import (
    brightened_notices,
    common_shape,
    decode_pixels,
    find_grey_levels,
    grey_notices,
    read_headers,
    resized_notices,
)
from lincore.io.images.decode import Fit
from lincore.limits import LIMITS, Limits, Readable, read_limited
from lincore.utils.typing import Progress

_Pixels: TypeAlias = Annotated[int, Between(1, 16_384)]
_PADDED = ImageScale()
_SEPARATE = (
    "Zip one folder for each class, with the images of that class inside, or add a CSV file of "
    "their names and classes."
)


@dataclass(frozen=True)
class ImageOptions:
    r"""Import options of images: size, colour, classes, names.

    Parameters
    ----------
    size : (height, width), optional
        Size of all images in pixels. Default: the most frequent size.
    colour : bool
        Red, green and blue instead of grey: three numbers per pixel. If colour images are converted
        to grey, a notice says so.
    fit : {"pad", "crop", "stretch"}
        How images are resized: padded with the colour of the border, cropped to the centre, or
        stretched.
    pattern : str, optional
        A regular expression that extracts the class from a file name (group ``label``), or rows
        that belong together (group ``group``): ``^(?P<label>[A-Za-z]+)`` for cat_01.png. Guessed if
        there are no folders.
    level : int, optional
        Level of the class folder, from 0 for the outermost, ignoring train and test folders.
        Default: detected.
    white : float, optional
        White level of images with more than 8 bits (black is 0). Default: the maximum of the
        smallest bit depth that contains all values.
    """

    size: (
        Annotated[
            tuple[_Pixels, _Pixels], Field("Size", "Height and width of all images in pixels.")
        ]
        | None
    ) = None
    colour: Annotated[
        bool,
        Field(
            "In colour",
            "Red, green and blue instead of grey levels: three times as many features.",
        ),
    ] = False
    fit: Annotated[
        Fit,
        Field(
            "Resizing",
            "How images are resized to the common size.",
            choices={
                "pad": "Whole, with bars at the sides",
                "crop": "Cropped to the middle",
                "stretch": "Stretched",
            },
        ),
    ] = "pad"
    pattern: (
        Annotated[
            Name,
            Field(
                "Pattern of the file names",
                "A regular expression that finds the class (?P<label>…) or the group (?P<group>…) "
                "in a file's name.",
            ),
        ]
        | None
    ) = None
    level: (
        Annotated[
            int,
            Field(
                "Folder that is the class",
                "Counted from outside, folders called train and test left out.",
                low=0,
                high=100,
                choices={
                    None: "As found",
                    0: "The outermost",
                    1: "The second",
                    2: "The third",
                    3: "The fourth",
                },
                free=True,
            ),
        ]
        | None
    ) = None
    white: (
        Annotated[float, Field("White level", "Of images with more than 8 bits.", low=1, high=1e9)]
        | None
    ) = None


def read_image_zip(
    raw: bytes | Readable,
    name: str,
    options: ImageOptions = ImageOptions(),
    *,
    progress: Progress | None = None,
    limits: Limits = LIMITS,
) -> Dataset:
    """Read images from a zip; the class of an image is its folder.

    Nothing is written to disk. Folders of training and test images set `given_test`. In a zip
    without class folders, a table of names and classes gives the classes, or the file names do
    (`ImageOptions.pattern`).

    Parameters
    ----------
    raw : bytes or open binary file
    name : str
        The file's name.
    options : ImageOptions
    progress : callable, optional
        Called with (done, total, current task); returning False stops with a DataError.
    limits : Limits

    Returns
    -------
    Dataset
        `X` (n, height * width), times three for colour, uint8; rows in natural order of paths.

    Raises
    ------
    DataError
        If the zip is damaged or malicious, or contains no images or fewer than two classes.

    Examples
    --------
    >>> from lincore.io import sample, write_image_zip
    >>> digits = sample("digits")
    >>> again = read_image_zip(write_image_zip(digits), "digits.zip")
    >>> again.X.shape, again.image_shape, again.n_classes
    ((1797, 64), (8, 8), 10)
    """
    if not isinstance(raw, bytes):
        raw = read_limited(raw, name, limits)
    return _read(ImageCollection.of(raw, name, limits), options, progress, limits)


def read_image_files(
    files: Sequence[tuple[str, bytes]],
    options: ImageOptions = ImageOptions(),
    *,
    name: str = "images",
    progress: Progress | None = None,
    limits: Limits = LIMITS,
) -> Dataset:
    """Read images from single files; their folders or names give the class.

    Parameters
    ----------
    files : sequence of (name, content)
    options : ImageOptions
        The pattern is guessed if the names have no class folders.
    name : str
        Name of the data.
    progress, limits
        As for `read_image_zip`.

    Returns
    -------
    Dataset
        As returned by `read_image_zip`.

    Raises
    ------
    DataError
        If no image can be used, or fewer than two classes are found.

    Examples
    --------
    >>> import io
    >>> from PIL import Image
    >>> def blank(grey):
    ...     Image.new("L", (4, 3), grey).save(buffer := io.BytesIO(), "PNG")
    ...     return buffer.getvalue()
    >>> files = [(f"{pet}_{i}.png", blank(i)) for pet in ("cat", "dog") for i in range(2)]
    >>> data = read_image_files(files)
    >>> data.classes.tolist(), data.X[:, 0].tolist()
    (['cat', 'dog'], [0, 1, 0, 1])
    """
    return _read(ImageCollection.of(files, name, limits), options, progress, limits)


def image_limits_sentence() -> str:
    """Describe the size limits of a zip of images in one sentence.

    Examples
    --------
    >>> image_limits_sentence()
    'Zips of up to 200 MB and 100,000 files; images of up to 25 megapixels, kept at 16,384 numbers.'
    """
    return (
        f"Zips of up to {LIMITS.max_file_bytes / 1e6:,.0f} MB and {LIMITS.max_members:,} files; "
        f"images of up to {LIMITS.max_image_pixels / 1e6:,.0f} megapixels, "
        f"kept at {LIMITS.max_features:,} numbers."
    )


def _read(
    collection: ImageCollection, options: ImageOptions, progress: Progress | None, limits: Limits
) -> Dataset:
    name = collection.name
    _check(options, name)
    images, notices = find_images(collection, options.pattern, options.level)
    with _without_warnings():
        headers = read_headers(collection, images, progress, limits)
        images = [image for image in images if image.number in headers]
        _require_classes(images, collection)
        sizes = {number: header[:2] for number, header in headers.items()}
        colours = (3,) if options.colour else ()
        common, shape = common_shape(Counter(sizes.values()), options.size, colours, name, limits)
        known = None if options.white is None else (0.0, float(options.white))
        scale = ImageScale(options.fit, known, known)
        levels, scale = find_grey_levels(collection, headers, scale, progress)
        X, images = decode_pixels(collection, images, shape, options.fit, levels, progress)
        greyed = () if options.colour else grey_notices(collection, images)
    _require_classes(images, collection)
    kept_sizes = Counter(sizes[image.number] for image in images)
    fit = options.fit if options.size is None else None
    resized = resized_notices(kept_sizes, common, shape, fit, name)
    brightened = brightened_notices(levels, name) if options.white is None else []
    codes, classes = encode_labels(np.array([p.label for p in images], dtype=object), name)
    tested, given = np.array([image.tests for image in images]), list[Notice]()
    is_split = tested.any() and not tested.all()
    if is_split:
        sizes_text = f"{(~tested).sum()} training and {tested.sum()} test images"
        sentence, remedy = (
            f"The zip defines a split: {sizes_text}.",
            "Choose the given split to use it.",
        )
        given = [Notice(sentence, name, remedy, "LIN084")]
    groups, group_names = None, tuple[str, ...]()
    if any(image.group for image in images):
        # Images without a group form their own.
        named = [image.group or f"{image.label} #{image.number}" for image in images]
        group_names = tuple(sorted(set(named), key=natural_key))
        groups = positions(np.array(named, dtype=object), np.array(group_names, dtype=object))
    return Dataset(
        name=display_name(name),
        X=X,
        codes=codes,
        classes=classes,
        feature_names=pixel_names(*shape),
        row_names=tuple(collection.paths[image.number] for image in images),
        given_test=tested if is_split else None,
        image_shape=shape,
        image_scale=scale,
        notices=(
            *notices,
            *greyed,
            *resized,
            *brightened,
            *given,
            *lone_class_notices(codes, classes),
        ),
        skipped=collection.skipped_files(),
        groups=groups,
        group_names=group_names,
    )


class NewImages(NamedTuple):
    """Pixels of images of unknown class."""

    X: NDArray[np.uint8]  # (n, pixels)
    paths: tuple[str, ...]  # of the files, in natural order
    n_resized: int  # number of images with another size than the common one
    skipped: tuple[Skipped, ...]  # files that are not images or cannot be used, and why


def read_new_images(
    source: bytes | Sequence[tuple[str, bytes]],
    shape: tuple[int, ...],
    scale: ImageScale = _PADDED,
    *,
    name: str = "images",
    progress: Progress | None = None,
) -> NewImages:
    """Read images from a zip, or single files, regardless of folders."""
    collection = ImageCollection.of(source, name, LIMITS)
    images = [ImageFile(number) for number in collection.images()]
    with _without_warnings():
        headers = read_headers(collection, images, progress, LIMITS)
        images = [image for image in images if image.number in headers]
        n_pixels = sum(header.height * header.width for header in headers.values())
        n_kept = len(images) * np.prod(shape)
        if n_pixels > LIMITS.max_source_pixels or n_kept > LIMITS.max_total_pixels:
            raise DataError(
                f"{len(images):,} images have too many pixels.",
                where=name,
                remedy="Zip fewer or smaller images.",
            )
        levels, _ = find_grey_levels(collection, headers, scale, progress)
        X, images = decode_pixels(collection, images, shape, scale.fit, levels, progress)
    if not images:
        raise collection.without_images("Upload images, or a zip of them.")
    paths = tuple(collection.paths[image.number] for image in images)
    resized = sum(headers[image.number][:2] != shape[:2] for image in images)
    return NewImages(X, paths, resized, collection.skipped_files())


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Ignore Pillow's warnings of large or odd images: limits and skipped files handle them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="PIL")
        yield


def _check(options: ImageOptions, name: str) -> None:
    size = options.size
    if size is not None and (len(size) != 2 or min(size) < 1):
        raise DataError(f"{size} is not a size.", where=name, remedy="Give (height, width).")
    if options.fit not in get_args(Fit):
        message, remedy = f"There is no resize method {options.fit!r}.", ", ".join(get_args(Fit))
        raise DataError(message, where=name, remedy=f"Use {remedy}.")
    if options.white is not None and not 0 < options.white < np.inf:
        message = f"The white level cannot be {options.white}."
        raise DataError(message, where=name, remedy="Give a number above zero.")


def _require_classes(images: Sequence[ImageFile], collection: ImageCollection) -> None:
    """Reject a collection without images, or with a single class."""
    labels = {image.label for image in images}
    if not labels:
        raise collection.without_images(f"{_SEPARATE} A table: save it as CSV.")
    if len(labels) == 1:
        raise DataError(
            f"All images are of one class: {labels.pop()}.", where=collection.name, remedy=_SEPARATE
        )
