"""Check by SHA-256 that files are those of an earlier analysis."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from lincore.errors import DataError
from lincore.io.files.sources import open_source

# Folders made for files that were given without one: their names are no part of the paths.
_LOOSE = ("images", "tables")
_BLOCK = 1 << 20


def verified(path: str | Path, digest: str) -> Path | list[tuple[str, bytes]]:
    r"""Return a file, or the files of a folder, if they are unchanged.

    Parameters
    ----------
    path : str or Path
    digest : str
        SHA-256 of the file, or of all files of the folder in the order of their names; empty to
        accept any.

    Returns
    -------
    Path or list of (name, bytes)
        As `load` takes them.

    Raises
    ------
    DataError
        If it cannot be opened or is another one.

    Examples
    --------
    >>> import lincore, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "flowers.csv"
    >>> _ = path.write_text("length,kind\n1,a\n2,b\n3,a\n4,b\n")
    >>> lincore.load(verified(path, hash_of([path.read_bytes()]))).n_rows
    4
    >>> verified(path, "0" * 64)
    Traceback (most recent call last):
    ...
    lincore.errors.DataError: flowers.csv: This is a different file: its SHA-256 begins with ...
    """
    path = Path(path)
    if path.is_dir():
        top = path if path.name in _LOOSE else path.parent
        files = sorted(
            (file.relative_to(top).as_posix(), file.read_bytes())
            for file in path.rglob("*")
            if file.is_file()
        )
        check_hash(path.name, digest, hash_of(raw for _, raw in files))
        return files
    if digest:
        check_hash(path.name, digest, file_hash(path))
    return path


def check_hash(name: str, expected: str, actual: str) -> None:
    """Raise an error if a file does not have the expected SHA-256."""
    if expected and actual != expected:
        raise DataError(
            f"This is a different file: its SHA-256 begins with {actual[:12]}, "
            f"that of the analysis with {expected[:12]}.",
            where=name,
            remedy=f"Provide the file {name} with which the analysis was made.",
        )


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file of any size."""
    with open_source(path) as stream:
        return hash_of(iter(lambda: stream.read(_BLOCK), b""))


def hash_of(blocks: Iterable[bytes]) -> str:
    """Return the SHA-256 of concatenated blocks, as 64 hexadecimal digits.

    Parameters
    ----------
    blocks : iterable of bytes

    Returns
    -------
    str

    Examples
    --------
    >>> hash_of([b"a", b"b"])[:8]
    'fb8e20fc'
    """
    digest = sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()
