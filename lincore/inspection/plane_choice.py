"""Choice of planes for viewing a fitted model, by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset, Split
from lincore.estimators.fisher import FisherDiscriminant
from lincore.inspection.discriminant_planes import discriminant_plane
from lincore.inspection.first_plane import (
    default_plane,
    default_plane_kind,
    leading_coordinates,
    leading_features,
)
from lincore.inspection.planes import Plane, Rest, coordinate_plane, feature_plane, principal_plane
from lincore.inspection.views import View, make_view, model_plane, model_view
from lincore.inspection.weights import classifier_input_names

PlaneKind = Literal["discriminant", "direction", "features", "principal", "coordinates"]


def plane_kinds(pipeline: Pipeline, data: Dataset) -> tuple[PlaneKind, ...]:
    """Return the useful kinds of planes for a fitted model, the best first.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.

    Returns
    -------
    tuple of str
        Some of "discriminant", "direction", "features", "principal" and "coordinates".

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> model = lincore.LinearDiscriminantAnalysis()
    >>> pipeline = lincore.model_selection.pipeline_for(iris, model).fit(iris.X, iris.codes)
    >>> plane_kinds(pipeline, iris)
    ('discriminant', 'features', 'principal', 'coordinates')
    """
    width = len(classifier_input_names(pipeline, data))
    names = [name for name, _ in pipeline.steps[:-1]]
    raw_words = data.kind.is_sparse and "svd" not in names
    kinds: list[PlaneKind] = []
    if width > 2 and not raw_words:
        kinds.append("discriminant")
    if data.n_classes == 2 and width > 1 and not raw_words:
        kinds.append("direction")
    if data.kind.single_features:
        kinds.append("features")
    if width > 2 and "pca" not in names and not data.kind.is_sparse:
        kinds.append("principal")
    # With two features and no other steps the model inputs are the features.
    if data.n_features > 2 or not set(names) <= {"standardize"}:
        kinds.append("coordinates")
    first: PlaneKind = default_plane_kind(pipeline, data)
    if "direction" in kinds and isinstance(pipeline.steps[-1][1], FisherDiscriminant):
        first = "direction"  # the model depends on nothing else
    return tuple(sorted(kinds, key=lambda kind: kind != first))


def plane_axes(pipeline: Pipeline, data: Dataset, split: Split, kind: str) -> tuple[int, ...]:
    """Return the most informative axes in a plane of features or of model inputs.

    Parameters
    ----------
    kind : str
        One of `plane_kinds`; other kinds have no axes to choose.

    Returns
    -------
    tuple of int
        At most two positions among the features or the classifier's inputs.
    """
    if kind == "coordinates":
        return leading_coordinates(pipeline)
    if kind == "features":
        few = data.n_features <= 2
        return tuple(range(data.n_features)) if few else leading_features(
            pipeline, data, split.train
        )  # fmt: skip
    return (0, 1) if kind == "principal" else ()


def plane_of_kind(
    pipeline: Pipeline,
    data: Dataset,
    split: Split,
    kind: str,
    axes: Sequence[int] = (),
    *,
    values: Mapping[int, float] | None = None,
    rest: Rest = "median",
) -> Plane:
    """Return a plane of a given kind for a fitted model.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.
    kind : str
        One of `plane_kinds`.
    axes : sequence of int
        Default: those of `plane_axes`.
    values : mapping of int to float, optional
        Values at which other features are held, in planes of features.
    rest : {"median", "mean"}
        Value at which the remaining features are held.

    Raises
    ------
    ValueError
        If the class means do not span such a plane.
    """
    axes = tuple(axes) or plane_axes(pipeline, data, split, kind)
    if kind == "coordinates":
        return model_plane(pipeline, data, split.test, axes)
    if kind == "features":
        return feature_plane(data, axes, split.train, values=dict(values or {}), rest=rest)
    if kind == "principal":
        return principal_plane(pipeline, data, split.train, axes)
    if kind == "direction":
        return discriminant_plane(pipeline, data, split.train, n_axes=1)
    if default_plane_kind(pipeline, data) == "discriminant":
        # Falls back to another plane if the class means are equal.
        return default_plane(pipeline, data, split.train)
    return discriminant_plane(pipeline, data, split.train)


def view_of_kind(
    pipeline: Pipeline,
    data: Dataset,
    split: Split,
    kind: str,
    axes: Sequence[int] = (),
    *,
    values: Mapping[int, float] | None = None,
    rest: Rest = "median",
    rows: Literal["test", "training", "all"] = "test",
) -> View:
    """Return the view of a fitted model in a plane of a given kind.

    Parameters
    ----------
    pipeline, data, split, kind, axes, values, rest
        As for `plane_of_kind`.
    rows : {"test", "training", "all"}
        Rows to be drawn.

    Raises
    ------
    ValueError
        If the class means do not span such a plane.
    """
    axes = tuple(axes) or plane_axes(pipeline, data, split, kind)
    drawn = {"test": split.test, "training": split.train, "all": np.concatenate(split)}[rows]
    if kind == "coordinates":
        return model_view(pipeline, data, drawn, axes)
    plane = plane_of_kind(pipeline, data, split, kind, axes, values=values, rest=rest)
    return make_view(pipeline, data, drawn, plane)


def common_plane_kinds(pipeline: Pipeline, data: Dataset) -> tuple[PlaneKind, ...]:
    """Return the kinds of planes in which models with the same preprocessing can be compared.

    Parameters
    ----------
    pipeline : Pipeline
        Any of them.

    Returns
    -------
    tuple of str
        Only "features" if the models have at most two features.
    """
    width = len(classifier_input_names(pipeline, data))
    if width <= 2 and data.n_features == width and "pca" not in pipeline.named_steps:
        return ("features",)
    kinds: list[PlaneKind] = ["discriminant"] if width > 2 else []
    kinds.append("principal")
    if data.kind.single_features and data.n_features > 1:
        kinds.append("features")
    return tuple(kinds)


def common_plane(
    pipeline: Pipeline, data: Dataset, split: Split, kind: str, axes: Sequence[int] = (0, 1)
) -> Plane:
    """Return a plane of a given kind that models with the same preprocessing share.

    Parameters
    ----------
    pipeline : Pipeline
        Any of them.
    kind : str
        One of `common_plane_kinds`.
    axes : sequence of int
        For a plane of features.

    Raises
    ------
    ValueError
        If the class means do not span such a plane.
    """
    if kind == "features":
        return feature_plane(data, tuple(axes)[: data.n_features], split.train)
    if kind == "discriminant":
        return discriminant_plane(pipeline, data, split.train, own=False)
    if data.kind.is_sparse:
        width = len(classifier_input_names(pipeline, data))
        names = tuple(f"Component {i + 1}" for i in range(min(2, width)))
        return coordinate_plane(tuple(range(len(names))), names, [0.0] * width)
    return principal_plane(pipeline, data, split.train)
