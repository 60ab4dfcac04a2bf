"""Packed files of a stranger, unpacked in memory and never beyond the limits."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib

from lincore.errors import DataError
from lincore.limits import GZIP_MAGIC, LIMITS, Limits, read_limited

# Stands before the directory record of every entry of a zip.
_ENTRY_MAGIC = b"PK\x01\x02"
# What the zipfile module raises for bytes that are no good archive.
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError)
# Below this an entry may unpack to any multiple of its size: blank images do.
_SMALL_BYTES = 1_000_000


class UnusableFile(Exception):
    """The reason why one file of a zip is left out while the others are read."""


def unpack_gzip(raw: bytes, name: str, limits: Limits = LIMITS) -> bytes:
    """Unpack a gzip file, never to more than the limit; return any other file as it is.

    Raises
    ------
    DataError
        When the file is damaged, or too large unpacked.
    """
    if not raw.startswith(GZIP_MAGIC):
        return raw
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
            return read_limited(stream, name, limits)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"The gzip file is damaged: {error}.", where=name, remedy="Load it unpacked."
        ) from error


def open_zip(raw: bytes, name: str, limits: Limits = LIMITS) -> zipfile.ZipFile:
    """Open an archive after a look at what it claims to hold.

    Raises
    ------
    DataError
        When it is damaged, holds too many files or bytes, or files that overlap.
    """
    # Every entry carries this mark, whatever count the archive states.
    if raw.count(_ENTRY_MAGIC) > limits.max_members:
        raise _hostile(f"The zip holds more than {limits.max_members:,} files.", name)
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
    except (*_DAMAGE, NotImplementedError) as error:
        raise DataError(
            f"The zip cannot be opened: {str(error).rstrip('.')}.",
            where=name,
            remedy="Zip the folders again.",
        ) from error
    entries = archive.infolist()
    if sum(entry.compress_size for entry in entries) > len(raw):
        raise _hostile("The files in the zip overlap, as in a zip bomb.", name)
    if sum(entry.file_size for entry in entries) > limits.max_total_bytes:
        raise _hostile(f"The zip unpacks to over {limits.max_total_bytes / 1e6:,.0f} MB.", name)
    return archive


def _hostile(what: str, name: str) -> DataError:
    return DataError(what, where=name, remedy="Zip fewer or smaller images.")


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limits: Limits = LIMITS) -> bytes:
    """Unpack one file of a zip in memory, never beyond the limit.

    Raises
    ------
    UnusableFile
        When it is encrypted, empty, too large or damaged.
    """
    if entry.flag_bits & 0x1:
        raise UnusableFile("encrypted")
    if entry.file_size == 0:
        raise UnusableFile("empty file")
    # The other methods unpack a few bytes to gigabytes in one step, which no limit can stop.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnusableFile("packed by another method than deflate")
    if entry.file_size > max(_SMALL_BYTES, limits.max_ratio * entry.compress_size):
        raise UnusableFile(f"unpacks to more than {limits.max_ratio} times its size")
    too_large = UnusableFile(f"larger than {limits.max_member_bytes / 1e6:,.0f} MB")
    if entry.file_size > limits.max_member_bytes:
        raise too_large
    try:
        with archive.open(entry) as stream:
            raw = stream.read(limits.max_member_bytes + 1)
    except (*_DAMAGE, RuntimeError) as error:
        raise UnusableFile("damaged in the zip") from error
    if len(raw) > limits.max_member_bytes:
        raise too_large
    return raw
