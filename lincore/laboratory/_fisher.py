"""Experiment 4: a direction turned by hand, its projections and Fisher's J."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.estimators.fisher import FisherDiscriminant
from lincore.geometry.directions import DirectionScores, direction_scores
from lincore.io.samples import sample
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing, signed
from lincore.laboratory.experiment import LaboratoryExperiment, Preset
from lincore.laboratory.samples import SampleLine, prml_data, prml_training, unit, with_far
from lincore.plots.base.palette import ACCENT, GREY, INK
from lincore.plots.geometry.stage import StagePlane, dots, line, stage
from lincore.preprocessing.pca import PCA
from lincore.utils.typing import Array, Codes

# Degrees of a step, and of how many projections half as many are sent to a browser.
STEP, MANY = 3, 250
FISHER, BETWEEN, MAIN = "Fisher's direction", "mean difference", "first component"


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


class _Turns(NamedTuple):
    """Directions through the rows of two classes, and what each is worth.

    Attributes
    ----------
    rows : Dataset
    plane : StagePlane
    angles : ndarray of shape (m,)
        In degrees.
    named : mapping of str to int
        Positions of the directions that have a name.
    scores : DirectionScores
    lobe : ndarray of shape (2 m, 2)
        J as a distance from the centre in each direction.
    """

    rows: Dataset
    plane: StagePlane
    angles: Array
    named: Mapping[str, int]
    scores: DirectionScores
    lobe: Array

    @classmethod
    def through(cls, rows: Dataset) -> _Turns:
        """Turn a direction in steps, through those that have a name too."""
        X, codes = rows.X, rows.codes
        means = np.array([X[codes == k].mean(axis=0) for k in (0, 1)])
        named = {
            "x1": 0.0,
            "x2": 90.0,
            FISHER: _angle(SampleLine.of(FisherDiscriminant().fit(X, codes)).normal),
            BETWEEN: _angle(means[1] - means[0]),
            MAIN: _angle(np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][0]),
        }
        step = STEP if len(X) <= MANY else 2 * STEP
        usual, kept = np.arange(-90, 90, step, dtype=float), np.array(list(named.values()))
        near = np.min(np.abs(usual[:, None] - kept), axis=1) < step / 3
        angles = np.unique([*usual[~near], *kept])
        places = {name: int(np.flatnonzero(angles == angle)[0]) for name, angle in named.items()}
        first, second, *_ = rows.feature_names
        plane = StagePlane.around(X, names=(first, second))
        scores = direction_scores(X, codes, unit(angles))
        centre, half = _middle(plane)
        reach = 0.94 * half * (scores.criterion / scores.criterion.max())[:, None] * unit(angles)
        lobe = np.vstack([centre + reach, centre - reach])
        return cls(rows, plane, angles, places, scores, lobe)

    def words(self, name: str) -> tuple[float, float]:
        """Return angle and J of a direction with a name."""
        return self.angles[self.named[name]], self.scores.criterion[self.named[name]]

    def at(self, i: int) -> Snapshot:
        """Return a direction, the projections on it, its threshold, and J as a curve."""
        X, codes, scores = self.rows.X, self.rows.codes, self.scores
        w, (centre, half) = unit(self.angles[i]), _middle(self.plane)
        on_line = centre + ((X - centre) @ w)[:, None] * w
        cut = centre + (scores.midpoint[i] - centre @ w) * w
        across = 0.25 * half * np.array([-w[1], w[0]])
        name = next((f", {name}" for name, place in self.named.items() if place == i), "")
        sentence = (
            f"At {signed(self.angles[i], 2 if name else 0)}°{name}: J = {scores.criterion[i]:.3f} "
            f"of at most {scores.criterion.max():.3f}. The threshold between the projected means, "
            f"at {signed(scores.midpoint[i], 3)}, misclassifies {scores.midpoint_errors[i]} of "
            f"{len(X)} rows, the best one {scores.errors[i]}."
        )
        places = (
            np.array([centre - 1.5 * half * w, centre + 1.5 * half * w]),
            on_line[codes == 0],
            on_line[codes == 1],
            np.array([cut - across, cut + across]),
            self.lobe,
        )
        return Snapshot(f"{signed(self.angles[i], 0)}°", sentence, places)


def _thresholds(rows: Dataset) -> str:
    """Return where two rules put the threshold, on a w of length 1."""
    found = [
        SampleLine.of(FisherDiscriminant(threshold=rule).fit(rows.X, rows.codes))
        for rule in ("midpoint", "gaussian")
    ]
    midpoint, gaussian = (-one.offset / one.length for one in found)
    return (
        f"on a w of length 1 the midpoint of the projected means is {signed(midpoint, 6)}, the "
        f"threshold of two Gaussians {signed(gaussian, 6)}"
    )


def _without_sizes(criterion: float, codes: Codes) -> float:
    first, second = np.bincount(codes).tolist()
    return criterion * (first + second) / (first * second)


def _middle(plane: StagePlane) -> tuple[Array, float]:
    """Return centre and half the side of a plane."""
    return (plane.low + plane.high) / 2, float(plane.high[0] - plane.low[0]) / 2


def _show(data: Callable[[], Dataset], asked: str) -> Demonstration:
    turns = _Turns.through(data())
    rows, scores = turns.rows, turns.scores
    start = BETWEEN if asked == "best" else MAIN
    angle, value = turns.words(start)
    before = f"At {signed(angle, 2)}°, {start}, the projections on the line have J = {value:.3f}."
    first = Snapshot("before", before, (*turns.at(turns.named[start]).places[:-1], nothing()))
    figure = stage(
        turns.plane,
        (
            line("direction w", INK),
            dots("projections, class 1", 0, size=6),
            dots("projections, class 2", 1, size=6),
            line("threshold", ACCENT, width=4),
            line("J by direction", GREY, dash="dot", width=2),
        ),
        first.places,
        title=f"A direction for the {rows.n_rows} rows",
        alt="Rows of two classes, a direction, the projections on it, the threshold, and Fisher's "
        "J as a curve around the centre.",
        rows=(rows.X, rows.codes, rows.classes),
    )
    (best, answer), (between, J_between), (main, J_main) = map(turns.words, (FISHER, BETWEEN, MAIN))
    finding = (
        f"J is largest at {signed(best, 4)}°: {answer:.6f}. Along the mean difference "
        f"({signed(between)}°) it is {J_between:.4f}, along the first component "
        f"({signed(main)}°) {J_main:.4f}, at 0° {turns.words('x1')[1]:.4f}, at 90° "
        f"{turns.words('x2')[1]:.4f}. Fisher's direction alone has no threshold: "
        f"{_thresholds(rows)}. Divided by n₁n₂/n, J is {_without_sizes(answer, rows.codes):.6f}, "
        f"as in the R text."
    )
    at = turns.named[FISHER]
    if asked == "errors":
        answer = float(scores.errors[at] - scores.errors.min())
        finding += (
            f" With the best threshold it misclassifies {scores.errors[at]} rows, the best of "
            f"these directions {scores.errors.min()}: J is not an error rate."
        )
    frames = (first, *(turns.at(i) for i in range(len(turns.angles))))
    return Demonstration(figure, frames, float(answer), finding, 1 + at)


EXPERIMENT = LaboratoryExperiment(
    "Fisher's direction by hand",
    "Choose w so that projected means are far apart and classes are narrow: J is largest for "
    "S_W⁻¹(m2 − m1) (PRML 4.1.4; lecture, “Fisher Discriminant Analysis”).",
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
            "J is not an error rate",
            "Ten outliers pull Fisher's direction. How many rows more than the best direction "
            "does it misclassify, each with its best threshold?",
            "rows",
            0,
            partial(_show, with_far, "errors"),
            with_far,
        ),
    },
)
