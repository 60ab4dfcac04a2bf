"""Losses of the test and training rows of one seed of an imbalance study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.imbalance.losses import CONDITIONS, mean_losses, study_losses
from lincore.imbalance.sample_fits import Prediction
from lincore.imbalance.trials import (
    MODELS,
    TRAINED,
    Plan,
    Trial,
    condition,
    source_of,
    trained_rows,
)
from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.priors import exchanged
from lincore.metrics.row_variance import SplitLosses
from lincore.metrics.training_variance import softened_errors
from lincore.utils.typing import Array


class TrialLosses(NamedTuple):
    """Losses of one method in a trial.

    Attributes
    ----------
    means : ndarray of shape (C, L)
        Of the test rows, in every condition.
    rows : SplitLosses
        Whether each test row was wrong and its log loss, in all `CONDITIONS` and by all `MODELS`.
    """

    means: Array
    rows: SplitLosses


def trial_losses(
    plan: Plan, trial: Trial, fits: Mapping[str, Mapping[str, Prediction]]
) -> dict[str, TrialLosses]:
    """Return for each living method its losses."""
    codes, found = plan.data.codes, {}
    test, trained = trial.split.test, trained_rows(plan, trial)
    truth, weight = codes[test], plan.data.weights_of(test)
    losses, n_classes = study_losses(plan.data.classes), plan.data.n_classes
    of_training = {name: fits[name_there] for name, name_there in TRAINED.items()}
    for method in plan.alive:
        predicted, log_proba = _cells(fits, trial, method.name, CONDITIONS)
        rows = np.stack([predicted != truth, log_losses(log_proba, truth)])
        means = mean_losses(losses, truth, rows, n_classes, weight=weight)
        softened = _softened(*_cells(fits, trial, method.name, MODELS), truth)
        there = _softened(*_cells(of_training, trial, method.name, MODELS), codes[trained])
        split = SplitLosses(test, rows, softened, trained, there)
        found[method.name] = TrialLosses(means, split)
    return found


def _softened(predicted: NDArray[np.intp], log_proba: Array, truth: NDArray[np.intp]) -> Array:
    """Return softened errors and log losses, (2, D, m)."""
    return np.stack([softened_errors(predicted, log_proba, truth), log_losses(log_proba, truth)])


def _cells(
    fits: Mapping[str, Mapping[str, Prediction]], trial: Trial, method: str, names: Iterable[str]
) -> tuple[NDArray[np.intp], Array]:
    """Return codes (C, m) and log posteriors (C, m, K) of a method in some conditions."""
    names = tuple(names)
    if any(found[method].learned is None for found in fits.values()):
        each = [condition(fits, trial, name, method) for name in names]
        return np.stack([codes for codes, _ in each]), np.stack([logs for _, logs in each])
    sources = [source_of(name) for name in names]
    found = [fits[source][method] for source, _ in sources]
    learned = np.stack([fit.learned for fit in found if fit.learned is not None])
    priors = np.stack([trial.shares(subset) for _, subset in sources])
    log_proba = exchanged(
        np.stack([fit.log_proba for fit in found]), learned[:, None], priors[:, None]
    )
    predicted = log_proba.argmax(axis=-1)
    if "moved threshold" in names:
        moved, shifts = names.index("moved threshold"), fits["reduced"][method].shifts
        if shifts is not None:
            predicted[moved] = (found[moved].log_proba + shifts).argmax(axis=-1)
    return predicted, log_proba
