"""Decoding of one untrusted image: size from its header, grey pixels at a given size."""

from __future__ import annotations

import io
import re
import struct
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Literal, NamedTuple

import numpy as np
from PIL import Image, ImageOps, TiffImagePlugin

from lincore.io.files.archives import SkippedFile
from lincore.io.images.grey_levels import Levels, Range, is_deep, own_levels, range_of, with_levels
from lincore.limits import LIMITS, Limits, is_zip

# HEIC, the format of phone photographs, is read by pillow-heif if installed.
try:
    from pillow_heif import register_heif_opener
except ImportError:
    CAN_READ_HEIC = False
else:
    # Images are decoded in parallel already; other contents of a file are ignored.
    register_heif_opener(decode_threads=1, thumbnails=False, depth_images=False, aux_images=False)
    CAN_READ_HEIC = True

# Brands in the first box of such a file.
_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1")
_WITHOUT_HEIC = (
    "HEIC, as phones save photographs: install pillow-heif (pip install lincore[heic]), or save it "
    "as JPEG or PNG"
)
_AS_JPEG = "save it as JPEG or PNG"
_UNSUPPORTED = {
    b"%PDF": f"a PDF, not an image: {_AS_JPEG}",
    b"8BPS": f"a Photoshop file: {_AS_JPEG}",
    b"\0\0\0\x0cjP  ": f"JPEG 2000: {_AS_JPEG}",
    b"\xff\x4f\xff\x51": f"JPEG 2000: {_AS_JPEG}",
    b"\xff\x0a": f"JPEG XL: {_AS_JPEG}",
    b"\0\0\0\x0cJXL ": f"JPEG XL: {_AS_JPEG}",
    b"\0\0\1\0": f"an icon: {_AS_JPEG}",
    b"v/1\1": f"OpenEXR: {_AS_JPEG}",
    b"SIMPLE  =": f"FITS: {_AS_JPEG}",
    b"\x93NUMPY": "a NumPy array, not an image: save each image as PNG",
}
_RAW = f"a camera's raw photograph: {_AS_JPEG}"
# By the brand after the first box; other brands are of videos.
_CONTAINERS = {b"avif": f"AVIF: {_AS_JPEG}", b"avis": f"AVIF: {_AS_JPEG}", b"crx ": _RAW}
_SVG = re.compile(
    rb"^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<(svg|!DOCTYPE svg)", re.S
)
_PAGE = re.compile(rb"^(\xef\xbb\xbf)?\s*<(!doctype html|html)", re.I)
Fit = Literal["pad", "crop", "stretch"]

# First bytes and Pillow's format. Listed explicitly: some of Pillow's other formats call external
# programs.
_KINDS = {
    b"\x89PNG\r\n\x1a\n": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"BM": "BMP",
    b"GIF87a": "GIF",
    b"GIF89a": "GIF",
    b"II*\x00": "TIFF",
    b"MM\x00*": "TIFF",
    b"II+\x00": "TIFF",
    b"MM\x00+": "TIFF",
} | {b"P%d" % i: "PPM" for i in range(1, 7)}
# Enough to recognise DICOM.
HEAD_BYTES = 256
# fmt: off
IMAGE_ENDINGS = (
    ".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".bmp", ".dib", ".pgm", ".ppm", ".pbm", ".pnm",
    ".gif", ".tif", ".tiff", ".webp", ".heic", ".heif",
)
# fmt: on
_ORIENTATION = 0x0112
_TRANSPOSES = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# Orientations that exchange width and height.
_ON_ITS_SIDE = {_TRANSPOSES[i] for i in (5, 6, 7, 8)}
# Pillow reads these in Python, pixel by pixel: 2 million pixels take a second.
_SLOW_CODECS = ("ppm", "ppm_plain")
_MAX_SLOW_PIXELS = 2_000_000
# A progressive JPEG is decoded once for each scan; ten are usual.
_MAX_SCANS = 10
_START_OF_SCAN = b"\xff\xda"
# The WebP decoder uses 16 bytes per pixel, others up to 6.
_WEBP_SHARE = 0.4
# Bytes of a pixel in a TIFF of the largest size: they are unpacked strip by strip or all at once.
_TIFF_BYTES = 3
_BITS, _TILE_WIDTH, _TILE_LENGTH = 258, 322, 323
_TILE_MARGIN = 256
# Images with more pixels are decoded one at a time, to limit memory.
_LARGE_PIXELS = 4_000_000
# Pixels converted to plain grey or colour in one step.
_STRIP_PIXELS = 1_000_000
_one_large = threading.Lock()


def is_heic(head: bytes) -> bool:
    """Return whether a file is a HEIC image."""
    return head[4:8] == b"ftyp" and head[8:12] in _HEIC


def unsupported_image(head: bytes) -> str:
    """Describe an image in an unsupported format and the remedy; "" for other files."""
    if is_heic(head):
        return "" if CAN_READ_HEIC else _WITHOUT_HEIC
    if head[4:8] == b"ftyp":
        video = "a video, not an image: save single frames as JPEG or PNG"
        return _CONTAINERS.get(head[8:12], video)
    for magic, kind in _UNSUPPORTED.items():
        if head.startswith(magic):
            return kind
    if head[:2] in (b"II", b"MM") and head[8:10] == b"CR":
        return _RAW
    if head[128:132] == b"DICM":
        return f"DICOM: {_AS_JPEG}"
    if _SVG.match(head[:256]):
        return "a drawing (SVG): save it as PNG"
    return "a web page, not an image: download the image itself" if _PAGE.match(head[:256]) else ""


def is_image(head: bytes, path: str) -> bool:
    """Return whether a file is an image, by its first bytes.

    Parameters
    ----------
    head, path
        As for `image_kind`.

    Examples
    --------
    >>> is_image(b"GIF89a", "a.png"), is_image(b"length,species", "a.csv")
    (True, False)
    """
    try:
        image_kind(head, path)
    except SkippedFile:
        return False
    return True


def image_kind(head: bytes, path: str) -> str:
    """Return an image's format by its first bytes; `SkippedFile` says why it is not an image."""
    foreign = unsupported_image(head)
    if foreign:
        raise SkippedFile(foreign)
    for magic, kind in _KINDS.items():
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    if is_heic(head):
        return "HEIF"
    if is_zip(head):
        raise SkippedFile("a zip inside the zip")
    raise SkippedFile("damaged image" if path.lower().endswith(IMAGE_ENDINGS) else "not an image")


class Header(NamedTuple):
    """Upright height and width of an image in pixels, read from its header."""

    height: int
    width: int
    is_deep: bool  # more than 256 grey levels


@contextmanager
def _opened(raw: bytes, path: str = "", limits: Limits = LIMITS) -> Iterator[Image.Image]:
    """Open an image; `SkippedFile` says why it cannot be used."""
    kind = image_kind(raw, path)
    try:
        if kind == "WEBP":
            # Pillow's decoder allocates the canvas on opening.
            _check_pixels(*_webp_size(raw), limits, _WEBP_SHARE)
        with Image.open(io.BytesIO(raw), formats=(kind,)) as image:
            yield image
    except SkippedFile:
        raise
    except Image.DecompressionBombError as error:
        raise SkippedFile("too many pixels") from error
    # Decoders read untrusted bytes here, and may raise any exception.
    except Exception as error:
        raise SkippedFile("damaged image") from error


def read_header(raw: bytes, path: str, limits: Limits) -> Header:
    """Return the header information of an image, without decoding pixels."""
    with _opened(raw, path, limits) as image:
        width, height = image.size
        _check_pixels(height, width, limits)
        _check_effort(image, raw, limits)
        on_its_side = _TRANSPOSES.get(_orientation(image)) in _ON_ITS_SIDE
        sides = (width, height) if on_its_side else (height, width)
        return Header(*sides, is_deep=is_deep(image))


def grey_range(raw: bytes) -> Range:
    """Return the smallest and the largest grey level of an image with more than 256."""
    with _opened(raw) as image, _lock_for(image):
        return range_of(image)


def decoded(
    raw: bytes, shape: tuple[int, ...], fit: Fit = "pad", levels: Levels | None = None
) -> np.ndarray:
    """Decode an image, upright, in grey or colour."""
    height, width = shape[:2]
    mode = "RGB" if len(shape) == 3 else "L"
    with _opened(raw) as image:
        turn = _TRANSPOSES.get(_orientation(image))
        sides = (width, height) if turn in _ON_ITS_SIDE else (height, width)
        with _lock_for(image):
            plain = _flatten_and_shrink(image, mode, *sides, levels)
        upright = plain if turn is None else plain.transpose(turn)
        return np.asarray(_fit(upright, height, width, fit)).ravel()


def _lock_for(image: Image.Image) -> AbstractContextManager[Any]:
    """Decode large images one at a time."""
    return _one_large if image.width * image.height > _LARGE_PIXELS else nullcontext()


def _check_pixels(height: int, width: int, limits: Limits, share: float = 1.0) -> None:
    if not 0 < width * height <= share * limits.max_image_pixels:
        too = "many" if width * height else "few"
        raise SkippedFile(f"too {too} pixels: {height} × {width}")


def _check_effort(image: Image.Image, raw: bytes, limits: Limits) -> None:
    """Reject images whose header shows that decoding would need much time or memory."""
    pixels = image.width * image.height
    codecs = {tile[0] for tile in getattr(image, "tile", ())}
    if pixels > _MAX_SLOW_PIXELS and not codecs.isdisjoint(_SLOW_CODECS):
        raise SkippedFile(f"too many pixels for text or odd grey levels: {pixels:,}")
    scans = raw.count(_START_OF_SCAN) if image.format == "JPEG" else 1
    if scans * pixels > _MAX_SCANS * limits.max_image_pixels:
        raise SkippedFile(f"too many scans: {scans}")
    if isinstance(image, TiffImagePlugin.TiffImageFile):
        depth = sum(image.tag_v2.get(_BITS, (1,))) / 8
        across, down = image.tag_v2.get(_TILE_WIDTH, 0), image.tag_v2.get(_TILE_LENGTH, 0)
        # A tile may extend beyond the edge of an image, but not by much.
        largest = (image.width + _TILE_MARGIN) * (image.height + _TILE_MARGIN)
        if across * down > largest or pixels * depth > _TIFF_BYTES * limits.max_image_pixels:
            raise SkippedFile(f"too large tiles or too deep colours: {pixels:,} pixels")


def _webp_size(raw: bytes) -> tuple[int, int]:
    """Return height and width of the canvas of a WebP file."""
    if raw[12:16] == b"VP8X":
        width, height = (1 + int.from_bytes(raw[i : i + 3], "little") for i in (24, 27))
    elif raw[12:16] == b"VP8L":
        (bits,) = struct.unpack_from("<I", raw, 21)
        width, height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    else:
        width, height = (size & 0x3FFF for size in struct.unpack_from("<HH", raw, 26))
    return height, width


def _orientation(image: Image.Image) -> int:
    # A PNG without leading EXIF would be decoded to look for it after the pixels; Pillow rotates
    # TIFFs itself.
    if image.format == "TIFF" or (image.format == "PNG" and "exif" not in image.info):
        return 1
    return int(image.getexif().get(_ORIENTATION, 1))


def _flatten_and_shrink(
    image: Image.Image, mode: str, height: int, width: int, levels: Levels | None
) -> Image.Image:
    """Return an image in grey or colour, with at most a few times the requested pixels."""
    # A JPEG can be decoded directly at an eighth of its size.
    image.draft(mode, (2 * width, 2 * height))
    if is_deep(image) and levels is None:
        levels = own_levels(image)
    factor = min(image.height // (2 * height), image.width // (2 * width))
    if factor < 2:
        return _flatten(image, mode, levels)
    small = Image.new(mode, (-(-image.width // factor), -(-image.height // factor)))
    # In strips, because a palette with transparency would need four times its memory, three times.
    step = factor * max(1, _STRIP_PIXELS // (image.width * factor))
    for top in range(0, image.height, step):
        strip = image.crop((0, top, image.width, min(top + step, image.height)))
        small.paste(_flatten(strip, mode, levels).reduce(factor), (0, top // factor))
    return small


def _flatten(image: Image.Image, mode: str, levels: Levels | None) -> Image.Image:
    """Return an image in grey ("L") or colour ("RGB"), with transparency on white."""
    if levels is not None and is_deep(image):
        image = with_levels(image, levels)
    elif image.has_transparency_data:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image.convert(mode)


def _fit(image: Image.Image, height: int, width: int, fit: Fit) -> Image.Image:
    if image.size == (width, height):
        return image
    if fit == "stretch":
        return image.resize((width, height), Image.Resampling.LANCZOS)
    if fit == "crop":
        return ImageOps.fit(image, (width, height), Image.Resampling.LANCZOS)
    scale = min(width / image.width, height / image.height)
    size = (max(round(image.width * scale), 1), max(round(image.height * scale), 1))
    whole = image.resize(size, Image.Resampling.LANCZOS)
    if size == (width, height):
        return whole
    # Black bars would be the strongest feature: they get the colour of the adjacent border.
    pixels = np.asarray(whole)
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    colour = np.atleast_1d(np.median(border, axis=0)).astype(int)
    padded = Image.new(image.mode, (width, height), tuple(colour.tolist()))
    padded.paste(whole, ((width - size[0]) // 2, (height - size[1]) // 2))
    return padded
