"""Delimited text to a frame: the bytes, their encoding, the separator, the header, the values."""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import pandas as pd

from lincore.archives import unpack_gzip
from lincore.errors import DataError, Notice
from lincore.labels import numbered, unique_names
from lincore.limits import LIMITS, Limits, check_size, check_table_shape, refuse_foreign

# The rarer in text, the earlier: the order decides where two agree equally well.
SEPARATORS = "\t|;,"
MISSING_MARKS = ("?", "-", " ?")

_SAMPLE_CHARS = 65_536
_HEADER_CHARS = 1_000_000
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_WITH_DECIMAL_COMMA = r"[+-]?(?:\d+(?:,\d*)?|,\d+)(?:[eE][+-]?\d+)? *"


class Delimited(NamedTuple):
    """What the text holds, what was found in reading it, and the line of the first row.

    `first_line` counts from 1; it is None where rows and lines do not run together.
    """

    frame: pd.DataFrame
    notices: tuple[Notice, ...]
    first_line: int | None


def read_delimited(raw: bytes, name: str, limits: Limits = LIMITS) -> Delimited:
    r"""Read delimited text; encoding, separator, header and decimal mark are detected.

    Parameters
    ----------
    raw : bytes
        The file, possibly packed by gzip.
    name : str
        The file's name, for messages.
    limits : Limits

    Returns
    -------
    Delimited

    Raises
    ------
    DataError
        When this is no text, is too large, or has fewer than two columns or no rows.

    Examples
    --------
    >>> read_delimited(b"a;b\n1,5;x\n2,5;y\n", "small.csv").frame["a"].tolist()
    [1.5, 2.5]
    """
    check_size(len(raw), name, limits)
    text, decoding = _decode(unpack_gzip(raw, name, limits), name)
    separator = _separator(text)
    header, start, heading = _read_header(text, separator, name)
    names, naming = unique_names(header)
    check_table_shape(text.count("\n") + 1, len(names), name, limits)
    first_line = text.count("\n", 0, start) + 1
    frame = _parse(text[start:], separator, names, name=name, first_line=first_line)
    if separator == ";":
        frame = pd.DataFrame({column: _read_decimal_comma(frame[column]) for column in frame})
    # Blank lines and line breaks inside quotes would make every line number wrong.
    together = text.rstrip("\n").count("\n") + 2 == first_line + len(frame)
    notices = (*decoding, *heading, *naming)
    return Delimited(frame, notices, first_line if together else None)


def _decode(raw: bytes, name: str) -> tuple[str, list[Notice]]:
    """Return the text, each line ended by a newline alone, and what was found."""
    refuse_foreign(raw, name)
    marked = raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    encoding, notices = "utf-16" if marked else "utf-8-sig", []
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        # A NUL byte ends it below; only text is worth a guess.
        encoding = "latin-1" if b"\0" in raw else _guess_encoding(raw)
        text = raw.decode(encoding, errors="replace")
        said = f"The text is not UTF-8 and was read as {encoding}."
        notices = [Notice(said, name, "If letters look wrong, save the file as UTF-8.")]
    if "\0" in text:
        raise DataError(
            "The file holds NUL bytes: it is not a text table.",
            where=name,
            remedy="Save it as CSV (text with one row per line) and load that.",
        )
    if not text.strip():
        raise DataError("The file is empty.", where=name, remedy="Load a file that holds data.")
    return text.replace("\r\n", "\n").replace("\r", "\n"), notices


def _guess_encoding(raw: bytes) -> str:
    from charset_normalizer import from_bytes

    matches = from_bytes(raw[:100_000])
    best = matches.best()
    western = [match for match in matches if "cp1252" in match.could_be_from_charset]
    # Texts with few accents fit many encodings alike; among such, the Western one is most common.
    rival = western[0].coherence + 0.1 if western else 0.05
    return best.encoding if best is not None and best.coherence > rival else "cp1252"


def _records(sample: str, separator: str) -> list[list[str]]:
    try:
        return [record for record in csv.reader(io.StringIO(sample), delimiter=separator) if record]
    except csv.Error:
        return []


def _separator(text: str) -> str:
    """Return the separator that gives most lines as many fields as the first line has.

    csv.Sniffer is not used: it takes "1,5;2,5" for comma-separated, and 16 kB of quotes cost it
    more than a second.
    """
    sample = text[:_SAMPLE_CHARS]
    if len(sample) < len(text):
        sample = sample[: sample.rfind("\n") + 1] or sample

    def agreement(separator: str) -> tuple[float, int]:
        lengths = [len(record) for record in _records(sample, separator)]
        if not lengths or lengths[0] < 2:
            return 0.0, 0
        return lengths.count(lengths[0]) / len(lengths), -SEPARATORS.index(separator)

    return max(SEPARATORS, key=agreement)


def _read_header(text: str, separator: str, name: str) -> tuple[list[str], int, tuple[Notice, ...]]:
    """Return the column names, and where in the text the rows begin."""
    # A StringIO takes four bytes a character: it is given the beginning alone.
    stream = io.StringIO(text[:_HEADER_CHARS])
    records = (record for record in csv.reader(stream, delimiter=separator) if record)
    try:
        header = next(records, [])
        after_header = stream.tell()
        first = next(records, [])
    except csv.Error as error:
        raise DataError(
            f"The first lines cannot be read: {error}.",
            where=name,
            remedy="Check that quotation marks come in pairs.",
        ) from error
    # pandas compares later rows alone with the header, and would cut this one.
    if any(field.strip() for field in first[len(header) :]):
        raise DataError(
            f"The first row has {len(first)} fields, the header has {len(header)}.",
            where=name,
            remedy="Give every column a name in the header.",
        )
    numbers = numbered("column", max(len(header), len(first)))
    if _is_data(header):
        said = "There is no header line: the columns are numbered."
        return list(numbers), 0, (Notice(said, name),)
    given = [field.strip() for field in header]
    return [field or number for field, number in zip_longest(given, numbers)], after_header, ()


def _is_data(header: Sequence[str]) -> bool:
    """Tell whether what should be the header is the first row: nothing but numbers, or mostly.

    A name may be a number (a year); names of which most are numbers with fractions are no names.
    """
    said = [field.strip() for field in header if field.strip() not in ("", "?", "-", "NA")]
    numbers = [field for field in said if _NUMBER.fullmatch(field)]
    fractions = any("." in field or "," in field for field in numbers)
    return len(numbers) > 0 and (
        len(numbers) == len(said) or (fractions and 2 * len(numbers) > len(said))
    )


def _parse(
    rows: str, separator: str, names: Sequence[str], *, name: str, first_line: int
) -> pd.DataFrame:
    """Read the rows below the header; `first_line` is where they begin in the file."""
    try:
        frame = pd.read_csv(
            io.BytesIO(rows.encode()),
            sep=separator,
            header=None,
            names=list(names),
            index_col=False,
            na_values=list(MISSING_MARKS),
            skipinitialspace=True,
            low_memory=False,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise _parse_error(str(error), name, first_line) from error
    check_table_shape(len(frame), len(names), name)
    return frame


def _parse_error(message: str, name: str, first_line: int) -> DataError:
    """Say in the user's words, and lines, what pandas found."""
    counts = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if counts:
        return DataError(
            f"The line has {counts[3]} fields, the first one has {counts[1]}.",
            where=f"{name}, line {int(counts[2]) + first_line - 1}",
            remedy="Put text that holds the separator in quotation marks.",
        )
    if "No columns" in message:
        return DataError("There are no rows.", where=name, remedy="Load a table that holds rows.")
    return DataError(
        f"The table cannot be read: {message.rstrip('.')}.",
        where=name,
        remedy="Check that quotation marks come in pairs.",
    )


def _read_decimal_comma(column: pd.Series[Any]) -> pd.Series[Any]:
    present = column.dropna()
    if not isinstance(column.dtype, pd.StringDtype) or present.empty:
        return column
    if not present.str.fullmatch(_WITH_DECIMAL_COMMA).all():
        return column
    return pd.to_numeric(column.str.strip().str.replace(",", ".", regex=False))
