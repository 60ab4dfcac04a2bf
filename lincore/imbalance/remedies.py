"""Corrections of an imbalance: the loss recovered, and the cost for the other classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincore.imbalance.attribution import change_over_seeds, loss_over_seeds
from lincore.imbalance.losses import OTHERS, SubsetLosses
from lincore.imbalance.optimism import optimism
from lincore.metrics.intervals import UNKNOWN, Interval
from lincore.metrics.sampling_units import per_results
from lincore.metrics.seed_intervals import less

REMEDIES = (
    "corrected priors",
    "balanced weights",
    "both",
    "moved threshold",
    "undersampling",
    "oversampling",
)
#: Corrections without refitting first, then those that use every row once, then those that repeat
#: rows, and finally the one that discards rows.
SIMPLEST_FIRST = (
    "corrected priors",
    "both",
    "balanced weights",
    "moved threshold",
    "oversampling",
    "undersampling",
)
#: The corrections that use every row once.
EVERY_ROW_ONCE = SIMPLEST_FIRST[:4]
#: Share of the recoverable loss that a simpler remedy must recover.
ENOUGH = 0.75


class Remedy(NamedTuple):
    """A remedy for the reduced set, compared with no remedy.

    Attributes
    ----------
    name : str
    loss : Interval
        Loss with the remedy.
    recovered : Interval
        Improvement of the loss by the correction (for a recall: increase). Paired by seed.
    still_missing : Interval
        Remaining difference from the full set. Paired by seed.
    share : float
        Share of the total loss that is recovered; NaN if the loss is not significant.
    recall_change : tuple of K Interval
        Change of the recall of each class compared with no remedy.
    others : Interval
        Mean change of recall of the classes that were not reduced; NaN if there are none.
    """

    name: str
    loss: Interval
    recovered: Interval
    still_missing: Interval
    share: float
    recall_change: tuple[Interval, ...]
    others: Interval


@per_results
def remedies(study: SubsetLosses, method: str, loss: str = "error") -> tuple[Remedy, ...]:
    """Compare the corrections of the reduced set that need no new rows.

    - "corrected priors": posteriors are adjusted to the class shares of the full set, without
    refitting.
    - "balanced weights": in every sum (standardising, PCA, covariance, likelihood) each class has
      its weight in the full set, while the priors remain those of the reduced set.
    - "both": balanced weights and corrected priors, like scikit-learn's ``class_weight``, whose
      weights affect the priors as well. (``class_weight="balanced"`` is the same if the classes of
      the full set have equal sizes.)
    - "moved threshold": the threshold that misclassifies the fewest training rows, weighted to the
      shares of the full set. Posteriors are unchanged.
    - "undersampling": rows are removed at random to obtain the shares of the full set.
    - "oversampling": rows of small classes are repeated at random to obtain these shares.

    No synthetic rows are created: for linear models interpolated rows (SMOTE) act like
    oversampling, with too little variance within the class.
    """
    return tuple(_remedy(study, method, loss, name) for name in REMEDIES)


class Advice(NamedTuple):
    """The recommended remedy, compared with the one that recovers most.

    Attributes
    ----------
    remedy : Remedy
    most : Remedy
        The remedy that recovers most in this study.
    behind : Interval
        Difference between the losses recovered by `most` and by `remedy`. Paired by seed.
    n_compared : int
        Number of remedies available for the method.
    optimism : float
        Expected optimism of the best remedy, see `lincore.imbalance.optimism.optimism_of_best`; NaN
        for a single seed.
    """

    remedy: Remedy
    most: Remedy
    behind: Interval
    n_compared: int
    optimism: float


@per_results
def choose_remedy(study: SubsetLosses, method: str, loss: str = "error") -> Advice:
    """Choose the simplest remedy that is not significantly worse than the best.

    Under- or oversampling is chosen only if it recovers significantly more than the best remedy
    that uses every row once. Among the others, the simplest is chosen that is not significantly
    worse than the best and recovers three quarters of what the best recovers (or of the loss, if
    that is less): corrected priors before weights, weights before a threshold.

    Parameters
    ----------
    method, loss : str
        As in `lincore.imbalance.attribution.attribution`.

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 15}, ["lda"], repeats=4)
    >>> choose_remedy(study, "lda", "recall of class 3").remedy.name
    'corrected priors'
    """
    by_name = {remedy.name: remedy for remedy in remedies(study, method, loss)}
    available = tuple(r.name for r in by_name.values() if not np.isnan(r.recovered.value))
    # If some are significantly better than none, consider only these.
    by_name = {r.name: r for r in by_name.values() if r.recovered.low > 0} or by_name
    most = max(by_name.values(), key=_recovered)
    simplest_first = [by_name[name] for name in SIMPLEST_FIRST if name in by_name]
    candidates = [remedy for remedy in simplest_first if remedy.name in EVERY_ROW_ONCE]
    best = max(candidates, key=_recovered, default=most)
    if most.name not in EVERY_ROW_ONCE and (
        best is most or _excess(study, method, loss, best.name, most.name).low > 0
    ):
        candidates = [remedy for remedy in simplest_first if remedy.name not in EVERY_ROW_ONCE]
        best = most
    chosen = next(r for r in candidates if _is_as_good(study, method, loss, r, best))
    behind = _excess(study, method, loss, chosen.name, most.name)
    expected_optimism = optimism(study, method, loss, available, "reduced")
    return Advice(chosen, most, behind, len(available), expected_optimism)


def _recovered(remedy: Remedy) -> float:
    value = remedy.recovered.value
    return -np.inf if np.isnan(value) else value


def _is_as_good(study: SubsetLosses, method: str, loss: str, remedy: Remedy, best: Remedy) -> bool:
    if remedy is best:
        return True
    sign = -1.0 if study.named(loss).greater_is_better else 1.0
    reduced, full = (study.loss(method, condition, loss) for condition in ("reduced", "full"))
    lost = float(np.mean(sign * less(reduced, full)))
    # No more than the loss against the full set can be recovered.
    wanted = min(_recovered(best), lost) if lost > 0 else _recovered(best)
    is_enough = _recovered(remedy) >= ENOUGH * wanted
    return is_enough and not _excess(study, method, loss, remedy.name, best.name).low > 0


def _excess(study: SubsetLosses, method: str, loss: str, worse: str, better: str) -> Interval:
    """Return how much worse one condition is than another: higher loss or lower recall."""
    pair = (better, worse) if study.named(loss).greater_is_better else (worse, better)
    return change_over_seeds(study, method, loss, *pair)


@per_results
def _remedy(study: SubsetLosses, method: str, loss: str, name: str) -> Remedy:
    recovered = _excess(study, method, loss, "reduced", name)
    lost = _excess(study, method, loss, "reduced", "full")
    return Remedy(
        name,
        loss_over_seeds(study, method, loss, name),
        recovered,
        _excess(study, method, loss, name, "full"),
        recovered.value / lost.value if lost.low > 0 else np.nan,
        tuple(
            change_over_seeds(study, method, recall, name, "reduced")
            for recall in study.recall_names
        ),
        UNKNOWN
        if study.is_reduced.all()
        else change_over_seeds(study, method, OTHERS, name, "reduced"),
    )
