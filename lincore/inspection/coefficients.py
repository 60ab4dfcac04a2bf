"""Coefficients of a fitted pipeline in the original units, with standard errors."""

from __future__ import annotations

from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.estimators.logistic.profile import ProfileLikelihood, profile_errors
from lincore.estimators.logistic.wald import Wald, wald_errors
from lincore.inspection.weights import (
    classifier_input_names,
    deviations,
    feature_weights,
    named_steps,
)
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.preprocessing.tabular import Contrast, contrasts
from lincore.utils.formatting import quoted
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array, Flags

# Profiles of more rows times cubed parameters take more than some seconds: Wald's instead.
MOST_PROFILED = 30_000_000
MIXED = {"pca", "svd"}
# Tolerance for collinearity: norm of a unit column's component orthogonal to the previous columns.
ALIASED = 1e-7


class Coefficients(NamedTuple):
    """Coefficients of linear scores: a line per class or pair of classes, a column per feature.

    A category has a column for each level except the reference level; its coefficient is the
    difference from the reference. Standard errors, intervals and p-values are None if unavailable.

    Attributes
    ----------
    lines : tuple of M str
        The class or comparison of each line of coefficients.
    names : tuple of q str
        Names of the columns; the last is the intercept if it is known in the user's units.
    estimate : ndarray of shape (M, q)
        Change of the score per unit.
    per_deviation : ndarray of shape (M, q)
        Change of the score per standard deviation of the training rows; NaN for an intercept.
    error, low, high, p : ndarray of shape (M, q), or None
        Standard errors, 95 % intervals and p-values of `estimate`, by Wald; if `is_profiled`,
        intervals and p-values come from the profile of the penalised likelihood.
    are_log_odds : bool
        Whether the exponential of an estimate is an odds ratio.
    is_penalised : bool
        Whether estimates are penalised, so that they have no standard errors.
    left_out : tuple of str
        Columns omitted because they are linear combinations of others; otherwise standard errors
        would not exist.
    is_profiled : bool
        See `error`.
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
    left_out: tuple[str, ...] = ()
    is_profiled: bool = False


def score_lines(pipeline: Pipeline, data: Dataset, n_lines: int) -> tuple[str, ...]:
    """Return the class or comparison of each line of a linear classifier's coefficients.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted on class codes.
    n_lines : int
        Number of lines of coefficients.

    Returns
    -------
    tuple of str
        Class names; "'b' over 'a'" for two classes; the two sides of each binary model.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> model = lincore.OneVsRest(lincore.LinearDiscriminantAnalysis())
    >>> pipeline = lincore.model_selection.pipeline_for(iris, model).fit(iris.X, iris.codes)
    >>> score_lines(pipeline, iris, 3)[0]
    "'setosa' over the rest"
    """
    model = pipeline.steps[-1][1]
    names = [str(data.classes[code]) for code in model.classes_]
    if hasattr(model, "design_"):
        return tuple(_sides(row, names) for row in model.design_)
    return (
        tuple(names) if n_lines == len(names) else (f"{quoted(names[1])} over {quoted(names[0])}",)
    )


def _sides(row: Array, names: list[str]) -> str:
    in_favour = [quoted(name) for name, sign in zip(names, row, strict=True) if sign > 0]
    against = [quoted(name) for name, sign in zip(names, row, strict=True) if sign < 0]
    return f"{', '.join(in_favour)} over {against[0] if len(against) == 1 else 'the rest'}"


def score_coefficients(
    pipeline: Pipeline,
    data: Dataset,
    rows: NDArray[np.intp],
    lines: tuple[str, ...] | None = None,
) -> Coefficients:
    """Return the coefficients of the classifier's scores, without standard errors.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.
    rows : ndarray
        The training rows.
    lines : tuple of str, optional
        Class or comparison of each line; see `score_lines`.

    Raises
    ------
    TypeError
        If the classifier is not linear.
    """
    weights = feature_weights(pipeline, data, rows)
    contrast = _contrast(pipeline, data, rows)
    estimate, spread = weights.values, weights.spread
    names = weights.names
    # Differences of infinite coefficients (naive Bayes without smoothing) are undefined.
    if contrast is not None and np.isfinite(estimate).all():
        estimate, spread, names = (
            contrast.relative(estimate)[0],
            spread[contrast.columns],
            contrast.names,
        )
    model = pipeline.steps[-1][1]
    logistic = isinstance(model, LogisticRegression)
    return Coefficients(
        score_lines(pipeline, data, len(estimate)) if lines is None else lines,
        names,
        estimate,
        estimate * spread,
        are_log_odds=logistic and len(model.classes_) == 2,
        is_penalised=logistic and model.is_shrunk,
    )


class CoefficientPath(NamedTuple):
    """Coefficients of logistic regression with an L1 penalty for decreasing penalties.

    Attributes
    ----------
    C : ndarray of shape (m,)
        Ascending; from the largest at which all coefficients are zero, that of the model included.
    values : ndarray of shape (m, M, q)
        Change of M scores per standard deviation of q inputs of the classifier.
    names : tuple of q str
        The inputs.
    lines : tuple of M str
        The class or comparison of each score.
    position : int
        Position of the model itself.
    """

    C: Array
    values: Array
    names: tuple[str, ...]
    lines: tuple[str, ...]
    position: int

    @property
    def numbers(self) -> Array:
        """How many inputs have a coefficient other than zero, (m,)."""
        return np.asarray((self.values != 0).any(axis=1).sum(axis=1))


def coefficient_path(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> CoefficientPath:
    """Fit logistic regression with an L1 penalty for every C of its path.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted; ends with logistic regression with ``l1_ratio`` above 0.
    rows : ndarray
        The training rows.

    Raises
    ------
    ValueError
        If the classifier has no such penalty.

    Examples
    --------
    >>> import lincore
    >>> model = lincore.fit(lincore.sample("wine"), "logistic(l1_ratio=1, C=0.1)")
    >>> path = coefficient_path(model.pipeline, model.data, model.split.train)
    >>> path.numbers[:2].tolist(), round(float(path.C[path.position]), 3)
    ([0, 3], 0.1)
    """
    model = pipeline.steps[-1][1]
    seen = transform_for_classifier(pipeline, data.X[rows])
    with captured_warnings():
        models = model.fit_path(seen, data.codes[rows], data.weights_of(rows))
    path = sorted([model, *(m for m in models if m.C != model.C)], key=lambda m: m.C)
    coef = np.stack([m.coef_ for m in path])
    return CoefficientPath(
        np.array([m.C for m in path]),
        coef * deviations(seen),
        tuple(classifier_input_names(pipeline, data)),
        score_lines(pipeline, data, coef.shape[1]),
        path.index(model),
    )


def likelihood_coefficients(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], reference: int = 0
) -> Coefficients:
    """Return log odds against a reference class with Wald standard errors, the intercept last.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted; ends with logistic regression with infinite C or less bias; has no projection.
    rows : ndarray
        The training rows.
    reference : int
        Code of the reference class.

    Raises
    ------
    ValueError
        If standard errors do not exist, with the reason.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.pipeline import pipeline_for
    >>> data = lincore.sample("gaussian")
    >>> logistic = lincore.LogisticRegression(C=np.inf)
    >>> fitted = likelihood_coefficients(
    ...     pipeline_for(data, logistic).fit(data.X, data.codes), data, np.arange(data.n_rows)
    ... )
    >>> fitted.lines, fitted.names
    (("'class 2' against 'class 1'", "'class 3' against 'class 1'"), ('x1', 'x2', 'intercept'))
    """
    if MIXED & set(pipeline.named_steps):
        raise ValueError("Standard errors are for features: switch the projection off.")
    if data.kind.is_sparse:
        raise ValueError("There are no standard errors for word counts.")
    if data.weights is not None:
        raise ValueError("The curvature of a weighted likelihood does not give standard errors.")
    model: LogisticRegression = pipeline.steps[-1][1]
    model.require_maximum_likelihood()
    wald, spread, left_out = _wald(pipeline, data, rows, reference)
    labels = data.classes[np.asarray(wald.labels, dtype=np.intp)]
    low, high = wald.interval
    deviations = np.append(spread, np.nan)[: wald.estimate.shape[1]]
    return Coefficients(
        tuple(f"{quoted(label)} against {quoted(data.classes[reference])}" for label in labels),
        wald.names,
        wald.estimate,
        wald.estimate * deviations,
        wald.standard_error,
        low,
        high,
        wald.p_value,
        are_log_odds=True,
        left_out=left_out,
        is_profiled=isinstance(wald, ProfileLikelihood),
    )


def _wald(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], reference: int
) -> tuple[Wald, Array, tuple[str, ...]]:
    """Return Wald statistics in the user's units, standard deviations, and omitted columns."""
    model = pipeline.steps[-1][1]
    weights = feature_weights(pipeline, data, rows)
    coef, names, spread = weights.values, weights.names, weights.spread
    seen = transform_for_classifier(named_steps(pipeline), data.X[rows])
    # The intercept is the score of any row minus the contribution of its features.
    first_row = transform_for_classifier(pipeline, data.X[rows[:1]])
    intercept = np.ravel(pipeline[-1].decision_function(first_row))
    intercept = intercept - coef @ np.asarray(seen[0], dtype=float)
    contrast = _contrast(pipeline, data, rows)
    if contrast is not None:
        coef, shift = contrast.relative(coef)
        intercept, names, spread = intercept + shift, contrast.names, spread[contrast.columns]
        seen = seen[:, contrast.columns]
    with_intercept = model.fit_intercept
    rows_seen = np.asarray(seen, dtype=float)
    independent, combination = independent_columns(rows_seen, with_intercept)
    left_out = tuple(compress(names, ~independent))
    if left_out:
        shift = coef[:, ~independent] @ combination
        coef, intercept = coef[:, independent] + shift[:, :-1], intercept + shift[:, -1]
        names = tuple(compress(names, independent))
        spread, rows_seen = spread[independent], rows_seen[:, independent]
    if len(model.classes_) == 2:
        coef, intercept = np.vstack([0 * coef, coef]), np.append(0.0, intercept)
    options: dict[str, Any] = {
        "classes": model.classes_,
        "names": (*names, "intercept") if with_intercept else tuple(names),
        "reference": reference,
        "confidence": 0.95,
    }
    estimate = coef.T, intercept if with_intercept else None
    n_parameters = (len(model.classes_) - 1) * len(options["names"])
    if model.bias_reduction == "firth" and len(rows) * n_parameters**3 <= MOST_PROFILED:
        codes = np.searchsorted(model.classes_, data.codes[rows])
        return profile_errors(rows_seen, codes, *estimate, **options), spread, left_out
    return wald_errors(rows_seen, None, *estimate, **options), spread, left_out


def independent_columns(X: Array, with_intercept: bool) -> tuple[Flags, Array]:
    """Find columns of (n, q) that depend linearly on previous ones, as R's `glm` does."""
    centre = np.asarray(X.mean(axis=0) if with_intercept else np.zeros(X.shape[1]), dtype=float)
    centred = X - centre
    length = np.linalg.norm(centred, axis=0)
    unit = centred / np.where(length > 0, length, 1.0)
    # The triangular factor has the same inner products, with q rows instead of n.
    _, R = np.linalg.qr(unit)
    independent, basis = np.zeros(X.shape[1], dtype=bool), np.zeros((len(R), 0))
    for j in range(X.shape[1]):
        rest = R[:, j] - basis @ (basis.T @ R[:, j])
        rest -= basis @ (basis.T @ rest)
        norm = np.linalg.norm(rest)
        # Constant columns are reported elsewhere.
        independent[j] = norm > ALIASED or length[j] == 0
        if norm > ALIASED:
            basis = np.column_stack([basis, rest / norm])
    slopes: Array = np.linalg.lstsq(centred[:, independent], centred[:, ~independent])[0].T
    constant = centre[~independent] - slopes @ centre[independent]
    return independent, np.column_stack([slopes, constant])


def _contrast(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> Contrast | None:
    """Return contrasts of categories, if the variables are prepared columns."""
    steps, model = pipeline.named_steps, pipeline.steps[-1][1]
    preparer = steps.get("prepare")
    if preparer is None or "basis" in steps or data.kind.is_sparse:
        return None
    if not getattr(model, "fit_intercept", True):
        return None
    means = np.asarray(preparer.transform(data.X[rows])).mean(axis=0)
    return contrasts(preparer, data, means)
