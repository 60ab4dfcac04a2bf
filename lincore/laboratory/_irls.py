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
from lincore.plots.geometry.stage import StagePlane, dots, joined, line, stage
from lincore.utils.typing import Array, Codes

# Window, and the height of R = ¼ above its floor.
ENDS, FLOOR, MOST, TALLEST = (-3.2, 3.4), -9.2, 6.6, 2.0


@cache
def _rows() -> Dataset:
    return gaussian_classes([[0.0], [2.0]], sizes=[6, 6], seed=3)


def _at(number: int, x: Array, codes: Codes, step: Reweighted) -> Snapshot:
    """Return a step: z and R of every row, and the lines before and after it."""
    (a, b), (da, db), (h, off), (_, low) = step.point.x, step.point.gradient, *step.hessian
    where = f"leads to w = {_pair(*step.weights)}"
    if np.allclose(step.weights, step.point.x, rtol=0, atol=1e-7):
        where = "leads back here: it is the minimum"
    sentence = (
        f"At w = {_pair(a, b)}: E = {step.point.value:.6f}, ∇E = {_pair(da, db)}, H = "
        f"({h:.4f}, {signed(off, 4)}; {signed(off, 4)}, {low:.4f}). Least squares of z with "
        f"weights R {where}."
    )
    z = np.column_stack([x, step.targets])
    tops = FLOOR + 4 * TALLEST * step.curvature
    bars = joined([np.array([[at, FLOOR], [at, top]]) for at, top in zip(x, tops, strict=True)])
    before, after = (
        np.array([[end, w[0] * end + w[1]] for end in ENDS]) for w in (step.point.x, step.weights)
    )
    places = z[codes == 0], z[codes == 1], before, after, bars
    return Snapshot(f"after {number} steps", sentence, places)


def _show() -> Demonstration:
    data = _rows()
    x, codes = data.X[:, 0], data.codes
    error = LogisticError(np.column_stack([x, np.ones(len(x))]), codes.astype(float))
    # From zero, the last one at the minimum.
    steps = [error.reweighted(weights) for weights in descend_logistic(error).positions]
    first = Snapshot(
        "before",
        "Twelve rows of one feature x, the labels t = 0 (class 1) and t = 1 (class 2), and weights "
        "w = (0, 0) of x and intercept.",
        tuple(nothing() for _ in range(5)),
    )
    figure = stage(
        StagePlane(
            np.array([ENDS[0], FLOOR]),
            np.array([ENDS[1], MOST]),
            ("x", "working response z; below: R"),
            False,
        ),
        (
            dots("z of class 1", 0, size=10),
            dots("z of class 2", 1, size=10),
            line("Φw, before the step", GREY, dash="dash"),
            line("fitted to z with weights R", INK, width=3),
            line("R, from 0 to ¼", ACCENT, width=4),
        ),
        first.places,
        title="z, and the line fitted to it with weights R: w = (ΦᵀRΦ)⁻¹ΦᵀRz",
        alt="For each of twelve rows its working response, its weight as a bar, and the lines "
        "before and after a step.",
        up={"tickvals": list(range(-6, 7, 2))},
    )
    last = steps[-1].point
    finding = (
        f"{len(steps) - 1} steps to E = {last.value:.6f} at w = {_pair(*last.x)}. The first step, "
        f"from ∇E = {_pair(*steps[0].point.gradient)}, has R = ¼ for every row: it is ordinary "
        f"least squares, {_pair(*steps[0].weights)}. Later, rows far on the correct side have "
        f"almost no "
        "weight."
    )
    frames = (first, *(_at(i, x, codes, step) for i, step in enumerate(steps)))
    return Demonstration(
        figure, frames, float(len(steps) - 1), finding, numbers=_numbers(x, codes, steps)
    )


def _numbers(x: Array, codes: Codes, steps: list[Reweighted]) -> tuple[Numbers, ...]:
    whole = [
        {
            "steps": number,
            "w": step.point.x[0],
            "w0": step.point.x[1],
            "E": step.point.value,
            "∂E/∂w": step.point.gradient[0],
            "∂E/∂w0": step.point.gradient[1],
            "H: w, w": step.hessian[0, 0],
            "H: w, w0": step.hessian[0, 1],
            "H: w0, w0": step.hessian[1, 1],
        }
        for number, step in enumerate(steps)
    ]
    rows = [
        {"steps": number, "row": i + 1, "x": x[i], "t": int(codes[i]), "y": step.fitted[i],
         "R": step.curvature[i], "z": step.targets[i]}
        for number, step in enumerate(steps)
        for i in range(len(x))
    ]  # fmt: skip
    return (
        Numbers(
            "Gradient and Hessian after each step", ("gradient", "Hessian"), pd.DataFrame(whole)
        ),
        Numbers("R and z of every row after each step", ("IRLS",), pd.DataFrame(rows)),
    )


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
