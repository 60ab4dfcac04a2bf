"""Decoding of the file names in a zip."""

from __future__ import annotations

import re
import unicodedata
import zipfile
from collections.abc import Sequence

_MARKED_UTF8 = 0x800
# How the zipfile module decodes unmarked names: each byte becomes a letter.
_UNMARKED = "cp437"
_LATIN = ("LATIN ",)
_EAST_ASIAN = ("CJK UNIFIED", "HIRAGANA", "KATAKANA", "FULLWIDTH", "IDEOGRAPHIC")
# Encodings used by zip programs, and the Unicode names of their letters.
_ENCODINGS = (
    ("cp437", _LATIN),
    ("cp932", _EAST_ASIAN),
    ("gb2312", _EAST_ASIAN),
    ("cp866", ("CYRILLIC ",)),
    ("cp1252", _LATIN),
)
_TWO_SCRIPTS = re.compile("[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")


def entry_paths(entries: Sequence[zipfile.ZipInfo]) -> list[str]:
    r"""Return the path of every entry, with / between folders, correctly decoded.

    Names not marked as UTF-8 may still be UTF-8 (macOS), or in the encoding of the computer that
    created the zip. All such names of a zip are assumed to share one encoding, the first that
    yields letters of one script. Letters and their accents become one character.
    """
    unmarked = [
        not (entry.flag_bits & _MARKED_UTF8 or entry.filename.isascii()) for entry in entries
    ]
    texts = [entry.filename for entry in entries]
    encoding = _encoding_of([t for t, un in zip(texts, unmarked, strict=True) if un])
    if encoding != _UNMARKED:
        texts = [
            text.encode(_UNMARKED).decode(encoding) if un else text
            for text, un in zip(texts, unmarked, strict=True)
        ]
    return [unicodedata.normalize("NFC", text.replace("\\", "/")) for text in texts]


def _encoding_of(texts: Sequence[str]) -> str:
    """Return the encoding of names that were decoded byte by byte."""
    try:
        raw = "\n".join(texts).encode(_UNMARKED)
    except UnicodeEncodeError:
        # Not the raw names: the zipfile module has decoded them.
        return _UNMARKED
    for encoding, letters in (("utf-8", ()), *_ENCODINGS):
        try:
            read = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8" or _is_written_in(read, letters):
            return encoding
    return _UNMARKED


def _is_written_in(text: str, letters: tuple[str, ...]) -> bool:
    others = {letter for letter in text if not letter.isascii()}
    named = all(unicodedata.name(letter, "").startswith(letters) for letter in others)
    return named and not _TWO_SCRIPTS.search(text)
