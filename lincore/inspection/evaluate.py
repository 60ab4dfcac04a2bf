"""Choice of the most exact evaluation of a fitted pipeline in a plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.estimators.base.linear import LinearClassifier
from lincore.estimators.multiclass import BinaryModels
from lincore.inspection import gaussian_slices
from lincore.inspection.decision_functions import (
    AffineDecision,
    DecisionFunction,
    ModelDecision,
    binary_section,
)
from lincore.inspection.gaussian_slices import Densities
from lincore.inspection.planes import Plane
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.utils.typing import Array


def cut(
    pipeline: Pipeline, data: Dataset, plane: Plane, points: Array
) -> Densities | DecisionFunction:
    """Restrict a pipeline to a plane, in closed form if possible."""
    model = pipeline.steps[-1][1]
    if isinstance(model, BinaryModels):
        return _binary_decision(pipeline, data, plane, points)
    if is_gaussian(model) or isinstance(model, LinearClassifier):
        base, steps = _base_and_steps(pipeline, data, plane, points)
        if base is not None and steps is not None:
            if is_gaussian(model):
                return gaussian_slices.conditional(model, base, steps, data.n_classes)
            # Infinite coefficients (words that exclude a class) are not an affine function.
            if not np.isfinite(model.coef_).all():
                return _model_decision(pipeline, data, plane)
            return AffineDecision.of(model, base, steps, data.n_classes)
    return _model_decision(pipeline, data, plane)


def _model_decision(pipeline: Pipeline, data: Dataset, plane: Plane) -> ModelDecision:
    def lift(points: Array) -> Any:
        rows = plane.lift(points)
        if plane.columns is None:
            return rows
        return transform_for_classifier(pipeline, csr_array(rows) if data.kind.is_sparse else rows)

    return ModelDecision(pipeline.steps[-1][1], lift, len(plane.base), data.n_classes)


def _binary_decision(
    pipeline: Pipeline, data: Dataset, plane: Plane, points: Array
) -> ModelDecision:
    """Evaluate binary models; linear ones as functions of the point instead of the full row."""
    base, steps = _base_and_steps(pipeline, data, plane, points)
    if base is not None and steps is not None:
        section = binary_section(pipeline.steps[-1][1], base, steps)
        if section is not None:
            width = max(len(steps), len(section.estimators_))
            return ModelDecision(section, lambda points: points, width, data.n_classes, section)
    return _model_decision(pipeline, data, plane)


def _base_and_steps(
    pipeline: Pipeline, data: Dataset, plane: Plane, points: Array
) -> tuple[Array | None, Array | None]:
    """Return base and steps in the classifier's coordinates; None if the map is not affine."""
    if plane.columns is None:
        return plane.base, plane.steps
    is_nonlinear = any(
        not callable(getattr(step, "affine", None))
        for name, step in pipeline.steps[:-1]
        if name not in ("impute", "prepare")
    )
    if (
        is_nonlinear
        or data.kind.is_sparse
        or data.levels is not None
        or data.imputation == "indicator"
    ):
        return None, None
    # An affine map is determined by the images of the base and of one step along each axis.
    units = np.std(points, axis=0) if len(points) else np.ones(len(plane.steps))
    units = np.where(units > 0, units, 1.0)
    corners = np.vstack([np.zeros(len(units)), np.diag(units)])
    images = transform_for_classifier(pipeline, plane.lift(corners))
    return images[0], (images[1:] - images[0]) / units[:, None]


def marginal(pipeline: Pipeline, data: Dataset, plane: Plane) -> Densities:
    """Return the exact marginal of a Gaussian classifier in a plane."""
    model = pipeline.steps[-1][1]
    if not is_gaussian(model):
        raise ValueError(f"{type(model).__name__} is not Gaussian: it has no exact marginal.")
    if plane.projection is not None:
        return gaussian_slices.marginal(model, plane.base, plane.projection, data.n_classes)
    if plane.columns is None or not features_are_seen(pipeline, data):
        raise ValueError(
            "The classifier's inputs are not the features, so there is no marginal of "
            "the features; choose its inputs as axes."
        )
    chosen = list(plane.columns)
    projection, origin = np.eye(data.n_features)[:, chosen], np.zeros(data.n_features)
    if "standardize" in pipeline.named_steps:
        step = pipeline.named_steps["standardize"]
        projection, origin = projection * step.scale_[chosen], -step.mean_ / step.scale_
    return gaussian_slices.marginal(model, origin, projection, data.n_classes)


def is_gaussian(model: Any) -> bool:
    """Return whether a classifier has Gaussian class densities."""
    return hasattr(model, "densities_") and hasattr(model, "priors_")


def features_are_seen(pipeline: Pipeline, data: Dataset) -> bool:
    """Return whether the classifier's inputs are the features, standardised or not."""
    steps = [name for name, _ in pipeline.steps[:-1]]
    if data.levels is not None or data.kind.is_sparse or data.imputation == "indicator":
        return False
    return set(steps) <= {"impute", "prepare", "standardize"}
