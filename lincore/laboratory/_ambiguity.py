"""Experiment 2: one-versus-rest, one-versus-one and argmax, with exact areas."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.linear_discriminant import LinearDiscriminantAnalysis
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.estimators.multiclass import Ambiguity, OneVsOne, OneVsRest
from lincore.estimators.perceptron import Perceptron
from lincore.geometry.half_planes import (
    Cell,
    ambiguity_cells,
    argmax_regions,
    half_plane_cells,
    line_in_window,
    polygon_area,
)
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing, signed
from lincore.laboratory.experiment import LaboratoryExperiment, Preset
from lincore.laboratory.samples import unit
from lincore.plots.base.palette import INK, colour
from lincore.plots.geometry.labels import words
from lincore.plots.geometry.stage import StagePlane, area, dots, joined, line, stage
from lincore.utils.formatting import percent
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array

WINDOW = StagePlane(np.array([-6.0, -6.0]), np.array([6.0, 6.0]))
WIDE = StagePlane(np.array([-7.5, -7.5]), np.array([7.5, 7.5]))
NONE, SEVERAL = "#85858F", "#9A4DB3"
# The classes that claim a region, and the least area of a region that is named.
NAMES = ("none", "1", "2", "1 + 2", "3", "1 + 3", "2 + 3", "1 + 2 + 3")
LEAST = 3.0
LOOKS = (
    area("claimed by no class, or tied", NONE, 0.6),
    area("claimed by several", SEVERAL, 0.5),
    line("line of a model", INK, width=2),
    words(NAMES, [INK] * len(NAMES)),
    *(area(f"class {k + 1} by argmax", colour(k), 0.22) for k in range(3)),
)


def _lines(coef: Array, intercept: Array) -> Array:
    segments = [
        line_in_window(w, w0, WINDOW.low, WINDOW.high)
        for w, w0 in zip(coef, intercept, strict=True)
    ]
    return joined([segment for segment in segments if np.isfinite(segment).all()])


def _names(cells: Sequence[Cell]) -> Array:
    """Return the positions of the names of regions, in the order of `NAMES`."""
    positions = nothing(len(NAMES))
    for cell in sorted(cells, key=lambda cell: polygon_area(cell.polygon)):
        if polygon_area(cell.polygon) >= LEAST:
            positions[int(cell.positive @ [1, 2, 4])] = cell.polygon.mean(axis=0)
    return positions


def _argmax(coef: Array, intercept: Array, window: StagePlane = WINDOW) -> tuple[Array, ...]:
    regions = argmax_regions(coef, intercept, window.low, window.high)
    return tuple(region if len(region) else nothing() for region in regions)


def _stars() -> Demonstration:
    coef = unit(np.array([90.0, 210.0, 330.0]))

    def frame(distance: float) -> Snapshot:
        cells = half_plane_cells(coef, [-distance] * 3, WINDOW.low, WINDOW.high)
        none = [cell.polygon for cell in cells if cell.positive.sum() == 0]
        several = [cell.polygon for cell in cells if cell.positive.sum() > 1]
        areas = [sum(map(polygon_area, parts)) for parts in (none, several)]
        sentence = (
            f"Lines at distance {signed(distance)}: of 144, no class claims {areas[0]:.4f} "
            f"({percent(areas[0] / 144, 3)}), several claim {areas[1]:.4f} "
            f"({percent(areas[1] / 144, 3)}). With argmax, no point is ambiguous."
        )
        lines = _lines(coef, np.full(3, -distance))
        places = (joined(none), joined(several), lines, _names(cells))
        share = areas[0] / 144
        return Snapshot(f"distance {signed(distance)}", sentence, places, 100 * share)

    distances = np.linspace(-1, 3, 41)
    snapshots = [frame(distance) for distance in distances]
    at_one = int(np.argmin(np.abs(distances - 1)))
    before = (
        "Each class claims the half-plane beyond its line. The lines are 120° apart, at distance 1 "
        "from the centre."
    )
    first = Snapshot(
        "before", before, (nothing(), nothing(), snapshots[at_one].places[2], nothing(len(NAMES)))
    )
    finding = (
        "At distance 1 the triangle in the middle has area 3√3 = 5.196152; the wedges between two "
        "lines are claimed twice. The argmax of the same functions has no such region."
    )
    return _demonstration(first, snapshots, snapshots[at_one].value, finding, 1 + at_one)


@cache
def _blobs() -> Dataset:
    return gaussian_classes([[-2.0, -1.5], [2.2, -1.2], [0.0, 2.4]], sizes=[40, 40, 40], seed=2)


def _learned() -> Demonstration:
    data, frames = _blobs(), []
    binary = {"LDA": LinearDiscriminantAnalysis(), "perceptron": Perceptron(max_epochs=5)}
    for kind, name in ((OneVsRest, "One-versus-rest"), (OneVsOne, "One-versus-one")):
        for base, estimator in binary.items():
            with captured_warnings():
                model: Any = kind(estimator).fit(data.X, data.codes)
            cells = ambiguity_cells(model, WINDOW.low, WINDOW.high)
            several = [cell.polygon for code, cell in cells if code == Ambiguity.CLAIMED_BY_SEVERAL]
            none = [
                cell.polygon
                for code, cell in cells
                if code not in (Ambiguity.CLEAR, Ambiguity.CLAIMED_BY_SEVERAL)
            ]
            shares = [sum(map(polygon_area, polygons)) / 144 for polygons in (none, several)]
            rows = int(np.count_nonzero(model.ambiguity(data.X)))
            ambiguous = "tied votes" if kind is OneVsOne else "claimed by no class"
            sentence = (
                f"{name} with {base}: {ambiguous} {percent(shares[0])}, claimed by several "
                f"{percent(shares[1])} of the window; {rows} of {data.n_rows} rows lie there."
            )
            lines = _lines(model.coef_, model.intercept_)
            names = nothing(len(NAMES))
            if kind is OneVsRest:
                names = _names([cell for _, cell in cells])
            places = (joined(none), joined(several), lines, names, *(nothing() for _ in range(3)))
            frames.append((Snapshot(f"{name}, {base}", sentence, places), shares))
    lda = LinearDiscriminantAnalysis().fit(data.X, data.codes)
    regions = _argmax(lda.coef_, lda.intercept_)
    frames.append((
        Snapshot("argmax, LDA", "Argmax of the three functions of LDA: no point is ambiguous.",
              (nothing(), nothing(), nothing(), nothing(len(NAMES)), *regions)), [0.0, 0.0]),
    )  # fmt: skip
    answer = 100 * sum(frames[0][1])
    first = Snapshot(
        "before", "Three classes, each with an LDA boundary against the other two.",
        (nothing(), nothing(), frames[0][0].places[2], nothing(len(NAMES)), *[nothing()] * 3),
    )  # fmt: skip
    finding = (
        f"One-versus-rest leaves {percent(answer / 100)} of the window ambiguous. "
        "LDA's votes never tie here, because its three lines meet in one point; the "
        "perceptron's may. Argmax is never ambiguous."
    )
    return _demonstration(first, [snapshot for snapshot, _ in frames], answer, finding, 1, data)


@cache
def _row(height: float = 0.0) -> Dataset:
    return gaussian_classes([[-4.0, 0.0], [0.0, height], [4.0, 0.0]], seed=0)


def _masked() -> Demonstration:
    base = _row()
    outer = base.codes != 1

    def frame(height: float) -> tuple[Snapshot, float]:
        data = _row(height)
        squares = LeastSquaresClassifier().fit(data.X, data.codes)
        softmax = LogisticRegression(C=1e4).fit(data.X, data.codes)
        right = squares.predict(data.X) == data.codes
        recall = float(right[data.codes == 1].mean())
        sentence = (
            f"Middle class {height:.2f} above the others: least squares with argmax classifies "
            f"{percent(float(right.mean()))} correctly and recognises {percent(recall, 0)} of the "
            f"middle class; softmax classifies {percent(softmax.score(data.X, data.codes))}."
        )
        regions = _argmax(squares.coef_, squares.intercept_, WIDE)
        return Snapshot(
            f"height {height:.2f}", sentence, (data.X[data.codes == 1], *regions)
        ), recall

    heights = np.linspace(0, 4, 17)
    states = [frame(float(height)) for height in heights]
    before = "Three classes in a row. Softmax classifies 97.0 % of their 300 rows correctly."
    first = Snapshot("before", before, (base.X[base.codes == 1], nothing(), nothing(), nothing()))
    regions = [{**LOOKS[4 + k]} for k in range(3)]
    figure = stage(
        WIDE,
        (dots("class 2", 1), *regions),
        first.places,
        title="Watch the region of class 2 as the class moves up",
        alt="Three classes and the regions in which each class's function is the largest.",
        rows=(base.X[outer], base.codes[outer], base.classes),
    )
    finding = (
        f"The middle function of least squares is nearly flat, so it is almost nowhere the largest "
        f"and {percent(1 - states[0][1], 0)} of its class is masked. Away from the line the class "
        f"becomes visible again."
    )
    frames = (first, *(snapshot for snapshot, _ in states))
    return Demonstration(figure, frames, 100 * states[0][1], finding, 1)


def _demonstration(
    first: Snapshot,
    frames: Sequence[Snapshot],
    answer: float,
    finding: str,
    stop: int,
    data: Dataset | None = None,
) -> Demonstration:
    figure = stage(
        WINDOW,
        LOOKS[: len(first.places)],
        first.places,
        title="Look for regions claimed by no class, and by several",
        alt="A window cut by the lines of binary models; shaded where no class or several claim "
        "it.",
        rows=None if data is None else (data.X, data.codes, data.classes),
    )
    return Demonstration(figure, (first, *frames), answer, finding, stop)


EXPERIMENT = LaboratoryExperiment(
    "Areas of ambiguity",
    "One-versus-rest and one-versus-one leave regions claimed by no class or by several; "
    "K functions and argmax do not (lecture, “Multi-class Classification”; Bishop, figures 4.2 and "
    "4.3).",
    {
        "classic": Preset(
            "Three lines, 120° apart",
            "Each line is at distance 1 from the centre. What share of the window of 12 × 12 "
            "is claimed by no class?",
            "%",
            3,
            _stars,
        ),
        "learned": Preset(
            "Three learned classes",
            "What share of the window is claimed by no class or by several, with LDA "
            "one-versus-rest?",
            "%",
            1,
            _learned,
            _blobs,
        ),
        "masked": Preset(
            "Argmax can fail too",
            "Least squares with argmax: what share of the middle class does it recognise?",
            "%",
            0,
            _masked,
            partial(_row, 0.0),
        ),
    },
)
