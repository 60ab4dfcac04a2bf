"""The decomposition of a loss, and its recovery by a correction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lincore.metrics.intervals import Interval
from lincore.utils.typing import Array

#: Corrections of a model of all training rows, from the simplest on.
CORRECTIONS = (
    "corrected priors",
    "both",
    "balanced weights",
    "tuned threshold",
    "oversampling",
    "undersampling",
)
PARTS = ("prior shift", "majority bias", "small class")


class Decomposition(NamedTuple):
    """A loss of the model as trained on the file, and its decomposition."""

    # The three parts and `limit` sum to `uncorrected`. An unavailable part (NaN) is included in the
    # next one.

    uncorrected: Interval  # the loss under the prevalence in deployment
    # `prior_shift`, `majority_bias`: differences of measured losses, averaged over both orders and
    # paired by split; negative if the imbalance happened to help
    prior_shift: Interval
    majority_bias: Interval
    # Extrapolated: the loss minus its limit for many rows of the rarest class
    small_class: Interval
    limit: Interval  # the loss in that limit
    by_seed: Array  # (2, S); prior shift and majority bias by split
    # Prior shift and majority bias if corrected first and if corrected second; empty if only one
    # order is possible
    orders: Mapping[str, tuple[float, float]]

    @property
    def parts(self) -> dict[str, Interval]:
        """The three parts by name, in the order of the waterfall."""
        return dict(
            zip(PARTS, (self.prior_shift, self.majority_bias, self.small_class), strict=True)
        )


class Correction(NamedTuple):
    """A correction compared with the uncorrected model on the same test rows."""

    name: str  # one of `CORRECTIONS`
    loss: Interval  # loss with the correction
    # Reduction of the loss compared with the uncorrected model. Paired by split.
    recovered: Interval
    file_error: Interval  # change of the error at the class shares of the file
    recall_change: tuple[Interval, ...]  # (K,); change of the recall of each class
    others: Interval  # mean change of recall of the classes other than the rarest
