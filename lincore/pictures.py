"""One picture, from the bytes of a stranger: its size from the header, its pixels in grey."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from lincore.archives import UnusableFile
from lincore.limits import Limits

# Named one by one: some of Pillow's other formats call external programs.
FORMATS = ("PNG", "JPEG", "BMP", "PPM", "GIF", "TIFF", "WEBP")

# fmt: off
_ENDINGS = (
    ".png", ".jpg", ".jpeg", ".bmp", ".pgm", ".ppm", ".pbm", ".gif", ".tif", ".tiff", ".webp",
)
# fmt: on
_ORIENTATION = 0x0112


def image_size(raw: bytes, path: str, limits: Limits) -> tuple[int, int]:
    """Return height and width of an upright image, from its header alone.

    Parameters
    ----------
    raw : bytes
    path : str
        The file's name, which tells a damaged image from a file of another kind.
    limits : Limits

    Returns
    -------
    (height, width)
        In pixels.

    Raises
    ------
    UnusableFile
        When it is no image, damaged, or has too many pixels.
    """
    try:
        with Image.open(io.BytesIO(raw), formats=FORMATS) as image:
            width, height = image.size
            if width * height <= limits.max_image_pixels and _is_turned(image):
                height, width = width, height
    except UnidentifiedImageError as error:
        image_name = path.lower().endswith(_ENDINGS)
        raise UnusableFile("damaged image" if image_name else "not an image") from error
    # Decoders meet hostile bytes here, and raise whatever they like.
    except Exception as error:
        raise UnusableFile("damaged image") from error
    if not 0 < width * height <= limits.max_image_pixels:
        raise UnusableFile(f"too many pixels: {height} × {width}")
    return height, width


def _is_turned(image: Image.Image) -> bool:
    # A PNG without EXIF in front would be decoded to look for it behind the pixels.
    if image.format == "PNG" and "exif" not in image.info:
        return False
    return image.getexif().get(_ORIENTATION) in (5, 6, 7, 8)


def grey_pixels(raw: bytes, shape: tuple[int, int]) -> np.ndarray:
    """Decode an image, upright and grey.

    Parameters
    ----------
    raw : bytes
    shape : (height, width)
        In pixels, to which it is resized where it has another size.

    Returns
    -------
    (height * width,) uint8
        Row by row; 255 is white, and so is what is transparent.

    Raises
    ------
    UnusableFile
        When it is damaged.
    """
    try:
        with Image.open(io.BytesIO(raw), formats=FORMATS) as image:
            grey = _to_grey(ImageOps.exif_transpose(image))
            if (grey.height, grey.width) != shape:
                grey = grey.resize((shape[1], shape[0]), Image.Resampling.LANCZOS)
            return np.asarray(grey).ravel()
    # Decoders meet hostile bytes here, and raise whatever they like.
    except Exception as error:
        raise UnusableFile("damaged image") from error


def _to_grey(image: Image.Image) -> Image.Image:
    if image.mode[0] in "IF":
        values = np.asarray(image, dtype=np.float32)
        # 16 bits: 65535 is white. Fractions: 1 is white, unless there are larger values.
        largest = 65535 if image.mode[0] == "I" else 1 if values.max() <= 1 else 255
        grey = np.clip(np.rint(values * np.float32(255 / largest)), 0, 255)
        return Image.fromarray(grey.astype(np.uint8))
    if image.has_transparency_data:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image)
    return image.convert("L")
