"""Headers, common size, grey levels and pixels of a collection of images, read in parallel."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from math import prod
from typing import TypeAlias

import numpy as np

from lincore.data.dataset import ImageScale
from lincore.errors import DataError, Notice
from lincore.io.files.archives import SkippedFile
from lincore.io.images._collection import ImageCollection, ImageFile
from lincore.io.images.decode import Fit, Header, decoded, grey_range, read_header
from lincore.io.images.grey_levels import WHITE_OF_16_BITS, Levels, Range, common_levels
from lincore.limits import Limits
from lincore.utils.threads import n_threads
from lincore.utils.typing import Progress

Size: TypeAlias = tuple[int, int]  # height and width, in pixels

# With a smaller share there is no common size: photographs of all sizes.
_FREQUENT = 0.2
_FITTED = {"pad": "with bars at the sides", "crop": "their middle", "stretch": "stretched"}
_SAMPLED_IMAGES = 9
_SAMPLED_SHAPE = (24, 24, 3)
# Minimum mean difference between the colour channels of a colour image; less is a scanner's tint.
_COLOURED = 6.0
# Items between two checks of the clock.
_CHUNK = 64
_MOST_WORKERS = 8


def common_shape(
    sizes: Counter[Size], asked: Size | None, colours: tuple[int, ...], name: str, limits: Limits
) -> tuple[Size, tuple[int, ...]]:
    """Return the most frequent size, and the common shape of all images."""
    if sum(prod(size) * count for size, count in sizes.items()) > limits.max_source_pixels:
        raise DataError(
            f"The images have over {limits.max_source_pixels / 1e9:g} billion pixels.",
            where=name,
            remedy="Zip fewer or smaller images.",
        )
    common = asked or _usual_size(sizes)
    (height, width), most = common, limits.max_features // prod(colours)
    if height * width > most:
        factor = (most / (height * width)) ** 0.5
        height = min(max(int(height * factor), 1), most)
        width = min(max(int(width * factor), 1), most // height)
    shape = (height, width, *colours)
    if sizes.total() * prod(shape) > limits.max_total_pixels:
        raise DataError(
            f"{sizes.total():,} images of {_format_shape(shape)} are too many.",
            where=name,
            remedy="Choose a smaller size, for example half of it, or zip fewer images.",
        )
    return common, shape


def _usual_size(sizes: Counter[Size]) -> Size:
    """Return the most frequent size, or the median if no size is frequent."""
    size, count = sizes.most_common(1)[0]
    if count >= _FREQUENT * sizes.total():
        return size
    sides = np.array(list(sizes.elements()))
    height, width = np.median(sides, axis=0).astype(int).tolist()
    return height, width


def _format_shape(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} × {shape[1]} pixels (height × width)"


def resized_notices(
    sizes: Counter[Size], common: Size, shape: tuple[int, ...], fit: str | None, name: str
) -> list[Notice]:
    """Report which images were resized; `fit` is the method, or None if requested."""
    notices = []
    if shape[:2] != tuple(common):
        sizes_text = f"Images of {common[0]} × {common[1]} pixels are too large"
        sentence = f"{sizes_text}: scaled down to {_format_shape(shape)}."
        remedy = "Choose a smaller size, or crop the images."
        notices.append(Notice(sentence, name, remedy, "LIN081"))
    others = sizes.total() - sizes[common]
    if others and fit is not None:
        which = f"{others} of {sizes.total()} images had a different size"
        if len(sizes) > 1 and max(sizes.values()) < _FREQUENT * sizes.total():
            which = f"The {sizes.total()} images have {len(sizes)} different sizes"
        sentence = f"{which}: resized to {_format_shape(shape)}, {_FITTED[fit]}."
        remedy = "Zip images of one size to keep every pixel."
        notices.append(Notice(sentence, name, remedy, "LIN082"))
    return notices


def read_headers(
    collection: ImageCollection,
    images: Sequence[ImageFile],
    progress: Progress | None,
    limits: Limits,
) -> dict[int, Header]:
    """Read the header of every image, by number; add damaged ones to ``collection.skipped``."""
    headers: list[Header | None] = [None] * len(images)

    def look(i: int) -> None:
        number = images[i].number
        try:
            headers[i] = read_header(collection.read(number), collection.paths[number], limits)
        except SkippedFile as reason:
            collection.skipped[number] = str(reason)

    run_in_threads(look, len(images), "Looking at images", progress)
    return {
        image.number: header
        for image, header in zip(images, headers, strict=True)
        if header is not None
    }


def find_grey_levels(
    collection: ImageCollection,
    headers: Mapping[int, Header],
    scale: ImageScale,
    progress: Progress | None,
) -> tuple[dict[int, Levels], ImageScale]:
    """Return the black and white levels of each image with more than 256 grey levels."""
    # All integer images share levels, and so do all images of fractions: from a known scale, or
    # estimated, as in the returned scale.
    numbers = [number for number, header in headers.items() if header.is_deep]
    ranges: dict[int, Range] = {}

    def look(i: int) -> None:
        # Damage is reported when the image is decoded.
        with suppress(SkippedFile):
            ranges[numbers[i]] = grey_range(collection.read(numbers[i]))

    if numbers:
        run_in_threads(look, len(numbers), "Looking for black and white", progress)
    levels_of: dict[int, Levels] = {}
    for whole in (True, False):
        kind = {n: ends for n, ends in ranges.items() if isinstance(ends[1], int) == whole}
        known = scale.whole if whole else scale.fraction
        levels = Levels(*known) if known else common_levels(list(kind.values()), whole=whole)
        if levels is not None:
            levels_of |= dict.fromkeys(kind, levels)
            ends = float(levels.black), float(levels.white)
            scale = scale._replace(whole=ends) if whole else scale._replace(fraction=ends)
    return levels_of, scale


def brightened_notices(levels: Mapping[int, Levels], name: str) -> list[Notice]:
    """Report the white level if it differs from that of 16 bits."""
    usual = (1.0, WHITE_OF_16_BITS)
    unusual = sorted({scale for scale in levels.values() if scale.white not in usual})
    remedy = "Save the images with 8 bits to choose it yourself."
    return [
        Notice(f"Grey levels from {low:,g} (black) to {high:,g} (white).", name, remedy, "LIN083")
        for low, high in unusual
    ]


def decode_pixels(
    collection: ImageCollection,
    images: Sequence[ImageFile],
    shape: tuple[int, ...],
    fit: Fit,
    levels: Mapping[int, Levels],
    progress: Progress | None,
) -> tuple[np.ndarray, list[ImageFile]]:
    """Decode all images into (n, pixels) uint8; add damaged ones to ``collection.skipped``."""
    X = np.empty((len(images), prod(shape)), dtype=np.uint8)

    def decode(i: int) -> None:
        number = images[i].number
        try:
            X[i] = decoded(collection.read(number), shape, fit, levels.get(number))
        except SkippedFile as reason:
            collection.skipped[number] = str(reason)

    run_in_threads(decode, len(images), "Decoding images", progress)
    is_intact = np.array([image.number not in collection.skipped for image in images], dtype=bool)
    if is_intact.all():
        return X, list(images)
    # Compacted in place: a second array might not fit into memory.
    intact_rows = np.flatnonzero(is_intact).tolist()
    for target, row in enumerate(intact_rows):
        X[target] = X[row]
    return X[: len(intact_rows)], [images[i] for i in intact_rows]


def grey_notices(collection: ImageCollection, images: Sequence[ImageFile]) -> tuple[Notice, ...]:
    """Report if colour images were converted to grey, based on a few of them."""
    step = max(1, len(images) // _SAMPLED_IMAGES)
    sampled = images[::step][:_SAMPLED_IMAGES]
    n_coloured = 0
    for image in sampled:
        # An image that can be read in grey may still have damaged colours.
        with suppress(SkippedFile):
            pixels = decoded(collection.read(image.number), _SAMPLED_SHAPE, "stretch")
            n_coloured += np.ptp(pixels.reshape(-1, 3), axis=1).mean() > _COLOURED
    if 3 * n_coloured < max(len(sampled), 1):
        return ()
    sentence = "The images are in colour and were converted to grey, one number per pixel."
    remedy = "Keep the colours: three numbers per pixel."
    return (Notice(sentence, collection.name, remedy, "LIN080"),)


def run_in_threads(
    work: Callable[[int], None], count: int, task: str, progress: Progress | None = None
) -> None:
    """Call ``work(0)`` to ``work(count - 1)`` in threads, in any order."""
    # Threads, not processes: decoding releases the GIL, and a process would start the dashboard
    # again.
    stop = threading.Event()

    def chunk(first: int) -> None:
        for i in range(first, min(first + _CHUNK, count)):
            if stop.is_set():
                return
            work(i)

    with ThreadPoolExecutor(min(n_threads(), _MOST_WORKERS), "decode") as pool:
        futures = [pool.submit(chunk, first) for first in range(0, count, _CHUNK)]
        try:
            for i in range(len(futures) + 1):
                n_done = min(i * _CHUNK, count)
                if progress is not None and progress(n_done, count, task) is False:
                    raise DataError("Reading was stopped.", remedy="Load the file again.")
                if i < len(futures):
                    futures[i].result()
        finally:
            # With nothing left to do this changes nothing.
            stop.set()
            pool.shutdown(cancel_futures=True)
