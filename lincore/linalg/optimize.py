"""Points, steps and stopping reasons of an optimiser, and its progress callbacks."""

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

# Predicted decreases below this share of the objective are lost in its rounding.
RESOLUTION = 1e-12
# An objective that rises in a quarter of this many steps oscillates without end.
WINDOW = 20


class Reason(StrEnum):
    """Reason why an optimiser stopped, with `words` and a `remedy`."""

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
        """Advice to the user; empty if nothing needs to be done."""
        return _WORDS[self][1]


_WORDS = {
    Reason.GRADIENT: ("the gradient reached the tolerance", ""),
    Reason.ITERATIONS: (
        "the iteration limit was reached",
        "Allow more iterations, standardise the features, or choose Newton with conjugate "
        "gradients.",
    ),
    Reason.PRECISION: (
        "rounding prevents further descent before the gradient reaches the tolerance",
        "Raise the tolerance.",
    ),
    Reason.OSCILLATES: (
        "the training loss keeps rising and falling",
        "Lower the learning rate, or leave it out: then 1/L is used, which never overshoots.",
    ),
    Reason.DIVERGED: (
        "the training loss grew without bounds",
        "Lower the learning rate, or leave it out: then 1/L is used, which never overshoots.",
    ),
    Reason.NO_DESCENT: (
        "no step in the last direction lowered the training loss",
        "Standardise the features, or penalise with a smaller C.",
    ),
    Reason.STOPPED: ("it was cancelled", "Start it again and let it finish."),
    Reason.UNBOUNDED: (
        "there is no minimum: the coefficients diverge",
        "Use Firth's penalty or a finite C.",
    ),
}


class Iterate(NamedTuple):
    """A point with the objective's value and gradient; in a stack each has a leading axis.

    Attributes
    ----------
    x : ndarray
        Of any shape.
    value : float
    gradient : ndarray of the shape of x
    state : object
        Intermediate results that the objective reuses for the curvature at x.
    """

    x: Array
    value: Any
    gradient: Array
    state: Any = None

    def select(self, chosen: Any) -> Iterate:
        """Return some points of a stack, or one."""
        return Iterate(*(array[chosen] for array in self))

    @property
    def sizes(self) -> Array:
        """The largest entry of each gradient of a stack, (B,)."""
        flat = self.gradient.reshape(len(self.gradient), -1)
        return np.asarray(np.abs(flat).max(axis=1, initial=0.0))


class OptimizerStep(NamedTuple):
    """One line of the trace; the first is the starting point, with step length 0.

    Attributes
    ----------
    iteration : int
    objective : float
    gradient_norm : float
        As measured by the stopping rule.
    step_length : float
        Fraction of the full step; with a fixed learning rate, that rate.
    seconds : float
        Since the start.
    """

    iteration: int
    objective: float
    gradient_norm: float
    step_length: float
    seconds: float

    def summary(self, max_iter: int) -> str:
        """Return the loss so far, for progress."""
        return (
            f"loss {self.objective:.6g} after {self.iteration:,} of at most {max_iter:,} iterations"
        )


@dataclass(frozen=True, eq=False)
class Optimum:
    """Result of an optimiser: minimiser, reason for termination, trace."""

    point: Iterate
    reason: Reason
    trace: tuple[OptimizerStep, ...]

    @property
    def x(self) -> Array:
        """The minimiser."""
        return self.point.x

    @property
    def converged(self) -> bool:
        """True if the gradient is small enough; nothing else counts as convergence."""
        return self.reason is Reason.GRADIENT


Objective = Callable[[Array], Iterate]


# Maps a step and the iteration limit to whether to continue.
Watcher = Callable[[OptimizerStep, int], bool]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def iteration_callback(watcher: Watcher) -> Iterator[None]:
    """Report every iteration in this thread to a callback, which stops it by returning False.

    Estimators need no option for it, and meta-estimators pass it on automatically.

    Parameters
    ----------
    watcher : callable
        Called with an `OptimizerStep` and the iteration limit; returns whether to continue.

    Examples
    --------
    >>> from lincore.linalg.descent import backtracking_line_search, descend
    >>> bowl = lambda x: Iterate(x, float(x @ x), 2 * x)
    >>> with iteration_callback(lambda step, max_iter: step.iteration < 3):
    ...     optimum = descend(bowl, np.ones(2), lambda at: -at.gradient / 4,
    ...                       search=backtracking_line_search, stopping=StoppingRule(1e-9, 100))
    >>> optimum.reason, len(optimum.trace)
    (<Reason.STOPPED: 'stopped'>, 4)
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def should_continue(step: OptimizerStep, max_iter: int) -> bool:
    """Report a step to the callback, and return whether to continue."""
    watcher = _watcher.get()
    return watcher is None or watcher(step, max_iter)


@dataclass(frozen=True)
class StoppingRule:
    """Stopping rule: a small gradient, the iteration limit, or evidence that there is no minimum.

    A small change of the objective is never a reason to stop.

    Attributes
    ----------
    tol : float
        Bound on the largest absolute entry of the gradient.
    max_iter : int
    is_unbounded : callable, optional
        Whether a point proves that there is no minimum, so that continuing is useless.
    """

    tol: float
    max_iter: int
    is_unbounded: Callable[[Iterate], bool] | None = None

    def reason(self, trace: list[OptimizerStep]) -> Reason | None:
        """Return the reason to stop after these steps, if any."""
        values = [step.objective for step in trace[-WINDOW - 1 :]]
        if trace[-1].gradient_norm <= self.tol:
            return Reason.GRADIENT
        if not values[-1] <= 1e6 * (1 + abs(trace[0].objective)):
            return Reason.DIVERGED
        # Increases within rounding are not oscillation.
        rises = sum(now - then > RESOLUTION * abs(now) for then, now in pairwise(values))
        if rises >= WINDOW // 4:
            return Reason.OSCILLATES
        if len(trace) > self.max_iter:
            return Reason.ITERATIONS
        return None if should_continue(trace[-1], self.max_iter) else Reason.STOPPED
