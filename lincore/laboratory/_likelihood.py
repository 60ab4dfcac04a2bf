"""Experiment 10: naive Bayes word by word, and the likelihood by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import expit

from lincore.estimators.linear_discriminant import LinearDiscriminantAnalysis
from lincore.estimators.multinomial import MultinomialNB
from lincore.geometry.likelihood import joint_log_likelihood
from lincore.laboratory.experiment import Demonstration, Experiment, Preset, Snapshot, signed
from lincore.laboratory.samples import ellipse, prml_data, prml_training
from lincore.plots.base.palette import ACCENT, colour
from lincore.plots.geometry.stage import Plane, bars, line, stage
from lincore.utils.formatting import percent
from lincore.utils.typing import Array

VOCABULARY = ("to", "be", "or", "not", "question")
# Four letters: the first two of ham, the others of spam.
COUNTS = np.array([[3, 2, 1, 1, 0], [1, 2, 1, 0, 1], [1, 1, 1, 1, 4], [0, 1, 0, 1, 2]])
LABELS = np.array(["ham", "ham", "spam", "spam"])
# Log odds beyond this are drawn as this.
MOST = 5.0


def _words(text: str, asked: float) -> Demonstration:
    tokens = text.split()
    row = np.array([tokens.count(word) for word in VOCABULARY])

    def frame(alpha: float) -> tuple[Snapshot, float]:
        model = MultinomialNB(alpha=alpha).fit(COUNTS, LABELS)
        with np.errstate(invalid="ignore"):
            odds = model.feature_log_prob_[0] - model.feature_log_prob_[1]
        parts: Array = np.where(row > 0, row * np.where(row > 0, odds, 0.0), 0.0)
        ham = float(expit(parts.sum())) if np.isfinite(parts.sum()) else float(parts.sum() > 0)
        first = int(np.flatnonzero(row)[0])
        chances = np.exp(model.feature_log_prob_[:, first])
        sentence = (
            f"α = {alpha:.2f}: p({VOCABULARY[first]} | ham) = {chances[0]:.4f}, "
            f"p({VOCABULARY[first]} | spam) = {chances[1]:.4f}. The log odds of the words add up "
            f"to {signed(float(parts.sum()), 3)}: p(ham | letter) = {percent(ham, 2)}."
        ).replace("−inf", "−∞")
        heights = np.append(parts, parts.sum()).clip(-MOST, MOST)
        return Snapshot(f"α = {alpha:.2f}", sentence, (_upright(heights),)), ham

    found = [frame(round(float(alpha), 2)) for alpha in np.linspace(0, 1, 41)]
    answer = 100 * found[round(40 * asked)][1]
    before = f"The letter “{text}”, and what two letters of ham and two of spam have taught."
    first = Snapshot("before", before, (_upright(np.zeros(len(VOCABULARY) + 1)),))
    plane = Plane(
        np.array([-0.6, -MOST - 0.3]), np.array([5.6, MOST + 0.3]),
        ("word of the letter", "log odds for ham, cut at ±5"), False,
    )  # fmt: skip
    times = [f"{word} × {n}" if n else word for word, n in zip(VOCABULARY, row, strict=True)]
    figure = stage(
        plane,
        (bars("log odds", ACCENT),),
        first.places,
        title=f"“{text}”, word by word",
        alt="Bars of the log odds that each word of a letter gives for ham over spam, and their "
        "sum.",
        height=420,
        across={"tickvals": [*range(6)], "ticktext": [*times, "sum"]},
        up={"zeroline": True},
    )
    finding = (
        f"p(ham | letter) = {percent(found[0][1], 2)} at α = 0 and {percent(found[-1][1], 2)} at "
        "α = 1. Words are counted, each class multiplies its probabilities, and a word that a "
        "class has never had excludes it while α is 0."
    )
    frames = (first, *(one for one, _ in found))
    return Demonstration(figure, frames, answer, finding, 1 + round(40 * asked) or -1)


def _upright(heights: Array) -> Array:
    places: Array = np.column_stack([np.arange(float(len(heights))), heights])
    return places


Moved = Callable[[Array, Array, float], tuple[Array, Array]]


def _shift(means: Array, covariance: Array, by: float) -> tuple[Array, Array]:
    return means + np.array([[0.0, 0.0], [by, 0.0]]), covariance


def _spread(means: Array, covariance: Array, by: float) -> tuple[Array, Array]:
    return means, by * covariance


def _likelihood(move: Moved, steps: Array, asked: float, name: str) -> Demonstration:
    data = prml_training()
    X, codes = data.X, data.codes
    model = LinearDiscriminantAnalysis().fit(X, codes)
    most = joint_log_likelihood(X, codes, model.means_, model.covariance_, model.priors_)

    def frame(by: float) -> tuple[Snapshot, float]:
        means, covariance = move(model.means_, model.covariance_, by)
        value = joint_log_likelihood(X, codes, means, covariance, model.priors_)
        sentence = (
            f"{name} {signed(by)}: log likelihood {signed(value, 4)}, {most - value:.4f} below "
            f"that of the estimates, {signed(most, 4)}."
        )
        places = tuple(ellipse(mean, covariance) for mean in means)
        return Snapshot(f"{name} {signed(by)}", sentence, places), most - value

    found = [frame(round(float(by), 4)) for by in steps]
    at = int(np.argmin(np.abs(steps - asked)))
    plane = Plane.around(X, names=("X1", "X2"), margin=0.2)
    before = f"Estimated by maximum likelihood: log likelihood {signed(most, 4)} of 100 rows."
    start = tuple(ellipse(mean, model.covariance_) for mean in model.means_)
    figure = stage(
        plane,
        tuple(
            line(f"95 % of class {k + 1}", colour(k), dash=("dash", "solid")[k], width=3)
            for k in (0, 1)
        ),
        start,
        title="The joint log likelihood of the 100 rows",
        alt="Rows of two classes and the ellipses of two Gaussian classes that are moved by hand.",
        rows=(X, codes, data.classes),
    )
    finding = (
        "Every other value has a lower likelihood: the mean of the rows, and the pooled covariance "
        f"divided by n, are its maximum, {signed(most, 4)}."
    )
    frames = (Snapshot("before", before, start), *(one for one, _ in found))
    return Demonstration(figure, frames, found[at][1], finding, 1 + at)


EXPERIMENT = Experiment(
    "Likelihood by hand",
    "Estimates maximise the joint likelihood (LDA and QDA derivations, eqs. 10 to 28); naive Bayes "
    "multiplies word by word (lecture, “Naïve Bayes”).",
    "parameter",
    {
        "classic": Preset(
            "To be or not to be",
            "With α = 0, plain frequencies: how probable is it that “to be or not to be” is ham?",
            "%",
            2,
            partial(_words, "to be or not to be", 0.0),
        ),
        "zero": Preset(
            "One rare word",
            "Ham has “question” once in 12 words, spam 6 times. With α = 1: how probable is it "
            "that “question to question” is ham?",
            "%",
            2,
            partial(_words, "question to question", 1.0),
        ),
        "mean": Preset(
            "A mean moved by hand",
            "The mean of class 2 is moved by 0.5 to the right. By how much does the log likelihood "
            "of the 100 rows fall?",
            "",
            2,
            partial(_likelihood, _shift, np.linspace(-1, 1, 41), 0.5, "μ2 moved by"),
            prml_data,
        ),
        "covariance": Preset(
            "A covariance scaled by hand",
            "Both covariances are doubled. By how much does the log likelihood fall?",
            "",
            2,
            partial(_likelihood, _spread, np.linspace(0.4, 2.4, 41), 2.0, "Σ times"),
            prml_data,
        ),
    },
)
