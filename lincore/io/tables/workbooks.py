"""Zips that contain a table: packed CSV files, and refusal of workbooks."""

from __future__ import annotations

from pathlib import PurePosixPath

from lincore.errors import DataError
from lincore.io.files.archives import SkippedFile, list_zip, unpack
from lincore.limits import LIMITS, Limits

_TABLES = frozenset((".csv", ".tsv", ".txt", ".tab", ".dat", ".data", ".parquet", ".pq"))
_DOCUMENTS = {
    "xl/workbook.xml": "an Excel workbook",
    "xl/workbook.bin": "an Excel workbook",
    "word/document.xml": "a Word document",
    "content.xml": "an OpenDocument file",
}
# Beside a table these are no reason to take a zip for one of images.
_EXPLAIN = frozenset(("readme", "license", "licence", "about"))
_DIRECTORY_BYTES = 65_536
_ASIDE = frozenset((".md", ".pdf", ".html", ".json", ".names", ".doc", ".docx", ""))


def read_zipped_table(raw: bytes, name: str, limits: Limits = LIMITS) -> tuple[bytes, str] | None:
    """Return the one table that a zip holds and its name; None where it holds something else.

    Raises
    ------
    DataError
        When the zip is a workbook, holds several tables and nothing else, or cannot be read.

    Examples
    --------
    >>> import io, zipfile
    >>> stream = io.BytesIO()
    >>> with zipfile.ZipFile(stream, "w") as archive:
    ...     archive.writestr("data/iris.csv", "a,b")
    >>> read_zipped_table(stream.getvalue(), "iris.zip")
    (b'a,b', 'iris.csv')
    """
    # A look at the end of the directory spares the listing of many images.
    directory = raw[-_DIRECTORY_BYTES:].lower()
    if not any(mark.encode() in directory for mark in (*_TABLES, *_DOCUMENTS)):
        return None
    files = list_zip(raw, name, limits)
    for file in files:
        if file.path in _DOCUMENTS:
            raise DataError(
                f"This is {_DOCUMENTS[file.path]}, not a text table.",
                where=name,
                remedy="Save the sheet as CSV (text with one row per line) and load that.",
            )
    found = [(PurePosixPath(file.path), file) for file in files]
    found = [(p, f) for p, f in found if "__MACOSX" not in p.parts and p.name[:1] != "."]
    tables = [(p, f) for p, f in found if _ending(p) in _TABLES]
    if not tables or any(_ending(p) not in _TABLES | _ASIDE for p, _ in found):
        return None
    tables = [(p, f) for p, f in tables if p.stem.lower() not in _EXPLAIN] or tables
    if len(tables) > 1:
        raise DataError(
            f"The zip holds {len(tables)} tables.",
            where=name,
            remedy="Unpack it and load one of them.",
        )
    path, file = tables[0]
    try:
        return unpack(raw, file, limits), path.name
    except SkippedFile as error:
        raise DataError(
            f"It cannot be used: {error}.", where=f"{name}, {path}", remedy="Load it unpacked."
        ) from error


def _ending(path: PurePosixPath) -> str:
    """Return what a name ends in, gzip put aside."""
    ending = path.suffix.lower()
    return PurePosixPath(path.stem).suffix.lower() if ending == ".gz" else ending
