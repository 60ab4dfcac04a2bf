"""Photographs in HEIC, which pillow-heif decodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PIL import Image

from lincore.limits import LIMITS
from tests.lincore.io.images.in_memory import encoded, read_alone, reason


def test_photographs_in_heic_are_decoded_upright_and_within_limits():
    left_half_white = np.zeros((48, 96, 3), dtype=np.uint8)
    left_half_white[:, :48] = 255
    exif = Image.Exif()
    exif[0x0112] = 6
    photograph = Image.fromarray(left_half_white)
    photograph.info["exif"] = exif.tobytes()
    raw = encoded(photograph, "HEIF")
    pixels, shape = read_alone(raw)
    assert shape == (96, 48)
    pixels = pixels.reshape(shape)
    assert pixels[:40].min() > 230 > 25 > pixels[56:].max()
    few = replace(LIMITS, max_image_pixels=1_000)
    assert "too many pixels" in reason(raw, "a/turned.heic", few)
    assert "damaged" in reason(raw[: len(raw) // 2], "a/turned.heic")


def test_a_photograph_that_is_none_is_damaged():
    raw = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"
    assert reason(raw, "a/IMG_1.HEIC") == "damaged image"
