"""Iteratively reweighted least squares, step by step, on twelve rows."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from scipy.special import expit

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.geometry.descents import LogisticError, Reweighted, descend_logistic
from lincore.laboratory.demonstration import Demonstration, Numbers, Snapshot, nothing, signed
from lincore.laboratory.experiment import Preset
from lincore.plots.base.palette import GREY, INK
from lincore.plots.base.style import Trace
from lincore.plots.geometry.stage import Panel, Spot, StagePlane, dots, line, stage, within
from lincore.utils.typing import Array, Codes

ENDS, MOST = (-3.2, 3.4), 6.6
# The area of a point is R; one of R = ¼ has this radius in pixels.
RADIUS = 12
BUBBLE = {"sizemode": "area", "sizeref": 0.125 / RADIUS**2, "sizemin": 1.5}


@cache
def _rows() -> Dataset:
    return gaussian_classes([[0.0], [2.0]], sizes=[6, 6], seed=3)


def _snapshot(number: int, x: Array, codes: Codes, step: Reweighted) -> Snapshot:
    """Return a step: sigmoids, z and lines before and after it; the area of a row is its R."""
    (a, b), (da, db), (h, off), (_, low) = step.point.x, step.point.gradient, *step.hessian
    where = f"leads to w = {_pair(*step.weights)}"
    if np.allclose(step.weights, step.point.x, rtol=0, atol=1e-7):
        where = "leads back here: it is the minimum"
    sentence = (
        f"At w = {_pair(a, b)}: E = {step.point.value:.6f}, ∇E = {_pair(da, db)}, H = "
        f"({h:.4f}, {signed(off, 4)}; {signed(off, 4)}, {low:.4f}). Least squares of z with "
        f"weights R {where}."
    )
    along = np.linspace(*ENDS, 81)
    lines = [np.column_stack([along, w[0] * along + w[1]]) for w in (step.point.x, step.weights)]
    sigmoids = [
        np.column_stack([along, expit(heights)]) for _, heights in (curve.T for curve in lines)
    ]
    z = np.column_stack([x, step.targets, step.curvature])
    places = (*_rows_at(x, codes, step.curvature), *sigmoids, z[codes == 0], z[codes == 1], *lines)
    return Snapshot(f"after {number} steps", sentence, places)


def _rows_at(x: Array, codes: Codes, weights: Array) -> tuple[Array, Array]:
    """Return the rows of both classes at their targets, (k, 3)."""
    rows = np.column_stack([x, codes, weights])
    return rows[codes == 0], rows[codes == 1]


def _bubbles(name: str, code: int) -> Trace:
    look = dots(name, code)
    return {**look, "marker": {**look["marker"], **BUBBLE, "opacity": 0.8}}


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
        (*_rows_at(x, codes, np.full(len(x), 0.25)), *(nothing(),) * 2, *(nothing(0),) * 2,
         *(nothing(),) * 2),
    )  # fmt: skip
    before, after = line("before", GREY, dash="dash"), line("after the step", INK, width=3.5)
    figure = stage(
        StagePlane(np.array([ENDS[0], -0.2]), np.array([ENDS[1], 1.2]), ("", "t, and σ(a)"), False),
        (
            _bubbles("class 1", 0),
            _bubbles("class 2", 1),
            before,
            after,
            within(_bubbles("z", 0)),
            within(_bubbles("z", 1)),
            within(before),
            within(after),
        ),
        first.places,
        title="Watch the points: the larger, the more z pulls the line",
        alt="Above, twelve rows at their targets with the sigmoid before and after a step; below, "
        "their working responses z with the line fitted to them. The area of a point is R.",
        spot=Spot(up=(0.55, 1)),
        panels=(
            Panel(
                StagePlane(
                    np.array([ENDS[0], -MOST]), np.array([ENDS[1], MOST]), ("x", "z, and a"), False
                ),
                Spot(up=(0, 0.47)),
                up={"dtick": 3},
            ),
        ),
    )
    last = steps[-1].point
    finding = (
        f"{len(steps) - 1} steps to E = {last.value:.6f} at w = {_pair(*last.x)}. The first step, "
        f"from ∇E = {_pair(*steps[0].point.gradient)}, has R = ¼ for every row: it is ordinary "
        f"least squares, {_pair(*steps[0].weights)}. Later, rows far on the correct side have "
        f"almost no "
        "weight."
    )
    frames = (first, *(_snapshot(i, x, codes, step) for i, step in enumerate(steps)))
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
