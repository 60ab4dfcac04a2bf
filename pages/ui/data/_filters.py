"""Row filters: conditions on columns; classes kept, renamed or merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from lincore import data, io, report
from lincore.errors import DataError
from lincore.utils import value_text
from pages.ui.session import commands
from pages.ui.widgets import controls, tables

if TYPE_CHECKING:
    from pages.ui.session.sources import Source

# Distinct values of a column that are listed.
MOST_VALUES = 1_000


def offer_rows(source: Source) -> None:
    """Offer to use only the rows that meet a condition."""
    if source.table is None or source.is_in_blocks:
        return
    with st.popover(
        "Filter rows", icon=":material/filter_alt:", key="data.filter", on_change="rerun"
    ) as panel:
        if panel.open:
            _form(source)


@st.fragment
def _form(source: Source) -> None:
    """Ask for a condition, with the number of rows that meet it."""
    assert source.table is not None
    names = [str(name) for name in source.table.frame.columns]
    column = controls.choose(
        "Column",
        key="data.filter.column",
        **controls.named(names, map(source.choices.name_of, names)),
        on_change=_forget,
        help="Any column of the file, including ignored ones.",
    )
    values = source.table.frame[column]
    relation = controls.choose(
        "Rows where it",
        _relations(values),
        key="data.filter.relation",
        format_func=lambda relation: "lies between" if relation == "between" else relation,
        help="A row must meet all filters.",
    )
    condition = _condition(column, relation, values)
    hint = "Choose a value to compare with."
    if condition is not None:
        hint = report.matching_finding(source.table.frame, condition)
    st.caption(hint)
    if st.button(
        "Add filter",
        key="data.filter.add",
        disabled=condition is None,
        help="Filters are listed above the columns and can be undone there.",
    ):
        assert condition is not None
        commands.revise(source.with_condition(condition))
        _forget()
        st.rerun()


def offer_classes(source: Source) -> None:
    """Offer to rename, merge and leave out classes."""
    if source.used is None or source.target is None or source.choices.bins:
        return
    with st.popover(
        "Edit classes", icon=":material/category:", key="data.classes", on_change="rerun"
    ) as panel:
        if not panel.open:
            return
        base = _classes(source)
        st.caption("Classes of the same name are merged. Rows of classes not used are left out.")
        with st.form("data.classes.form", border=False):
            column = st.column_config
            edited = tables.edit(
                base,
                # A new editor for another table or other choices.
                key=f"data.classes.{abs(hash(repr(base)))}",
                hide_index=True,
                height=min(38 + 35 * len(base["class"]), 390),
                disabled=["class", "rows"],
                column_config={
                    "class": column.TextColumn(width=140, help="The label in the file."),
                    "rows": column.NumberColumn(format="localized", width=60),
                    "name": column.TextColumn(
                        width=140, help="Double-click to rename.", required=True
                    ),
                    "use": column.CheckboxColumn(width=60, help="Untick to leave it out."),
                },
                alt="Every class with its rows and its name.",
            )
            if st.form_submit_button(
                "Apply", key="data.classes.apply", help="It can be undone above the columns."
            ):
                _apply(source, base, edited)
                st.rerun()


def _relations(values: pd.Series[Any]) -> list[str]:
    """Return the relations that make sense for a column, the most likely first."""
    is_date = str(values.dtype).startswith("datetime")
    relations = ["between"] if is_date or data.is_number(values) else []
    relations += ["is one of", "is not one of"]
    return relations + (["is missing", "is not missing"] if values.isna().any() else [])


def _condition(column: str, relation: str, values: pd.Series[Any]) -> io.Condition | None:
    """Ask for the values of a condition; None if nothing is chosen."""
    if relation == "between":
        low, high = _ends(values)
        if low is None and high is None:
            return None
        return io.Condition(column, "between", (low, high))
    if relation in ("is missing", "is not missing"):
        return io.Condition(column, relation)  # type: ignore[arg-type]
    counts = values.value_counts()
    options = list(dict.fromkeys(data.level_name(value) for value in counts.index[:MOST_VALUES]))
    key = "data.filter.values"
    if not set(st.session_state.get(key, ())) <= set(options):
        del st.session_state[key]
    chosen = st.multiselect(
        "Values",
        **controls.named(options, options),
        key=key,
        accept_new_options=len(counts) > MOST_VALUES,
        help="The most frequent first.",
    )
    return io.Condition(column, relation, tuple(chosen)) if chosen else None  # type: ignore[arg-type]


def _ends(values: pd.Series[Any]) -> tuple[Any, Any]:
    left, right = st.columns(2)
    is_date = str(values.dtype).startswith("datetime")
    ends: list[Any] = []
    for column, word, least in ((left, "From", values.min()), (right, "To", values.max())):
        with column:
            key = f"data.filter.{word.lower()}"
            if is_date:
                typed = st.text_input(
                    word, key=f"{key}.date", placeholder=str(least)[:10], help="A date."
                )
                ends.append(typed or None)
            else:
                ends.append(
                    st.number_input(
                        word,
                        value=None,
                        key=key,
                        placeholder=value_text(float(least)) if least == least else "",
                        format="%g",
                        help="Inclusive. Empty: no bound on this side.",
                    )
                )
    return ends[0], ends[1]


def _forget() -> None:
    """Forget the values chosen for another column."""
    for key in ("relation", "values", "from", "to", "from.date", "to.date"):
        st.session_state.pop(f"data.filter.{key}", None)


def _classes(source: Source) -> dict[str, list[Any]]:
    assert source.used is not None
    counts = io.merge_labels(source.used.frame[source.target], {}).value_counts()
    labels = sorted((str(label) for label in counts.index), key=data.natural_key)
    merged = source.choices.merge_classes
    dropped = {str(name) for name in source.choices.drop_classes}
    return {
        "class": labels,
        "rows": [int(counts[label]) for label in labels],
        "name": [str(merged.get(label, label)) for label in labels],
        "use": [label not in dropped for label in labels],
    }


def _apply(source: Source, base: dict[str, list[Any]], edited: pd.DataFrame) -> None:
    names = dict(zip(base["class"], edited["name"], strict=True))
    used = dict(zip(base["class"], edited["use"], strict=True))
    if sum(used.values()) < 2 or len({names[label] for label in names if used[label]}) < 2:
        commands.refuse_change(
            DataError(
                "Fewer than two classes would be left.",
                where=f"column {source.target!r}",
                remedy="Keep at least two classes with different names.",
            )
        )
        return
    merged = {label: str(new).strip() for label, new in names.items()}
    commands.revise(
        source.with_choices(
            merge_classes={label: new for label, new in merged.items() if new and new != label},
            drop_classes=tuple(label for label, is_used in used.items() if not is_used),
        )
    )
