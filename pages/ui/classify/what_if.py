"""A single row whose features are moved by sliders, and its prediction."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import inspection
from lincore.displays import (
    MEDIAN,
    ContributionsDisplay,
    NearestChangeDisplay,
    WhatIfDisplay,
    by_position,
    number_form,
)
from lincore.plots.base import shorten_all
from pages.ui.classify import geometry
from pages.ui.frame import sidebar
from pages.ui.widgets import controls, displays, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.model_selection import FittedClassifier

KEY = "classify.whatif"
# Maximum number of sliders; with more features the visitor chooses some.
MOST_SLIDERS = 8
# Characters of the name of a class beside its posterior, also on a phone.
_WIDEST_NAME = 24


def show(model: FittedClassifier, job_settings: Any) -> None:
    """Let a row be changed, and show its prediction at once."""
    _panel(model)


@sidebar.fragment
def _panel(model: FittedClassifier) -> None:
    """Draw sliders and posteriors, as a fragment."""
    left, right = st.columns(2, gap="large")
    with left:
        _ask_start(model)
        asked = _shown(model)
        (_components if asked.by_component else _features)(asked)
    shown = _shown(model)
    content = displays.parts(shown)
    with right:
        st.markdown(f"**{text.escape(content.finding)}**")
        _posteriors(displays.table(shown))
        displays.figure(shown, key=KEY)
    st.markdown("##### What each feature adds")
    changes: dict[str, Any] = {"row": shown.row, "moved": () if shown.by_component else shown.moved}
    added = displays.chosen(ContributionsDisplay, model=model, **changes)
    displays.show(added, key=added.page_key, data=model.data)
    st.markdown("##### The nearest change of the decision")
    nearest = displays.chosen(NearestChangeDisplay, model=model, **changes)
    displays.show(nearest, key=nearest.page_key)


def _shown(model: FittedClassifier) -> WhatIfDisplay:
    plane, held = geometry.plane_of(model), displays.settings(KEY)
    row = held.get("row")
    if row is not None and row != MEDIAN and row not in model.split.test:
        row = None  # from another split
    return WhatIfDisplay(model, row, held.get("moved", ()), plane)


def _ask_start(model: FittedClassifier) -> None:
    """Ask for the initial row."""
    shown, test = _shown(model), model.split.test
    noun = model.data.kind.rows.removesuffix("s")

    def begin(kind: str) -> None:
        row = MEDIAN if kind == "median" else int(test[0])
        displays.set_settings(KEY, row=row, moved=None)

    def choose(position: int) -> None:
        displays.set_settings(KEY, row=int(test[position - 1]), moved=None)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Start from",
            ["median", "test"],
            required=True,
            format_func={"median": f"Median {noun}", "test": f"Test {noun}"}.__getitem__,
            help="The median of each number and the most frequent level of each category of the "
            "training rows, or a row of the test set.",
            **controls.edits(f"{KEY}.begin", "median" if shown.start == MEDIAN else "test", begin),
        )
        if shown.start == MEDIAN:
            return
        number = test.tolist().index(shown.start) + 1
        st.number_input(
            f"Which test {noun}",
            1,
            len(test),
            step=1,
            help="Position in the test set.",
            width=160,
            **controls.edits(f"{KEY}.row", number, choose),
        )
    st.caption(text.escape(shown.scope()))


def _keeper(position: int, initial: float) -> Callable[[float], None]:
    """Return a callback that stores the value of a feature; its initial value is no change."""

    def keep(value: float) -> None:
        held = displays.settings(KEY).get("moved", ())
        changed = {**by_position(held), position: float(value)}
        if value == initial:
            del changed[position]
        moved = tuple(map(float, chain.from_iterable(changed.items())))
        displays.set_settings(KEY, moved=moved or None)

    return keep


def _features(shown: WhatIfDisplay) -> None:
    """Ask for the values of the features, starting from those of the row."""
    model, data = shown.model, shown.model.data
    start = WhatIfDisplay(model, row=shown.start)
    columns = list(range(data.n_features))
    if len(columns) > MOST_SLIDERS:
        columns = _moved(data, start.first_features)
    for column in columns:
        initial = float(start.given[column])
        _value(start, column, shown.changed.get(column, initial), _keeper(column, initial))


def _moved(data: Dataset, first: list[int]) -> list[int]:
    columns = list(range(data.n_features))
    controls.begin_among(f"{KEY}.features", columns, first)
    return st.multiselect(
        "Features to move",
        **controls.named(columns, data.feature_names),
        max_selections=MOST_SLIDERS,
        key=f"{KEY}.features",
        persist_state="session",
        help="All others stay as they are.",
    )


def _value(start: WhatIfDisplay, column: int, value: float, keep: Callable[[float], None]) -> None:
    """Ask for the value of a feature, in a range that includes its initial value."""
    data = start.model.data
    name, key = text.escape(data.feature_names[column]), f"{KEY}.{data.digest}.{column}"
    levels = inspection.level_names(data, column)
    if levels is not None:
        code = min(max(int(value), 0), len(levels) - 1)
        st.selectbox(
            name,
            **controls.named(range(len(levels)), levels),
            help="The level of this row.",
            **controls.edits(key, code, keep),
        )
        return
    limits = start.limits(column)
    if limits is not None:
        _typed_or_moved(name, key, *limits, value, keep)


def _typed_or_moved(
    name: str, key: str, low: float, high: float, value: float, keep: Callable[[float], None]
) -> None:
    """Ask for a number by a slider, with an input field for any exact value."""
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
    """Ask for the scores on the first components, starting from those of the image."""
    model, data = shown.model, shown.model.data
    start = WhatIfDisplay(model, row=shown.start)
    scores, pca = start.prediction.seen, model.pipeline.named_steps["pca"]
    names = inspection.classifier_input_names(model.pipeline, data)
    for i, name in enumerate(names[:MOST_SLIDERS]):
        score, reach = float(scores[i]), start.reach(i)
        value = min(max(shown.changed.get(i, score), -reach), reach)
        key = f"{KEY}.{data.digest}.component.{i}.{len(scores)}.{pca.whiten}"
        st.slider(
            name,
            -reach,
            reach,
            step=reach / 100,
            format="%.3g",
            help="Up to three standard deviations in either direction.",
            **controls.edits(key, value, _keeper(i, score)),
        )


def _posteriors(table: Any) -> None:
    """List the classes, the most probable first, with posteriors and distances if available."""
    # Whole names of many characters would leave no room for the posteriors.
    table = table.assign(**{"class": shorten_all(list(table["class"]), _WIDEST_NAME)})
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
