"""Files that commands write."""

from __future__ import annotations

from pathlib import Path

from lincore.errors import DataError


def write_file(path: str, content: bytes) -> str:
    """Write a file, and return a sentence about it.

    Parameters
    ----------
    path : str
        Where to.
    content : bytes

    Raises
    ------
    DataError
        When it cannot be written there.
    """
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise DataError(
            f"The file cannot be written: {error.strerror or error}.",
            where=path,
            remedy="Choose another place with --output.",
        ) from error
    size = f"{len(content) / 1000:,.0f} kB" if len(content) >= 1000 else f"{len(content)} bytes"
    return f"Written to {path} ({size})."
