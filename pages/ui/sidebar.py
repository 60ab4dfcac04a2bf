"""What is true on every page: the data set, its target, the split and the class balance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lincore.errors import DataError
from pages.ui import cached, controls, state, text, uploads

if TYPE_CHECKING:
    from lincore.datasets import Dataset, Split

_GROUPED = "sidebar.grouped"
_HOW = {
    "stratified": "At random, by class",
    "last": "The last of each class",
    "given": "As the file gives it",
    "group": "Whole groups, at random",
}
SHARE = "sidebar.share"
#: What the slider of the test part offers, in per cent.
SHARES = range(5, 51, 5)


class Experiment(NamedTuple):
    """The data of this session and how its test part is set apart."""

    data: Dataset
    choice: cached.SplitChoice
    split: Split


def show() -> Experiment:
    """Draw the sidebar and return the experiment that it describes.

    Ends the page with a message when the data cannot be split as wished.
    """
    uploads.take_over()
    with st.sidebar:
        uploads.progress()
        _problem()
    data, choice = _what()
    try:
        split = cached.split(data.digest, choice, data)
    except DataError as error:
        text.show_problem(error.notice)
        st.stop()
    with st.sidebar:
        _balance(data, choice, split)
    return Experiment(data, choice, split)


def show_on_data() -> Dataset:
    """Draw the sidebar where the data are chosen, and return them, split or not."""
    uploads.adopt()
    data, choice = _what()
    with st.sidebar:
        try:
            _balance(data, choice, cached.split(data.digest, choice, data))
        except DataError as error:
            text.show_problem(error.notice)
    return data


def show_on_start() -> None:
    """Draw the sidebar where nothing need be chosen yet."""
    uploads.adopt()
    uploads.follow()
    if state.has_dataset():
        with st.sidebar:
            _problem()
        _what()


def _problem() -> None:
    """Say why the last wish could not be met, a file or a target chosen here, if nobody has."""
    problem = state.problem()
    if problem is None:
        return
    with st.container(key="sidebar.problem"):
        text.show_problem(problem)
        st.caption(
            f"Still in use: {text.escape(state.require_dataset().name)}. The page Data says more."
        )
        st.button("Dismiss", key="sidebar.dismiss", on_click=state.dismiss, help="Forget the wish.")


def _what() -> tuple[Dataset, cached.SplitChoice]:
    data = state.require_dataset()
    with st.sidebar:
        st.markdown(f"**{text.escape(data.name)}**  \n{text.describe(data)}.")
        _target()
        return data, _split(data)


def _target() -> None:
    source = state.source()
    if source is None:
        return
    columns = [str(name) for name in source.table.frame.columns]
    # Always what the data were made with: Streamlit forgets a value that no visitor has chosen
    # when the page changes, and a choice that was refused must not stay on the screen.
    st.session_state["sidebar.target"] = source.target
    st.selectbox(
        "Target",
        columns,
        key="sidebar.target",
        help="The column that holds the classes.",
        on_change=_choose_target,
    )


def _choose_target() -> None:
    # A click that crosses a change of data comes when the box is gone.
    target = st.session_state.get("sidebar.target")
    if target is not None:
        state.choose_target(target)


def _split(data: Dataset) -> cached.SplitChoice:
    options = ["stratified", "last"]
    if data.groups is not None:
        options.insert(0, "group")
    if st.session_state.setdefault(_GROUPED, data.groups is not None) != (data.groups is not None):
        # Groups that have just been set are kept together until somebody wants it otherwise.
        st.session_state[_GROUPED] = data.groups is not None
        st.session_state.pop("sidebar.how", None)
    if data.given_test is not None:
        options.insert(0, "given")
    how = controls.choose(
        "Test part",
        options,
        key="sidebar.how",
        format_func=_HOW.__getitem__,
        help="Rows that no model sees before it is judged. Where rows are related, as pictures of "
        "one series are, a random split puts near copies on both sides: take whole groups, or the "
        "last of each class.",
    )
    if how == "given":
        return cached.SplitChoice(how, 0.0, 0)
    share = st.slider(
        "Share of rows for testing",
        SHARES[0],
        SHARES[-1],
        30,
        step=SHARES.step,
        format="%d %%",
        key=SHARE,
        persist_state="session",
        help="Of each class; the rest is for training. By group it is as near as whole groups "
        "come.",
    )
    seed = 0
    if how in ("stratified", "group"):
        seed = controls.number(
            "Seed", 0, 9999, 0, key="sidebar.seed", help="Another number draws another split."
        )
    return cached.SplitChoice(how, share / 100, seed)


def _balance(data: Dataset, choice: cached.SplitChoice, split: Split) -> None:
    st.caption(f"{len(split.train):,} {text.row_noun(data)} train, {len(split.test):,} test.")
    if data.n_beyond:
        st.caption(f"{data.n_beyond:,} more are summed by class: see the page Data.")
    drawn = cached.class_balance(data.digest, choice, data)
    controls.figure(drawn, key="sidebar.balance")
