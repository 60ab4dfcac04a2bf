"""Naive Bayes word by word, also for a letter typed by the visitor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy.special import expit

from lincore.errors import DataError
from lincore.estimators.multinomial import MultinomialNB
from lincore.laboratory.demonstration import Demonstration, Numbers, Snapshot, signed
from lincore.laboratory.experiment import Letter, Preset
from lincore.plots.base.palette import ACCENT
from lincore.plots.geometry.stage import StagePlane, bars, stage
from lincore.utils.formatting import listed, percent, shorten
from lincore.utils.typing import Array, Codes

VOCABULARY = ("to", "be", "or", "not", "question")
# Four letters: the first two of ham, the others of spam.
COUNTS = np.array([[3, 2, 1, 1, 0], [1, 2, 1, 0, 1], [1, 1, 1, 1, 4], [0, 1, 0, 1, 2]])
LABELS = np.array(["ham", "ham", "spam", "spam"])
# Log odds are drawn up to this value.
MOST = 5.0


def _words(asked_alpha: float, text: str) -> Demonstration:
    tokens = re.findall(r"\w+", text.lower())
    row = np.array([tokens.count(word) for word in VOCABULARY])
    if not row.any():
        raise DataError(
            "None of its words occurs in the four letters.",
            where="letter",
            remedy=f"Use some of {listed(VOCABULARY)}.",
        )

    def frame(alpha: float) -> tuple[Snapshot, float]:
        model = MultinomialNB(alpha=alpha).fit(COUNTS, LABELS)
        with np.errstate(invalid="ignore"):
            odds = model.feature_log_prob_[0] - model.feature_log_prob_[1]
        parts: Array = np.where(row > 0, row * np.where(row > 0, odds, 0.0), 0.0)
        total = parts.sum()
        ham = float(expit(total)) if np.isfinite(total) else float(total > 0)
        first = int(np.flatnonzero(row)[0])
        chances = np.exp(model.feature_log_prob_[:, first])
        sentence = (
            f"α = {alpha:.2f}: p({VOCABULARY[first]} | ham) = {chances[0]:.4f}, "
            f"p({VOCABULARY[first]} | spam) = {chances[1]:.4f}. The log odds of the words add up "
            f"to {signed(float(total), 3)}: p(ham | letter) = {percent(ham, 2)}."
        ).replace("−inf", "−∞")
        heights = np.append(parts, total).clip(-MOST, MOST)
        return Snapshot(f"α = {alpha:.2f}", sentence, (_upright(heights),)), ham

    states = [frame(round(float(alpha), 2)) for alpha in np.linspace(0, 1, 41)]
    answer = 100 * states[round(40 * asked_alpha)][1]
    before = f"The letter “{text}”, and the estimates from two letters of ham and two of spam."
    first = Snapshot("before", before, (_upright(np.zeros(len(VOCABULARY) + 1)),))
    unknown = [word for word in dict.fromkeys(tokens) if word not in VOCABULARY]
    finding = (
        f"“{shorten(text, 60)}”: p(ham | letter) = {percent(states[0][1], 2)} at α = 0 and "
        f"{percent(states[-1][1], 2)} at "
        "α = 1. Words are counted, each class multiplies its probabilities, and a word that never "
        "occurred in a class excludes it if α is 0."
        + (f" Not in the four letters: {listed(unknown, most=6)}." if unknown else "")
    )
    frames = (first, *(snapshot for snapshot, _ in states))
    stop = 1 + round(40 * asked_alpha) or -1
    figure = _bars(row, first.places)
    return Demonstration(figure, frames, answer, finding, stop, (_letters(),))


def _bars(row: Codes, places: Sequence[Array]) -> go.Figure:
    plane = StagePlane(
        np.array([-0.6, -MOST - 0.3]), np.array([5.6, MOST + 0.3]),
        ("word of the letter", "log odds for ham, cut at ±5"), False,
    )  # fmt: skip
    times = [f"{word} × {n}" if n else word for word, n in zip(VOCABULARY, row, strict=True)]
    return stage(
        plane,
        (bars("log odds", ACCENT),),
        places,
        title="Watch which words pull the sum to ham, and which to spam",
        alt="Bars of the log odds of ham over spam for each word of a letter, and their sum.",
        across={"tickvals": [*range(6)], "ticktext": [*times, "sum"]},
        up={"zeroline": True},
    )


def _letters() -> Numbers:
    frame = pd.DataFrame(COUNTS, columns=list(VOCABULARY))
    frame.insert(0, "class", LABELS)
    frame.insert(0, "letter", range(1, len(COUNTS) + 1))
    return Numbers("Words of the four letters", ("words",), frame)


def _upright(heights: Array) -> Array:
    places: Array = np.column_stack([np.arange(float(len(heights))), heights])
    return places


PRESETS = {
    "classic": Preset(
        "To be or not to be",
        "With α = 0, plain frequencies: how probable is it that “to be or not to be” is ham?",
        "%",
        2,
        partial(_words, 0.0, "to be or not to be"),
        letter=Letter("to be or not to be", partial(_words, 0.0)),
    ),
    "zero": Preset(
        "One rare word",
        "Ham has “question” once in 12 words, spam 6 times. With α = 1: how probable is it "
        "that “question to question” is ham?",
        "%",
        2,
        partial(_words, 1.0, "question to question"),
        letter=Letter("question to question", partial(_words, 1.0)),
    ),
}
