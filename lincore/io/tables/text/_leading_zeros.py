"""Digit strings that are identifiers: postcodes, codes, labels such as 007."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lincore.data.labels import columns_named, first_texts
from lincore.errors import Notice
from lincore.io.tables.text.column_assignment import with_columns

_CODE_NAME = re.compile(
    r"(?:^|[\W_])(?:zip|zipcode|postal|postcode|post|plz|fips|phone|tel|code|id|sku|isbn|ean|iban"
    r"|account|label|class|target)(?:$|[\W_])",
    re.IGNORECASE,
)
_DIGITS = r"[0-9]+"
_PADDED = r"0[0-9]+"
# From so many digits on a padded number is a code: nobody measures 01067.
_CODE_DIGITS = 4
_BLOCK = 4_000_000
_SEVERAL = 4
_GLANCE = 20


def may_have_zeros(raw: bytes, separator: str) -> bool:
    r"""Tell whether anywhere in a table a field may begin with a zero and another digit.

    Examples
    --------
    >>> may_have_zeros(b"0.5,10\n", ","), may_have_zeros(b"0.5,007\n", ",")
    (False, True)
    """
    content = np.frombuffer(raw, np.uint8)
    before = np.zeros(256, bool)
    before[[ord(mark) for mark in ("\n", '"', "'", " ", "\t", separator) if ord(mark) < 256]] = True
    # In blocks: what is compared takes as much memory as the text.
    for start in range(0, len(content), _BLOCK):
        block = content[max(start - 2, 0) : start + _BLOCK]
        zeros = np.flatnonzero(block[:-1] == ord("0"))
        after = block[zeros + 1]
        zeros = zeros[(after >= ord("0")) & (after <= ord("9"))]
        first = zeros[zeros == 0] if start == 0 else zeros[:0]
        if len(first) or before[block[zeros[zeros > 0] - 1]].any():
            return True
    return False


def restore_zeros(
    frame: pd.DataFrame, read_as_text: Callable[[list[str]], pd.DataFrame]
) -> pd.DataFrame:
    """Return the frame with columns of whole numbers as text where zeros stood before them.

    Parameters
    ----------
    frame : DataFrame
        As it was parsed.
    read_as_text : callable
        Parses the named columns once more, as text.

    Examples
    --------
    >>> frame = pd.DataFrame({"zip": [1067, 10115], "u": [1, 2]})
    >>> text = pd.DataFrame({"zip": ["01067", "10115"], "u": ["1", "2"]}, dtype="str")
    >>> restore_zeros(frame, lambda names: text[names])["zip"].tolist()
    ['01067', '10115']
    """
    whole = [str(name) for name in frame if _is_whole(frame[name])]
    if not whole:
        return frame
    text = read_as_text(whole)
    return with_columns(frame, {name: text[name] for name in whole if _is_padded(text[name])})


def _is_whole(column: pd.Series[Any]) -> bool:
    types = pd.api.types
    if types.is_integer_dtype(column):
        return True
    return types.is_float_dtype(column) and bool((column.dropna() % 1 == 0).all())


def find_codes(
    texts: Mapping[str, pd.Series[Any]], n_columns: int
) -> tuple[set[str], tuple[Notice, ...]]:
    """Find the text columns of digits whose leading zeros mean something.

    Such are those that would lose a difference as numbers (7 and 007), those called a code, those
    of four digits and more, and short ones that repeat. Where half the columns are padded, the
    zeros are the file's way to write numbers.

    Parameters
    ----------
    texts : mapping of str to Series
        The text columns of a table by their names, without blanks around values.
    n_columns : int
        Of the whole table.

    Returns
    -------
    names : set of str
    notices : tuple of Notice

    Examples
    --------
    >>> texts = pd.DataFrame({"zip": ["01067", "10115"], "u": ["1.5", "0.5"]}, dtype="str")
    >>> find_codes(texts, 2)[0]
    {'zip'}
    """
    padded = [name for name in texts if _is_padded(texts[name])]
    is_format = len(padded) >= max(_SEVERAL, n_columns / 2)
    found = [name for name in padded if _is_code(texts[name], is_format)]
    if not found:
        return set(), ()
    example = next(v for v in texts[found[0]].dropna() if re.fullmatch(_PADDED, v))
    sentence = f"Leading zeros, as in {example[:20]}: kept as text, since a number would lose them."
    return set(found), (Notice(sentence, columns_named(found), code="LIN040"),)


def _is_padded(column: pd.Series[Any]) -> bool:
    """Tell whether a column is text of digits alone, some with a zero before others."""
    if not isinstance(column.dtype, pd.StringDtype):
        return False
    # One that is none spares thousands of columns of text the whole.
    some = (value.strip() for value in first_texts(column, _GLANCE))
    if any(not value.isdecimal() for value in some if value):
        return False
    present = column.dropna().str.strip()
    present = present[present != ""]
    return bool(
        len(present)
        and present.str.fullmatch(_DIGITS).all()
        and present.str.fullmatch(_PADDED).any()
    )


def _is_code(column: pd.Series[Any], is_format: bool) -> bool:
    distinct: Sequence[str] = column.dropna().unique().tolist()
    if len({text.lstrip("0") or "0" for text in distinct}) < len(distinct):
        return True
    if is_format:
        return False
    widths = {len(text) for text in distinct if re.fullmatch(_PADDED, text)}
    is_even = len(widths) == 1 and all(len(text) >= min(widths) for text in distinct)
    if not is_even or min(widths) >= _CODE_DIGITS or _CODE_NAME.search(str(column.name)):
        return True
    return 2 * len(distinct) <= len(column)
