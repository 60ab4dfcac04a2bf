"""Points, steps and reasons to stop of an optimiser, and who watches it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lincore.utils.typing import Array

# Predicted decreases below this share of the objective drown in its rounding.
RESOLUTION = 1e-12
# An objective that rises in a quarter of so many steps goes back and forth, and would without end.
WINDOW = 20


class Reason(StrEnum):
    """Reason for the termination of an optimiser, with `words` and a `remedy`."""

    GRADIENT = "gradient"
    ITERATIONS = "iterations"
    PRECISION = "precision"
    OSCILLATES = "oscillates"
    DIVERGED = "diverged"
    NO_DESCENT = "no descent"
    STOPPED = "stopped"
    UNBOUNDED = "unbounded"

    @property
    def words(self) -> str:
        """Reason as the end of a sentence that begins with "stopped because"."""
        return _WORDS[self][0]

    @property
    def remedy(self) -> str:
        """Advice to the user; empty when nothing need be done."""
        return _WORDS[self][1]


_WORDS = {
    Reason.GRADIENT: ("the gradient is as small as asked for", ""),
    Reason.ITERATIONS: (
        "the limit of iterations was reached",
        "Allow more iterations, standardise the features, or choose Newton with conjugate "
        "gradients.",
    ),
    Reason.PRECISION: (
        "rounding hides any further descent before the gradient is as small as asked for",
        "Raise the tolerance.",
    ),
    Reason.OSCILLATES: (
        "the training loss keeps rising and falling",
        "Lower the learning rate, or leave it out: 1/L is then computed, which never overshoots.",
    ),
    Reason.DIVERGED: (
        "the training loss grew without bounds",
        "Lower the learning rate, or leave it out: 1/L is then computed, which never overshoots.",
    ),
    Reason.NO_DESCENT: (
        "no step along the last direction lowered the training loss",
        "Standardise the features, or penalise with a smaller C.",
    ),
    Reason.STOPPED: ("it was asked to stop", "Start it again and let it go on."),
    Reason.UNBOUNDED: (
        "there is no minimum: the coefficients diverge",
        "Use a finite C.",
    ),
}


class Iterate(NamedTuple):
    """A place, and what is known of the objective there; of a stack each with a leading axis.

    Attributes
    ----------
    x : ndarray
        Of any shape.
    value : float
    gradient : ndarray of the shape of x
    state : object
        What the objective wants to find again when curvature at x is asked for.
    """

    x: Array
    value: Any
    gradient: Array
    state: Any = None

    def of(self, chosen: Any) -> Iterate:
        """Return some places of a stack, or one."""
        return Iterate(*(part[chosen] for part in self))

    @property
    def sizes(self) -> Array:
        """The largest entry of each gradient of a stack, (B,)."""
        flat = self.gradient.reshape(len(self.gradient), -1)
        return np.asarray(np.abs(flat).max(axis=1, initial=0.0))


class OptimizerStep(NamedTuple):
    """One line of the trace; the first one is the start, with step length 0.

    Attributes
    ----------
    iteration : int
    objective : float
    gradient_norm : float
        As the stopping rule measures it.
    step_length : float
        The share of the direction that was taken; for a fixed learning rate that rate.
    seconds : float
        Since the start.
    """

    iteration: int
    objective: float
    gradient_norm: float
    step_length: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Optimum:
    """Result of an optimiser: minimiser, reason for termination, trace.

    Attributes
    ----------
    point : Iterate
    reason : Reason
    trace : tuple of OptimizerStep
    """

    point: Iterate
    reason: Reason
    trace: tuple[OptimizerStep, ...]

    @property
    def x(self) -> Array:
        """The place itself."""
        return self.point.x

    @property
    def converged(self) -> bool:
        """True if the gradient is small enough: nothing else counts as convergence."""
        return self.reason is Reason.GRADIENT


Objective = Callable[[Array], Iterate]


# From a step and the most that there may be, to whether to go on.
Watcher = Callable[[OptimizerStep, int], bool]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def iteration_callback(watcher: Watcher) -> Iterator[None]:
    """Let every iteration of this thread be reported, and stopped by the answer False.

    Estimators need no option for it, and those that fit others inside pass it on.

    Parameters
    ----------
    watcher : callable
        From a `OptimizerStep` and the limit of iterations to whether to go on.

    Examples
    --------
    >>> from lincore.linalg.descent import backtracking_line_search, descend
    >>> bowl = lambda x: Iterate(x, float(x @ x), 2 * x)
    >>> with iteration_callback(lambda step, max_iter: step.iteration < 3):
    ...     found = descend(bowl, np.ones(2), lambda at: -at.gradient / 4,
    ...                     search=backtracking_line_search, stopping=StoppingRule(1e-9, 100))
    >>> found.reason, len(found.trace)
    (<Reason.STOPPED: 'stopped'>, 4)
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def should_continue(step: OptimizerStep, max_iter: int) -> bool:
    """Report a step to whoever watches, and return whether to go on."""
    watcher = _watcher.get()
    return watcher is None or watcher(step, max_iter)


def largest_entry(gradient: Array) -> float:
    """Return the largest absolute entry."""
    return float(np.abs(gradient).max(initial=0.0))


@dataclass(frozen=True)
class StoppingRule:
    """Stopping rule: a small gradient, so many steps, or a sign that there is no minimum.

    The change of the objective is never a reason to stop.

    Attributes
    ----------
    tol : float
        Bound of the largest absolute entry of the gradient.
    max_iter : int
    is_unbounded : callable, optional
        Whether a point proves that there is no minimum, and so no use in going on.
    """

    tol: float
    max_iter: int
    is_unbounded: Callable[[Iterate], bool] | None = None

    def reason(self, trace: list[OptimizerStep]) -> Reason | None:
        """Return the reason to stop after these steps, if there is one."""
        values = [step.objective for step in trace[-WINDOW - 1 :]]
        if trace[-1].gradient_norm <= self.tol:
            return Reason.GRADIENT
        if not values[-1] <= 1e6 * (1 + abs(trace[0].objective)):
            return Reason.DIVERGED
        # Rises within rounding are no oscillation.
        rises = sum(now - then > RESOLUTION * abs(now) for then, now in pairwise(values))
        if rises >= WINDOW // 4:
            return Reason.OSCILLATES
        if len(trace) > self.max_iter:
            return Reason.ITERATIONS
        return None if should_continue(trace[-1], self.max_iter) else Reason.STOPPED
