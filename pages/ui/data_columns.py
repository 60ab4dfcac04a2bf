"""What each column of a table is for, and how its values become numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore.errors import DataError
from pages.ui import state, tables
from pages.ui.data_sources import Source

if TYPE_CHECKING:
    import pandas as pd

    from lincore.files.columns import Column

TURN = "data.columns.turn"
BASE = "data.columns.base"

_MISSING = {
    "median": "The median",
    "most_frequent": "The most frequent value",
    "indicator": "The median, and a column that says so",
    "drop": "Leave the row out",
}
_MOST_BINS = 10


def show(found: Source) -> None:
    """Show every column with its role, which can be changed in place."""
    if found.table is None:
        return
    st.subheader("Columns", anchor=False)
    _target(found)
    base, key = _base(_frame(found))
    with st.container(key="data.columns"):
        tables.edit(
            base,
            key=key,
            hide_index=True,
            height=min(38 + 35 * len(base), 390),
            disabled=["column", "type", "missing", "distinct", "examples", "remark"],
            column_config=_config(len(found.table.frame)),
            on_change=_apply,
            args=(found, key),
            alt="Every column with its role, type, missing and distinct values, and examples.",
        )
    st.caption(
        "Choose in the column “role”: features are used, text is counted word by word, rows of "
        "one group stay together, and what is ignored is not seen by any model."
    )


def choices(found: Source) -> None:
    """Offer how missing values, rare levels and a numeric target are treated."""
    if found.table is None:
        return
    with (
        st.expander("Missing values, rare levels, a target of numbers", key="data.more"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        _choice(
            found,
            "missing",
            "Fill missing values in with",
            _MISSING,
            "median",
            "Taken from the training rows alone, whatever the split.",
        )
        rare = {None: "Five, from 100 rows on", 0: "None", 2: "2", 5: "5", 10: "10", 20: "20"}
        _choice(
            found,
            "rare",
            "Pool levels with fewer training rows than",
            rare,
            None,
            "Rare levels of a category become one; one that training never saw is no error.",
        )
        _bins(found)


def _target(found: Source) -> None:
    key = "data.target"
    # Always what is in use: a choice that was refused must not stay on the screen.
    st.session_state[key] = found.target
    st.selectbox(
        "Target",
        [column.name for column in found.columns],
        key=key,
        index=None if found.target is None else 0,
        placeholder="Choose the column that holds the classes",
        help="The column that holds the classes to be told apart.",
        on_change=_retarget,
        args=(found, key),
        width=420,
    )


def _retarget(found: Source, key: str) -> None:
    column = st.session_state.get(key)
    # A click that crosses a change of data comes when the box is gone, or its columns are.
    if found.table is not None and column in found.table.frame.columns:
        state.revise(found.with_target(column))


def _bins(found: Source) -> None:
    from lincore.files.bins import Bins
    from lincore.files.labels import is_number

    assert found.table is not None
    if found.target is None or not is_number(found.table.frame[found.target]):
        return
    now = found.choices.get("bins")
    n, how = (
        (None, "quantile") if now is None else now if isinstance(now, Bins) else (now, "quantile")
    )
    numbers = {None: "No, as it is", **{i: f"{i} ranges" for i in range(2, _MOST_BINS + 1)}}
    if n not in numbers:
        numbers[n] = f"{n} ranges"
    st.session_state["data.bins"] = n
    st.session_state["data.bins.how"] = how

    def revise() -> None:
        wanted = st.session_state.get("data.bins", n)
        by = st.session_state.get("data.bins.how", how)
        state.revise(found.with_choices(bins=wanted and Bins(wanted, by)))

    st.selectbox(
        "Cut the target into ranges",
        list(numbers),
        key="data.bins",
        format_func=numbers.__getitem__,
        help="A quantity becomes classes: low and high, or more of them.",
        on_change=revise,
        width=260,
    )
    st.selectbox(
        "Ranges of",
        ["quantile", "width"],
        key="data.bins.how",
        format_func={"quantile": "equally many rows", "width": "equal width"}.__getitem__,
        help="Where the bounds of the ranges lie.",
        on_change=revise,
        disabled=n is None,
        width=200,
    )


def _choice(
    found: Source, word: str, label: str, names: dict[Any, str], default: Any, help: str
) -> None:
    key = f"data.{word}"
    if word == "missing" and found.is_in_blocks:
        names, default = {"drop": names["drop"]}, "drop"
    st.session_state[key] = found.choices.get(word, default)
    st.selectbox(
        label,
        list(names),
        key=key,
        format_func=lambda value: names.get(value, str(value)),
        help=help,
        on_change=lambda: state.revise(
            found.with_choices(**{word: st.session_state.get(key, default)})
        ),
        width=300,
    )


def _frame(found: Source) -> pd.DataFrame:
    import pandas as pd

    from lincore.files.columns import REASONS

    names = set(found.choices.get("categories", ()))
    return pd.DataFrame(
        {
            "column": [column.name for column in found.columns],
            "role": [column.role for column in found.columns],
            "type": [column.kind for column in found.columns],
            "as names": [column.name in names for column in found.columns],
            "missing": [column.n_missing for column in found.columns],
            "distinct": [column.n_distinct for column in found.columns],
            "examples": [_examples(column) for column in found.columns],
            "remark": [
                REASONS.get(column.kind, "") if column.role != "target" else ""
                for column in found.columns
            ],
        }
    )


def _examples(column: Column) -> str:
    said = ", ".join(column.examples)
    # With a true minus sign: a text that begins with a hyphen could be a formula.
    return said.replace("-", "−") if column.kind == "number" else said


def _base(now: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return what the editor starts from, and its key.

    The editor keeps what was edited as differences to what it started from. Where these no
    longer give what is true now, it starts afresh under another key.
    """
    turn = st.session_state.setdefault(TURN, 0)
    base = st.session_state.get(BASE)
    key = f"data.columns.{turn}"
    if base is not None and key in st.session_state and _edited(base, key).equals(now):
        return base, key
    st.session_state[TURN], st.session_state[BASE] = turn + 1, now
    return now, f"data.columns.{turn + 1}"


def _edited(base: pd.DataFrame, key: str) -> pd.DataFrame:
    edited = base.copy()
    for row, cells in st.session_state[key]["edited_rows"].items():
        for name, value in cells.items():
            if int(row) < len(edited):
                edited.loc[int(row), name] = value
    return edited


def _apply(found: Source, key: str) -> None:
    """Make what was edited the choices of the session."""
    edited = _edited(st.session_state[BASE], key)
    now = _frame(found)
    changed = edited["role"] != now["role"]
    roles = dict(zip(edited["column"][changed], edited["role"][changed], strict=True))
    wanted = found
    try:
        if roles:
            wanted = found.with_roles({name: role for name, role in roles.items() if role})
    except DataError as error:
        state.refuse_change(error)
        return
    if not edited["as names"].equals(now["as names"]):
        names = tuple(edited["column"][edited["as names"].astype(bool)])
        wanted = wanted.with_choices(categories=names)
    if wanted is not found:
        state.revise(wanted)


def _config(n_rows: int) -> dict[str, Any]:
    from lincore.files.columns import ROLES

    column = st.column_config
    return {
        "column": column.TextColumn(width="medium", pinned=True),
        "role": column.SelectboxColumn(
            options=list(ROLES), required=True, width="small", help="What the column is for."
        ),
        "type": column.TextColumn(width="small", help="What the column holds, as found."),
        "as names": column.CheckboxColumn(
            width=100, help="Take numbers as names of categories, such as postcodes."
        ),
        "missing": column.NumberColumn(
            width="small", format="localized", help=f"Rows without a value, of {n_rows:,}."
        ),
        "distinct": column.NumberColumn(
            width="small", format="localized", help="Different values."
        ),
        "examples": column.TextColumn(width="medium", help="The first different values."),
        "remark": column.TextColumn(width="large", help="Why it is not proposed as a feature."),
    }
