"""Class imbalance, and the leading score under imbalance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

#: If the largest class is at least this many times the smallest, the default score is balanced.
IMBALANCED = 3.0


def class_ratio(counts: ArrayLike) -> float:
    """Return the ratio of the largest to the smallest nonempty class."""
    present = np.asarray(counts, dtype=float)
    present = present[present > 0]
    return float(present.max() / present.min()) if present.size else 1.0


def is_imbalanced(counts: ArrayLike) -> bool:
    """Return whether the largest class has at least three times the rows of the smallest.

    Then headlines, order and groups of models use balanced accuracy, and the baseline is 1/K.

    Parameters
    ----------
    counts : array-like of int, shape (K,)
        Rows of each class; empty classes are ignored.

    Examples
    --------
    >>> is_imbalanced([900, 300]), is_imbalanced([50, 50, 40])
    (True, False)
    """
    return class_ratio(counts) >= IMBALANCED


def leading_score(counts: ArrayLike) -> str:
    """Return the default score for headlines, order and groups of models.

    Parameters
    ----------
    counts : array-like of shape (K,)
        Rows of each class, as in `lincore.metrics.results.Results.class_counts`.

    Examples
    --------
    >>> leading_score([900, 300]), leading_score([50, 50, 40])
    ('balanced accuracy', 'accuracy')
    """
    return "balanced accuracy" if is_imbalanced(counts) else "accuracy"
