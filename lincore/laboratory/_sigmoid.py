"""Experiment 12: one feature, two Gaussian classes, and the sigmoid that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from lincore.errors import DataError
from lincore.geometry.likelihood import gaussian_log_ratio
from lincore.laboratory.demonstration import Demonstration, Snapshot, signed
from lincore.laboratory.experiment import (
    Board,
    LaboratoryExperiment,
    Point,
    Preset,
    Reply,
    board_lines,
    checked,
)
from lincore.plots.base.palette import ACCENT, INK, MARK, colour
from lincore.plots.geometry.stage import StagePlane, line, stage
from lincore.utils.typing import Array

NAMES = ("mean of class 1", "mean of class 2", "σ, from the mean of class 1", "prior of class 2")
WINDOW = StagePlane(np.array([-4.0, -6.2]), np.array([6.0, 6.2]), ("x", ""), False)
# The posterior and the densities stand on one line, the log odds around another below it.
BASE, TALL, MIDDLE, PER_LOG_ODDS, MOST_ODDS = 0.6, 5.0, -3.2, 0.45, 6.0
# The handle of the prior is on this vertical.
PRIOR_AT = 5.6
LEAST_SIGMA, LEAST_PRIOR = 0.2, 0.01
TICKS = (
    *((BASE + TALL * share, f"{share:g}") for share in (0.0, 0.5, 1.0)),
    *((MIDDLE + PER_LOG_ODDS * odds, signed(odds, 0)) for odds in (-4.0, 0.0, 4.0)),
)
CURVES = (
    "prior × density, class 1",
    "prior × density, class 2",
    "posterior of class 2",
    "log odds a(x)",
)
LOOKS = (
    line("threshold", MARK, dash="dot", width=2.5),
    line(CURVES[0], colour(0), width=2),
    line(CURVES[1], colour(1), dash="dash", width=2),
    line(CURVES[2], INK, width=3.5),
    line(CURVES[3], ACCENT, width=3.5),
)


class SharedVariance(NamedTuple):
    """Two Gaussian classes of one feature with a common deviation."""

    means: tuple[float, float] = (0.0, 2.0)
    sigma: float = 1.0
    prior: float = 0.5  # of class 2

    @property
    def log_odds(self) -> tuple[float, float]:
        """Slope and intercept of ln p(class 2 | x) / p(class 1 | x), PRML (4.66) and (4.67)."""
        means, priors = [[mean] for mean in self.means], [1 - self.prior, self.prior]
        ratio = gaussian_log_ratio(means, [[self.sigma**2]], priors, 1, 0)
        return float(ratio.b[0]), float(ratio.c)

    @property
    def threshold(self) -> float:
        """The x at which both posteriors are one half; NaN if the means are equal."""
        slope, intercept = self.log_odds
        return -intercept / slope if abs(slope) > 1e-9 else float("nan")

    def curves(self) -> tuple[Array, ...]:
        """Return the lines of `LOOKS` in the window."""
        slope, intercept = self.log_odds
        x = np.linspace(WINDOW.low[0], WINDOW.high[0], 161)
        a, shares = slope * x + intercept, (1 - self.prior, self.prior)
        # Scaled by the height that a density with σ = 0.4 and prior 1 has.
        densities = [
            0.4 * share / self.sigma * np.exp(-0.5 * ((x - mean) / self.sigma) ** 2)
            for mean, share in zip(self.means, shares, strict=True)
        ]
        heights = [BASE + TALL * each for each in (*densities, expit(a))]
        is_seen = np.abs(a) <= MOST_ODDS
        odds = np.where(is_seen, MIDDLE + PER_LOG_ODDS * a, np.nan)
        cut = np.array([[self.threshold, WINDOW.low[1]], [self.threshold, WINDOW.high[1]]])
        is_inside = WINDOW.low[0] < self.threshold < WINDOW.high[0]
        upright = cut if is_inside else np.full((2, 2), np.nan)
        return upright, *(np.column_stack([x, y]) for y in (*heights, odds))

    def sentence(self, *, in_full: bool = True) -> str:
        """Return parameters, and log odds and threshold."""
        given = (
            f"μ1 = {signed(self.means[0])}, μ2 = {signed(self.means[1])}, σ = {self.sigma:.2f}, "
            f"prior of class 2 = {self.prior:.2f}."
        )
        if not in_full:
            return given
        return (
            f"{given} Log odds {self.equation()}: zero, and the posterior σ(a) one half, at x = "
            f"{signed(self.threshold, 4)}."
        )

    def equation(self) -> str:
        """Return the log odds as text."""
        slope, intercept = self.log_odds
        sign = "−" if intercept < 0 else "+"
        return f"a(x) = {signed(slope, 4)} x {sign} {abs(intercept):.4f}"

    def points(self) -> tuple[Point, ...]:
        """Return the handles."""
        (first, second), sigma = self.means, self.sigma
        return (
            (first, BASE, 0),
            (second, BASE, 1),
            (round(first + sigma, 2), BASE, 0),
            (PRIOR_AT, round(BASE + TALL * self.prior, 2), 1),
        )

    @classmethod
    def of(cls, points: Sequence[Point]) -> SharedVariance:
        """Read the handles."""
        places, _ = checked(points, WINDOW)
        if len(places) != len(NAMES):
            raise DataError(f"There are {len(places)}.", where="points", remedy="Give four.")
        sigma = abs(float(places[2, 0] - places[0, 0]))
        prior = float((places[3, 1] - BASE) / TALL)
        return cls(
            (float(places[0, 0]), float(places[1, 0])),
            max(sigma, LEAST_SIGMA),
            min(max(prior, LEAST_PRIOR), 1 - LEAST_PRIOR),
        )


START, FEWER, NARROW = SharedVariance(), SharedVariance(prior=0.2), SharedVariance(sigma=0.5)


def _reply(points: Sequence[Point]) -> Reply:
    model = SharedVariance.of(points)
    return Reply(
        model.sentence(in_full=False),
        board_lines(LOOKS, model.curves()),
        judged=model.sentence(),
    )


def _show(
    states: Sequence[tuple[str, SharedVariance, float]], before: str, answer: float, finding: str
) -> Demonstration:
    """Show states, each with its label and the value that the question asks for."""
    first = Snapshot("before", before, states[0][1].curves(), states[0][2])
    figure = stage(
        WINDOW,
        LOOKS,
        first.places,
        title="Watch the threshold: there the line is 0, the S one half",
        alt="Two Gaussian densities over one feature with the posterior of class 2, an S-shaped "
        "curve, and below it the log odds, a straight line that is zero at the threshold.",
        up={"tickvals": [at for at, _ in TICKS], "ticktext": [text for _, text in TICKS]},
    )
    frames = [
        Snapshot(label, model.sentence(), model.curves(), value) for label, model, value in states
    ]
    return Demonstration(figure, (first, *frames), answer, finding)


def _fewer() -> Demonstration:
    priors = [round(float(prior), 2) for prior in np.linspace(0.5, 0.2, 31)]
    models = [SharedVariance(prior=prior) for prior in priors]
    return _show(
        [(f"prior {model.prior:.2f}", model, model.threshold) for model in models],
        "Class 1 is N(0, 1), class 2 is N(2, 1), and both are equally frequent: the threshold is "
        "at 1.",
        FEWER.threshold,
        f"{FEWER.equation()}. The prior shifts the straight line of the log odds by ln π2/π1, and "
        "with it sigmoid and threshold; the slope (μ2 − μ1)/σ² is the same. Logistic regression "
        "learns slope and intercept alone, not μ, σ and priors.",
    )


def _short(slope: float) -> str:
    return signed(slope).removesuffix("0").removesuffix(".0")


def _narrow(points: Sequence[Point] = ()) -> Demonstration:
    start = SharedVariance.of(points) if points else START
    sigmas = np.linspace(start.sigma, start.sigma / 2, 21).round(3).tolist()
    models = [SharedVariance(start.means, sigma, start.prior) for sigma in sigmas]
    return _show(
        [(f"σ = {model.sigma:.2f}", model, (start.sigma / model.sigma) ** 2) for model in models],
        f"{start.sentence(in_full=False)} The log odds are {start.equation()}.",
        4.0,
        f"If σ is halved, the slope (μ2 − μ1)/σ² grows from {_short(start.log_odds[0])} to "
        f"{_short(4 * start.log_odds[0])}: the sigmoid is steeper where classes overlap less. "
        "With equal variances the quadratic terms cancel, so the log odds are always a straight "
        "line.",
    )


EXPERIMENT = LaboratoryExperiment(
    "The sigmoid",
    "Gaussian classes with equal variances have linear log odds, and so a sigmoid as posterior "
    "(PRML 4.2.1, eqs. 4.57 to 4.67; lecture, “Continuous Input Variable”).",
    {
        "classic": Preset(
            "The prior falls",
            "The prior of class 2 falls from 1/2 to 1/5. Where does the threshold move from 1?",
            "",
            4,
            _fewer,
        ),
        "hand": Preset(
            "Drag means, σ and prior",
            "σ becomes half as large. By what factor does the slope of the log odds grow?",
            "",
            2,
            _narrow,
            board=Board(
                START.points,
                _reply,
                _narrow,
                WINDOW,
                names=NAMES,
                symbols=("μ1", "μ2", "σ", "π2"),
                best=NARROW.points,
                follows=((2, 0),),
                ways=("x", "x", "x", "y"),
                ticks=TICKS,
            ),
        ),
    },
)
