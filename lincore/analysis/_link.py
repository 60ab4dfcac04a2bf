"""Conversion of text to a link and back: compressed, URL-safe, and bounded in size."""

from __future__ import annotations

import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode

from lincore.errors import DataError

#: Limits: characters of a link, as accepted by browsers and servers, and bytes after unpacking.
MOST_CHARACTERS, MOST_BYTES = 16_000, 200_000


def pack(text: str) -> str:
    """Encode a text for a URL."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    raw = packer.compress(text.encode()) + packer.flush()
    link = urlsafe_b64encode(raw).rstrip(b"=").decode()
    if len(link) > MOST_CHARACTERS or len(text) > MOST_BYTES:
        raise DataError(
            f"The link would have {len(link):,} characters.", remedy="Save a workspace file."
        )
    return link


def unpack(link: str) -> str:
    """Decode the text of a link."""
    damaged = DataError("The link is damaged.", where="link", remedy="Copy the complete link.")
    if len(link) > MOST_CHARACTERS or not re.fullmatch(r"[\w-]*", link, re.ASCII):
        raise damaged
    unpacker = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    try:
        raw = urlsafe_b64decode(link + "=" * (-len(link) % 4))
        text = unpacker.decompress(raw, MOST_BYTES)
        if not unpacker.eof or unpacker.unused_data:
            raise damaged
        return text.decode()
    except (ValueError, zlib.error):
        raise damaged from None
