"""Summary of the training rows stored in a fitted model: counts, medians and spread."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.linalg.covariance import Whitener
from lincore.linalg.gaussian import Gaussians
from lincore.linalg.hotelling import ClassDistances
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.moments.moments import LARGEST_SCATTER, Moments
from lincore.utils.typing import Array, Codes

# Number of training rows whose distances are summarised, and number of quantiles.
_DRAWN = 10_000
_GRID = np.linspace(0, 1, 1_001)


class TrainingSummary(NamedTuple):
    """Summary of the training rows of a model, for predicting new files.

    Attributes
    ----------
    counts : ndarray of shape (K,)
        Rows of each class.
    medians : ndarray of shape (p,), optional
        Of the features; None for images and word counts, which have no missing values.
    means : ndarray of shape (K, q), optional
        Class means in the coordinates of the classifier, if it has no full covariances itself. NaN
        for a class without rows.
    covariance : ndarray of shape (q, q), optional
        Pooled within-class covariance in these coordinates, unbiased.
    remoteness : ndarray of shape (Q,), optional
        Increasing quantiles of the leave-one-out `remoteness` of the training rows.
    class_weights : ndarray of shape (K,), optional
        Total weight of each class, if rows have weights.
    """

    counts: Array
    medians: Array | None = None
    means: Array | None = None
    covariance: Array | None = None
    remoteness: Array | None = None
    class_weights: Array | None = None

    @classmethod
    def of(
        cls, data: Dataset, pipeline: Pipeline, rows: ArrayLike | None = None
    ) -> TrainingSummary:
        """Summarise the training rows of a pipeline; by default all rows of the data.

        Examples
        --------
        >>> import lincore
        >>> from lincore.model_selection import pipeline_for
        >>> iris = lincore.sample("iris")
        >>> model = pipeline_for(iris, lincore.LogisticRegression()).fit(iris.X, iris.codes)
        >>> summary = TrainingSummary.of(iris, model)
        >>> summary.counts, summary.means.shape, summary.covariance.shape
        (array([50., 50., 50.]), (3, 4), (4, 4))
        """
        chosen = np.arange(data.n_rows) if rows is None else np.asarray(rows)
        codes = data.codes[chosen]
        counts = np.bincount(codes, minlength=data.n_classes).astype(np.float64)
        medians = None if data.kind.is_images or data.n_words else _medians(data.X[chosen])
        summary, classifier = cls(counts, medians), pipeline.steps[-1][1]
        if data.weights is not None:
            total = np.bincount(codes, data.weights[chosen], data.n_classes).astype(float)
            summary = summary._replace(class_weights=total)
        if not has_covariances(classifier):
            inputs = transform_for_classifier(pipeline, data.X[chosen])
            summary = summary._with_moments(inputs, codes)
        distances = class_distances(classifier, summary)
        if distances is None:
            return summary
        drawn = slice(None, None, max(1, len(chosen) // _DRAWN))
        rows = np.asarray(transform_for_classifier(pipeline, data.X[chosen[drawn]]))
        relative = remoteness(distances, distances.squared_left_out(rows, codes[drawn]))
        if relative is None or np.isnan(relative).all():
            return summary
        return summary._replace(remoteness=np.nanquantile(relative, _GRID))

    def _with_moments(self, seen: Any, codes: Codes) -> TrainingSummary:
        """Add means and covariance of preprocessed rows, if there are enough rows."""
        (n_rows, q), n_classes = seen.shape, len(self.counts)
        degrees = n_rows - np.count_nonzero(self.counts)
        too_large = n_classes * q**2 > LARGEST_SCATTER
        if sp.issparse(seen) or degrees <= q or too_large or not np.isfinite(seen).all():
            return self
        moments = Moments.from_groups(seen, codes, n_classes)
        means = np.where(self.counts[:, None] > 0, moments.mean, np.nan)
        return self._replace(means=means, covariance=moments.within() / degrees)


def class_distances(classifier: Any, training: TrainingSummary) -> ClassDistances | None:
    """Return the classes for measuring distances: from the model or its training rows."""
    if has_covariances(classifier):
        by_rows = classifier.get_params().get("divisor", "n") == "n"
        codes = np.asarray(classifier.classes_, dtype=np.intp)
        return ClassDistances.of(classifier.densities_, codes, training.counts, by_rows=by_rows)
    if training.means is None or training.covariance is None or not training.covariance.any():
        return None
    codes = np.flatnonzero(training.counts > 0)
    whitener = Whitener.from_covariance(training.covariance)
    gaussians = Gaussians(training.means[codes], (whitener,) * len(codes))
    return ClassDistances.of(gaussians, codes, training.counts, by_rows=False)


def remoteness(distances: ClassDistances, squared: Array, level: float = 0.01) -> Array | None:
    """Return the squared distance (n,) from the nearest class, relative to its usual distances."""
    limits = distances.limits(level)
    has_limit = ~np.isnan(limits)
    if not has_limit.any():
        return None
    return np.asarray((squared[:, has_limit] / limits[has_limit]).min(axis=1))


def has_covariances(classifier: Any) -> bool:
    """Return whether a classifier has full covariances, pooled or by class."""
    densities = getattr(classifier, "densities_", None)
    return densities is not None and all(
        whitener.basis.ndim == 2 for whitener in densities.whiteners
    )


def _medians(X: Any) -> Array:
    """Return the medians (p,) of nonmissing values; 0 if all are missing."""
    values = np.asarray(X, dtype=np.float64)
    if not np.isnan(values).any():
        return np.asarray(np.median(values, axis=0))
    empty = np.isnan(values).all(axis=0)
    return np.asarray(np.nanmedian(np.where(empty, 0.0, values), axis=0))
