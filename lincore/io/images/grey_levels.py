"""Reduction of deep images to 256 grey levels, with one scale for a whole set.

Scanners and microscopes store 10, 12 or 14 bits in 16: treated as 16 bits, images would be nearly
black.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from PIL import Image

#: Minimum and maximum value of an image.
Range: TypeAlias = tuple[float, float]

WHITE_OF_16_BITS = 65535.0
# Of 8, 10, 12, 14 and 16 bits.
_WHITES = (255.0, 1023.0, 4095.0, 16383.0, WHITE_OF_16_BITS)


class Levels(NamedTuple):
    """The values that become black and white."""

    black: float
    white: float


def is_deep(image: Image.Image) -> bool:
    """Return whether an image has integers of more than 8 bits, or fractions."""
    return image.mode[0] in "IF"


def range_of(image: Image.Image) -> Range:
    """Return the smallest and the largest value of a deep image."""
    plain = image if image.mode in ("I", "F", "I;16") else image.convert("I")
    return cast(Range, plain.getextrema())


def own_levels(image: Image.Image) -> Levels:
    """Return the levels of a deep image by its kind: 16 bits, or fractions of 1 or 255."""
    if image.mode != "F":
        return Levels(0, WHITE_OF_16_BITS)
    return Levels(0, 1.0 if range_of(image)[1] <= 1 else _WHITES[0])


def common_levels(ranges: Sequence[Range], *, whole: bool) -> Levels | None:
    """Return levels for a whole set, so that its images can be compared."""
    known = [(least, largest) for least, largest in ranges if isfinite(least + largest)]
    if not known:
        return None
    least, largest = min(known)[0], max(most for _, most in known)
    if least < 0 and largest > least:
        return Levels(least, largest)
    whites = _WHITES if whole else (1.0, *_WHITES)
    return Levels(0, next((white for white in whites if largest <= white), largest))


def with_levels(image: Image.Image, levels: Levels) -> Image.Image:
    """Return a deep image in 256 grey levels."""
    values = np.nan_to_num(np.asarray(image, dtype=np.float32), nan=levels.black)
    values -= np.float32(levels.black)
    values *= np.float32(255 / (levels.white - levels.black))
    grey = np.clip(np.rint(values, out=values), 0, 255, out=values)
    return Image.fromarray(grey.astype(np.uint8))
