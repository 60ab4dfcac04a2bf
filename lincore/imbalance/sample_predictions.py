"""Predictions of methods fitted to samples of the training rows, under shifted priors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.metrics.priors import adjust_posteriors
from lincore.model_selection.stages import Fit
from lincore.utils.typing import Array


class Prediction(NamedTuple):
    """Predictions of one fit for the test rows, under its learned priors."""

    predicted: NDArray[np.intp]  # (m,)
    log_proba: Array  # (m, K)
    # (K,); priors implied by the posteriors; None if they are not learned from the rows or there
    # are no posteriors: such a method is not corrected
    learned: Array | None
    shifts: Array | None  # (K,); shift of the log posteriors for a moved threshold
    pipeline: Pipeline  # fitted on codes
    seconds: float

    @classmethod
    def of(cls, fit: Fit, learned: Array | None) -> Prediction:
        """Return the predictions of a fit, which has learned priors unless they are fixed."""
        predicted, log_proba, _ = fit.predicted
        priors = None if np.isnan(log_proba).any() else learned
        return cls(predicted, log_proba, priors, None, fit.pipeline, fit.seconds)

    def under(self, priors: Array) -> tuple[NDArray[np.intp], Array]:
        """Return codes and log posteriors under other priors than the learned ones."""
        if self.learned is None:
            return self.predicted, self.log_proba
        # Always by posteriors, not votes, so that the same rule applies under all priors.
        log_proba = adjust_posteriors(self.log_proba, self.learned, priors)
        return log_proba.argmax(axis=1), log_proba

    def moved(self, priors: Array) -> tuple[NDArray[np.intp], Array]:
        """Return codes by the moved threshold, and log posteriors under `priors`."""
        predicted, log_proba = self.under(priors)
        if self.shifts is None:
            return predicted, log_proba
        return (self.log_proba + self.shifts).argmax(axis=1), log_proba


def split_predictions(
    fits: Mapping[str, Prediction], n_test: int
) -> tuple[dict[str, Prediction], dict[str, Prediction]]:
    """Split predictions into those of the test rows, which come first, and of training rows."""
    test, training = slice(None, n_test), slice(n_test, None)
    on_test, on_training = (
        {
            name: fit._replace(predicted=fit.predicted[rows], log_proba=fit.log_proba[rows])
            for name, fit in fits.items()
        }
        for rows in (test, training)
    )
    return on_test, on_training
