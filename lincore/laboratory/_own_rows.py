"""Experiment 11: rows that can be dragged, and the lines of four classifiers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.frames import numbered
from lincore.data.generators import gaussian_classes
from lincore.data.mixtures import with_far_rows, xor_classes
from lincore.errors import DataError
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.linear_discriminant import LinearDiscriminantAnalysis
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.estimators.perceptron import Perceptron
from lincore.geometry.half_planes import line_in_window
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing
from lincore.laboratory.experiment import (
    Board,
    LaboratoryExperiment,
    Point,
    Preset,
    Reply,
    checked,
    points_of,
)
from lincore.laboratory.samples import SampleLine
from lincore.plots.base.palette import method_look
from lincore.plots.geometry.stage import StagePlane, line, stage
from lincore.utils.formatting import listed
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array

DIGITS = 2
MODELS: Mapping[str, Callable[[], Any]] = {
    "least squares": LeastSquaresClassifier,
    "LDA": LinearDiscriminantAnalysis,
    "logistic regression": partial(LogisticRegression, C=1e4),
    "perceptron": partial(Perceptron, weights="pocket", random_state=0),
}
WINDOW = StagePlane(np.full(2, -6.0), np.full(2, 6.0))


class FittedLine(NamedTuple):
    """The boundary of a classifier of two features."""

    name: str
    ends: Array  # (2, 2); NaN if it lies outside the window
    n_wrong: int  # rows misclassified
    colour: str
    dash: str

    def record(self) -> dict[str, Any]:
        """Return the line for JSON; the ends are null if it lies outside the window."""
        ends = self.ends.round(4).tolist() if np.isfinite(self.ends).all() else None
        return {**self._asdict(), "ends": ends}


# A page asks for the same lines twice: for its board, and for its figure.
@lru_cache(maxsize=64)
def fitted_lines(points: tuple[Point, ...]) -> tuple[FittedLine, ...]:
    """Fit least squares, LDA, logistic regression and the perceptron to points."""
    data, lines = rows_of(points), []
    X, codes = data.X, data.codes
    for number, (name, make) in enumerate(MODELS.items()):
        with captured_warnings():
            f = SampleLine.of(make().fit(X, codes))
        ends = line_in_window(f.normal, f.offset, WINDOW.low, WINDOW.high)
        hue, dash, _ = method_look(number)
        lines.append(FittedLine(name, ends, f.n_wrong(X, codes), hue, dash))
    return tuple(lines)


def rows_of(points: Sequence[Point]) -> Dataset:
    """Return points as a data set."""
    X, codes = checked(points, WINDOW)
    if min(np.bincount(codes, minlength=2)) < 2:
        raise DataError(
            "A class has fewer than two rows.", where="rows", remedy="Add rows of both classes."
        )
    return Dataset("own rows", X, codes, np.array(numbered("class", 2)), ("x1", "x2"))


def _reply(points: Sequence[Point]) -> Reply:
    lines = fitted_lines(tuple(points))
    return Reply(_sentence(lines, len(points)), tuple(fitted.record() for fitted in lines))


def _sentence(lines: tuple[FittedLine, ...], n_rows: int) -> str:
    parts = listed([f"{fitted.name} {fitted.n_wrong}" for fitted in lines])
    return f"Misclassified of {n_rows} rows: {parts}."


def _show(points: tuple[Point, ...]) -> Demonstration:
    data, lines = rows_of(points), fitted_lines(points)
    sentence = _sentence(lines, data.n_rows)
    empty = Snapshot("before", f"{data.n_rows} rows of two classes.", (nothing(),) * len(lines))
    frames = [
        Snapshot(
            fitted.name,
            sentence,
            tuple(drawn.ends if j <= i else nothing() for j, drawn in enumerate(lines)),
        )
        for i, fitted in enumerate(lines)
    ]
    figure = stage(
        WINDOW,
        tuple(line(fitted.name, fitted.colour, dash=fitted.dash, width=3) for fitted in lines),
        empty.places,
        title="Watch which of the four lines follow a row that moves",
        alt="Rows of two classes and the boundaries of least squares, LDA, logistic regression and "
        "the perceptron.",
        rows=(data.X, data.codes, data.classes),
    )
    finding = f"{sentence} Drag, add or delete rows: all four are fitted again."
    return Demonstration(figure, (empty, *frames), float(lines[0].n_wrong), finding)


def _preset(title: str, question: str, rows: Callable[[], Dataset]) -> Preset:
    @cache
    def start() -> tuple[Point, ...]:
        data = rows()
        return points_of(data.X, data.codes, DIGITS)

    def show(points: Sequence[Point] = ()) -> Demonstration:
        return _show(tuple(points) or start())

    board = Board(start, _reply, show, WINDOW, DIGITS)
    return Preset(title, question, "rows", 0, show, lambda: rows_of(start()), board)


def _two() -> Dataset:
    return gaussian_classes([[-1.5, 0.0], [1.5, 0.5]], 1.4 * np.eye(2), sizes=[12, 12], seed=1)


def _one_far() -> Dataset:
    data = gaussian_classes([[-3.5, 2.5], [-1.0, 2.5]], 0.3 * np.eye(2), sizes=[10, 10], seed=2)
    return with_far_rows(data, 1, [4.8, -4.8], size=3)


EXPERIMENT = LaboratoryExperiment(
    "Your own rows",
    "The same rows, four criteria: squared errors, Gaussian classes, likelihood of the labels, "
    "mistakes (lecture, “Linear Classifiers”).",
    {
        "classic": _preset(
            "Two groups", "How many of the 24 rows does least squares misclassify?", _two
        ),
        "far": _preset(
            "Three far rows",
            "Three rows of class 2 are far away. How many of the 23 rows does least squares "
            "misclassify?",
            _one_far,
        ),
        "xor": _preset(
            "Opposite corners",
            "No line separates opposite corners. How many of the 32 rows does least squares "
            "misclassify?",
            partial(xor_classes, size=8),
        ),
    },
)
