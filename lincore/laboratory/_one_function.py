"""Experiment 1: the geometry of w and w0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from scipy.special import expit

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.geometry.half_planes import line_in_window
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing, signed
from lincore.laboratory.experiment import LaboratoryExperiment, Preset
from lincore.laboratory.samples import SampleLine, prml_data, prml_training, unit
from lincore.plots.base.palette import ACCENT, GREY, MARK
from lincore.plots.geometry.stage import StagePlane, arrow, line, ring, stage
from lincore.utils.typing import Array

Asked = Callable[[SampleLine], float]
LOOKS = (
    line("boundary f(x) = 0"),
    line("w", ACCENT, width=3),
    line("distance from the origin", GREY, dash="dash"),
    line("distance of row 1", MARK, width=3),
    ring("row 1", MARK),
)


def _fitted() -> SampleLine:
    data = prml_training()
    return SampleLine.of(LeastSquaresClassifier().fit(data.X, data.codes))


def _frame(label: str, f: SampleLine, plane: StagePlane, value_of: Asked | None) -> Snapshot:
    data = prml_training()
    row = data.X[0]
    value = float(f.values(row[None])[0])
    foot = row - value * f.normal / f.length**2
    sentence = (
        f"The boundary is {abs(f.offset) / f.length:.3f} from the origin and perpendicular to "
        f"w, at {signed(f.angle)}°. Row 1 has f = {signed(value, 3)} and lies "
        f"{signed(value / f.length, 3)} from it; {f.n_wrong(data.X, data.codes)} of 100 rows are "
        "misclassified."
    )
    places = (
        line_in_window(f.normal, f.offset, plane.low, plane.high),
        arrow(plane, f.foot, f.foot + f.normal),
        np.array([[0.0, 0.0], f.foot]),
        np.array([row, foot]),
        row[None],
    )
    return Snapshot(label, sentence, places, value_of(f) if value_of else float("nan"))


def _show(
    lines: Sequence[tuple[str, SampleLine]],
    before: str,
    answer: float,
    finding: str,
    stop: int = -1,
    value_of: Asked | None = None,
    *,
    title: str,
    start: SampleLine | None = None,
) -> Demonstration:
    data = prml_training()
    longest = max((f for _, f in lines), key=lambda f: f.length)
    corners = np.array([[0.0, 0.0], [0.0, -2.0], longest.foot + longest.normal])
    plane = StagePlane.around(np.vstack([data.X, corners]), names=("X1", "X2"))
    places: tuple[Array, ...] = (*(nothing() for _ in LOOKS[:-1]), data.X[:1])
    if start is not None:
        places = _frame("", start, plane, None).places
    first = Snapshot("before", before, places)
    frames = (first, *(_frame(label, f, plane, value_of) for label, f in lines))
    figure = stage(
        plane,
        LOOKS,
        frames[0].places,
        title=title,
        alt="Two classes with the boundary f(x) = 0, its normal w, and the distances of "
        "the origin and of row 1 from the boundary.",
        rows=(data.X, data.codes, data.classes),
    )
    return Demonstration(figure, frames, answer, finding, stop)


def _moved() -> Demonstration:
    f = _fitted()
    lines = [
        (f"w0 = {signed(share * f.offset)}", SampleLine(f.normal, share * f.offset))
        for share in np.linspace(0, 1.6, 49)
    ]
    x, y = f.foot
    return _show(
        lines,
        f"w = ({signed(f.normal[0], 3)}, {signed(f.normal[1], 3)}) and w0 = "
        f"{signed(f.offset, 3)} were learned by least squares. Where is f(x) = 0?",
        abs(f.offset) / f.length,
        f"|w0| / ‖w‖ = {abs(f.offset):.6f} / {f.length:.6f} = {abs(f.offset) / f.length:.6f}; the "
        f"foot of the perpendicular is ({x:.5f}, {signed(y, 5)}). w0 alone shifts the boundary "
        f"without rotating it.",
        31,
        lambda f: abs(f.offset) / f.length,
        title="Watch the line: w is its normal, w0 shifts it from the origin",
    )


def _scaled() -> Demonstration:
    f, row = _fitted(), prml_training().X[0]
    lines = [
        (f"× {share:.2f}", SampleLine(share * f.normal, share * f.offset))
        for share in np.geomspace(0.25, 4, 33)
    ]
    distance = float(f.values(row[None])[0]) / f.length
    return _show(
        lines,
        f"Row 1 lies {signed(distance, 3)} from the boundary: f(x) / ‖w‖. Now w and w0 are "
        "multiplied by the same number.",
        abs(distance),
        "The line does not move: f and ‖w‖ grow together, and only their ratio is a distance. The "
        "values of f alone have no meaning.",
        title="Watch w grow: does the line move?",
        start=f,
    )


def _turned() -> Demonstration:
    f, data = _fitted(), prml_training()
    turns = np.arange(0, 361, 5)
    lines = [(f"{turn}°", SampleLine(f.length * unit(f.angle + turn), f.offset)) for turn in turns]
    answer = lines[18][1].n_wrong(data.X, data.codes)
    return _show(
        lines,
        "w rotates with constant length; w0 is fixed. The boundary of least squares "
        f"misclassifies {f.n_wrong(data.X, data.codes)} rows.",
        answer,
        "The boundary stays tangent to the circle of radius |w0| / ‖w‖ about the origin: the "
        "direction of w decides, and w0 has to be learned with it.",
        19,
        lambda f: f.n_wrong(data.X, data.codes),
        title="Watch the line: it turns about the origin with w",
        start=f,
    )


@cache
def _one_feature() -> Dataset:
    return gaussian_classes([[0.0], [2.0]], sizes=[60, 40], seed=0)


def _sigmoid() -> Demonstration:
    data = _one_feature()
    x, codes = data.X[:, 0], data.codes
    model = LogisticRegression(C=np.inf).fit(data.X, codes)
    # Log odds of class 2 at 0 and at 1, from the classifier's posteriors.
    log_odds = np.diff(model.predict_log_proba([[0.0], [1.0]]), axis=1)[:, 0].tolist()
    w0, w1 = log_odds[0], log_odds[1] - log_odds[0]
    ends = np.array([-3.0, 5.0])
    plane = StagePlane(
        np.array([ends[0], -0.1]), np.array([ends[1] + 0.3, 1.1]), ("x1", "p(class 2 | x1)"), False
    )

    def frame(at: float) -> Snapshot:
        a = w0 + w1 * at
        factor = f"({signed(at)})" if at < 0 else signed(at)
        sentence = (
            f"x1 = {signed(at)}: a = {signed(w0, 4)} + {w1:.4f} · {factor} = {signed(a, 4)}, "
            f"p(class 2 | x1) = 1 / (1 + exp(−a)) = {expit(a):.4f}. The odds are "
            f"exp(a) = {np.exp(a):.4f}."
        )
        up_to = np.linspace(ends[0], at, 161)
        curve = np.column_stack([up_to, expit(w0 + w1 * up_to)])
        return Snapshot(f"x1 = {signed(at)}", sentence, (curve, curve[-1:]))

    before = (
        f"{data.n_rows} rows with one feature, class 1 drawn at 0 and class 2 at 1. Logistic "
        "regression: p(class 2 | x1) = σ(w0 + w1 x1)."
    )
    frames = [frame(round(float(at), 2)) for at in np.linspace(ends[0], ends[1], 33)]
    first = Snapshot("before", before, (nothing(), nothing(1)))
    figure = stage(
        plane,
        (line("σ(w0 + w1 x1)", ACCENT, width=3), ring("x1", MARK)),
        first.places,
        title="Watch the ring: along the feature the posterior follows an S",
        alt="Rows of two classes at 0 and 1, and the posterior of class 2 along the one feature, "
        "an S-shaped curve.",
        rows=(np.column_stack([x, codes]), codes, data.classes),
    )
    finding = (
        f"The log odds are linear, a = {signed(w0, 4)} + {w1:.4f} x1, and p = σ(a) = "
        f"1 / (1 + exp(−a)): one half at x1 = {signed(-w0 / w1, 4)}, where a = 0. Each unit of x1 "
        f"multiplies the odds by exp(w1) = {np.exp(w1):.4f}."
    )
    return Demonstration(figure, (first, *frames), float(np.exp(w1)), finding)


EXPERIMENT = LaboratoryExperiment(
    "One function: w and w0",
    "w is perpendicular to the boundary, |w0| / ‖w‖ is its distance from the origin, f(x) / ‖w‖ "
    "that of x, with a sign (lecture, “Geometry of Binary Classification”).",
    {
        "classic": Preset(
            "Learned by least squares",
            "w = (0.919, −0.510), w0 = −2.576. How far from the origin does the boundary lie?",
            "",
            3,
            _moved,
            prml_data,
        ),
        "scaled": Preset(
            "All weights times four",
            "w and w0 are multiplied by 4. How far is row 1 then from the boundary?",
            "",
            3,
            _scaled,
            prml_data,
        ),
        "sigmoid": Preset(
            "One feature: the sigmoid",
            "The log odds of class 2 are linear in the feature x1. By what factor do the odds "
            "grow if x1 grows by 1?",
            "",
            2,
            _sigmoid,
            _one_feature,
        ),
        "turned": Preset(
            "w turned",
            "w is rotated by 90°, and w0 is fixed. How many of the 100 rows are misclassified?",
            "rows",
            0,
            _turned,
            prml_data,
        ),
    },
)
