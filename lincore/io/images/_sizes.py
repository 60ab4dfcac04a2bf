"""Choice of a common size for images of different sizes."""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import TypeAlias

import numpy as np

from lincore.errors import DataError, Notice
from lincore.limits import Limits

Size: TypeAlias = tuple[int, int]  # height and width, in pixels

# With a smaller share there is no common size: photographs of all sizes.
_FREQUENT = 0.2
_FITTED = {"pad": "with bars at the sides", "crop": "their middle", "stretch": "stretched"}


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
    common = asked or usual_size(sizes)
    shape = (*_scaled_down(common, limits.max_features // prod(colours)), *colours)
    if sizes.total() * prod(shape) > limits.max_total_pixels:
        raise DataError(
            f"{sizes.total():,} images of {_format_shape(shape)} are too many.",
            where=name,
            remedy="Choose a smaller size, for example half of it, or zip fewer images.",
        )
    return common, shape


def usual_size(sizes: Counter[Size]) -> Size:
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
        what = f"Images of {common[0]} × {common[1]} pixels are too large"
        scaled = f"{what}: scaled down to {_format_shape(shape)}."
        notices.append(Notice(scaled, name, "Choose a smaller size, or crop the images.", "LIN081"))
    others = sizes.total() - sizes[common]
    if others and fit is not None:
        which = f"{others} of {sizes.total()} images had a different size"
        if len(sizes) > 1 and max(sizes.values()) < _FREQUENT * sizes.total():
            which = f"The {sizes.total()} images have {len(sizes)} different sizes"
        what = f"{which}: resized to {_format_shape(shape)}, {_FITTED[fit]}."
        notices.append(Notice(what, name, "Zip images of one size to keep every pixel.", "LIN082"))
    return notices


def _scaled_down(size: tuple[int, int], max_pixels: int) -> tuple[int, int]:
    height, width = size
    if height * width <= max_pixels:
        return height, width
    factor = (max_pixels / (height * width)) ** 0.5
    height = min(max(int(height * factor), 1), max_pixels)
    return height, min(max(int(width * factor), 1), max_pixels // height)
