"""The assumptions of each classifier, tested on the inputs that it receives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve
from sklearn.pipeline import Pipeline

from lincore.checks._covariances import conditioning, equal_covariances
from lincore.checks._normality import normality
from lincore.checks.check import Check
from lincore.data.dataset import Dataset
from lincore.estimators.logistic.separation import SeparationKind, separation
from lincore.model_selection.methods import CLASSIFIER_LABELS
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.utils.typing import Array

# Maximum size of a matrix for the linear programme that proves separation (half a second).
PROGRAMME_ENTRIES = 150_000
# Maximum number of multiplications for least squares.
PRODUCTS = 1.5e10


ROWS, COVARIANCES, NORMALITY = "rows per parameter", "equal covariances", "normality"
CONDITIONING, SEPARATION = "conditioning", "separation"
#: Assumptions of each classifier, by its name in `lincore.model_selection.methods`.
ASSUMPTIONS: Mapping[str, tuple[str, ...]] = {
    "lda": (ROWS, CONDITIONING, COVARIANCES, NORMALITY),
    "diagonal-lda": (ROWS, COVARIANCES, NORMALITY),
    "qda": (ROWS, CONDITIONING, NORMALITY),
    "naive-bayes": (ROWS, NORMALITY),
    "multinomial-nb": (),
    "fisher": (ROWS, CONDITIONING, COVARIANCES),
    "least-squares": (ROWS, CONDITIONING),
    "perceptron": (ROWS, SEPARATION),
    "logistic": (ROWS, CONDITIONING, SEPARATION),
}
EVERY = (ROWS, CONDITIONING, COVARIANCES, NORMALITY, SEPARATION)


def assumptions(
    coordinates: ArrayLike,
    codes: ArrayLike,
    classes: ArrayLike,
    *,
    model: str | None = None,
    seed: int = 0,
) -> tuple[Check, ...]:
    """Check the assumptions of a classifier, or of all classifiers.

    Parameters
    ----------
    coordinates : array-like of shape (n, q)
        Preprocessed training rows, finite; see `assumption_inputs`.
    codes : array-like of shape (n,)
        Positions in `classes`.
    classes : array-like of shape (K,)
        Labels.
    model : str, optional
        Name of a classifier, a key of `ASSUMPTIONS`: only its assumptions are checked.
    seed : int
        Seed of samples, which are drawn if all rows would take too long.

    Returns
    -------
    tuple of Check
        Rows per parameter, conditioning, equal covariances, normality and separation. A check that
        is impossible for these data is a note with the reason.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, codes = rng.standard_normal((300, 2)), np.repeat([0, 1], 150)
    >>> [check.verdict for check in assumptions(X, codes, ["a", "b"])]
    ['fine', 'fine', 'fine', 'fine', 'fine']
    """
    X, y, labels = np.asarray(coordinates), np.asarray(codes), np.asarray(classes)
    checks: dict[str, Callable[[], Check]] = {
        ROWS: lambda: rows_per_parameter(y, X.shape[1], labels, model=model),
        CONDITIONING: lambda: conditioning(X, y, model=model, seed=seed),
        COVARIANCES: lambda: equal_covariances(X, y, labels),
        NORMALITY: lambda: normality(X, y, labels, seed=seed),
        SEPARATION: lambda: (_convergence if model == "perceptron" else separability)(X, y),
    }
    wanted = EVERY if model is None else ASSUMPTIONS[model]
    return tuple(_run_check(name, checks[name]) for name in wanted)


def _run_check(name: str, check: Callable[[], Check]) -> Check:
    """Run a check; if it fails, return a note with the reason."""
    try:
        return check()
    except (ValueError, np.linalg.LinAlgError) as error:
        return Check(name, {}, "note", f"Not checked. {error}")


def assumption_inputs(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]
) -> tuple[Array, NDArray[np.intp], NDArray[Any]]:
    """Return the inputs of `assumptions`: coordinates, codes and classes of some rows.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted, see `lincore.model_selection.pipeline`.
    rows : ndarray of int
        Rows on which it was fitted.

    Returns
    -------
    coordinates : ndarray of shape (n, q)
        The rows in the classifier's coordinates.
    codes : ndarray of shape (n,)
    classes : ndarray of shape (K,)
    """
    seen = transform_for_classifier(pipeline, data.X[rows])
    if seen.dtype == np.uint8:  # squares of bytes would overflow
        seen = seen.astype(float)
    return seen, data.codes[rows], data.classes


def rows_per_parameter(
    codes: NDArray[np.intp], p: int, classes: NDArray[Any], *, model: str | None
) -> Check:
    """Compute the number of rows per parameter of one model, or of every model."""
    count = np.bincount(codes, minlength=len(classes))
    count = count[count > 0]
    n, K = int(count.sum()), len(count)
    planes, means, pooled = (K - 1) * (p + 1), K * p + K - 1, p * (p + 1) // 2
    learned = {
        "logistic": planes,
        "naive-bayes": means + K * p,
        "lda": means + pooled,
        "qda": means + K * pooled,
    }
    if model is not None:
        others = {"fisher": means + pooled, "diagonal-lda": means + p}
        learned = {model: (learned | others).get(model, planes)}
    values = {CLASSIFIER_LABELS[word]: n / max(1, number) for word, number in learned.items()}
    listed = ", ".join(
        f"{label} {ratio:,.0f}" if ratio >= 10 else f"{label} {ratio:.2g}"
        for label, ratio in values.items()
    )
    sentence = f"{n:,} rows for {p:,} coordinates and {K} classes. Rows per parameter: {listed}."
    name = "rows per parameter"
    if n - K < p:
        return Check(
            name,
            values,
            "warning",
            f"{sentence} With fewer rows than coordinates any labels of the training set can be "
            "fitted without error.",
            "Keep fewer principal components, or use shrinkage or a small C; trust only test "
            "scores.",
        )
    if model in (None, "qda") and count.min() <= 2 * p:
        return Check(
            name,
            values,
            "note",
            f"{sentence} The smallest class has {count.min():,} rows, too few for its own "
            "covariance.",
            "Prefer LDA, logistic regression or naive Bayes; give QDA some regularisation, or "
            "fewer components.",
        )
    if min(values.values(), default=1.0) < 1:
        return Check(
            name,
            values,
            "note",
            f"{sentence} That is less than one row per parameter.",
            "Keep fewer principal components, or use shrinkage or a small C.",
        )
    return Check(name, values, "fine", sentence)


def separability(X: Array, codes: NDArray[np.intp]) -> Check:
    """Check whether the classes are linearly separable, so that the likelihood has no maximum."""
    # Uses a linear programme if that is fast. Otherwise least squares is tried: a fit without
    # errors proves separation, one with errors proves nothing.
    name, (n, p) = "separation", X.shape
    present, y = np.unique(codes, return_inverse=True)
    K = len(present)
    if n * (K - 1) * 2 * (p + 1) <= PROGRAMME_ENTRIES:
        kind = separation(X, y, K).kind
    elif _planes_separate(X, y, K):
        kind = SeparationKind.COMPLETE
    else:
        return Check(
            name,
            {"separated": np.nan},
            "fine",
            "No separating planes were found by least squares; the exact search would take "
            "too long. A fit of logistic regression with C = inf decides the question.",
        )
    values = {"separated": float(kind is not SeparationKind.OVERLAP)}
    if kind is SeparationKind.OVERLAP:
        sentence = "The classes overlap, so the likelihood of logistic regression has a maximum."
        return Check(name, values, "fine", sentence)
    how = (
        "Planes separate the classes of the training rows"
        if kind is SeparationKind.COMPLETE
        else "Planes separate some training rows from the rest (perhaps one class)"
    )
    return Check(
        name,
        values,
        "note",
        f"{how}, so the likelihood of logistic regression has no maximum: its coefficients "
        "diverge.",
        "Use logistic regression with Firth's penalty or a finite C. LDA and QDA are not affected. "
        "If this comes as a surprise, look for target leakage.",
    )


def _convergence(X: Array, codes: NDArray[np.intp]) -> Check:
    """Check whether the perceptron can reach an epoch without mistakes."""
    check = separability(X, codes)
    if check.values["separated"] == 1:
        sentence = "Planes separate the classes of the training rows: the perceptron converges."
        return Check(check.name, check.values, "fine", sentence)
    if np.isnan(check.values["separated"]):
        sentence = "No separating planes were found by least squares; the exact search would take "
        return Check(check.name, check.values, "fine", f"{sentence}too long here.")
    return Check(
        check.name,
        check.values,
        "note",
        "No planes separate the classes: the perceptron makes mistakes in every epoch, and its "
        "last coefficients depend on where it stopped.",
        "Use the pocket or averaged coefficients, or logistic regression.",
    )


def _planes_separate(X: Array, y: NDArray[np.intp], n_classes: int) -> bool:
    """Return whether least squares classifies every row correctly."""
    n, p = X.shape
    if min(n, p) ** 2 * max(n, p) > PRODUCTS:
        return False
    centred = np.column_stack([X - X.mean(axis=0), np.ones(n)])
    targets = np.eye(n_classes)[y]
    # The slight ridge penalty is harmless: planes without errors prove separation all the same.
    small = centred @ centred.T if n < p else centred.T @ centred
    diagonal = np.diagonal(small)
    small[np.diag_indices(len(small))] = diagonal + 1e-9 * np.where(diagonal > 0, diagonal, 1.0)
    if n < p:
        W = centred.T @ solve(small, targets, assume_a="pos")
    else:
        W = solve(small, centred.T @ targets, assume_a="pos")
    scores = centred @ W
    own = scores[np.arange(n), y].copy()
    scores[np.arange(n), y] = -np.inf
    return bool(np.all(own > scores.max(axis=1)))
