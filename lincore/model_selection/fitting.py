"""Fitting the steps of a pipeline and its classifier, from moments if possible."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.utils.validation import has_fit_parameter

from lincore.data.blocks import Blocks, RowSubset
from lincore.data.dataset import Dataset, Split
from lincore.errors import DataError
from lincore.estimators.base.linear import SoftmaxPosterior, chosen_codes, log_posterior
from lincore.estimators.base.moment_classifier import MomentClassifier
from lincore.estimators.recalibrated import Recalibrated
from lincore.estimators.tuned import Tuned
from lincore.model_selection.pipeline import (
    CATEGORICAL,
    Steps,
    asks_for_categories,
    pipeline_for,
    through,
)
from lincore.model_selection.streamed_rows import (
    TrainingBlocks,
    add_streamed_moments,
    streamed_blocks,
)
from lincore.moments.moments import LARGEST_SCATTER, Moments
from lincore.preprocessing.pca import PCA
from lincore.preprocessing.tabular import build_preparer
from lincore.utils.formatting import class_named
from lincore.utils.probabilities import probabilities
from lincore.utils.typing import Array, Codes


class TrainingSample(NamedTuple):
    """Training rows, class weights, and what is known of the rows.

    Attributes
    ----------
    rows : ndarray of row numbers
        A row may occur several times. Unused if every method is fitted from moments.
    class_weight : ndarray of shape (K,) or None
    moments : Moments or None
        By class, after the fitted steps, with the weights of the data but without class weights.
    fitted : tuple of (name, step)
        Leading steps that have been fitted on these rows.
    blocks : Blocks or None
        More training rows, not in memory; included in `moments`.
    subset : RowSubset or None
        The rows of `blocks` that are used; None for all of them.
    """

    rows: NDArray[np.intp]
    class_weight: Array | None = None
    moments: Moments | None = None
    fitted: tuple[tuple[str, Any], ...] = ()
    blocks: Blocks | None = None
    subset: RowSubset | None = None

    @property
    def n_rows(self) -> int:
        """Number of training rows, whether used directly or not."""
        return len(self.rows) if self.moments is None else round(self.moments.count.sum())

    def weights(self, data: Dataset) -> Array | None:
        """Return the weights of the rows (n,), including those of their classes."""
        own = data.weights_of(self.rows)
        if self.class_weight is None:
            return own
        of_class = np.asarray(self.class_weight, dtype=float)[data.codes[self.rows]]
        return of_class if own is None else of_class * own

    def take(self, positions: NDArray[np.intp]) -> TrainingSample:
        """Return the rows at some positions, without moments and fitted steps."""
        return TrainingSample(self.rows[positions], self.class_weight)

    def units(self, data: Dataset) -> NDArray[Any]:
        """Return the row or group that each of the rows belongs to, (n,)."""
        return self.rows if data.groups is None else data.groups[self.rows]

    def shares(self, data: Dataset) -> Array:
        """Return the share of each class in the total weight: the estimated priors."""
        if self.moments is not None:
            weight = self.moments.count
        else:
            own = data.weights_of(self.rows)
            weight = np.bincount(data.codes[self.rows], own, data.n_classes).astype(float)
        if self.class_weight is not None:
            weight = weight * self.class_weight
        return np.asarray(weight / weight.sum())


class TrainingInputs(NamedTuple):
    """Inputs of a classifier's fit: preprocessed rows, codes, moments."""

    codes: Codes  # (n,)
    n_classes: int
    rows: Any | None = None  # (n, q); None if they are not needed
    weight: Array | None = None  # (n,); of the rows
    moments: Moments | None = None  # by class, including weights; None if unavailable
    # Groups of indicator columns, one per category, see `categorical_columns`
    categorical_columns: tuple[tuple[int, ...], ...] = ()
    # (n,); the row or group that each row belongs to; None if unknown
    units: NDArray[Any] | None = None
    # The rows, if some of them are not in memory and the classifier takes passes over them
    blocks: TrainingBlocks | None = None


def summarise_training_set(data: Dataset, split: Split) -> TrainingSample:
    """Summarise the training rows in one pass, from which many models can be fitted.

    The moments are those of the prepared training rows and the streamed rows; None if the row space
    is better.
    """
    if streamed_blocks(data, *split) is not None:
        return training_sample(data, split)
    X, preparer = data.X[split.train], build_preparer(data)
    if preparer is not None:
        X = preparer.fit_transform(X)
    moments = _summarise(X, data.codes[split.train], data.n_classes, data.weights_of(split.train))
    fitted = () if preparer is None else (("prepare", preparer),)
    return TrainingSample(split.train, None, moments, fitted)


def training_sample(data: Dataset, split: Split) -> TrainingSample:
    """Return the training rows of a split, including those that are not in memory."""
    moments, blocks = add_streamed_moments(data, *split), streamed_blocks(data, *split)
    return TrainingSample(split.train, None, moments, blocks=blocks)


def fit_steps(data: Dataset, sample: TrainingSample, steps: Steps) -> TrainingSample:
    """Fit the steps before a classifier, shared by all classifiers.

    Parameters
    ----------
    sample : TrainingSample
        For example from `summarise_training_set`.
    steps : Steps
        As returned by `method_steps`.

    Returns
    -------
    TrainingSample
        The same rows with the fitted steps, and the moments after them if there are enough rows.

    Raises
    ------
    DataError
        If they cannot be fitted to the training rows, with the reason.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> sample = summarise_training_set(iris, lincore.split(iris))
    >>> [name for name, _ in fit_steps(iris, sample, Steps(n_components=2)).fitted]
    ['standardize', 'pca']
    """
    preprocessor = pipeline_for(data, None, steps).steps
    try:
        training = fit_preprocessor(data, sample, preprocessor, rows=False, summary=True)
    except ValueError as error:
        raise data_error(error, data) from error
    return sample._replace(moments=training.moments, fitted=tuple(preprocessor))


def data_error(error: Exception, data: Dataset) -> DataError:
    """Return the error of a fit as one about the training set, with class labels for codes."""
    if isinstance(error, DataError):
        return error

    def named(match: re.Match[str]) -> str:
        code = int(match[1])
        return class_named(data.classes[code]) if code < data.n_classes else match[0]

    message = re.sub(r"\bclass (\d+)\b", named, str(error))
    return DataError(message, where=f"training set of {data.name}")


def fit_preprocessor(
    data: Dataset,
    sample: TrainingSample,
    preprocessor: list[tuple[str, Any]],
    *,
    rows: bool,
    summary: bool,
) -> TrainingInputs:
    """Fit the steps before a classifier in place, from the sample's moments if possible."""
    codes, own, weight = data.codes[sample.rows], data.weights_of(sample.rows), sample.weights(data)
    n_fitted, names = len(sample.fitted), [name for name, _ in preprocessor]
    preprocessor[:n_fitted] = sample.fitted
    # The steps up to the basis are fitted to rows, without classes.
    by_rows = [names.index(name) + 1 for name in ("prepare", "basis") if name in names]
    head = max(n_fitted, *by_rows, 0)
    moments = None if "basis" in names[n_fitted:] else sample.moments
    X = None
    if moments is None or rows:
        X = through(preprocessor[:n_fitted], data.X[sample.rows])
        for _, step in preprocessor[n_fitted:head]:
            X = _fit_transform(step, X, weight)
    tail = preprocessor[head:]
    rotates = any(name == "pca" for name, _ in tail)
    if moments is None and (summary or rotates):
        moments = _summarise(X, codes, data.n_classes, own)
    from_rows = moments is None
    if moments is None:
        for _, step in tail:
            X = _fit_transform(step, X, weight)
        if summary and tail:  # few components of many features may still be summarised
            moments = _summarise(X, codes, data.n_classes, own)
    if moments is not None and sample.class_weight is not None:
        moments = moments.scale(sample.class_weight)
    if not from_rows and moments is not None:
        for _, step in tail:
            moments = step.fit_moments(moments).map_moments(moments)
            X = through([("", step)], X) if rows else X
    return TrainingInputs(
        codes,
        data.n_classes,
        X if rows or from_rows else None,
        weight,
        moments if summary else None,
        categorical_columns(preprocessor),
        sample.units(data),
    )


def categorical_columns(preprocessor: Sequence[tuple[str, Any]]) -> tuple[tuple[int, ...], ...]:
    """Return groups of indicator columns after fitted steps, one per category."""
    # Empty if the columns were standardised or mixed.
    if [name for name, _ in preprocessor] != ["prepare"]:
        return ()
    groups: tuple[tuple[int, ...], ...] = preprocessor[0][1].categorical_columns()
    return groups


def fit_classifier(classifier: Any, training: TrainingInputs) -> Any:
    """Fit a classifier on codes, from moments if supported and available, and return it."""
    # Of a `Tuned` classifier the one with the chosen options is returned.
    if training.categorical_columns and asks_for_categories(classifier):
        names = [name for name in classifier.get_params() if name.endswith(CATEGORICAL)]
        classifier.set_params(**dict.fromkeys(names, training.categorical_columns))
    if training.blocks is not None:
        classes, sample = np.arange(training.n_classes), training.blocks.sample()
        return classifier.fit_blocks(training.blocks, training.moments, classes, sample)
    # Whether one of the library's classifiers has the method also depends on its options.
    if training.moments is not None and hasattr(classifier, "fit_moments"):
        return classifier.fit_moments(training.moments, np.arange(training.n_classes))
    _drop_absent_priors(classifier, training)
    if isinstance(classifier, (Recalibrated, Tuned)):
        classifier.fit(training.rows, training.codes, training.weight, training.units)
        return classifier.best_estimator_ if isinstance(classifier, Tuned) else classifier
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
    """Codes, posteriors and scores of some rows by one classifier."""

    codes: Codes  # (m,); by the classifier's own rule
    # (m, K); NaN for a classifier without posteriors; a class without training rows has posterior
    # zero
    log_proba: Array
    # (m, K); margins of a classifier without posteriors, see `margins`, on an arbitrary scale. None
    # if it has posteriors, or no scores.
    decision: Array | None = None

    def take(self, rows: slice) -> Predicted:
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
    predicted = _checked_codes(classifier.predict(rows), rows.shape[0], n_classes)
    # hasattr is scikit-learn's convention: which of the two exists may depend on options.
    with np.errstate(divide="ignore"):
        if hasattr(classifier, "predict_log_proba"):
            log_proba = classifier.predict_log_proba(rows)
        elif hasattr(classifier, "predict_proba"):
            log_proba = np.log(classifier.predict_proba(rows))
        else:
            absent = np.full((len(predicted), n_classes), np.nan)
            return Predicted(predicted, absent, _decision(classifier, rows, n_classes))
    expected, shape = (len(predicted), len(classifier.classes_)), np.shape(log_proba)
    if shape != expected:
        raise ValueError(f"The posteriors have shape {shape} instead of {expected}.")
    return Predicted(predicted, _all_columns(log_proba, classifier.classes_, n_classes))


def _decision(classifier: Any, rows: Any, n_classes: int) -> Array | None:
    """Return decision scores by class (m, K), None if there is not one per class."""
    if not hasattr(classifier, "decision_function"):
        return None
    scores = np.asarray(classifier.decision_function(rows), dtype=float)
    n_known = len(classifier.classes_)
    expected = (len(scores),) if n_known == 2 else (len(scores), n_known)
    if scores.shape != expected or not np.isfinite(scores).all():
        return None
    return _all_columns(margins(scores), classifier.classes_, n_classes)


def margins(scores: Array) -> Array:
    """Return each class's decision score minus the largest of the others, (m, K)."""
    # A constant added to all scores of a row does not change the decision, so it should not affect
    # the ranking of rows. A row is predicted as the class if its margin is above 0.
    if scores.ndim == 1:
        return np.column_stack([-scores, scores])
    second, best = np.partition(scores, -2, axis=1)[:, -2:].T[:, :, None]
    return np.asarray(scores - np.where(scores == best, second, best))


def _checked_codes(predicted: Any, n_rows: int, n_classes: int) -> Codes:
    """Return predictions as codes; ValueError if they are invalid."""
    codes = np.asarray(predicted)
    if codes.shape != (n_rows,):
        raise ValueError(f"The predictions have shape {codes.shape} for {n_rows} rows.")
    unknown = ~np.isin(codes, np.arange(n_classes))
    if unknown.any():
        raise ValueError(f"The prediction {codes[unknown][0]} is not a class of the data.")
    return codes.astype(np.intp)


def _own_predictions(classifier: Any, rows: Any, n_classes: int) -> Predicted:
    """Evaluate the scores once for labels and posteriors."""
    scores, classes = classifier.score_rows(rows), classifier.classes_
    # Scores are also infinite for a class without rows, so the rows are checked too.
    if not np.isfinite(scores).all() and not np.isfinite(rows).all():
        raise ValueError("Rows to predict contain NaN or infinity.")
    predicted = classes[chosen_codes(scores)]
    if not isinstance(classifier, SoftmaxPosterior):
        absent = np.full((len(predicted), n_classes), np.nan)
        return Predicted(predicted, absent, _all_columns(margins(scores), classes, n_classes))
    return Predicted(predicted, _all_columns(log_posterior(scores), classes, n_classes))


def _all_columns(values: Array, classes: Codes, n_classes: int) -> Array:
    """Return log posteriors or scores (m, k) of some classes as columns of all K, else -inf."""
    if len(classes) == n_classes:
        return np.asarray(values, dtype=np.float64)
    columns = np.full((len(values), n_classes), -np.inf)
    columns[:, classes] = values
    return columns


def _summarise(X: Any, codes: Codes, n_classes: int, weight: Array | None) -> Moments | None:
    n_rows, q = X.shape
    if sp.issparse(X) or n_rows < q or n_classes * q**2 > LARGEST_SCATTER:
        return None
    return Moments.from_groups(X, codes, n_classes, weight)


def _fit_transform(step: Any, X: Any, weight: Array | None) -> Any:
    if isinstance(step, PCA):
        return step.fit_rows(X, weight).transform(X)
    if weight is None:
        return _fit_without_classes(step, X).transform(X)
    if has_fit_parameter(step, "sample_weight"):
        return step.fit(X, sample_weight=weight).transform(X)
    if isinstance(step, TruncatedSVD):
        # Singular vectors are those of the sum of outer products, so weights enter by their square
        # root.
        return step.fit(sp.diags_array(np.sqrt(weight)) @ X).transform(X)
    return _fit_without_classes(step, X).transform(X)


def _fit_without_classes(step: Any, X: Any) -> Any:
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
