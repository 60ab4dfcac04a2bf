"""Experiment 4: a direction turned by hand, its projections and Fisher's J."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from lincore.plots.base.palette import ACCENT, GREY, INK, colour
from lincore.plots.geometry.stage import (
    Panel,
    Spot,
    StagePlane,
    area,
    arrow,
    bars,
    dots,
    line,
    stage,
    within,
)
from lincore.preprocessing.pca import PCA
from lincore.utils.formatting import decimals
from lincore.utils.typing import Array, Codes

# Degrees per step; bins of a histogram; its height as a share of the radius of all rows.
STEP, N_BINS, TALL = 3, 26, 0.42
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


def _angle(w: Array, high: float = 90.0) -> float:
    """Return the angle of a line, up to `high` and above `high` - 180°."""
    return float(high - (high - np.degrees(np.arctan2(w[1], w[0]))) % 180)


class _Turns(NamedTuple):
    """Directions in the plane of two classes, with their scores."""

    rows: Dataset
    plane: StagePlane
    angles: Array  # (m,), in degrees
    named: Mapping[str, int]  # positions of the named directions
    scores: DirectionScores
    drawn: Sequence[tuple[Array, ...]]  # arrow, threshold and both histograms of each direction

    @classmethod
    def of_rows(cls, rows: Dataset) -> _Turns:
        """Turn a direction in steps, including the named directions."""
        X, codes = rows.X, rows.codes
        means = np.array([X[codes == k].mean(axis=0) for k in (0, 1)])
        directions = {
            "x1": np.array([1.0, 0.0]),
            "x2": np.array([0.0, 1.0]),
            FISHER: SampleLine.of(FisherDiscriminant().fit(X, codes)).normal,
            BETWEEN: means[1] - means[0],
            MAIN: np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][0],
        }
        # Half a turn that does not begin near the answer.
        high = 90.0 if abs(_angle(directions[FISHER])) <= 45 else 180.0
        named = {name: _angle(direction, high) for name, direction in directions.items()}
        usual = np.arange(high - 180, high, STEP, dtype=float)
        named_angles = np.array(list(named.values()))
        near = np.min(np.abs(usual[:, None] - named_angles), axis=1) < STEP / 3
        angles = np.unique([*usual[~near], *named_angles])
        positions = {name: int(np.flatnonzero(angles == angle)[0]) for name, angle in named.items()}
        scores = direction_scores(X, codes, unit(angles))
        drawn = _histograms(X, codes, angles, scores.midpoint)
        first, second, *_ = rows.feature_names
        seen = np.vstack([X, *(points for each in drawn for points in each)])
        plane = StagePlane.around(seen, margin=0.03, names=(first, second))
        arrows = [arrow(plane, *direction) for direction, *_ in drawn]
        whole = [
            (direction, *others) for direction, (_, *others) in zip(arrows, drawn, strict=True)
        ]
        return cls(rows, plane, angles, positions, scores, whole)

    def words(self, name: str) -> tuple[float, float]:
        """Return angle and J of a named direction."""
        return self.angles[self.named[name]], self.scores.criterion[self.named[name]]

    def snapshot(self, i: int, question: str = "") -> Snapshot:
        """Return a direction with its histograms and threshold, its scatters, and J by angle."""
        scores = self.scores
        name = next((f", {name}" for name, position in self.named.items() if position == i), "")
        known = {"s_B": scores.between, "s_W": scores.within, "J": scores.criterion}
        # A number stays with its name.
        words = ", ".join(
            f"{key}\u00a0=\u00a0{values[i]:,.0f}"
            if values[i] >= 1000
            else f"{key}\u00a0=\u00a0{decimals(values[i])}"
            for key, values in known.items()
        )
        sentence = (
            f"At {signed(self.angles[i], 2 if name else 0)}°{name}: {words} of at most "
            f"{decimals(scores.criterion.max())}. The midpoint of the projected means, "
            f"{signed(scores.midpoint[i], 3)}, misclassifies {scores.midpoint_errors[i]} of "
            f"{self.rows.n_rows} rows, the best threshold {scores.errors[i]}."
        )
        curve = np.column_stack([self.angles, scores.criterion])
        scatters = np.array([[0.0, scores.between[i]], [1.0, scores.within[i]]])
        fewest = scores.errors.min()
        value = scores.errors[i] - fewest if question == "errors" else scores.criterion[i]
        places = (*self.drawn[i], scatters, curve, curve[[i]])
        return Snapshot(f"{signed(self.angles[i], 0)}°", sentence, places, float(value))


def _histograms(
    X: Array, codes: Codes, angles: Array, thresholds: Array
) -> list[tuple[Array, ...]]:
    """Return direction, threshold and histograms at each angle, on a line beyond all rows."""
    centre = (X.min(axis=0) + X.max(axis=0)) / 2
    radius = float(np.linalg.norm(X - centre, axis=1).max())
    edges = np.linspace(-radius, radius, N_BINS + 1)
    along = (X - centre) @ unit(angles).T
    counts = np.array(
        [[np.histogram(projected[codes == k], edges)[0] for k in (0, 1)] for projected in along.T]
    )
    heights = np.repeat(TALL * radius / counts.max() * counts, 2, axis=2)
    figures = []
    for i, (w, n) in enumerate(zip(unit(angles), unit(angles + 90), strict=True)):
        across = (X - centre) @ n
        base = centre + (across.max() + 0.08 * radius) * n
        low, high = along[:, i].min() - 0.2 * radius, along[:, i].max() + 0.3 * radius
        ends = base + np.array([[low], [high]]) * w
        cut = base + (thresholds[i] - centre @ w) * w
        middle = np.array([cut + TALL * radius * n, cut + (across.min() - across.max()) * n])
        steps = base + np.repeat(edges, 2)[1:-1, None] * w
        outlines = []
        for heights_of_class in heights[i]:
            seen = np.flatnonzero(heights_of_class)
            filled = slice(seen[0], seen[-1] + 1)
            top = steps[filled] + heights_of_class[filled, None] * n
            outlines.append(np.vstack([steps[seen[0]], top, steps[seen[-1]]]))
        figures.append((ends, middle, *outlines))
    return figures


def _thresholds(rows: Dataset, w: Array) -> str:
    """Describe the thresholds of two rules along w, of length 1."""
    lines = [
        SampleLine.of(FisherDiscriminant(threshold=rule).fit(rows.X, rows.codes))
        for rule in ("midpoint", "gaussian")
    ]
    midpoint, gaussian = (float(line.foot @ w) for line in lines)
    return (
        f"for a w of length 1 the midpoint of the projected means is {signed(midpoint, 6)}, the "
        f"threshold of two Gaussians {signed(gaussian, 6)}"
    )


def _without_sizes(criterion: float, codes: Codes) -> float:
    first, second = np.bincount(codes).tolist()
    return criterion * (first + second) / (first * second)


def _show(data: Callable[[], Dataset], question: str) -> Demonstration:
    turns = _Turns.of_rows(data())
    rows, scores = turns.rows, turns.scores
    start = BETWEEN if question == "best" else MAIN
    angle, value = turns.words(start)
    before = (
        f"At {signed(angle, 2)}°, {start}, the projections on the line have J = {decimals(value)}."
    )
    drawn = turns.snapshot(turns.named[start]).places
    first = Snapshot("before", before, (*drawn[:-2], nothing(), drawn[-1]))
    most, highest = max(scores.between.max(), scores.within.max()), scores.criterion.max()
    low = turns.angles.min()
    dot = dots("", 0, size=13)
    figure = stage(
        turns.plane,
        (
            line("w", INK, width=3),
            line("threshold", ACCENT, dash="dash", width=3),
            *({**area("", colour(k), 0.6), "showlegend": False} for k in (0, 1)),
            within({**bars("", ACCENT), "marker": {"color": [ACCENT, GREY]}}, 0),
            within(line("", GREY, width=3), 1),
            within({**dot, "marker": {**dot["marker"], "color": INK}}, 1),
        ),
        first.places,
        title="Turn w: J is large where the histograms separate",
        alt="Rows of two classes, a direction with the histogram of the projections on it, the "
        "threshold, the scatter between and within classes as bars, and Fisher's J by angle.",
        rows=(rows.X, rows.codes, rows.classes),
        spot=Spot(across=(0, 0.63)),
        panels=(
            Panel(
                StagePlane(np.array([-0.6, 0.0]), np.array([1.6, 1.05 * most]), ("", ""), False),
                Spot((0.74, 1), (0.58, 1)),
                {"tickvals": [0, 1], "ticktext": ["between<br>s_B", "within<br>s_W"]},
            ),
            Panel(
                StagePlane(
                    np.array([low, -0.05 * highest]), np.array([low + 180, 1.3 * highest]),
                    ("angle of w", "J = s_B / s_W"), False,
                ),
                Spot((0.74, 1), (0, 0.42)),
                {"tickvals": [low, low + 90, low + 180], "ticksuffix": "°"},
            ),
        ),
    )  # fmt: skip
    (best, answer), (between, J_between), (main, J_main) = map(turns.words, (FISHER, BETWEEN, MAIN))
    finding = (
        f"J is largest at {signed(best, 4)}°: {answer:.6f}. Along the mean difference "
        f"({signed(between)}°) it is {J_between:.4f}, along the first component "
        f"({signed(main)}°) {J_main:.4f}, at 0° {turns.words('x1')[1]:.4f}, at 90° "
        f"{turns.words('x2')[1]:.4f}."
    )
    at = turns.named[FISHER]
    if question == "errors":
        answer = float(scores.errors[at] - scores.errors.min())
        finding += (
            f" With the best threshold it misclassifies {scores.errors[at]} rows, the best of "
            f"these directions {scores.errors.min()}: J is not an error rate."
        )
    else:
        finding += (
            f" Fisher's direction alone has no threshold: {_thresholds(rows, unit(best))}. "
            f"Divided by n₁n₂/n, J is {_without_sizes(answer, rows.codes):.6f}, the R text's "
            "criterion."
        )
    frames = (first, *(turns.snapshot(i, question) for i in range(len(turns.angles))))
    return Demonstration(figure, frames, float(answer), finding, 1 + at)


EXPERIMENT = LaboratoryExperiment(
    "Fisher's direction by hand",
    "Choose w so that projected means are far apart and classes are narrow: J is largest for "
    "S_W⁻¹(m2 − m1) (PRML 4.1.4; lecture, “Fisher Discriminant Analysis”).",
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
