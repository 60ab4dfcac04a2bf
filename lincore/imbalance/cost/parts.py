"""The decomposition of a loss, and its recovery by a correction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lincore.metrics.intervals import Interval
from lincore.utils.typing import Array

#: How a model of all training rows can be corrected, from the one that asks for least.
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
    """A loss of the model as trained on the file, and its decomposition.

    The values of the three parts and `limit` add up to `uncorrected`; a part that is not available
    (NaN) counts as nothing there, and the one behind it holds both.

    Attributes
    ----------
    uncorrected : Interval
        The loss under the prevalence in deployment.
    prior_shift, majority_bias : Interval
        Differences of measured losses, averaged over both orders and paired by split; negative
        where the imbalance happened to help.
    small_class : Interval
        An extrapolation: the loss less its limit for many rows of the rarest class.
    limit : Interval
        What is left of the loss in that limit.
    by_seed : ndarray of shape (2, S)
        Prior shift and majority bias of every split.
    orders : dict of part to (float, float)
        Prior shift and majority bias if corrected first, and if corrected after the other one;
        empty where there is one order only.
    """

    uncorrected: Interval
    prior_shift: Interval
    majority_bias: Interval
    small_class: Interval
    limit: Interval
    by_seed: Array
    orders: Mapping[str, tuple[float, float]]

    @property
    def parts(self) -> dict[str, Interval]:
        """The three parts by name, in the order of the waterfall."""
        return dict(
            zip(PARTS, (self.prior_shift, self.majority_bias, self.small_class), strict=True)
        )


class Correction(NamedTuple):
    """One correction against the uncorrected model, on the same test rows.

    Attributes
    ----------
    name : str
        One of `CORRECTIONS`.
    loss : Interval
        With the correction.
    recovered : Interval
        Reduction of the loss compared with the uncorrected model. Paired by split.
    file_error : Interval
        Change of the error at the prevalence of the file.
    recall_change : tuple of K Interval
        Of each class.
    others : Interval
        Mean change of recall of the classes other than the rarest.
    """

    name: str
    loss: Interval
    recovered: Interval
    file_error: Interval
    recall_change: tuple[Interval, ...]
    others: Interval
