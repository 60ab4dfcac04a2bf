"""Text to a link and back: compressed, in letters that an address may hold, within bounds."""

from __future__ import annotations

import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode

from lincore.errors import DataError

#: Characters of a link, which browsers and servers let pass, and bytes of what it unpacks to.
MOST_CHARACTERS, MOST_BYTES = 16_000, 200_000


def pack(text: str) -> str:
    """Return a text in the letters of an address."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    raw = packer.compress(text.encode()) + packer.flush()
    found = urlsafe_b64encode(raw).rstrip(b"=").decode()
    if len(found) > MOST_CHARACTERS or len(text) > MOST_BYTES:
        raise DataError(
            f"The link would have {len(found):,} characters.", remedy="Save a workspace file."
        )
    return found


def unpack(link: str) -> str:
    """Return the text of a link."""
    damaged = DataError("It is damaged.", where="link", remedy="Copy all of it.")
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
