"""Small models of many samples, fitted together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lincore.estimators.base.linear import SoftmaxPosterior, chosen_codes, log_posterior
from lincore.estimators.batched_moments import MomentStack, is_plain, solve_together
from lincore.estimators.logistic.batched import may_have_one_minimum
from lincore.estimators.logistic.batched_newton import Solved, solve_stack
from lincore.model_selection.fitting import Predicted, TrainingInputs, margins
from lincore.model_selection.methods import Method
from lincore.model_selection.pipeline import asks_for_categories
from lincore.moments.moments import stacked
from lincore.utils.typing import Array

# Work of one of Newton's steps above which a fit by itself costs no more, and the most numbers
# that the rows of all samples may be, filled up (16 MB, of which several copies are made).
LARGEST_STEP = 20_000_000
LARGEST_STACK = 2_000_000
# Blocks of the Hessian go with the square of the classes: of more, conjugate gradients are faster.
MOST_CLASSES = 12


def stackable(method: Method, trainings: Sequence[TrainingInputs]) -> bool:
    """Return whether a method may be iterated on all samples at once, with the same result.

    It is for logistic regression, of few rows and coordinates, each sample with rows of all
    classes: its minimum is one point, however one comes there. Without a penalty a sample may have
    none, which then does not converge and is left to a fit by itself.
    """
    if not may_have_one_minimum(method.estimator):
        return False
    if trainings and trainings[0].n_classes > MOST_CLASSES:
        return False
    return _are_small(trainings) and all(_is_whole(training) for training in trainings)


def solved_together(estimator: Any, trainings: Sequence[TrainingInputs]) -> bool:
    """Tell if moments decide a method on all samples at once: it `is_plain` and all is numbers."""
    coded = any(training.categorical_columns for training in trainings)
    return is_plain(estimator) and not (coded and asks_for_categories(estimator))


def moment_stack(trainings: Sequence[TrainingInputs]) -> MomentStack | None:
    """Return the moments of all samples together, if there are any and they are few."""
    moments = [training.moments for training in trainings if training.moments is not None]
    shapes = {part.scatter.shape for part in moments}
    if len(moments) < max(2, len(trainings)) or len(shapes) > 1:
        return None
    fits = sum(part.scatter.size for part in moments) <= LARGEST_STACK
    return MomentStack(stacked(moments)) if fits else None


def fit_moment_stack(
    model: Any, stack: MomentStack, asked: Sequence[Sequence[Any]]
) -> list[list[Predicted] | None]:
    """Fit an estimator that `is_plain` to every sample; ask it about rows: see `fit_stack`.

    None for a sample of which a fit by itself must decide.
    """
    predictions: list[list[Predicted] | None] = [None] * len(asked)
    try:
        solved = solve_together(model, stack)
    except ValueError:  # of options, which a fit by itself tells
        return predictions
    silent = not isinstance(model, SoftmaxPosterior)
    for b in np.flatnonzero(solved.certain).tolist():
        scores = [solved.of(b, rows) for rows in asked[b]]
        if all(np.isfinite(part).all() for part in scores):
            predictions[b] = [_chosen(part, silent) for part in scores]
    return predictions


def fit_stack(
    method: Method, trainings: Sequence[TrainingInputs], asked: Sequence[Sequence[Any]]
) -> list[list[Predicted] | None]:
    """Fit a method that is `stackable` to every sample, and ask it about rows.

    Parameters
    ----------
    method : Method
    trainings : sequence of B Training
    asked : sequence of B sequences of (m, q) arrays
        Each model's own rows to be predicted.

    Returns
    -------
    list of B lists, or None
        Codes (m,) and log posteriors (m, K) for each of the arrays; None for a sample whose
        fit did not converge and wants a solver that tells why.
    """
    predictions: list[list[Predicted] | None] = [None] * len(trainings)
    # Levels, and shares of the variance, may leave samples with different numbers of coordinates.
    widths = np.array([rows.shape[1] for rows, *_ in asked])
    for width in np.unique(widths):
        chosen = np.flatnonzero(widths == width).tolist()
        solved = _solved(method, [trainings[b] for b in chosen])
        for b, coef, intercept, converged in zip(chosen, *solved, strict=True):
            if converged:
                predictions[b] = [_predicted(coef, intercept, rows) for rows in asked[b]]
    return predictions


def _solved(method: Method, trainings: Sequence[TrainingInputs]) -> Solved:
    model, n_classes = method.estimator, trainings[0].n_classes
    return solve_stack(
        [training.rows for training in trainings],
        [training.codes for training in trainings],
        [training.weight for training in trainings],
        n_classes,
        # As in `LogisticRegression.fit`: of two classes the difference is penalised.
        strength=(2 if n_classes == 2 else 1) / model.C,
        tol=model.tol,
        intercept=model.fit_intercept,
    )


def _predicted(coef: Array, intercept: Array, rows: Any) -> Predicted:
    return _chosen(rows @ coef.T + intercept)


def _chosen(scores: Array, silent: bool = False) -> Predicted:
    """Return codes and log posteriors for scores (m, K); NaN for a model that has none."""
    shape = scores.shape
    if scores.shape[1] == 2:
        scores = scores[:, 1] - scores[:, 0]
    if silent:
        return Predicted(chosen_codes(scores), np.full(shape, np.nan), margins(scores))
    return Predicted(chosen_codes(scores), log_posterior(scores))


def _are_small(trainings: Sequence[TrainingInputs]) -> bool:
    rows = [training.rows for training in trainings if isinstance(training.rows, np.ndarray)]
    if len(rows) < len(trainings) or any(not np.isfinite(part).all() for part in rows):
        return False
    longest, p = (max(part.shape[axis] for part in rows) for axis in (0, 1))
    size = (trainings[0].n_classes - 1) * (p + 1)
    fits = longest * size**2 <= LARGEST_STEP and len(rows) * longest * p <= LARGEST_STACK
    return fits and all(len(part) >= part.shape[1] for part in rows)


def _is_whole(training: TrainingInputs) -> bool:
    counts = np.bincount(training.codes, training.weight, training.n_classes)
    return bool((counts > 0).all())
