"""Edits of a table: listed with counts, and undone singly or all at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import report
from lincore.io import TableOptions
from lincore.utils import value_text
from pages.ui.session import commands
from pages.ui.widgets import text

if TYPE_CHECKING:
    from pages.ui.session.sources import Source

# Edits that are listed; the others can only be undone together.
MOST_LISTED = 12
_NAMED = 3


class Edit(NamedTuple):
    """A change of a table: its description, and the source without it."""

    word: str
    label: str
    without: Source


def show(source: Source) -> None:
    """List the current edits, each with a button that undoes it."""
    if source.table is None or source.used is None:
        return
    edits = list(edits_of(source))
    if not edits:
        return
    said = report.edits_finding(len(edits), len(source.used.frame), len(source.table.frame))
    with st.container(horizontal=True, vertical_alignment="center", key="data.edits"):
        st.markdown(f"**{said}**", width="content")
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
                args=(without_edits(source),),
                help="Use the table as originally read.",
            )


def without_edits(source: Source) -> Source:
    """Return a table as imported, with its target and the treatment of missing values."""
    now = source.choices
    kept = TableOptions(missing=now.missing, rare=now.rare, bins=now.bins)
    plain = replace(source, choices=kept)
    if source.options is not None and source.options.missing_in:
        return plain.with_reading(missing_in=None)
    return plain


def edits_of(source: Source) -> Iterator[Edit]:
    """Yield the current edits, row filters first."""
    chosen = source.choices
    for one in chosen.where:
        rest = tuple(other for other in chosen.where if other != one)
        label = str(one._replace(column=source.name_of(one.column)))
        yield Edit("where", label, source.with_choices(where=rest))
    for name in chosen.drop_classes:
        rest = tuple(other for other in chosen.drop_classes if other != name)
        yield Edit("drop_classes", f"Left out: {name}", source.with_choices(drop_classes=rest))
    merged = chosen.merge_classes.items()
    for name, new in merged:
        others = {old: to for old, to in merged if old != name}
        yield Edit("merge_classes", f"{name} → {new}", source.with_choices(merge_classes=others))
    for name, new in chosen.rename.items():
        yield Edit("rename", f"{name} → {new}", source.with_names({name: name}))
    yield from _roles(source)
    yield from _rest(source)


def _roles(source: Source) -> Iterator[Edit]:
    roles = source.choices.roles
    for role in dict.fromkeys(roles.values()):
        names = [name for name, has in roles.items() if has == role]
        others = {name: has for name, has in roles.items() if has != role}
        label = f"{role.capitalize()}: {_names(source, names)}"
        yield Edit("roles", label, source.with_choices(roles=others))
    categorical = source.choices.categories
    if categorical:
        label = f"Categorical: {_names(source, categorical)}"
        yield Edit("categories", label, source.with_choices(categories=()))


def _rest(source: Source) -> Iterator[Edit]:
    if source.choices.drop_duplicates:
        yield Edit(
            "drop_duplicates", "Duplicates removed", source.with_choices(drop_duplicates=False)
        )
    if source.choices.drawn_only:
        label = "Only the rows drawn at random"
        yield Edit("drawn_only", label, source.with_choices(drawn_only=False))
    missing = (source.options.missing_in if source.options is not None else None) or {}
    for name, values in missing.items():
        others = {other: codes for other, codes in missing.items() if other != name}
        label = f"Missing-value code of {name}: {', '.join(map(value_text, values))}"
        yield Edit("missing_in", label, source.with_reading(missing_in=others or None))


def _names(source: Source, names: Any) -> str:
    shown = [source.name_of(name) for name in list(names)[:_NAMED]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
