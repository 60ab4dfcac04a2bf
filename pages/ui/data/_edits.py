"""Edits of a table: listed with counts, undone one by one or all at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore.io import TableOptions
from pages.ui.session import commands
from pages.ui.widgets import text

if TYPE_CHECKING:
    from pages.ui.session.sources import Source

# Further ones are undone all at once.
MOST_LISTED = 12
_NAMED = 3


class Edit(NamedTuple):
    """A change of a table, in plain words, and the source without it."""

    word: str
    label: str
    without: Source


def show(found: Source) -> None:
    """List the edits in force, each with a button that undoes it."""
    if found.table is None or found.used is None:
        return
    edits = list(edits_of(found))
    if not edits:
        return
    n_used, n_rows = len(found.used.frame), len(found.table.frame)
    with st.container(horizontal=True, vertical_alignment="center", key="data.edits"):
        number = f"{len(edits)} edit" + ("" if len(edits) == 1 else "s")
        rows = f"{n_used:,} of {n_rows:,} rows, " if n_used < n_rows else ""
        st.markdown(f"**{rows}{number}:**", width="content")
        for i, edit in enumerate(edits[:MOST_LISTED]):
            st.button(
                text.escape(edit.label),
                key=f"data.undo.{edit.word}.{i}",
                icon=":material/close:",
                on_click=commands.revise,
                args=(edit.without,),
                help="Undo this edit.",
            )
        if len(edits) > MOST_LISTED:
            st.caption(f"and {len(edits) - MOST_LISTED} more", width="content")
        if len(edits) > 1:
            st.button(
                "Undo all",
                key="data.undo.all",
                icon=":material/undo:",
                on_click=commands.revise,
                args=(without_edits(found),),
                help="Use the table as originally read.",
            )


def without_edits(found: Source) -> Source:
    """Return a table as it was read, with its target and the treatment of missing values."""
    now = found.choices
    kept = TableOptions(missing=now.missing, rare=now.rare, bins=now.bins)
    plain = replace(found, choices=kept)
    if found.options is not None and found.options.missing_in:
        return plain.with_reading(missing_in=None)
    return plain


def edits_of(found: Source) -> Iterator[Edit]:
    """Yield the edits in force, filters of rows first."""
    chosen = found.choices
    for one in chosen.where:
        rest = tuple(other for other in chosen.where if other != one)
        label = str(one._replace(column=found.name_of(one.column)))
        yield Edit("where", label, found.with_choices(where=rest))
    for name in chosen.drop_classes:
        rest = tuple(other for other in chosen.drop_classes if other != name)
        yield Edit("drop_classes", f"Left out: {name}", found.with_choices(drop_classes=rest))
    merged = chosen.merge_classes.items()
    for name, new in merged:
        others = {old: to for old, to in merged if old != name}
        yield Edit("merge_classes", f"{name} → {new}", found.with_choices(merge_classes=others))
    for name, new in chosen.rename.items():
        yield Edit("rename", f"{name} → {new}", found.with_names({name: name}))
    yield from _roles(found)
    yield from _rest(found)


def _roles(found: Source) -> Iterator[Edit]:
    roles = found.choices.roles
    for role in dict.fromkeys(roles.values()):
        names = [name for name, has in roles.items() if has == role]
        others = {name: has for name, has in roles.items() if has != role}
        label = f"{role.capitalize()}: {_names(found, names)}"
        yield Edit("roles", label, found.with_choices(roles=others))
    categorical = found.choices.categories
    if categorical:
        label = f"Categorical: {_names(found, categorical)}"
        yield Edit("categories", label, found.with_choices(categories=()))


def _rest(found: Source) -> Iterator[Edit]:
    if found.choices.drop_duplicates:
        yield Edit(
            "drop_duplicates", "Duplicates removed", found.with_choices(drop_duplicates=False)
        )
    if found.choices.drawn_only:
        label = "Only the rows drawn at random"
        yield Edit("drawn_only", label, found.with_choices(drawn_only=False))
    missing = (found.options.missing_in if found.options is not None else None) or {}
    for name, values in missing.items():
        others = {other: codes for other, codes in missing.items() if other != name}
        label = f"Missing-value code of {name}: {', '.join(map(_short, values))}"
        yield Edit("missing_in", label, found.with_reading(missing_in=others or None))


def _names(found: Source, names: Any) -> str:
    shown = [found.name_of(name) for name in list(names)[:_NAMED]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
