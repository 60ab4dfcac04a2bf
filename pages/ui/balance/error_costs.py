"""Error costs on the page Balance: a table to type in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from lincore.utils import quoted
from pages.ui.widgets import displays, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset

#: Where the costs are kept, as settings of `CostsDisplay`.
KEY = "balance.errors"
#: Of the table: what it was drawn with and what was typed since, and the number of that drawing.
BASE, VERSION = "balance.errors.base", "balance.errors.version"
#: What was wrong with a number in it.
NOTES = "balance.errors.notes"
#: A table of costs for more classes than this is no table to fill in.
MOST_COSTS = 12


def ask(data: Dataset) -> tuple[float, ...] | None:
    """Ask for the cost of each error; None for too many classes, () while all cost the same."""
    if data.n_classes > MOST_COSTS:
        st.info(
            f"Costs of {data.n_classes} classes make too large a table (limit {MOST_COSTS}). Leave "
            "classes out or merge them on the page Data, or set the shares expected in deployment "
            "under “Priors in deployment”, which also change decisions."
        )
        return None
    st.caption("Cost of an error, in any unit, by true and predicted class: edit a number.")
    costs = _held(data.n_classes)
    drawn, now = st.session_state.get(BASE, (None, None))
    key = f"{KEY}.table.{st.session_state.get(VERSION, 0)}"
    # New, or set by a link, or its edits were forgotten with the page.
    if now is None or not np.array_equal(now, costs) or key not in st.session_state:
        if now is not None:
            st.session_state.pop(NOTES, None)
        drawn = costs
        st.session_state[BASE] = drawn, costs
        st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1
        key = f"{KEY}.table.{st.session_state[VERSION]}"
    names = [str(k) for k in range(data.n_classes)]
    frame = pd.DataFrame(drawn, columns=names)
    frame.insert(0, "true class", [str(label) for label in data.classes])
    # No least value: the table would leave out the sign of -5 and take 5.
    config: dict[str, Any] = {
        name: st.column_config.NumberColumn(f"predicted as {quoted(label)}")
        for name, label in zip(names, data.classes, strict=True)
    }
    tables.edit(
        frame,
        key=key,
        hide_index=True,
        disabled=["true class"],
        column_config=config,
        on_change=_edit,
        args=(key, tuple(map(str, data.classes))),
        alt="Cost of predicting one class for a row of another.",
    )
    for note in st.session_state.get(NOTES, ()):
        st.warning(text.escape(note))
    return tuple(displays.settings(KEY).get("costs", ()))


def _held(n_classes: int) -> np.ndarray:
    """Return the costs, true classes along the first axis."""
    costs = displays.settings(KEY).get("costs", ())
    if len(costs) != n_classes**2:
        return 1.0 - np.eye(n_classes)
    return np.reshape(costs, (n_classes, n_classes))


def _edit(key: str, names: tuple[str, ...]) -> None:
    """Take the costs that were typed, and say which cannot be."""
    costs, notes = _held(len(names)).copy(), []
    for row, change in st.session_state[key]["edited_rows"].items():
        for column, value in change.items():
            place = int(row), int(column)
            if value is not None and 0 <= value < float("inf"):
                costs[place] = float(value)
                continue
            problem = "An empty cell is not a cost" if value is None else f"{value:g} is not a cost"
            one, other = (quoted(names[code]) for code in place)
            notes.append(f"{problem}: {one} predicted as {other} stays at {costs[place]:g}.")
    is_usual = (costs == 1 - np.eye(len(costs))).all()
    displays.set_settings(KEY, costs=None if is_usual else tuple(costs.ravel().tolist()))
    st.session_state[NOTES] = notes
    drawn, _ = st.session_state.get(BASE, (None, None))
    # Where something was wrong the table is drawn anew, with what is true.
    st.session_state[BASE] = drawn, None if notes else costs
