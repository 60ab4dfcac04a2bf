"""Edits of a table: those in its options, in words, each with the options without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from lincore.io.tables.table import Condition, TableOptions
from lincore.io.tables.text.options import ReadOptions
from lincore.utils.formatting import value_text

# Columns that a label names.
_NAMED = 3


class TableEdit(NamedTuple):
    """An edit of a table.

    Attributes
    ----------
    option : str
        The option that holds it.
    label : str
        The edit in words.
    choices : TableOptions
        The options without it.
    reading : ReadOptions or None
        The import options without it.
    """

    option: str
    label: str
    choices: TableOptions
    reading: ReadOptions | None


def table_edits(choices: TableOptions, reading: ReadOptions | None = None) -> list[TableEdit]:
    """Return the edits of a table, row filters first.

    Parameters
    ----------
    choices : TableOptions
    reading : ReadOptions, optional
        Its missing-value codes of single columns are edits, too.

    Returns
    -------
    list of TableEdit

    Examples
    --------
    >>> first, second = table_edits(TableOptions(rename={"a": "age"}, roles={"a": "ignore"}))
    >>> first.label, second.label
    ('a → age', 'Ignore: age')
    >>> first.choices == TableOptions(roles={"a": "ignore"})
    True
    """

    def edit(option: str, label: str, *undone: Any) -> TableEdit:
        value = getattr(choices, option)
        remaining: Any = False
        if isinstance(value, Mapping):
            remaining = {name: value[name] for name in value if name not in undone}
        elif value is not True:
            remaining = tuple(item for item in value if item not in undone)
        return TableEdit(option, label, replace(choices, **{option: remaining}), reading)

    edits = []
    for condition in (Condition(*given) for given in choices.where):
        renamed = condition._replace(column=choices.name_of(condition.column))
        edits.append(edit("where", str(renamed), condition))
    edits += [edit("drop_classes", f"Left out: {name}", name) for name in choices.drop_classes]
    for option in ("merge_classes", "rename"):
        edits += [
            edit(option, f"{name} → {new}", name) for name, new in getattr(choices, option).items()
        ]
    for role in dict.fromkeys(choices.roles.values()):
        names = [name for name, has in choices.roles.items() if has == role]
        edits.append(edit("roles", f"{role.capitalize()}: {_column_list(choices, names)}", *names))
    if choices.categories:
        label = f"Categorical: {_column_list(choices, choices.categories)}"
        edits.append(edit("categories", label, *choices.categories))
    if choices.drop_duplicates:
        edits.append(edit("drop_duplicates", "Duplicates removed"))
    if choices.drawn_only:
        edits.append(edit("drawn_only", "Only the rows drawn at random"))
    codes = (reading.missing_in if reading is not None else None) or {}
    for name, values in codes.items():
        assert reading is not None
        others = {column: codes[column] for column in codes if column != name}
        label = f"Missing-value code of {name}: {', '.join(map(value_text, values))}"
        without = replace(reading, missing_in=others or None)
        edits.append(TableEdit("missing_in", label, choices, without))
    return edits


def _column_list(choices: TableOptions, names: Sequence[str]) -> str:
    shown = ", ".join(map(choices.name_of, names[:_NAMED]))
    more = len(names) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown
