"""Costs of errors by true and predicted class: an editable table."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import imbalance
from lincore.utils import quoted
from pages.ui.widgets import displays, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset

#: The table would be too large to fill in for more classes.
MOST_COSTS = 12


def ask(data: Dataset, key: str) -> tuple[float, ...] | None:
    """Ask for `costs` among the settings of a display, by their key.

    Return None for too many classes, and () if all errors cost 1.
    """
    if data.n_classes > MOST_COSTS:
        st.info(
            f"The table of costs is limited to {MOST_COSTS} classes; there are {data.n_classes}. "
            "Leave classes out or merge them on the page Data."
        )
        return None
    st.caption("Cost of an error, in any unit, by true and predicted class: edit a number.")
    costs = _held(data.n_classes, key)
    # The initial and current costs of the editor, and the number of its restarts.
    base, version = f"{key}.base", f"{key}.version"
    drawn, now = st.session_state.get(base, (None, None))
    table = f"{key}.table.{st.session_state.get(version, 0)}"
    # Restart the editor if it is new, if a link has set costs, or if the page was left.
    if now is None or now != costs or table not in st.session_state:
        if now is not None:
            st.session_state.pop(f"{key}.notes", None)
        drawn = costs
        st.session_state[base] = drawn, costs
        st.session_state[version] = st.session_state.get(version, 0) + 1
        table = f"{key}.table.{st.session_state[version]}"
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
        key=table,
        hide_index=True,
        disabled=["true class"],
        column_config=config,
        on_change=_edit,
        args=(key, table, tuple(map(str, data.classes))),
        alt="Cost of predicting one class for a row of another.",
    )
    for note in st.session_state.get(f"{key}.notes", ()):
        st.warning(text.escape(note))
    return tuple(displays.settings(key).get("costs", ()))


def _held(n_classes: int, key: str) -> list[list[float]]:
    """Return the costs, a row for each true class."""
    return imbalance.costs_of(displays.settings(key).get("costs", ()), n_classes)


def _edit(key: str, table: str, names: tuple[str, ...]) -> None:
    """Store the entered costs, and report invalid ones."""
    edited = st.session_state[table]["edited_rows"].items()
    changes = {(int(row), int(k)): value for row, cells in edited for k, value in cells.items()}
    costs, notes = imbalance.type_costs(_held(len(names), key), changes, names)
    is_usual = costs == imbalance.usual_costs(len(names))
    displays.set_settings(key, costs=None if is_usual else tuple(chain.from_iterable(costs)))
    st.session_state[f"{key}.notes"] = notes
    drawn, _ = st.session_state.get(f"{key}.base", (None, None))
    # After invalid entries the editor is restarted with the stored costs.
    st.session_state[f"{key}.base"] = drawn, None if notes else costs
