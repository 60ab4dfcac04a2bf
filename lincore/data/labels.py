"""Class labels and names: detection of label columns, natural order, integer codes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lincore.errors import DataError, Hint, Notice
from lincore.limits import LIMITS

if TYPE_CHECKING:
    import pandas as pd

MAX_PROPOSED_CLASSES = 50
#: Numbers with more distinct values are rarely class codes.
MANY_NUMBERS = 10
_MANY_VALUES = 100_000
_FEW_ROWS = 5_000

# File name endings that are not part of the name of the data.
_ENDINGS = re.compile(
    r"(\.(csv|tsv|txt|tab|dat|data|zip|gz|parquet|pq|arff|jsonl?|xls[xmb]?|ods|z?sav|dta|sas7bdat|xpt))"
    r"+$",
    re.IGNORECASE,
)


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort key that compares numbers inside text as numbers, so that s2 precedes s10.

    Parameters
    ----------
    text : str
        A label or a file name.

    Returns
    -------
    tuple
        Comparable with any other of these keys, ignoring case.

    Examples
    --------
    >>> sorted(["s10", "s2", "S1"], key=natural_key)
    ['S1', 's2', 's10']
    """
    pieces = re.split(r"([0-9]+)", text.casefold())
    # By length and then by digits: int() rejects the thousands of digits that a name may have.
    pieces[1::2] = [(len(digits), digits) for digits in (d.lstrip("0") for d in pieces[1::2])]
    # Nested, so that text is never compared with a number.
    return tuple(pieces), text


def encode_labels(labels: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Encode labels as positions in their sorted list."""
    encode = _encode_numbers if labels.dtype.kind in "iuf" else _encode_texts
    codes, classes = encode(labels, where)
    if len(classes) < 2:
        only = f"only one class, {classes[0]}" if len(classes) else "no class"
        raise DataError(
            f"There is {only}: nothing to classify.",
            where=where,
            remedy="Load rows of at least two classes, or choose another target.",
        )
    return codes, classes


def positions(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the positions of labels in a list of classes in any order."""
    place = {label: k for k, label in enumerate(classes.tolist())}
    return np.array([place[label] for label in labels.tolist()], dtype=np.intp)


def _encode_numbers(labels: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    if np.isnan(labels.astype(np.float64)).any():
        raise DataError(
            "Some labels are missing.", where=where, remedy="Leave the rows without a label out."
        )
    classes, codes = np.unique(labels, return_inverse=True)
    if _are_whole(classes):
        return codes.astype(np.intp), classes.astype(np.int64)
    # In numerical order, although their text would sort differently.
    return codes.astype(np.intp), np.array([str(value) for value in classes.tolist()])


def _are_whole(values: np.ndarray) -> bool:
    """Return whether all values are whole numbers that float64 and int64 both represent exactly."""
    floats = values.astype(np.float64)
    # Infinity is its own floor: the bound rejects it.
    return bool(((np.abs(floats) < 2**53) & (floats == np.floor(floats))).all())


def _encode_texts(labels: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    texts = [str(label) for label in labels]
    found = sorted(set(texts), key=natural_key)
    if len(max(found, key=len, default="")) > LIMITS.max_label_chars:
        raise DataError(
            f"A label is longer than {LIMITS.max_label_chars} characters.",
            where=where,
            remedy="Choose a column of short labels, or shorten the labels.",
        )
    position = {text: code for code, text in enumerate(found)}
    return np.array([position[text] for text in texts], dtype=np.intp), np.array(found)


def encode_column(labels: pd.Series[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Encode the labels of a column, unless it looks like a quantity or free text."""
    where = f"column {labels.name!r}"
    if is_quantity(labels):
        number = is_number(labels)
        kind = "a quantity" if number else "names or free text"
        cut = ", or bin it, for example into low and high" if number else ""
        raise DataError(
            f"It has {labels.nunique():,} distinct values in {len(labels):,} rows: it looks like "
            f"{kind}, not classes.",
            where=where,
            remedy=f"Choose another target{cut}.",
            remedies=tuple(
                Hint(f"Bin {labels.name} into {n} classes of equal size", options={"bins": n})
                for n in (2, 3, 4)
                if number
            ),
        )
    return encode_labels(labels.to_numpy(), where)


def lone_class_notices(codes: np.ndarray, classes: np.ndarray) -> tuple[Notice, ...]:
    """Return a notice about classes with a single row, if there are any."""
    lone = [str(label) for label in classes[np.bincount(codes) == 1]]
    if not lone:
        return ()
    return (
        Notice(
            "A single row can be trained on but never tested.",
            where=f"class {', '.join(lone)}",
            remedy="Add rows of this class, merge it with another, or leave it out.",
            code="LIN069",
        ),
    )


def rows_left_out(count: int, n_rows: int, why: str, where: str, code: str) -> list[Notice]:
    """Return a notice about rows that are not used, if there are any."""
    if not count:
        return []
    remedy = "Fill the class in to use these rows." if "target" in why else ""
    return [Notice(f"{count:,} of {n_rows:,} rows {why} and were left out.", where, remedy, code)]


def find_label_column(frame: pd.DataFrame, target: str | int | None, name: str) -> str:
    """Return the requested column by name or position."""
    columns = list(frame.columns)
    if target is None:
        raise DataError(
            "No column looks like classes (a few repeated values).",
            where=name,
            remedy="Name the column with the class of each row.",
        )
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


def is_quantity(column: pd.Series[Any]) -> bool:
    """Return whether a column has too many distinct values to hold classes."""
    n_rows, n_distinct = count_present(column)
    many = n_distinct > MAX_PROPOSED_CLASSES and n_distinct > n_rows / 10
    # Numbers that mostly occur only once are measurements, however few the rows.
    measured = n_distinct > MANY_NUMBERS and 2 * n_distinct > n_rows and is_number(column)
    return many or measured


def is_number(column: pd.Series[Any]) -> bool:
    """Return whether a column holds real numbers (including True and False).

    Parameters
    ----------
    column : Series of n values
        With any pandas dtype; text that looks like numbers does not count.
    """
    from pandas.api import types  # takes 0.4 s, which would delay the start of a page

    return types.is_numeric_dtype(column) and not types.is_complex_dtype(column)


def present_numbers(column: pd.Series[Any]) -> np.ndarray:
    """Return the nonmissing values of a numeric column, in order."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu":
        return column.to_numpy()
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    gaps = np.isnan(values)
    return values[~gaps] if gaps.any() else values


def first_texts(column: pd.Series[Any], count: int | None = None) -> list[str]:
    """Return the texts among the first values of a column, in order.

    A list, because pandas takes a tenth of a millisecond per step, and there may be thousands of
    columns.
    """
    return [value for value in _listed(column, count) if isinstance(value, str)]


def listed_texts(column: pd.Series[Any]) -> list[str | None]:
    """Return the values of a text column, None for missing ones."""
    return [value if isinstance(value, str) else None for value in _listed(column)]


def _listed(column: pd.Series[Any], count: int | None = None) -> list[Any]:
    array: Any = column.array if count is None else column.array[:count]
    # Arrow creates the list ten times as fast as pandas.
    is_arrow = getattr(column.dtype, "storage", "") == "pyarrow"
    values: list[Any] = array.__arrow_array__().to_pylist() if is_arrow else array.tolist()
    return values


def is_short_text(column: pd.Series[Any]) -> bool:
    """Return whether a column is text with so few rows that a list is faster than pandas."""
    return len(column) <= _FEW_ROWS and column.dtype.name in ("str", "string")


def count_present(column: pd.Series[Any]) -> tuple[int, int]:
    """Return the numbers of nonmissing and of distinct values of a column."""
    if is_short_text(column):
        texts = first_texts(column)
        return len(texts), len(set(texts))
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        values = present_numbers(column)
        return len(values), count_distinct(values)
    return int(column.notna().sum()), int(column.nunique())


def count_distinct(values: np.ndarray) -> int:
    """Return the number of distinct numbers."""
    if len(values) <= _MANY_VALUES:
        return len(np.unique(values))
    # By hashing: sorting would copy millions of numbers, even if few are distinct.
    from pandas import unique  # as above

    return len(unique(values))


def display_name(file_name: str) -> str:
    """Return a file's name without its extension, as the name of the data."""
    return _ENDINGS.sub("", file_name) or file_name


def numbered(word: str, count: int) -> tuple[str, ...]:
    """Return names such as "column 1", "column 2"."""
    return tuple(f"{word} {i}" for i in range(1, count + 1))


def pixel_names(height: int, width: int) -> tuple[str, ...]:
    """Return the feature names of an image, row by row, counted from 1 at the top left."""
    return tuple(f"pixel {i},{j}" for i in range(1, height + 1) for j in range(1, width + 1))


def unique_names(names: Iterable[str]) -> tuple[list[str], tuple[Notice, ...]]:
    """Make repeated names unique by numbers, and return which were changed."""
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
    remedy = "Make column names unique."
    return unique, (
        Notice("The name of another column; numbered.", columns_named(repeated), remedy, "LIN016"),
    )


def columns_named(names: Sequence[str]) -> str:
    """List columns as the location in a message; at most ten by name."""
    shown = ", ".join(map(repr, names[:10]))
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"
