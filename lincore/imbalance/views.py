"""Models of an imbalance study in one common plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.imbalance.losses import Example
from lincore.inspection.decision_functions import DecisionFunction
from lincore.inspection.discriminant_planes import discriminant_plane
from lincore.inspection.evaluate import features_are_seen, is_gaussian
from lincore.inspection.first_plane import default_plane_kind, leading_features
from lincore.inspection.planes import Plane, feature_plane, rest_text
from lincore.inspection.views import View, make_view
from lincore.metrics.results import Results
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.utils.typing import Array


class ShiftedDecision(DecisionFunction):
    """A decision function with log posteriors shifted by `shift` (K,)."""

    has_posterior = True

    def __init__(self, inner: DecisionFunction, shift: Array) -> None:
        self.inner, self.shift = inner, shift

    def scores(self, Z: Array) -> Array:
        """Return scores (g, K) at points Z (g, d); the largest decides."""
        return np.asarray(self.inner.log_posterior(Z) + self.shift)


class CostDecision(DecisionFunction):
    """The posteriors of a view, with decisions of minimum expected cost."""

    has_posterior = True

    def __init__(self, view: View, costs: Array) -> None:
        self.view, self.costs = view, costs  # (K, K), by true and decided class

    def scores(self, Z: Array) -> Array:
        """Return the negative expected cost of each decision (g, K) at points Z (g, d)."""
        return -np.asarray(np.exp(self.view.log_posterior(Z)) @ self.costs)

    def log_posterior(self, Z: Array) -> Array:
        """Return log posteriors (g, K)."""
        return self.view.log_posterior(Z)


def aligned_planes(
    pipelines: Sequence[Pipeline],
    data: Dataset,
    rows: NDArray[np.intp],
    axes: tuple[int, ...] = (0, 1),
) -> tuple[Plane, ...]:
    """Return a plane for each pipeline, in which the rows look as in that of the first.

    Features are common to all pipelines. Principal components are fitted to every training set and
    may be rotated, so they are aligned with those of the first pipeline by a Procrustes rotation.
    This preserves lengths and angles, so each plot is exact.

    Parameters
    ----------
    pipelines : sequence of Pipeline
        Fitted.
    rows : ndarray of shape (n,)
        Rows to align.
    axes : tuple of one or two int
        Features or components; those missing in some pipeline are left out.

    Returns
    -------
    tuple of Plane

    References
    ----------
    Schoenemann (1966), "A generalized solution of the orthogonal Procrustes problem".

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.pipeline import Steps
    >>> data, steps = lincore.sample("wine"), Steps(n_components=2)
    >>> study = lincore.balance(data, {"class_0": 9}, "lda", steps=steps, repeats=1)
    >>> pair = [study.example.pipelines["lda", subset] for subset in ("full", "reduced")]
    >>> full, reduced = aligned_planes(pair, data, study.example.split.test)
    >>> full.axis_names, reduced.projection.shape
    (('Component 1', 'Component 2'), (2, 2))
    """
    if pipelines[0].named_steps.keys().isdisjoint({"pca", "svd"}):
        within = tuple(axis for axis in axes if axis < data.n_features)
        return (feature_plane(data, within, rows, rest="mean"),) * len(pipelines)
    seen = [np.asarray(transform_for_classifier(pipeline, data.X[rows])) for pipeline in pipelines]
    width = min(Z.shape[1] for Z in seen)
    axes = tuple(axis for axis in axes if axis < width)
    goal = seen[0][:, list(axes)]
    unit = np.eye(seen[0].shape[1])[:, list(axes)]
    return (
        _plane(unit, np.where(unit.any(axis=1), 0.0, seen[0].mean(axis=0)), axes),
        *(_rotated_plane(Z, goal, axes) for Z in seen[1:]),
    )


def shared_planes(
    pipelines: Sequence[Pipeline], data: Dataset, rows: NDArray[np.intp]
) -> tuple[Plane, ...]:
    """Return the default plane of the first pipeline, in the coordinates of each pipeline.

    A discriminant plane is that of the first pipeline, transformed to the inputs of the others'
    classifiers.

    Parameters
    ----------
    pipelines : sequence of Pipeline
        Fitted.
    rows : ndarray of shape (n,)
        Training rows of the first pipeline.

    Returns
    -------
    tuple of Plane
        One per pipeline, with the same two directions in the features.
    """
    first = pipelines[0]
    kind = default_plane_kind(first, data)
    if kind == "coordinates":
        return aligned_planes(pipelines, data, rows)
    if kind == "discriminant":
        try:
            plane = discriminant_plane(first, data, rows, own=False)
            return tuple(_transformed_plane(plane, first, pipeline) for pipeline in pipelines)
        except ValueError:  # equal means, or levels that one of them has not seen in training
            pass
    features = leading_features(first, data, rows)
    return (feature_plane(data, features, rows, rest="mean"),) * len(pipelines)


def _transformed_plane(plane: Plane, source: Pipeline, target: Pipeline) -> Plane:
    """Transform a plane from the classifier inputs of one pipeline to those of another."""
    if target is source:
        return plane
    (origin, matrix), (new_origin, new_matrix) = _affine(source), _affine(target)
    if matrix is None or new_matrix is None:  # both use the rows unchanged
        return plane
    back = np.linalg.pinv(matrix)
    if back.shape[1] != len(new_matrix):
        raise ValueError("The pipelines prepare different columns.")
    assert plane.projection is not None
    forth = back @ new_matrix
    return plane._replace(
        base=(origin + plane.base @ back - new_origin) @ new_matrix,
        steps=plane.steps @ forth,
        projection=np.linalg.pinv(forth) @ plane.projection,
    )


def _affine(pipeline: Pipeline) -> tuple[Array, Array | None]:
    """Return origin and matrix of ``z = (x - origin) @ matrix`` after preparation."""
    origin, matrix = np.zeros(1), None
    for name, step in pipeline.steps[:-1]:
        if name == "prepare":
            continue
        start, turn = step.affine()
        if matrix is None:
            origin, matrix = start, turn
        else:
            origin, matrix = origin + start @ np.linalg.pinv(matrix), matrix @ turn
    return origin, matrix


def condition_view(
    example: Example, method: str, condition: str, data: Dataset, plane: Plane
) -> View:
    """Return the view of a condition's model, with its predictions of the test rows.

    Parameters
    ----------
    plane : Plane
        Plane for this pipeline, see `aligned_planes`.
    """
    pipeline = example.pipelines[method, condition]
    exact = plane.columns is None or features_are_seen(pipeline, data)
    how: Any = "marginal" if is_gaussian(pipeline.steps[-1][1]) and exact else "cut"
    view = view_with_prior_shift(
        make_view(pipeline, data, example.split.test, plane, how=how),
        example.shifts[method, condition],
    )
    return view_with_predictions(view, example.results[condition], method)


def view_with_predictions(view: View, results: Results, method: str) -> View:
    """Return a view with the predictions of given results.

    Parameters
    ----------
    results : Results
        Results on rows that include those of the view.
    """
    predicted = results.predicted[results.position(method)]
    order = np.argsort(results.rows)
    positions = order[np.searchsorted(results.rows, view.rows, sorter=order)]
    return replace(view, predicted=predicted[positions])


def view_with_prior_shift(view: View, shift: ArrayLike | None) -> View:
    """Return a view with shifted log posteriors, for new priors or a threshold.

    Parameters
    ----------
    view : View
        Returned unchanged if it has no posteriors.
    shift : array-like of shape (K,), or None
    """
    if shift is None or not np.any(shift):
        return view
    shift = np.asarray(shift, dtype=float)
    if view.densities is not None:
        with np.errstate(divide="ignore"):
            old = np.log(view.priors) if view.log_weights is None else view.log_weights
        weights = log_softmax(old + shift)
        return replace(view, log_weights=weights, priors=np.exp(weights))
    if view.decision_function is None or not view.decision_function.has_posterior:
        return view
    return replace(
        view, decision_function=ShiftedDecision(view.decision_function, shift), ambiguous=None
    )


def view_with_costs(view: View, costs: ArrayLike) -> View:
    """Return a view whose regions show decisions with minimum expected cost.

    Parameters
    ----------
    view : View
        View of a model with posteriors.
    costs : array-like of shape (K, K)
    """
    costs = np.asarray(costs, dtype=float)
    if (costs == costs[:, :1]).all():  # all decisions cost the same, as without costs
        return view
    decision_function = CostDecision(view, costs)
    return replace(view, densities=None, decision_function=decision_function, ambiguous=None)


def _rotated_plane(Z: Array, goal: Array, axes: tuple[int, ...]) -> Plane:
    """Return the plane in coordinates Z (n, q) whose points are nearest to the target (n, d)."""
    centre, target = Z.mean(axis=0), goal.mean(axis=0)
    U, _, Vt = np.linalg.svd((Z - centre).T @ (goal - target), full_matrices=False)
    turn = U @ Vt
    return _plane(turn, centre - turn @ target, axes)


def _plane(turn: Array, base: Array, axes: tuple[int, ...]) -> Plane:
    n_rest = len(base) - len(axes)
    return Plane(
        axis_names=tuple(f"Component {axis + 1}" for axis in axes),
        base=base,
        steps=turn.T,
        columns=None,
        projection=turn,
        subject="principal axes" if n_rest else "",
        rest=rest_text(n_rest, "coordinate", "its mean", "their means"),
        levels=(None,) * len(axes),
    )
