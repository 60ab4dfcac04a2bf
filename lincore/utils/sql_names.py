"""Names and texts in SQL syntax."""

from __future__ import annotations

from lincore.errors import DataError


def identifier(name: str, mark: str = '"') -> str:
    """Return a name in SQL's quotation marks: double ones, or the backticks of MySQL."""
    return mark + without_nul(name).replace(mark, mark * 2) + mark


def without_nul(name: str) -> str:
    """Return a name if SQL allows its characters."""
    if "\0" in name or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise DataError(
            f"The name {name!r} has a character that SQL has not.",
            where="SQL",
            remedy="Rename the column or level.",
        )
    return name
