"""Choices of the page Compare: models with their options, steps, validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import model_selection
from lincore.analysis import CompareQuestion
from lincore.displays import ScoresDisplay
from pages.ui.session.questions import COMPARE as QUESTION
from pages.ui.widgets import displays, experiment_record, model_options, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.analysis import SplitChoice
    from lincore.data import Dataset
    from lincore.metrics import Results
    from lincore.model_selection import Steps
    from pages.ui.session.sidebar import PageExperiment

KEY = "compare"
# Pixels of the controls in the row.
_WIDE, _NARROW = 240, 130
# The test set of the sidebar, as `lincore.compare` knows it.
_HOLDOUTS = {
    "stratified": "holdout",
    "last": "last",
    "given": "given",
    "group": "holdout by group",
}


class CompareChoice(NamedTuple):
    """Everything that a comparison depends on.

    Attributes
    ----------
    digest : str
        Of the data.
    split : SplitChoice
    lines : tuple of str
        A method each, as `lincore.compare` reads it.
    scheme : str
        As `lincore.compare` reads it.
    steps : Steps
    """

    digest: str
    split: SplitChoice
    lines: tuple[str, ...]
    scheme: str
    steps: Steps


class CompareRow(NamedTuple):
    """Places in the row of controls for what is asked once there are results."""

    score: DeltaGenerator
    options: DeltaGenerator


def ask(experiment: PageExperiment) -> tuple[CompareChoice | None, CompareRow]:
    """Ask what to compare, in one row of controls; no choice while no model is chosen."""
    data, choice, split = experiment
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{KEY}.row"):
        words = _words(data)
        displays.ask(CompareQuestion, QUESTION, "scheme", width=_WIDE, data=data)
        row = CompareRow(
            st.container(width=_WIDE), st.popover("Options", key=f"{KEY}.options", width=_NARROW)
        )
    with row.options:
        st.markdown("**Steps before the models**")
        steps = model_options.steps(data, split)
        displays.ask(CompareQuestion, QUESTION, "both_features", data=data)
        st.markdown("**Options of the models**")
        lines = _lines(words)
    asked = displays.read(CompareQuestion, QUESTION, data=data)
    if asked["both_features"]:
        lines = model_selection.on_both_features(lines)
    with row.options:
        if any(_counts(line) for line in lines):
            st.caption("Models of counts get the rows as they are, without these steps.")
    scheme = _HOLDOUTS[choice.how] if asked["scheme"] == "holdout" else asked["scheme"]
    _tell_torn_groups(scheme, data)
    if not asked["both_features"]:
        model_options.show_projection(data, steps, split, who="The models see")
    if not lines:
        return None, row
    return CompareChoice(data.digest, choice, lines, scheme, steps), row


def _words(data: Dataset) -> tuple[str, ...]:
    """Ask for the models, in a popover that says how many there are."""
    number = len(displays.read(CompareQuestion, QUESTION, data=data)["methods"])
    with st.popover(f"Models: {number}", key=f"{KEY}.models", width=_NARROW):
        displays.ask(CompareQuestion, QUESTION, "methods", data=data)
    words: tuple[str, ...] = displays.read(CompareQuestion, QUESTION, data=data)["methods"]
    return words


def judge(results: Results, row: CompareRow) -> dict[str, Any]:
    """Ask for the score that decides, and how small a difference does not matter."""
    with row.score:
        chosen = displays.ask(ScoresDisplay, KEY, "score", width=_WIDE, results=results)
    score = ScoresDisplay(results, **chosen).deciding
    with row.options:
        return chosen | displays.ask(ScoresDisplay, KEY, "rope", results=results, score=score)


def _tell_torn_groups(scheme: str, data: Dataset) -> None:
    if data.groups is not None and scheme not in ("last", "given") and "by group" not in scheme:
        st.caption("Groups are not kept together: scores may be biased upwards.")


def _lines(words: tuple[str, ...]) -> tuple[str, ...]:
    """Ask for the options of each model, and whether it enters twice."""
    lines: list[str] = []
    for word in words:
        if not model_selection.CLASSIFIER_OPTIONS[word]:
            lines.append(word)
            continue
        label, twice = model_selection.CLASSIFIER_LABELS[word], f"{KEY}.{word}.twice"
        with st.expander(
            text.escape(label), key=f"{KEY}.{word}.expander", on_change="rerun"
        ) as panel:
            if panel.open:
                model_options.options(word)
                st.toggle(
                    "Add it twice, with other options",
                    key=twice,
                    persist_state="session",
                    help="To see the effect of an option, compared with the same model without it.",
                )
                if st.session_state[twice]:
                    model_options.options(word, key=f"{KEY}.second")
        entries = [experiment_record.SHARED]
        entries += [f"{KEY}.second"] if st.session_state.get(twice) else []
        lines += [
            model_options.line(word, experiment_record.chosen_options(word, key=entry))
            for entry in entries
        ]
    return tuple(dict.fromkeys(lines))


def _counts(line: str) -> bool:
    return line.startswith("multinomial-nb")
