"""The model of the page Classify: classifier, options and steps, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lincore import inspection, model_selection, report
from lincore.data import Fold
from lincore.utils import seconds
from pages.ui.session import cache
from pages.ui.widgets import model_options, text

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset, Split
    from pages.ui.session.fitting import Fitted

KEY = "classify"
# Pixels: the others share the rest of the row.
_OPTIONS_WIDTH = 130


class ModelRow(NamedTuple):
    """Containers of the controls above the plot that are filled once the model is fitted."""

    plot: DeltaGenerator
    plane: DeltaGenerator
    options: DeltaGenerator


def ask(data: Dataset, split: Split) -> tuple[cache.ModelChoice, ModelRow]:
    """Ask for a classifier and, in a popover, for its options and the steps before it."""
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{KEY}.row"):
        word = model_options.word(data, key=f"{KEY}.word")
        plot, plane = st.container(), st.container()
        row = ModelRow(
            plot, plane, st.popover("Options", key=f"{KEY}.options", width=_OPTIONS_WIDTH)
        )
    with row.options:
        st.markdown("**Classifier**")
        line = model_options.line(word, model_options.options(word))
        st.markdown("**Steps before it**")
        if model_selection.as_method(line).counts:
            st.caption("The model is of counts: they are neither standardised nor projected.")
            return cache.ModelChoice(line, model_selection.Steps(standardize=False)), row
        return cache.ModelChoice(line, model_options.steps(data, split)), row


def show_steps(fitted: Fitted, model: cache.ModelChoice, data: Dataset, split: Split) -> None:
    """Say in one line what the rows go through, and how the fit ended."""
    pipeline = fitted.pipeline
    method = fitted.results.methods[0]
    steps = " → ".join(text.escape(part) for part in report.pipeline_steps(pipeline, data, method))
    took = seconds(float(fitted.results.seconds[0]))
    rows = f"{len(split.train):,} training {text.row_noun(data)}"
    model_options.show_projection(data, model.steps, split, who="The model sees")
    end = report.termination_reason(pipeline.steps[-1][1], coordinate_names(pipeline, data))
    basis = pipeline.named_steps.get("basis")
    for_steps = model_selection.n_learned_from_streamed(data, [Fold(0, 0, *split)], True, basis)
    streamed = fitted.results.settings.streamed.get(method, 0)
    st.caption(
        f"{steps}. "
        + report.training_rows_note(rows, took, for_steps, streamed)
        + f" {report.training_error_note(fitted.training_error, fitted.results, method)}"
        + (f" {text.escape(end.sentence)}" if end.is_fine and end.sentence else "")
    )
    counts_of_columns = inspection.naive_bayes_feature_counts(pipeline, data)
    if counts_of_columns is not None:
        st.caption(report.naive_bayes_distributions(*counts_of_columns))
    if not end.is_fine:
        st.warning(f"{text.escape(end.sentence)} {text.escape(end.remedy)}")
    for note in fitted.notes:
        st.caption(f"Note from the fit: {text.escape(note)}")


def coordinate_names(pipeline: Pipeline, data: Dataset) -> list[str]:
    """Return the names of the inputs of the classifier."""
    return list(inspection.classifier_input_names(pipeline, data))
