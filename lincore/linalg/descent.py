"""Minimisation of smooth convex functions: one loop, exchangeable search directions.

The loop has a leading axis: `descend_together` minimises functions with arguments of the same shape
side by side, each until it converges, so that they share the same matrix products. `descend` is a
stack of one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from lincore.linalg.optimize import (
    RESOLUTION,
    Iterate,
    Objective,
    OptimizerStep,
    Optimum,
    Reason,
    StoppingRule,
)
from lincore.utils.typing import Array

# Maximum number of halvings of a step.
HALVINGS = 30

Direction = Callable[[Iterate], Array]


class ObjectiveStack(Protocol):
    """B functions with arguments of the same shape: maps points (B, ...) to a stacked `Iterate`."""

    def __call__(self, x: Array, /) -> Iterate:
        """Evaluate each function at its own point."""

    def select(self, chosen: Any) -> ObjectiveStack:
        """Return the functions selected by a mask."""


class SingleObjective:
    """One function as a stack of one."""

    def __init__(self, objective: Objective) -> None:
        self._objective = objective

    def __call__(self, x: Array, /) -> Iterate:
        """Evaluate the function at the point of a stack of one."""
        point = self._objective(x[0])
        state = np.empty(1, dtype=object)
        state[0] = point.state
        return Iterate(x, np.array([point.value]), point.gradient[None], state)

    def select(self, chosen: Any) -> SingleObjective:
        """Return the function itself, the only one of the stack."""
        return self


# Maps functions and their points to the directions of the next steps.
Directions = Callable[[Any, Iterate], Array]
# The next points, the step lengths, and reasons for not taking a step.
SearchResult = tuple[Iterate, Array, list[Reason | None]]
# Maps functions, points and directions to the result of the line search.
Search = Callable[[ObjectiveStack, Iterate, Array], SearchResult]


def as_directions(direction: Direction) -> Directions:
    """Return the direction of one function as that of a stack of one."""
    return lambda _, point: direction(point.select(0))[None]


def descend(
    objective: Objective,
    start: Array,
    direction: Direction,
    *,
    search: Search,
    stopping: StoppingRule,
) -> Optimum:
    """Descend until the gradient is small."""
    stack, directions = SingleObjective(objective), as_directions(direction)
    (optimum,) = descend_together(
        stack, start[None], directions, search=search, stopping=[stopping]
    )
    return optimum


def descend_together(
    objective: ObjectiveStack,
    start: Array,
    directions: Directions,
    *,
    search: Search,
    stopping: Sequence[StoppingRule],
) -> list[Optimum]:
    """Minimise B functions side by side, until each has a reason to stop: see `descend`."""
    began = time.perf_counter()
    traces: list[list[OptimizerStep]] = [[] for _ in stopping]
    optima: dict[int, Optimum] = {}
    indices = np.arange(len(stopping))
    reasons: list[Reason | None] = [None] * len(stopping)
    point = before = objective(start)
    length = np.zeros(len(stopping))
    while True:
        seconds, sizes = time.perf_counter() - began, point.sizes
        for i, b in enumerate(indices.tolist()):
            is_taken = reasons[i] is None
            if is_taken:
                value, size = float(point.value[i]), float(sizes[i])
                traces[b].append(
                    OptimizerStep(len(traces[b]), value, size, float(length[i]), seconds)
                )
                check = stopping[b].is_unbounded
                if check is not None and len(traces[b]) > 1 and check(point.select(i)):
                    reasons[i] = Reason.UNBOUNDED
                else:
                    reasons[i] = stopping[b].reason(traces[b])
                is_taken = bool(np.isfinite(value))
            reason = reasons[i]
            if reason is not None:
                end = (point if is_taken else before).select(i)
                optima[b] = Optimum(end, reason, tuple(traces[b]))
        unfinished = np.array([reason is None for reason in reasons])
        if not unfinished.any():
            return [optima[b] for b in range(len(stopping))]
        if not unfinished.all():
            indices = indices[unfinished]
            objective, point = objective.select(unfinished), point.select(unfinished)
        before = point
        point, length, reasons = search(objective, before, directions(objective, before))


def refine_optima(
    objective: ObjectiveStack,
    optima: Sequence[Optimum],
    directions: Directions,
    stopping: Sequence[StoppingRule],
) -> list[Optimum]:
    """Take one more step at each minimum, if possible and if the gradient decreases."""
    # A Newton step doubles the number of correct digits. With correlated features a small gradient
    # alone guarantees little: at 1e-8 the coefficients may have four digits.
    began, refined = time.perf_counter(), list(optima)
    rules = zip(optima, stopping, strict=True)
    may_improve = np.array(
        [optimum.converged and len(optimum.trace) <= rule.max_iter for optimum, rule in rules]
    )
    chosen = np.flatnonzero(may_improve).tolist()
    if not chosen:
        return refined
    points = Iterate(
        *(np.stack(parts) for parts in zip(*(optima[b].point for b in chosen), strict=True))
    )
    selected = objective.select(may_improve)
    after = selected(points.x + directions(selected, points))
    for i, b in enumerate(chosen):
        value, size = float(after.value[i]), float(after.sizes[i])
        trace = optima[b].trace
        if size < trace[-1].gradient_norm:
            seconds = trace[-1].seconds + time.perf_counter() - began
            trace = (*trace, OptimizerStep(len(trace), value, size, 1.0, seconds))
            refined[b] = replace(optima[b], point=after.select(i), trace=trace)
    return refined


def backtracking_line_search(
    objective: ObjectiveStack, point: Iterate, direction: Array
) -> SearchResult:
    """Try the whole step, a half, a quarter ... until each objective decreases (Armijo)."""
    slope = (point.gradient * direction).reshape(len(direction), -1).sum(axis=1)
    down = slope < 0
    # If changes of the value are lost in rounding, the gradient decides.
    drowned = -slope <= RESOLUTION * np.abs(point.value)
    length, sizes = np.ones(len(direction)), point.sizes
    for _ in range(HALVINGS):
        step = length.reshape(-1, *[1] * (direction.ndim - 1)) * direction
        after = objective(point.x + step)
        armijo = after.value <= point.value + 1e-4 * length * slope
        lower = np.where(drowned, after.sizes < sizes, armijo)
        if (lower | ~down).all():
            break
        length = np.where(lower | ~down, length, length / 2)
    hidden = drowned & (slope <= 0)
    reasons = [
        None if fell else Reason.PRECISION if rounding else Reason.NO_DESCENT
        for fell, rounding in zip(lower & down, hidden, strict=True)
    ]
    return after, length, reasons


def take_whole_steps(rate: float) -> Search:
    """Return a search that always takes the whole step and reports its length as `rate`."""

    def search(objective: ObjectiveStack, point: Iterate, direction: Array) -> SearchResult:
        number = len(direction)
        return objective(point.x + direction), np.full(number, rate), [None] * number

    return search
