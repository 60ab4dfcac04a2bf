"""Images and zips of them as bytes."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import numpy as np
from PIL import Image


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
