"""Recognition of HEIC and of unsupported formats by the first bytes of a file."""

from __future__ import annotations

import re

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
_KINDS = {
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
# Containers of videos and images, by the brand after the first box.
_AVIF = (b"avif", b"avis")
_RAW = f"a camera's raw photograph: {_AS_JPEG}"
_SVG = re.compile(
    rb"^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<(svg|!DOCTYPE svg)", re.S
)
_PAGE = re.compile(rb"^(\xef\xbb\xbf)?\s*<(!doctype html|html)", re.I)


def is_heic(head: bytes) -> bool:
    """Return whether a file is a HEIC image."""
    return head[4:8] == b"ftyp" and head[8:12] in _HEIC


def unsupported_image(head: bytes) -> str:
    """Describe an image in an unsupported format and the remedy; "" for other files."""
    if is_heic(head):
        return "" if CAN_READ_HEIC else _WITHOUT_HEIC
    if head[4:8] == b"ftyp":
        return _in_boxes(head[8:12])
    for magic, kind in _KINDS.items():
        if head.startswith(magic):
            return kind
    if head[:2] in (b"II", b"MM") and head[8:10] == b"CR":
        return _RAW
    if head[128:132] == b"DICM":
        return f"DICOM: {_AS_JPEG}"
    if _SVG.match(head[:256]):
        return "a drawing (SVG): save it as PNG"
    return "a web page, not an image: download the image itself" if _PAGE.match(head[:256]) else ""


def _in_boxes(brand: bytes) -> str:
    if brand in _AVIF:
        return f"AVIF: {_AS_JPEG}"
    if brand == b"crx ":
        return _RAW
    return "a video, not an image: save single frames as JPEG or PNG"
