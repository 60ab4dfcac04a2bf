"""What buys back the loss of an imbalance, and what it costs the other classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lincore.experiments.attribution import less, over_seeds
from lincore.experiments.scores import Interval

if TYPE_CHECKING:
    from lincore.experiments.study import BalanceStudy

REMEDIES = (
    "corrected priors",
    "balanced weights",
    "both",
    "moved threshold",
    "undersampling",
    "oversampling",
)


class Remedy(NamedTuple):
    """One remedy for the reduced set, against the reduced set left as it is.

    Attributes
    ----------
    name : str
    loss : Interval
        With the remedy.
    bought_back : Interval
        By how much the loss is better than without it (for a recall: higher). Paired by seed.
    still_missing : Interval
        By how much it is worse than with the full set. Paired by seed.
    share : float
        Of the whole loss that is bought back; NaN where the loss is not clearly above nothing.
    recall_change : tuple of K Interval
        Of each class, against the reduced set.
    others : Interval
        The mean change of recall of the classes that were not reduced; NaN where there are none.
    """

    name: str
    loss: Interval
    bought_back: Interval
    still_missing: Interval
    share: float
    recall_change: tuple[Interval, ...]
    others: Interval


def remedies(study: BalanceStudy, method: str, loss: str = "error") -> tuple[Remedy, ...]:
    """Compare what can be done about the reduced set without a single new row.

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

    Parameters
    ----------
    study : BalanceStudy
    method, loss : str
        As in `lincore.experiments.attribution.attribution`.

    Returns
    -------
    tuple of Remedy

    References
    ----------
    van den Goorbergh, van Smeden, Timmerman, Van Calster (2022), "The harm of class imbalance
    corrections for risk prediction models".

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 15}, ["lda"], repeats=4)
    >>> [remedy.name for remedy in remedies(study, "lda")][:3]
    ['corrected priors', 'balanced weights', 'both']
    """
    return tuple(_remedy(study, method, loss, name) for name in REMEDIES)


def _remedy(study: BalanceStudy, method: str, loss: str, name: str) -> Remedy:
    ratio = study.test_ratio
    better = -1.0 if loss.startswith("recall of ") else 1.0
    values, reduced, full = (study.loss(method, cell, loss) for cell in (name, "reduced", "full"))
    bought = over_seeds(better * less(reduced, values), ratio)
    whole = over_seeds(better * less(reduced, full), ratio)
    changes = np.stack(
        [
            study.loss(method, name, recall) - study.loss(method, "reduced", recall)
            for recall in study.recall_names
        ]
    )
    others = changes[~study.is_reduced]
    return Remedy(
        name,
        over_seeds(values, ratio),
        bought,
        over_seeds(better * less(values, full), ratio),
        bought.value / whole.value if whole.low > 0 else np.nan,
        tuple(over_seeds(change, ratio) for change in changes),
        over_seeds(others.mean(axis=0), ratio) if len(others) else Interval(*[np.nan] * 3),
    )
