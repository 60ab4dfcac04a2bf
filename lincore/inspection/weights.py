"""Coefficients of the original features, what each adds to a score, and equations of boundaries."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
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
from lincore.utils.typing import Array

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
    for name, step in reversed(pipeline.steps[named_steps_end(pipeline) : -1]):
        if name == "pca":
            coef = coef @ step.affine()[1].T
        elif name == "svd":
            coef = coef @ step.components_
        elif name == "standardize":
            coef = coef / step.scale_
    shown = _preprocessor(pipeline)
    seen = transform_for_classifier(shown, data.X[rows])
    return Weights(_preprocessor_names(pipeline, data), coef, _deviations(seen))


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
    >>> found = contributions(pipeline, iris, np.arange(150), iris.X[70])
    >>> found.first, found.second, found.values.round(2), round(found.score, 2)
    (2, 1, array([-0.19, -0.49,  8.03,  8.98]), 1.1)
    """
    model = pipeline.steps[-1][1]
    if hasattr(model, "design_"):
        raise TypeError("The binary models have separate scores.")
    if "basis" in pipeline.named_steps:
        raise ValueError("After a basis expansion features act together.")
    weights = feature_weights(pipeline, data, rows).values
    given: Any = csr_array(row[None]) if data.kind.is_sparse else row[None]
    scores = np.ravel(model.decision_function(transform_for_classifier(pipeline, given)))
    if len(weights) == 1:  # of the second class over the first
        weights, scores = np.vstack([0 * weights, weights]), np.append(0.0, scores)
    places = [int(code) for code in model.classes_]
    up, down = np.argsort(-scores, kind="stable")[:2].tolist()
    if against is not None and against != places[up]:
        if against not in places:
            raise ValueError("This class has no training rows.")
        down = places.index(against)
    slope, score = weights[up] - weights[down], float(scores[up] - scores[down])
    if not (np.isfinite(slope).all() and np.isfinite(score)):
        raise ValueError("A coefficient is infinite: one value alone decides.")
    preparer = pipeline.named_steps.get("prepare")
    seen, usual = (_prepared(preparer, rows_of) for rows_of in (given, data.X[rows]))
    source = source_features(preparer, data)
    change = slope * (seen - usual)
    values = np.bincount(source, change, data.n_features).astype(np.float64)
    are_log_odds = hasattr(model, "predict_log_proba")
    base = score - float(values.sum())
    base = base if abs(base) > 1e-13 * np.abs(values).sum() else 0.0  # rounding errors
    return Contributions(places[up], places[down], values, base, score, are_log_odds)


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


def named_steps_end(pipeline: Pipeline) -> int:
    """Return the number of steps up to the named variables: preparation and basis."""
    names = [name for name, _ in pipeline.steps]
    return max((names.index(name) + 1 for name in ("prepare", "basis") if name in names), default=0)


def boundary_equation(
    pipeline: Pipeline, data: Dataset, first: int, second: int
) -> tuple[Quadric, tuple[str, ...]]:
    """Return the function that is zero on the boundary of two classes, and its variables' names.

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
        Of q variables; without a quadratic part if the boundary is a plane.
    names : tuple of str
        Of the q variables.

    Raises
    ------
    TypeError
        If the classifier has no such function.
    ValueError
        If there are too many variables either way.
    """
    shown = _preprocessor(pipeline)
    names = _preprocessor_names(pipeline, data)
    behind = Pipeline(pipeline.steps[len(shown) :])
    if "svd" in behind.named_steps or len(names) > MOST_TERMS:
        names, behind = classifier_input_names(pipeline, data), Pipeline(pipeline.steps[-1:])
    if len(names) > MOST_TERMS:
        raise ValueError(f"An equation in {len(names):,} variables is too long to read.")
    model = pipeline.steps[-1][1]
    places = {int(code): place for place, code in enumerate(getattr(model, "classes_", ()))}
    if first not in places or second not in places:
        raise ValueError("One of these classes has no training rows.")
    return boundary(behind, places[first], places[second]), names


def _coefficients(model: Any) -> Array:
    linear = isinstance(model, LinearClassifier) or hasattr(model, "design_")
    if not linear or not hasattr(model, "coef_"):
        raise TypeError(f"{type(model).__name__} is not linear: it has no coefficients.")
    return np.asarray(model.coef_, dtype=float)


def _preprocessor(pipeline: Pipeline) -> Pipeline:
    """Return the steps up to the named variables."""
    return Pipeline(pipeline.steps[: named_steps_end(pipeline)])


def _preprocessor_names(pipeline: Pipeline, data: Dataset) -> tuple[str, ...]:
    return classifier_input_names(_preprocessor(pipeline), data)


def _deviations(seen: Any) -> Array:
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
