"""Iteratively reweighted least squares, step by step, on twelve rows."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.geometry.descents import LogisticError, Reweighted, descend_logistic
from lincore.laboratory.demonstration import Demonstration, Numbers, Snapshot, nothing, signed
from lincore.laboratory.experiment import Preset
from lincore.plots.base.palette import ACCENT, GREY, INK
from lincore.plots.geometry.stage import Plane, dots, joined, line, stage
from lincore.utils.typing import Array

# Largest working response that is drawn, and height of R = ¼.
MOST, TALLEST = 6.5, 2.0


@cache
def _rows() -> Dataset:
    return gaussian_classes([[0.0], [2.0]], sizes=[6, 6], seed=3)


def _steps(error: LogisticError) -> list[Reweighted]:
    """Return the steps from zero, the last one at the minimum."""
    return [error.reweighted(weights) for weights in descend_logistic(error).positions]


def _show() -> Demonstration:
    data = _rows()
    x, codes = data.X[:, 0], data.codes
    steps = _steps(LogisticError(np.column_stack([x, np.ones(len(x))]), codes.astype(float)))
    room = 0.15 * float(np.ptp(x))
    plane = Plane(
        np.array([x.min() - room, -MOST - TALLEST - 0.6]), np.array([x.max() + room, MOST + 0.3]),
        ("x", "working response z; below: R"), False,
    )  # fmt: skip

    def frame(number: int) -> Snapshot:
        step = steps[number]
        z = np.column_stack([x, step.targets])
        bars = [
            np.array([[at, plane.low[1]], [at, plane.low[1] + 4 * TALLEST * share]])
            for at, share in zip(x, step.curvature, strict=True)
        ]
        (a, b), (da, db) = step.point.x, step.point.gradient
        (h, off), (_, low) = step.hessian
        where = (
            f"leads to w = {_pair(*step.weights)}"
            if number < len(steps) - 1
            else "leads back here: it is the minimum"
        )
        sentence = (
            f"At w = {_pair(a, b)}: E = {step.point.value:.6f}, ∇E = {_pair(da, db)}, H = "
            f"({h:.4f}, {signed(off, 4)}; {signed(off, 4)}, {low:.4f}). Least squares of z with "
            f"weights R {where}."
        )
        ends = plane.low[0], plane.high[0]
        before, after = (_line(w, ends) for w in (step.point.x, step.weights))
        return Snapshot(
            f"step {number + 1}",
            sentence,
            (z[codes == 0], z[codes == 1], before, after, joined(bars)),
        )

    start = tuple(nothing() for _ in range(5))
    first = Snapshot(
        "before",
        "Twelve rows of one feature x, the labels t = 0 (class 1) and t = 1 (class 2), and weights "
        "w = (0, 0) of x and intercept.",
        start,
    )
    figure = stage(
        plane,
        (
            dots("z of class 1", 0, size=10),
            dots("z of class 2", 1, size=10),
            line("Φw, before the step", GREY, dash="dash"),
            line("fitted to z with weights R", INK, width=3),
            line("R, from 0 to ¼", ACCENT, width=4),
        ),
        start,
        title="The working response z, and the line fitted to it with weights R",
        alt="For each of twelve rows its working response, its weight as a bar, and the lines "
        "before and after a step.",
        up={"tickvals": list(range(-6, 7, 2))},
    )
    squares = steps[0].weights
    finding = (
        f"{len(steps) - 1} steps to E = {steps[-1].point.value:.6f} at w = "
        f"{_pair(*steps[-1].point.x)}. The first step has R = ¼ for every row: it is plain least "
        f"squares, {_pair(*squares)}. Later, rows far on their right side have almost no weight."
    )
    frames = (first, *(frame(i) for i in range(len(steps))))
    return Demonstration(
        figure, frames, float(len(steps) - 1), finding, numbers=_numbers(x, codes, steps)
    )


def _numbers(x: Array, codes: Array, steps: list[Reweighted]) -> tuple[Numbers, ...]:
    whole = [
        {
            "step": number,
            "w": step.point.x[0],
            "w0": step.point.x[1],
            "E": step.point.value,
            "∂E/∂w": step.point.gradient[0],
            "∂E/∂w0": step.point.gradient[1],
            "H: w, w": step.hessian[0, 0],
            "H: w, w0": step.hessian[0, 1],
            "H: w0, w0": step.hessian[1, 1],
        }
        for number, step in enumerate(steps, start=1)
    ]
    rows = [
        {"step": number, "row": i + 1, "x": x[i], "t": int(codes[i]), "y": step.fitted[i],
         "R": step.curvature[i], "z": step.targets[i]}
        for number, step in enumerate(steps, start=1)
        for i in range(len(x))
    ]  # fmt: skip
    return (
        Numbers("Gradient and Hessian at each step", ("gradient", "Hessian"), pd.DataFrame(whole)),
        Numbers("R and z of every row at each step", ("IRLS",), pd.DataFrame(rows)),
    )


def _line(weights: Array, ends: tuple[float, float]) -> Array:
    return np.array([[x, weights[0] * x + weights[1]] for x in ends])


def _pair(a: float, b: float) -> str:
    return f"({signed(a, 4)}, {signed(b, 4)})"


PRESET = Preset(
    "IRLS, step by step",
    "Newton's step is least squares of a working response z with weights R. How many steps from "
    "w = 0 to the minimum of these twelve rows?",
    "steps",
    0,
    _show,
    _rows,
)
