"""Row filters: conditions on columns; classes kept, renamed or merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from lincore import data, io
from lincore.errors import DataError
from pages.ui.session import commands
from pages.ui.widgets import controls, tables

if TYPE_CHECKING:
    from pages.ui.session.sources import Source

# Different values of a column that are listed to choose from.
MOST_VALUES = 1_000
_SAID = {
    "is one of": "is one of",
    "is not one of": "is not one of",
    "between": "lies between",
    "is missing": "is missing",
    "is not missing": "is not missing",
}


def rows(found: Source) -> None:
    """Offer to use those rows alone that meet a condition."""
    if found.table is None or found.is_in_blocks:
        return
    with st.popover("Filter rows", icon=":material/filter_alt:", key="data.filter"):
        _form(found)


@st.fragment
def _form(found: Source) -> None:
    """Ask for a condition, with the number of rows that meet it."""
    assert found.table is not None
    names = [str(name) for name in found.table.frame.columns]
    column = controls.choose(
        "Column",
        names,
        key="data.filter.column",
        format_func=found.name_of,
        on_change=_forget,
        help="Any column of the file, even if it is not a feature.",
    )
    values = found.table.frame[column]
    relation = controls.choose(
        "Rows where it",
        _relations(values),
        key="data.filter.relation",
        format_func=_SAID.__getitem__,
        help="Filters are joined by “and”: a row must meet all of them.",
    )
    condition = _condition(column, relation, values)
    hint = "Choose a value to compare with."
    if condition is not None:
        hint = f"{_matching(found, condition):,} of {len(values):,} rows meet it."
    st.caption(hint)
    if st.button(
        "Add filter",
        key="data.filter.add",
        disabled=condition is None,
        help="It is listed above the columns and can be undone there.",
    ):
        assert condition is not None
        commands.revise(found.with_condition(condition))
        _forget()
        st.rerun()


def classes(found: Source) -> None:
    """Offer to rename, merge and leave out classes."""
    if found.used is None or found.target is None or found.choices.bins:
        return
    base = _classes(found)
    with st.popover("Edit classes", icon=":material/category:", key="data.classes"):
        st.caption("Classes of the same name are merged. Rows of classes not used are left out.")
        with st.form("data.classes.form", border=False):
            column = st.column_config
            edited = tables.edit(
                base,
                # Another table, or other choices: another editor, that starts from them.
                key=f"data.classes.{abs(hash(base.to_csv()))}",
                hide_index=True,
                height=min(38 + 35 * len(base), 390),
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
                _apply(found, base, edited)
                st.rerun()


def _relations(values: pd.Series[Any]) -> list[str]:
    """Return the relations that make sense for a column, the likeliest first."""
    is_date = str(values.dtype).startswith("datetime")
    ranged = is_date or data.is_number(values)
    relations = ["is one of", "is not one of"]
    if ranged:
        relations = ["between", *relations]
    return [*relations, *(["is missing", "is not missing"] if values.isna().any() else [])]


def _condition(column: str, relation: str, values: pd.Series[Any]) -> io.Condition | None:
    """Ask what a column is compared with; None while nothing is chosen."""
    if relation == "between":
        low, high = _ends(values)
        if low is None and high is None:
            return None
        return io.Condition(column, "between", (low, high))
    if relation in ("is missing", "is not missing"):
        return io.Condition(column, relation)  # type: ignore[arg-type]
    counts = values.value_counts()
    options = list(dict.fromkeys(io.level_name(value) for value in counts.index[:MOST_VALUES]))
    key = "data.filter.values"
    if any(one not in options for one in st.session_state.get(key, ())):
        del st.session_state[key]
    chosen = st.multiselect(
        "Values",
        options,
        key=key,
        accept_new_options=len(counts) > MOST_VALUES,
        help="The most frequent first.",
    )
    return io.Condition(column, relation, tuple(chosen)) if chosen else None  # type: ignore[arg-type]


def _ends(values: pd.Series[Any]) -> tuple[Any, Any]:
    left, right = st.columns(2)
    is_date = str(values.dtype).startswith("datetime")
    ends = []
    for place, word, least in ((left, "From", values.min()), (right, "To", values.max())):
        with place:
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
                        placeholder=f"{least:g}" if least == least else "",
                        format="%g",
                        help="Included. Empty: no bound on this side.",
                    )
                )
    return ends[0], ends[1]


def _matching(found: Source, condition: io.Condition) -> int:
    assert found.table is not None
    try:
        return int(io.matching_rows(found.table.frame, (condition,), found.name).sum())
    except DataError:
        return 0


def _forget() -> None:
    """Forget what another column was compared with."""
    for key in ("relation", "values", "from", "to", "from.date", "to.date"):
        st.session_state.pop(f"data.filter.{key}", None)


def _classes(found: Source) -> pd.DataFrame:
    assert found.used is not None
    counts = io.merge_labels(found.used.frame[found.target], {}).value_counts()
    labels = sorted((str(label) for label in counts.index), key=data.natural_key)
    merged = found.choices.merge_classes
    dropped = {str(name) for name in found.choices.drop_classes}
    return pd.DataFrame(
        {
            "class": labels,
            "rows": [int(counts[label]) for label in labels],
            "name": [str(merged.get(label, label)) for label in labels],
            "use": [label not in dropped for label in labels],
        }
    )


def _apply(found: Source, base: pd.DataFrame, edited: pd.DataFrame) -> None:
    names = dict(zip(base["class"], edited["name"], strict=True))
    used = dict(zip(base["class"], edited["use"], strict=True))
    if sum(used.values()) < 2 or len({names[label] for label in names if used[label]}) < 2:
        commands.refuse_change(
            DataError(
                "Fewer than two classes would be left.",
                where=f"column {found.target!r}",
                remedy="Keep two classes of different names at least.",
            )
        )
        return
    merged = {label: str(new).strip() for label, new in names.items()}
    commands.revise(
        found.with_choices(
            merge_classes={label: new for label, new in merged.items() if new and new != label},
            drop_classes=tuple(label for label, is_used in used.items() if not is_used),
        )
    )
