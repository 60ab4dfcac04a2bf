"""Weights of the features and the boundary's equation, on the page Classify."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.ui import cached, controls, sheets, text

if TYPE_CHECKING:
    import numpy as np

    from lincore.datasets import Dataset
    from lincore.experiments.weights import Weights
    from pages.ui.classify_fit import Fitted
    from pages.ui.sidebar import Experiment

KEY = "classify"
MOST_PICTURES = 12
# An equation of more variables than this is wider than a phone.
MOST_DRAWN = 2
# Between its terms a formula breaks into lines, instead of scrolling where no key reaches it.
WRAPPED = """<style>
.st-key-classify-equation-drawn .katex-display { overflow: clip; }
.st-key-classify-equation-drawn .katex-display > .katex { white-space: normal; }
</style>"""


def coefficients(experiment: Experiment, model: cached.ModelChoice, fitted: Fitted) -> None:
    """Draw what each feature does: odds ratios, bars, or pictures of weights."""
    from lincore.experiments.weights import feature_weights

    data, _, split = experiment
    try:
        weights = feature_weights(fitted.pipeline, data, split.train)
    except TypeError:
        st.caption(
            f"{text.escape(fitted.results.methods[0])} is not linear: no feature has one weight. "
            "Its boundaries stand under Equation."
        )
        return
    labels = _labels(fitted, data, len(weights.values))
    if data.image_shape and weights.values.shape[1] == data.n_features:
        _pictures(weights, labels, data)
        return
    if _has_odds(fitted):
        _odds(experiment, fitted)
    _bars(weights, labels, fitted, data)


def equation(experiment: Experiment, model: cached.ModelChoice, fitted: Fitted) -> None:
    """Write the boundary between two classes as text and as LaTeX."""
    from lincore.experiments.weights import equation as equation_of
    from lincore.report import equations

    data = experiment.data
    first, second = _pair(data)
    try:
        function, names = equation_of(fitted.pipeline, data, first, second)
    except (TypeError, ValueError) as error:
        st.caption(f"There is no equation to write down: {text.escape(str(error))}")
        return
    one, other = (text.escape(data.classes[code]) for code in (first, second))
    st.markdown(f"Positive on the side of **{one}**, negative on that of **{other}**:")
    plain = equations.as_text(function, names)
    with st.container(key=f"{KEY}.equation.text"):
        st.code(plain, language=None, wrap_lines=True)
    latex = equations.as_latex(function, names)
    if len(names) <= MOST_DRAWN and function.is_linear:
        st.html(WRAPPED)
        with st.container(key=f"{KEY}.equation.drawn"):
            st.latex(latex)
    with st.expander("As LaTeX, to copy", key=f"{KEY}.equation.latex"):
        # In one colour: those of a language are too faint on either theme.
        st.code(latex, language=None, wrap_lines=True)
    seen = "components" if names[0].startswith("Component ") else "your features, in their units"
    st.caption(f"In {seen}. The sign of the left side decides between these two classes.")


def _pair(data: Dataset) -> tuple[int, int]:
    codes = list(range(data.n_classes))
    if len(codes) == 2:
        return (1, 0)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        settings: dict[str, Any] = {
            "format_func": lambda code: str(data.classes[code]),
            "width": 220,
        }
        first = controls.choose(
            "Between",
            codes,
            key=f"{KEY}.first",
            help="The class on the positive side.",
            **settings,
        )
        second = controls.choose(
            "and",
            [code for code in codes if code != first],
            key=f"{KEY}.second",
            help="The class on the negative side.",
            **settings,
        )
    return first, second


def _labels(fitted: Fitted, data: Dataset, number: int) -> list[str]:
    """Return what each line of weights speaks for."""
    model = fitted.pipeline.steps[-1][1]
    names = [str(data.classes[code]) for code in model.classes_]
    if hasattr(model, "design_"):
        return [_sides(row, names) for row in model.design_]
    return names if number == len(names) else [f"{names[1]} over {names[0]}"]


def _sides(row: np.ndarray, names: list[str]) -> str:
    speaks = [name for name, sign in zip(names, row, strict=True) if sign > 0]
    against = [name for name, sign in zip(names, row, strict=True) if sign < 0]
    return f"{', '.join(speaks)} over {against[0] if len(against) == 1 else 'the rest'}"


def _pictures(weights: Weights, labels: list[str], data: Dataset) -> None:
    from lincore import plots

    stack = weights.values[:MOST_PICTURES].reshape(-1, *data.image_shape)
    if stack.ndim == 4:
        stack = stack.mean(axis=3)
    figure = plots.weight_images(
        stack, labels[:MOST_PICTURES], columns=min(6, len(stack)), title="Weights of the pixels"
    )
    sheets.show(figure, key=f"{KEY}.weights")
    st.caption(
        "Taken back through the steps to the pixels: where a picture is light and the weight "
        "above zero, that speaks for the class."
        + (" The three colours are averaged." if len(data.image_shape) == 3 else "")
    )


def _bars(weights: Weights, labels: list[str], fitted: Fitted, data: Dataset) -> None:
    from lincore import plots

    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = 0
        if len(labels) > 1:
            place = controls.choose(
                "Score of",
                list(range(len(labels))),
                key=f"{KEY}.weights.class",
                format_func=labels.__getitem__,
                help="Whose score the weights add up to.",
                width=260,
            )
        comparable = st.toggle(
            "Per standard deviation",
            value=True,
            key=f"{KEY}.weights.comparable",
            persist_state="session",
            help="What one standard deviation more adds, so that features can be compared; else "
            "one unit more.",
        )
    values = weights.comparable if comparable else weights.values
    figure = plots.coefficients(weights.names, values[place], unit="weight")
    controls.figure(figure, key=f"{KEY}.weights")
    unit = "standard deviation of the training rows" if comparable else "unit of the feature"
    st.caption(f"What one {unit} more adds to the score of {text.escape(labels[place])}.")


def _has_odds(fitted: Fitted) -> bool:
    model = fitted.pipeline.steps[-1][1]
    if not hasattr(model, "wald"):
        return False
    if math.isfinite(model.C):
        st.caption(
            "Odds ratios with intervals come with maximum likelihood: set C to it. A penalty "
            "makes weights too small to have such intervals."
        )
        return False
    return True


def _odds(experiment: Experiment, fitted: Fitted) -> None:
    from lincore import plots
    from lincore.experiments.weights import odds_ratios

    data, _, split = experiment
    try:
        found = odds_ratios(fitted.pipeline, data, split.train)
    except ValueError as error:
        st.caption(f"No odds ratios: {text.escape(str(error))}")
        return
    place = 0
    if len(found.labels) > 1:
        place = controls.choose(
            "Odds of",
            list(range(len(found.labels))),
            key=f"{KEY}.odds.class",
            format_func=lambda i: f"{found.labels[i]} against {found.reference}",
            help="Which odds one unit more of a feature multiplies.",
            width=260,
        )
    figure = plots.odds_ratios(found.names, found.ratio[place], found.low[place], found.high[place])
    controls.figure(figure, key=f"{KEY}.odds")
    st.caption(
        f"Odds of {text.escape(found.labels[place])} against {text.escape(found.reference)}, for "
        f"one unit more, with Wald's 95 % intervals over {len(split.train):,} training rows."
    )
