"""Bytes of a path, an open file or a buffer."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from lincore.errors import DataError
from lincore.limits import LIMITS, Limits, check_size, is_zip, read_limited


def read_source(source: Any, name: str | None) -> tuple[bytes, str]:
    """Return the bytes of a path, open file or bytes, and the name of the file."""
    if isinstance(source, bytes):
        check_size(len(source), name or "data")
        return source, name or "data"
    if isinstance(source, (str, os.PathLike)):
        try:
            with open(source, "rb") as stream:
                return read_source(stream, name)
        except DataError:
            raise
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise DataError(
                f"The file cannot be opened: {reason}.",
                where=os.fspath(source),
                remedy="Check the path.",
            ) from error
    name = name or Path(str(getattr(source, "name", "data"))).name
    if hasattr(source, "fileno"):
        # Files that are too large are rejected before reading.
        with suppress(OSError):
            check_size(os.fstat(source.fileno()).st_size or 1, name)
    return read_limited(source, name), name


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
