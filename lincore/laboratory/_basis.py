"""Experiment 9: basis functions move rows that no line separates so that a line does."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.mixtures import ring_classes, xor_classes
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.geometry.half_planes import line_in_window
from lincore.geometry.perceptron_walk import perceptron_walk
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing, signed
from lincore.laboratory.experiment import LaboratoryExperiment, Preset
from lincore.laboratory.samples import SampleLine, overlapping
from lincore.plots.base.palette import INK, MARK
from lincore.plots.geometry.stage import Panel, Spot, StagePlane, dots, line, ring, stage, within
from lincore.plots.plane.boundary_lines import trace_lines
from lincore.plots.plane.regions import Map
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array

# Frames of the transition; the parts of the figure that the two planes fill.
N_FRAMES, LEFT, RIGHT = 29, Spot(across=(0, 0.45)), Spot(across=(0.55, 1))


class Basis(NamedTuple):
    """Two functions of two features."""

    words: str
    axes: tuple[str, str]
    apply: Callable[[Array], Array]  # maps rows (n, 2) to (n, 2)


SQUARES = Basis("φ(x) = (x1², x2²)", ("x1²", "x2²"), lambda X: X**2)
PRODUCT = Basis(
    "φ(x) = (x1, x1·x2)", ("x1", "x1·x2"), lambda X: np.column_stack([X[:, 0], X[:, 0] * X[:, 1]])
)


def _wrong(X: Array, codes: Array, model: Any) -> int:
    with captured_warnings():
        return int(np.count_nonzero(model.fit(X, codes).predict(X) != codes))


def _show(rows: Callable[[], Dataset], basis: Basis) -> Demonstration:
    data = rows()
    X, codes = data.X, data.codes
    Z = basis.apply(X)
    plane, lifted_plane = StagePlane.around(X), StagePlane.around(Z, names=basis.axes)
    with captured_warnings():
        model = LogisticRegression(C=1e4).fit(Z, codes)
    f = SampleLine.of(model)
    plain, lifted = (_wrong(each, codes, LogisticRegression(C=1e4)) for each in (X, Z))
    squares = _wrong(Z, codes, LeastSquaresClassifier())
    converges = perceptron_walk(Z, codes, max_epochs=200).converged
    curve = _preimage(f, plane, basis)
    line_in_basis = line_in_window(*f, lifted_plane.low, lifted_plane.high)
    # Once around, so that neighbours in x are seen to be neighbours in φ.
    order = np.argsort(np.arctan2(X[:, 1], X[:, 0]), kind="stable")

    def frame(n_over: int) -> Snapshot:
        shown = Z.copy()
        shown[order[n_over:]] = np.nan
        row = order[n_over - 1 : n_over]
        words = (
            f"Row {row[0] + 1}: x = ({signed(X[row[0], 0])}, {signed(X[row[0], 1])}) becomes "
            f"φ(x) = ({signed(Z[row[0], 0])}, {signed(Z[row[0], 1])})."
        )
        places = X[row], Z[row], shown[codes == 0], shown[codes == 1], nothing(), nothing()
        return Snapshot(f"row {n_over}", words, places)

    before = f"{len(X)} rows of two classes. The best line in x misclassifies {plain}."
    empty = [np.full_like(X[codes == k], np.nan) for k in (0, 1)]
    first = Snapshot("before", before, (nothing(1), nothing(1), *empty, nothing(), nothing()))
    end = Snapshot(
        "all rows",
        f"A line in x misclassifies {plain} of {len(X)}, a line in φ {lifted} (least squares "
        f"{squares}){'; the perceptron converges there' if converges else ''}. Seen in x, the line "
        "is a curve.",
        (nothing(1), nothing(1), Z[codes == 0], Z[codes == 1], curve, line_in_basis),
    )
    boundary = line("boundary", INK, width=3)
    figure = stage(
        plane,
        (
            ring("x", MARK),
            within(ring("φ(x)", MARK)),
            *(within(dots("", k)) for k in (0, 1)),
            boundary,
            within(boundary),
        ),
        first.places,
        title=f"Watch the ringed row go from x to {basis.words}",
        alt="Rows of two classes in their features, where the boundary is a curve, and beside them "
        "in two basis functions, where it is a line.",
        rows=(X, codes, data.classes),
        spot=LEFT,
        panels=(Panel(lifted_plane, RIGHT),),
    )
    fewer = "separates them" if not lifted else f"still misclassifies {lifted}"
    finding = (
        f"A line in {basis.words} {fewer}: logistic regression {lifted}, least squares {squares} "
        f"misclassified, {plain} of {len(X)} in x. The model is linear in its weights; in x its "
        "boundary is a curve."
    )
    numbers = np.linspace(1, len(X), N_FRAMES).round().astype(int)
    frames = (first, *(frame(int(number)) for number in numbers), end)
    return Demonstration(figure, frames, float(lifted), finding)


def _preimage(f: SampleLine, plane: StagePlane, basis: Basis) -> Array:
    """Return the curve in x that corresponds to a line in the coordinates of the basis."""
    from_row, row = np.linspace(plane.low, plane.high, 90).T
    grid = np.column_stack([np.tile(from_row, len(row)), np.repeat(row, len(from_row))])
    scores = f.values(basis.apply(grid)).reshape(len(row), len(from_row), 1)
    return trace_lines(Map(from_row, row, np.concatenate([0 * scores, scores], axis=2)))


@cache
def _rings() -> Dataset:
    return ring_classes()


@cache
def _xor() -> Dataset:
    return xor_classes()


EXPERIMENT = LaboratoryExperiment(
    "Functions of the features",
    "Not separable in x, separable in φ(x): the model stays linear in w (lecture, “Least "
    "Square Classifier”).",
    {
        "classic": Preset(
            "Two rings",
            "A line in x misclassifies half of the 200 rows. How many does a line in "
            "φ(x) = (x1², x2²) misclassify?",
            "rows",
            0,
            partial(_show, _rings, SQUARES),
            _rings,
        ),
        "xor": Preset(
            "XOR",
            "Two classes in opposite corners. How many of 200 rows does a line in "
            "φ(x) = (x1, x1·x2) misclassify?",
            "rows",
            0,
            partial(_show, _xor, PRODUCT),
            _xor,
        ),
        "useless": Preset(
            "Not helpful here",
            "Two overlapping Gaussian classes; a line in x misclassifies 9 of 120. How many does a "
            "line in their squares, φ(x) = (x1², x2²), misclassify?",
            "rows",
            0,
            partial(_show, overlapping, SQUARES),
            overlapping,
        ),
    },
)
