"""Experiment 4: a direction turned by hand, its projections and Fisher's J."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.estimators.fisher import FisherDiscriminant
from lincore.geometry.directions import direction_scores
from lincore.io.samples import sample
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing, signed
from lincore.laboratory.experiment import Experiment, Preset
from lincore.laboratory.samples import Line, prml_data, prml_training, unit, with_far
from lincore.plots.base.palette import ACCENT, GREY, INK
from lincore.plots.geometry.stage import Plane, dots, line, stage
from lincore.preprocessing.pca import PCA
from lincore.utils.typing import Array

# Degrees of a step, and of how many projections half as many are sent to a browser.
STEP, MANY = 3, 250


@cache
def _long_classes() -> Dataset:
    return gaussian_classes(
        [[0.0, 0.0], [0.0, 2.5]], [[9.0, 0.0], [0.0, 0.25]], sizes=[100, 100], seed=0
    )


@cache
def _two_faces() -> Dataset:
    """Return the images of two persons in their first two principal components."""
    faces = sample("faces")
    chosen = faces.codes < 2
    scores = PCA(2).fit_transform(faces.X[chosen])
    names = ("component 1", "component 2")
    return Dataset("two faces", scores, faces.codes[chosen], faces.classes[:2], names)


def _angle(w: Array) -> float:
    """Return the angle of a direction, between -90° and 90°."""
    return float((np.degrees(np.arctan2(w[1], w[0])) + 90) % 180 - 90)


def _show(data: Callable[[], Dataset], asked: str) -> Demonstration:
    rows = data()
    X, codes = rows.X, rows.codes
    plane = Plane.around(X, names=(rows.feature_names[0], rows.feature_names[1]))
    centre, half = (plane.low + plane.high) / 2, float(plane.high[0] - plane.low[0]) / 2
    means = np.array([X[codes == k].mean(axis=0) for k in (0, 1)])
    best = _angle(Line.of(FisherDiscriminant().fit(X, codes)).normal)
    between = _angle(means[1] - means[0])
    main = _angle(np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][0])
    named = {0.0: "x1", 90.0: "x2", best: "Fisher's direction", between: "mean difference"}
    named |= {main: "first component"}
    step = STEP if len(X) <= MANY else 2 * STEP
    usual = np.arange(-90, 90, step, dtype=float)
    near = np.min(np.abs(usual[:, None] - np.array(list(named))), axis=1) < step / 3
    angles = np.sort([*usual[~near], *named])
    scores = direction_scores(X, codes, unit(angles))
    top = float(scores.criterion.max())
    reach = 0.94 * half * scores.criterion[:, None] / top
    lobe = np.vstack([centre + reach * unit(angles), centre - reach * unit(angles)])

    def frame(i: int) -> Snapshot:
        w = unit(angles[i])
        on_line = centre + ((X - centre) @ w)[:, None] * w
        cut = centre + (scores.midpoint[i] - centre @ w) * w
        across = 0.25 * half * np.array([-w[1], w[0]])
        name = f", {named[angles[i]]}" if angles[i] in named else ""
        sentence = (
            f"At {signed(angles[i], 2 if name else 0)}°{name}: J = {scores.criterion[i]:.3f} of at "
            f"most {top:.3f}. The threshold between the projected means, at "
            f"{signed(scores.midpoint[i], 3)}, misclassifies {scores.midpoint_errors[i]} of "
            f"{len(X)} rows, the best one {scores.errors[i]}."
        )
        places = (
            np.array([centre - 1.5 * half * w, centre + 1.5 * half * w]),
            on_line[codes == 0],
            on_line[codes == 1],
            np.array([cut - across, cut + across]),
            lobe,
        )
        return Snapshot(f"{signed(angles[i], 0)}°", sentence, places)

    at = {name: int(np.flatnonzero(angles == angle)[0]) for angle, name in named.items()}
    start = at["mean difference"] if asked == "best" else at["first component"]
    shown = frame(start)
    before = (
        f"At {signed(angles[start], 2)}°, {named[angles[start]]}, the projections on the line "
        f"have J = {scores.criterion[start]:.3f}."
    )
    first = Snapshot("before", before, (*shown.places[:-1], nothing()))
    figure = stage(
        plane,
        (
            line("direction w", INK),
            dots("projections, class 1", 0, size=6),
            dots("projections, class 2", 1, size=6),
            line("threshold", ACCENT, width=4),
            line("J by direction", GREY, dash="dot", width=2),
        ),
        first.places,
        title=f"A direction for the {len(X)} rows",
        alt="Rows of two classes, a direction, the projections on it, the threshold, and Fisher's "
        "J as a curve around the centre.",
        rows=(X, codes, rows.classes),
    )
    fisher = at["Fisher's direction"]
    finding = (
        f"J is largest at {signed(best, 4)}°: {scores.criterion[fisher]:.6f}. Along the mean "
        f"difference ({signed(between)}°) it is {scores.criterion[at['mean difference']]:.4f}, "
        f"along the first component ({signed(main)}°) "
        f"{scores.criterion[at['first component']]:.4f}. Fisher's direction alone has no threshold."
    )
    answer = float(scores.criterion[fisher])
    if asked == "errors":
        answer = float(scores.errors[fisher] - scores.errors.min())
        finding += (
            f" With the best threshold it misclassifies {scores.errors[fisher]} rows, the best of "
            f"these directions {scores.errors.min()}: J is no error."
        )
    frames = (first, *(frame(i) for i in range(len(angles))))
    return Demonstration(figure, frames, answer, finding, 1 + fisher)


EXPERIMENT = Experiment(
    "Fisher's direction by hand",
    "Choose w so that projected means lie far apart and classes are narrow: J is largest for "
    "S_W⁻¹(m2 − m1) (PRML 4.1.4; lecture, “Fisher discriminant analysis”).",
    "angle",
    {
        "classic": Preset(
            "The 100 rows of the R text",
            "Along the mean difference J is 6.85. How large can J become?",
            "",
            2,
            partial(_show, prml_training, "best"),
            prml_data,
        ),
        "long": Preset(
            "Most variance misleads",
            "The first principal component runs along both classes. How large is J in Fisher's "
            "direction?",
            "",
            2,
            partial(_show, _long_classes, "component"),
            _long_classes,
        ),
        "faces": Preset(
            "Two faces in two components",
            "320 images of two persons, in the two directions of most variance. How large is J in "
            "Fisher's direction?",
            "",
            2,
            partial(_show, _two_faces, "component"),
            _two_faces,
        ),
        "far": Preset(
            "J is no error",
            "Ten far points draw Fisher's direction. How many rows more than the best direction "
            "does it misclassify, each with its best threshold?",
            "rows",
            0,
            partial(_show, with_far, "errors"),
            with_far,
        ),
    },
)
