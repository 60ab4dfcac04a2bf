"""Limits on the size of untrusted files, checked before any parser runs."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from dataclasses import dataclass, replace
from typing import Protocol

from lincore.errors import DataError, TooLargeError


class Readable(Protocol):
    """Any source of bytes: an open file, an upload, an entry of a zip."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""
        ...


@dataclass(frozen=True)
class Limits:
    """Limits beyond which input is rejected, skipped or scaled down.

    Parameters
    ----------
    max_file_bytes : int
        Size of a file as uploaded.
    max_table_bytes : int
        Unpacked size of a table as text, or of a Parquet file's columns. Reading takes several
        times as much memory.
    max_line_bytes : int
        Size of one line of a table.
    max_levels : int
        Levels of a category: each becomes a column.
    max_words : int
        Distinct words of a text column, and a hundredth of all occurrences.
    max_columns : int
        Columns of a table, counted in the text: pandas needs minutes for 300,000.
    max_cells : int
        Rows times columns of a table.
    max_rows : int
        Rows of a file that is read into memory: each takes some hundred bytes however few its
        columns are, and Parquet compresses millions of equal rows to almost nothing.
    max_streamed_bytes : int
        Size, as text or as Parquet columns, of a numeric table that is read in blocks because it
        exceeds one of the limits above. It does not apply to files on disk: `on_own_disk`.
    max_streamed_cells : int
        Rows times columns of such a table: the time that reading takes.
    max_drawn_bytes : int
        Text of the rows sampled from such a table for a first look.
    max_rows_in_memory, max_values_in_memory : int
        Rows of such a table in memory, and rows times features; the others are streamed.
    max_streamed_values : int
        Classes times the square of the features: the sums of such a table.
    max_label_chars : int
        Characters of one class label. An array of labels is as wide as the longest label.
    max_members : int
        Entries of a zip. Just listing 200,000 of them takes seconds.
    max_member_bytes : int
        Size of one unpacked entry of a zip.
    max_total_bytes : int
        Size of all unpacked entries of a zip together.
    max_ratio : int
        Ratio of unpacked to packed size of one entry of a zip, if it unpacks to more than a
        megabyte.
    max_image_pixels : int
        Pixels of one image as its header states them, before it is decoded.
    max_source_pixels : int
        Pixels of all images of a zip before they are resized: the time that decoding takes.
    max_total_pixels : int
        Images times pixels of the common size: the bytes of the array of all images.
    max_features : int
        Pixels of the common size. Larger images are scaled down to it.
    """

    max_file_bytes: int = 200_000_000
    max_table_bytes: int = 120_000_000
    max_line_bytes: int = 1_000_000
    max_levels: int = 1_000
    max_words: int = 200_000
    max_columns: int = 5_000
    max_cells: int = 50_000_000
    max_rows: int = 2_000_000
    max_streamed_bytes: int = 4_000_000_000
    max_streamed_cells: int = 1_000_000_000
    max_drawn_bytes: int = 20_000_000
    max_rows_in_memory: int = 200_000
    max_values_in_memory: int = 10_000_000
    max_streamed_values: int = 10_000_000
    max_label_chars: int = 200
    max_members: int = 100_000
    max_member_bytes: int = 50_000_000
    max_total_bytes: int = 1_000_000_000
    max_ratio: int = 200
    max_image_pixels: int = 25_000_000
    max_source_pixels: int = 4_000_000_000
    max_total_pixels: int = 500_000_000
    max_features: int = 16_384


LIMITS = Limits()


def on_own_disk(limits: Limits) -> Limits:
    """Return limits for a file on the user's own disk: it may have any length."""
    # Its use of memory and its unpacked size remain limited; the time spent on reading
    # affects only the user.
    return replace(limits, max_streamed_bytes=sys.maxsize, max_streamed_cells=sys.maxsize)


ZIP_MAGIC = b"PK\x03\x04"
EMPTY_ZIP_MAGIC = b"PK\x05\x06"
GZIP_MAGIC = b"\x1f\x8b"

# The first bytes of a file, and the name of the format.
_FOREIGN = {
    b"%PDF": "a PDF document",
    b"\x7fELF": "a program",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
    b"MZ\x90\x00": "a program",
    b"SQLite format 3": "a database",
    b"\x89PNG": "a single image",
    b"\xff\xd8\xff": "a single image",
    b"GIF8": "a single image",
    b"\x93NUMPY": "a NumPy file",
    b"\x89HDF": "an HDF5 file",
    b"7z\xbc\xaf": "a 7z archive",
    GZIP_MAGIC: "a packed gzip archive",
    b"Rar!": "a RAR archive",
    b"BZh": "a bzip2 archive",
    b"<!DOCTYPE": "a web page",
    b"<!doctype": "a web page",
    b"<html": "a web page",
    b"\xfd7zXZ": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstandard archive",
    b"Obj\x01": "an Avro file",
    b"ARROW1\0\0": "an Arrow file",
    b"FEA1\0": "a Feather file",
    b"MATLAB 5.0 MAT-file": "a MATLAB file",
    b"RDX2\n": "an R file",
    b"RDX3\n": "an R file",
    b"X\n\0\0": "an R file",
    # A pickle of protocol 2 to 5; loading it could run any code.
    b"\x80\x02": "a Python pickle",
    b"\x80\x03": "a Python pickle",
    b"\x80\x04": "a Python pickle",
    b"\x80\x05": "a Python pickle",
}
# At both ends of a Parquet file with encrypted metadata.
_ENCRYPTED = b"PARE"
# The offset and signature of a tar archive.
_TAR_MAGIC, _TAR_OFFSET = b"ustar", 257
SAVE_AS_TEXT = "Save it as CSV (text with one row per line) and load that."
_ZIP_FOLDERS = "Put the images of each class into a folder of their own and zip the folders."


def check_size(n_bytes: int, name: str, limits: Limits = LIMITS) -> None:
    """Reject a file that is empty or larger than the limit."""
    if n_bytes == 0:
        raise DataError("The file is empty.", where=name, remedy="Load a file with data.")
    if n_bytes > limits.max_file_bytes:
        raise TooLargeError(
            f"The file is larger than {limits.max_file_bytes / 1e6:,.0f} MB.",
            where=name,
            remedy="Load part of it, for example every tenth row or fewer images.",
        )


def read_limited(stream: Readable, name: str, limits: Limits = LIMITS) -> bytes:
    """Read a whole binary stream, but never more than one byte above the limit."""
    raw = stream.read(limits.max_file_bytes + 1)
    if not isinstance(raw, bytes):
        raise DataError(
            "The file was opened as text.", where=name, remedy="Open it with open(path, 'rb')."
        )
    check_size(len(raw), name, limits)
    return raw


def is_zip(raw: bytes) -> bool:
    """Return whether a file is a zip archive according to its first bytes."""
    return raw.startswith((ZIP_MAGIC, EMPTY_ZIP_MAGIC))


def refuse_foreign(raw: bytes, name: str) -> None:
    """Reject a file whose first bytes show that it is not text."""
    if raw.startswith(_TAR_MAGIC, _TAR_OFFSET):
        raise DataError(
            "This is a tar archive, not a text table.",
            where=name,
            remedy="Unpack it and load one of its files.",
        )
    if raw.startswith(_ENCRYPTED) and raw.endswith(_ENCRYPTED):
        raise DataError(
            "This is an encrypted Parquet file.", where=name, remedy="Write it without encryption."
        )
    begin = len(BOM_UTF8) if raw.startswith(BOM_UTF8) else 0
    for magic, kind in _FOREIGN.items():
        if raw.startswith(magic, begin):
            remedy = _ZIP_FOLDERS if "image" in kind else SAVE_AS_TEXT
            raise DataError(f"This is {kind}, not a text table.", where=name, remedy=remedy)
    if is_zip(raw):
        raise DataError(
            "This is a zip archive or an Excel workbook, not a text table.",
            where=name,
            remedy=SAVE_AS_TEXT,
        )


def check_table_shape(n_rows: int, n_columns: int, name: str, limits: Limits = LIMITS) -> None:
    """Reject a table that is too large, or too small to have a feature and a target."""
    if n_columns < 2:
        raise DataError(
            "There is only one column.",
            where=name,
            remedy="Separate columns by comma, semicolon, tab or |, and keep features and classes.",
        )
    if n_columns > limits.max_columns:
        raise DataError(
            f"There are more than {limits.max_columns:,} columns.",
            where=name,
            remedy="Leave columns out, or transpose the table.",
        )
    if n_rows * n_columns > limits.max_cells:
        raise TooLargeError(
            f"There are {n_rows:,} rows of {n_columns:,} columns; together "
            f"{limits.max_cells:,} cells are allowed.",
            where=name,
            remedy="Leave columns out, or load only part of the rows.",
        )
    if n_rows == 0:
        raise DataError("There are no rows.", where=name, remedy="Load a table with rows.")


def check_rows(n_rows: int, name: str, limits: Limits = LIMITS) -> None:
    """Reject a file with more rows than can be kept in memory."""
    if n_rows > limits.max_rows:
        raise TooLargeError(
            f"There are {n_rows:,} rows; at most {limits.max_rows:,} fit into memory.",
            where=name,
            remedy="Load only part of the rows.",
        )


def table_limits() -> str:
    """Describe how large a table may be, and how larger tables are handled."""
    return (
        f"Tables of up to {LIMITS.max_table_bytes / 1e6:,.0f} MB of text, "
        f"{LIMITS.max_columns:,} columns, {LIMITS.max_rows / 1e6:g} million rows and "
        f"{LIMITS.max_cells / 1e6:,.0f} million cells, "
        f"in lines of up to {LIMITS.max_line_bytes / 1e6:g} MB. "
        f"Larger ones of numbers, up to {LIMITS.max_streamed_bytes / 1e6:,.0f} MB unpacked: "
        f"{LIMITS.max_rows_in_memory:,} rows are in memory, the others streamed."
    )
