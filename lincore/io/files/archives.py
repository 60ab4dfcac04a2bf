"""Decompression of untrusted archives in memory, within limits."""

from __future__ import annotations

import io
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Sequence
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED

from lincore.errors import DataError
from lincore.limits import LIMITS, ZIP_MAGIC, Limits

# The first bytes of the directory record of every entry of a zip.
_ENTRY_MAGIC = b"PK\x01\x02"
# Bytes before the name of an entry, where its content begins.
_LOCAL_HEADER = 30
# Exceptions of the zipfile module for damaged archives.
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError)
# Below this an entry may unpack to any multiple of its size, such as blank images.
_SMALL_BYTES = 1_000_000
# Bytes that deflate may need before its first output byte.
_CODE_TABLES = 1_000
_MADE_ON_UNIX = 3
_MARKED_UTF8 = 0x800
# How the zipfile module reads names that are not marked: each byte becomes a letter.
_UNMARKED = "cp437"
_LATIN = ("LATIN ",)
_EAST_ASIAN = ("CJK UNIFIED", "HIRAGANA", "KATAKANA", "FULLWIDTH", "IDEOGRAPHIC")
# Encodings used by packing programs, and the Unicode names of their letters.
_ENCODINGS = (
    ("cp437", _LATIN),
    ("cp932", _EAST_ASIAN),
    ("gb2312", _EAST_ASIAN),
    ("cp866", ("CYRILLIC ",)),
    ("cp1252", _LATIN),
)
_TWO_SCRIPTS = re.compile("[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")


class SkippedFile(Exception):
    """The reason why one file of many is skipped while the others are read."""


class PackedFile(NamedTuple):
    """One file of a zip, as the zip's directory describes it."""

    path: str  # with / between folders, correctly decoded
    start: int  # offset in the zip, in bytes
    packed: int  # bytes in the zip
    size: int  # bytes unpacked
    checksum: int  # CRC-32 of the unpacked bytes
    stored: bool  # whether it is not compressed
    refused: str  # why it must not be unpacked; empty if it may be


def check_members(n_files: int, name: str, limits: Limits = LIMITS) -> None:
    """Reject more files than the limit."""
    if n_files > limits.max_members:
        message = f"There are more than {limits.max_members:,} files."
        raise DataError(message, where=name, remedy="Load fewer.")


def list_zip(raw: bytes, name: str, limits: Limits = LIMITS) -> list[PackedFile]:
    """Return the files of a zip, without folders, after checking its directory."""
    # Every entry has this mark, whatever count the archive states.
    if raw.count(_ENTRY_MAGIC) > limits.max_members:
        raise _hostile(f"The zip contains more than {limits.max_members:,} files.", name)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            entries = archive.infolist()
    except (*_DAMAGE, NotImplementedError) as error:
        raise DataError(
            f"The zip cannot be opened: {str(error).rstrip('.')}.",
            where=name,
            remedy="Zip the folders again.",
        ) from error
    _refuse_overlap(entries, len(raw), name)
    if sum(entry.file_size for entry in entries) > limits.max_total_bytes:
        raise _hostile(f"The zip unpacks to over {limits.max_total_bytes / 1e6:,.0f} MB.", name)
    files, seen = [], set[str]()
    for entry, path in zip(entries, _entry_paths(entries), strict=True):
        if path.endswith("/"):
            continue
        refused = _refusal(entry, path, limits)
        refused = refused or ("a second file of that name" if path in seen else "")
        sizes, stored = (entry.compress_size, entry.file_size), entry.compress_type == ZIP_STORED
        files.append(PackedFile(path, entry.header_offset, *sizes, entry.CRC, stored, refused))
        seen.add(path)
    return files


def unpack(
    raw: bytes, file: PackedFile, limits: Limits = LIMITS, *, most: int | None = None
) -> bytes:
    """Unpack one file of a zip in memory."""
    if file.refused:
        raise SkippedFile(file.refused)
    try:
        content = _content(raw, file, min(most or file.size, limits.max_member_bytes))
    except (zlib.error, struct.error) as error:
        raise SkippedFile("damaged in the zip") from error
    if most is None and (len(content) != file.size or zlib.crc32(content) != file.checksum):
        raise SkippedFile("damaged in the zip")
    return content


def _content(raw: bytes, file: PackedFile, most: int) -> bytes:
    magic, *lengths = struct.unpack_from("<4s22xHH", raw, file.start)
    if magic != ZIP_MAGIC:
        raise SkippedFile("damaged in the zip")
    begin = file.start + _LOCAL_HEADER + sum(lengths)
    # A first look needs little of a large file: zlib would copy everything left unread.
    read = file.packed if most == file.size else min(file.packed, most + _CODE_TABLES)
    packed = memoryview(raw)[begin : begin + read]
    if file.stored:
        return bytes(packed[:most])
    # One byte more than claimed, to detect a false size, but never everything.
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most + 1)


def _refusal(entry: zipfile.ZipInfo, path: str, limits: Limits) -> str:
    """Return why an entry must not be unpacked, if so."""
    if path.startswith("/") or re.match("[A-Za-z]:", path) or ".." in path.split("/"):
        return "its path leads out of the zip"
    if entry.create_system == _MADE_ON_UNIX and stat.S_ISLNK(entry.external_attr >> 16):
        return "a symbolic link"
    if entry.flag_bits & 0x1:
        return "encrypted"
    if entry.file_size == 0:
        return "empty file"
    # Other methods unpack a few bytes to gigabytes in one step, which no limit can stop.
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return "compressed by another method than deflate"
    if entry.file_size > max(_SMALL_BYTES, limits.max_ratio * entry.compress_size):
        return f"unpacks to more than {limits.max_ratio} times its size"
    if entry.file_size > limits.max_member_bytes:
        return f"larger than {limits.max_member_bytes / 1e6:,.0f} MB"
    return ""


def _refuse_overlap(entries: Sequence[zipfile.ZipInfo], n_bytes: int, name: str) -> None:
    """Reject a zip in which entries share bytes, because it may then unpack to any size."""
    spans = sorted((entry.header_offset, entry.compress_size) for entry in entries)
    begins = [begin for begin, _ in spans[1:]] + [n_bytes] * bool(spans)
    for (begin, packed), following in zip(spans, begins, strict=True):
        if begin + _LOCAL_HEADER + packed > following:
            raise _hostile("The files in the zip overlap, as in a zip bomb.", name)


def _hostile(message: str, name: str) -> DataError:
    return DataError(message, where=name, remedy="Zip fewer or smaller images.")


def _entry_paths(entries: Sequence[zipfile.ZipInfo]) -> list[str]:
    r"""Return the path of every entry, correctly decoded, with / between folders."""
    # Names not marked as UTF-8 may be UTF-8 nevertheless (macOS), or in the encoding of the
    # computer that packed them. All such names of a zip are assumed to have the same encoding, the
    # first one that decodes them to letters of a single script. Letters and accents are combined.
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
        # These were already decoded by the zipfile module.
        return _UNMARKED
    for encoding, letters in (("utf-8", ()), *_ENCODINGS):
        try:
            decoded = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        foreign = {unicodedata.name(sign, "") for sign in decoded if not sign.isascii()}
        is_named = all(name.startswith(letters) for name in foreign)
        if encoding == "utf-8" or (is_named and not _TWO_SCRIPTS.search(decoded)):
            return encoding
    return _UNMARKED
