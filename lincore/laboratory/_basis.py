"""Experiment 9: rows that no line separates are moved to where one does."""

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
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing
from lincore.laboratory.experiment import LaboratoryExperiment, Preset
from lincore.laboratory.samples import SampleLine, overlapping
from lincore.plots.base.palette import GREY, INK
from lincore.plots.base.style import Trace, compact
from lincore.plots.geometry.stage import StagePlane, dots, line, stage
from lincore.plots.plane.boundary_lines import trace_lines
from lincore.plots.plane.regions import Map
from lincore.utils.formatting import percent
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array, Codes

N_FRAMES = 31
PALE = 0.35


class Basis(NamedTuple):
    """Two functions of two features, scaled to fit beside the rows.

    Attributes
    ----------
    words : str
    apply : callable
        Rows (n, 2) to (n, 2).
    """

    words: str
    apply: Callable[[Array], Array]


SQUARES = Basis("φ(x) = (x1², x2²)", lambda X: X**2)
PRODUCT = Basis("φ(x) = (x1, x1·x2)", lambda X: np.column_stack([X[:, 0], X[:, 0] * X[:, 1]]))


def _wrong(X: Array, codes: Array, model: Any) -> int:
    with captured_warnings():
        return int(np.count_nonzero(model.fit(X, codes).predict(X) != codes))


def _show(rows: Callable[[], Dataset], basis: Basis) -> Demonstration:
    data = rows()
    X, codes = data.X, data.codes
    Z = basis.apply(X)
    scale = float(np.abs(X).max() / np.abs(Z).max())
    plane = StagePlane.around(np.vstack([X, scale * Z]))
    with captured_warnings():
        model = LogisticRegression(C=1e4).fit(Z, codes)
    f = SampleLine.of(model)
    plain, lifted = (_wrong(each, codes, LogisticRegression(C=1e4)) for each in (X, Z))
    squares = _wrong(Z, codes, LeastSquaresClassifier())
    converges = perceptron_walk(Z, codes, max_epochs=200).converged
    # A straight line is denser than it need be: it bends on its way back.
    wide = np.abs(Z).max(axis=0) * 1.2
    ends = line_in_window(*f, -wide, wide)
    curve = _preimage(f, plane, basis)
    lane = ends[0] + np.linspace(0, 1, 2)[:, None] * (ends[1] - ends[0])

    def frame(share: float) -> Snapshot:
        places = X + share * (scale * Z - X)
        there = share == 1
        words = "in the coordinates φ" if there else "in x" if share == 0 else "on its way"
        sentence = (
            f"The rows {words}: {basis.words}. A line in x misclassifies {plain} of {len(X)}, a "
            f"line in φ {lifted} (least squares {squares})"
            f"{'; the perceptron converges there.' if converges else '.'}"
        )
        moved = curve + share * (scale * basis.apply(curve) - curve)
        boundary = scale * lane if there else moved
        return Snapshot(
            f"{percent(share, 0)} of the way",
            sentence,
            (places[codes == 0], places[codes == 1], boundary),
        )

    before = f"{len(X)} rows of two classes. The best line in x misclassifies {plain}."
    first = Snapshot("before", before, (X[codes == 0], X[codes == 1], nothing()))
    figure = stage(
        plane,
        (dots("class 1", 0), dots("class 2", 1), line("boundary of logistic regression", INK)),
        first.places,
        title=f"Rows in x, pale, and in {basis.words}",
        alt="Rows of two classes that move from their features to functions of these, where a line "
        "is the boundary; in x, where they stay pale, it is a curve.",
        fixed=_in_x(X, codes, curve),
    )
    fewer = "separates them" if not lifted else f"still misclassifies {lifted}"
    finding = (
        f"A line in {basis.words} {fewer}: logistic regression {lifted}, least squares {squares} "
        f"misclassified, {plain} of {len(X)} in x. The model is linear in its weights; in x its "
        "boundary is a curve."
    )
    frames = (first, *(frame(float(share)) for share in np.linspace(0, 1, N_FRAMES)))
    return Demonstration(figure, frames, float(lifted), finding)


def _in_x(X: Array, codes: Codes, curve: Array) -> list[Trace]:
    """Return pale rows, and the boundary among them, that stay where they are."""
    looks = [dots(f"class {k + 1} in x", k, size=6) for k in range(2)]
    looks.append(line("boundary in x", GREY, dash="dot", width=2))
    places = [X[codes == 0], X[codes == 1], curve]
    return [
        {**look, "x": compact(place[:, 0]), "y": compact(place[:, 1]), "opacity": PALE}
        for look, place in zip(looks, places, strict=True)
    ]


def _preimage(f: SampleLine, plane: StagePlane, basis: Basis) -> Array:
    """Return the curve in x on which the line in the coordinates of the basis lies."""
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
    "from x to φ",
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
            "No use here",
            "Two overlapping Gaussian classes; a line in x misclassifies 9 of 120. And a line in "
            "their squares, φ(x) = (x1², x2²)?",
            "rows",
            0,
            partial(_show, overlapping, SQUARES),
            overlapping,
        ),
    },
)
