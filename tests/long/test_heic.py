"""Photographs in HEIC, which pillow-heif decodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from lincore.io import SkippedFile
from lincore.io.images.decode import decoded, read_header
from lincore.limits import LIMITS
from tests.lincore.io.images.in_memory import encoded


def test_photographs_in_heic_are_decoded_upright_and_within_limits():
    left_half_white = np.zeros((48, 96, 3), dtype=np.uint8)
    left_half_white[:, :48] = 255
    exif = Image.Exif()
    exif[0x0112] = 6
    photograph = Image.fromarray(left_half_white)
    photograph.info["exif"] = exif.tobytes()
    raw = encoded(photograph, "HEIF")
    assert read_header(raw, "turned.heic", LIMITS)[:2] == (96, 48)
    pixels = decoded(raw, (96, 48)).reshape(96, 48)
    assert pixels[:40].min() > 230 > 25 > pixels[56:].max()
    with pytest.raises(SkippedFile, match="too many pixels"):
        read_header(raw, "turned.heic", replace(LIMITS, max_image_pixels=1_000))
    with pytest.raises(SkippedFile, match="damaged"):
        decoded(raw[: len(raw) // 2], (96, 48))


def test_a_photograph_that_is_none_is_damaged():
    with pytest.raises(SkippedFile, match="damaged image"):
        read_header(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "a/IMG_1.HEIC", LIMITS)
