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
from lincore.inspection.planes import Plane, feature_plane
from lincore.inspection.views import View, make_view
from lincore.metrics.results import Results
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.utils.typing import Array


class ShiftedDecision(DecisionFunction):
    """Posteriors of another decision function after something was added to their logarithms.

    Parameters
    ----------
    inner : DecisionFunction
        With posteriors.
    shift : ndarray of shape (K,)
    """

    has_posterior = True

    def __init__(self, inner: DecisionFunction, shift: Array) -> None:
        self.inner, self.shift = inner, shift

    def scores(self, Z: Array) -> Array:
        """Return scores (g, K) at points Z (g, d), of which the largest decides."""
        return np.asarray(self.inner.log_posterior(Z) + self.shift)

    def log_posterior(self, Z: Array) -> Array:
        """Return log posteriors (g, K)."""
        return np.asarray(log_softmax(self.scores(Z), axis=1))


class CostDecision(DecisionFunction):
    """The posteriors of a view, and the decision of least expected cost.

    Parameters
    ----------
    view : View
        Of a model with posteriors.
    costs : ndarray of shape (K, K)
        Of deciding for the column where the row is true.
    """

    has_posterior = True

    def __init__(self, view: View, costs: Array) -> None:
        self.view, self.costs = view, costs

    def scores(self, Z: Array) -> Array:
        """Return less the expected cost of each decision (g, K) at points Z (g, d)."""
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
    """Return for each pipeline the plane that shows the rows like the first one.

    Features are common to all of them. Principal components are fitted on every training set and
    may be rotated: they are rotated back until the rows are as near as possible to those of the
    first pipeline. Lengths and angles are preserved, so each plot is exact.

    Parameters
    ----------
    pipelines : sequence of Pipeline
        Fitted.
    data : Dataset
    rows : ndarray of shape (n,)
        Those to be laid over each other.
    axes : tuple of one or two int
        Features or components; those that a pipeline does not have are left out of all.

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
    >>> one, other = aligned_planes(pair, data, study.example.split.test)
    >>> one.axis_names, other.projection.shape
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
        *(_turned(Z, goal, axes) for Z in seen[1:]),
    )


def shared_planes(
    pipelines: Sequence[Pipeline], data: Dataset, rows: NDArray[np.intp]
) -> tuple[Plane, ...]:
    """Return for each pipeline the same plane of the full model: the default one of the first.

    A discriminant plane is Fisher's of the first pipeline, as each of the others sees it behind
    its own steps.

    Parameters
    ----------
    pipelines : sequence of Pipeline
        Fitted.
    data : Dataset
    rows : ndarray of shape (n,)
        The training rows of the first one.

    Returns
    -------
    tuple of Plane
        One for each pipeline, of the same two directions among the features.
    """
    first = pipelines[0]
    kind = default_plane_kind(first, data)
    if kind == "coordinates":
        return aligned_planes(pipelines, data, rows)
    if kind == "discriminant":
        try:
            plane = discriminant_plane(first, data, rows, own=False)
            return tuple(_seen_behind(plane, first, other) for other in pipelines)
        except ValueError:  # equal means, or levels of a category that one of them never saw
            pass
    features = leading_features(first, data, rows)
    return (feature_plane(data, features, rows, rest="mean"),) * len(pipelines)


def _seen_behind(plane: Plane, first: Pipeline, other: Pipeline) -> Plane:
    """Return a plane through what one pipeline's classifier sees as another's sees it."""
    if other is first:
        return plane
    (origin, matrix), (new_origin, new_matrix) = _affine(first), _affine(other)
    if matrix is None or new_matrix is None:  # both see the rows as they are
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
    """Return origin and matrix of ``z = (x - origin) @ matrix`` behind the preparation."""
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
    """Look at the model of a condition, with the test rows and what the condition predicts.

    Parameters
    ----------
    example : Example
    method, condition : str
    data : Dataset
    plane : Plane
        Of this pipeline, see `aligned_planes`.
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
    """Return a view whose rows are predicted as results say.

    Parameters
    ----------
    view : View
    results : Results
        Of rows that include those of the view.
    method : str
    """
    taken = results.predicted[results.position(method)]
    order = np.argsort(results.rows)
    places = order[np.searchsorted(results.rows, view.rows, sorter=order)]
    return replace(view, predicted=taken[places])


def view_with_prior_shift(view: View, shift: ArrayLike | None) -> View:
    """Return a view after something was added to the log posteriors: new priors, a threshold.

    Parameters
    ----------
    view : View
        One without posteriors stays as it is.
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
    """Return a view whose regions are those of the decisions of least expected cost.

    Parameters
    ----------
    view : View
        Of a model with posteriors.
    costs : array-like of shape (K, K)
    """
    costs = np.asarray(costs, dtype=float)
    if (costs == costs[:, :1]).all():  # whatever is decided costs the same: as without costs
        return view
    decision_function = CostDecision(view, costs)
    return replace(view, densities=None, decision_function=decision_function, ambiguous=None)


def _turned(Z: Array, goal: Array, axes: tuple[int, ...]) -> Plane:
    """Return the plane of coordinates Z (n, q) whose points are nearest to the goal (n, d)."""
    centre, target = Z.mean(axis=0), goal.mean(axis=0)
    U, _, Vt = np.linalg.svd((Z - centre).T @ (goal - target), full_matrices=False)
    turn = U @ Vt
    return _plane(turn, centre - turn @ target, axes)


def _plane(turn: Array, base: Array, axes: tuple[int, ...]) -> Plane:
    n_rest = len(base) - len(axes)
    rest = f"the other {n_rest:,} coordinates held at their means" if n_rest > 1 else ""
    return Plane(
        axis_names=tuple(f"Component {axis + 1}" for axis in axes),
        base=base,
        steps=turn.T,
        columns=None,
        projection=turn,
        subject="principal axes" if n_rest else "",
        rest="the other coordinate held at its mean" if n_rest == 1 else rest,
        levels=(None,) * len(axes),
    )
