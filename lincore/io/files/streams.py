"""Repeatable streams over files larger than memory."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from lincore.errors import DataError, TooLargeError
from lincore.limits import GZIP_MAGIC, LIMITS, Limits

_BLOCK_BYTES = 1 << 20
# Maximum share of stray NUL bytes in a text.
_MOST_NULS = 0.3
# Below this size a file may unpack to any multiple of its size.
_HARMLESS_BYTES = 10_000_000


@dataclass(frozen=True, eq=False)
class LargeFile:
    """A file as uploaded: its bytes, or its path.

    Parameters
    ----------
    source : bytes or Path
    name : str
        The file's name, for messages.
    limits : Limits
    reason : str
        Why it is not read into memory, as a sentence.
    """

    source: bytes | Path
    name: str
    limits: Limits = LIMITS
    reason: str = ""

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
        with self.open_as_it_is() as stream:
            return stream.read(n_bytes)

    def open_as_it_is(self) -> BinaryIO:
        """Open it without decompression."""
        return io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source.open("rb")

    def open(self) -> BinaryIO:
        """Open it, decompressing on the fly within the limits."""
        stream = self.open_as_it_is()
        if not self.is_packed:
            return stream
        return io.BufferedReader(_Unpacked(stream, self), _BLOCK_BYTES)

    def open_as(self, encoding: str) -> BinaryIO:
        r"""Open it as UTF-8 with lines ended by \n and no NUL bytes, from any encoding."""
        return io.BufferedReader(_Recoded(self.open(), encoding, self.name), _BLOCK_BYTES)


class _Unpacked(io.RawIOBase):
    """A gzip file that is aborted once it has unpacked to too much, or to too many times its size.

    Text is rarely compressed to a fiftieth; a bomb is, to a thousandth.
    """

    def __init__(self, packed: BinaryIO, file: LargeFile) -> None:
        self._packed, self._whole = packed, file
        self._file = gzip.GzipFile(fileobj=packed)
        self._count = 0

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._packed.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        name, limits = self._whole.name, self._whole.limits
        try:
            n_bytes = self._file.readinto(buffer)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(
                f"The gzip file is damaged: {error}.", where=name, remedy="Load it uncompressed."
            ) from error
        self._count += n_bytes
        bomb = self._count > max(_HARMLESS_BYTES, limits.max_ratio * self._packed.tell())
        if bomb or self._count > limits.max_streamed_bytes:
            raise TooLargeError(
                f"It unpacks to more than {limits.max_ratio} times its size."
                if bomb
                else f"It unpacks to more than {limits.max_streamed_bytes / 1e6:,.0f} MB.",
                where=name,
                remedy="Load only part of the rows.",
            )
        return n_bytes


class _Recoded(io.RawIOBase):
    """Text of any encoding, as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str, name: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding, errors="replace", newline=None)
        self._rest, self._name = b"", name

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._text.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        if not self._rest and (text := self._text.read(_BLOCK_BYTES)):
            self._rest = without_nuls(text, self._name).encode("utf-8", "replace")
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


class NulError(DataError):
    """A text contains NUL bytes, which may be stray."""


def without_nuls(text: str, name: str) -> str:
    r"""Return a text without stray NUL bytes."""
    if "\0" not in text:
        return text
    if text.count("\0") > _MOST_NULS * len(text):
        raise no_text(name)
    return text.replace("\0", "")


def no_text(name: str) -> NulError:
    """Return the error for a file of NUL bytes."""
    return NulError(
        "The file contains NUL bytes: it is not a text table.",
        where=name,
        remedy="Save it as CSV (text with one row per line) and load that.",
    )


def whole_lines(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Iterator[bytes]:
    r"""Yield blocks of about a megabyte that end at line ends."""
    rest, n_bytes = b"", 0
    while chunk := stream.read(_BLOCK_BYTES):
        if b"\0" in chunk:
            raise no_text(name)
        cut = chunk.rfind(b"\n") + 1
        if not cut and len(rest) + len(chunk) > limits.max_line_bytes:
            raise DataError(
                f"The line is longer than {limits.max_line_bytes / 1e6:g} MB.",
                where=f"{name}, some {n_bytes / 1e6:,.0f} MB from its beginning",
                remedy="Put each row on its own line.",
            )
        block, rest = (rest + chunk[:cut], chunk[cut:]) if cut else (b"", rest + chunk)
        n_bytes += len(chunk)
        if block:
            yield block
    if rest:
        yield rest + b"\n"
