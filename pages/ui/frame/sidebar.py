"""The chips above every page (data, target, test set), and the sidebar that sums them up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import streamlit as st

from lincore import analysis, model_selection, report
from lincore.errors import DataError
from lincore.utils import capital, shorten
from pages.ui.frame import export_menu, share, uploads
from pages.ui.jobs import cache
from pages.ui.server import _compat
from pages.ui.session import commands, link, specification, state
from pages.ui.session.experiment import PageExperiment
from pages.ui.session.state import SPLIT
from pages.ui.widgets import components, controls, displays, experiment_record, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset, Split

# Pages whose models have the steps before them.
WITH_STEPS = ("classify", "compare", "balance", "predict")
# Maximum length of the names of the data set and the target.
_LONGEST_NAME = 26
# Tooltips show names from this length, of at most this many classes and features.
_LONG_NAME, _MOST_NAMES = 10, 500


# Page, data and split in the address.
_SHOWN = "shared.sidebar.shown"

Drawn = TypeVar("Drawn", bound=Callable[..., Any])


def show(page: str = "data", *, steps: bool = True) -> PageExperiment:
    """Draw chips and sidebar, and return the experiment that they describe.

    Ends the page with a message if the data cannot be split as chosen.
    """
    begin()
    chips = _row()
    data, choice = _data_and_choice(chips)
    try:
        split = cache.split(data.digest, choice, data)
    except DataError as error:
        _offer(page, data, choice, None)
        text.show_problem(error.notice)
        st.stop()
    if steps and page in WITH_STEPS:
        with chips:
            _steps(data, split)
    _offer(page, data, choice, split)
    with st.sidebar:
        _balance(data, split)
    return PageExperiment(data, choice, split)


def show_on_data() -> tuple[Dataset, analysis.SplitChoice | None]:
    """Draw the sidebar of the page Data; return the data and their split, if there is one."""
    commands.apply_result()
    _open_link()
    data, choice = _data_and_choice(_row())
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
    """Claim uploads, open the link, and explain a refused change, before a page asks anything."""
    uploads.claim_uploads()
    _open_link()
    with st.sidebar:
        uploads.show_progress()
        _problem()


def show_rows_of(title: str, rows: Dataset | None) -> None:
    """Draw the sidebar of a laboratory experiment, which has its own rows or none.

    The data in use do not change, and are part of the link.
    """
    with st.sidebar, st.container(key="sidebar.summary", gap="small"):
        st.markdown(f":material/architecture: **{text.escape(title)}**")
        st.caption(text.escape(f"{rows.size_text}." if rows is not None else "No rows."))
    data = state.require_dataset()
    choice = _chosen_split(data)
    try:
        split = cache.split(data.digest, choice, data)
    except DataError:
        split = None
    _offer("geometry", data, choice, split)


def show_on_start() -> None:
    """Draw the sidebar of the page Start, where data are optional."""
    controls.note_visit()
    commands.apply_result()
    uploads.follow()
    link.restore()
    if state.has_dataset():
        with st.sidebar:
            _problem()
        data = state.require_dataset()
        choice = _chosen_split(data)
        _sum_up(data, choice)
        _offer("start", data, choice, None)
    else:
        link.write(None)
        with st.sidebar:
            _aids([])


def _offer(page: str, data: Dataset, choice: analysis.SplitChoice, split: Split | None) -> None:
    """Write the page into the address, and offer it as link and file."""
    st.session_state[_SHOWN] = (page, data, choice, split)
    shown = specification.current(page, data, choice, split)
    link.write(shown)
    with st.sidebar:
        with st.container(horizontal=True, key="sidebar.away"):
            share.show(shown)
            if page != "start":
                export_menu.show(shown, data, split)
        _aids(_long_names(data))


def _long_names(data: Dataset) -> list[str]:
    """Return the names of data set, target, classes and features that pages may shorten."""
    most = slice(None, _MOST_NAMES)
    names = map(
        str, (data.name, _target_name(data), *data.classes[most], *data.feature_names[most])
    )
    return [name for name in names if len(name) >= _LONG_NAME]


def fragment(draw: Drawn) -> Drawn:
    """Make a function a fragment that updates the address when it reruns alone."""

    @wraps(draw)
    def drawn(*args: Any, **options: Any) -> Any:
        result = draw(*args, **options)
        if _compat.is_fragment_run() and _SHOWN in st.session_state:
            link.write(specification.current(*st.session_state[_SHOWN]))
        return result

    return cast("Drawn", st.fragment(drawn))


def _open_link() -> None:
    """Apply the link; end the page if a file has to be uploaded again."""
    link.restore()
    wanted = link.awaited()
    if wanted is not None:
        uploads.ask_again(wanted)
        link.write(None)
        st.stop()


def _problem() -> None:
    """Explain the last refused change, unless the page Data has done so."""
    problem = state.problem()
    if problem is None:
        return
    with st.container(key="sidebar.problem"):
        text.show_problem(problem)
        st.caption(f"Current data: {text.escape(state.require_dataset().name)}. See the page Data.")
        st.button(
            "Dismiss", key="sidebar.dismiss", on_click=state.dismiss, help="Dismiss this message."
        )


def _row() -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="center", gap="small", key="chips")


def _data_and_choice(chips: DeltaGenerator) -> tuple[Dataset, analysis.SplitChoice]:
    data = state.require_dataset()
    with chips:
        _name(data)
        _target(data)
        choice = _split(data)
    _sum_up(data, choice)
    return data, choice


def _sum_up(data: Dataset, choice: analysis.SplitChoice) -> None:
    """Say in the sidebar what the data are, and which rows are tested."""
    with st.sidebar, st.container(key="sidebar.summary", gap="small"):
        st.markdown(f":material/table: **{text.escape(shorten(data.name, _LONGEST_NAME))}**")
        name = text.escape(shorten(_target_name(data), _LONGEST_NAME))
        lines = [text.escape(f"{data.size_text}.")]
        lines += [f"Target: **{name}**"] if name else []
        lines.append(text.escape(f"{choice.summary(data)}."))
        lines.append(report.groups_sentence(data, together=choice.how == "group"))
        st.caption("\n\n".join(filter(None, lines)))


def _name(data: Dataset) -> None:
    st.page_link(
        "pages/data.py",
        label=f"**{text.escape(shorten(data.name, _LONGEST_NAME))}**",
        icon=":material/table:",
        help="Opens the page Data: the rows, and other data sets.",
        width="content",
    )


def _chip(key: str, label: str, help: str) -> Any:
    """Return a popover that opens a setting; while it is open its label stays."""
    # With another label Streamlit makes a new popover, without the focus.
    label_key = f"{key}.label"
    shown = st.session_state.get(label_key)
    if shown is None or not st.session_state.get(key):
        shown = st.session_state[label_key] = label
    return st.popover(
        text.escape(shown),
        key=key,
        help=help,
        type="tertiary",
        on_change="rerun",
        width="content",
    )


def _target_name(data: Dataset) -> str:
    source = state.source()
    return str((source and source.target) or data.target_name)


def _target(data: Dataset) -> None:
    source, name = state.source(), shorten(_target_name(data), _LONGEST_NAME)
    if source is None or source.table is None:
        if name:
            st.caption(text.escape(f"Target: {name}"), width="content")
        return
    with _chip("chips.target", f"Target: {name}", "The column that holds the classes.") as panel:
        if not panel.open:
            return
        # Always the target in use: when the page changes, Streamlit forgets values that were not
        # chosen by the visitor, and a refused choice must not stay on the screen.
        st.session_state["sidebar.target"] = source.target
        names = [str(column) for column in source.table.frame.columns]
        st.selectbox(
            "Target",
            **controls.named(names, names),
            key="sidebar.target",
            help="The column that holds the classes.",
            on_change=_choose_target,
        )


def _choose_target() -> None:
    # A late click, after a change of data, may come without a value.
    target = st.session_state.get("sidebar.target")
    if target is not None:
        commands.choose_target(target)


def _chosen_split(data: Dataset) -> analysis.SplitChoice:
    """Return the choice of the test set, without drawing widgets."""
    return analysis.SplitChoice(**displays.read(analysis.SplitChoice, SPLIT, data=data))


def _split(data: Dataset) -> analysis.SplitChoice:
    """Ask for the test set, in a popover."""
    choice = _chosen_split(data)
    with _chip("chips.split", choice.summary(data), "Which rows are tested.") as panel:
        if panel.open:
            displays.ask(analysis.SplitChoice, SPLIT, data=data)
    return choice


def _steps(data: Dataset, split: Split) -> None:
    """Ask for the preprocessing steps, in a popover."""
    n_train = len(split.train)
    phrase = report.steps_phrase(data, experiment_record.chosen_steps(data, n_train))
    label = capital(phrase)
    with _chip("chips.steps", label, "Steps before every model, fitted on training rows.") as panel:
        if panel.open:
            displays.ask(
                model_selection.Steps, experiment_record.SHARED, data=data, n_train=n_train
            )


def _balance(data: Dataset, split: Split) -> None:
    counts = displays.parts(data.class_counts(split=split))
    for note in counts.notes:
        st.caption(text.escape(note))
    if counts.figure is not None:
        controls.figure(counts.figure, key="sidebar.balance")


def _aids(names: Sequence[str]) -> None:
    """Start or update the aids; `names` are those that the page may shorten."""
    components.component(Path(__file__).with_name("aids"))(
        key="shared.aids", data={"names": tuple(names)}, height=1
    )
