"""Choice of the plane on Classify: kind, axes, held features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import streamlit as st

from lincore import inspection
from pages.ui.classify import model_choice
from pages.ui.session import cache
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from lincore.data import Dataset, Split
    from lincore.inspection import Plane, View
    from pages.ui.classify.model_choice import ModelRow
    from pages.ui.session.fitting import Fitted

KEY = "classify"
# The look that was drawn last, for the row of What if.
LOOK = f"{KEY}.look"
# The values at which other features are held, for the link.
HELD = f"{KEY}.held.values"
# So many other features can be held at values of one's own; more would be a wall of fields.
MOST_HELD = 12
_LABELS = {
    "discriminant": "Discriminant plane",
    "direction": "Discriminant direction",
    "features": "Two features",
    "principal": "Principal axes",
    "coordinates": "Model inputs",
}


class Look(NamedTuple):
    """Choice of a plane: kind, axes, and the values at which other features are held."""

    kind: str
    axes: tuple[int, ...] = ()
    held: tuple[tuple[int, float], ...] = ()
    rest: Literal["median", "mean"] = "median"
    rows: Literal["test", "training", "all"] = "test"


def ask(pipeline: Pipeline, data: Dataset, split: Split, row: ModelRow) -> Look:
    """Ask for a plane, where there is more than one; for its axes among the options."""
    kinds = inspection.plane_kinds(pipeline, data)
    kind = kinds[0]
    controls.follow(f"{KEY}.plane", kind)
    if len(kinds) > 1:
        with row.plane:
            kind = controls.choose(
                "Plane",
                kinds,
                key=f"{KEY}.plane",
                format_func=_LABELS.__getitem__,
                help="What is shown of the model; the title describes the other directions.",
            )
    if kind in ("discriminant", "direction"):
        return Look(kind)
    if kind == "principal":
        return Look(kind, (0, 1))
    with row.options:
        return _chosen_axes(kind, pipeline, data, split)


def seen(pipeline: Pipeline, data: Dataset, split: Split, look: Look) -> View:
    """Look at a fitted model, with the rows that are chosen."""
    values = dict(look.held)
    return inspection.view_of_kind(
        pipeline, data, split, look.kind, look.axes, values=values, rest=look.rest, rows=look.rows
    )


def plane(pipeline: Pipeline, data: Dataset, split: Split, look: Look) -> Plane:
    """Return the plane that is looked at."""
    values = dict(look.held)
    return inspection.plane_of_kind(
        pipeline, data, split, look.kind, look.axes, values=values, rest=look.rest
    )


@cache.by_bytes("Looking at the model …")
def view(
    digest: str,
    choice: cache.SplitSettings,
    model: cache.ModelChoice,
    look: Look,
    _fitted: Fitted,
    _data: Dataset,
) -> View:
    """Look at a fitted model in a plane, with the rows that are chosen."""
    return seen(_fitted.pipeline, _data, cache.split(digest, choice, _data), look)


def _chosen_axes(kind: str, pipeline: Pipeline, data: Dataset, split: Split) -> Look:
    """Ask for the axes of a plane of features or model inputs, at first the leading ones."""
    first = inspection.plane_axes(pipeline, data, split, kind)
    if kind == "coordinates":
        names = model_choice.coordinate_names(pipeline, data)
        return Look(kind, _axes(names, first, key=KEY))
    names = [str(name) for name in data.feature_names]
    axes = _axes(names, first, key=f"{KEY}.feature")
    return _held(data, split, axes) if data.n_features > 2 else Look(kind, axes)


def _axes(names: list[str], first: tuple[int, ...], *, key: str) -> tuple[int, ...]:
    """Ask which two of some coordinates to draw, where there are more than two."""
    if len(names) <= 2:
        return tuple(range(len(names)))
    places = list(range(len(names)))
    with st.container(horizontal=True):
        x = controls.choose(
            "x axis",
            places,
            key=f"{key}.x",
            index=first[0],
            format_func=lambda i: names[i],
            help="Drawn from left to right.",
        )
        others = [i for i in places if i != x]
        y = controls.choose(
            "y axis",
            others,
            key=f"{key}.y",
            index=others.index(first[1] if first[1] != x else first[0]),
            format_func=lambda i: names[i],
            help="Drawn from bottom to top.",
        )
    return (x, y)


def _held(data: Dataset, split: Split, axes: tuple[int, ...]) -> Look:
    """Ask where the other features are held."""
    with st.expander("Other features held at", key=f"{KEY}.held"):
        controls.begin_with(f"{KEY}.held.at", "median")
        rest = st.segmented_control(
            "At their",
            ["median", "mean"],
            required=True,
            key=f"{KEY}.held.at",
            persist_state="session",
            help="Of the training rows; categories at their most frequent level.",
        )
        others = [i for i in range(data.n_features) if i not in axes]
        names = {i: str(data.feature_names[i]) for i in others}
        controls.begin_among(f"{KEY}.held.features", others, [])
        chosen = st.multiselect(
            "Or at a value of your own",
            others,
            format_func=names.__getitem__,
            max_selections=MOST_HELD,
            key=f"{KEY}.held.features",
            persist_state="session",
            help="The features chosen here are held at the numbers that you enter.",
        )
        usual = inspection.median_row(data, split.train, rest)
        former = controls.held_values(HELD)
        held = tuple((i, _value(data, i, former.get(i, float(usual[i])))) for i in chosen)
        controls.hold_values(HELD, held)
    return Look("features", axes, held, rest)


def _value(data: Dataset, column: int, usual: float) -> float:
    name = text.escape(data.feature_names[column])
    key = f"{KEY}.held.{data.digest}.{column}"
    levels = inspection.level_names(data, column)
    if levels is not None:
        codes = list(range(len(levels)))
        start = int(usual) if usual in codes else 0
        return float(
            controls.choose(
                name,
                codes,
                key=key,
                index=start,
                format_func=lambda code: str(levels[code]),
                help="The level at which this feature is held.",
            )
        )
    controls.begin_with(key, usual if usual == usual else 0.0)
    return st.number_input(
        name,
        format="%.6g",
        key=key,
        persist_state="session",
        help="The value at which this feature is held.",
    )
