"""Setup of an imbalance study: reduced class, remaining rows, models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import fields
from lincore.analysis import BalanceStudyQuestion
from lincore.imbalance import OneThird, a_third, type_sizes
from lincore.plots.base import shorten_all
from lincore.utils import count, quoted
from pages.ui.balance import models
from pages.ui.session import questions, state
from pages.ui.session.experiment import Setup
from pages.ui.widgets import controls, displays, experiment_record, tables, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.analysis import SplitChoice
    from lincore.data import Dataset
    from pages.ui.session.experiment import PageExperiment

KEY = "balance"
#: State of the editor of sizes: its data, its initial and current sizes; how often it restarted.
BASE, VERSION = "balance.base", "balance.version"
#: Messages on invalid entries.
NOTES = "balance.notes"
#: Maximum characters of a class label in the table of sizes.
WIDEST_NAME = 16
#: Up to this many reduced classes have a slider each; more share one.
MOST_SLIDERS = 4
ASKED = BalanceStudyQuestion
REDUCED = next(option.field for option in fields.options(ASKED) if option.name == "sizes")


def ask(
    experiment: PageExperiment, row: DeltaGenerator, chosen: Mapping[str, Any]
) -> tuple[Setup | None, str | None]:
    """Ask for sizes and the shown model in a row of controls, and for the rest under Options.

    Return the setup and the model; no setup if no class is reduced or no model is chosen.
    `chosen` are the current options of the question. Ends the page if no class can be reduced.
    """
    data, choice, split = experiment
    counts = experiment.counts
    with row:
        method_column = st.container(width=165)
        sizes_column = st.container(width=230)
        with st.popover("Options", key=f"{KEY}.options", width=115, on_change="rerun") as options:
            if options.open:
                displays.ask(ASKED, questions.BALANCE, "loss", **experiment.known)
            sizes = _sizes(data, choice, counts, sizes_column, draw=bool(options.open))
            if options.open:
                models.ask(ASKED, experiment)
    setup = Setup.from_page(questions.BALANCE, experiment).with_options(repeats=1)
    method = None
    if setup.methods:
        with method_column:
            method = models.ask_shown(ASKED, experiment, chosen)
    with st.container(horizontal=True, vertical_alignment="center"):
        models.describe_inputs(data, setup.steps, split)
        if data.kind.is_images:
            _preset(data, choice, counts)
    if setup.methods and any(n < counts[k] for k, n in sizes.items()):
        return setup, method
    st.info("Reduce at least one class." if setup.methods else "Choose at least one model.")
    return None, method


def _sizes(
    data: Dataset, choice: SplitChoice, counts: list[int], column: DeltaGenerator, *, draw: bool
) -> dict[int, int]:
    """Ask for the sizes of reduced classes: of a single one in `column`, of all if `draw`."""
    possible = [k for k in range(data.n_classes) if counts[k] > 1]
    if not possible:
        st.info("No class has more than one training row: nothing can be left out.")
        st.stop()
    sizes = {k: n for k, n in _stored(data, counts).items() if k in possible}
    if len(sizes) == 1 or len(sizes) > MOST_SLIDERS:
        with column:
            _sliders(data, counts, sizes)
    if not draw:
        return sizes
    st.session_state[f"{KEY}.classes"] = list(sizes)
    st.multiselect(
        REDUCED.label,
        key=f"{KEY}.classes",
        **controls.named(possible, data.classes[possible]),
        on_change=_choose_classes,
        args=(data, counts),
        help=REDUCED.help,
    )
    if 1 < len(sizes) <= MOST_SLIDERS:
        _sliders(data, counts, sizes)
    if not data.kind.is_images:
        _preset(data, choice, counts)
    with st.expander("Sizes as a table", key=f"{KEY}.popover", on_change="rerun") as panel:
        if panel.open:
            _table(data, counts, sizes)
    return sizes


def _preset(data: Dataset, choice: SplitChoice, counts: list[int]) -> None:
    """Offer the reduction in the text on faces, with the same number of rows if possible."""
    third = OneThird.of(data, counts, str(choice.how), choice.test_size)
    label, help = third.label(), text.escape(third.help(data))
    if data.kind.is_images:
        label += ", 2 components"
        help += " Models use two principal components, as in the text."
    arguments = (third, data.kind.is_images)
    st.button(label, key=f"{KEY}.third", on_click=_choose_third, args=arguments, help=help)


def _choose_third(third: OneThird, is_image: bool) -> None:
    if is_image:
        displays.set_settings(experiment_record.SHARED, n_components=2)
    if third.changes_test_size:
        displays.set_settings(state.SPLIT, test_size=third.test_size)
    displays.set_settings(questions.BALANCE, sizes=None)


def _sliders(data: Dataset, counts: list[int], sizes: dict[int, int]) -> None:
    if len(sizes) > MOST_SLIDERS:
        controls.begin_with(f"{KEY}.share", 33)
        st.slider(
            "Training rows kept of each reduced class",
            1,
            99,
            format="%d %%",
            key=f"{KEY}.share",
            persist_state="session",
            on_change=_choose_share,
            args=(data, counts),
            help="The table sets each class by itself.",
        )
        return
    for k in sizes:
        key = f"{KEY}.size.{k}"
        st.session_state[key] = sizes[k]
        st.slider(
            f"{text.escape(quoted(data.classes[k]))}: training {data.kind.rows} kept",
            1,
            int(counts[k]),
            key=key,
            on_change=_choose_size,
            args=(k, data, counts),
            help=f"At most {count(counts[k], data.kind.rows.removesuffix('s'))}.",
        )

        def keep(size: int, code: int = k) -> None:
            _keep(data, _stored(data, counts) | {code: size})

        controls.marks(key, _question().size_marks(data, counts, k), keep)


def _table(data: Dataset, counts: list[int], sizes: dict[int, int]) -> None:
    key = _editor_key(data, counts, sizes)
    st.caption("All training rows of each class, and those kept: type a number.")
    tables.edit(
        {
            # Short names, so that the editable column fits on a phone.
            "class": shorten_all(data.classes.tolist(), WIDEST_NAME),
            "all": counts,
            "kept": [st.session_state[BASE][1].get(k, n) for k, n in enumerate(counts)],
        },
        key=key,
        hide_index=True,
        disabled=["class", "all"],
        column_config={
            "all": st.column_config.NumberColumn("all", format="localized"),
            # No minimum: the editor would drop the sign of -5 and accept 5.
            "kept": st.column_config.NumberColumn("kept", step=1, format="%d"),
        },
        on_change=_edit,
        args=(key, data, counts),
        alt="Training rows of each class, and how many are kept.",
    )
    for note in st.session_state.get(NOTES, ()):
        st.warning(text.escape(note))


def _editor_key(data: Dataset, counts: list[int], sizes: dict[int, int]) -> str:
    """Return the key of the editor, which keeps its edits until sizes change elsewhere."""
    identity = (data.digest, tuple(counts))
    version = st.session_state.get(VERSION, 0)
    drawn_for, _, current = st.session_state.get(BASE, (None, None, None))
    if drawn_for != identity or current != sizes:
        version += 1
        st.session_state.pop(NOTES, None)
    key = f"{KEY}.table.{version}"
    if key not in st.session_state:  # new, or the page was left
        st.session_state[BASE] = (identity, dict(sizes), dict(sizes))
    st.session_state[VERSION] = version
    return key


def _stored(data: Dataset, counts: list[int]) -> dict[int, int]:
    """Return the chosen sizes; by default one class is reduced to a third."""
    return _question().kept_rows(data, counts)


def _question() -> BalanceStudyQuestion:
    return ASKED(sizes=displays.settings(questions.BALANCE).get("sizes"))


def _keep(data: Dataset, sizes: Mapping[int, float]) -> None:
    labels = data.classes.tolist()
    displays.set_settings(questions.BALANCE, sizes={labels[k]: n for k, n in sizes.items()})


def _choose_classes(data: Dataset, counts: list[int]) -> None:
    sizes = _stored(data, counts)
    chosen = st.session_state.get(f"{KEY}.classes", sizes)
    # A late click, after a change of data, may contain classes that no longer exist.
    codes = [k for k in range(len(counts)) if k in chosen]
    _keep(data, {k: sizes.get(k, a_third(int(counts[k]))) for k in codes})


def _choose_size(code: int, data: Dataset, counts: list[int]) -> None:
    # A late click may come after its slider is gone.
    size = st.session_state.get(f"{KEY}.size.{code}")
    if size is not None:
        _keep(data, _stored(data, counts) | {code: int(size)})


def _choose_share(data: Dataset, counts: list[int]) -> None:
    # A late click may come after its slider is gone.
    chosen = st.session_state.get(f"{KEY}.share")
    if chosen is not None:
        _keep(data, dict.fromkeys(_stored(data, counts), chosen / 100))


def _edit(key: str, data: Dataset, counts: list[int]) -> None:
    """Store the entered sizes, and report how invalid ones were changed."""
    edited = st.session_state[key]["edited_rows"].items()
    changes = {int(row): change.get("kept") for row, change in edited}
    sizes, notes = type_sizes(_stored(data, counts), counts, changes, data.classes.tolist())
    _keep(data, sizes)
    st.session_state[BASE] = *st.session_state[BASE][:2], sizes
    st.session_state[NOTES] = notes
    if notes:  # restart the editor with the stored sizes
        st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1
