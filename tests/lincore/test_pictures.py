"""One picture: every format and mode becomes upright grey; damage has a reason."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from lincore.archives import UnusableFile
from lincore.limits import LIMITS
from lincore.pictures import decoded, image_size

RAMP = Image.fromarray(np.arange(0, 240, 12, dtype=np.uint8).reshape(5, 4))


def encoded(image, kind="PNG", **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "BMP", "PPM", "GIF", "TIFF", "WEBP", "JPEG"])
def test_formats(kind):
    raw = encoded(RAMP, kind, **({"lossless": True} if kind == "WEBP" else {}))
    assert image_size(raw, "ramp", LIMITS) == (5, 4)
    pixels = decoded(raw, (5, 4))
    assert pixels.dtype == np.uint8
    np.testing.assert_allclose(
        pixels.astype(int), np.asarray(RAMP).ravel(), atol=8 * (kind == "JPEG")
    )


@pytest.mark.parametrize(
    ("image", "grey"),
    [
        (Image.new("1", (2, 2), 1), 255),
        (Image.new("RGB", (2, 2), (10, 10, 10)), 10),
        (Image.new("P", (2, 2), 0), 0),
        (Image.new("LA", (2, 2), (100, 255)), 100),
        (Image.new("LA", (2, 2), (100, 0)), 255),
        (Image.new("RGBA", (2, 2), (0, 0, 0, 0)), 255),
        (Image.fromarray(np.full((2, 2), 65535, dtype=np.uint16)), 255),
        (Image.fromarray(np.full((2, 2), 257 * 77, dtype=np.uint16)), 77),
    ],
)
def test_every_mode_becomes_grey_with_transparent_as_white(image, grey):
    assert decoded(encoded(image), (2, 2)).tolist() == [grey] * 4


@pytest.mark.parametrize(("fraction", "grey"), [(0.5, 128), (1.0, 255), (200.0, 200)])
def test_floating_point_grey(fraction, grey):
    tiff = encoded(Image.fromarray(np.full((2, 2), fraction, dtype=np.float32)), "TIFF")
    assert decoded(tiff, (2, 2)).tolist() == [grey] * 4


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_photographs_are_turned_upright(kind):
    exif = Image.Exif()
    exif[0x0112] = 6
    left_half_white = np.zeros((8, 16), dtype=np.uint8)
    left_half_white[:, :8] = 255
    turned = encoded(Image.fromarray(left_half_white), kind, exif=exif)
    assert image_size(turned, "turned", LIMITS) == (16, 8)
    pixels = decoded(turned, (16, 8)).reshape(16, 8)
    assert pixels[:7].min() > 240 > 20 > pixels[9:].max()


def test_another_size_is_resized():
    assert decoded(encoded(Image.new("L", (4, 6), 77)), (3, 2)).tolist() == [77] * 6


@pytest.mark.parametrize(
    ("raw", "path", "reason"),
    [
        (b"text", "a/notes.txt", "not an image"),
        (b"text", "a/text.PNG", "damaged image"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "a/picture.eps", "not an image"),
        (encoded(RAMP)[:20], "a/cut.png", "damaged image"),
    ],
)
def test_what_is_no_picture_has_a_reason(raw, path, reason):
    with pytest.raises(UnusableFile, match=reason):
        image_size(raw, path, LIMITS)


def test_pixels_that_are_cut_off_are_damage():
    raw = encoded(RAMP)[:-20]
    assert image_size(raw, "cut.png", LIMITS) == (5, 4)
    with pytest.raises(UnusableFile, match="damaged image"):
        decoded(raw, (5, 4))


def test_too_many_pixels_are_not_decoded():
    with pytest.raises(UnusableFile, match="too many pixels: 5 × 4"):
        image_size(encoded(RAMP), "ramp.png", replace(LIMITS, max_image_pixels=19))
