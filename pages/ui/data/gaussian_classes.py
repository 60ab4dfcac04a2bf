"""Generated Gaussian classes, and the true parameters behind them."""

from __future__ import annotations

from math import inf
from typing import Any, TypeAlias

import streamlit as st

from lincore.data import ellipse_covariance, means_on_ring
from lincore.errors import DataError
from pages.ui.server import script_queue
from pages.ui.session import commands, state
from pages.ui.widgets import controls, tables

#: A table by its columns.
Columns: TypeAlias = dict[str, list[Any]]

BASE = "data.draw.base"
EDITED = "data.draw.kept"
# The last generated data with their time, and the seconds by which the table may report an edited
# cell late.
_DRAWN, _SECONDS = "data.draw.last", 2.0
MOST_CLASSES, MOST_FEATURES, MOST_ROWS = 20, 20, 100_000


def show() -> None:
    """Offer to generate Gaussian classes."""
    with st.expander("Generate Gaussian classes", key="data.draw", on_change="rerun") as panel:
        if not panel.open:
            return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            n_classes = controls.number(
                "Classes",
                2,
                MOST_CLASSES,
                3,
                key="data.draw.classes",
                help="Number of classes.",
                width=110,
            )
            n_features = controls.number(
                "Features",
                1,
                MOST_FEATURES,
                2,
                key="data.draw.features",
                help="The classes differ in the first two; the others are noise.",
                width=110,
            )
            distance = _real(
                "Distance",
                100.0,
                2.5,
                key="data.draw.distance",
                help="Between neighbouring means, which lie on a ring; each can be edited below.",
            )
            outliers = _real(
                "Outliers",
                0.5,
                0.0,
                key="data.draw.outliers",
                help="Share of rows drawn six times as far from their mean.",
            )
            noise = _real(
                "Label noise",
                0.5,
                0.0,
                key="data.draw.noise",
                help="Share of rows with the label of another class.",
            )
            seed = controls.number(
                "Seed",
                0,
                9999,
                0,
                key="data.draw.seed",
                help="Another seed draws other rows.",
                width=110,
            )
        mixed = st.toggle(
            "Draw the class of each row from the priors",
            key="data.draw.mixed",
            persist_state="session",
            help="Then the sizes are random; their sum is fixed.",
        )
        key = _table(n_classes, n_features, distance)
        shares = {"outliers": outliers, "label_noise": noise, "seed": seed}
        st.button(
            "Generate",
            key="data.draw.go",
            on_click=_draw,
            args=(key, n_features, mixed, shares),
            help="Draw the rows at random and use them.",
        )


def _table(n_classes: int, n_features: int, distance: float) -> str:
    """Draw the table of classes and return its key; edits remain until the layout changes."""
    layout = (n_classes, n_features, distance)
    key = "data.draw.table." + ".".join(map(str, layout))
    stored = st.session_state.get(EDITED)
    if key not in st.session_state or BASE not in st.session_state:
        fresh = _ring(*layout)
        st.session_state[BASE] = stored[1] if stored is not None and stored[0] == layout else fresh
    column = st.column_config
    with st.container(key="data.draw.table"):
        edited = tables.edit(
            st.session_state[BASE],
            key=key,
            hide_index=True,
            disabled=["class"],
            column_config={
                "rows": column.NumberColumn(
                    min_value=1, max_value=MOST_ROWS, step=1, required=True
                ),
                "prior": column.NumberColumn(
                    min_value=0.001, required=True, help="Relative: 3 and 1 are 75 % and 25 %."
                ),
                "spread": column.NumberColumn(
                    min_value=0.001, required=True, help="Standard deviation along the long axis."
                ),
                "ratio": column.NumberColumn(
                    min_value=0.01, max_value=1.0, required=True, help="Short to long axis."
                ),
                "angle": column.NumberColumn(
                    required=True, help="Of the long axis, in degrees, anticlockwise."
                ),
            },
            on_change=_draw_again,
            args=(key,),
            alt="Each class with its rows, prior, ellipse and mean.",
        )
    st.session_state[EDITED] = (layout, edited.to_dict("list"))
    return key


def _edited(key: str) -> Columns:
    """Return the table with all edits, including those since the last run of the page."""
    table: Columns = {name: list(values) for name, values in st.session_state[BASE].items()}
    for row, changes in st.session_state.get(key, {}).get("edited_rows", {}).items():
        for column, value in changes.items():
            table[column][int(row)] = value
    return table


def _ring(n_classes: int, n_features: int, distance: float) -> Columns:
    defaults = {"rows": 150, "prior": 1.0, "spread": 1.0, "ratio": 1.0, "angle": 0.0}
    table: Columns = {"class": [f"class {k}" for k in range(1, n_classes + 1)]}
    table |= {name: [value] * n_classes for name, value in defaults.items()}
    means = (means_on_ring(n_classes, n_features, distance).round(3) + 0.0).T.tolist()
    return table | {f"mean x{j}": values for j, values in enumerate(means, 1)}


def _draw(key: str, n_features: int, mixed: bool, shares: dict[str, Any]) -> None:
    st.session_state[_DRAWN] = (script_queue.scripts.asked_at, key, n_features, mixed, shares)
    table = _edited(key)
    try:
        covariances = [
            ellipse_covariance(spread, ratio, angle, n_features=n_features).tolist()
            for spread, ratio, angle in zip(
                table["spread"], table["ratio"], table["angle"], strict=True
            )
        ]
    except DataError as error:
        state.refuse(error)
        return
    means = zip(*(table[f"mean x{j + 1}"] for j in range(n_features)), strict=True)
    sizes = [int(size) for size in table["rows"]]
    commands.generate(
        {
            "means": [[float(value) for value in mean] for mean in means],
            "covariances": covariances,
            "sizes": sum(sizes) if mixed else sizes,
            "priors": [float(prior) for prior in table["prior"]] if mixed else None,
            **shares,
        }
    )


def _draw_again(key: str) -> None:
    """Generate again if an edit was made before the click on Generate but received after it."""
    asked_at, *arguments = st.session_state.get(_DRAWN, (-inf, ""))
    if arguments[0] == key and script_queue.scripts.asked_at - asked_at < _SECONDS:
        _draw(*arguments)


def _real(label: str, high: float, value: float, *, key: str, help: str) -> float:
    controls.begin_with(key, value)
    return float(
        st.number_input(
            label,
            0.0,
            high,
            step=0.05 if high < 1 else 0.5,
            key=key,
            help=help,
            persist_state="session",
            width=130,
        )
    )
