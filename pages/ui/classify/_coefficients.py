"""Coefficients of the features and the boundary's equation, on the page Classify."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from lincore import inspection, plots, report
from lincore.utils import listed
from pages.ui.session import cache
from pages.ui.widgets import controls, image_sheets, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.inspection import Coefficients, Weights
    from pages.ui.session.fitting import Fitted
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify"
MOST_IMAGES = 12
# What the columns of the table are.
HELP = {
    "feature": "Levels of a category are compared with the level in brackets.",
    "coefficient": "Change of the score per unit (for logistic regression, of the log odds).",
    "per SD": "Change of the score per standard deviation of the training rows.",
    "standard error": "Wald's, from the curvature of the likelihood at its maximum.",
    "95 % interval": "Of the coefficient.",
    "p": "Of the hypothesis that the coefficient is zero, two-sided (Wald).",
    "odds ratio": "Factor of the odds per unit.",
    "its 95 % interval": "Of the odds ratio.",
}
# An equation of more variables than this is wider than a phone.
MOST_DRAWN = 2
# Between its terms a formula breaks into lines, instead of scrolling where no key reaches it.
WRAPPED = """<style>
.st-key-classify-equation-drawn .katex-display { overflow: clip; }
.st-key-classify-equation-drawn .katex-display > .katex { white-space: normal; }
</style>"""


def coefficients(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Draw what each feature does, with a table beside it; of pixels, images of coefficients."""
    data, _, split = experiment
    try:
        weights = inspection.feature_weights(fitted.pipeline, data, split.train)
    except TypeError:
        st.caption(
            f"{text.escape(fitted.results.methods[0])} is not linear: no feature has one "
            "coefficient. Its boundaries are under Equation."
        )
        return
    lines = list(inspection.score_lines(fitted.pipeline, data, len(weights.values)))
    if data.kind.is_images and weights.names == data.feature_names:
        _images(weights, lines, data)
        return
    found = inspection.score_coefficients(fitted.pipeline, data, split.train, tuple(lines))
    with_errors = _likelihood(experiment, fitted)
    left, right = st.columns(2 if with_errors else [2, 3])
    if with_errors is None:
        with left:
            place = _bars(found)
        with right:
            _table(found, place)
        return
    with left:
        place = _odds(with_errors)
    with right:
        _bars(found)
    _table(with_errors, place)
    st.caption(
        f"Odds of {text.escape(with_errors.lines[place])}: maximum likelihood, with Wald's "
        f"standard errors, 95 % intervals and p-values over {len(split.train):,} training rows. "
        "Coefficients are log odds per unit."
    )
    if with_errors.left_out:
        left_out = text.escape(listed(with_errors.left_out))
        st.caption(f"Left out, as combinations of other columns: {left_out}.")


def equation(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Write the boundary between two classes as text and as LaTeX."""
    data = experiment.data
    first, second = pair(data)
    try:
        function, names = inspection.boundary_equation(fitted.pipeline, data, first, second)
    except (TypeError, ValueError) as error:
        st.caption(f"There is no equation: {text.escape(str(error))}")
        return
    one, other = (text.escape(data.classes[code]) for code in (first, second))
    st.markdown(f"Positive on the side of **{one}**, negative on that of **{other}**:")
    plain = report.equation_text(function, names)
    with st.container(key=f"{KEY}.equation.text"):
        st.code(plain, language=None, wrap_lines=True)
    latex = report.equation_latex(function, names)
    if len(names) <= MOST_DRAWN and function.is_linear:
        st.html(WRAPPED)
        with st.container(key=f"{KEY}.equation.drawn"):
            st.latex(latex)
    with st.expander("As LaTeX, to copy", key=f"{KEY}.equation.latex"):
        # In one colour: those of a language are too faint on either theme.
        st.code(latex, language=None, wrap_lines=True)
    seen = "components" if names[0].startswith("Component ") else "your features, in their units"
    targets = report.target_values_note(fitted.pipeline.steps[-1][1])
    sign = f"In {seen}. The sign of the left side decides between these two classes."
    st.caption(" ".join(filter(None, (sign, targets))))


def pair(data: Dataset, *, key: str = KEY) -> tuple[int, int]:
    """Ask between which two classes; of two there is nothing to ask."""
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
            key=f"{key}.first",
            help="The class on the positive side.",
            **settings,
        )
        second = controls.choose(
            "and",
            [code for code in codes if code != first],
            key=f"{key}.second",
            help="The class on the negative side.",
            **settings,
        )
    return first, second


def _images(weights: Weights, labels: list[str], data: Dataset) -> None:
    stack = weights.comparable[:MOST_IMAGES].reshape(-1, *data.image_shape)
    if stack.ndim == 4:
        stack = stack.mean(axis=3)
    figure = plots.coefficient_images(
        stack,
        labels[:MOST_IMAGES],
        columns=min(6, len(stack)),
        title="Coefficients of the pixels, per standard deviation",
    )
    image_sheets.show(figure, key=f"{KEY}.weights")
    st.caption(
        "Change of the score per standard deviation of a pixel, transformed back through the "
        "steps: light pixels with positive values favour the class."
        + (" The three colours are averaged." if len(data.image_shape) == 3 else "")
    )


def _bars(found: Coefficients) -> int:
    """Draw the coefficients of one score as bars; return which."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = _place(
            found, "Score of", "The class whose score these coefficients form.", "weights"
        )
        comparable = st.toggle(
            "Per standard deviation",
            value=True,
            key=f"{KEY}.weights.comparable",
            persist_state="session",
            help="Change per standard deviation, so that features are comparable; otherwise per "
            "unit.",
        )
    values = found.per_deviation if comparable else found.estimate
    unit = "standard deviation of the training rows" if comparable else "unit of the feature"
    figure = plots.coefficients(found.names, values[place], unit="coefficient")
    controls.figure(figure, key=f"{KEY}.weights")
    st.caption(f"Change of the score of {text.escape(found.lines[place])} per {unit}.")
    return place


def _place(found: Coefficients, label: str, help: str, key: str) -> int:
    """Ask for a line of coefficients where there are several."""
    if len(found.lines) == 1:
        return 0
    return controls.choose(
        label,
        list(range(len(found.lines))),
        key=f"{KEY}.{key}.class",
        format_func=found.lines.__getitem__,
        help=help,
        width=260,
    )


def _table(found: Coefficients, place: int) -> None:
    """Show the coefficients of one line, to be sorted and downloaded."""
    frame = pd.DataFrame(list(report.coefficient_rows(found, place)))
    formats = {
        column: st.column_config.NumberColumn(format="%.4g", help=HELP.get(column))
        if pd.api.types.is_numeric_dtype(frame[column].dtype)
        else st.column_config.TextColumn(help=HELP.get(column))
        for column in frame.columns
    }
    with st.container(key=f"{KEY}.coefficients.table"):
        tables.show(frame, hide_index=True, column_config=formats, width="stretch")
    if found.is_penalised:
        st.caption(
            "A penalty shrinks these coefficients, so they have no standard errors, intervals or "
            "p-values: choose C = maximum likelihood to get them."
        )


def _likelihood(experiment: PageExperiment, fitted: Fitted) -> Coefficients | None:
    """Return the coefficients of logistic regression with their errors, or say why there are none.

    Other classifiers are not described, nor is a penalty, which is in the table.
    """
    data, _, split = experiment
    model = fitted.pipeline.steps[-1][1]
    if not hasattr(model, "wald") or math.isfinite(model.C):
        return None
    try:
        return inspection.likelihood_coefficients(fitted.pipeline, data, split.train)
    except ValueError as error:
        st.caption(f"No standard errors or odds ratios: {text.escape(str(error))}")
        return None


def _odds(found: Coefficients) -> int:
    """Draw the odds ratios of one class against the reference; return which."""
    assert found.low is not None and found.high is not None
    place = _place(found, "Odds of", "Which odds one unit more of a feature multiplies.", "odds")
    shown = [j for j, name in enumerate(found.names) if name != "intercept"]
    with np.errstate(over="ignore"):
        parts = (np.exp(part[place, shown]) for part in (found.estimate, found.low, found.high))
        figure = plots.odds_ratios([found.names[j] for j in shown], *parts)
    controls.figure(figure, key=f"{KEY}.odds")
    return place
