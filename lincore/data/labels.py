"""Labels: natural order, detection of label columns, integer codes."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from lincore.data.frames import count_present, is_number
from lincore.errors import DataError, Hint, Notice, not_among
from lincore.limits import LIMITS
from lincore.utils.formatting import listed, quoted

if TYPE_CHECKING:
    import pandas as pd

MAX_PROPOSED_CLASSES = 50
#: Numbers with more distinct values are rarely class codes.
MANY_NUMBERS = 10
# Classes that a notice names.
_MOST_NAMED = 7


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


def level_name(value: object) -> str:
    """Return the text of a level or label; integers have no fraction, long texts are truncated.

    Parameters
    ----------
    value : object
        A number, text, Boolean or date of a column.
    """
    # Integers in a column with missing values are floats: 3.0 is the level 3.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value)
    most = LIMITS.max_label_chars
    return text if len(text) <= most else f"{text[: most - 1]}…"


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
    position = {label: k for k, label in enumerate(classes.tolist())}
    return np.array([position[label] for label in labels.tolist()], dtype=np.intp)


def _encode_numbers(labels: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    if np.isnan(labels.astype(np.float64)).any():
        raise DataError(
            "Some labels are missing.", where=where, remedy="Leave out the rows without a label."
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
    classes = sorted(set(texts), key=natural_key)
    if len(max(classes, key=len, default="")) > LIMITS.max_label_chars:
        raise DataError(
            f"A label is longer than {LIMITS.max_label_chars} characters.",
            where=where,
            remedy="Choose a column of short labels, or shorten the labels.",
        )
    position = {text: code for code, text in enumerate(classes)}
    return np.array([position[text] for text in texts], dtype=np.intp), np.array(classes)


def encode_column(labels: pd.Series[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Encode the labels of a column, unless it looks like a quantity or free text."""
    where = f"column {labels.name!r}"
    if not is_classes(labels):
        number = is_number(labels)
        kind = "a quantity" if number else "names or free text"
        remedies = ["Choose another target"]
        hints = [
            Hint(f"Bin {labels.name} into {n} classes of equal size", options={"bins": n})
            for n in (2, 3, 4)
            if number
        ]
        if number:
            remedies.append("bin it, for example into low and high")
        counts = labels.value_counts()
        lone = [level_name(value) for value in counts.index[counts == 1]]
        if 2 * len(lone) <= len(counts):
            each = "1 value" if len(lone) == 1 else f"{len(lone):,} values"
            remedies.append(f"leave out the {each} of a single row")
            hints.append(Hint(f"L{remedies[-1][1:]}", options={"drop_classes": tuple(lone)}))
        raise DataError(
            f"It has {len(counts):,} distinct values in {len(labels):,} rows: it looks like "
            f"{kind}, not classes.",
            where=where,
            remedy=", or ".join(remedies) + ".",
            remedies=tuple(hints),
        )
    return encode_labels(labels.to_numpy(), where)


def lone_class_notices(codes: np.ndarray, classes: np.ndarray) -> tuple[Notice, ...]:
    """Return a notice about classes with a single row, if there are any."""
    lone = [str(label) for label in classes[np.bincount(codes) == 1]]
    if not lone:
        return ()
    noun, named = "class" if len(lone) == 1 else "classes", [quoted(label) for label in lone]
    return (
        Notice(
            "A single row can be used for training but not for testing.",
            where=f"{noun} {listed(named, _MOST_NAMED)}",
            remedy="Add rows, merge with another class, or leave out.",
            code="LIN069",
        ),
    )


def rows_left_out(count: int, n_rows: int, why: str, where: str, code: str) -> list[Notice]:
    """Return a notice about rows that are not used, if there are any."""
    if not count:
        return []
    remedy = "Fill in the class to use these rows." if "target" in why else ""
    left_out = f"{why} and were left out"
    if count == 1:
        left_out = f"{why.replace('have', 'has', 1)} and was left out"
    return [Notice(f"{count:,} of {n_rows:,} rows {left_out}.", where, remedy, code)]


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
        raise not_among("There is no such column.", f"target {target!r}", close)
    if -len(columns) <= target < len(columns):
        return str(columns[target])
    raise DataError(
        f"There are {len(columns)} columns.",
        where=f"target {target}",
        remedy=f"Choose a position from 0 to {len(columns) - 1}, or -1 for the last.",
    )


def is_classes(column: pd.Series[Any]) -> bool:
    """Return whether a column can be the target: many values are classes if each is repeated."""
    return not is_quantity(column) or int(column.value_counts().min()) > 1


def is_quantity(column: pd.Series[Any]) -> bool:
    """Return whether a column has too many distinct values to be guessed as classes."""
    n_rows, n_distinct = count_present(column)
    many = n_distinct > MAX_PROPOSED_CLASSES and n_distinct > n_rows / 10
    # Numbers that mostly occur only once are measurements, however few the rows.
    measured = n_distinct > MANY_NUMBERS and 2 * n_distinct > n_rows and is_number(column)
    return many or measured
