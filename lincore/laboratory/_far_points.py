"""Experiment 3: far points draw least squares away, and LDA with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lincore.data.mixtures import with_far_rows
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.linear_discriminant import LinearDiscriminantAnalysis
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.geometry.half_planes import line_in_window
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing, signed
from lincore.laboratory.experiment import LaboratoryExperiment, Preset
from lincore.laboratory.samples import FAR, SampleLine, overlapping, with_far
from lincore.plots.base.palette import ACCENT, INK
from lincore.plots.geometry.stage import StagePlane, dots, line, stage
from lincore.utils.formatting import percent
from lincore.utils.typing import Array

N_FRAMES = 25


def _logistic() -> LogisticRegression:
    return LogisticRegression(C=np.inf)


def _show(mean: Array, rival: Callable[[], Any], name: str, asked: str = "rows") -> Demonstration:
    old, capital = overlapping(), name[0].upper() + name[1:]
    plane = StagePlane.around(np.vstack([old.X, [mean]]), margin=0.06)

    def fitted(X: Any, codes: Any) -> tuple[SampleLine, SampleLine]:
        return SampleLine.of(LeastSquaresClassifier().fit(X, codes)), SampleLine.of(
            rival().fit(X, codes)
        )

    def frame(label: str, data: Any) -> tuple[Snapshot, tuple[SampleLine, SampleLine]]:
        lines = fitted(data.X, data.codes)
        squares, other = (line_in_window(*f, plane.low, plane.high) for f in lines)
        wrong, wrong_other = (f.n_wrong(old.X, old.codes) for f in lines)
        sentence = (
            f"Least squares: w at {signed(lines[0].angle)}°, {wrong} of the 120 old rows "
            f"misclassified. {capital}: {signed(lines[1].angle)}°, {wrong_other} misclassified."
        )
        far = data.X[120:] if len(data.X) > 120 else nothing(10)
        return Snapshot(label, sentence, (far, squares, other)), lines

    start = np.array([3.0, 0.0])
    shares = np.linspace(0, 1, N_FRAMES)
    moved = [
        (
            f"{percent(share, 0)} of the way",
            with_far_rows(old, 1, (start + share * (mean - start)).tolist()),
        )
        for share in shares
    ]
    found = [frame("before", old), *(frame(*one) for one in moved)]
    (squares, _), (before, other_before) = found[-1][1], found[0][1]
    turned, wrong = abs(squares.angle - before.angle), squares.n_wrong(old.X, old.codes)
    other_turned = abs(found[-1][1][1].angle - other_before.angle)
    other = f"{other_turned:.1f}°" if other_turned > 0.01 else "less than 0.01°"
    figure = stage(
        plane,
        (
            dots("far points of class 2", 1, size=9),
            line("least squares", INK, width=3.5),
            line(name, ACCENT, dash="dash", width=3),
        ),
        found[0][0].places,
        title=f"Least squares and {name} on 120 rows, and ten more",
        alt="Two overlapping classes, ten far points of class 2 and the boundaries of least "
        f"squares and {name}.",
        rows=(old.X, old.codes, old.classes),
    )
    finding = (
        f"Least squares turns by {turned:.1f}° and misclassifies {wrong} of the old rows instead "
        f"of {before.n_wrong(old.X, old.codes)}: rows that are “too correct” cost as much as "
        f"errors. {capital} turns by {other}."
    )
    answer = float(wrong) if asked == "rows" else turned
    return Demonstration(figure, tuple(one for one, _ in found), answer, finding)


EXPERIMENT = LaboratoryExperiment(
    "Far points",
    "Least squares is not robust: points far on the correct side draw the boundary (lecture, "
    "“Why not to use LS Classifier?”; Bishop, figure 4.4).",
    "distance",
    {
        "classic": Preset(
            "Against logistic regression",
            "Ten far points join class 2, on its own side. How many of the 120 old rows will "
            "least squares now misclassify?",
            "rows",
            0,
            partial(_show, np.array(FAR), _logistic, "logistic regression"),
            with_far,
        ),
        "lda": Preset(
            "LDA is drawn as well",
            "The same ten points join. By how many degrees does the boundary of LDA turn?",
            "°",
            1,
            partial(_show, np.array(FAR), LinearDiscriminantAnalysis, "LDA", "degrees"),
            with_far,
        ),
        "straight": Preset(
            "Straight ahead",
            "Ten points join class 2 at (15, 0), straight behind it. How many of the 120 old rows "
            "will least squares misclassify?",
            "rows",
            0,
            partial(_show, np.array([15.0, 0.0]), _logistic, "logistic regression"),
            partial(with_far, (15.0, 0.0)),
        ),
    },
)
