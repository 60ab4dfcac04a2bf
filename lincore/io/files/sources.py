"""Bytes of a path, an open file or a buffer, their format, and streams over large files."""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from lincore.errors import DataError, TooLargeError
from lincore.limits import (
    GZIP_MAGIC,
    LIMITS,
    SAVE_AS_TEXT,
    Limits,
    check_size,
    is_zip,
    read_limited,
)

_BLOCK_BYTES = 1 << 20
# Maximum share of stray NUL bytes in a text.
_MOST_NULS = 0.3
# Below this size a file may unpack to any multiple of its size.
_HARMLESS_BYTES = 10_000_000
PARQUET_MAGIC = b"PAR1"
_OLD_EXCEL_MAGIC = b"\xd0\xcf\x11\xe0"
# Names and content at the ends of the zips that are workbooks.
_WORKBOOK_PARTS = (b"xl/workbook.xml", b"xl/workbook.bin")
_SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"
_DIRECTORY_BYTES = 65_536
# The first bytes of a file, the package, and pyreadstat's name of its reader.
STATFILES = (
    (re.compile(rb"\$FL[23]@\(#\)"), "SPSS", "sav"),
    (re.compile(rb"<stata_dta>|[\x69-\x73][\x01\x02]\x01\x00", re.DOTALL), "Stata", "dta"),
    (re.compile(rb"\x00{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00"), "SAS", "sas7bdat"),
    (re.compile(rb"HEADER RECORD\*{7}LIB(RARY|V8) +HEADER RECORD!{7}"), "SAS", "xport"),
)
_JSON = re.compile(rb"(\xef\xbb\xbf)?\s*(\{\s*[\"}]|\[\s*[\[{])")


def table_format(raw: bytes) -> str:
    """Return the format of a table by the first bytes of its file, and a zip's last.

    Parameters
    ----------
    raw : bytes

    Returns
    -------
    {"workbook", "zip", "Parquet", "SPSS", "Stata", "SAS", "JSON", "text"}

    Examples
    --------
    >>> table_format(b"length,species"), table_format(b'[{"length": 1}]')
    ('text', 'JSON')
    """
    if is_zip(raw):
        directory = raw[-_DIRECTORY_BYTES:]
        is_spreadsheet = b"content.xml" in directory and _SPREADSHEET in raw[:200]
        is_workbook = is_spreadsheet or any(entry in directory for entry in _WORKBOOK_PARTS)
        return "workbook" if is_workbook else "zip"
    head = raw[:1_000]
    if head.startswith(_OLD_EXCEL_MAGIC):
        return "workbook"
    if head.startswith(PARQUET_MAGIC):
        return "Parquet"
    for mark, package, _ in STATFILES:
        if mark.match(head):
            return package
    return "JSON" if _JSON.match(head) else "text"


def read_source(source: Any, name: str | None) -> tuple[bytes, str]:
    """Return the bytes of a path, open file or bytes, and the name of the file."""
    if isinstance(source, bytes):
        check_size(len(source), name or "data")
        return source, name or "data"
    if isinstance(source, (str, os.PathLike)):
        with open_source(source) as stream:
            return read_source(stream, name)
    name = name or Path(str(getattr(source, "name", "data"))).name
    if hasattr(source, "fileno"):
        # Files that are too large are rejected before reading.
        with suppress(OSError):
            check_size(os.fstat(source.fileno()).st_size or 1, name)
    return read_limited(source, name), name


def open_source(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; a `DataError` says why it cannot be opened."""
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(
            f"The file cannot be opened: {reason}.", where=os.fspath(path), remedy="Check the path."
        ) from error


def large_path(source: Any, limits: Limits = LIMITS) -> Path | None:
    """Return the path of a possible table that is too large for memory, otherwise None."""
    if not isinstance(source, (str, os.PathLike)):
        return None
    path = Path(source)
    try:
        if not path.is_file() or path.stat().st_size <= limits.max_file_bytes:
            return None
        with path.open("rb") as stream:
            return None if is_zip(stream.read(4)) else path
    except (OSError, ValueError):
        return None


@dataclass(frozen=True, eq=False)
class LargeFile:
    """A file as uploaded: its bytes, or its path."""

    source: bytes | Path
    name: str  # the file's name, for messages
    limits: Limits = LIMITS
    reason: str = ""  # why it is not read into memory, as a sentence

    @property
    def is_packed(self) -> bool:
        """True if it is compressed by gzip."""
        return self.beginning(len(GZIP_MAGIC)) == GZIP_MAGIC

    @property
    def n_bytes(self) -> int:
        """Its size as uploaded."""
        return len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size

    def beginning(self, n_bytes: int) -> bytes:
        """Return its first bytes unchanged."""
        with self.open_raw() as stream:
            return stream.read(n_bytes)

    def open_raw(self) -> BinaryIO:
        """Open it without decompression."""
        return io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source.open("rb")

    def open(self, encoding: str | None = None) -> BinaryIO:
        r"""Open it unpacked, within the limits; if recoded, with lines ended by \n and no NULs."""
        stream = self.open_raw()
        if self.is_packed:
            stream = io.BufferedReader(IteratedBytes(_decompress(stream, self)), _BLOCK_BYTES)
        if encoding is None:
            return stream
        pieces = _recode(stream, encoding, self.name)
        return io.BufferedReader(IteratedBytes(pieces), _BLOCK_BYTES)


class IteratedBytes(io.RawIOBase):
    """A stream of bytes that come in pieces."""

    def __init__(self, pieces: Generator[bytes]) -> None:
        self._pieces, self._rest = pieces, b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._pieces.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = piece
        chunk, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)


def _decompress(packed: BinaryIO, file: LargeFile) -> Generator[bytes]:
    """Yield the content of a gzip file until it is too much, or too many times its size."""
    # Text is rarely compressed to a fiftieth; a bomb is, to a thousandth.
    count, limits = 0, file.limits
    with packed, gzip.GzipFile(fileobj=packed) as stream:
        while True:
            try:
                piece = stream.read1(_BLOCK_BYTES)
            except (OSError, EOFError, zlib.error) as error:
                raise DataError(
                    f"The gzip file is damaged: {error}.",
                    where=file.name,
                    remedy="Load it uncompressed.",
                ) from error
            if not piece:
                return
            count += len(piece)
            bomb = count > max(_HARMLESS_BYTES, limits.max_ratio * packed.tell())
            if bomb or count > limits.max_streamed_bytes:
                raise TooLargeError(
                    f"It unpacks to more than {limits.max_ratio} times its size."
                    if bomb
                    else f"It unpacks to more than {limits.max_streamed_bytes / 1e6:,.0f} MB.",
                    where=file.name,
                    remedy="Load only part of the rows.",
                )
            yield piece


def _recode(stream: BinaryIO, encoding: str, name: str) -> Generator[bytes]:
    """Yield the text of a stream as UTF-8."""
    with io.TextIOWrapper(stream, encoding, errors="replace", newline=None) as text:
        while piece := text.read(_BLOCK_BYTES):
            yield without_nuls(piece, name).encode("utf-8", "replace")


class NulError(DataError):
    """A text contains NUL bytes, which may be stray."""


def without_nuls(text: str, name: str) -> str:
    r"""Return a text without stray NUL bytes."""
    if text.count("\0") > _MOST_NULS * len(text):
        raise nul_error(name)
    return text.replace("\0", "")


def nul_error(name: str) -> NulError:
    """Return the error for a file of NUL bytes."""
    return NulError(
        "The file contains NUL bytes: it is not a text table.", where=name, remedy=SAVE_AS_TEXT
    )


def line_too_long(where: str, limits: Limits) -> DataError:
    """Return the error for a text without line ends."""
    message = f"The line is longer than {limits.max_line_bytes / 1e6:g} MB."
    return DataError(message, where=where, remedy="Put each row on its own line.")


def whole_lines(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Iterator[bytes]:
    r"""Yield blocks of about a megabyte that end at line ends."""
    rest, n_bytes = b"", 0
    while chunk := stream.read(_BLOCK_BYTES):
        if b"\0" in chunk:
            raise nul_error(name)
        cut = chunk.rfind(b"\n") + 1
        if not cut and len(rest) + len(chunk) > limits.max_line_bytes:
            position = f"about {n_bytes / 1e6:,.0f} MB from the beginning"
            raise line_too_long(f"{name}, {position}", limits)
        block, rest = (rest + chunk[:cut], chunk[cut:]) if cut else (b"", rest + chunk)
        n_bytes += len(chunk)
        if block:
            yield block
    if rest:
        yield rest + b"\n"
