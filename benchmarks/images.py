"""Zips of images: seconds and memory for ten thousand small ones, and for large photographs.

Run ``python benchmarks/images.py``. Memory is what a process of its own held at most beyond what
it held before; the zip itself is aside.
"""

from __future__ import annotations

import io
import multiprocessing
import resource
import zipfile
from pathlib import Path

import numpy as np
from common import finish, require, seconds
from PIL import Image

from lincore.io import ImageOptions, read_image_zip

SMALL, COUNT = 28, 10_000


def main() -> None:
    """Print the figures; end with an error if a bound is missed."""
    raw = small_images()
    took = min(seconds(lambda: read_image_zip(raw, "small.zip")) for _ in range(3))
    require(f"seconds for {COUNT:,} PNG of 28 x 28", took, at_most=8)
    megabytes = COUNT * SMALL**2 / 1e6
    require("peak extra memory / array of pixels", peak(raw) / megabytes, at_most=3)
    raw = photographs()
    grey = min(
        seconds(lambda: read_image_zip(raw, "large.zip", ImageOptions((64, 64)))) for _ in "ab"
    )
    require("seconds for 40 JPEG of 4000 x 3000", grey, at_most=8)
    finish()


def small_images() -> bytes:
    """Return a zip of ten classes of noise, which no packing makes small."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (COUNT, SMALL, SMALL), dtype=np.uint8)
    return zipped([Image.fromarray(image) for image in pixels], "PNG")


def photographs() -> bytes:
    """Return a zip of large images in colour."""
    image = Image.effect_noise((400, 300), 60).resize((4000, 3000)).convert("RGB")
    return zipped([image] * 40, "JPEG")


def zipped(images: list[Image.Image], kind: str) -> bytes:
    """Return images in ten class folders."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for i, image in enumerate(images):
            image.save(one := io.BytesIO(), kind)
            archive.writestr(f"images/{i % 10}/{i:05}.{kind.lower()}", one.getvalue())
    return buffer.getvalue()


def peak(raw: bytes) -> float:
    """Return how many megabytes reading takes at most, measured in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return float(pool.apply(_peak, (raw,)))


def _peak(raw: bytes) -> float:
    # Decoders are loaded once, whatever is read.
    read_image_zip(zipped([Image.new("L", (3, 3), i) for i in range(20)], "PNG"), "warm.zip")
    before = held()
    read_image_zip(raw, "small.zip")
    return held() - before


def held() -> float:
    """Return the most memory that this process has held, in megabytes."""
    # What getrusage says would include the process that started this one.
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main()
