"""The state of a comparison: the plan of folds, and the results so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset
from lincore.data.splits import Fold
from lincore.metrics.training_variance import training_variance_rows
from lincore.model_selection.engine import Failure, Outcome
from lincore.model_selection.fitting import Predicted
from lincore.model_selection.methods import Method
from lincore.utils.typing import Array, Progress


class StoppedError(Exception):
    """The progress callback returned False."""


class Collected:
    """Storage for predictions of M methods for the rows of all folds, concatenated.

    Parameters
    ----------
    n_methods : int
    sizes : sequence of J int
        Rows of each fold.
    n_classes : int

    Attributes
    ----------
    predicted : ndarray of shape (M, m)
    log_proba : ndarray of shape (M, m, K)
    decision : dict of int to ndarray of shape (m, K)
        Scores of methods without posteriors.
    """

    def __init__(self, n_methods: int, sizes: Sequence[int], n_classes: int) -> None:
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.intp)])
        shape = (n_methods, int(self._starts[-1]))
        self.predicted = np.zeros(shape, dtype=np.intp)
        self.log_proba = np.full((*shape, n_classes), np.nan)
        self.decision: dict[int, Array] = {}

    def put(self, method: int, fold: int, found: Predicted) -> None:
        """Store the predictions of one fold."""
        rows = slice(self._starts[fold], self._starts[fold + 1])
        self.predicted[method, rows] = found.codes
        self.log_proba[method, rows] = found.log_proba
        if found.decision is not None:
            self.decision.setdefault(method, np.full_like(self.log_proba[method], np.nan))
            self.decision[method][rows] = found.decision


@dataclass
class Run:
    """A plan and its results so far.

    Parameters
    ----------
    data : Dataset
    plan : list of Fold
    methods : tuple of M Method
    seed : int
    progress : callable, optional
        See `lincore.compare`.
    heed : callable, optional
        Called whenever methods are finished.

    Attributes
    ----------
    tested : Collected
        Predictions of the test rows of each fold.
    common : CommonRows
        Rows predicted by the models of several folds, to compare the models.
    compared : Collected
        Predictions of the common rows by the models of these folds.
    seconds : ndarray of shape (M,)
    failures : dict
        Maps the position of a method to the reason why it has no results.
    notes : dict
        Maps the position of a method to its warnings, with the number of fits for each.
    finished : set
        Positions of the methods that were fitted on every fold.
    """

    data: Dataset
    plan: list[Fold]
    methods: tuple[Method, ...]
    seed: int
    progress: Progress | None = None
    heed: Callable[[], Any] | None = None
    failures: dict[int, str] = field(default_factory=dict)
    notes: dict[int, dict[str, int]] = field(default_factory=dict)
    finished: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Allocate the results."""
        n_methods, k = len(self.methods), self.data.n_classes
        self.common = training_variance_rows(self.data.codes, self.plan, k)
        self.tested = Collected(n_methods, [len(fold.test) for fold in self.plan], k)
        self.compared = Collected(n_methods, [len(self.common.rows)] * len(self.common.folds), k)
        self.seconds = np.zeros(len(self.methods))
        self._done = self.total = 0

    def keep(self, method: int, fold: int, outcome: Outcome) -> None:
        """Store the outcome of a fit."""
        if isinstance(outcome, Failure):
            where = f" (training set of fold {fold + 1})" if len(self.plan) > 1 else ""
            self.failures.setdefault(method, outcome.reason + where)
            return
        self.seconds[method] += outcome.seconds
        n_tested = len(self.plan[fold].test)
        self.tested.put(method, fold, outcome.predicted.part(slice(n_tested)))
        if fold in self.common.folds:
            place = self.common.folds.index(fold)
            self.compared.put(method, place, outcome.predicted.part(slice(n_tested, None)))

    def asked(self, fold: int) -> NDArray[np.intp]:
        """Return the rows predicted by the models of a fold: its test rows, then common ones."""
        test = self.plan[fold].test
        return np.concatenate([test, self.common.rows]) if fold in self.common.folds else test

    def finish(self, methods: Iterable[int]) -> None:
        """Mark methods as fitted on every fold, and notify the callback."""
        methods = set(methods)
        self.finished |= methods
        if methods and self.heed is not None:
            self.heed()

    def report(self, what: str, steps: int = 1) -> None:
        """Count and report steps; StoppedError if the callback returns False."""
        self._done += steps
        if self.progress is not None and self.progress(self._done, self.total, what) is False:
            raise StoppedError
