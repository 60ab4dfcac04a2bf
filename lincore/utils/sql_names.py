"""Names and texts in SQL syntax."""

from __future__ import annotations

from lincore.errors import DataError


def identifier(name: str, mark: str = '"') -> str:
    """Quote a name for SQL: in double quotes, or in MySQL's backticks."""
    return mark + without_nul(name).replace(mark, mark * 2) + mark


def without_nul(name: str) -> str:
    """Return a name, or raise `DataError` if it contains a NUL character."""
    if "\0" in name or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise DataError(
            f"The name {name!r} contains a character that SQL does not allow.",
            where="SQL",
            remedy="Rename the column or level.",
        )
    return name
