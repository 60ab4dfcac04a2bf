"""The plane in which a model is looked at: which there are, the chosen one, and what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from pages.ui import classify_model, controls, text

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from lincore.datasets import Dataset, Split
    from lincore.experiments.views import View

KEY = "classify"
# So many other features can be held at values of one's own; more would be a wall of fields.
MOST_HELD = 12
_LABELS = {
    "coordinates": "Model's coordinates",
    "features": "Two features",
    "principal": "Principal axes",
    "discriminant": "Discriminant plane",
}


class Look(NamedTuple):
    """Which plane: its kind, its axes, and where the features that are not drawn are held."""

    kind: str
    axes: tuple[int, ...] = ()
    held: tuple[tuple[int, float], ...] = ()
    rest: str = "median"


def ask(pipeline: Pipeline, data: Dataset, split: Split) -> Look:
    """Ask for a plane, where there is more than one."""
    kinds = offered(pipeline, data)
    kind = kinds[0]
    if len(kinds) > 1:
        kind = controls.choose(
            "Plane",
            kinds,
            key=f"{KEY}.plane",
            format_func=_LABELS.__getitem__,
            help="Which two dimensions are drawn; the title says what becomes of the others.",
            width=190,
        )
    if kind == "discriminant":
        return Look(kind)
    if kind == "principal":
        return Look(kind, (0, 1))
    if kind == "coordinates":
        return Look(kind, _axes(classify_model.coordinate_names(pipeline, data), key=KEY))
    axes = _axes([str(name) for name in data.feature_names], key=f"{KEY}.feature")
    return _held(data, split, axes) if data.n_features > 2 else Look(kind, axes)


def offered(pipeline: Pipeline, data: Dataset) -> list[str]:
    """Return the kinds of planes that show something of this model, the plainest first."""
    width = len(classify_model.coordinate_names(pipeline, data))
    kinds = ["coordinates"]
    names = [name for name, _ in pipeline.steps[:-1]]
    own = set(names) <= {"standardize"}  # then the coordinates are the features themselves
    if not data.image_shape and not data.n_words and not (own and data.n_features <= 2):
        # Behind a basis, or categories that were not projected, the features say more.
        plainer = "basis" in names or "prepare" in names
        kinds.insert(0 if plainer and "pca" not in names else 1, "features")
    if width > 2 and "pca" not in names and not data.n_words:
        kinds.append("principal")
    if width > 2:
        # Two pixels say nothing of a picture: then the plane of the classes comes first.
        pixels = bool(data.image_shape) and own
        kinds.insert(0 if pixels else len(kinds), "discriminant")
    return kinds


def seen(pipeline: Pipeline, data: Dataset, split: Split, look: Look) -> View:
    """Look at a fitted model, with the test rows."""
    from lincore.experiments import planes, views

    if look.kind == "coordinates":
        return views.model_view(pipeline, data, split.test, look.axes)
    if look.kind == "features":
        plane = planes.feature_plane(
            data, look.axes, split.train, values=dict(look.held), rest=look.rest
        )
    elif look.kind == "principal":
        plane = planes.principal_plane(pipeline, data, split.train, look.axes)
    else:
        plane = planes.discriminant_plane(pipeline, data, split.train)
    return views.look(pipeline, data, split.test, plane)


def _axes(names: list[str], *, key: str) -> tuple[int, ...]:
    """Ask which two of some coordinates to draw, where there are more than two."""
    if len(names) <= 2:
        return tuple(range(len(names)))
    places = list(range(len(names)))
    x = controls.choose(
        "Across",
        places,
        key=f"{key}.x",
        format_func=lambda i: names[i],
        help="Coordinate drawn from left to right.",
        width=150,
    )
    y = controls.choose(
        "Up",
        [i for i in places if i != x],
        key=f"{key}.y",
        format_func=lambda i: names[i],
        help="Coordinate drawn from bottom to top.",
        width=150,
    )
    return (x, y)


def _held(data: Dataset, split: Split, axes: tuple[int, ...]) -> Look:
    """Ask where the other features are held."""
    from lincore.experiments.planes import typical_row

    with st.popover(
        "The rest held at",
        key=f"{KEY}.held",
        help="Where the features that are not drawn are held.",
    ):
        rest = st.segmented_control(
            "At their",
            ["median", "mean"],
            default="median",
            required=True,
            key=f"{KEY}.held.at",
            persist_state="session",
            help="Of the training rows; categories at their most frequent level.",
        )
        others = [i for i in range(data.n_features) if i not in axes]
        names = {i: str(data.feature_names[i]) for i in others}
        chosen = st.multiselect(
            "Or at a value of your own",
            others,
            format_func=names.__getitem__,
            max_selections=MOST_HELD,
            key=f"{KEY}.held.features",
            persist_state="session",
            help="The features chosen here are held at the numbers that you enter.",
        )
        usual = typical_row(data, split.train, rest)
        held = tuple((i, _value(data, i, float(usual[i]))) for i in chosen)
    return Look("features", axes, held, rest)


def _value(data: Dataset, column: int, usual: float) -> float:
    name = text.escape(data.feature_names[column])
    key = f"{KEY}.held.{data.digest}.{column}"
    levels = data.levels[column] if data.levels is not None else None
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
    return st.number_input(
        name,
        value=usual if usual == usual else 0.0,
        format="%.6g",
        key=key,
        persist_state="session",
        help="The value at which this feature is held.",
    )
