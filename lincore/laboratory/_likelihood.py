"""Experiment 10: naive Bayes word by word, and the likelihood by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np
import plotly.graph_objects as go

from lincore.errors import DataError
from lincore.estimators.linear_discriminant import LinearDiscriminantAnalysis
from lincore.geometry.likelihood import joint_log_likelihood
from lincore.laboratory import _letters
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
from lincore.laboratory.samples import ellipse, prml_data, prml_training
from lincore.plots.base.palette import ACCENT, INK, colour
from lincore.plots.geometry.stage import FULL, Panel, Spot, StagePlane, line, stage, within
from lincore.plots.plane.axis_limits import RADIUS
from lincore.utils.formatting import percent
from lincore.utils.typing import Array

NAMES = ("mean of class 1", "mean of class 2", "first handle of Σ", "second handle of Σ")
DIGITS = 4
WINDOW = StagePlane(np.array([2.0, 1.0]), np.array([9.0, 8.0]), ("X1", "X2"))
# The log likelihood as a bar beside the plane, and where the estimates end.
SPOT = Spot(across=(0, 0.78))
GAUGE = Panel(
    StagePlane(np.array([0.0, -450.0]), np.array([1.0, -100.0]), ("", "log likelihood"), False),
    Spot((0.9, 1), FULL.up),
    {"showticklabels": False, "showgrid": False},
)
LOOKS = (
    *(
        line(f"95 % of class {k + 1}", colour(k), dash=("dash", "solid")[k], width=3)
        for k in (0, 1)
    ),
    within(line("", ACCENT, width=36)),
    within(line("", INK, dash="dot", width=3)),
)
Move = Callable[[Array, Array, float], tuple[Array, Array]]


def _shift(means: Array, covariance: Array, amount: float) -> tuple[Array, Array]:
    return means + np.array([[0.0, 0.0], [amount, 0.0]]), covariance


def _spread(means: Array, covariance: Array, factor: float) -> tuple[Array, Array]:
    return means, factor * covariance


@cache
def _estimates() -> LinearDiscriminantAnalysis:
    data = prml_training()
    return LinearDiscriminantAnalysis().fit(data.X, data.codes)


def _value(means: Array, covariance: Array) -> float:
    data = prml_training()
    return joint_log_likelihood(data.X, data.codes, means, covariance, _estimates().priors_)


def _maximum() -> float:
    return _value(_estimates().means_, _estimates().covariance_)


def _places(means: Array, covariance: Array, *, is_judged: bool = True) -> tuple[Array, ...]:
    """Return the ellipses, the bar, and the mark of the maximum once it is judged."""
    low = GAUGE.plane.low[1]
    bar = np.array([[0.5, low], [0.5, max(_value(means, covariance), low)]])
    mark = np.array([[0.0, _maximum()], [1.0, _maximum()]]) if is_judged else nothing()
    return *(ellipse(mean, covariance) for mean in means), bar, mark


def _move_parameters(move: Move, steps: Array, asked_amount: float, name: str) -> Demonstration:
    model, most = _estimates(), _maximum()

    def frame(amount: float) -> Snapshot:
        means, covariance = move(model.means_, model.covariance_, amount)
        value = _value(means, covariance)
        sentence = (
            f"{name} {signed(amount)}: log likelihood {signed(value, 4)}, {most - value:.4f} below "
            f"that of the estimates, {signed(most, 4)}."
        )
        label = f"{name} {signed(amount)}"
        return Snapshot(label, sentence, _places(means, covariance), most - value)

    snapshots = [frame(round(float(amount), 4)) for amount in steps]
    at = int(np.argmin(np.abs(steps - asked_amount)))
    before = f"Estimated by maximum likelihood: log likelihood {signed(most, 4)} of 100 rows."
    first = Snapshot("before", before, _places(model.means_, model.covariance_))
    finding = (
        "Any other value has a lower likelihood: the class means and the pooled covariance "
        f"with divisor n maximise it, {signed(most, 4)}."
    )
    frames = (first, *snapshots)
    return Demonstration(_stage(first), frames, snapshots[at].value, finding, 1 + at)


def _stage(first: Snapshot) -> go.Figure:
    data = prml_training()
    return stage(
        WINDOW,
        LOOKS,
        first.places,
        title="Fill the bar: it is the log likelihood of the 100 rows",
        alt="Rows of two classes, the ellipses of two Gaussian classes that can be moved, and the "
        "log likelihood as a bar.",
        rows=(data.X, data.codes, data.classes),
        spot=SPOT,
        panels=(GAUGE,),
    )


def _parameters(points: Sequence[Point]) -> tuple[Array, Array]:
    """Return means (2, 2) and covariance (2, 2); the 95 % ellipse passes through the handles."""
    places, _ = checked(points, WINDOW)
    if len(places) != len(NAMES):
        raise DataError(f"There are {len(places)}.", where="points", remedy="Give four.")
    radii = (places[2:] - places[0]) / RADIUS
    covariance = radii.T @ radii
    if np.linalg.det(covariance) < 1e-6 * np.trace(covariance) ** 2:
        raise DataError(
            "Σ is singular: its handles and the mean lie on one line.",
            where="covariance",
            remedy="Move a handle.",
        )
    return places[:2], covariance


def _points(means: Array, covariance: Array) -> tuple[Point, ...]:
    values, vectors = np.linalg.eigh(covariance)
    handles = means[0] + RADIUS * (vectors * np.sqrt(values)).T
    return points_of(np.vstack([means, handles]), np.array([0, 1, 0, 0]), DIGITS)


def _start() -> tuple[Point, ...]:
    return _points(np.array([[4.2, 5.0], [6.5, 4.2]]), 0.4 * np.eye(2))


def _best() -> tuple[Point, ...]:
    return _points(_estimates().means_, _estimates().covariance_)


def _reply(points: Sequence[Point]) -> Reply:
    (first, second), covariance = _parameters(points)
    value, most = _value(np.array([first, second]), covariance), _maximum()
    a, b, c = (signed(float(covariance[i, j])) for i, j in ((0, 0), (0, 1), (1, 1)))
    below = f"{most - value:.4f} below the maximum" if most - value > 5e-5 else "the maximum"
    where = ", ".join(
        f"μ{k} = ({signed(float(x))}, {signed(float(y))})"
        for k, (x, y) in enumerate((first, second), start=1)
    )
    parameters = f"{where}, Σ = ({a}, {b}; {b}, {c})."
    likelihood = f"Log likelihood {signed(value, 4)}"
    # The ellipses are the board's own, which follow at once.
    bar, mark = board_lines(LOOKS[2:], _places(np.array([first, second]), covariance)[2:])
    lines = bar, mark | {"isAnswer": True}
    return Reply(f"{likelihood}. {parameters}", lines, f"{likelihood}: {below}. {parameters}")


def _by_hand(points: Sequence[Point] = ()) -> Demonstration:
    means, covariance = _parameters(points or _start())
    model, most = _estimates(), _maximum()

    def frame(share: float) -> Snapshot:
        moved_means = means + share * (model.means_ - means)
        spread = covariance + share * (model.covariance_ - covariance)
        value = _value(moved_means, spread)
        sentence = f"{percent(share, 0)} of the way to the estimates: {signed(value, 4)}."
        return Snapshot(percent(share, 0), sentence, _places(moved_means, spread))

    before = (
        f"Two means and one covariance, chosen by hand: log likelihood "
        f"{signed(_value(means, covariance), 2)} of 100 rows."
    )
    first = Snapshot("before", before, _places(means, covariance, is_judged=False))
    finding = (
        f"The largest log likelihood is {signed(most, 4)}, at the class means and the "
        "pooled covariance with divisor n: the estimates of LDA."
    )
    frames = (first, *(frame(float(share)) for share in np.linspace(0, 1, 21)))
    return Demonstration(_stage(first), frames, most, finding)


EXPERIMENT = LaboratoryExperiment(
    "Likelihood by hand",
    "Estimates maximise the joint likelihood (LDA and QDA derivations, eqs. 10 to 28); naive Bayes "
    "multiplies word by word (lecture, “Naïve Bayes”).",
    {
        **_letters.PRESETS,
        "hand": Preset(
            "Drag μ and Σ",
            "You can drag both means and the covariance. How large can the log likelihood of "
            "the 100 rows become?",
            "",
            2,
            _by_hand,
            prml_data,
            Board(
                _start,
                _reply,
                _by_hand,
                WINDOW,
                DIGITS,
                NAMES,
                ("μ1", "μ2", "Σ", "Σ"),
                prml_training,
                ((0, 0, 2, 3), (1, 0, 2, 3)),
                _best,
                ((2, 0), (3, 0)),
                spot=SPOT,
                panels=(GAUGE,),
            ),
        ),
        "mean": Preset(
            "Move a mean",
            "The mean of class 2 is moved by 0.5 to the right. By how much does the log likelihood "
            "of the 100 rows fall?",
            "",
            2,
            partial(_move_parameters, _shift, np.linspace(-1, 1, 41), 0.5, "μ2 moved by"),
            prml_data,
        ),
        "covariance": Preset(
            "Scale the covariance",
            "The covariance of both classes is doubled. By how much does the log likelihood fall?",
            "",
            2,
            partial(_move_parameters, _spread, np.linspace(0.4, 2.4, 41), 2.0, "Σ times"),
            prml_data,
        ),
    },
)
