"""Images and zips of them as bytes."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import numpy as np
from PIL import Image

from lincore.io import ImageOptions, read_image_zip
from lincore.limits import LIMITS


def encoded(image, kind="PNG", **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def zipped(files, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return buffer.getvalue()


def read_paths(paths, **options):
    """Read a zip that has a small image of its own at each path."""
    files = {path: encoded(Image.new("L", (4, 3), i % 256)) for i, path in enumerate(paths)}
    return read_image_zip(zipped(files), "made.zip", ImageOptions(**options))


def read_alone(raw, limits=LIMITS, **options):
    """Return the pixels of an image and its shape, as it is read from a zip of it alone."""
    files = {"a/1": raw, "b/1": raw}
    data = read_image_zip(zipped(files), "made.zip", ImageOptions(**options), limits=limits)
    return data.X[0], data.image_shape


def reason(raw, path="a/one.png", limits=LIMITS):
    """Return why an image is skipped that lies among others; empty where it is read."""
    good = encoded(Image.new("L", (2, 2), 7))
    files = {"a/0.png": good, "b/0.png": good, path: raw}
    data = read_image_zip(zipped(files), "made.zip", limits=limits)
    return "".join(one.reason for one in data.skipped if one.name == path)


def tiff(width, height, tile, bits=8):
    """Return a TIFF of one deflated tile of any size."""
    packed = zlib.compress(bytes(1000))
    tags = {256: width, 257: height, 258: bits, 259: 8, 262: 1, 277: 1, 322: tile, 323: tile}
    tags |= {324: 8, 325: len(packed)}
    listed = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    start = struct.pack("<I", 8 + len(packed))
    return b"II*\0" + start + packed + struct.pack("<H", len(tags)) + listed + bytes(4)


def webp_of_stated_size(side):
    frames = [Image.new("RGBA", (8, 8), (i, 2, 3, 4)) for i in range(2)]
    raw = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:])
    assert raw[12:16] == b"VP8X"
    return raw[:24] + 2 * (side - 1).to_bytes(3, "little") + raw[30:]


def npy(shape):
    buffer = io.BytesIO()
    header = {"descr": "|u1", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, header)
    return buffer.getvalue() + bytes(100)
