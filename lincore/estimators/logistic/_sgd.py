"""Sequential learning: a step for each row or small batch, in random order."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lincore.linalg.optimize import (
    Objective,
    OptimizerStep,
    Optimum,
    Reason,
    StoppingRule,
    largest_entry,
)
from lincore.utils.typing import Array

PartGradient = Callable[[Array, NDArray[np.intp]], Array]


def descend_by_rows(
    objective: Objective,
    part_gradient: PartGradient,
    start: Array,
    order: Callable[[], list[NDArray[np.intp]]],
    *,
    rate: float,
    stopping: StoppingRule,
) -> Optimum:
    """Pass repeatedly over all rows, ``x ← x - rate * gradient over the batch``.

    With a fixed rate x would fluctuate around the minimum forever. Therefore, if an epoch does not
    lower the objective over all rows, it is undone and the rate is halved. The trace and the
    stopping rule are those of `descend`, applied once per epoch.
    """
    began = time.perf_counter()
    point = objective(start)
    trace = [
        OptimizerStep(
            0, point.value, largest_entry(point.gradient), 0.0, time.perf_counter() - began
        )
    ]
    while (reason := stopping.reason(trace)) is None:
        x = point.x.copy()
        # A rate that is far too large overflows; the epoch is then undone like any other bad one.
        with np.errstate(all="ignore"):
            for batch in order():
                x -= rate * part_gradient(x, batch)
            after = objective(x)
        seconds = time.perf_counter() - began
        lower = after.value < point.value
        if lower:
            point = after
        trace.append(
            OptimizerStep(len(trace), point.value, largest_entry(point.gradient), rate, seconds)
        )
        rate = rate if lower else rate / 2
        if rate < np.finfo(float).tiny:
            reason = Reason.PRECISION
            break
    return Optimum(point, reason, tuple(trace))
