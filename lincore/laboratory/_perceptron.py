"""Experiment 5: the perceptron's steps, mistake by mistake."""

from __future__ import annotations

from functools import partial

import numpy as np
import plotly.graph_objects as go

from lincore.data.dataset import Dataset
from lincore.estimators.perceptron import Perceptron, mistake_bound
from lincore.geometry.half_planes import line_in_window
from lincore.geometry.perceptron_walk import perceptron_walk
from lincore.geometry.widest_margin import widest_margin
from lincore.laboratory.demonstration import Demonstration, Snapshot, nothing, signed
from lincore.laboratory.experiment import LaboratoryExperiment, Preset
from lincore.laboratory.samples import SampleLine, overlapping, prml_data, prml_training
from lincore.plots.base.palette import ACCENT, GREY, MARK
from lincore.plots.geometry.stage import StagePlane, arrow, joined, line, ring, stage
from lincore.utils.formatting import listed
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array

# Boundaries of earlier steps, ever paler.
FADING = (0.45, 0.25, 0.12)
LOOKS = (
    line("boundary"),
    line("w", ACCENT, width=3),
    ring("row x of the step", MARK),
    line("w before", GREY, dash="dash", width=2),
    line("± x", MARK, width=2),
    *({**line(""), "opacity": pale, "showlegend": False} for pale in FADING),
)


def _places(
    weights: Array, row: Array | None, plane: StagePlane, earlier: Array
) -> tuple[Array, ...]:
    """Return where a step is drawn: w as the sum of the former w and ± x, all on one scale."""
    f = SampleLine(weights[1:], float(weights[0]))
    ringed = nothing(1) if row is None else row[None]
    lines = [_line(former, plane) for former in earlier[: len(FADING)]]
    lines += [nothing()] * (len(FADING) - len(lines))
    if not f.length:
        return nothing(), nothing(6), ringed, nothing(6), nothing(6), *lines
    centre = (plane.low + plane.high) / 2
    start = centre - f.values(centre[None])[0] * f.normal / f.length**2
    scale = 0.28 * (plane.high - plane.low)[0] / f.length
    tip = start + scale * f.normal
    before = step = nothing(6)
    if row is not None:
        middle = start + scale * earlier[0, 1:]
        before, step = arrow(plane, start, middle), arrow(plane, middle, tip)
    return _line(weights, plane), arrow(plane, start, tip), ringed, before, step, *lines


def _line(weights: Array, plane: StagePlane) -> Array:
    if not weights[1:].any():
        return nothing()
    return line_in_window(weights[1:], float(weights[0]), plane.low, plane.high)


def _separable(standardise: bool) -> Demonstration:
    data = prml_training()
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0) if standardise else data.X
    walk = perceptron_walk(X, data.codes)
    steps = np.flatnonzero(walk.mistaken)
    w = widest_margin(X, data.codes)
    bound = mistake_bound(X, data.codes, [w[1:]], [w[0]])
    names = ("X1, standardised", "X2, standardised") if standardise else ("X1", "X2")
    plane = StagePlane.around(np.vstack([X, [[0.0, 0.0]]]), names=names)

    def frame(number: int, step: int) -> Snapshot:
        weights, row = walk.weights[step + 1], walk.rows[step]
        wrong = SampleLine(weights[1:], float(weights[0])).n_wrong(X, data.codes)
        change = "added to" if data.codes[row] else "subtracted from"
        sentence = (
            f"Mistake {number}, in epoch {walk.epochs[step] + 1}: row {row + 1} of class "
            f"{data.codes[row] + 1} was misclassified or on the line, and is {change} the "
            f"weights: w = ({signed(weights[1])}, {signed(weights[2])}), w0 = "
            f"{signed(weights[0], 0)}. {wrong} of 100 rows are misclassified now."
        )
        # Only mistakes change the weights.
        earlier = walk.weights[[step, *steps[max(number - 3, 0) : number - 1][::-1]]]
        places = _places(weights, X[row], plane, earlier)
        return Snapshot(f"mistake {number}", sentence, places, number)

    frames = [frame(number, int(step)) for number, step in enumerate(steps, 1)]
    mistakes = walk.mistakes.tolist()
    first = _first("The weights start at zero. Rows are visited in file order, one by one.")
    finding = (
        f"Mistakes by epoch: {listed([str(n) for n in mistakes])}, {sum(mistakes)} in all, far "
        f"below the bound (R/γ)² = {bound:,.2f}. The last epoch has no mistakes: it has converged "
        f"to one of many separating lines."
    )
    figure = _figure(data, X, plane, first)
    return Demonstration(figure, (first, *frames), float(sum(mistakes)), finding)


def _overlap() -> Demonstration:
    data = overlapping()
    X, codes, n = data.X, data.codes, data.n_rows
    order = np.random.default_rng(0).permutation(n)
    walk = perceptron_walk(X, codes, max_epochs=40, order=order)
    ends = walk.weights[n::n]
    lines = [SampleLine(w[1:], float(w[0])) for w in ends]
    wrong = [f.n_wrong(X, codes) for f in lines]
    plane = StagePlane.around(X)
    frames = [
        Snapshot(
            f"epoch {epoch}",
            f"After epoch {epoch}: {wrong[epoch - 1]} of {n} rows are misclassified, after "
            f"{walk.mistakes[epoch - 1]} mistakes in this epoch. The best epoch so far had "
            f"{min(wrong[:epoch])}.",
            _places(ends[epoch - 1], None, plane, ends[: epoch - 1][::-1]),
        )
        for epoch in range(1, len(ends) + 1)
    ]
    finals = {kind: _lines_by_seed(kind, X, codes) for kind in ("last", "pocket", "averaged")}
    n_wrong = {kind: [f.n_wrong(X, codes) for f in lines] for kind, lines in finals.items()}
    worst, *others = sorted(finals["last"], key=lambda f: -f.n_wrong(X, codes))
    frames.append(
        Snapshot(
            "five orders",
            f"The last lines of five orders, after 100 epochs each: the worst misclassifies "
            f"{max(n_wrong['last'])} of {n} rows, the best {min(n_wrong['last'])}.",
            _places(_weights(worst), None, plane, np.empty((0, 3)))[: -len(FADING)]
            + (joined([_line(_weights(f), plane) for f in others]), nothing(), nothing()),
        )
    )
    finding = (
        "Every epoch has mistakes, so the last weights are arbitrary: with other orders of the "
        f"rows (seeds 0 to 4) they misclassify {listed([str(k) for k in n_wrong['last']])}. The "
        f"pocket weights always misclassify {n_wrong['pocket'][0]}; averaged weights: "
        f"{listed([str(k) for k in n_wrong['averaged']])}."
    )
    first = _first("These classes overlap: no line separates them.")
    figure = _figure(data, X, plane, first, "Watch the line: it jumps in every epoch")
    return Demonstration(figure, (first, *frames), float(max(n_wrong["last"])), finding)


def _lines_by_seed(weights: str, X: Array, codes: Array) -> list[SampleLine]:
    """Return the lines after 100 epochs, for five orders of the rows."""
    lines = []
    for seed in range(5):
        with captured_warnings():
            model = Perceptron(weights=weights, random_state=seed).fit(X, codes)  # type: ignore[arg-type]
        lines.append(SampleLine.of(model))
    return lines


def _weights(f: SampleLine) -> Array:
    return np.array([f.offset, *f.normal])


def _first(sentence: str) -> Snapshot:
    lines = [nothing()] * len(FADING)
    places = nothing(), nothing(6), nothing(1), nothing(6), nothing(6), *lines
    return Snapshot("before", sentence, places)


def _figure(
    data: Dataset,
    X: Array,
    plane: StagePlane,
    first: Snapshot,
    title: str = "Watch w: each mistake adds its row x, or subtracts it",
) -> go.Figure:
    return stage(
        plane,
        LOOKS,
        first.places,
        title=title,
        alt="Rows of two classes, the boundary of the perceptron after a step, earlier ones, and "
        "the weights as the sum of the weights before and the row that changed them.",
        rows=(X, data.codes, data.classes),
    )


EXPERIMENT = LaboratoryExperiment(
    "The perceptron, step by step",
    "For each misclassified row: w ← w + η(d − y)x. It ends if a line separates the rows, after at "
    "most (R/γ)² mistakes (PRML 4.1.7; lecture, “Computing Lab”).",
    {
        "classic": Preset(
            "From zero, in order",
            "How many mistakes will the perceptron make before a line separates the rows?",
            "mistakes",
            0,
            partial(_separable, False),
            prml_data,
        ),
        "standardised": Preset(
            "The same rows, standardised",
            "Now the features have mean 0 and variance 1. How many mistakes will it make?",
            "mistakes",
            0,
            partial(_separable, True),
            prml_data,
        ),
        "overlap": Preset(
            "No line separates them",
            "Five orders of the rows, 100 epochs each: how many of the 120 rows do the worst final "
            "weights misclassify?",
            "rows",
            0,
            _overlap,
            overlapping,
        ),
    },
)
