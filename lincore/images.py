"""Images of strangers, in a zip or as files, read in memory and with suspicion to a data set."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from lincore.datasets import Dataset, Skipped
from lincore.errors import DataError, Notice
from lincore.files.archives import UnusableFile, list_zip, unpack
from lincore.files.image_piles import Picture, Pile, find_pictures
from lincore.files.image_zips import write_image_zip
from lincore.files.labels import display_name, encode_labels, lone_class_notices, natural_key
from lincore.files.limits import LIMITS, Limits, Readable, check_size, read_limited
from lincore.files.over_cores import Progress, over_cores
from lincore.files.pictures import FITS, HEAD_BYTES, Fit, decoded, image_size, picture_names

__all__ = ["ImageOptions", "image_limits", "read_image_files", "read_image_zip", "write_image_zip"]

_SEPARATE = "Zip one folder for each class, with the images of that class inside."
_FITTED = {"pad": "with bars at the sides", "crop": "their middle", "stretch": "out of proportion"}


@dataclass(frozen=True)
class ImageOptions:
    r"""What is made of images, and what they are called.

    Parameters
    ----------
    size : (height, width), optional
        In pixels, to which every image is brought. The most frequent size when not given.
    colour : bool
        Red, green and blue, instead of grey.
    fit : {"pad", "crop", "stretch"}
        How an image comes to another size: whole, with bars of its border's colour; its middle;
        or out of proportion.
    pattern : str, optional
        A regular expression that finds the class in a file's name, as its group ``label``, or
        what belongs together, as its group ``group``: ``^(?P<label>[A-Za-z]+)`` for cat_01.png.
        Proposed where images lie in no folders.
    level : int, optional
        The folder that is the class, from 0 for the outermost, train and test folders left out.
        Found when not given.
    """

    size: tuple[int, int] | None = None
    colour: bool = False
    fit: Fit = "pad"
    pattern: str | None = None
    level: int | None = None


def read_image_zip(
    raw: bytes | Readable,
    name: str,
    options: ImageOptions = ImageOptions(),
    *,
    progress: Progress | None = None,
    limits: Limits = LIMITS,
) -> Dataset:
    """Read images from a zip; the class of an image is the folder that it lies in.

    Nothing is written to disk. `class_folders.place_all` says which folder is the class, and which
    are for training and testing: these set `given_test`. A zip without class folders is read by
    file names (`ImageOptions.pattern`).

    Parameters
    ----------
    raw : bytes or open binary file
    name : str
        The file's name.
    options : ImageOptions
    progress : callable, optional
        Called with (done, total, what is being done); to return False stops with a DataError.
    limits : Limits

    Returns
    -------
    Dataset
        `X` (n, height * width), times three for colour, uint8; rows in natural order of paths.

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
    files = list_zip(raw, name, limits)
    pile = Pile(
        name,
        [file.path for file in files],
        lambda i: unpack(raw, files[i], limits),
        lambda i: unpack(raw, files[i], limits, most=HEAD_BYTES),
        {},
    )
    return _read(pile, options, progress, limits)


def read_image_files(
    files: Sequence[tuple[str, bytes]],
    options: ImageOptions = ImageOptions(),
    *,
    name: str = "pictures",
    progress: Progress | None = None,
    limits: Limits = LIMITS,
) -> Dataset:
    """Read images that come as single files; their names tell the class.

    Parameters
    ----------
    files : sequence of (name, content)
    options : ImageOptions
        The pattern is proposed when not given.
    name : str
        What to call the data.
    progress, limits
        As for `read_image_zip`.

    Returns
    -------
    Dataset
        As `read_image_zip` returns it.

    Raises
    ------
    DataError
        When no image can be used, or no two classes are found.

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
    check_size(sum(len(content) for _, content in files), name, limits)
    if len(files) > limits.max_members:
        raise DataError(
            f"There are more than {limits.max_members:,} files.", where=name, remedy="Load fewer."
        )
    contents = [content for _, content in files]
    paths = [path.replace("\\", "/") for path, _ in files]
    pile = Pile(name, paths, contents.__getitem__, contents.__getitem__, {})
    return _read(pile, options, progress, limits)


def image_limits(limits: Limits = LIMITS) -> str:
    """Say in one sentence how large a zip of images may be.

    Examples
    --------
    >>> image_limits()
    'Zips of up to 200 MB and 100,000 files; images of up to 25 megapixels, kept at 16,384 numbers.'
    """
    return (
        f"Zips of up to {limits.max_file_bytes / 1e6:,.0f} MB and {limits.max_members:,} files; "
        f"images of up to {limits.max_image_pixels / 1e6:,.0f} megapixels, "
        f"kept at {limits.max_features:,} numbers."
    )


def _read(pile: Pile, options: ImageOptions, progress: Progress | None, limits: Limits) -> Dataset:
    name = pile.name
    _check(options, name)
    pictures, notices = find_pictures(pile, options.pattern, options.level)
    # Pillow warns of large and of odd images; here the limits and the skipped files say so.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="PIL")
        pictures, sizes = _sizes(pile, pictures, progress, limits)
        _require(pictures, pile)
        shape, resized = _common_shape(sizes, name, options, limits)
        X, pictures = _pixels(pile, pictures, shape, options.fit, progress)
    _require(pictures, pile)
    codes, classes = encode_labels(np.array([p.label for p in pictures], dtype=object), name)
    given_test, given = _given_test(pictures, name)
    groups, group_names = _groups(pictures)
    return Dataset(
        name=display_name(name),
        X=X,
        codes=codes,
        classes=classes,
        feature_names=picture_names(shape),
        row_names=tuple(pile.paths[picture.number] for picture in pictures),
        given_test=given_test,
        image_shape=shape,
        notices=(*notices, *resized, *given, *lone_class_notices(codes, classes)),
        skipped=tuple(Skipped(pile.paths[i], pile.skipped[i]) for i in sorted(pile.skipped)),
        groups=groups,
        group_names=group_names,
    )


def _check(options: ImageOptions, name: str) -> None:
    size = options.size
    if size is not None and (len(size) != 2 or min(size) < 1):
        raise DataError(f"The size {size} is none.", where=name, remedy="Give (height, width).")
    if options.fit not in FITS:
        raise DataError(
            f"No way to fit is called {options.fit!r}.",
            where=name,
            remedy=f"Use {', '.join(FITS)}.",
        )


def _require(pictures: Sequence[Picture], pile: Pile) -> None:
    """Refuse a pile without images, or with images of one class."""
    labels = {picture.label for picture in pictures}
    if not labels:
        first = next(iter(sorted(pile.skipped)), None)
        example = f"; {pile.paths[first]}: {pile.skipped[first]}" if first is not None else ""
        raise DataError(
            f"There is no image that can be used ({len(pile.skipped)} files skipped{example}).",
            where=pile.name,
            remedy=f"{_SEPARATE} A table or an Excel workbook: save it as CSV.",
        )
    if len(labels) == 1:
        raise DataError(
            f"All images are of one class: {labels.pop()}.", where=pile.name, remedy=_SEPARATE
        )


def _sizes(
    pile: Pile, pictures: Sequence[Picture], progress: Progress | None, limits: Limits
) -> tuple[list[Picture], Counter[tuple[int, int]]]:
    """Read the size of every image from its header; add the damaged to ``pile.skipped``."""
    sizes: list[tuple[int, int] | None] = [None] * len(pictures)

    def look(i: int) -> None:
        number = pictures[i].number
        try:
            sizes[i] = image_size(pile.read(number), pile.paths[number], limits)
        except UnusableFile as reason:
            pile.skipped[number] = str(reason)

    over_cores(look, len(pictures), "Looking at images", progress)
    usable = [p for p, size in zip(pictures, sizes, strict=True) if size is not None]
    return usable, Counter(size for size in sizes if size is not None)


def _common_shape(
    sizes: Counter[tuple[int, int]], name: str, options: ImageOptions, limits: Limits
) -> tuple[tuple[int, ...], list[Notice]]:
    """Return the shape that all images are brought to."""
    if sum(prod(size) * count for size, count in sizes.items()) > limits.max_source_pixels:
        raise DataError(
            f"The images have over {limits.max_source_pixels / 1e9:g} billion pixels.",
            where=name,
            remedy="Zip fewer or smaller images.",
        )
    common = options.size or sizes.most_common(1)[0][0]
    colours = (3,) if options.colour else ()
    height, width = _scaled_down(common, limits.max_features // prod(colours))
    said = f"{height} × {width} pixels (height × width)"
    notices = []
    if (height, width) != tuple(common):
        what = f"Images of {common[0]} × {common[1]} pixels are too large: scaled down to {said}."
        notices.append(Notice(what, name, "Give a smaller size, or cut the images out."))
    others = sizes.total() - sizes[common]
    if others and options.size is None:
        done = _FITTED[options.fit]
        what = f"{others} of {sizes.total()} images had another size: resized to {said}, {done}."
        notices.append(Notice(what, name, "Zip images of one size to keep every pixel."))
    if sizes.total() * prod((height, width, *colours)) > limits.max_total_pixels:
        raise DataError(
            f"{sizes.total():,} images of {said} are too many.",
            where=name,
            remedy="Give a smaller size, for example half of it, or zip fewer images.",
        )
    return (height, width, *colours), notices


def _scaled_down(size: tuple[int, int], max_pixels: int) -> tuple[int, int]:
    height, width = size
    if height * width <= max_pixels:
        return height, width
    factor = (max_pixels / (height * width)) ** 0.5
    height = min(max(int(height * factor), 1), max_pixels)
    return height, min(max(int(width * factor), 1), max_pixels // height)


def _pixels(
    pile: Pile,
    pictures: Sequence[Picture],
    shape: tuple[int, ...],
    fit: Fit,
    progress: Progress | None,
) -> tuple[np.ndarray, list[Picture]]:
    """Decode all images into (n, pixels) uint8; add the damaged to ``pile.skipped``."""
    X = np.empty((len(pictures), prod(shape)), dtype=np.uint8)

    def decode(i: int) -> None:
        number = pictures[i].number
        try:
            X[i] = decoded(pile.read(number), shape, fit)
        except UnusableFile as reason:
            pile.skipped[number] = str(reason)

    over_cores(decode, len(pictures), "Decoding images", progress)
    whole = np.array([picture.number not in pile.skipped for picture in pictures], dtype=bool)
    if whole.all():
        return X, list(pictures)
    # Closed up in place: a second array might not fit in memory.
    kept = np.flatnonzero(whole).tolist()
    for to, row in enumerate(kept):
        X[to] = X[row]
    return X[: len(kept)], [pictures[i] for i in kept]


def _given_test(
    pictures: Sequence[Picture], name: str
) -> tuple[np.ndarray | None, tuple[Notice, ...]]:
    tested = np.array([picture.tests for picture in pictures])
    if not tested.any() or tested.all():
        return None, ()
    what = f"The zip brings a split: {(~tested).sum()} images to train on, {tested.sum()} to test."
    return tested, (Notice(what, name, "Split as given to use it."),)


def _groups(pictures: Sequence[Picture]) -> tuple[np.ndarray | None, tuple[str, ...] | None]:
    """Return the group of each image and the groups' names, where there are any."""
    if not any(picture.group for picture in pictures):
        return None, None
    # What belongs to no group stands alone.
    found = [picture.group or f"{picture.label} #{picture.number}" for picture in pictures]
    names = sorted(set(found), key=natural_key)
    position = {name: code for code, name in enumerate(names)}
    return np.array([position[name] for name in found], dtype=np.intp), tuple(names)
