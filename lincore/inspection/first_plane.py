"""The default plane of a fitted model."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.inspection.discriminant_planes import discriminant_plane
from lincore.inspection.planes import (
    Plane,
    coordinate_plane,
    feature_plane,
    principal_plane,
)
from lincore.inspection.weights import classifier_input_names, deviations, feature_weights
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.preprocessing.tabular import source_features
from lincore.utils.typing import Array

Kind = Literal["features", "coordinates", "discriminant"]


def default_plane_kind(pipeline: Pipeline, data: Dataset) -> Kind:
    """Return the most informative kind of plane for a fitted model.

    Features or model inputs if there are at most two; two features behind a nonlinear basis (except
    for images, whose pixels mean little); two words for word counts; otherwise the discriminant
    plane.
    """
    names = [name for name, _ in pipeline.steps]
    if data.n_features <= 2 or ("basis" in names and not data.kind.is_images):
        return "features"
    width = transform_for_classifier(pipeline, data.X[:1]).shape[1]
    if width <= 2 or (data.kind.is_sparse and "svd" not in names):
        return "coordinates"
    return "discriminant"


def default_plane(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> Plane:
    """Return the most informative plane for a fitted model.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted, with a last step "classify".
    rows : ndarray of shape (n,)
        The training rows.

    Returns
    -------
    Plane
        A plane of the kind returned by `default_plane_kind`. If class means are equal, a plane of
        two features, or of two principal axes for images and words.
    """
    kind = default_plane_kind(pipeline, data)
    if kind == "discriminant":
        try:
            return discriminant_plane(pipeline, data, rows)
        except ValueError:  # the class means are equal
            if not data.kind.single_features:
                return principal_plane(pipeline, data, rows)
            kind = "features"
    if kind == "features":
        return feature_plane(data, leading_features(pipeline, data, rows), rows)
    axes = leading_coordinates(pipeline)
    names = classifier_input_names(pipeline, data)
    centre = np.asarray(transform_for_classifier(pipeline, data.X[rows]).mean(axis=0)).ravel()
    return coordinate_plane(axes, tuple(names[axis] for axis in axes), centre)


def leading_features(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> tuple[int, ...]:
    """Return the two most important features of a fitted model, numbers before categories.

    Importance is the coefficient per standard deviation, or, for a model without coefficients, the
    distance of the class means in standard deviations. A category counts as one feature regardless
    of its number of levels.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.
    rows : ndarray of shape (n,)
        The training rows.

    Returns
    -------
    tuple of int
        At most two positions among the columns of the table, the most important first.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> model = lincore.LinearDiscriminantAnalysis()
    >>> pipeline = lincore.model_selection.pipeline_for(iris, model).fit(iris.X, iris.codes)
    >>> [iris.feature_names[i] for i in leading_features(pipeline, iris, np.arange(150))]
    ['petal length (cm)', 'petal width (cm)']
    """
    importance = np.zeros(data.n_features)
    source = source_features(pipeline.named_steps.get("prepare"), data)
    np.maximum.at(importance, source, _importance(pipeline, data, rows))
    is_category = np.array([names is not None for names in data.levels or ()], dtype=bool)
    is_category = np.resize(is_category, data.n_features) if len(is_category) else importance < 0
    order = np.lexsort((-importance, is_category))
    return tuple(order[:2].tolist())


def leading_coordinates(pipeline: Pipeline) -> tuple[int, ...]:
    """Return two of the classifier's inputs; for words, those with the largest coefficients.

    Numbers come before level indicators, in which many rows coincide.

    Returns
    -------
    tuple of int
        Two positions among the classifier's inputs, or one if there is no second.
    """
    model, steps = pipeline.steps[-1][1], pipeline.named_steps
    width = int(model.n_features_in_)
    is_indicator = np.zeros(width, dtype=bool)
    if "prepare" in steps and not {"pca", "svd", "basis"} & set(steps):
        groups = steps["prepare"].categorical_columns()
        is_indicator[[column for group in groups for column in group]] = True
    importance = np.zeros(width)
    if "svd" not in steps and hasattr(model, "coef_"):
        importance = np.ptp(model.coef_, axis=0) if len(model.coef_) > 1 else np.abs(model.coef_[0])
    order = np.lexsort((-importance, is_indicator))
    return tuple(np.sort(order[:2]).tolist())


def _importance(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> Array:
    """Return the importance of each prepared column, (q,)."""
    if "basis" not in pipeline.named_steps:
        try:
            weights = feature_weights(pipeline, data, rows).comparable
        except TypeError:  # the model is not linear
            pass
        else:
            return np.ptp(weights, axis=0) if len(weights) > 1 else np.abs(weights[0])
    preprocessor = Pipeline([step for step in pipeline.steps if step[0] == "prepare"])
    return _separations(transform_for_classifier(preprocessor, data.X[rows]), data.codes[rows])


def _separations(seen: Any, codes: NDArray[np.intp]) -> Array:
    """Return the spread of the class means in standard deviations of each column, (q,)."""
    groups = [seen[codes == code] for code in np.unique(codes)]
    means = np.array([np.asarray(group.mean(axis=0), dtype=float).ravel() for group in groups])
    ranges, deviation = np.ptp(means, axis=0), deviations(seen)
    return np.asarray(np.divide(ranges, deviation, out=np.zeros_like(ranges), where=deviation > 0))
