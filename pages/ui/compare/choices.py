"""Choices on the page Compare: models with options, steps, validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import model_selection, report
from lincore.analysis import CompareQuestion
from lincore.displays import ScoresDisplay
from pages.ui.session.experiment import Setup
from pages.ui.session.questions import COMPARE as KEY
from pages.ui.widgets import controls, displays, experiment_record, model_options, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.metrics import Results
    from pages.ui.session.experiment import PageExperiment

# Options that other widgets of the page ask for.
_ELSEWHERE = ("methods", "scheme", "score", "rope")
# Widths of the controls in the row, in pixels.
_WIDE, _NARROW = 240, 130


class CompareRow(NamedTuple):
    """Containers in the row of controls for widgets that depend on the results."""

    score: DeltaGenerator
    options: Any  # a popover


def ask(experiment: PageExperiment) -> tuple[Setup | None, CompareRow]:
    """Ask for the comparison, in one row of controls; None without a model."""
    data, _, split = experiment
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{KEY}.row"):
        words = _words(data)
        displays.ask(CompareQuestion, KEY, "scheme", width=_WIDE, data=data)
        row = CompareRow(
            st.container(width=_WIDE),
            st.popover("Options", key=f"{KEY}.options", width=_NARROW, on_change="rerun"),
        )
    if row.options.open:
        with row.options:
            displays.ask(CompareQuestion, KEY, data=data, **dict.fromkeys(_ELSEWHERE))
            st.markdown("**Options of the models**")
            _ask_options(words)
    setup = Setup.from_page(KEY, experiment)
    if row.options.open and any(line.startswith("multinomial-nb") for line in setup.methods):
        row.options.caption("Models of word counts use the original rows, without these steps.")
    _note_split_groups(setup.arguments(data)["scheme"], data)
    if not setup.question.both_features:
        model_options.show_projection(data, setup.steps, split, who="The models see")
    return setup if setup.methods else None, row


def _words(data: Dataset) -> tuple[str, ...]:
    """Ask for the models, in a popover labelled with their number."""
    n_models = len(displays.read(CompareQuestion, KEY, data=data)["methods"])
    with st.popover(f"Models: {n_models}", key=f"{KEY}.models", width=_NARROW):
        displays.ask(CompareQuestion, KEY, "methods", data=data)
    return displays.read(CompareQuestion, KEY, data=data)["methods"]


def ask_score_and_rope(results: Results, row: CompareRow) -> dict[str, Any]:
    """Ask for the leading score and the negligible difference."""
    with row.score:
        chosen = displays.ask(ScoresDisplay, KEY, "score", width=_WIDE, results=results)
    score = ScoresDisplay(results, **chosen).deciding
    known = {"results": results, "score": score, "draw": row.options.open}
    with row.options:
        return chosen | displays.ask(ScoresDisplay, KEY, "rope", **known)


def _note_split_groups(scheme: str, data: Dataset) -> None:
    sentence = report.groups_sentence(data, together=False)
    if sentence and scheme not in ("last", "given") and "by group" not in scheme:
        st.caption(sentence)


def _ask_options(words: tuple[str, ...]) -> None:
    """Ask for the options of each model, and whether to add it twice."""
    for word in words:
        if not model_selection.CLASSIFIER_OPTIONS[word]:
            continue
        label = model_selection.CLASSIFIER_LABELS[word]
        with st.expander(
            text.escape(label), key=f"{KEY}.{word}.expander", on_change="rerun"
        ) as panel:
            if panel.open:
                model_options.options(word)
                _ask_second(word)


def _ask_second(word: str) -> None:
    """Ask whether to compare a model twice, and for the options of its second entry."""
    is_twice = displays.has_settings(f"{experiment_record.SECOND}.{word}")

    def keep(twice: bool) -> None:
        experiment_record.set_second_entry(word, {} if twice else None)

    st.toggle(
        "Add it twice, with other options",
        help="To see the effect of an option: the same model with and without it.",
        **controls.edits(f"{KEY}.{word}.twice", is_twice, keep),
    )
    if is_twice:
        model_options.options(word, key=experiment_record.SECOND)
