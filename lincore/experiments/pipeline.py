"""Impute, standardise, project and classify, fitted from rows or from moments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline

from lincore.moments import Moments
from lincore.pca import PCA
from lincore.standardize import Standardizer


def build_pipeline(
    classifier: Any | None,
    *,
    impute: bool = False,
    standardize: bool = True,
    n_components: float | None = None,
    whiten: bool = False,
) -> Pipeline:
    """Put the steps before a classifier together.

    Parameters
    ----------
    classifier : estimator or None
        None leaves the steps before it, for looking at the rows alone.
    impute : bool, default False
        Fill missing values with the median of the feature in the training rows.
    standardize : bool, default True
        Bring every feature to mean zero and variance one.
    n_components : None, int or float
        Principal components to keep (see `PCA`); None leaves PCA out.
    whiten : bool, default False
        Bring every component to variance one.

    Returns
    -------
    sklearn.pipeline.Pipeline
        With some of the steps "impute", "standardize", "pca" and "classify", in this order.
    """
    steps: list[tuple[str, Any]] = []
    if impute:
        # A feature without a single training value becomes a constant, and so without weight.
        steps.append(("impute", SimpleImputer(strategy="median", keep_empty_features=True)))
    if standardize:
        steps.append(("standardize", Standardizer()))
    if n_components is not None:
        steps.append(("pca", PCA(n_components, whiten=whiten)))
    if classifier is not None:
        steps.append(("classify", classifier))
    return Pipeline(steps)


def fit_from_moments(pipeline: Pipeline, moments: Moments, classes: ArrayLike) -> Pipeline:
    """Fit every step from moments by class of the training rows, without looking at a row.

    Parameters
    ----------
    pipeline : Pipeline
        Of steps with `fit_moments`; an "impute" step must have been fitted already, since
        `moments` are those of rows without gaps.
    moments : Moments of shapes (K,), (K, p), (K, p, p)
    classes : array-like of shape (K,)

    Returns
    -------
    Pipeline
        The same object: equal, but for rounding, to one fitted from the rows.
    """
    for name, step in pipeline.steps:
        if name == "classify":
            step.fit_moments(moments, classes)
        elif name != "impute":
            moments = step.fit_moments(moments).map_moments(moments)
    return pipeline


def before_classifier(pipeline: Pipeline, X: NDArray[Any]) -> NDArray[np.float64]:
    """Return rows (n, p) as a classifier behind the steps sees them, (n, q)."""
    steps = pipeline[:-1] if "classify" in pipeline.named_steps else pipeline
    return np.asarray(steps.transform(X) if len(steps) else X, dtype=float)
