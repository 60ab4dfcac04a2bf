"""Treatment of missing values, rare categories and a numeric target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import data, io
from pages.ui.session import commands

if TYPE_CHECKING:
    from pages.ui.session.sources import Source

_MISSING = {
    "median": "The median",
    "most_frequent": "The most frequent value",
    "indicator": "The median, and an indicator column",
    "drop": "Leave the row out",
}
_MOST_BINS = 10
_THRESHOLDS = "thresholds"


def show(found: Source) -> None:
    """Offer how missing values, rare levels and a numeric target are treated."""
    if found.table is None:
        return
    with (
        st.expander("Missing values, rare categories, numeric target", key="data.more"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        _choice(
            found,
            "missing",
            "Fill missing values with",
            _MISSING,
            "median",
            "Taken from the training rows alone, whatever the split.",
        )
        rare = {None: "Five, from 100 rows on", 0: "None", 2: "2", 5: "5", 10: "10", 20: "20"}
        _choice(
            found,
            "rare",
            "Merge categories with fewer training rows than",
            rare,
            None,
            "Rare categories are merged; unseen categories are not an error.",
        )
        _bins(found)


def _bins(found: Source) -> None:
    assert found.table is not None
    if found.target is None or not data.is_number(found.table.frame[found.target]):
        return
    now = found.choices.bins
    numbers = {None: "No, as it is", **{i: f"{i} bins" for i in range(2, _MOST_BINS + 1)}}
    n: Any = now
    how, threshold = "quantile", None
    if isinstance(now, io.Bins):
        n, how = now
    elif isinstance(now, Sequence):
        n, threshold = _THRESHOLDS, now[0] if len(now) == 1 else None
        numbers[n] = f"At {', '.join(f'{value:g}' for value in now)}"
    numbers.setdefault(n, f"{n} bins")
    st.session_state["data.bins"] = n
    st.session_state["data.bins.how"] = how
    st.session_state["data.bins.at"] = threshold

    def revise() -> None:
        wanted = st.session_state.get("data.bins", n)
        if wanted == _THRESHOLDS:
            return
        by = st.session_state.get("data.bins.how", how)
        commands.revise(found.with_choices(bins=wanted and io.Bins(wanted, by)))

    st.selectbox(
        "Bin the target",
        list(numbers),
        key="data.bins",
        format_func=numbers.__getitem__,
        help="Turns a quantity into classes: low and high, or more.",
        on_change=revise,
        width=260,
    )
    st.selectbox(
        "Bins of",
        ["quantile", "width"],
        key="data.bins.how",
        format_func={"quantile": "equally many rows", "width": "equal width"}.__getitem__,
        help="Position of the bin edges.",
        on_change=revise,
        disabled=n in (None, _THRESHOLDS),
        width=200,
    )

    def cut() -> None:
        at = st.session_state.get("data.bins.at")
        commands.revise(found.with_choices(bins=None if at is None else (at,)))

    st.number_input(
        "Or cut it at",
        key="data.bins.at",
        value=None,
        step=None,
        format="%g",
        placeholder="a threshold",
        help="Two classes: below this value, and from it on.",
        on_change=cut,
        width=160,
    )


def _choice(
    found: Source, word: str, label: str, names: dict[Any, str], default: Any, help: str
) -> None:
    key = f"data.{word}"
    if word == "missing" and found.is_in_blocks:
        names, default = {"drop": names["drop"]}, "drop"
    now = getattr(found.choices, word)
    st.session_state[key] = default if now is None else now
    st.selectbox(
        label,
        list(names),
        key=key,
        format_func=lambda value: names.get(value, str(value)),
        help=help,
        on_change=lambda: commands.revise(
            found.with_choices(**{word: st.session_state.get(key, default)})
        ),
        width=300,
    )
