"""Experiment 8: the best classifier of known densities, unequal losses, and regret."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import ndtr

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
from lincore.laboratory.experiment import Experiment, Preset
from lincore.laboratory.samples import ellipse, prml_data
from lincore.plots.base.palette import ACCENT, GREY, INK, colour
from lincore.plots.base.style import compact, trace
from lincore.plots.geometry.stage import Plane, area, line, stage
from lincore.utils.formatting import percent
from lincore.utils.typing import Array

SIZES = (6, 12, 24, 48, 96, 192, 384)
SEEDS = range(10)
# Of one feature: means and their common deviation of one.
MEANS = (0.0, 2.0)


@cache
def _one_feature() -> Dataset:
    return gaussian_classes([[MEANS[0]], [MEANS[1]]], sizes=[100, 100], seed=0)


def _density(x: Array, mean: float) -> Array:
    return 0.5 * np.exp(-((x - mean) ** 2) / 2) / np.sqrt(2 * np.pi)


def _threshold(loss: float) -> float:
    """Return where the log ratio of the classes is minus the log of a loss."""
    ratio = gaussian_log_ratio([[MEANS[0]], [MEANS[1]]], [[1.0]], [0.5, 0.5], 1, 0)
    return float((-np.log(loss) - ratio.c) / ratio.b[0])


def _losses() -> Demonstration:
    plane = Plane(np.array([-3.5, 0.0]), np.array([5.5, 0.22]), ("x", "prior × density"), False)
    grid = np.linspace(plane.low[0], plane.high[0], 181)

    def under(low: float, high: float, mean: float) -> Array:
        x = np.linspace(low, high, 60)
        return np.column_stack([[low, *x, high], [0.0, *_density(x, mean), 0.0]])

    def frame(loss: float) -> Snapshot:
        cut = _threshold(loss)
        needless, missed = 0.5 * ndtr(MEANS[0] - cut), 0.5 * ndtr(cut - MEANS[1])
        sentence = (
            f"A missed row of class 2 costs {loss:g}: class 2 is decided above "
            f"{signed(cut, 4)}. Missed {percent(missed)}, needless {percent(needless)} of all "
            f"rows; expected loss {needless + loss * missed:.4f}."
        )
        places = (
            under(plane.low[0], cut, MEANS[1]),
            under(cut, plane.high[0], MEANS[0]),
            np.array([[cut, 0.0], [cut, plane.high[1]]]),
        )
        return Snapshot(f"loss {loss:g}", sentence, places)

    losses = sorted({*np.round(np.geomspace(1, 10, 25), 2).tolist(), 2.0, 5.0})
    first = frame(1)._replace(
        label="before",
        sentence="Two known classes, N(0, 1) and N(2, 1), equally frequent. While all errors cost "
        "1, the threshold is at 1.",
    )
    curves = [
        trace(
            "scatter",
            x=compact(grid),
            y=compact(_density(grid, mean)),
            mode="lines",
            name=f"class {k + 1}",
            line={"color": colour(k), "width": 3, "dash": ("solid", "dash")[k]},
            hoverinfo="skip",
        )
        for k, mean in enumerate(MEANS)
    ]
    figure = stage(
        plane,
        (
            area("missed rows of class 2", colour(1), 0.45),
            area("needless decisions for class 2", colour(0), 0.45),
            line("threshold", INK, width=3),
        ),
        first.places,
        title="Two known densities and the threshold of least expected loss",
        alt="Two overlapping densities, the threshold between them, and the two kinds of errors "
        "as areas.",
        fixed=curves,
        height=420,
    )
    values = ", ".join(f"{signed(_threshold(loss), 4)} at {loss}" for loss in (1, 2, 5, 10))
    finding = (
        f"The threshold is 1 − ½ ln L: {values}. The densities stay as they are: what is learned "
        "is one thing, what is decided another."
    )
    frames = (first, *(frame(loss) for loss in losses))
    return Demonstration(figure, frames, _threshold(10), finding)


def _truth() -> Demonstration:
    data = prml_data()
    known = data.truth
    assert known is not None
    plane = Plane.around(data.X, names=("X1", "X2"))

    def frame(prior: float) -> tuple[Snapshot, float]:
        priors = [prior, 1 - prior]
        ratio = gaussian_log_ratio(known.means, known.covariances, priors, 1, 0)
        error = bayes_error(BayesClassifier(known.means, known.covariances, priors)).value
        sentence = (
            f"Priors {prior:.2f} and {1 - prior:.2f}: even the best classifier errs with "
            f"probability {error:.4e}."
        ).replace("e-0", "e−")
        ends = line_in_window(ratio.b, ratio.c, plane.low, plane.high)
        return Snapshot(f"prior {prior:.2f}", sentence, (ends,)), error

    found = [frame(round(float(prior), 2)) for prior in np.linspace(0.02, 0.98, 49)]
    at = 29
    first = Snapshot(
        "before",
        "Means, covariance and priors (0.6 and 0.4) of the R text are known: nothing is learned.",
        (nothing(),),
    )
    ellipses = [
        trace(
            "scatter",
            x=compact(places[:, 0]),
            y=compact(places[:, 1]),
            mode="lines",
            name=f"95 % of class {k + 1}",
            line={"color": colour(k), "width": 2, "dash": "dash"},
            hoverinfo="skip",
        )
        for k, places in enumerate(map(ellipse, known.means, known.covariances))
    ]
    figure = stage(
        plane,
        (line("Bayes boundary", INK, width=3),),
        first.places,
        title="The best boundary of the known densities",
        alt="300 rows of two classes, the ellipses of their true densities, and the boundary that "
        "errs least.",
        rows=(data.X, data.codes, data.classes),
        fixed=ellipses,
    )
    finding = (
        f"With the true priors the Bayes error is {found[at][1]:.4g}, one row in "
        f"{1 / found[at][1]:,.0f}. Priors move the boundary without turning it."
    )
    frames = (first, *(one for one, _ in found))
    return Demonstration(figure, frames, 1e4 * found[at][1], finding, 1 + at)


@cache
def _three() -> Dataset:
    return gaussian_classes()


def _regret() -> Demonstration:
    known = _three().truth
    assert known is not None
    truth = BayesClassifier(known.means, known.covariances, known.priors)
    best = bayes_error(truth).value
    draw = common_draw(truth, 8_000)
    models = {
        "LDA": LinearDiscriminantAnalysis,
        "QDA": QuadraticDiscriminantAnalysis,
        "least squares": LeastSquaresClassifier,
    }
    totals, curves = [], np.zeros((len(SIZES), len(models)))
    for i, size in enumerate(SIZES):
        sizes = [2 * size, size, size // 2]
        totals.append(sum(sizes))
        for seed in SEEDS:
            rows = gaussian_classes(known.means, known.covariances, sizes=sizes, seed=seed)
            curves[i] += [draw.regret(make().fit(rows.X, rows.codes)) for make in models.values()]
    curves = 100 * curves / len(SEEDS)
    ahead = np.flatnonzero(curves[:, 1] < curves[:, 0])
    answer = totals[int(ahead[0])] if len(ahead) else totals[-1]

    def frame(i: int) -> Snapshot:
        words = ", ".join(
            f"{name} {value:.2f}" for name, value in zip(models, curves[i], strict=True)
        )
        places = tuple(
            np.column_stack([totals[: i + 1], curves[: i + 1, j]]) for j in range(len(models))
        )
        sentence = f"{totals[i]} training rows: regret in points of error: {words}."
        return Snapshot(f"{totals[i]} rows", sentence, places)

    before = (
        f"Three known classes; the best classifier errs in {percent(best, 2)}. Regret is what a "
        f"learned one loses beyond, here the mean of {len(SEEDS)} training sets."
    )
    first = Snapshot("before", before, tuple(nothing() for _ in models))
    high = np.array([float(np.log10(totals[-1] * 1.2)), 1.1 * float(curves.max())])
    plane = Plane(
        np.array([float(np.log10(totals[0] / 1.2)), 0.0]),
        high,
        ("training rows", "regret in points of error"),
        False,
    )
    hues, dashes = (ACCENT, INK, GREY), ("solid", "dash", "dot")
    figure = stage(
        plane,
        tuple(
            {**line(name, hues[j], dash=dashes[j], width=3), "mode": "lines+markers"}
            for j, name in enumerate(models)
        ),
        first.places,
        title="What learning from few rows costs",
        alt="Regret of LDA, QDA and least squares by the number of training rows.",
        height=420,
        across={"type": "log", "tickvals": totals},
    )
    finding = (
        f"QDA estimates three covariances and pays for it: only from {answer} rows on is its "
        f"regret below that of LDA. At {totals[-1]} rows it is {curves[-1, 1]:.2f} points, LDA "
        f"{curves[-1, 0]:.2f}, least squares {curves[-1, 2]:.2f}, which no number of rows helps."
    )
    return Demonstration(
        figure, (first, *(frame(i) for i in range(len(SIZES)))), float(answer), finding
    )


EXPERIMENT = Experiment(
    "The Bayes classifier",
    "Decide for the least expected loss: no classifier does better on known densities (lecture, "
    "“Probabilistic classification”; LDA from scratch).",
    "situation",
    {
        "classic": Preset(
            "Unequal losses",
            "A missed row of class 2 costs 10 instead of 1. From 1, where does the threshold go?",
            "",
            4,
            _losses,
            _one_feature,
        ),
        "truth": Preset(
            "The truth of the R text",
            "How many of 10,000 rows does the best classifier misclassify on average?",
            "rows",
            1,
            _truth,
            prml_data,
        ),
        "regret": Preset(
            "QDA needs rows",
            "The covariances truly differ, so QDA is right in the end. Of the sizes 21, 42, 84, "
            "168, 336, 672, 1344: from how many rows on does it lose less than LDA?",
            "rows",
            0,
            _regret,
            _three,
        ),
    },
)
