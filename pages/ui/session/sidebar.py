"""The sidebar: data set, target, split and class balance."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
import streamlit as st

import lincore
from lincore import analysis
from lincore.errors import DataError
from lincore.plots.base import shorten
from lincore.utils import percent
from pages.ui.server import _compat
from pages.ui.session import (
    _share,
    cache,
    commands,
    link,
    lost_uploads,
    specification,
    state,
    take_away,
    uploads,
)
from pages.ui.session.state import SPLIT
from pages.ui.widgets import controls, displays, text

if TYPE_CHECKING:
    from lincore.data import Dataset, Split

_SUMMARY = {
    "stratified": "{share}, by class",
    "last": "last {share} of each class",
    "given": "as in the file",
    "group": "{share}, whole groups",
}
_KEPT_TOGETHER = "Groups are kept together: none has rows in both training and test set."
_MAY_BE_TORN = "Groups are not kept together: scores may be biased upwards."
# Characters of the data set's name in its line.
_LONGEST_NAME = 26


# What the address is about: page, data, split.
_SHOWN = "shared.sidebar.shown"

Drawn = TypeVar("Drawn", bound=Callable[..., Any])


class PageExperiment(NamedTuple):
    """The data of this session and how its test set is set apart."""

    data: Dataset
    choice: analysis.SplitChoice
    split: Split


def show(page: str = "data") -> PageExperiment:
    """Draw the sidebar and return the experiment that it describes.

    Ends the page with a message when the data cannot be split as wished.
    """
    begin()
    data, choice = _what()
    try:
        split = cache.split(data.digest, choice, data)
    except DataError as error:
        _offer(page, data, choice, None)
        text.show_problem(error.notice)
        st.stop()
    _offer(page, data, choice, split)
    with st.sidebar:
        _balance(data, split)
    return PageExperiment(data, choice, split)


def show_on_data() -> tuple[Dataset, analysis.SplitChoice | None]:
    """Draw the sidebar where the data are chosen; return them and their split, if there is one."""
    commands.apply_result()
    _open_link()
    data, choice = _what()
    try:
        split = cache.split(data.digest, choice, data)
    except DataError as error:
        _offer("data", data, choice, None)
        with st.sidebar:
            text.show_problem(error.notice)
        return data, None
    _offer("data", data, choice, split)
    with st.sidebar:
        _balance(data, split)
    return data, choice


def begin() -> None:
    """Claim uploads, open the link, and explain what was refused, before a page asks anything."""
    uploads.claim_uploads()
    _open_link()
    with st.sidebar:
        uploads.progress()
        _problem()


def show_rows_of(title: str, rows: Dataset | None) -> None:
    """Draw the sidebar of an experiment that has rows of its own, or lines and none.

    The data in use stay as they are, and go into the link.
    """
    with st.sidebar, st.container(key="sidebar.summary", gap="small"):
        st.markdown(f":material/architecture: **{text.escape(title)}**")
        st.caption(f"{text.describe(rows)}." if rows is not None else "No rows.")
    data = state.require_dataset()
    choice = _chosen_split(data)
    try:
        split = cache.split(data.digest, choice, data)
    except DataError:
        split = None
    _offer("geometry", data, choice, split)
    if rows is not None:
        with st.sidebar:
            if rows.given_test is not None:
                n_new = int(rows.given_test.sum())
                st.caption(f"{rows.n_rows - n_new:,} rows train, {n_new:,} test.")
            is_new = np.zeros(rows.n_rows, bool) if rows.given_test is None else rows.given_test
            parts = lincore.data.Split(np.flatnonzero(~is_new), np.flatnonzero(is_new))
            _draw_balance(rows, parts)


def show_on_start() -> None:
    """Draw the sidebar where nothing need be chosen yet."""
    controls.count_visits()
    commands.apply_result()
    uploads.follow()
    link.restore()
    if state.has_dataset():
        with st.sidebar:
            _problem()
        data, choice = _what()
        _offer("start", data, choice, None)
    else:
        link.write(None)


def _offer(page: str, data: Dataset, choice: analysis.SplitChoice, split: Split | None) -> None:
    """Put what is shown into the address, and offer it as link and file."""
    st.session_state[_SHOWN] = (page, data, choice, split)
    shown = specification.current(page, data, choice, split)
    link.write(shown)
    with st.sidebar, st.container(horizontal=True, key="sidebar.away"):
        _share.show(shown)
        if page != "start":
            take_away.show(shown, data, split)


def fragment(draw: Drawn) -> Drawn:
    """Make a function a fragment that writes the address anew when it is drawn by itself."""

    @wraps(draw)
    def drawn(*args: Any, **options: Any) -> Any:
        found = draw(*args, **options)
        if _compat.is_fragment_run() and _SHOWN in st.session_state:
            link.write(specification.current(*st.session_state[_SHOWN]))
        return found

    return cast("Drawn", st.fragment(drawn))


def _open_link() -> None:
    """Restore what the link says; end the page where that needs a file to be uploaded again."""
    link.restore()
    wanted = link.awaited()
    if wanted is not None:
        lost_uploads.show(wanted, key="again")
        link.write(None)
        st.stop()


def _problem() -> None:
    """Explain the last change that was refused, a file or a target chosen here, if nobody has."""
    problem = state.problem()
    if problem is None:
        return
    with st.container(key="sidebar.problem"):
        text.show_problem(problem)
        st.caption(f"Current data: {text.escape(state.require_dataset().name)}. See the page Data.")
        st.button(
            "Dismiss", key="sidebar.dismiss", on_click=state.dismiss, help="Dismiss this message."
        )


def _what() -> tuple[Dataset, analysis.SplitChoice]:
    data = state.require_dataset()
    with st.sidebar, st.container(key="sidebar.summary", gap="small"):
        st.page_link(
            "pages/data.py",
            label=f"**{text.escape(shorten(data.name, _LONGEST_NAME))}**",
            icon=":material/table:",
            help="The rows, and other data: the page Data.",
        )
        st.caption(f"{text.describe(data)}.")
        _target(data)
        return data, _split(data)


def _target(data: Dataset) -> None:
    source = state.source()
    name = text.escape((source and source.target) or data.target_name)
    if source is None or source.table is None:
        if name:
            st.caption(f"Target: **{name}**")
        return
    with st.expander(f"Target: **{name}**", key="sidebar.target.open"):
        # Always what the data were made with: Streamlit forgets a value that no visitor has chosen
        # when the page changes, and a choice that was refused must not stay on the screen.
        st.session_state["sidebar.target"] = source.target
        st.selectbox(
            "Target",
            [str(column) for column in source.table.frame.columns],
            key="sidebar.target",
            help="The column that holds the classes.",
            on_change=_choose_target,
        )


def _choose_target() -> None:
    # A click that crosses a change of data comes when the box is gone.
    target = st.session_state.get("sidebar.target")
    if target is not None:
        commands.choose_target(target)


def _chosen_split(data: Dataset) -> analysis.SplitChoice:
    """Return how the test set is set apart, without asking."""
    return analysis.SplitChoice(**displays.read(analysis.SplitChoice, SPLIT, data=data))


def _split(data: Dataset) -> analysis.SplitChoice:
    """Ask how the test set is set apart, in an expander that says what holds."""
    held = _chosen_split(data)
    summary = _SUMMARY[str(held.how)].format(share=percent(held.test_size, 0))
    with st.expander(f"Test set: **{summary}**", key="sidebar.split"):
        displays.ask(analysis.SplitChoice, SPLIT, data=data)
    choice = _chosen_split(data)
    if data.groups is not None:
        st.caption(_KEPT_TOGETHER if choice.how == "group" else _MAY_BE_TORN)
    return choice


def _balance(data: Dataset, split: Split) -> None:
    st.caption(f"{len(split.train):,} {text.row_noun(data)} train, {len(split.test):,} test.")
    if data.n_streamed:
        st.caption(f"{data.n_streamed:,} more rows are streamed: see the page Data.")
    _draw_balance(data, split)


def _draw_balance(data: Dataset, split: Split) -> None:
    figure = displays.parts(data.class_counts(split=split)).figure
    if figure is not None:
        controls.figure(figure, key="sidebar.balance")
