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


#: From the one that asks for least: no fitting, every row once; then rows twice; then rows thrown
#: away, which no later data bring back.
SIMPLEST_FIRST = (
    "corrected priors",
    "both",
    "balanced weights",
    "moved threshold",
    "oversampling",
    "undersampling",
)
#: These take the rows as they are: each once.
EVERY_ROW_ONCE = SIMPLEST_FIRST[:4]
#: A simpler remedy is as good if it recovers so much of what is to be had and is not shown worse.
ENOUGH = 0.75


class Remedy(NamedTuple):
    """One remedy for the reduced set, against the reduced set left as it is.

    Attributes
    ----------
    name : str
    loss : Interval
        With the remedy.
    recovered : Interval
        Improvement of the loss by the correction (for a recall: increase). Paired by seed.
    still_missing : Interval
        Remaining difference from the full set. Paired by seed.
    share : float
        Of the whole loss that is recovered; NaN where the loss is not clearly above nothing.
    recall_change : tuple of K Interval
        Of each class, against the reduced set.
    others : Interval
        The mean change of recall of the classes that were not reduced; NaN where there are none.
    """

    name: str
    loss: Interval
    recovered: Interval
    still_missing: Interval
    share: float
    recall_change: tuple[Interval, ...]
    others: Interval


def remedies(study: SubsetLosses, method: str, loss: str = "error") -> tuple[Remedy, ...]:
    """Compare the corrections of the reduced set that need no new rows.

    - "corrected priors": posteriors for the shares of the full set, nothing is fitted again.
    - "balanced weights": each class weighs in every sum (standardising, PCA, covariance,
      likelihood) as much as in the full set, while the priors stay those of the reduced one.
    - "both": balanced weights and corrected priors: what scikit-learn's ``class_weight`` does,
      whose weights act on the priors as well. (``class_weight="balanced"`` is this where the
      classes of the full set are of equal size.)
    - "moved threshold": the cut between the classes at which the fewest training rows, weighted
      to the shares of the full set, come out wrong. Posteriors stay as they are.
    - "undersampling": classes cut to the shares of the full set, at random.
    - "oversampling": rows of the small classes doubled at random up to those shares.

    Rows are never invented: for linear models interpolated rows (SMOTE) act as oversampling does,
    with the spread within the class too small.
    """
    return tuple(_remedy(study, method, loss, name) for name in REMEDIES)


class Advice(NamedTuple):
    """Recommended remedy, and its comparison with the one of the largest recovery.

    Attributes
    ----------
    remedy : Remedy
    most : Remedy
        What recovers most in this study, by however little.
    behind : Interval
        By how much `remedy` recovers less than `most`. Paired by seed.
    n_compared : int
        Remedies that the method has.
    optimism : float
        By how much the best of all remedies is expected to look better than it is, see
        `lincore.imbalance.optimism.optimism_of_best`; NaN for a single seed.
    """

    remedy: Remedy
    most: Remedy
    behind: Interval
    n_compared: int
    optimism: float


def choose_remedy(study: SubsetLosses, method: str, loss: str = "error") -> Advice:
    """Choose the simplest remedy that is not significantly worse than the best.

    Rows are left out or repeated only if that recovers significantly more than the best remedy that
    uses every row once. Among the others the simplest is chosen that is not significantly worse and
    recovers three quarters of what the best of them recovers, or of the loss if that is less:
    corrected priors before weights, weights before a threshold.

    Parameters
    ----------
    study : SubsetLosses
    method, loss : str
        As in `lincore.imbalance.attribution.attribution`.

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 15}, ["lda"], repeats=4)
    >>> choose_remedy(study, "lda", "recall of class 3").remedy.name
    'corrected priors'
    """
    found = {remedy.name: remedy for remedy in remedies(study, method, loss)}
    available = tuple(name for name, one in found.items() if not np.isnan(one.recovered.value))
    # Where some are better than none beyond chance, only these are thought of.
    found = {name: remedy for name, remedy in found.items() if remedy.recovered.low > 0} or found
    most = max(found.values(), key=_bought)
    kept = max((found[name] for name in EVERY_ROW_ONCE if name in found), key=_bought, default=most)
    chosen = kept
    if most.name not in EVERY_ROW_ONCE:
        rest = [found[n] for n in SIMPLEST_FIRST if n not in EVERY_ROW_ONCE and n in found]
        if kept is most or _behind(study, method, loss, kept, most).low > 0:
            chosen = next(r for r in rest if _is_as_good(study, method, loss, r, most))
    if chosen is kept and kept.name in EVERY_ROW_ONCE:
        whole = (found[name] for name in EVERY_ROW_ONCE if name in found)
        chosen = next(r for r in whole if _is_as_good(study, method, loss, r, kept))
    behind = _behind(study, method, loss, chosen, most)
    found_better = optimism(study, method, loss, available, "reduced")
    return Advice(chosen, most, behind, len(available), found_better)


def _bought(remedy: Remedy) -> float:
    value = remedy.recovered.value
    return -np.inf if np.isnan(value) else value


def _is_as_good(study: SubsetLosses, method: str, loss: str, remedy: Remedy, best: Remedy) -> bool:
    if remedy is best:
        return True
    better = -1.0 if study.named(loss).greater_is_better else 1.0
    reduced, full = (study.loss(method, condition, loss) for condition in ("reduced", "full"))
    lost = float(np.mean(better * less(reduced, full)))
    # Beyond the full set there is nothing to be recovered.
    wanted = min(_bought(best), lost) if lost > 0 else _bought(best)
    near = _bought(remedy) >= ENOUGH * wanted
    return near and not _behind(study, method, loss, remedy, best).low > 0


def _behind(study: SubsetLosses, method: str, loss: str, one: Remedy, other: Remedy) -> Interval:
    return _excess(study, method, loss, one.name, other.name)


def _excess(study: SubsetLosses, method: str, loss: str, one: str, other: str) -> Interval:
    """Return how much worse one condition is than another; of a recall, how much lower."""
    conditions = (other, one) if study.named(loss).greater_is_better else (one, other)
    return change_over_seeds(study, method, loss, *conditions)


@per_results
def _remedy(study: SubsetLosses, method: str, loss: str, name: str) -> Remedy:
    recovered = _excess(study, method, loss, "reduced", name)
    whole = _excess(study, method, loss, "reduced", "full")
    return Remedy(
        name,
        loss_over_seeds(study, method, loss, name),
        recovered,
        _excess(study, method, loss, name, "full"),
        recovered.value / whole.value if whole.low > 0 else np.nan,
        tuple(
            change_over_seeds(study, method, recall, name, "reduced")
            for recall in study.recall_names
        ),
        UNKNOWN
        if study.is_reduced.all()
        else change_over_seeds(study, method, OTHERS, name, "reduced"),
    )
