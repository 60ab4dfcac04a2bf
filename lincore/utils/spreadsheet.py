"""Text that is safe to open in a spreadsheet."""

from __future__ import annotations

import re

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"-?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?")


def spreadsheet_safe(text: object) -> str:
    """Return text that a spreadsheet displays instead of running it as a formula.

    Text that could start a formula gets an apostrophe in front; numbers are unchanged.

    Parameters
    ----------
    text : object
        Content of a cell.

    Examples
    --------
    >>> spreadsheet_safe("=HYPERLINK(1)"), spreadsheet_safe("-1.5"), spreadsheet_safe("-1,5e-3")
    ("'=HYPERLINK(1)", '-1.5', '-1,5e-3')
    >>> spreadsheet_safe("setosa"), spreadsheet_safe("-1+1")
    ('setosa', "'-1+1")

    References
    ----------
    OWASP, "CSV Injection".
    """
    cell = str(text)
    # Whitespace may come first; tabs and line ends are dangerous themselves.
    may_be_formula = cell.lstrip(" \u00a0").startswith(_STARTS) or cell.lstrip().startswith(_STARTS)
    # float() would also accept "-inf" and "1_000", which spreadsheets interpret differently.
    if not may_be_formula or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"
