"""From the bytes of a table, a frame or arrays to a data set, with all that was found said."""

from __future__ import annotations

import csv
import difflib
import io
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from lincore.datasets import (
    Dataset,
    display_name,
    encode_labels,
    lone_class_notices,
    numbered,
    pixel_names,
)
from lincore.errors import DataError, Notice
from lincore.limits import (
    LIMITS,
    Limits,
    check_size,
    check_table_shape,
    refuse_foreign,
    unpack_gzip,
)

# The rarer in text, the earlier: the order decides where two agree equally well.
SEPARATORS = "\t|;,"
MISSING_MARKS = ("?", "-", " ?")
# fmt: off
TARGET_WORDS = (
    "class", "label", "target", "species", "outcome", "diagnosis", "response", "survived",
    "churn", "default", "category", "type", "y",
)
# fmt: on
MAX_PROPOSED_CLASSES = 50

_SAMPLE_CHARS = 65_536
_HEADER_CHARS = 1_000_000
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_WITH_DECIMAL_COMMA = r"[+-]?(?:\d+(?:,\d*)?|,\d+)(?:[eE][+-]?\d+)? *"
# Why a column is no feature: what to say, and what to do about it.
_LEFT_OUT = {
    "empty": ("Left out, no value at all.", "Fill the column in, or delete it."),
    "text": ("Left out, not numeric.", "Encode it as numbers to use it as a feature."),
    "constant": (
        "Left out, the same value in every row.",
        "Nothing needs to be done: it cannot tell classes apart.",
    ),
    "identifier": (
        "Left out, consecutive whole numbers that merely count the rows.",
        "If it measures something, change its unit so that it does not run 1, 2, 3.",
    ),
}


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read, before a target is chosen.

    Parameters
    ----------
    frame : DataFrame
        Columns under unique names, in the order of the file.
    name : str
        The file's name.
    notices : tuple of Notice
        What reading did or found.
    first_line : int, optional
        Line of the file that holds the first row; None where rows and lines do not run together.
    """

    frame: pd.DataFrame
    name: str
    notices: tuple[Notice, ...] = ()
    first_line: int | None = None

    def place(self, row: int) -> str:
        """Say in words where a row, counted from 0, stands."""
        return f"data row {row + 1}" if self.first_line is None else f"line {row + self.first_line}"


def read_table(raw: bytes, name: str, *, limits: Limits = LIMITS) -> Table:
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
    Table

    Raises
    ------
    DataError
        When this is no text, is too large, or has fewer than two columns or no rows.

    Examples
    --------
    >>> read_table(b"a;b\n1,5;x\n2,5;y\n", "small.csv").frame["a"].tolist()
    [1.5, 2.5]
    """
    check_size(len(raw), name, limits)
    text, decoding = _decode(unpack_gzip(raw, name, limits), name)
    separator = _separator(text)
    header, start, heading = _read_header(text, separator, name)
    names, naming = _unique(header)
    check_table_shape(text.count("\n") + 1, len(names), name, limits)
    first_line = text.count("\n", 0, start) + 1
    frame = _parse(text[start:], separator, names, name=name, first_line=first_line)
    if separator == ";":
        frame = pd.DataFrame({column: _read_decimal_comma(frame[column]) for column in frame})
    # Blank lines and line breaks inside quotes would make every line number wrong.
    together = text.rstrip("\n").count("\n") + 2 == first_line + len(frame)
    notices = (*decoding, *heading, *naming)
    return Table(frame, name, notices, first_line if together else None)


def frame_to_table(frame: pd.DataFrame, name: str, *, limits: Limits = LIMITS) -> Table:
    """Wrap a frame, its columns under unique names in text.

    Raises
    ------
    DataError
        When the frame is too large, has fewer than two columns or no rows.
    """
    check_table_shape(len(frame), frame.shape[1], name, limits)
    names, notices = _unique([str(column) for column in frame.columns])
    return Table(frame.set_axis(names, axis=1).reset_index(drop=True), name, notices)


def propose_target(table: Table) -> str | None:
    """Guess the column that holds the classes, or None where no column looks like it.

    A column called "class", "label", "species" and so on comes first; then the last column,
    then the first, that has few distinct values and repeats them.

    Examples
    --------
    >>> propose_target(frame_to_table(pd.DataFrame({"Class": [1, 2, 1], "x": [1, 1, 2]}), "t"))
    'Class'
    """
    frame = table.frame
    columns: list[str] = list(frame.columns)
    for word in TARGET_WORDS:
        for column in columns:
            if column.strip().casefold() == word and _is_label_like(frame[column]):
                return column
    repeating = (column for column in columns[-1:] + columns if _is_repeating(frame[column]))
    return next(repeating, None)


def table_to_dataset(table: Table, target: str | int | None = None) -> Dataset:
    """Choose target and features of a table.

    Parameters
    ----------
    table : Table
    target : str or int, optional
        Name of a column, or its position (negative ones count from the end). Proposed if None.

    Returns
    -------
    Dataset
        `X` (n, p) float64, NaN where a value is missing; rows without a label are left out.

    Raises
    ------
    DataError
        When there is no such target, it holds no classes, or no numeric feature is left.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1.5, None, 3.5], "name": ["a", "b", "c"], "y": [1, 2, 1]})
    >>> data = table_to_dataset(frame_to_table(frame, "small"))
    >>> data.feature_names
    ('size',)
    >>> print(data.notices[0])
    column 'name': Left out, not numeric. Encode it as numbers to use it as a feature.
    """
    column = _find_target(table, target)
    kept = table.frame[column].notna().to_numpy()
    codes, classes = _encode_target(table.frame.loc[kept, column])
    features, leaving = _choose_features(table, column, kept)
    X = table.frame.loc[kept, features].to_numpy(dtype=np.float64, na_value=np.nan)
    _refuse_infinite(X, features, table, np.flatnonzero(kept))
    return Dataset(
        name=display_name(table.name),
        X=np.ascontiguousarray(X),
        codes=codes,
        classes=classes,
        feature_names=tuple(features),
        notices=(
            *table.notices,
            *_dropped_rows(kept, column),
            *leaving,
            *lone_class_notices(codes, classes),
        ),
    )


def arrays_to_dataset(X: Any, y: Any, *, name: str = "arrays") -> Dataset:
    """Build a data set from arrays as they are: no column is judged or left out.

    Parameters
    ----------
    X : (n, p) array, or (n, height, width) uint8 array of grey images
    y : (n,) array
        Labels.
    name : str

    Returns
    -------
    Dataset
        `X` in float64; uint8 stays as it is.

    Raises
    ------
    DataError
        When the shapes do not fit, a value is no number or infinite, or a label is missing.

    Examples
    --------
    >>> arrays_to_dataset([[1, 2], [3, 4]], ["b", "a"]).codes.tolist()
    [1, 0]
    """
    X, y = np.asarray(X), np.asarray(y)
    shape = X.shape[1:] if X.ndim == 3 and X.dtype == np.uint8 else None
    X = X.reshape(len(X), -1) if shape else X
    if X.ndim != 2 or y.shape != X.shape[:1] or X.size == 0:
        raise DataError(
            f"X of shape {X.shape} and y of shape {y.shape} do not fit.",
            where=name,
            remedy="Give X as (rows, features) and y as (rows,).",
        )
    if pd.isna(y).any():
        raise DataError("Some labels are missing.", where=name, remedy="Leave those rows out.")
    features = pixel_names(*shape) if shape else numbered("feature", X.shape[1])
    if X.dtype != np.uint8:
        X = _as_float(X, name)
        _refuse_infinite(X, features, Table(pd.DataFrame(), name), np.arange(len(X)))
    codes, classes = encode_labels(y, name)
    notices = lone_class_notices(codes, classes)
    return Dataset(name, X, codes, classes, features, image_shape=shape, notices=notices)


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


def _unique(names: Iterable[str]) -> tuple[list[str], tuple[Notice, ...]]:
    taken: dict[str, int] = {}
    unique, repeated = [], []
    for name in names:
        new = name
        while new in taken:
            taken[name] += 1
            new = f"{name} ({taken[name]})"
        taken[new] = 1
        unique.append(new)
        repeated += [new] if new != name else []
    if not repeated:
        return unique, ()
    remedy = "Give each column a name of its own."
    return unique, (Notice("A name stands twice; numbered.", _columns(repeated), remedy),)


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


def _is_number(column: pd.Series[Any]) -> bool:
    kinds = pd.api.types
    return kinds.is_numeric_dtype(column) and not kinds.is_complex_dtype(column)


def _is_label_like(column: pd.Series[Any]) -> bool:
    """Tell whether a column could hold classes: some distinct values, none with a fraction."""
    if column.nunique() < 2 or _is_quantity(column):
        return False
    return not _is_number(column) or bool((column.dropna() % 1 == 0).all())


def _is_repeating(column: pd.Series[Any]) -> bool:
    n_present = int(column.notna().sum())
    few = column.nunique() <= min(MAX_PROPOSED_CLASSES, n_present / 2)
    # A column that is mostly empty would take most rows with it.
    return few and 2 * n_present >= len(column) and _is_label_like(column)


def _is_quantity(column: pd.Series[Any]) -> bool:
    n_distinct = column.nunique()
    return n_distinct > MAX_PROPOSED_CLASSES and n_distinct > len(column) / 10


def _find_target(table: Table, target: str | int | None) -> str:
    columns = list(table.frame.columns)
    if target is None:
        proposed = propose_target(table)
        if proposed is None:
            raise DataError(
                "No column looks like classes: few distinct values that repeat.",
                where=table.name,
                remedy="Name the column that holds the class of each row.",
            )
        return proposed
    if isinstance(target, str):
        if target in columns:
            return target
        close = difflib.get_close_matches(target, columns, n=3, cutoff=0.4) or columns[:10]
        raise DataError(
            "There is no such column.",
            where=f"target {target!r}",
            remedy=f"Choose one of: {', '.join(close)}.",
        )
    if -len(columns) <= target < len(columns):
        return str(columns[target])
    raise DataError(
        f"There are {len(columns)} columns.",
        where=f"target {target}",
        remedy=f"Choose a position from 0 to {len(columns) - 1}, or -1 for the last.",
    )


def _encode_target(labels: pd.Series[Any]) -> tuple[np.ndarray, np.ndarray]:
    where = f"column {labels.name!r}"
    if _is_quantity(labels):
        number = _is_number(labels)
        kind = "a quantity" if number else "names or free text"
        cut = ", or cut it into ranges, such as low and high" if number else ""
        raise DataError(
            f"It has {labels.nunique():,} distinct values in {len(labels):,} rows: it looks like "
            f"{kind}, not classes.",
            where=where,
            remedy=f"Choose another target{cut}.",
        )
    return encode_labels(labels.to_numpy(), where)


def _choose_features(table: Table, target: str, kept: np.ndarray) -> tuple[list[str], list[Notice]]:
    roles: dict[str, list[str]] = {role: [] for role in ("feature", *_LEFT_OUT)}
    for column in table.frame.columns.drop(target):
        roles[_role(table.frame[column], kept)].append(column)
    if not roles["feature"]:
        # In a handful of rows made up by hand a measurement may well run 1, 2, 3.
        roles["feature"], roles["identifier"] = roles["identifier"], []
    if not roles["feature"]:
        found = ", ".join(f"{len(names)} {role}" for role, names in roles.items() if names)
        raise DataError(
            f"No numeric feature is left besides the target ({found}).",
            where=f"{table.name}, {_columns(list(table.frame.columns.drop(target)))}",
            remedy="Add a column of numbers, or encode text as numbers.",
        )
    notices = [
        Notice(what, _columns(roles[role]), remedy)
        for role, (what, remedy) in _LEFT_OUT.items()
        if roles[role]
    ]
    return roles["feature"], notices


def _role(column: pd.Series[Any], kept: np.ndarray) -> str:
    """Say what a column is: a feature, or the reason why it is none."""
    n_distinct = column[kept].nunique()
    if n_distinct == 0:
        return "empty"
    if not _is_number(column):
        return "text"
    if n_distinct == 1:
        return "constant"
    return "identifier" if _counts_rows(column) else "feature"


def _counts_rows(column: pd.Series[Any]) -> bool:
    """Tell whether the values are distinct whole numbers without a gap, as of an identifier."""
    n_rows = len(column)
    if pd.api.types.is_bool_dtype(column) or column.nunique() < n_rows:
        return False
    return bool(column.max() - column.min() == n_rows - 1 and (column % 1 == 0).all())


def _columns(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:10])) + (
        f" and {len(names) - 10} more" if len(names) > 10 else ""
    )
    return f"column{'s' if len(names) > 1 else ''} {shown}"


def _dropped_rows(kept: np.ndarray, column: str) -> list[Notice]:
    if kept.all():
        return []
    what = f"{(~kept).sum()} of {len(kept)} rows have no value in the target and were left out."
    return [Notice(what, f"column {column!r}", "Fill the class in to use these rows.")]


def _refuse_infinite(
    X: np.ndarray, features: Sequence[str], table: Table, rows: np.ndarray
) -> None:
    """Raise for the first infinite value; `rows` holds the number of each row in the table."""
    infinite = np.isinf(X)
    if infinite.any():
        row, feature = np.argwhere(infinite)[0]
        raise DataError(
            f"The value {X[row, feature]} is infinite.",
            where=f"{table.name}, {table.place(rows[row])}, column {features[feature]!r}",
            remedy="Correct the value, or leave the cell empty.",
        )


def _as_float(X: np.ndarray, name: str) -> np.ndarray:
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"X holds something that is not a number: {error}.",
            where=name,
            remedy="Encode text as numbers first, or load a DataFrame.",
        ) from error
