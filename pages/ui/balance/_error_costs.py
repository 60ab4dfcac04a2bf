"""Error costs: decisions of least expected cost, and their boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from lincore import imbalance, metrics, plots, report
from lincore.utils import percent, quoted
from pages.ui.balance import priors_in_deployment, side_by_side
from pages.ui.session import sidebar
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.imbalance import BalanceStudy
    from lincore.metrics import Results
    from pages.ui.balance.study_setup import Setup

COSTS = "balance.costs"
#: Of the table: what it was drawn with, and the number of that drawing.
BASE, VERSION = "balance.costs.base", "balance.costs.version"
#: What was wrong with a number in it.
NOTES = "balance.costs.notes"
#: A table of costs for more classes than this is no table to fill in.
MOST_COSTS = 12


class Decisions(NamedTuple):
    """Decisions for the most probable class and those of least expected cost, and for what."""

    bold: Results
    careful: Results
    priors: np.ndarray
    costs: np.ndarray


@sidebar.fragment
def show(
    setup: Setup, study: BalanceStudy, data: Dataset, method: str, axes: tuple[int, ...]
) -> None:
    """Ask what errors cost, score decisions of least expected cost, and draw their boundary."""
    if data.n_classes > MOST_COSTS:
        st.info(
            f"Costs of {data.n_classes} classes make too large a table (limit {MOST_COSTS}). Leave "
            f"classes out or merge them on the page Data, or set the shares expected in deployment "
            f"under “Priors in deployment”, which also change decisions."
        )
        return
    condition = priors_in_deployment.right_condition()
    code, new = priors_in_deployment.shares(study, data)
    st.caption("Cost of an error, in any unit, by true and predicted class: edit a number.")
    costs = _costs(data)
    results = side_by_side.named(study, condition)
    bold = metrics.adjust_priors(results, imbalance.condition_priors(study, condition), new)
    careful = imbalance.minimum_cost_decisions(bold, costs)
    decisions = Decisions(bold, careful, new, costs)
    _costs_table(decisions)
    st.caption(
        f"{priors_in_deployment.trained_on_phrase(condition)}, priors corrected for deployment: "
        f"{text.escape(quoted(data.classes[code]))} {percent(new[code], 0)} (the slider "
        "under “Priors in deployment”). "
        f"{len(results.rows):,} test {text.row_noun(data)}, weighted to the shares in deployment; "
        "95 % intervals."
    )
    _costs_plots(setup, study, data, method, axes, decisions)


def axes() -> tuple[int, ...]:
    """Return the axes that the plots above are drawn along."""
    chosen = (st.session_state.get(f"balance.{end}") for end in "xy")
    found = tuple(int(axis) for axis in chosen if axis is not None)
    return found if len(found) == 2 else (0, 1)


def _costs_plots(
    setup: Setup,
    study: BalanceStudy,
    data: Dataset,
    method: str,
    axes: tuple[int, ...],
    decisions: Decisions,
) -> None:
    bold, careful, new, costs = decisions
    called, condition = side_by_side.label(study, method), priors_in_deployment.right_condition()
    if not metrics.has_posteriors(bold, called):
        st.caption(f"{text.escape(called)} has no posteriors, so costs do not change its boundary.")
        return
    old = imbalance.condition_priors(study, condition)[study.methods.index(method)]
    view = side_by_side.views(setup, (method,), condition, axes, study, data)[1]
    moved = imbalance.view_with_prior_shift(view, imbalance.log_prior_shift(old, new))
    frame = plots.SharedAxes.of(moved)
    pair = {
        "most probable class": imbalance.view_with_predictions(moved, bold, called),
        "least expected cost": imbalance.view_with_predictions(
            imbalance.view_with_costs(moved, costs), careful, called
        ),
    }
    for column, (what, each) in zip(st.columns(2, gap="medium"), pair.items(), strict=True):
        with column:
            figure = plots.boundary(each, shared=frame, title=f"{called}, {what}")
            controls.figure(figure, key=f"balance.costs.{what.split()[0]}")


def _costs_table(decisions: Decisions) -> None:
    bold, careful, new, costs = decisions
    with st.container(key="balance.costs.rows"):
        tables.show(
            pd.DataFrame(report.decision_cost_rows(bold, careful, new, costs)),
            hide_index=True,
            alt="Expected cost of a row, for every model.",
        )


def _costs(data: Dataset) -> np.ndarray:
    """Ask for the cost of each error."""
    stored = st.session_state.get(COSTS)
    if stored is None or len(stored) != data.n_classes:
        stored = 1.0 - np.eye(data.n_classes)
        st.session_state[COSTS] = stored
        st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1
        st.session_state.pop(NOTES, None)
    key = f"balance.costs.table.{st.session_state.get(VERSION, 0)}"
    if key not in st.session_state:  # new, or its edits were forgotten with the page
        st.session_state[BASE] = stored
    names = [str(k) for k in range(data.n_classes)]
    frame = pd.DataFrame(st.session_state[BASE], columns=names)
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
    return np.asarray(stored)


def _edit(key: str, names: tuple[str, ...]) -> None:
    """Take the costs that were typed, and say which cannot be."""
    costs, notes = st.session_state[COSTS].copy(), []
    for row, change in st.session_state[key]["edited_rows"].items():
        for column, value in change.items():
            place = int(row), int(column)
            if value is not None and 0 <= value < float("inf"):
                costs[place] = float(value)
                continue
            problem = "An empty cell is not a cost" if value is None else f"{value:g} is not a cost"
            one, other = (quoted(names[code]) for code in place)
            notes.append(f"{problem}: {one} predicted as {other} stays at {costs[place]:g}.")
    st.session_state[COSTS] = costs
    st.session_state[NOTES] = notes
    if notes:  # drawn anew, with what is true
        st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1
