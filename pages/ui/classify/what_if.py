"""A single row whose features are moved by sliders, and what the model makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from lincore import inspection
from lincore.displays import MEDIAN, WhatIfDisplay, by_position, number_form
from pages.ui.classify import geometry
from pages.ui.session import sidebar
from pages.ui.widgets import controls, displays, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.model_selection import FittedClassifier

KEY = "classify.whatif"
# So many sliders are taken in at a glance; with more features one chooses which to move.
MOST_SLIDERS = 8


def show(model: FittedClassifier, about: Any) -> None:
    """Let a row be changed, and show what the model makes of it at once."""
    _panel(model)


@sidebar.fragment
def _panel(model: FittedClassifier) -> None:
    """Draw sliders and posteriors; a moved slider runs nothing but this."""
    left, right = st.columns(2, gap="large")
    with left:
        _ask_start(model)
        asked = _shown(model)
        (_components if asked.by_component else _features)(asked)
    shown = _shown(model)
    displays.note(shown, key=KEY)
    said = displays.parts(shown)
    with right:
        st.markdown(f"**{text.escape(said.finding)}**")
        _posteriors(said.table)
    if said.figure is not None:
        controls.figure(said.figure, key=f"{KEY}.plot")


def _shown(model: FittedClassifier) -> WhatIfDisplay:
    plane, held = geometry.plane_of(model), displays.settings(KEY)
    row = held.get("row")
    if row is not None and row != MEDIAN and row not in model.split.test:
        row = None  # of another split
    return WhatIfDisplay(model, plane, row, held.get("moved", ()))


def _ask_start(model: FittedClassifier) -> None:
    """Ask for the row to begin with."""
    shown, test = _shown(model), model.split.test
    noun = model.data.kind.rows.removesuffix("s")

    def begin(kind: str) -> None:
        row = MEDIAN if kind == "median" else int(test[0])
        displays.set_settings(KEY, row=row, moved=None)

    def choose(place: int) -> None:
        displays.set_settings(KEY, row=int(test[place - 1]), moved=None)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Begin with",
            ["median", "test"],
            required=True,
            format_func={"median": f"Median {noun}", "test": f"Test {noun}"}.__getitem__,
            help="The median of every feature over the training rows, or a row of the test set.",
            **controls.edits(f"{KEY}.begin", "median" if shown.start == MEDIAN else "test", begin),
        )
        if shown.start == MEDIAN:
            return
        place = int(np.flatnonzero(test == shown.start)[0]) + 1
        st.number_input(
            f"Which test {noun}",
            1,
            len(test),
            step=1,
            help="Counted through the test set.",
            width=160,
            **controls.edits(f"{KEY}.row", place, choose),
        )
    st.caption(text.escape(shown.scope()))


def _keeper(position: int, usual: float) -> Callable[[float], None]:
    """Return what keeps the value of a position; its usual value is no change."""

    def keep(value: float) -> None:
        held = displays.settings(KEY).get("moved", ())
        changed = {**by_position(held), position: float(value)}
        if value == usual:
            del changed[position]
        pairs = tuple(float(part) for pair in changed.items() for part in pair)
        displays.set_settings(KEY, moved=pairs or None)

    return keep


def _features(shown: WhatIfDisplay) -> None:
    """Ask for the values of the features, beginning with those of the row."""
    model, data = shown.model, shown.model.data
    usual = WhatIfDisplay(model, row=shown.start).given
    columns = list(range(data.n_features))
    if len(columns) > MOST_SLIDERS:
        columns = _moved(data, usual)
    for column in columns:
        value = shown.changed.get(column, float(usual[column]))
        keep = _keeper(column, float(usual[column]))
        _value(model, f"{KEY}.{data.digest}.{column}", column, float(usual[column]), value, keep)


def _moved(data: Dataset, row: np.ndarray) -> list[int]:
    usual = np.argsort(-row, kind="stable")[:4].tolist() if data.kind.is_sparse else list(range(6))
    places = list(range(data.n_features))
    controls.begin_among(f"{KEY}.features", places, usual)
    return st.multiselect(
        "Features to move",
        places,
        format_func=lambda i: str(data.feature_names[i]),
        max_selections=MOST_SLIDERS,
        key=f"{KEY}.features",
        persist_state="session",
        help="All others stay as they are.",
    )


def _value(
    model: FittedClassifier,
    key: str,
    column: int,
    usual: float,
    value: float,
    keep: Callable[[float], None],
) -> None:
    """Ask for the value of a feature, in a range that holds its usual one."""
    data, name = model.data, text.escape(model.data.feature_names[column])
    levels = inspection.level_names(data, column)
    if levels is not None:
        code = min(max(int(value), 0), len(levels) - 1)
        st.selectbox(
            name,
            list(range(len(levels))),
            format_func=lambda code: str(levels[code]),
            help="The level of this row.",
            **controls.edits(key, code, keep),
        )
        return
    known = inspection.column_values(data, column, model.split.train)
    if np.isnan(known).all():
        return
    low, high = min(float(np.nanmin(known)), usual), max(float(np.nanmax(known)), usual)
    if low < high:
        _typed_or_moved(name, key, low, high, value, keep)


def _typed_or_moved(
    name: str, key: str, low: float, high: float, value: float, keep: Callable[[float], None]
) -> None:
    """Ask for a number by a slider, with a field beside it that takes any value exactly."""
    slider, field = st.columns([3, 1], vertical_alignment="bottom")
    with slider:
        st.slider(
            name,
            low,
            high,
            step=(high - low) / 200,
            format="%.4g",
            help="From the smallest to the largest value of the training rows.",
            **controls.edits(key, min(max(value, low), high), keep),
        )
    with field:
        st.number_input(
            f"{name}, typed",
            format="%.6g",
            label_visibility="collapsed",
            help="Any exact value; the slider follows within its range.",
            **controls.edits(f"{key}.typed", value, keep),
        )


def _components(shown: WhatIfDisplay) -> None:
    """Ask for the scores on the first components, beginning with those of the image."""
    model, data = shown.model, shown.model.data
    usual = WhatIfDisplay(model, row=shown.start).found.seen
    pca = model.pipeline.named_steps["pca"]
    spread = np.ones(len(usual)) if pca.whiten else np.sqrt(pca.explained_variance_)
    names = inspection.classifier_input_names(model.pipeline, data)
    for i, name in enumerate(names[:MOST_SLIDERS]):
        own = float(usual[i])
        reach = max(3 * float(spread[i]), abs(own), 1e-9)
        value = min(max(shown.changed.get(i, own), -reach), reach)
        key = f"{KEY}.{data.digest}.component.{i}.{len(usual)}.{pca.whiten}"
        st.slider(
            name,
            -reach,
            reach,
            step=reach / 100,
            format="%.3g",
            help="Three standard deviations either way.",
            **controls.edits(key, value, _keeper(i, own)),
        )


def _posteriors(table: Any) -> None:
    """List the classes, the likeliest first, with posteriors and distances where there are any."""
    formats = {name: number_form(table[name]) for name in table.select_dtypes("float")}
    columns: dict[str, Any] = {
        name: st.column_config.NumberColumn(format=f"%{form}") for name, form in formats.items()
    }
    if "posterior" in formats:
        columns["posterior"] = st.column_config.ProgressColumn(
            format=f"%{formats['posterior']} %%", min_value=0, max_value=100
        )
    if "distance" in formats:
        columns["distance"]["help"] = "Mahalanobis distance, in standard deviations."
    with st.container(key=f"{KEY}.posterior"):
        tables.show(
            table,
            hide_index=True,
            column_config=columns,
            alt="Posterior probability and distance of every class.",
        )
