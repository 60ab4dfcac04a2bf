"""The state of a comparison: a plan of folds, and what has come of it so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lincore.datasets import Dataset
from lincore.experiments.fitting import Predicted
from lincore.experiments.methods import Method
from lincore.experiments.schemes import Fold

Progress: TypeAlias = Callable[[int, int, str], Any]


class StoppedError(Exception):
    """The progress callback returned False."""


class Outcome(NamedTuple):
    """What one method made of one fold, or why it failed."""

    predicted: Predicted | None
    seconds: float
    failure: str = ""


@dataclass
class Run:
    """A plan, and what has come of it so far.

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
    predicted : ndarray of shape (M, m)
    log_proba : ndarray of shape (M, m, K)
    decision : dict of int to ndarray of shape (m, K)
        Scores of the methods that have no posteriors.
    seconds : ndarray of shape (M,)
    failures : dict
        Position of a method: the reason why it has no results.
    notes : dict
        Position of a method: its warnings, and in how many fits each occurred.
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
        """Make room for the results."""
        sizes = [len(fold.test) for fold in self.plan]
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        shape = (len(self.methods), int(self._starts[-1]))
        self.predicted = np.zeros(shape, dtype=np.intp)
        self.log_proba = np.full((*shape, self.data.n_classes), np.nan)
        self.decision: dict[int, NDArray[np.float64]] = {}
        self.seconds = np.zeros(len(self.methods))
        labels = self.data.classes
        self.prototypes = [method.fresh(labels, self.seed) for method in self.methods]
        self._done = self.total = 0

    def keep(self, method: int, fold: int, outcome: Outcome) -> None:
        """Put the outcome of a fit where it belongs."""
        self.seconds[method] += outcome.seconds
        if outcome.predicted is None:
            where = f" (training part of fold {fold + 1})" if len(self.plan) > 1 else ""
            self.failures.setdefault(method, outcome.failure + where)
            return
        rows = slice(self._starts[fold], self._starts[fold + 1])
        codes, log_proba, decision = outcome.predicted
        self.predicted[method, rows] = codes
        self.log_proba[method, rows] = log_proba
        if decision is not None:
            self.decision.setdefault(method, np.full_like(self.log_proba[method], np.nan))
            self.decision[method][rows] = decision

    def finish(self, methods: Iterable[int]) -> None:
        """Count methods as fitted on every fold, and let whoever waits for them know."""
        methods = set(methods)
        self.finished |= methods
        if methods and self.heed is not None:
            self.heed()

    def report(self, what: str, steps: int = 1) -> None:
        """Count steps and say so; StoppedError if the answer is False."""
        self._done += steps
        if self.progress is not None and self.progress(self._done, self.total, what) is False:
            raise StoppedError
