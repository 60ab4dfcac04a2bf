"""HEIC, the photo format of phones, read by pillow-heif if installed."""

from __future__ import annotations

try:
    from pillow_heif import register_heif_opener
except ImportError:
    CAN_READ_HEIC = False
else:
    # Images are distributed over the cores; other contents of a file are never read.
    register_heif_opener(decode_threads=1, thumbnails=False, depth_images=False, aux_images=False)
    CAN_READ_HEIC = True

# Brands after the first box of such a file.
_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1")
WITHOUT = (
    "HEIC, the photo format of phones: install pillow-heif (pip install lincore[heic]), or save it "
    "as JPEG or PNG"
)


def is_heic(head: bytes) -> bool:
    r"""Return whether a file is a HEIC photo."""
    return head[4:8] == b"ftyp" and head[8:12] in _BRANDS
