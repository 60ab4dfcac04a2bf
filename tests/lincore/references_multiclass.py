"""Slow, obvious versions of one-versus-rest and one-versus-one, for tests."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone


def claims_by_loops(estimator, X, y, Z):
    """Return which classes claim each row of Z: a model for each class against the rest."""
    classes = np.unique(y)
    claimed = np.zeros((len(Z), len(classes)), dtype=bool)
    for k, label in enumerate(classes):
        says = clone(estimator).fit(X, np.where(y == label, "yes", "no")).predict(Z)
        for i in range(len(Z)):
            claimed[i, k] = says[i] == "yes"
    return claimed


def votes_by_loops(estimator, X, y, Z):
    """Return the votes of each class: every pair of classes is put to the vote."""
    classes = np.unique(y)
    votes = np.zeros((len(Z), len(classes)), dtype=int)
    for i, one in enumerate(classes):
        for j, other in enumerate(classes):
            if i < j:
                pair = (y == one) | (y == other)
                winners = clone(estimator).fit(X[pair], y[pair]).predict(Z)
                for row, winner in enumerate(winners):
                    votes[row, i if winner == one else j] += 1
    return votes
