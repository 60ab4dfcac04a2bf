"""Experiment 8: the best classifier of known densities, unequal losses, and regret."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.estimators.bayes import BayesClassifier
from lincore.estimators.bayes_risk import bayes_error
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.linear_discriminant import LinearDiscriminantAnalysis
from lincore.estimators.quadratic_discriminant import QuadraticDiscriminantAnalysis
from lincore.geometry.common_draw import common_draw
from lincore.geometry.half_planes import line_in_window
from lincore.geometry.likelihood import gaussian_log_ratio
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing, signed
from lincore.laboratory.experiment import LaboratoryExperiment, Preset
from lincore.laboratory.samples import ellipse, prml_data
from lincore.plots.base.palette import ACCENT, GREY, INK, colour
from lincore.plots.base.style import Trace, compact
from lincore.plots.geometry.stage import StagePlane, area, line, stage
from lincore.utils.formatting import percent
from lincore.utils.typing import Array

SIZES = (6, 12, 24, 48, 96, 192, 384)
SEEDS = range(10)
MODELS = {
    "LDA": LinearDiscriminantAnalysis,
    "QDA": QuadraticDiscriminantAnalysis,
    "least squares": LeastSquaresClassifier,
}
# A point near the boundary of the R text.
POINT = (5.3, 4.5)
# Class means of the single feature; the deviations are one.
MEANS = (0.0, 2.0)


@cache
def _one_feature() -> Dataset:
    return gaussian_classes([[MEANS[0]], [MEANS[1]]], sizes=[100, 100], seed=0)


def _density(x: Array, mean: float) -> Array:
    return 0.5 * np.exp(-((x - mean) ** 2) / 2) / np.sqrt(2 * np.pi)


def _threshold(loss: float) -> float:
    """Return the point at which the log ratio of the classes is minus the log of a loss."""
    ratio = gaussian_log_ratio([[MEANS[0]], [MEANS[1]]], [[1.0]], [0.5, 0.5], 1, 0)
    return float((-np.log(loss) - ratio.c) / ratio.b[0])


DENSITIES = StagePlane(
    np.array([-3.5, 0.0]), np.array([5.5, 0.22]), ("x", "prior × density"), False
)


def _under(low: float, high: float, mean: float) -> Array:
    """Return the polygon under a density between two ends."""
    x = np.linspace(low, high, 60)
    return np.column_stack([[low, *x, high], [0.0, *_density(x, mean), 0.0]])


def _at_loss(loss: float) -> Snapshot:
    cut, (left, right) = _threshold(loss), (DENSITIES.low[0], DENSITIES.high[0])
    needless, missed = 0.5 * ndtr(MEANS[0] - cut), 0.5 * ndtr(cut - MEANS[1])
    sentence = (
        f"A missed row of class 2 costs {loss:g}: class 2 is predicted above "
        f"{signed(cut, 4)}. Misses {percent(missed)}, false alarms {percent(needless)} of all "
        f"rows; expected loss {needless + loss * missed:.4f}."
    )
    upright = np.array([[cut, 0.0], [cut, DENSITIES.high[1]]])
    places = _under(left, cut, MEANS[1]), _under(cut, right, MEANS[0]), upright
    return Snapshot(f"loss {loss:g}", sentence, places, cut)


def _losses() -> Demonstration:
    losses = sorted({*np.round(np.geomspace(1, 10, 25), 2).tolist(), 2.0, 5.0})
    first = _at_loss(1)._replace(
        label="before",
        sentence="Two known classes, N(0, 1) and N(2, 1), equally frequent. If all errors cost "
        "1, the threshold is at 1.",
    )
    x = np.linspace(DENSITIES.low[0], DENSITIES.high[0], 181)
    figure = stage(
        DENSITIES,
        (
            area("missed rows of class 2", colour(1), 0.45),
            area("false alarms for class 2", colour(0), 0.45),
            line("threshold", INK, width=3),
        ),
        first.places,
        title="Watch the threshold: dearer errors push it away",
        alt="Two overlapping densities, the threshold between them, and the two kinds of errors "
        "as areas.",
        fixed=[
            _still(x, _density(x, mean), f"class {k + 1}", k, ("solid", "dash")[k], 3)
            for k, mean in enumerate(MEANS)
        ],
        across={"automargin": True},  # on a phone the legend has four lines
    )
    values = ", ".join(f"{signed(_threshold(loss), 4)} at {loss}" for loss in (1, 2, 5, 10))
    finding = (
        f"The threshold is 1 − ½ ln L: {values}. The densities are unchanged: inference and "
        f"decision are separate."
    )
    frames = (first, *(_at_loss(loss) for loss in losses))
    return Demonstration(figure, frames, _threshold(10), finding)


def _still(x: Array, y: Array, name: str, code: int, dash: str, width: float) -> Trace:
    return {**line(name, colour(code), dash=dash, width=width), "x": compact(x), "y": compact(y)}


def _truth() -> Demonstration:
    data = prml_data()
    known = data.truth
    assert known is not None
    plane = StagePlane.around(data.X, names=("X1", "X2"))

    def frame(prior: float) -> Snapshot:
        priors = [prior, 1 - prior]
        ratio = gaussian_log_ratio(known.means, known.covariances, priors, 1, 0)
        error = bayes_error(BayesClassifier(known.means, known.covariances, priors)).value
        second = float(expit(ratio.values([POINT])[0]))
        sentence = (
            f"Priors {prior:.2f} and {1 - prior:.2f}: even the best classifier has error "
            f"probability {error:.4e}. At {POINT} the posteriors are {1 - second:.4f} and "
            f"{second:.4f}."
        ).replace("e-0", "e−")
        ends = line_in_window(ratio.b, ratio.c, plane.low, plane.high)
        return Snapshot(f"prior {prior:.2f}", sentence, (ends,), 1e4 * error)

    snapshots = [frame(round(float(prior), 2)) for prior in np.linspace(0.02, 0.98, 49)]
    at = 29  # the true priors
    error = snapshots[at].value / 1e4
    first = Snapshot(
        "before",
        "Means, covariance and priors (0.6 and 0.4) of the R text are known: nothing is learned.",
        (nothing(),),
    )
    ellipses = [
        _still(places[:, 0], places[:, 1], f"95 % of class {k + 1}", k, "dash", 2)
        for k, places in enumerate(map(ellipse, known.means, known.covariances))
    ]
    figure = stage(
        plane,
        (line("Bayes boundary", INK, width=3),),
        first.places,
        title="Watch the boundary: it leaves the class whose prior grows",
        alt="300 rows of two classes, the ellipses of their true densities, and the boundary "
        "with the lowest error.",
        rows=(data.X, data.codes, data.classes),
        fixed=ellipses,
    )
    finding = (
        f"With the true priors the Bayes error is {error:.4g}, one row in "
        f"{1 / error:,.0f}. Priors shift the boundary without rotating it."
    )
    return Demonstration(figure, (first, *snapshots), snapshots[at].value, finding, 1 + at)


@cache
def _three() -> Dataset:
    return gaussian_classes()


class _Regret(NamedTuple):
    """Excess loss of classifiers over the best one, by number of training rows."""

    best: float  # error of the best classifier
    totals: tuple[int, ...]  # training rows
    curves: Array  # (sizes, models), points of error, means over training sets

    def snapshot(self, i: int) -> Snapshot:
        """Return the curves up to a size."""
        words = ", ".join(
            f"{name} {value:.2f}" for name, value in zip(MODELS, self.curves[i], strict=True)
        )
        sentence = f"{self.totals[i]} training rows: regret in points of error: {words}."
        totals = self.totals[: i + 1]
        places = [np.column_stack([totals, curve]) for curve in self.curves[: i + 1].T]
        return Snapshot(f"{self.totals[i]} rows", sentence, tuple(places))

    @property
    def crossing(self) -> int:
        """The smallest number of rows at which QDA has less regret than LDA."""
        ahead = np.flatnonzero(self.curves[:, 1] < self.curves[:, 0])
        return self.totals[int(ahead[0])] if len(ahead) else self.totals[-1]


@cache
def _regrets() -> _Regret:
    known = _three().truth
    assert known is not None
    truth = BayesClassifier(known.means, known.covariances, known.priors)
    draw, curves = common_draw(truth, 8_000), np.zeros((len(SIZES), len(MODELS)))
    sizes = [[2 * size, size, size // 2] for size in SIZES]
    for i, each in enumerate(sizes):
        for seed in SEEDS:
            rows = gaussian_classes(known.means, known.covariances, sizes=each, seed=seed)
            curves[i] += [draw.regret(make().fit(rows.X, rows.codes)) for make in MODELS.values()]
    return _Regret(bayes_error(truth).value, tuple(map(sum, sizes)), 100 * curves / len(SEEDS))


def _regret() -> Demonstration:
    regrets = _regrets()
    few, most = regrets.totals[0], regrets.totals[-1]
    before = (
        f"Three known classes; the best classifier errs in {percent(regrets.best, 2)}. Regret is "
        f"the excess error of a learned classifier, here the mean of {len(SEEDS)} training sets."
    )
    first = Snapshot("before", before, tuple(nothing() for _ in MODELS))
    plane = StagePlane(
        np.array([np.log10(few / 1.2), 0.0]),
        np.array([np.log10(most * 1.2), 1.1 * float(regrets.curves.max())]),
        ("training rows", "regret in points of error"),
        False,
    )
    looks = zip(MODELS, (ACCENT, INK, GREY), ("solid", "dash", "dot"), strict=True)
    figure = stage(
        plane,
        [{**line(name, hue, dash=dash, width=3), "mode": "lines+markers"}
         for name, hue, dash in looks],
        first.places,
        title="Look where the curves cross: before that, QDA loses to LDA",
        alt="Regret of LDA, QDA and least squares by the number of training rows.",
        across={"type": "log", "tickvals": list(regrets.totals)},
    )  # fmt: skip
    lda, qda, squares = regrets.curves[-1]
    finding = (
        f"QDA estimates three covariances and pays for it: its regret is below that of LDA only "
        f"from {regrets.crossing} rows on. At {most} rows it is {qda:.2f} points, LDA {lda:.2f}, "
        f"least squares {squares:.2f} regardless of the number of rows, in addition to the "
        f"{percent(regrets.best, 2)} of the best classifier."
    )
    frames = (first, *(regrets.snapshot(i) for i in range(len(SIZES))))
    return Demonstration(figure, frames, float(regrets.crossing), finding)


EXPERIMENT = LaboratoryExperiment(
    "The Bayes classifier",
    "Decide for the minimum expected loss: no classifier is better on known densities (lecture, "
    "“Probabilistic Classification”; LDA from scratch).",
    {
        "classic": Preset(
            "Unequal losses",
            "A missed row of class 2 costs 10 instead of 1. Where does the threshold move from 1?",
            "",
            4,
            _losses,
            _one_feature,
        ),
        "truth": Preset(
            "The true parameters of the R text",
            "How many of 10,000 rows does the best classifier misclassify on average?",
            "rows",
            1,
            _truth,
            prml_data,
        ),
        "regret": Preset(
            "QDA needs rows",
            "The true covariances differ, so QDA is right in the limit. Of the sizes 21, 42, 84, "
            "168, 336, 672, 1344: from how many rows on does it have less regret than LDA?",
            "rows",
            0,
            _regret,
            _three,
        ),
    },
)
