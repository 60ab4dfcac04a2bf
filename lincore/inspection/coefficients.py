"""Coefficients of a fitted pipeline in the original units, with standard errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.estimators.logistic.wald import Wald, wald_errors
from lincore.inspection.weights import feature_weights, named_steps_end
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.preprocessing.tabular import Contrast, contrasts
from lincore.utils.typing import Array

MIXED = {"pca", "svd"}


class Coefficients(NamedTuple):
    """Linear scores, a line for each class or pair of classes, a column for each feature.

    Of a category all levels but one have a column: what they add, compared with the reference
    level. Standard errors, intervals and p-values are None where there are none.

    Attributes
    ----------
    lines : tuple of M str
        What each line of coefficients speaks for.
    names : tuple of q str
        Of the columns; the last is the intercept where it is known in the user's units.
    estimate : ndarray of shape (M, q)
        What one unit more adds to the score.
    per_deviation : ndarray of shape (M, q)
        What one standard deviation of the training rows more adds; NaN for an intercept.
    error, low, high, p : ndarray of shape (M, q), or None
        Wald's standard errors, 95 % intervals and p-values of `estimate`.
    are_log_odds : bool
        Whether the exponential of an estimate is an odds ratio.
    is_penalised : bool
        Whether a penalty keeps the estimates small, so that they have no standard errors.
    """

    lines: tuple[str, ...]
    names: tuple[str, ...]
    estimate: Array
    per_deviation: Array
    error: Array | None = None
    low: Array | None = None
    high: Array | None = None
    p: Array | None = None
    are_log_odds: bool = False
    is_penalised: bool = False


def score_coefficients(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], lines: tuple[str, ...]
) -> Coefficients:
    """Return the coefficients of the classifier's own scores, without errors.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.
    data : Dataset
    rows : ndarray
        The training rows.
    lines : tuple of str
        What each line of the classifier's coefficients speaks for.

    Raises
    ------
    TypeError
        When the classifier is not linear.
    """
    weights = feature_weights(pipeline, data, rows)
    contrast = _contrast(pipeline, data, rows)
    estimate, spread = weights.values, weights.spread
    names = weights.names
    if contrast is not None:
        estimate, spread, names = (
            contrast.relative(estimate)[0],
            spread[contrast.kept],
            contrast.names,
        )
    model = pipeline.steps[-1][1]
    logistic = isinstance(model, LogisticRegression)
    return Coefficients(
        lines,
        names,
        estimate,
        estimate * spread,
        are_log_odds=logistic and len(model.classes_) == 2,
        is_penalised=logistic and bool(np.isfinite(model.C)),
    )


def likelihood_coefficients(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], reference: int = 0
) -> Coefficients:
    """Return log odds against a reference class with Wald's errors, the intercept last.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted, with logistic regression of infinite C at its end and no projection before it.
    data : Dataset
    rows : ndarray
        The training rows.
    reference : int
        The code of the class that the others are compared with.

    Raises
    ------
    ValueError
        When these errors do not exist, with the reason.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.pipeline import pipeline_for
    >>> data = lincore.sample("gaussian")
    >>> logistic = lincore.LogisticRegression(C=np.inf)
    >>> found = likelihood_coefficients(
    ...     pipeline_for(data, logistic).fit(data.X, data.codes), data, np.arange(data.n_rows)
    ... )
    >>> found.lines, found.names
    (('class 2 against class 1', 'class 3 against class 1'), ('x1', 'x2', 'intercept'))
    """
    if MIXED & set(pipeline.named_steps):
        raise ValueError("Standard errors belong to features: switch the projection off.")
    if data.kind.is_sparse:
        raise ValueError("There are no standard errors for counts of words.")
    model: LogisticRegression = pipeline.steps[-1][1]
    model.require_maximum_likelihood()
    wald, spread = _wald(pipeline, data, rows, reference)
    labels = data.classes[np.asarray(wald.labels, dtype=np.intp)]
    low, high = wald.interval
    deviations = np.append(spread, np.nan)[: wald.estimate.shape[1]]
    return Coefficients(
        tuple(f"{label} against {data.classes[reference]}" for label in labels),
        wald.names,
        wald.estimate,
        wald.estimate * deviations,
        wald.standard_error,
        low,
        high,
        wald.p_value,
        are_log_odds=True,
    )


def _wald(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], reference: int
) -> tuple[Wald, Array]:
    """Return the errors of features in the user's units, and the features' deviations."""
    model = pipeline.steps[-1][1]
    weights = feature_weights(pipeline, data, rows)
    coef, names, spread = weights.values, weights.names, weights.spread
    shown = Pipeline(pipeline.steps[: named_steps_end(pipeline)])
    seen = transform_for_classifier(shown, data.X[rows])
    # Scores are what they are at any one row: the intercept is what the features leave of them.
    first = transform_for_classifier(pipeline, data.X[rows[:1]])
    intercept = np.ravel(pipeline[-1].decision_function(first))
    intercept = intercept - coef @ np.asarray(seen[0], dtype=float)
    contrast = _contrast(pipeline, data, rows)
    if contrast is not None:
        coef, shift = contrast.relative(coef)
        intercept, names, spread = intercept + shift, contrast.names, spread[contrast.kept]
        seen = seen[:, contrast.kept]
    if len(model.classes_) == 2:
        coef, intercept = np.vstack([0 * coef, coef]), np.append(0.0, intercept)
    with_intercept = model.fit_intercept
    wald = wald_errors(
        np.asarray(seen, dtype=float),
        None,
        coef.T,
        intercept if with_intercept else None,
        classes=model.classes_,
        names=(*names, "intercept") if with_intercept else tuple(names),
        reference=reference,
        confidence=0.95,
    )
    return wald, spread


def _contrast(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> Contrast | None:
    """Return which columns are compared with which, where the variables are prepared columns."""
    steps, model = pipeline.named_steps, pipeline.steps[-1][1]
    preparer = steps.get("prepare")
    if preparer is None or "basis" in steps or data.kind.is_sparse:
        return None
    if not getattr(model, "fit_intercept", True):
        return None
    means = np.asarray(preparer.transform(data.X[rows])).mean(axis=0)
    return contrasts(preparer, data, means)
