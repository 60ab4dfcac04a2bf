"""Column rule: digit strings that are identifiers, such as postcodes and 007, stay text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lincore.data.labels import columns_named
from lincore.errors import Notice
from lincore.io.tables.rules.protocol import Applied, Columns
from lincore.io.tables.text.leading_zeros import PADDED, is_padded

_CODE_NAME = re.compile(
    r"(?:^|[\W_])(?:zip|zipcode|postal|postcode|post|plz|fips|phone|tel|code|id|sku|isbn|ean|iban"
    r"|account|label|class|target)(?:$|[\W_])",
    re.IGNORECASE,
)
# With this many digits a padded number is a code: 01067 is not a measurement.
_CODE_DIGITS = 4
_SEVERAL = 4


class LeadingZeros:
    """Keep columns of digits as text where their leading zeros mean something.

    These are columns in which distinct values would become equal as numbers (7 and 007), columns
    named as codes, values with four or more digits, and short ones that repeat. If half the columns
    are padded, the zeros are only the number format of the file.
    """

    codes = ("LIN040",)

    def apply(self, columns: Columns) -> Applied | None:
        """Return the columns with the names of those that stay text."""
        texts = columns.of_text
        padded = [name for name in texts if is_padded(texts[name])]
        is_format = len(padded) >= max(_SEVERAL, columns.frame.shape[1] / 2)
        found = [name for name in padded if _is_code(texts[name], is_format)]
        if not found:
            return None
        example = next(v for v in texts[found[0]].dropna() if re.fullmatch(PADDED, v))
        what = f"Leading zeros, as in {example[:20]}: kept as text, since a number would lose them."
        finding = Notice(what, columns_named(found), code="LIN040")
        return Applied(replace(columns, texts=columns.texts | set(found)), (finding,))


def _is_code(column: pd.Series[Any], is_format: bool) -> bool:
    distinct: Sequence[str] = column.dropna().unique().tolist()
    if len({text.lstrip("0") or "0" for text in distinct}) < len(distinct):
        return True
    if is_format:
        return False
    widths = {len(text) for text in distinct if re.fullmatch(PADDED, text)}
    is_even = len(widths) == 1 and all(len(text) >= min(widths) for text in distinct)
    if not is_even or min(widths) >= _CODE_DIGITS or _CODE_NAME.search(str(column.name)):
        return True
    return 2 * len(distinct) <= len(column)
