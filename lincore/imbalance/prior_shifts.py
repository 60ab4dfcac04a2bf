"""Prior shifts of posteriors between the conditions of an imbalance study."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lincore.imbalance.sample_fits import Prediction
from lincore.imbalance.trials import SOURCES, Trial
from lincore.utils.typing import Array


def condition_sample(condition: str) -> str:
    """Return the sample that the model of a condition is fitted on.

    Parameters
    ----------
    condition : str
        Of a study: a remedy, or a subset; of what has no sample of its own, "reduced".

    Examples
    --------
    >>> [condition_sample(name) for name in ("corrected priors", "both", "moved threshold")]
    ['reduced', 'reweighted', 'reduced']
    """
    return SOURCES[condition][0] if condition in SOURCES else "reduced"


def shift_of(
    fits: Mapping[str, Mapping[str, Prediction]], trial: Trial, condition: str, method: str
) -> Array | None:
    """Return what a condition adds to the log posteriors of its fit, shape (K,).

    The labels of the condition are then ``(log_proba + shift).argmax(axis=1)``.
    """
    fit = fits[condition_sample(condition)][method]
    if condition == "moved threshold":
        return fit.shifts
    if fit.learned is None:
        return None
    new = trial.shares(SOURCES[condition][1])
    with np.errstate(divide="ignore"):
        # A class that was never seen stays impossible, whatever its prior.
        shift = np.log(new) - np.log(np.where(fit.learned > 0, fit.learned, 1.0))
    return np.where(fit.learned > 0, shift, -np.inf)
