"""Canonical discriminant analysis: the directions that separate classes, and their tests."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import linalg, stats

from lincore.errors import DataError
from lincore.inspection.coefficients import independent_columns
from lincore.metrics.differences import holm
from lincore.metrics.intervals import LEVEL
from lincore.model_selection.fitted_classifier import FittedClassifier
from lincore.model_selection.pipeline import through
from lincore.utils.typing import Array, Flags

#: Rows times features up to which an analysis takes less than a second.
MOST_VALUES = 2_000_000


class CanonicalAnalysis(NamedTuple):
    """Canonical discriminant analysis: n rows of p features in K classes, q functions.

    Attributes
    ----------
    kept : ndarray of p bool
        Mask of the features used; the others are combinations of previous ones.
    functions : DataFrame of q lines
        Eigenvalue, share of their sum, canonical correlation; Wilks' lambda of this function and
        the following ones, with Rao's F, its degrees of freedom and p.
    raw : ndarray of shape (p, q)
        Coefficients of the features in their own units; scores have variance 1 within classes.
    standardised : ndarray of shape (p, q)
        The same for features with standard deviation 1 within classes.
    structure : ndarray of shape (p, q)
        Correlation of each feature with each function within classes.
    centroids : ndarray of shape (K, q)
        Mean score of each class; the mean of all rows is 0.
    radii : ndarray of shape (K,)
        Distance from the true mean, projected by the same functions, that 95 % of the means of a
        Gaussian class do not exceed along all functions together.
    distances : DataFrame of K (K - 1) / 2 lines
        Codes of two classes, squared Mahalanobis distance of their means, F, p, and p by Holm.
    coefficients, constants : ndarray of shape (K, p), (K,)
        Classification functions: a row belongs to the class of the largest
        ``coefficients @ x + constants``, with the shares of the classes as priors.
    """

    kept: Flags
    functions: pd.DataFrame
    raw: Array
    standardised: Array
    structure: Array
    centroids: Array
    radii: Array
    distances: pd.DataFrame
    coefficients: Array
    constants: Array


def canonical_analysis_of(model: FittedClassifier) -> CanonicalAnalysis:
    """Compute the analysis of the training rows of a model, see `canonical_analysis`.

    Features are the inputs of its classifier, such as principal components, in the units of the
    data: standardisation would only change the units.

    Raises
    ------
    DataError
        If it is not possible, with the reason.
    """
    data, rows, steps = model.data, model.split.train, list(model.pipeline.steps[:-1])
    if data.weights is not None:
        raise DataError("Canonical functions are not computed for rows with weights.")
    if steps and steps[-1][0] == "standardize":
        steps.pop()
    X = through(steps, data.X[rows])
    if X.size > MOST_VALUES:
        raise DataError(
            f"Canonical functions are computed for up to {MOST_VALUES:,} values; there are "
            f"{X.size:,}. Choose principal components."
        )
    return canonical_analysis(X, data.codes[rows])


def canonical_analysis(X: Array, codes: NDArray[np.intp]) -> CanonicalAnalysis:
    """Compute the canonical discriminant analysis of some rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    codes : ndarray of shape (n,)
        From 0 to K - 1, each at least once.

    Raises
    ------
    DataError
        If there are too few rows, or a combination of features is constant within the classes but
        not between them.

    References
    ----------
    Rao (1951), "An asymptotic expansion of the distribution of Wilks' criterion"; Mardia, Kent,
    Bibby (1979), "Multivariate Analysis", chapters 11 and 12.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> canonical_analysis(iris.X, iris.codes).functions["correlation"].round(4).tolist()
    [0.9848, 0.4712]
    """
    X = np.asarray(X, dtype=float)
    n, counts = len(X), np.bincount(codes)
    K = len(counts)
    means = np.stack([X[codes == k].mean(axis=0) for k in range(K)])
    residuals, overall = X - means[codes], X.mean(axis=0)
    varies_within = np.max([np.ptp(X[codes == k], axis=0) for k in range(K)], axis=0) > 0
    independent, varies = varies_within.copy(), np.ptp(X, axis=0) > 0
    independent[varies_within], _ = independent_columns(
        residuals[:, varies_within], with_intercept=False
    )
    if independent.sum() < independent_columns(X[:, varies], with_intercept=True)[0].sum():
        raise DataError(
            "A feature, or a combination of features, is constant within every class but not "
            "between them: there are too few rows, or the classes are separated without error. "
            "Choose fewer features or principal components."
        )
    X, means, residuals = (columns[:, independent] for columns in (X, means, residuals))
    overall = overall[independent]
    p, df = X.shape[1], n - K
    if not p or df <= p:
        raise DataError(
            f"{n:,} rows in {K:,} classes are too few to test {p:,} features. Choose fewer "
            "features or principal components."
        )
    # In units of the deviations within classes; this affects only rounding.
    deviations = np.sqrt((residuals**2).sum(axis=0) / df)
    residuals, outer = residuals / deviations, (means - overall) / deviations
    q = min(p, K - 1)
    S = residuals.T @ residuals / df
    B = (outer.T * counts) @ outer
    values, vectors = linalg.eigh(B / df, S)
    values, vectors = np.maximum(values[::-1][:q], 0.0), vectors[:, ::-1][:, :q]
    # The largest coefficient of each function is positive.
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(q)])
    coefficients = linalg.solve(S, (means / deviations).T, assume_a="pos").T / deviations
    constants = -0.5 * (coefficients * means).sum(axis=1) + np.log(counts / n)
    return CanonicalAnalysis(
        independent,
        _functions(values, n, p, K),
        vectors / deviations[:, np.newaxis],
        vectors,
        S @ vectors,
        outer @ vectors,
        # Projections of a T² region: directions that follow the rows cannot leave it.
        np.sqrt(p * df / (df - p + 1) * stats.f.ppf(LEVEL, p, df - p + 1) / counts),
        _distances(outer, S, counts),
        coefficients,
        constants,
    )


def _functions(values: Array, n: int, p: int, K: int) -> pd.DataFrame:
    """Test whether each function and the following ones separate the classes, by Rao's F."""
    q = len(values)
    wilks = np.cumprod(1 / (1 + values[::-1]))[::-1]
    n_variables, n_contrasts = p - np.arange(q), K - 1 - np.arange(q)
    product, squares = n_variables * n_contrasts, n_variables**2 + n_contrasts**2 - 5
    root = np.where(
        squares > 0, np.sqrt(np.maximum(product**2 - 4, 0) / np.where(squares > 0, squares, 1)), 1
    )
    root = np.where(root > 0, root, 1.0)
    df2 = (n - 1 - (p + K) / 2) * root - product / 2 + 1
    power = wilks ** (1 / root)
    F = (1 - power) / power * df2 / product
    return pd.DataFrame(
        {
            "function": np.arange(1, q + 1),
            "eigenvalue": values,
            "share": values / max(values.sum(), np.finfo(float).tiny),
            "correlation": np.sqrt(values / (1 + values)),
            "wilks": wilks,
            "F": F,
            "df1": product,
            "df2": df2,
            "p": stats.f.sf(F, product, df2),
        }
    )


def _distances(outer: Array, S: Array, counts: NDArray[np.intp]) -> pd.DataFrame:
    """Test whether the means of every two classes differ, by Hotelling's T² with pooled S."""
    n, K, p = counts.sum(), len(counts), len(S)
    first, second = np.array(list(combinations(range(K), 2))).T
    differences = outer[first] - outer[second]
    squared = (differences * linalg.solve(S, differences.T, assume_a="pos").T).sum(axis=1)
    df2 = n - K - p + 1
    sizes = counts[first] * counts[second] / (counts[first] + counts[second])
    F = sizes * df2 / (p * (n - K)) * squared
    p_values = stats.f.sf(F, p, df2)
    return pd.DataFrame(
        {
            "first": first,
            "second": second,
            "distance": squared,
            "F": F,
            "df1": p,
            "df2": df2,
            "p": p_values,
            "p_holm": holm(p_values),
        }
    )
