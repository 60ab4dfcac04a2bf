"""One image: every format and mode becomes upright grey; damage has a reason."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageOps

from lincore.limits import LIMITS
from tests.lincore.io.images.in_memory import encoded, read_alone, reason, tiff, webp_of_stated_size

RAMP = Image.fromarray(np.arange(0, 240, 12, dtype=np.uint8).reshape(5, 4))


@pytest.mark.parametrize("kind", ["PNG", "BMP", "PPM", "GIF", "TIFF", "WEBP", "JPEG"])
def test_formats(kind):
    raw = encoded(RAMP, kind, **({"lossless": True} if kind == "WEBP" else {}))
    pixels, shape = read_alone(raw)
    assert (pixels.dtype, shape) == (np.uint8, (5, 4))
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
    white = 65535 if image.mode == "I;16" else None
    assert read_alone(encoded(image), white=white)[0].tolist() == [grey] * 4


@pytest.mark.parametrize(("fraction", "grey"), [(0.5, 128), (1.0, 255), (200.0, 200)])
def test_floating_point_grey(fraction, grey):
    tiff = encoded(Image.fromarray(np.full((2, 2), fraction, dtype=np.float32)), "TIFF")
    assert read_alone(tiff)[0].tolist() == [grey] * 4


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_photographs_are_turned_upright(kind):
    exif = Image.Exif()
    exif[0x0112] = 6
    left_half_white = np.zeros((8, 16), dtype=np.uint8)
    left_half_white[:, :8] = 255
    turned = encoded(Image.fromarray(left_half_white), kind, exif=exif)
    pixels, shape = read_alone(turned)
    assert shape == (16, 8)
    pixels = pixels.reshape(shape)
    assert pixels[:7].min() > 240 > 20 > pixels[9:].max()


def test_another_size_is_resized():
    image = encoded(Image.new("L", (4, 6), 77))
    assert read_alone(image, size=(3, 2))[0].tolist() == [77] * 6


@pytest.mark.parametrize(
    ("raw", "path", "said"),
    [
        (b"text", "a/notes.txt", "not an image"),
        (b"text", "a/text.PNG", "damaged image"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "a/image.eps", "not an image"),
        (encoded(RAMP)[:20], "a/cut.png", "damaged image"),
        (b"\0\0\0\x1cftypavif\0\0\0\0", "a/1.avif", "AVIF.* save it as JPEG"),
        (b"\0\0\0\x18ftypmp42", "a/film.mp4", "a video"),
        (b'<?xml version="1.0"?>\n<svg xmlns="x">', "a/1.svg", "SVG.* save it as PNG"),
        (b"\xef\xbb\xbf\n<svg width='9'>", "a/1.svg", "SVG.* save it as PNG"),
        (b"<!DOCTYPE html><p>404", "a/1.jpg", "a web page"),
        (b"%PDF-1.7", "a/scan.pdf", "PDF"),
        (b"8BPS\0\1", "a/1.psd", "Photoshop"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "a/1.jp2", "JPEG 2000"),
        (b"II*\0\x10\0\0\0CR\2\0", "a/1.CR2", "raw photograph"),
        (b"\0" * 128 + b"DICM", "a/1.dcm", "DICOM"),
        (b"\0" * 400, "a/1.dcm", "not an image"),
    ],
)
def test_what_is_no_image_has_a_reason(raw, path, said):
    assert re.search(said, reason(raw, path))


@pytest.mark.parametrize("name", ["a/IMG_1.HEIC", "a/IMG_1.jpg"])
def test_photographs_in_heic_need_a_package(name, monkeypatch):
    monkeypatch.setattr("lincore.io.images.decode.CAN_READ_HEIC", False)
    said = reason(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", name)
    assert re.search(r"lincore\[heic\].* save it as JPEG", said)


def test_pixels_that_are_cut_off_are_damage():
    assert reason(encoded(RAMP)[:-20]) == "damaged image"


def test_too_many_pixels_are_not_decoded():
    said = reason(encoded(RAMP), limits=replace(LIMITS, max_image_pixels=19))
    assert "too many pixels: 5 × 4" in said


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"P2\n3000 3000\n255\n0 0 ", "too many pixels for text"),
        (b"P5\n3000 3000\n99\n" + bytes(9), "odd grey levels"),
        (tiff(100, 100, 16_000), "too large tiles"),
        (tiff(100, 100, 100), "damaged image"),  # of which the header is fine
        (tiff(5000, 5000, 5008, bits=32), "too deep colours"),
        (webp_of_stated_size(16_383), "too many pixels"),
        (b"BM" + bytes(60), "damaged image"),
        (b"PK\x03\x04", "a zip inside the zip"),
    ],
)
def test_what_would_cost_a_decoder_much_is_refused_by_its_header(raw, said):
    assert said in reason(raw)


def test_scans_of_a_photograph_are_counted():
    raw = encoded(RAMP, "JPEG", progressive=True)
    last = raw.rindex(b"\xff\xda")
    limits = replace(LIMITS, max_image_pixels=20)
    few, many = (raw[:last] + n * raw[last:-2] + raw[-2:] for n in (1, 10))
    assert "too many scans" not in reason(few, limits=limits)
    assert "too many scans" in reason(many, limits=limits)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_is_undone(kind, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    corner = Image.new("L", (40, 20))
    corner.paste(255, (0, 0, 20, 10))
    options = {"lossless": True} if kind == "WEBP" else {}
    raw = encoded(corner, kind, exif=exif, **options)
    with Image.open(io.BytesIO(raw)) as image:
        upright = ImageOps.exif_transpose(image).convert("L")
    shape = (upright.height, upright.width)
    pixels, found = read_alone(raw)
    assert found == shape and (shape == (40, 20)) is (orientation > 4)
    np.testing.assert_allclose(pixels.reshape(shape), np.asarray(upright), atol=3)


def test_colour_is_kept_on_request():
    red = Image.new("RGB", (2, 2), (200, 10, 0))
    for image in (red, red.quantize()):
        pixels, shape = read_alone(encoded(image), colour=True)
        assert shape == (2, 2, 3) and pixels.tolist() == [200, 10, 0] * 4
    clear = Image.new("RGBA", (2, 2), (200, 10, 0, 0))
    assert read_alone(encoded(clear), colour=True)[0].tolist() == [255] * 12
    deep = Image.fromarray(np.full((2, 2), 257 * 77, dtype=np.uint16))
    assert read_alone(encoded(deep), colour=True, white=65535)[0].tolist() == [77] * 12


def test_ways_to_fit():
    halves = np.zeros((4, 8), dtype=np.uint8)
    halves[:, 4:] = 200
    raw = encoded(Image.fromarray(halves))
    cropped = read_alone(raw, size=(4, 4), fit="crop")[0].reshape(4, 4)
    assert (cropped[:, 0].max(), cropped[:, -1].min()) == (0, 200)
    stretched = read_alone(raw, size=(4, 4), fit="stretch")[0].reshape(4, 4)
    assert stretched[:, 0].max() < 30 < 170 < stretched[:, -1].min()
    padded, _ = read_alone(encoded(Image.new("L", (8, 4), 90)), size=(8, 8))
    assert set(padded.tolist()) == {90}
    dot = np.full((5, 9), 60, dtype=np.uint8)
    dot[2, 4] = 255
    padded = read_alone(encoded(Image.fromarray(dot)), size=(9, 9))[0].reshape(9, 9)
    np.testing.assert_array_equal(padded[2:7], dot)
    assert set(padded[[0, 1, 7, 8]].ravel().tolist()) == {60}


@pytest.mark.parametrize("fit", ["pad", "crop", "stretch"])
@pytest.mark.parametrize("size", [(1, 900), (900, 1), (3, 2), (2000, 1500)])
def test_any_size_fits(size, fit):
    raw = encoded(Image.new("RGB", size, (9, 9, 9)))
    assert set(read_alone(raw, size=(20, 30), fit=fit)[0].tolist()) == {9}
    colours, _ = read_alone(raw, size=(20, 30), fit=fit, colour=True)
    assert colours.tolist() == [9] * 1800


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "LA", "I;16", "F"])
def test_large_images_are_made_small_in_strips_without_a_seam(mode, monkeypatch):
    slope = np.add.outer(np.arange(600.0), np.arange(800.0))
    slope *= 255 / slope.max()
    if mode in ("I;16", "F"):
        image = Image.fromarray(
            slope.astype(np.float32) if mode == "F" else (257 * slope).astype(np.uint16)
        )
    else:
        image = Image.fromarray(slope.astype(np.uint8)).convert(mode)
    raw = encoded(image, "TIFF" if mode == "F" else "PNG")
    monkeypatch.setattr("lincore.io.images.decode._STRIP_PIXELS", 50_000)
    small = read_alone(raw, size=(30, 40))[0].reshape(30, 40)
    expected = slope.reshape(30, 20, 40, 20).mean(axis=(1, 3))
    np.testing.assert_allclose(small, expected, atol=4)


def test_the_first_frame_of_an_animation_counts():
    frames = [Image.new("L", (3, 3), grey) for grey in (50, 200)]
    for kind in ("GIF", "WEBP", "PNG", "TIFF"):
        raw = encoded(frames[0], kind, save_all=True, append_images=frames[1:])
        np.testing.assert_allclose(read_alone(raw)[0], 50, atol=2)
