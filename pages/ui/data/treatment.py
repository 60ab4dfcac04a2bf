"""Treatment of missing values, rare categories and a numeric target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import data, io
from lincore.utils import value_text
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


def show(source: Source) -> None:
    """Offer treatments of missing values, rare categories and a numeric target."""
    if source.table is None:
        return
    panel = st.expander(
        "Missing values, rare categories, numeric target", key="data.more", on_change="rerun"
    )
    if not panel.open:
        return
    with panel, st.container(horizontal=True, vertical_alignment="bottom"):
        _choice(
            source,
            "missing",
            "Fill missing values with",
            _MISSING,
            "median",
            "Always computed from the training rows only.",
        )
        rare = {None: "Automatic: five, from 100 rows on", 0: "None"}
        rare |= {n: str(n) for n in (2, 5, 10, 20)}
        _choice(
            source,
            "rare",
            "Merge categories with fewer training rows than",
            rare,
            None,
            "Rare categories are merged; unseen categories are not an error.",
        )
        _bins(source)


def _bins(source: Source) -> None:
    assert source.table is not None
    if source.target is None or not data.is_number(source.table.frame[source.target]):
        return
    bins = source.choices.bins
    numbers: dict[Any, str] = {
        None: "No, unchanged",
        **{i: f"{i} bins" for i in range(2, _MOST_BINS + 1)},
    }
    n: Any = bins
    how, threshold = "quantile", None
    if isinstance(bins, io.Bins):
        n, how = bins
    elif isinstance(bins, Sequence):
        n, threshold = _THRESHOLDS, bins[0] if len(bins) == 1 else None
        numbers[n] = f"At {', '.join(map(value_text, bins))}"
    numbers.setdefault(n, f"{n} bins")
    st.session_state["data.bins"] = n
    st.session_state["data.bins.how"] = how
    st.session_state["data.bins.at"] = threshold

    def revise() -> None:
        wanted = st.session_state.get("data.bins", n)
        if wanted == _THRESHOLDS:
            return
        width_or_quantile = st.session_state.get("data.bins.how", how)
        commands.revise(source.with_choices(bins=wanted and io.Bins(wanted, width_or_quantile)))

    st.selectbox(
        "Bin the target",
        list(numbers),
        key="data.bins",
        format_func=numbers.__getitem__,
        help="Turns a number into classes, for example low and high.",
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
        commands.revise(source.with_choices(bins=None if at is None else (at,)))

    st.number_input(
        "Or cut it at",
        key="data.bins.at",
        value=None,
        step=None,
        format="%g",
        placeholder="a threshold",
        help="Two classes: below this value, and at or above it.",
        on_change=cut,
        width=160,
    )


def _choice(
    source: Source, word: str, label: str, names: dict[Any, str], default: Any, help: str
) -> None:
    key = f"data.{word}"
    if word == "missing" and source.is_in_blocks:
        names, default = {"drop": names["drop"]}, "drop"
    now = getattr(source.choices, word)
    st.session_state[key] = default if now is None else now
    st.selectbox(
        label,
        list(names),
        key=key,
        format_func=lambda value: names.get(value, str(value)),
        help=help,
        on_change=lambda: commands.revise(
            source.with_choices(**{word: st.session_state.get(key, default)})
        ),
        width=300,
    )
