"""How much a score varies with the training rows: a jackknife over the models of the folds.

The models of two folds differ by the rows that one of them left out. Asked about the same rows,
they say what leaving so many rows out does to a score, and that tells how much another draw of all
training rows would change it. The test rows of the folds alone cannot say so, for each of these is
predicted by one model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.splits import Fold

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

#: So many folds are compared at the most, on so many rows, of so many log posteriors (1.6 MB).
MOST_FOLDS = 100
MOST_ROWS = 2_000
MOST_VALUES = 200_000


class CommonRows(NamedTuple):
    """Rows that the models of several folds predict.

    Attributes
    ----------
    rows : ndarray of shape (c,)
    folds : list of int
        Positions in the plan; empty where there is one fit, and in leave-one-out: hits do not
        change smoothly, and a jackknife that leaves single rows out is no guide to them.
    """

    rows: Codes
    folds: list[int]


def common_rows(codes: Codes, plan: Sequence[Fold], n_classes: int) -> CommonRows:
    """Choose the rows, all of the plan if they are few, in the shares of the classes.

    Parameters
    ----------
    codes : ndarray of shape (n,)
    plan : sequence of Fold
    n_classes : int
    """
    if len(plan) < 2 or max(len(fold.test) for fold in plan) == 1:
        return CommonRows(np.empty(0, dtype=np.intp), [])
    step = -(-len(plan) // MOST_FOLDS)
    folds = list(range(0, len(plan), step))
    every = np.union1d(plan[0].train, plan[0].test)
    most = min(MOST_ROWS, MOST_VALUES // (len(folds) * n_classes))
    if len(every) > most:
        shuffled = np.random.default_rng(0).permutation(every)
        by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
        every = np.sort(by_class[np.linspace(0, len(every) - 1, most).astype(np.intp)])
    return CommonRows(every, folds)


def training_variance(influence: Array, n_folds: int, ratio: float, noise: float = 1.0) -> float:
    """Return the variance of a score over draws of the training rows.

    Delete-a-group jackknife: ``n_train / n_test`` times the mean square of what the score of each
    fold's model is above their mean. What the choice of the common rows adds to it, as hits that
    differ between the models do, is taken off.

    Parameters
    ----------
    influence : ndarray of shape (n_folds * c,)
        Of the common rows, fold by fold.
    n_folds : int
    ratio : float
        Test rows for each training row.
    noise : float
        How much of what the common rows add is taken off. All of it is too much for scores that
        lean on the few rows of a rare class, as simulation shows (docs/coverage.md).

    References
    ----------
    Shao, Wu (1989), "A general theory for jackknife variance estimation".

    Examples
    --------
    >>> influence = np.array([0.0, 0.2, 0.0, -0.2])  # two folds, two rows
    >>> round(training_variance(influence, 2, 1.0), 4)
    0.005
    """
    by_fold = influence.reshape(n_folds, -1)
    apart = by_fold - by_fold.mean(axis=0)
    square = float((apart.mean(axis=1) ** 2).mean())
    added = float((apart.var(axis=1) / apart.shape[1]).mean())
    return max(square - noise * added, 0.0) / ratio
