"""Fitting the steps of a pipeline and its classifier, from moments if possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.utils.validation import has_fit_parameter

from lincore.errors import DataError
from lincore.estimators.base.linear import SoftmaxPosterior, chosen_codes, log_posterior
from lincore.estimators.base.moment_classifier import MomentClassifier
from lincore.model_selection.pipeline import CATEGORICAL, asks_for_categories, rows_needed, through
from lincore.moments.moments import Moments
from lincore.preprocessing.pca import PCA
from lincore.utils.probabilities import probabilities
from lincore.utils.typing import Array, Codes

# Moments by class with more values than this (400 MB) are not worth their memory: such data have
# many features and few rows, or very many classes, and are fitted from the rows.
LARGEST_SCATTER = 50_000_000


class TrainingInputs(NamedTuple):
    """Inputs of a classifier's fit: preprocessed rows, codes, moments.

    Attributes
    ----------
    codes : ndarray of shape (n,)
    n_classes : int
    rows : (n, q) array or None
        None if they are not needed.
    weight : ndarray of shape (n,) or None
        Of the rows.
    moments : Moments or None
        By class, including weights; None if unavailable.
    categorical_columns : tuple of tuples of int
        Groups of indicator columns, one per category, see `categorical_columns`.
    """

    codes: Codes
    n_classes: int
    rows: Any | None = None
    weight: Array | None = None
    moments: Moments | None = None
    categorical_columns: tuple[tuple[int, ...], ...] = ()


def fit_preprocessor(
    preprocessor: Sequence[tuple[str, Any]],
    X: Any,
    codes: Codes,
    n_classes: int,
    *,
    class_weight: Array | None = None,
    sample_weight: Array | None = None,
    moments: Moments | None = None,
    rows: bool = True,
    summary: bool = True,
) -> TrainingInputs:
    """Fit the steps before a classifier on training rows."""
    weight = sample_weight
    if class_weight is not None:
        of_class = np.asarray(class_weight, dtype=float)[codes]
        weight = of_class if sample_weight is None else of_class * sample_weight
    names = [name for name, _ in preprocessor]
    head = rows_needed(names)
    if "basis" in names:
        moments = None
    if moments is None or rows:
        known = moments is not None
        for _, step in preprocessor[:head]:
            X = step.transform(X) if known else _fit_transform(step, X, weight)
    tail = preprocessor[head:]
    turns = any(name == "pca" for name, _ in tail)
    if moments is None and (summary or turns):
        moments = _summarise(X, codes, n_classes, sample_weight)
    if moments is None:
        for _, step in tail:
            X = _fit_transform(step, X, weight)
        if summary and tail:  # few components of many features may still be summarised
            moments = _summarise(X, codes, n_classes, sample_weight)
        if moments is not None and class_weight is not None:
            moments = moments.scale(class_weight)
        return TrainingInputs(
            codes, n_classes, X, weight, moments, categorical_columns(preprocessor)
        )
    if class_weight is not None:
        moments = moments.scale(class_weight)
    for _, step in tail:
        moments = step.fit_moments(moments).map_moments(moments)
        X = through([("", step)], X) if rows else X
    kept, groups = moments if summary else None, categorical_columns(preprocessor)
    return TrainingInputs(codes, n_classes, X if rows else None, weight, kept, groups)


def categorical_columns(preprocessor: Sequence[tuple[str, Any]]) -> tuple[tuple[int, ...], ...]:
    """Return groups of indicator columns after fitted steps, one per category.

    Empty if the columns were standardised or mixed.
    """
    if [name for name, _ in preprocessor] != ["prepare"]:
        return ()
    groups: tuple[tuple[int, ...], ...] = preprocessor[0][1].categorical_columns()
    return groups


def fit_classifier(classifier: Any, training: TrainingInputs) -> Any:
    """Fit a classifier on codes, from moments if supported and available."""
    if training.categorical_columns and asks_for_categories(classifier):
        names = [name for name in classifier.get_params() if name.endswith(CATEGORICAL)]
        classifier.set_params(**dict.fromkeys(names, training.categorical_columns))
    # Whether one of the library's classifiers has the method also depends on its options.
    if training.moments is not None and hasattr(classifier, "fit_moments"):
        return classifier.fit_moments(training.moments, np.arange(training.n_classes))
    _drop_absent_priors(classifier, training)
    if training.weight is None:
        return classifier.fit(training.rows, training.codes)
    if not has_fit_parameter(classifier, "sample_weight"):
        raise DataError(
            f"{type(classifier).__name__} does not support weights.",
            remedy="Remove the weights, or choose a classifier that supports them.",
        )
    return classifier.fit(training.rows, training.codes, sample_weight=training.weight)


def _drop_absent_priors(classifier: Any, training: TrainingInputs) -> None:
    """Redistribute the prior of classes without training rows, as in a fit from moments."""
    priors, present = classifier.get_params(deep=False).get("priors"), np.unique(training.codes)
    if priors is None or isinstance(priors, str) or len(present) == training.n_classes:
        return
    shares = probabilities(priors, np.arange(training.n_classes))[present]
    if shares.sum():
        classifier.set_params(priors=shares / shares.sum())


class Predicted(NamedTuple):
    """Codes, posteriors and scores of some rows by one classifier.

    Attributes
    ----------
    codes : ndarray of shape (m,)
        By the classifier's own rule.
    log_proba : ndarray of shape (m, K)
        NaN for a classifier without posteriors; a class without training rows has posterior zero.
    decision : ndarray of shape (m, K) or None
        Margins of a classifier without posteriors, see `margins`, on an arbitrary scale. None if it
        has posteriors, or no scores.
    """

    codes: Codes
    log_proba: Array
    decision: Array | None = None

    def part(self, rows: slice) -> Predicted:
        """Return the predictions of some of the rows."""
        decision = None if self.decision is None else self.decision[rows]
        return Predicted(self.codes[rows], self.log_proba[rows], decision)


def predict_codes(classifier: Any, rows: Any, n_classes: int) -> Predicted:
    """Predict rows by the classifier's own rule, with posteriors or decision scores.

    Parameters
    ----------
    classifier : estimator
        Fitted on codes.
    rows : array of shape (m, q)
        After preprocessing.
    n_classes : int
        K, the classes of the data set; some may be absent from training.

    Raises
    ------
    ValueError
        If predictions are not classes of the data, or posteriors have a wrong shape.
    """
    if isinstance(classifier, MomentClassifier):
        return _own_predictions(classifier, rows, n_classes)
    predicted = _checked(classifier.predict(rows), rows.shape[0], n_classes)
    # hasattr is scikit-learn's convention: which of the two exists may depend on options.
    with np.errstate(divide="ignore"):
        if hasattr(classifier, "predict_log_proba"):
            found = classifier.predict_log_proba(rows)
        elif hasattr(classifier, "predict_proba"):
            found = np.log(classifier.predict_proba(rows))
        else:
            silent = np.full((len(predicted), n_classes), np.nan)
            return Predicted(predicted, silent, _decision(classifier, rows, n_classes))
    expected, shape = (len(predicted), len(classifier.classes_)), np.shape(found)
    if shape != expected:
        raise ValueError(f"Its posteriors have shape {shape} instead of {expected}.")
    return Predicted(predicted, _placed(found, classifier.classes_, n_classes))


def _decision(classifier: Any, rows: Any, n_classes: int) -> Array | None:
    """Return decision scores by class (m, K), None if there is not one per class."""
    if not hasattr(classifier, "decision_function"):
        return None
    scores = np.asarray(classifier.decision_function(rows), dtype=float)
    n_known = len(classifier.classes_)
    one_each = scores.shape == ((len(scores),) if n_known == 2 else (len(scores), n_known))
    if not one_each or not np.isfinite(scores).all():
        return None
    return _placed(margins(scores), classifier.classes_, n_classes)


def margins(scores: Array) -> Array:
    """Return each class's decision score minus the largest of the others, (m, K).

    A constant added to all scores of a row does not change the decision, so it should not affect
    the ranking of rows. A row is predicted as the class if its margin is above 0.
    """
    if scores.ndim == 1:
        return np.column_stack([-scores, scores])
    second, best = np.partition(scores, -2, axis=1)[:, -2:].T[:, :, None]
    return np.asarray(scores - np.where(scores == best, second, best))


def _checked(predicted: Any, n_rows: int, n_classes: int) -> Codes:
    """Return predictions as codes; ValueError if they are invalid."""
    found = np.asarray(predicted)
    if found.shape != (n_rows,):
        raise ValueError(f"It made predictions of shape {found.shape} for {n_rows} rows.")
    strange = ~np.isin(found, np.arange(n_classes))
    if strange.any():
        raise ValueError(f"It predicted {found[strange][0]}, not one of its classes.")
    return found.astype(np.intp)


def _own_predictions(classifier: Any, rows: Any, n_classes: int) -> Predicted:
    """Evaluate the scores once for labels and posteriors."""
    scores, classes = classifier.score_rows(rows), classifier.classes_
    # A value that is not finite makes every score of the row so, as in classes without rows.
    if not np.isfinite(scores).all() and not np.isfinite(rows).all():
        raise ValueError("Rows to predict contain NaN or infinity.")
    predicted = classes[chosen_codes(scores)]
    if not isinstance(classifier, SoftmaxPosterior):
        silent = np.full((len(predicted), n_classes), np.nan)
        return Predicted(predicted, silent, _placed(margins(scores), classes, n_classes))
    return Predicted(predicted, _placed(log_posterior(scores), classes, n_classes))


def _placed(found: Array, classes: Codes, n_classes: int) -> Array:
    """Put log posteriors (m, k) of some classes into the columns of all K."""
    if len(classes) == n_classes:
        return np.asarray(found, dtype=np.float64)
    log_proba = np.full((len(found), n_classes), -np.inf)
    log_proba[:, classes] = found
    return log_proba


def _summarise(X: Any, codes: Codes, n_classes: int, weight: Array | None) -> Moments | None:
    n_rows, q = X.shape
    if sp.issparse(X) or n_rows < q or n_classes * q**2 > LARGEST_SCATTER:
        return None
    return Moments.from_groups(X, codes, n_classes, weight)


def _fit_transform(step: Any, X: Any, weight: Array | None) -> Any:
    if isinstance(step, PCA):
        return step.fit_rows(X, weight).transform(X)
    if weight is None:
        return _by_rows_alone(step, X).transform(X)
    if has_fit_parameter(step, "sample_weight"):
        return step.fit(X, sample_weight=weight).transform(X)
    if isinstance(step, TruncatedSVD):
        # Singular vectors are those of the sum of outer products, so weights enter by their square
        # root.
        return step.fit(sp.diags_array(np.sqrt(weight)) @ X).transform(X)
    return _by_rows_alone(step, X).transform(X)


def _by_rows_alone(step: Any, X: Any) -> Any:
    """Fit a step that does not use the classes."""
    try:
        return step.fit(X)
    except (TypeError, ValueError) as error:
        if "requires y" not in str(error) and "argument: 'y'" not in str(error):
            raise
        name = type(step).__name__
        raise ValueError(
            f"{name} learns from the classes, but a basis only sees the rows. Make it part of the "
            f"method: make_pipeline({name}(...), classifier) can be compared."
        ) from error
