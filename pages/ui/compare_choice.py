"""What the page Compare compares: models with their options, the steps before them, the scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from pages.ui import cached, choosing, controls, text

if TYPE_CHECKING:
    from lincore.datasets import Dataset
    from lincore.experiments.pipeline import Steps
    from pages.ui.sidebar import Experiment

KEY = "compare"
FOR_TABLES = ("lda", "qda", "naive-bayes", "fisher", "least-squares", "logistic")
FOR_WORDS = ("multinomial-nb", "lda", "naive-bayes", "least-squares", "logistic")
OWN = "own"
_SCHEMES = {
    "holdout": "The test part",
    "5-fold": "5 folds",
    "10-fold": "10 folds",
    "10x10-fold": "10 folds, 10 times",
    "leave-one-out": "Leave one out",
    "by-group": "Folds of whole groups",
    OWN: "Folds of your own",
}
# The test part of the sidebar, as `lincore.compare` knows it.
_HOLDOUTS = {
    "stratified": "holdout",
    "last": "last",
    "given": "given",
    "group": "holdout by group",
}


class Choice(NamedTuple):
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
    split: cached.SplitChoice
    lines: tuple[str, ...]
    scheme: str
    steps: Steps


def ask(experiment: Experiment) -> Choice | None:
    """Ask what to compare; None while no model is chosen."""
    data, choice, split = experiment
    left, right = st.columns([4, 1], vertical_alignment="top")
    with left:
        words = _words(data)
    with right:
        scheme = _scheme(data, choice)
    with st.expander("Options of the models, and the steps before them", key=f"{KEY}.options"):
        lines = _lines(words, data)
        steps = choosing.steps(data, split, key=KEY)
        if any(_counts(line) for line in lines):
            st.caption("Models of counts get the rows as they are, without these steps.")
    choosing.show_projection(data, steps, split, who="The models see")
    if not lines:
        return None
    return Choice(data.digest, choice, lines, scheme, steps)


def _words(data: Dataset) -> list[str]:
    from lincore.experiments.methods import LABELS

    offered = choosing.suitable(data)
    key = f"{KEY}.words"
    usual = FOR_WORDS if data.n_words else FOR_TABLES
    wanted = st.session_state.get(key, usual)
    # Through the session alone: a default beside a stored value is reported as a mistake.
    st.session_state[key] = [word for word in wanted if word in offered]
    # Pills and no multiselect, whose white names on the accent are too faint in the dark.
    chosen = st.pills(
        "Models",
        offered,
        selection_mode="multi",
        wrap=True,
        format_func=LABELS.__getitem__,
        key=key,
        persist_state="session",
        help="All of them are fitted on the same training rows and judged on the same test rows.",
    )
    # In one order, however they were clicked: otherwise the same set would be another choice.
    return [word for word in offered if word in chosen]


def _scheme(data: Dataset, choice: cached.SplitChoice) -> str:
    words = [word for word in _SCHEMES if word != "by-group" or data.groups is not None]
    word = controls.choose(
        "Scheme",
        words,
        key=f"{KEY}.scheme",
        format_func=_SCHEMES.__getitem__,
        help="Which rows are trained on and which are tested: the test part of the sidebar, or "
        "folds, so that every row is tested once by models that have not seen it.",
    )
    if word == "holdout":
        if data.groups is not None and choice.how == "stratified":
            st.caption("Rows of one group stand on both sides.")
        return _HOLDOUTS[choice.how]
    if word != OWN:
        if data.groups is not None and word != "by-group":
            st.caption("Rows of one group stand in several folds.")
        return str(word)
    folds, times = st.columns(2)
    with folds:
        k = controls.number(
            "Folds", 2, 100, 5, key=f"{KEY}.folds", help="Parts that are tested in turn."
        )
    with times:
        r = controls.number(
            "Times", 1, 100, 2, key=f"{KEY}.times", help="How often the rows are dealt anew."
        )
    by_group = data.groups is not None and st.toggle(
        "Whole groups",
        value=True,
        key=f"{KEY}.by_group",
        persist_state="session",
        help="Keep rows that belong together in one fold.",
    )
    return f"{r}x{k}-fold by group" if by_group else f"{r}x{k}-fold"


def _lines(words: list[str], data: Dataset) -> tuple[str, ...]:
    """Ask for the options of each model, and whether it enters twice."""
    from lincore.experiments.methods import LABELS
    from lincore.experiments.options import OPTIONS

    lines: list[str] = []
    with st.container(horizontal=True, key=f"{KEY}.models"):
        for word in words:
            if not OPTIONS[word]:
                lines.append(word)
                continue
            with st.popover(text.escape(LABELS[word]), key=f"{KEY}.{word}.popover"):
                found = choosing.options(word, data, key=f"{KEY}.{word}")
                lines.append(choosing.line(word, found))
                if st.toggle(
                    "Enter it twice, with other options",
                    key=f"{KEY}.{word}.twice",
                    persist_state="session",
                    help="To see what an option does, against the same model without it.",
                ):
                    found = choosing.options(word, data, key=f"{KEY}.{word}.second")
                    lines.append(choosing.line(word, found))
    return tuple(dict.fromkeys(lines))


def _counts(line: str) -> bool:
    return line.startswith("multinomial-nb")
