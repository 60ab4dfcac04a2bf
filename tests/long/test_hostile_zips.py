"""Zips and images made to harm: each is refused or skipped, in little memory."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from lincore import DataError
from lincore.io import ImageOptions, read_image_files, read_npz
from tests.lincore.io.images.in_memory import encoded, npy, tiff, webp_of_stated_size, zipped

ROOT = Path(__file__).parents[2]
MEGABYTES = 200.0

# Reads every file that it is told, and prints what became of it, and what the most memory was
# beyond that of a small zip.
READER = """
import json, resource, sys
from pathlib import Path
import PIL.JpegImagePlugin, PIL.PngImagePlugin, PIL.TiffImagePlugin, PIL.WebPImagePlugin
from lincore import load
from lincore.errors import DataError

def peak():
    # What getrusage says would include the process that started this one.
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6

def outcome(path):
    try:
        data = load(path)
    except DataError as error:
        return f"refused: {error.notice.what}" if error.notice.remedy else "no remedy"
    return "; ".join(f"{file.name}: {file.reason}" for file in data.skipped) or "read"

first, *paths = sys.argv[1:]
outcome(first)
held = max(Path(path).stat().st_size for path in paths) / 1e6
before, found = peak(), {}
for path in paths:
    what = outcome(path)
    found[Path(path).stem] = what, peak() - before - held
print(json.dumps(found))
"""


SMALL = {f"{label}/{i}.png": encoded(Image.new("L", (5, 5), i)) for label in "ab" for i in (1, 2)}


def beside(bad):
    """Return a good zip with one bad image in it."""
    return zipped(SMALL | {"a/bad.png": bad}, zipfile.ZIP_STORED)


def directory(count, offset=0, size=1, packed=1):
    """Return a zip whose directory claims that many entries over one local header."""
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, packed, size, 5, 0) + b"a/1.x"
    one = struct.pack(
        "<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, packed, size, 5, 0, 0, 0, 0, 0, offset
    )
    listed = count * (one + b"a/1.x")
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(listed), len(local), 0)
    return local + listed + end


def gif_of_many_frames():
    frames = [Image.new("L", (1000, 1000), i) for i in range(60)]
    return encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])


def jpeg_of_many_scans():
    raw = encoded(Image.new("L", (4000, 4000)), "JPEG", progressive=True)
    last = raw.rindex(b"\xff\xda")
    return raw[:last] + 100 * raw[last:-2] + raw[-2:]


def png_of_many_texts():
    def chunk(kind, content):
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    raw = encoded(Image.new("L", (5, 5)))
    text = chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(1_000_000)))
    return raw[:33] + 200 * text + raw[33:]


def nested():
    inner = zipped({f"{i}.bin": bytes(10_000_000) for i in range(3)})
    for _ in range(4):
        inner = zipped({f"{i}.zip": inner for i in range(16)})
    return zipped(SMALL | {"a/inner.zip": inner})


def encrypted():
    raw = bytearray(zipped(SMALL))
    at = raw.index(b"PK\1\2")
    raw[at + 8] |= 1
    return bytes(raw)


def linked():
    buffer = io.BytesIO(zipped(SMALL))
    with zipfile.ZipFile(buffer, "a") as archive:
        link = zipfile.ZipInfo("a/passwd.png")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return buffer.getvalue()


FLAT = Image.new("L", (5000, 5000))
CORPUS = {
    "nested": (nested, "a/inner.zip: a zip inside the zip"),
    "overlapping": (lambda: directory(1000, packed=40), "overlap"),
    "forty-two": (
        lambda: zipped({f"a/{i}.png": bytes(49_000_000) for i in range(17)}),
        "unpacks to more than 200 times its size",
    ),
    "five-petabytes": (lambda: directory(1, size=0xFFFFFFF0), "unpacks to over"),
    "a-million-entries": (lambda: directory(1_000_000), "more than 100,000 files"),
    "out-of-the-zip": (
        lambda: zipped(SMALL | {"../../a/evil.png": SMALL["a/1.png"]}),
        "../../a/evil.png: its path leads out of the zip",
    ),
    "absolute": (
        lambda: zipped(SMALL | {"/tmp/evil.png": SMALL["a/1.png"]}),
        "/tmp/evil.png: its path leads out of the zip",
    ),
    "link": (linked, "a/passwd.png: a symbolic link"),
    "encrypted": (encrypted, "a/1.png: encrypted"),
    "png-of-49-million": (lambda: beside(encoded(Image.new("1", (7000, 7000)))), "too many pixels"),
    "png-of-25-million": (lambda: beside(encoded(FLAT)), "read"),
    "png-with-alpha": (
        lambda: beside(encoded(Image.new("RGBA", (4000, 4000)), compress_level=1)),
        "read",
    ),
    "png-of-many-texts": (lambda: beside(png_of_many_texts()), "a/bad.png: damaged image"),
    "tiff-of-one-strip": (lambda: beside(encoded(FLAT, "TIFF", compression="tiff_lzw")), "read"),
    "tiff-of-a-large-tile": (lambda: beside(tiff(100, 100, 16_000)), "too large tiles"),
    "tiff-of-deep-colours": (lambda: beside(tiff(5000, 5000, 5008, bits=32)), "too large tiles"),
    "tiff-of-large-tiles": (lambda: beside(tiff(65_000, 65_000, 65_008)), "too many pixels"),
    "gif-of-many-frames": (lambda: beside(gif_of_many_frames()), "read"),
    "webp-of-a-large-canvas": (lambda: beside(webp_of_stated_size(16_383)), "too many pixels"),
    "jpeg-of-many-scans": (lambda: beside(jpeg_of_many_scans()), "too many scans"),
    "pgm-as-text": (
        lambda: beside(b"P2\n3000 3000\n255\n" + b"0 " * 9_000_000),
        "too many pixels for text",
    ),
    "pgm-of-odd-greys": (lambda: beside(b"P5\n3000 3000\n99\n" + bytes(9_000_000)), "odd grey"),
    "bmp-of-no-pixels": (
        lambda: beside(b"BM" + struct.pack("<IHHI3IHH6I", 60, 0, 0, 54, 40, 0, 0, 1, 24, *[0] * 6)),
        "a/bad.png: damaged image",
    ),
    "a-program": (lambda: beside(b"\x7fELF" + bytes(99)), "a/bad.png: damaged image"),
    "a-image-by-another-name": (
        lambda: zipped(SMALL | {"a/3.txt": encoded(Image.new("L", (5, 5)), "GIF")}),
        "read",
    ),
    "cut-off": (lambda: zipped(SMALL)[:-40], "cannot be opened"),
    "nothing": (lambda: zipped({}), "No image can be used"),
    "arrays-of-objects": (
        lambda: arrays(X=np.array([[print]], dtype=object), y=[0]),
        "'X' contains object",
    ),
    "arrays-that-lie": (
        lambda: zipped({"X.npy": npy((60_000, 10**9)), "y.npy": npy((60_000,))}),
        "differs in size from its header",
    ),
    "arrays-of-a-huge-header": (
        lambda: zipped(
            {"X.npy": b"\x93NUMPY\x02\0" + struct.pack("<I", 9_000_000) + b"(" * 9_000_000}
        ),
        "refused",
    ),
}


def arrays(**named):
    buffer = io.BytesIO()
    np.savez(buffer, **named)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Read the corpus in a process of its own, whose memory no other test has touched."""
    folder = tmp_path_factory.mktemp("hostile")
    paths = [folder / "small.zip", *(folder / f"{name}.zip" for name in CORPUS)]
    contents = [zipped(SMALL), *(make() for make, _ in CORPUS.values())]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    command = [sys.executable, "-c", READER, *map(str, paths)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, check=False, timeout=240, env=environment, cwd=folder
    )
    assert done.returncode == 0, done.stderr.decode()
    written = sorted(path.name for path in folder.iterdir())
    assert written == sorted(path.name for path in paths)
    return json.loads(done.stdout)


def test_memory_is_measured(outcomes):
    assert outcomes["tiff-of-one-strip"][1] > 30


@pytest.mark.parametrize("name", CORPUS)
def test_what_is_hostile_is_refused_or_skipped_in_little_memory(outcomes, name):
    what, megabytes = outcomes[name]
    assert CORPUS[name][1] in what
    assert megabytes < MEGABYTES


KINDS = ("PNG", "JPEG", "BMP", "PPM", "GIF", "TIFF", "WEBP")
IMAGES = [
    encoded(Image.effect_noise((9, 8), 60).convert(mode), kind)
    for kind, modes in zip(KINDS, ("P", "RGB", "RGB", "L", "P", "RGB", "RGBA"), strict=True)
    for mode in (modes,)
]
BYTES = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=8)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(IMAGES), BYTES, st.integers(0, 60), st.booleans())
def test_damaged_images_are_skipped_whatever_the_damage(image, changes, cut, colour):
    # As files, not in a zip: its checksums would keep the damage from the decoders.
    raw = bytearray(image[: len(image) - cut])
    for place, value in changes:
        raw[place % len(raw)] = value
    files = [(f"{label}_{i}.png", IMAGES[0]) for label in "ab" for i in range(3)]
    data = read_image_files([*files, ("a_9.png", bytes(raw))], ImageOptions(colour=colour))
    assert data.n_rows + len(data.skipped) == 7


SAVED = arrays(X_train=np.eye(9), y_train=np.arange(9) % 2, X_test=np.eye(9), y_test=[0] * 9)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(SAVED) - 1), st.integers(0, 255)), max_size=6))
def test_damaged_arrays_are_read_or_refused(changes):

    raw = bytearray(SAVED)
    for place, value in changes:
        raw[place] = value
    try:
        data = read_npz(bytes(raw), "made.npz")
    except DataError as error:
        assert error.notice.remedy
    else:
        assert data.X.shape[0] == len(data.codes)
