"""Names of columns, features and data sets: unique, numbered, in natural order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from lincore.errors import Notice

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


def display_name(file_name: str) -> str:
    """Return a file's name without its extension, as the name of the data."""
    return _ENDINGS.sub("", file_name) or file_name


def numbered(word: str, count: int) -> tuple[str, ...]:
    """Return names such as "column 1", "column 2"."""
    return tuple(f"{word} {i}" for i in range(1, count + 1))


def pixel_names(height: int, width: int, n_colours: int = 1) -> tuple[str, ...]:
    """Return the feature names of an image, row by row, counted from 1 at the top left."""
    colours = (" red", " green", " blue") if n_colours == 3 else ("",)
    return tuple(
        f"pixel {i},{j}{colour}"
        for i in range(1, height + 1)
        for j in range(1, width + 1)
        for colour in colours
    )


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
