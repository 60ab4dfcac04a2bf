"""The estimates that a classifier has learned from its training rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.geometry.likelihood import model_log_likelihood
from lincore.inspection.weights import classifier_input_names
from lincore.linalg.quadric import Quadric
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.moments.moments import Moments
from lincore.utils.typing import Array

# Larger matrices are unreadable.
MOST_COORDINATES = 12
# Number of words listed, those whose probabilities differ most between the classes.
MOST_WORDS = 25


class Learned(NamedTuple):
    """Estimates of a classifier, in the user's units if features are at most standardised.

    Attributes
    ----------
    names : tuple of q str
        Names of the first twelve coordinates.
    n_coordinates : int
        Total number of coordinates.
    classes : tuple of K str
        Classes with training rows.
    counts : ndarray of shape (K,)
        Number of training rows of each class.
    priors : ndarray of shape (K,) or None
        As used by the classifier; None if it has none.
    means : ndarray of shape (K, q)
    covariances : ndarray of shape (q, q), (K, q, q) or None
        Shared, one per class, or None.
    within, between : ndarray of shape (q, q)
        Scatter S_W and S_B of the training rows; NaN for word counts.
    log_likelihood : float or None
        Of the training rows, in nats: joint of classes and rows if `is_joint`, otherwise of the
        classes given the rows.
    is_joint : bool
    words : tuple of (str, ndarray of shape (K,))
        The words whose probabilities differ most, for multinomial naive Bayes.
    """

    names: tuple[str, ...]
    n_coordinates: int
    classes: tuple[str, ...]
    counts: NDArray[np.intp]
    priors: Array | None
    means: Array
    covariances: Array | None
    within: Array
    between: Array
    log_likelihood: float | None
    is_joint: bool
    words: tuple[tuple[str, Array], ...] = ()

    @property
    def by_class(self) -> pd.DataFrame:
        """Rows, prior and mean of every class; without means for word counts."""
        frame = pd.DataFrame({"class": self.classes, "rows": self.counts})
        if self.priors is not None:
            frame["prior"] = self.priors
        if not self.words:
            for j, name in enumerate(self.names):
                frame[f"mean of {name}"] = self.means[:, j]
        return frame

    @property
    def by_word(self) -> pd.DataFrame:
        """Probability of each of the words in every class."""
        shares = np.array([share for _, share in self.words]).reshape(-1, len(self.classes))
        frame = pd.DataFrame({"word": [word for word, _ in self.words]})
        for k, label in enumerate(self.classes):
            frame[f"p(word | {label})"] = shares[:, k]
        return frame

    @property
    def matrices(self) -> dict[str, tuple[str, pd.DataFrame]]:
        """Covariance and scatter matrices by title, each with the name of its formula."""
        matrices = {}
        if self.covariances is not None and self.covariances.ndim == 2:
            matrices["Covariance, shared"] = ("shared covariance", self.covariances)
        elif self.covariances is not None:
            for label, matrix in zip(self.classes, self.covariances, strict=True):
                matrices[f"Covariance of {label}"] = ("covariances", matrix)
        matrices["S_W, within classes"] = ("S_W", self.within)
        matrices["S_B, between classes"] = ("S_B", self.between)
        return {
            title: (formula, self._with_names(matrix))
            for title, (formula, matrix) in matrices.items()
        }

    def _with_names(self, matrix: Array) -> pd.DataFrame:
        frame = pd.DataFrame(matrix, columns=list(self.names))
        frame.insert(0, "", list(self.names))
        return frame


def learned(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> Learned:
    """Return the estimates of a fitted pipeline.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted on class codes; its last step is the classifier.
    rows : ndarray of shape (n,)
        The training rows.

    References
    ----------
    "lecture-linear-classifiers", "Continuous Input Variable"; "lda-qda-derivations", eqs. 14 to 28.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.pipeline import Steps, pipeline_for
    >>> data, rows = lincore.sample("prml chapter 4"), np.arange(100)
    >>> lda = pipeline_for(data, lincore.LinearDiscriminantAnalysis(), Steps(standardize=True))
    >>> estimates = learned(lda.fit(data.X[rows], data.codes[rows]), data, rows)
    >>> estimates.priors, round(estimates.log_likelihood, 4)
    (array([0.53, 0.47]), -138.4696)
    """
    model, codes = pipeline.steps[-1][1], data.codes[rows]
    names = classifier_input_names(pipeline, data)
    coordinates: Any = transform_for_classifier(pipeline, data.X[rows])
    origin, scale = _units(pipeline, len(names))
    known = np.asarray(model.classes_, dtype=np.intp)
    labels = tuple(str(data.classes[code]) for code in known)
    counts = np.bincount(codes, minlength=data.n_classes)[known].astype(np.intp)
    shown = slice(min(len(names), MOST_COORDINATES))
    inputs = coordinates[:, shown]
    inputs = np.asarray(inputs.toarray() if hasattr(inputs, "toarray") else inputs, dtype=float)
    inputs = inputs * scale[shown] + origin[shown]
    moments = Moments.from_groups(inputs, np.searchsorted(known, codes), len(known))
    offset = moments.mean - moments.pooled().mean
    between = np.einsum("k,ki,kj->ij", moments.count, offset, offset)
    # Naive Bayes has no densities if some coordinates are categories.
    is_joint = hasattr(model, "densities_") and not data.kind.is_sparse
    means, covariances = moments.mean, None
    if is_joint:
        means = np.asarray(model.means_)[:, shown] * scale[shown] + origin[shown]
        covariances = _covariances(model, shown) * np.outer(scale[shown], scale[shown])
    return Learned(
        names[shown],
        len(names),
        labels,
        counts,
        getattr(model, "priors_", None),
        means,
        covariances,
        moments.within(),
        between,
        _likelihood(model, coordinates, codes, float(np.log(scale).sum()), is_joint),
        is_joint,
        _words(model, names),
    )


def ratio_coefficients(function: Quadric, names: Sequence[str]) -> tuple[pd.DataFrame, float]:
    """Return the coefficients of the log ratio of two classes: a table of A and b, and c.

    Parameters
    ----------
    function : Quadric
        As `lincore.inspection.boundary_equation` returns it.
    names : sequence of p str

    Returns
    -------
    tuple of DataFrame and float
        One row per variable: b, and A if the boundary is curved.
    """
    A, b, c = function.expanded()
    frame = pd.DataFrame({"": list(names), "b": b})
    if not function.is_linear:
        for j, name in enumerate(names):
            frame[f"A: {name}"] = A[:, j]
    return frame, float(c)


def _units(pipeline: Pipeline, width: int) -> tuple[Array, Array]:
    """Return the origin and scale that map the classifier's coordinates to the user's units."""
    steps = dict(pipeline.steps[:-1])
    if "standardize" in steps and not {"pca", "svd", "basis"} & set(steps):
        step = steps["standardize"]
        scale = np.asarray(step.scale_, dtype=float)
        # A constant feature has no scale.
        usable = np.where(np.isfinite(scale) & (scale > 0), scale, 1.0)
        return np.asarray(step.mean_, dtype=float), usable
    return np.zeros(width), np.ones(width)


def _covariances(model: Any, shown: slice) -> Array:
    if hasattr(model, "covariance_"):
        covariances = np.asarray(model.covariance_)
        if covariances.ndim == 1:  # of independent features
            return np.diag(covariances[shown])
        return np.asarray(covariances[..., shown, shown])
    variances = np.asarray(model.var_)[:, shown]
    return np.asarray(variances[:, :, None] * np.eye(variances.shape[1]))


def _likelihood(
    model: Any, coordinates: Any, codes: NDArray[np.intp], log_scale: float, is_joint: bool
) -> float | None:
    if is_joint:
        # The density per user's unit is the standardised one divided by the standard deviations.
        return model_log_likelihood(model, coordinates, codes) - len(codes) * log_scale
    if not hasattr(model, "predict_proba"):
        return None
    with np.errstate(divide="ignore"):
        log_proba = np.log(model.predict_proba(coordinates))
    positions = np.searchsorted(model.classes_, codes)
    return float(log_proba[np.arange(len(codes)), positions].sum())


def _words(model: Any, names: tuple[str, ...]) -> tuple[tuple[str, Array], ...]:
    if not hasattr(model, "feature_log_prob_"):
        return ()
    share = np.exp(model.feature_log_prob_)
    order = np.argsort(-np.ptp(share, axis=0), kind="stable")[:MOST_WORDS]
    return tuple((names[j], share[:, j]) for j in order.tolist())
