"""Experiment 3: far points pull the boundary of least squares, and that of LDA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from lincore.data.mixtures import with_far_rows
from lincore.errors import DataError
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.linear_discriminant import LinearDiscriminantAnalysis
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.geometry.half_planes import line_in_window
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing, signed
from lincore.laboratory.experiment import (
    Board,
    LaboratoryExperiment,
    Point,
    Preset,
    Reply,
    board_lines,
    checked,
    points_of,
)
from lincore.laboratory.samples import FAR, SampleLine, overlapping, with_far
from lincore.plots.base.palette import ACCENT, GREY, INK, colour
from lincore.plots.base.style import Trace, compact
from lincore.plots.geometry.stage import (
    Panel,
    Spot,
    StagePlane,
    dots,
    line,
    stage,
    stems,
    within,
)
from lincore.utils.formatting import capital, percent
from lincore.utils.typing import Array

# Frames in which the points move away, and in which their weight grows.
N_MOVES, N_WEIGHTS = 12, 12
# The parts of the figure that the planes fill.
SPOT, BESIDE = Spot(across=(0, 0.62)), (0.76, 1.0)
STEMS = (stems("", GREY), stems("", colour(1), width=3, size=7))
LOSSES: tuple[tuple[Callable[[Array], Array], StagePlane], ...] = (
    (
        lambda margins: (1 - margins) ** 2,
        StagePlane(
            np.array([-1.5, 0.0]), np.array([7.5, 42.0]), ("t·f(x)", "squared error"), False
        ),
    ),
    (
        lambda margins: np.logaddexp(0, -margins),
        StagePlane(
            np.array([-5.0, 0.0]), np.array([42.0, 6.0]), ("t·f(x)", "logistic loss"), False
        ),
    ),
)


def _logistic() -> LogisticRegression:
    return LogisticRegression(C=np.inf)


def _fitted(model: Any, far: Array, weight: float = 1.0) -> SampleLine:
    """Return the function of a model of the old rows and of far points with a weight."""
    old = overlapping()
    X = np.concatenate([old.X, far])
    codes = np.append(old.codes, np.ones(len(far), dtype=np.intp))
    weights = np.append(np.ones(old.n_rows), np.full(len(far), weight))
    return SampleLine.of(model.fit(X, codes, sample_weight=weights))


@cache
def _usual(make: Callable[[], Any]) -> SampleLine:
    return _fitted(make(), np.empty((0, 2)))


def _stems(f: SampleLine, far: Array, loss: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Return margin t·f(x) and loss of the old rows, and of far points of class 2."""
    old = overlapping()
    margins = f.values(old.X) * np.where(old.codes, 1, -1), f.values(far)
    first, second = (np.column_stack([each, loss(each)]) for each in margins)
    return first, second


def _panels(n: int) -> tuple[Panel, ...]:
    """Return the planes of the losses of least squares and, if there are two, of logistic."""
    heights = ((0.6, 1.0), (0.07, 0.44)) if n == 2 else ((0.3, 1.0),)
    planes = [plane for _, plane in LOSSES]
    return tuple(Panel(plane, Spot(BESIDE, up)) for plane, up in zip(planes, heights, strict=False))


def _curve(number: int) -> Array:
    loss, plane = LOSSES[number]
    along = np.linspace(plane.low[0], plane.high[0], 121)
    return np.column_stack([along, loss(along)])


def _costs(pairs: Sequence[tuple[Array, Array]]) -> str:
    """State the losses of the far points and of the old rows."""
    names = ("squared errors", "logistic losses")
    sums = [[f"{stems[:, 1].sum():.2f}" for stems in pair] for pair in pairs]
    return ", ".join(
        f"{name} {far} and {old}" for name, (old, far) in zip(names, sums, strict=False)
    )


def _show(
    mean: Array,
    rival: Callable[[], Any],
    name: str,
    unit: str = "rows",
    *,
    why: str = "",
    plane: StagePlane | None = None,
) -> Demonstration:
    old, named = overlapping(), capital(name)
    plane = plane or StagePlane.around(np.vstack([old.X, [mean]]), margin=0.06)
    makes = (LeastSquaresClassifier, rival)
    n_losses = 2 if rival is _logistic else 1
    usual = tuple(_usual(make) for make in makes)

    def frame(label: str, far: Array, lines: tuple[SampleLine, ...]) -> Snapshot:
        ends = [line_in_window(*f, plane.low, plane.high) for f in lines]
        wrong, wrong_rival = (f.n_wrong(old.X, old.codes) for f in lines)
        lengths = [_stems(lines[i], far, LOSSES[i][0]) for i in range(n_losses)]
        sentence = (
            f"Least squares: w at {signed(lines[0].angle)}°, {wrong} of the 120 old rows "
            f"misclassified. {named}: {signed(lines[1].angle)}°, {wrong_rival}. Far points and "
            f"old rows cost: {_costs(lengths)}."
        )
        value = wrong if unit == "rows" else abs(lines[0].angle - usual[0].angle)
        places = far, *ends, *(stem for pair in lengths for stem in pair)
        return Snapshot(label, sentence, places, value)

    start, end = np.array([3.0, 0.0]), with_far_rows(old, 1, mean.tolist()).X[old.n_rows :]
    lines = usual
    snapshots = [
        frame(f"{percent(share, 0)} of the way", end + (1 - share) * (start - mean), usual)
        for share in np.linspace(0, 1, N_MOVES)
    ]
    for weight in np.arange(1, N_WEIGHTS + 1) / N_WEIGHTS:
        lines = tuple(_fitted(make(), end, weight) for make in makes)
        snapshots.append(frame(f"weight {percent(weight, 0)}", end, lines))
    hidden = [np.full_like(stem, np.nan) for stem in snapshots[0].places[3:]]
    before = (
        f"Fitted to the 120 rows, least squares misclassifies {usual[0].n_wrong(old.X, old.codes)} "
        f"of them, {name} {usual[1].n_wrong(old.X, old.codes)}."
    )
    first = Snapshot("before", before, (nothing(10), *snapshots[0].places[1:3], *hidden))
    squares, rival_line = lines
    turned, wrong = abs(squares.angle - usual[0].angle), squares.n_wrong(old.X, old.codes)
    rival_turned = abs(rival_line.angle - usual[1].angle)
    rival_turn = f"{rival_turned:.1f}°" if rival_turned > 0.01 else "less than 0.01°"
    fixed: list[Trace] = [
        {**within(line("", GREY, width=2), i), "x": compact(x), "y": compact(y)}
        for i, (x, y) in enumerate(_curve(i).T for i in range(n_losses))
    ]
    figure = stage(
        plane,
        (
            dots("far points of class 2", 1, size=9),
            line("least squares", INK, width=3.5),
            line(name, ACCENT, dash="dash", width=3),
            *(within(each, i) for i in range(n_losses) for each in STEMS),
        ),
        first.places,
        title="Watch what far points cost until the line turns",
        alt="Two overlapping classes, ten far points of class 2 and the boundaries of least "
        f"squares and {name}; beside them each row's loss by t·f(x).",
        rows=(old.X, old.codes, old.classes),
        fixed=fixed,
        spot=SPOT,
        panels=_panels(n_losses),
    )
    finding = (
        f"With ten points about ({signed(mean[0], 1)}, {signed(mean[1], 1)}) least squares turns "
        f"by {turned:.1f}° and misclassifies {wrong} of the old rows instead of "
        f"{usual[0].n_wrong(old.X, old.codes)}: rows that are “too correct” cost as much as "
        f"errors. {named} turns by {rival_turn}{why}."
    )
    answer = float(wrong) if unit == "rows" else turned
    return Demonstration(figure, (first, *snapshots), answer, finding)


WINDOW = StagePlane(np.array([-5.0, -14.5]), np.array([15.0, 5.5]))
BEHIND = (12.0, 0.0)


def _place(points: Sequence[Point]) -> Array:
    places, _ = checked(points, WINDOW)
    if len(places) != 1:
        raise DataError(f"There are {len(places)}.", where="points", remedy="Give one.")
    return places[0]


def _by_hand(points: Sequence[Point] = ()) -> Demonstration:
    mean = _place(points) if points else np.array(BEHIND)
    return _show(mean, _logistic, "logistic regression", plane=WINDOW)


def _reply(points: Sequence[Point]) -> Reply:
    mean = _place(points)
    old, makes = overlapping(), (LeastSquaresClassifier, _logistic)
    far = with_far_rows(old, 1, mean.tolist()).X[old.n_rows :]
    lines = [_fitted(make(), far) for make in makes]
    lengths = [_stems(_usual(makes[i]), far, LOSSES[i][0]) for i in (0, 1)]
    looks = (
        line("least squares", INK, width=3.5),
        line("logistic regression", ACCENT, dash="dash", width=3),
        *(within(look, i) for i in (0, 1) for look in (line("", GREY, width=2), *STEMS)),
    )
    places = (
        *(line_in_window(*f, WINDOW.low, WINDOW.high) for f in lines),
        *(each for i in (0, 1) for each in (_curve(i), *lengths[i])),
    )
    sentence = (
        f"Under the lines fitted without them, far points and old rows cost: {_costs(lengths)}."
    )
    squares, logistic = (f.n_wrong(old.X, old.codes) for f in lines)
    judged = (
        f"{sentence} Fitted to all, least squares misclassifies {squares} of the 120 old rows, "
        f"logistic regression {logistic}."
    )
    return Reply(sentence, board_lines(looks, places), judged)


def _cluster() -> tuple[tuple[float, float], ...]:
    offsets = with_far().X[overlapping().n_rows :] - np.array(FAR)
    return tuple((x, y) for x, y in offsets.round(2).tolist())


EXPERIMENT = LaboratoryExperiment(
    "Far points",
    "Least squares is not robust: points far on the correct side pull the boundary (lecture, "
    "“Why not to use LS Classifier?”; Bishop, figure 4.4).",
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
            "LDA is affected as well",
            "The same ten points join. By how many degrees does the boundary of LDA turn?",
            "°",
            1,
            partial(
                _show,
                np.array(FAR),
                LinearDiscriminantAnalysis,
                "LDA",
                "degrees",
                why=", exactly as far, as it must: for two classes both have the direction "
                "S_W⁻¹(m2 − m1), whatever the rows",
            ),
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
        "hand": Preset(
            "Drag the far points",
            "You can drag the ten points. With them at (12, 0), how many of the 120 old rows will "
            "least squares misclassify?",
            "rows",
            0,
            _by_hand,
            partial(with_far, BEHIND),
            Board(
                lambda: points_of(np.array([FAR]), np.array([1]), 2),
                _reply,
                _by_hand,
                WINDOW,
                names=("centre of the ten points",),
                rows=overlapping,
                best=lambda: ((*BEHIND, 1),),
                spot=SPOT,
                panels=_panels(2),
                cluster=_cluster,
            ),
        ),
    },
)
