"""Choices of the page Compare: models with their options, steps, validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import model_selection
from lincore.displays import ScoresDisplay
from pages.ui.session import cache, questions
from pages.ui.widgets import controls, displays, model_options, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.metrics import Results
    from lincore.model_selection import Steps
    from pages.ui.session.sidebar import PageExperiment

KEY = "compare"
_SCHEMES = {
    "holdout": "Test set",
    "5-fold": "5-fold",
    "10-fold": "10-fold",
    "10x10-fold": "10-fold, 10 times",
    "leave-one-out": "Leave-one-out",
    questions.OWN: "Custom folds",
}
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
    split : SplitSettings
    lines : tuple of str
        A method each, as `lincore.compare` reads it.
    scheme : str
        As `lincore.compare` reads it.
    steps : Steps
    """

    digest: str
    split: cache.SplitSettings
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
        word = _validation()
        row = CompareRow(
            st.container(width=_WIDE), st.popover("Options", key=f"{KEY}.options", width=_NARROW)
        )
    with row.options:
        scheme = _scheme(word, data, choice)
        st.markdown("**Steps before the models**")
        steps = model_options.steps(data, split)
        both = model_selection.offers_gradients(data) and _both_features()
        st.markdown("**Options of the models**")
        lines = _lines(words)
        lines = model_selection.on_both_features(lines) if both else lines
        if any(_counts(line) for line in lines):
            st.caption("Models for counts use the rows without these steps.")
    _tell_torn_groups(scheme, data)
    if not both:
        model_options.show_projection(data, steps, split, who="The models see")
    if not lines:
        return None, row
    return CompareChoice(data.digest, choice, lines, scheme, steps), row


def judge(results: Results, row: CompareRow) -> dict[str, Any]:
    """Ask for the score that decides, and how small a difference does not matter."""
    with row.score:
        chosen = displays.ask(ScoresDisplay, KEY, "score", width=_WIDE, results=results)
    score = ScoresDisplay(results, **chosen).deciding
    with row.options:
        return chosen | displays.ask(ScoresDisplay, KEY, "rope", results=results, score=score)


def _words(data: Dataset) -> list[str]:
    offered = model_options.suitable(data)
    key = f"{KEY}.words"
    # Through the session alone: a default beside a stored value is reported as a mistake.
    st.session_state[key] = questions.compared(data)
    n_chosen = len(st.session_state[key])
    # Pills and no multiselect, whose white names on the accent are too faint in the dark.
    with st.popover(f"Models: {n_chosen}", key=f"{KEY}.models", width=_NARROW):
        chosen = st.pills(
            "Models",
            offered,
            selection_mode="multi",
            wrap=True,
            format_func=model_selection.CLASSIFIER_LABELS.__getitem__,
            key=key,
            persist_state="session",
            help="All are fitted on the same training rows and tested on the same test rows.",
        )
    # In one order, however they were clicked: otherwise the same set would be another choice.
    return [word for word in offered if word in chosen]


def _validation() -> str:
    return str(
        controls.choose(
            "Validation",
            list(_SCHEMES),
            key=f"{KEY}.scheme",
            format_func=_SCHEMES.__getitem__,
            help="Which rows are used for training and testing: the test set of the sidebar, or "
            "folds, so that every row is tested once by models that have not seen it.",
            width=_WIDE,
        )
    )


def _scheme(word: str, data: Dataset, choice: cache.SplitSettings) -> str:
    """Return the validation as `lincore.compare` reads it; of folds, ask what else matters."""
    if word == "holdout":
        return _HOLDOUTS[choice.how]
    if word == "leave-one-out":
        return word
    if word == questions.OWN:
        with st.container(horizontal=True):
            k = controls.number(
                "Folds", 2, 100, 5, key=f"{KEY}.folds", help="Number of folds, each tested in turn."
            )
            r = controls.number(
                "Repetitions",
                1,
                100,
                2,
                key=f"{KEY}.times",
                help="Number of random divisions into folds.",
            )
        word = f"{r}x{k}-fold"
    by_group = data.groups is not None and st.toggle(
        "Keep groups together",
        value=True,
        key=f"{KEY}.by_group",
        persist_state="session",
        help="Rows that belong together are tested in one fold: otherwise scores are biased "
        "upwards.",
    )
    return f"{word} by group" if by_group else word


def _tell_torn_groups(scheme: str, data: Dataset) -> None:
    if data.groups is not None and scheme not in ("last", "given") and "by group" not in scheme:
        st.caption("Groups are not kept together: scores may be biased upwards.")


def _lines(words: list[str]) -> tuple[str, ...]:
    """Ask for the options of each model, and whether it enters twice."""
    lines: list[str] = []
    for word in words:
        if not model_selection.CLASSIFIER_OPTIONS[word]:
            lines.append(word)
            continue
        with st.expander(
            text.escape(model_selection.CLASSIFIER_LABELS[word]), key=f"{KEY}.{word}.expander"
        ):
            found = model_options.options(word)
            lines.append(model_options.line(word, found))
            if st.toggle(
                "Add it twice, with other options",
                key=f"{KEY}.{word}.twice",
                persist_state="session",
                help="To see the effect of an option, compared with the same model without it.",
            ):
                found = model_options.options(word, key=f"{KEY}.second")
                lines.append(model_options.line(word, found))
    return tuple(dict.fromkeys(lines))


def _both_features() -> bool:
    return st.toggle(
        "Each model on pixels and on gradients (HOG)",
        key=f"{KEY}.both_features",
        persist_state="session",
        help="Shows the effect of the image features on the same folds, with intervals under "
        "Pairwise comparisons.",
    )


def _counts(line: str) -> bool:
    return line.startswith("multinomial-nb")
