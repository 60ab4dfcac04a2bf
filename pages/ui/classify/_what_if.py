"""Posterior of a single row whose features are moved by sliders."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from scipy.sparse import csr_array

from lincore import inspection, plots, prediction
from lincore.utils import quoted
from pages.ui.classify import geometry, model_choice
from pages.ui.session import cache, sidebar
from pages.ui.widgets import controls, image_sheets, tables, text

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from lincore.data import Dataset
    from pages.ui.session.fitting import Fitted
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify.whatif"
TYPICAL = -1
# The values that were moved, for the link; at the position `_ROW` the row that one began with.
MOVED, _ROW = f"{KEY}.values", -1
# So many sliders are taken in at a glance; with more features one chooses which to move.
MOST_SLIDERS = 8


def what_if(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Let a row be changed, and show what the model makes of it at once."""
    _panel(experiment, model, fitted)


@sidebar.fragment
def _panel(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Draw sliders and posteriors; a moved slider runs nothing but this."""
    data = experiment.data
    start = _start(experiment)
    left, right = st.columns(2, gap="large")
    by_component = data.kind.is_images and "pca" in fitted.pipeline.named_steps
    with left:
        if by_component:
            row = _components(experiment, fitted.pipeline, start)
        else:
            row = _features(experiment, start)
    with right:
        plot = st.container()
        inputs = dict(enumerate(row.tolist())) if by_component else None
        given = _first_values(experiment, start) if by_component else row
        _posteriors(prediction.predict_row(fitted.pipeline, data, given, inputs=inputs))
    if by_component:
        # Drawn last, for the posterior is what is waited for.
        with plot:
            _rebuilt(fitted.pipeline, row, data)
    else:
        own = csr_array(row[None]) if data.kind.is_sparse else row[None]
        geometry.with_own_row(experiment, model, fitted, own)


def _start(experiment: PageExperiment) -> int:
    data, _, split = experiment
    noun = text.row_noun(data).removesuffix("s")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.begin_with(f"{KEY}.begin", "median" if data.kind.single_features else "test")
        kind = st.segmented_control(
            "Begin with",
            ["median", "test"],
            required=True,
            key=f"{KEY}.begin",
            persist_state="session",
            format_func={"median": f"Median {noun}", "test": f"Test {noun}"}.__getitem__,
            help="The median of every feature over the training rows, or a row of the test set.",
        )
        if kind == "median":
            return TYPICAL
        place = controls.number(
            f"Which test {noun}",
            1,
            len(split.test),
            1,
            key=f"{KEY}.row",
            help="Counted through the test set.",
            width=160,
        )
    row = int(split.test[place - 1])
    st.caption(f"Row {row}, true class {text.escape(quoted(data.classes[data.codes[row]]))}.")
    return row


def _first_values(experiment: PageExperiment, start: int) -> np.ndarray:
    rows = experiment.split.train
    return inspection.complete_row(experiment.data, rows, None if start == TYPICAL else start)


def _features(experiment: PageExperiment, start: int) -> np.ndarray:
    """Ask for the values of the features, beginning with those of a row."""
    data = experiment.data
    row = _first_values(experiment, start)
    columns = list(range(data.n_features))
    if len(columns) > MOST_SLIDERS:
        columns = _moved(data, row)
    first, former = row.copy(), _former(start)
    for column in columns:
        usual = float(first[column])
        row[column] = _value(experiment, column, usual, former.get(column, usual), start)
    _keep(start, first, row)
    return row


def _moved(data: Dataset, row: np.ndarray) -> list[int]:
    names = [str(name) for name in data.feature_names]
    usual = np.argsort(-row, kind="stable")[:4].tolist() if data.kind.is_sparse else list(range(6))
    places = list(range(data.n_features))
    controls.begin_among(f"{KEY}.features", places, usual)
    return st.multiselect(
        "Features to move",
        places,
        format_func=names.__getitem__,
        max_selections=MOST_SLIDERS,
        key=f"{KEY}.features",
        persist_state="session",
        help="All others stay as they are.",
    )


def _value(
    experiment: PageExperiment, column: int, usual: float, value: float, start: int
) -> float:
    """Ask for the value of a feature, in a range that holds its usual one."""
    data = experiment.data
    name, key = text.escape(data.feature_names[column]), f"{KEY}.{data.digest}.{start}.{column}"
    levels = inspection.level_names(data, column)
    if levels is not None:
        codes = list(range(len(levels)))
        controls.begin_with(key, min(max(int(value), 0), len(codes) - 1))
        code = st.selectbox(
            name,
            codes,
            format_func=lambda code: str(levels[code]),
            key=key,
            help="The level of this row.",
        )
        return float(code)
    low, high = _range(experiment, column)
    if not low < high:
        return value
    return _typed_or_moved(name, key, min(low, usual), max(high, usual), value)


def _typed_or_moved(name: str, key: str, low: float, high: float, value: float) -> float:
    """Ask for a number by a slider, with a field beside it that takes any value exactly."""
    typed = f"{key}.typed"
    controls.begin_with(typed, value)
    controls.begin_with(key, min(max(st.session_state[typed], low), high))
    slider, field = st.columns([3, 1], vertical_alignment="bottom")
    with slider:
        st.slider(
            name,
            low,
            high,
            step=(high - low) / 200,
            format="%.4g",
            key=key,
            on_change=_copy,
            args=(key, typed),
            help="From the smallest to the largest value of the training rows.",
        )
    with field:
        return float(
            st.number_input(
                f"{name}, typed",
                format="%.6g",
                key=typed,
                label_visibility="collapsed",
                on_change=_copy,
                args=(typed, key, low, high),
                help="Any exact value; the slider follows within its range.",
            )
        )


def _copy(source: str, target: str, low: float = -math.inf, high: float = math.inf) -> None:
    """Let one widget follow another; after a late click there may be nothing to follow."""
    value = st.session_state.get(source)
    if value is not None:
        st.session_state[target] = min(max(float(value), low), high)


def _range(experiment: PageExperiment, column: int) -> tuple[float, float]:
    data, _, split = experiment
    values = inspection.column_values(data, column, split.train)
    if np.isnan(values).all():
        return 0.0, 0.0
    return float(np.nanmin(values)), float(np.nanmax(values))


def _components(experiment: PageExperiment, pipeline: Pipeline, start: int) -> np.ndarray:
    """Ask for the scores on the first components, beginning with those of an image."""
    data = experiment.data
    row = prediction.predict_row(pipeline, data, _first_values(experiment, start)).seen
    pca = pipeline.named_steps["pca"]
    spread = np.ones(len(row)) if pca.whiten else np.sqrt(pca.explained_variance_)
    first, former = row.copy(), _former(start)
    for i, name in enumerate(model_choice.coordinate_names(pipeline, data)[:MOST_SLIDERS]):
        reach = max(3 * float(spread[i]), abs(float(row[i])), 1e-9)
        key = f"{KEY}.{data.digest}.{start}.component.{i}.{len(row)}.{pca.whiten}"
        controls.begin_with(key, min(max(former.get(i, float(row[i])), -reach), reach))
        row[i] = st.slider(
            name,
            -reach,
            reach,
            step=reach / 100,
            format="%.3g",
            key=key,
            help="Three standard deviations either way.",
        )
    _keep(start, first, row)
    return row


def _former(start: int) -> dict[int, float]:
    """Return the values that were moved, if they were of the same row; see `_keep`."""
    found = controls.held_values(MOVED)
    return found if found.pop(_ROW, None) == start else {}


def _keep(start: int, first: np.ndarray, row: np.ndarray) -> None:
    """Keep the row that one began with, and what was moved, for the link."""
    moved = np.flatnonzero(row != first).tolist()
    controls.hold_values(MOVED, [(_ROW, start), *((j, row[j]) for j in moved)] if moved else [])


def _rebuilt(pipeline: Pipeline, row: np.ndarray, data: Dataset) -> None:
    if "basis" in pipeline.named_steps:  # no image has these gradients
        return
    values = pipeline.named_steps["pca"].inverse_transform(row[None])
    if "standardize" in pipeline.named_steps:
        step = pipeline.named_steps["standardize"]
        values = values * step.scale_ + step.mean_
    figure = plots.images(
        values.reshape(1, *data.image_shape), [""], columns=1, title="What the model sees"
    )
    image_sheets.show(figure, key=f"{KEY}.image")


def _posteriors(found: prediction.RowPrediction) -> None:
    """List the classes, the likeliest first, with posteriors and distances where there are any."""
    sure = found.finding.removeprefix(f"Prediction: {found.label}")
    st.markdown(f"Prediction: **{text.escape(found.label)}**{sure}")
    with st.container(key=f"{KEY}.posterior"):
        tables.show(
            found.table,
            hide_index=True,
            column_config={
                "posterior": st.column_config.ProgressColumn(
                    format="%.1f %%", min_value=0, max_value=100
                ),
                "score": st.column_config.NumberColumn(format="%.3f"),
                "distance": st.column_config.NumberColumn(
                    format="%.2f", help="Mahalanobis distance, in standard deviations."
                ),
            },
            alt="Posterior probability and distance of every class.",
        )
