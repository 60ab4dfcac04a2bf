"""Text that is safe to open in a spreadsheet."""

from __future__ import annotations

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")


def spreadsheet_safe(text: object) -> str:
    """Return text that a spreadsheet shows and does not run as a formula.

    An apostrophe goes before what could begin a formula; numbers stay as they are.

    References
    ----------
    OWASP, "CSV Injection".

    Examples
    --------
    >>> spreadsheet_safe("=HYPERLINK(1)"), spreadsheet_safe("-1.5"), spreadsheet_safe("setosa")
    ("'=HYPERLINK(1)", '-1.5', 'setosa')
    """
    said = str(text)
    if not said.lstrip(" \u00a0").startswith(_STARTS) or _is_number(said):
        return said
    return f"'{said}"


def _is_number(text: str) -> bool:
    # float() would take "-inf" and "1_000" too, which a spreadsheet reads as it likes.
    return text.replace(".", "", 1).removeprefix("-").isdecimal() and text.isascii()
