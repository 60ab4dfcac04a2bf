"""Images of more than 256 grey levels keep them as far as 8 bits can, alike in a whole set."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from PIL import Image

from lincore import DataError
from lincore.io import ImageOptions, read_image_zip

RAMP = np.linspace(0, 1, 16).reshape(4, 4)


def packed(images, kind="PNG"):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for i, pixels in enumerate(images):
            Image.fromarray(pixels).save(file := io.BytesIO(), kind)
            archive.writestr(f"{'ab'[i % 2]}/{i}.{kind.lower()}", file.getvalue())
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
@pytest.mark.parametrize("white", [255, 1023, 4095, 16383, 65535])
def test_fewer_bits_in_sixteen_use_all_greys(white, kind):
    images = [np.rint(RAMP * white * share).astype(np.uint16) for share in (1, 0.5, 0.25)]
    data = read_image_zip(packed(images, kind), "scans.zip")
    expected = [np.rint(RAMP.ravel() * 255 * share) for share in (1, 0.25, 0.5)]
    # By class: the second and the fourth come behind the first and the third.
    order = np.argsort([name.split("/")[1] for name in data.row_names])
    np.testing.assert_allclose(data.X[order], [expected[i] for i in (0, 2, 1)], atol=1)
    said = " ".join(notice.what for notice in data.notices)
    assert (f"{white:,}" in said) == (white != 65535)


def test_white_can_be_asked_for():
    raw = packed([np.rint(RAMP * 3000).astype(np.uint16)] * 2)
    data = read_image_zip(raw, "scans.zip", ImageOptions(white=6000))
    assert data.X.max() == 128 and data.notices[0].code != "LIN083"
    assert data.image_scale.whole == (0, 6000)
    with pytest.raises(DataError, match="The white level cannot be 0"):
        read_image_zip(raw, "scans.zip", ImageOptions(white=0))


@pytest.mark.parametrize(
    ("least", "largest", "black", "white"),
    [
        (0, 1, 0, 1),
        (0, 200, 0, 255),
        (-1000, 3000, -1000, 3000),
        (0, 5e5, 0, 5e5),
        (0.2, 3e4, 0, 65535),
    ],
)
def test_fractions_of_any_range_are_seen(least, largest, black, white):
    images = [
        (least + RAMP * (largest - least)).astype(np.float32),
        np.full((4, 4), least, dtype=np.float32),
        np.full((4, 4), np.nan, dtype=np.float32),
    ]
    data = read_image_zip(packed(images, "TIFF"), "scans.zip")
    expected = 255 * (np.linspace(least, largest, 16) - black) / (white - black)
    row = data.row_names.index("a/0.tiff")
    np.testing.assert_allclose(data.X[row], expected, atol=1)


def test_levels_of_a_set_are_those_of_its_brightest_image():
    images = [np.rint(RAMP * most).astype(np.uint16) for most in (300, 3000)]
    assert read_image_zip(packed(images), "scans.zip").image_scale.whole == (0, 4095)
