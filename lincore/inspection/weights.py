"""Coefficients of the original features, their contributions, nearest changes, equations."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.sparse import csr_array
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.estimators.base.linear import LinearClassifier
from lincore.estimators.boundary_geometry import boundary
from lincore.linalg.quadric import Quadric
from lincore.model_selection.pipeline import (
    CATEGORICAL,
    asks_for_categories,
    transform_for_classifier,
)
from lincore.model_selection.pipeline import (
    classifier_input_names as classifier_input_names,
)
from lincore.moments.moments import BLOCK_VALUES
from lincore.preprocessing.tabular import source_features
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array, Flags

# By how many standard deviations a nearest change goes beyond the boundary.
_BEYOND = 1e-6
#: Features of a data set in which a nearest change is searched.
MOST_CHANGED = 200
# Features of whole numbers, and boxes in which a nearest change is searched for them: with more,
# its numbers may lie between whole ones.
_MOST_COUNTED, _MOST_BOXES = 20, 100
# Maximum number of variables of a printed equation.
MOST_TERMS = 60


class Weights(NamedTuple):
    """Linear scores as functions of features.

    Attributes
    ----------
    names : tuple of p str
        Names of the features after preparation: each level of a category is separate.
    values : ndarray of shape (K, p), or (1, p) for two classes
        Change of a class score per unit; with two classes, of the second relative to the first.
    spread : ndarray of shape (p,)
        Standard deviations of the features in the training rows.
    """

    names: tuple[str, ...]
    values: Array
    spread: Array

    @property
    def comparable(self) -> Array:
        """Coefficients per standard deviation of a feature."""
        return self.values * self.spread


class Contributions(NamedTuple):
    """Contributions of the features to the score of the predicted class over another.

    Attributes
    ----------
    first, second : int
        Codes of the predicted class, and of the one that it is compared with.
    values : ndarray of shape (p,)
        One for each feature of the data set, of a category one for all its levels together.
    base : float
        Mean of the score over the training rows.
    score : float
        Score of the row: `base` plus the sum of `values`.
    are_log_odds : bool
        Whether the score is the logarithm of the ratio of two posteriors.
    """

    first: int
    second: int
    values: Array
    base: float
    score: float
    are_log_odds: bool


class NearestChange(NamedTuple):
    """The smallest change of a row that makes a classifier predict another class.

    Attributes
    ----------
    first, second : int
        Codes of the predicted class, and of the class after the change.
    row : ndarray of shape (p,)
        The changed row, just beyond the boundary; NaN if no change within the ranges suffices.
    steps : ndarray of shape (p,)
        Changes in standard deviations of the training rows; their norm is the smallest possible.
    alone : ndarray of shape (p,)
        The nearest value of each feature that suffices alone; NaN if none does, or it is locked.
    levels : tuple of (int, int)
        Categorical features, by position, with the level that suffices alone.
    are_whole : bool
        Whether features that are whole numbers in the training rows are so in `row`.
    """

    first: int
    second: int
    row: Array
    steps: Array
    alone: Array
    levels: tuple[tuple[int, int], ...]
    are_whole: bool


def feature_weights(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> Weights:
    """Express linear scores in terms of the features, undoing projection and standardisation.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted. After a basis, the features are its functions.
    rows : ndarray
        The training rows.

    Raises
    ------
    TypeError
        If the classifier is not linear.
    """
    model = pipeline.steps[-1][1]
    coef = _coefficients(model)
    named = named_steps(pipeline)
    for name, step in reversed(pipeline.steps[len(named) : -1]):
        if name == "pca":
            coef = coef @ step.affine()[1].T
        elif name == "svd":
            coef = coef @ step.components_
        elif name == "standardize":
            coef = coef / step.scale_
    seen = transform_for_classifier(named, data.X[rows])
    return Weights(classifier_input_names(named, data), coef, deviations(seen))


def contributions(
    pipeline: Pipeline,
    data: Dataset,
    rows: NDArray[np.intp],
    row: Array,
    against: int | None = None,
) -> Contributions:
    """Return what each feature adds to a linear score of the predicted class over another.

    Each feature adds the product of its coefficient and its distance from the mean of the training
    rows. For a linear score these are exactly the Shapley values with the training rows as
    background and features that are set independently of each other.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted on class codes.
    rows : ndarray of shape (n,)
        The training rows.
    row : ndarray of shape (p,)
        In the form of ``Dataset.X``.
    against : int, optional
        Code of the class that the predicted one is compared with. Default: that with the next
        highest score.

    Raises
    ------
    TypeError
        If the classifier is not linear, or decides by several binary models.
    ValueError
        If features act together (after a basis expansion), a coefficient is infinite, or a class
        has no training rows.

    References
    ----------
    Lundberg and Lee, "A Unified Approach to Interpreting Model Predictions" (2017), corollary 1.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> lda = lincore.LinearDiscriminantAnalysis()
    >>> pipeline = lincore.model_selection.pipeline_for(iris, lda).fit(iris.X, iris.codes)
    >>> parts = contributions(pipeline, iris, np.arange(150), iris.X[70])
    >>> parts.first, parts.second, parts.values.round(2), round(parts.score, 2)
    (2, 1, array([-0.19, -0.49,  8.03,  8.98]), 1.1)
    """
    weights, scores, codes, given = _linear_scores(pipeline, data, rows, row)
    predicted, compared = np.argsort(-scores, kind="stable")[:2].tolist()
    if against is not None and against != codes[predicted]:
        if against not in codes:
            raise ValueError("This class has no training rows.")
        compared = codes.index(against)
    slope = weights[predicted] - weights[compared]
    score = float(scores[predicted] - scores[compared])
    if not (np.isfinite(slope).all() and np.isfinite(score)):
        raise ValueError("A coefficient is infinite: one value alone decides.")
    preparer = pipeline.named_steps.get("prepare")
    seen, average = (_prepared(preparer, rows_of) for rows_of in (given, data.X[rows]))
    source = source_features(preparer, data)
    change = slope * (seen - average)
    values = np.bincount(source, change, data.n_features).astype(np.float64)
    are_log_odds = hasattr(pipeline.steps[-1][1], "predict_log_proba")
    base = score - float(values.sum())
    base = base if abs(base) > 1e-13 * np.abs(values).sum() else 0.0  # rounding errors
    return Contributions(codes[predicted], codes[compared], values, base, score, are_log_odds)


def nearest_change(
    pipeline: Pipeline,
    data: Dataset,
    rows: NDArray[np.intp],
    row: Array,
    target: int | None = None,
    locked: Collection[int] = (),
) -> NearestChange:
    """Return the smallest change of the numeric features that changes the decision.

    Changes are measured in standard deviations of the training rows, and values stay within the
    range of the training rows. Features that are whole numbers in the training rows stay so, unless
    that takes too many trials. Of categories, only changes of a single one are tried.

    Parameters
    ----------
    pipeline, rows, row
        As for `contributions`.
    target : int, optional
        Code of the class to reach. Default: the nearest one.
    locked : collection of int, optional
        Positions of features that must not change.

    Raises
    ------
    TypeError, ValueError
        As for `contributions`, or if the target is predicted already.

    References
    ----------
    Lawson and Hanson, "Solving Least Squares Problems" (1974), chapter 23: least distance
    programming. Wachter, Mittelstadt and Russell, "Counterfactual Explanations Without Opening the
    Black Box" (2018). Land and Doig, "An Automatic Method of Solving Discrete Programming
    Problems" (1960), for whole numbers.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> lda = lincore.LinearDiscriminantAnalysis()
    >>> pipeline = lincore.model_selection.pipeline_for(iris, lda).fit(iris.X, iris.codes)
    >>> change = nearest_change(pipeline, iris, np.arange(150), iris.X[70], locked=[0, 1])
    >>> change.first, change.second, change.row.round(2), change.alone.round(2)
    (2, 1, array([5.9 , 3.2 , 4.72, 1.77]), array([ nan,  nan, 4.66, 1.73]))
    """
    if data.kind.is_sparse or data.n_features > MOST_CHANGED:
        raise ValueError(f"It is computed for up to {MOST_CHANGED} features that are not words.")
    weights, scores, class_codes, given = _linear_scores(pipeline, data, rows, row)
    up = int(scores.argmax())
    targets = [i for i in range(len(class_codes)) if i != up and target in (None, class_codes[i])]
    if not targets:
        raise ValueError("This class is predicted already, or has no training rows.")
    X = np.asarray(data.X[rows], dtype=float)
    with captured_warnings(), np.errstate(invalid="ignore"):
        spread = np.nanstd(X, axis=0)
    levels = data.levels or [None] * data.n_features
    is_free = [levels[j] is None and j not in locked and spread[j] > 0 for j in range(len(levels))]
    free = np.flatnonzero(is_free)
    spread, slopes = spread[free], _slopes(pipeline, given, weights, free, spread[free])
    low, high = ((end(X[:, free], axis=0) - row[free]) / spread for end in (np.nanmin, np.nanmax))
    limits = np.stack([np.minimum(low, 0), np.maximum(high, 0)])
    unit = np.where(_are_whole(X[:, free]) & (row[free] % 1 == 0), 1 / spread, 0.0)
    best, reached, alone = None, targets[0], np.full(len(free), np.inf)
    for k in targets:
        others = [i for i in range(len(class_codes)) if i != k]
        sides = slopes[k] - slopes[others]
        gap = scores[others] - scores[k]
        needed = gap + _BEYOND * np.linalg.norm(sides, axis=1)
        longest = np.inf if best is None else float(best @ best)
        nearest = _least_distance_in_units(sides, needed, limits, unit, longest)
        if nearest is not None:
            best, reached = nearest, k
        single = [
            _alone(side, gap + _BEYOND * np.abs(side), ends[0], ends[1], one)
            for side, ends, one in zip(sides.T, limits.T, unit.tolist(), strict=True)
        ]
        alone = np.where(np.abs(single) < np.abs(alone), single, alone)
    steps = np.full(data.n_features, np.nan if best is None else 0.0)
    values = np.full(data.n_features, np.nan)
    values[free] = np.where(np.isfinite(alone), row[free] + alone * spread, np.nan)
    changed = row + steps
    if best is not None:
        steps[free], changed[free] = best, row[free] + best * spread
    trials = [
        (j, level)
        for j, names in enumerate(levels)
        if names is not None and j not in locked
        for level in range(len(names))
        if level != row[j]
    ]
    tried = np.repeat(row[None], len(trials), axis=0)
    for i, (j, level) in enumerate(trials):
        tried[i, j] = level
    codes = pipeline.predict(tried) if trials else ()
    wanted = {class_codes[i] for i in targets}
    reaching = tuple(t for t, code in zip(trials, codes, strict=True) if code in wanted)
    counted = free[unit > 0]
    for moved in (values, changed):
        nearby = np.round(moved[counted])
        moved[counted] = np.where(np.abs(moved[counted] - nearby) < 1e-6, nearby, moved[counted])
    are_whole = best is None or bool((changed[counted] % 1 == 0).all())
    return NearestChange(
        class_codes[up], class_codes[reached], changed, steps, values, reaching, are_whole
    )


def _linear_scores(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], row: Array
) -> tuple[Array, Array, list[int], Any]:
    """Return coefficients (K, q) and scores (K,) by class, the codes, and the row as a matrix."""
    model = pipeline.steps[-1][1]
    if hasattr(model, "design_"):
        raise TypeError("The binary models have separate scores.")
    if "basis" in pipeline.named_steps:
        raise ValueError("After a basis expansion features act together.")
    weights = feature_weights(pipeline, data, rows).values
    matrix: Any = csr_array(row[None]) if data.kind.is_sparse else row[None]
    scores = np.ravel(model.decision_function(transform_for_classifier(pipeline, matrix)))
    if len(weights) == 1:  # of the second class over the first
        weights, scores = np.vstack([0 * weights, weights]), np.append(0.0, scores)
    codes = [int(code) for code in model.classes_]
    return weights, scores, codes, matrix


def _slopes(
    pipeline: Pipeline,
    given: Any,
    weights: Array,
    free: NDArray[np.intp],
    spread: Array,
) -> Array:
    """Return the change of every score (K, n) per standard deviation of the free features."""
    preparer = pipeline.named_steps.get("prepare")
    if preparer is None:
        return np.asarray(weights[:, free] * spread)
    moved = np.repeat(given, len(free), axis=0)
    moved[np.arange(len(free)), free] += spread
    return np.asarray(weights @ (preparer.transform(moved) - preparer.transform(given)).T)


def _are_whole(X: Array) -> Flags:
    """Return whether all known values of each column are whole numbers."""
    return np.asarray(((X % 1 == 0) | np.isnan(X)).all(axis=0))


def _least_distance_in_units(
    sides: Array, needed: Array, limits: Array, unit: Array, longest: float
) -> Array | None:
    """Return `_least_distance` in multiples of the units (n,) that are not 0, by branch and bound.

    None if its square is not below `longest`. With too many units or boxes, they are ignored.
    """
    nearest, counted = _least_distance(sides, needed, limits), np.flatnonzero(unit)
    if nearest is None or nearest @ nearest >= longest:
        return None
    boxes = [(0.0, 0, limits, nearest)]
    for n_boxes in range(1, _MOST_BOXES if len(counted) <= _MOST_COUNTED else 1):
        if not boxes:
            return None
        *_, box, shortest = heapq.heappop(boxes)
        multiples = shortest[counted] / unit[counted]
        off = np.abs(multiples - np.round(multiples))
        if not (off > 1e-7).any():
            shortest[counted] = np.round(multiples) * unit[counted]
            return shortest
        j, at = counted[off.argmax()], multiples[off.argmax()]
        for end, bound in ((1, np.floor(at)), (0, np.ceil(at))):
            half = box.copy()
            half[end, j] = bound * unit[j]
            z = _least_distance(sides, needed, half)
            if z is not None and z @ z < longest:
                heapq.heappush(boxes, (float(z @ z), 2 * n_boxes + end, half, z))
    return nearest


def _least_distance(sides: Array, needed: Array, limits: Array) -> Array | None:
    """Return the shortest z with ``sides @ z >= needed`` between limits; None if there is none."""
    n = sides.shape[1]
    if not n:
        return None
    G = np.vstack([sides, np.eye(n), -np.eye(n)])
    h = np.concatenate([needed, limits[0], -limits[1]])
    scale = np.linalg.norm(G, axis=1)
    is_constraint = scale > 0
    if (h[~is_constraint] > 0).any():
        return None
    E = np.vstack([G[is_constraint].T, h[is_constraint]]) / scale[is_constraint]
    goal = np.append(np.zeros(n), 1.0)
    residual = E @ nnls(E, goal)[0] - goal
    if abs(residual[-1]) < 1e-12:
        return None
    nearest = np.clip(-residual[:-1] / residual[-1], *limits)
    # Rounding may make a way to an empty set.
    slack = 0.5 * _BEYOND * np.linalg.norm(sides, axis=1)
    return nearest if (sides @ nearest >= needed - slack).all() else None


def _alone(slopes: Array, needed: Array, low: float, high: float, unit: float) -> float:
    """Return the smallest change of one feature that meets all bounds; infinite if none does.

    In multiples of the unit, if it is not 0.
    """
    for slope, bound in zip(slopes.tolist(), needed.tolist(), strict=True):
        if slope > 0:
            low = max(low, bound / slope)
        elif slope < 0:
            high = min(high, bound / slope)
        elif bound > 0:
            return np.inf
    if unit:
        low, high = np.ceil(low / unit - 1e-9) * unit, np.floor(high / unit + 1e-9) * unit
    if low > high:
        return np.inf
    return min(max(0.0, low), high)


def naive_bayes_feature_counts(pipeline: Pipeline, data: Dataset) -> tuple[int, int] | None:
    """Return the numbers of columns that naive Bayes treats as Gaussian and as categorical.

    None for other classifiers, and for tables without categories.

    Returns
    -------
    tuple of int or None
        Gaussian columns, categorical columns.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.pipeline import pipeline_for
    >>> iris = lincore.sample("iris")
    >>> fitted = pipeline_for(iris, lincore.GaussianNB()).fit(iris.X, iris.codes)
    >>> naive_bayes_feature_counts(fitted, iris)
    """
    model = pipeline.steps[-1][1]
    if not data.has_categories or not asks_for_categories(model):
        return None
    groups = next(v for name, v in model.get_params().items() if name.endswith(CATEGORICAL))
    n_columns = transform_for_classifier(pipeline, data.X[:1]).shape[1]
    return n_columns - sum(len(group) for group in groups or ()), len(groups or ())


def named_steps(pipeline: Pipeline) -> Pipeline:
    """Return the first steps, whose outputs have names of their own: preparation and basis."""
    names = [name for name, _ in pipeline.steps]
    ends = [names.index(name) + 1 for name in ("prepare", "basis") if name in names]
    return Pipeline(pipeline.steps[: max(ends, default=0)])


def boundary_equation(
    pipeline: Pipeline, data: Dataset, first: int, second: int
) -> tuple[Quadric, tuple[str, ...]]:
    """Return the function that is zero on the boundary of two classes, with names of its variables.

    The variables are the features in their units if there are few enough to write the equation
    down, otherwise the inputs of the classifier.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.
    first, second : int
        Codes of the two classes.

    Returns
    -------
    function : Quadric
        Function of q variables; without a quadratic part if the boundary is a plane.
    names : tuple of str
        Names of the q variables.

    Raises
    ------
    TypeError
        If the classifier has no such function.
    ValueError
        If there are too many variables either way.
    """
    named = named_steps(pipeline)
    names = classifier_input_names(named, data)
    remaining = Pipeline(pipeline.steps[len(named) :])
    if "svd" in remaining.named_steps or len(names) > MOST_TERMS:
        names, remaining = classifier_input_names(pipeline, data), Pipeline(pipeline.steps[-1:])
    if len(names) > MOST_TERMS:
        raise ValueError(f"An equation in {len(names):,} variables is too long to read.")
    model = pipeline.steps[-1][1]
    positions = {
        int(code): position for position, code in enumerate(getattr(model, "classes_", ()))
    }
    if first not in positions or second not in positions:
        raise ValueError("One of these classes has no training rows.")
    return boundary(remaining, positions[first], positions[second]), names


def _coefficients(model: Any) -> Array:
    linear = isinstance(model, LinearClassifier) or hasattr(model, "design_")
    if not linear or not hasattr(model, "coef_"):
        raise TypeError(f"{type(model).__name__} is not linear: it has no coefficients.")
    return np.asarray(model.coef_, dtype=float)


def deviations(seen: Any) -> Array:
    """Return the standard deviation of each column, dense or sparse."""
    if hasattr(seen, "toarray"):
        mean = np.asarray(seen.mean(axis=0)).ravel()
        square = np.asarray(seen.multiply(seen).mean(axis=0)).ravel()
        return np.sqrt(np.maximum(square - mean**2, 0.0))
    mean = np.asarray(np.mean(seen, axis=0, dtype=float))
    total = np.zeros_like(mean)
    # In blocks: pixels are bytes, and converting all to float64 takes eight times the memory.
    length = max(1, BLOCK_VALUES // max(1, seen.shape[1]))
    for start in range(0, len(seen), length):
        total += ((seen[start : start + length] - mean) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(total / len(seen)))


def _prepared(preparer: Any, X: Any) -> Array:
    """Return the mean of the prepared columns over some rows."""
    prepared = X if preparer is None else preparer.transform(X)
    return np.asarray(prepared.mean(axis=0), dtype=float).ravel()
