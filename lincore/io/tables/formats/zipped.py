"""Zips that contain tables: compressed CSV files, of which one is chosen."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from os.path import splitext
from typing import NamedTuple

from lincore.errors import DataError, not_among
from lincore.io.files.archives import PackedFile, SkippedFile, check_members, list_zip, unpack
from lincore.limits import LIMITS, SAVE_AS_TEXT, Limits, check_size

# fmt: off
_TABLES = frozenset((
    ".csv", ".tsv", ".txt", ".tab", ".dat", ".data", ".parquet", ".pq", ".arff", ".jsonl",
    ".sav", ".zsav", ".dta", ".sas7bdat", ".xpt", ".xlsx", ".xls", ".ods",
))
# fmt: on
_DOCUMENTS = {"word/document.xml": "a Word document", "content.xml": "an OpenDocument file"}
# Next to a table these do not make a zip one of images.
_READMES = frozenset(("readme", "license", "licence", "about"))
_DIRECTORY_BYTES = 65_536
_ASIDE = frozenset((".md", ".pdf", ".html", ".json", ".names", ".doc", ".docx", ""))


class ZippedTable(NamedTuple):
    """One table of a zip."""

    raw: bytes  # unpacked
    path: str  # within the zip
    paths: tuple[str, ...]  # paths of all tables in it


def read_zipped_table(
    raw: bytes, name: str, path: str | None = None, limits: Limits = LIMITS
) -> ZippedTable | None:
    """Return the chosen table of a zip, or the largest; None if it holds no tables."""
    tables = _tables_in(raw, name, limits)
    if not tables:
        return None
    paths = tuple(file.path for file in tables)
    if path is not None and path not in paths:
        raise not_among(f"The zip contains no table {path!r}.", f"{name}, option sheet", paths)
    usable = [file for file in tables if not file.refused] or tables
    file = max(usable, key=lambda file: (file.path == path, file.size))
    try:
        return ZippedTable(unpack(raw, file, limits), file.path, paths)
    except SkippedFile as error:
        raise DataError(
            f"The table cannot be used: {error}.",
            where=f"{name}, {file.path}",
            remedy="Load it uncompressed.",
        ) from error


def tables_among(files: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Return the files that are tables by their names.

    Parameters
    ----------
    files : sequence of (name, content)

    Returns
    -------
    list of (name, content)

    Examples
    --------
    >>> tables_among([("data/a.csv", b"u,v"), ("data/.b.csv", b""), ("data/readme.txt", b"A")])
    [('data/a.csv', b'u,v')]
    """
    tables = [file for file in files if _is_table(file[0]) and file[1]]
    return [table for table in tables if not _is_readme(table[0])] or tables


def zip_tables(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Return several tables as one zip; one of them is chosen on reading.

    Parameters
    ----------
    files : sequence of (name, content)

    Returns
    -------
    bytes

    Raises
    ------
    DataError
        If there are too many files, or they are too large together.

    Examples
    --------
    >>> made = zip_tables([("a.csv", b"u,v"), ("b.csv", b"u,v,w")])
    >>> read_zipped_table(made, "two").path
    'b.csv'
    """
    check_size(sum(len(raw) for _, raw in files), "tables")
    check_members(len(files), "tables")
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for path, raw in dict(files).items():
            archive.writestr(zipfile.ZipInfo(path.replace("\\", "/")), raw)
    return sink.getvalue()


def _tables_in(raw: bytes, name: str, limits: Limits) -> list[PackedFile]:
    """Return the tables of a zip; none if it contains something else."""
    # Checking the end of the directory first avoids listing many images.
    directory = raw[-_DIRECTORY_BYTES:].lower()
    if not any(mark.encode() in directory for mark in (*_TABLES, *_DOCUMENTS)):
        return []
    files = list_zip(raw, name, limits)
    for file in files:
        if file.path in _DOCUMENTS:
            message = f"This is {_DOCUMENTS[file.path]}, not a text table."
            raise DataError(message, where=name, remedy=SAVE_AS_TEXT)
    shown = [f for f in files if "__MACOSX" not in f.path.split("/") and not _is_hidden(f.path)]
    tables = [file for file in shown if _is_table(file.path)]
    if not tables or any(_ending(file.path) not in _TABLES | _ASIDE for file in shown):
        return []
    return [file for file in tables if not _is_readme(file.path)] or tables


# Strings, not paths: a zip may contain tens of thousands.
def _is_hidden(path: str) -> bool:
    return path.rpartition("/")[2].startswith(".")


def _is_table(path: str) -> bool:
    return _ending(path) in _TABLES and not _is_hidden(path)


def _is_readme(path: str) -> bool:
    return splitext(path.rpartition("/")[2])[0].lower() in _READMES


def _ending(path: str) -> str:
    """Return the extension of a name, ignoring gzip."""
    stem, ending = splitext(path.lower())
    return splitext(stem)[1] if ending == ".gz" else ending
