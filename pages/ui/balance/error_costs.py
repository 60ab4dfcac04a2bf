"""Error costs on the page Balance: an editable table."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import imbalance
from lincore.utils import quoted
from pages.ui.widgets import displays, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset

#: Key of the settings of `CostsDisplay`, which include the costs.
KEY = "balance.errors"
#: State of the editor: its initial and current costs, and the number of its restarts.
BASE, VERSION = "balance.errors.base", "balance.errors.version"
#: Messages on invalid entries.
NOTES = "balance.errors.notes"
#: The table would be too large to fill in for more classes.
MOST_COSTS = 12


def ask(data: Dataset) -> tuple[float, ...] | None:
    """Ask for the cost of each error; None for too many classes, () if all costs are equal."""
    if data.n_classes > MOST_COSTS:
        st.info(
            f"The table of costs is limited to {MOST_COSTS} classes; there are {data.n_classes}. "
            "Leave classes out or merge them on the page Data, or set the shares expected in "
            "deployment under “Priors in deployment”, which also change decisions."
        )
        return None
    st.caption("Cost of an error, in any unit, by true and predicted class: edit a number.")
    costs = _held(data.n_classes)
    drawn, now = st.session_state.get(BASE, (None, None))
    key = f"{KEY}.table.{st.session_state.get(VERSION, 0)}"
    # Restart the editor if it is new, if a link has set costs, or if the page was left.
    if now is None or now != costs or key not in st.session_state:
        if now is not None:
            st.session_state.pop(NOTES, None)
        drawn = costs
        st.session_state[BASE] = drawn, costs
        st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1
        key = f"{KEY}.table.{st.session_state[VERSION]}"
    names = [str(k) for k in range(data.n_classes)]
    columns = {"true class": [str(label) for label in data.classes]}
    columns |= {name: [row[k] for row in drawn] for k, name in enumerate(names)}
    # No minimum: the editor would drop the sign of -5 and accept 5.
    config: dict[str, Any] = {
        name: st.column_config.NumberColumn(f"predicted as {quoted(label)}")
        for name, label in zip(names, data.classes, strict=True)
    }
    tables.edit(
        columns,
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


def _held(n_classes: int) -> list[list[float]]:
    """Return the costs, a row for each true class."""
    costs = displays.settings(KEY).get("costs", ())
    if len(costs) != n_classes**2:
        return imbalance.usual_costs(n_classes)
    return [list(costs[k : k + n_classes]) for k in range(0, len(costs), n_classes)]


def _edit(key: str, names: tuple[str, ...]) -> None:
    """Store the entered costs, and report invalid ones."""
    edited = st.session_state[key]["edited_rows"].items()
    changes = {(int(row), int(k)): value for row, cells in edited for k, value in cells.items()}
    costs, notes = imbalance.type_costs(_held(len(names)), changes, names)
    is_usual = costs == imbalance.usual_costs(len(names))
    displays.set_settings(KEY, costs=None if is_usual else tuple(chain.from_iterable(costs)))
    st.session_state[NOTES] = notes
    drawn, _ = st.session_state.get(BASE, (None, None))
    # After invalid entries the editor is restarted with the stored costs.
    st.session_state[BASE] = drawn, None if notes else costs
