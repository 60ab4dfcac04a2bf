"""Categorical features of naive Bayes: level probabilities by class, computed from class means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.moments.moments import Moments
from lincore.utils.typing import Array


class CategoricalFactors(NamedTuple):
    """Log probabilities of categorical features given the class, linear in their columns."""

    # A categorical feature with L levels is coded by L indicator columns; a row that is zero in all
    # of them has an unseen level, which is uninformative. A feature with two levels is coded by a
    # single column, an indicator of the second level.
    # Bishop (2006), section 4.2.3; the estimates are those of scikit-learn's `CategoricalNB`.

    columns: NDArray[np.intp]  # (m,); positions of the columns of all categorical features
    coef: Array  # (K, m)
    constant: Array  # (K,); the sum of log probabilities is ``x[columns] @ coef.T + constant``

    @classmethod
    def from_moments(
        cls, moments: Moments, groups: Sequence[Sequence[int]], alpha: float
    ) -> CategoricalFactors:
        """Estimate from moments by class, whose means are the level shares."""
        coef, constant = [], np.zeros(len(moments))
        for group in groups:
            counts = moments.count[:, None] * moments.mean[:, list(group)]
            if len(group) == 1:
                counts = np.column_stack([np.maximum(moments.count - counts[:, 0], 0), counts])
            smooth = counts + alpha
            log_share = np.log(smooth / smooth.sum(axis=1, keepdims=True))
            if len(group) == 1:
                constant += log_share[:, 0]
                log_share = log_share[:, 1:] - log_share[:, :1]
            coef.append(log_share)
        columns = np.array([column for group in groups for column in group], dtype=np.intp)
        return cls(columns, np.hstack(coef), constant)

    def scores(self, rows: NDArray[Any]) -> Array:
        """Return the sums of log probabilities of rows (n, p), shape (n, K)."""
        return np.asarray(rows[:, self.columns] @ self.coef.T + self.constant)


def checked_groups(groups: Sequence[Sequence[int]], p: int) -> tuple[tuple[int, ...], ...]:
    """Validate groups of columns: ValueError if a column occurs more than once."""
    columns = [column for group in groups for column in group]
    allowed = all(isinstance(c, (int, np.integer)) and 0 <= c < p for c in columns)
    if not allowed or len(set(columns)) < len(columns) or not all(len(g) for g in groups):
        raise ValueError(
            "categorical_columns must be groups of different columns, each from 0 to "
            f"{p - 1}; got {groups!r}."
        )
    return tuple(tuple(int(c) for c in group) for group in groups)
