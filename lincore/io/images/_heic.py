"""HEIC, as phones save photographs, by pillow-heif where it is installed."""

from __future__ import annotations

try:
    from pillow_heif import register_heif_opener
except ImportError:
    CAN_READ_HEIC = False
else:
    # Images are spread over the cores; what a file holds beside its image is never looked at.
    register_heif_opener(decode_threads=1, thumbnails=False, depth_images=False, aux_images=False)
    CAN_READ_HEIC = True

# Brands behind the first box of such a file.
_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1")
WITHOUT = (
    "HEIC, as phones save photographs: install pillow-heif (pip install lincore[heic]), or save it "
    "as JPEG or PNG"
)


def is_heic(head: bytes) -> bool:
    r"""Return whether a file is a photograph in HEIC."""
    return head[4:8] == b"ftyp" and head[8:12] in _BRANDS
