"""Setup of an imbalance study: reduced class, remaining rows, models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from lincore.data import class_counts_of_test
from lincore.plots.base import shorten_all
from lincore.utils import percent, quoted
from pages.ui.balance import models
from pages.ui.session import questions, state
from pages.ui.widgets import controls, displays, experiment_record, tables, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.analysis import SplitChoice
    from lincore.data import Dataset, Split
    from lincore.model_selection import Steps
    from pages.ui.session.sidebar import PageExperiment

KEY = "balance"
KEPT = "balance.kept"
#: Of the number table: what it was drawn with, and the number of that drawing.
BASE, VERSION = "balance.base", "balance.version"
#: What was wrong with a number in it.
NOTES = "balance.notes"
#: Characters of a class's name in the table of sizes.
WIDEST_NAME = 16
#: Up to so many reduced classes have a slider each; more share one.
MOST_SLIDERS = 4
REPEATS = questions.STUDY_REPEATS
#: Training rows of each class in the text on faces; a third of one class is kept.
OF_THE_TEXT = 900


class Setup(NamedTuple):
    """Everything that a study depends on; hashable."""

    digest: str
    choice: SplitChoice
    sizes: tuple[tuple[Any, int], ...]
    methods: tuple[str, ...]
    steps: Steps


class CostSetup(NamedTuple):
    """Everything that a record of what the imbalance costs depends on; hashable."""

    digest: str
    choice: SplitChoice
    methods: tuple[str, ...]
    steps: Steps
    prevalence: str | tuple[float, ...]
    cost: float
    repeats: int


class Asked(NamedTuple):
    """Values of the controls: no setup while nothing is reduced or no model chosen."""

    setup: Setup | None
    method: str | None
    loss_place: DeltaGenerator


def ask(experiment: PageExperiment, row: DeltaGenerator) -> Asked:
    """Ask in a row what is reduced and which model is shown, and under Options for the rest.

    Ends the page where nothing can be reduced.
    """
    data, choice, split = experiment
    with row:
        place = st.container(width=165)
        sizes_place = st.container(width=230)
        with st.popover("Options", key=f"{KEY}.options", width=115):
            loss_place = st.container()
            kept = _sizes(data, choice, split, sizes_place)
            methods, steps = models.ask(data, split)
            models.ask_repeats(REPEATS, key=f"{KEY}.repeats")
    method = None
    if methods:
        with place:
            method = models.ask_shown(methods)
    with st.container(horizontal=True, vertical_alignment="center"):
        models.say_what_is_seen(data, steps, split)
        if data.kind.is_images:
            _preset(data, choice, _counts(data, split))
    labels = data.classes.tolist()
    counts = _counts(data, split)
    sizes = tuple((labels[k], n) for k, n in sorted(kept.items()) if n < counts[k])
    setup = None
    if sizes and methods:
        setup = Setup(data.digest, choice, sizes, methods, steps)
    else:
        st.info("Reduce at least one class." if methods else "Choose at least one model.")
    return Asked(setup, method, loss_place)


def repeats() -> int:
    """Return over how many random choices of the rows the study goes."""
    return int(st.session_state.get(f"{KEY}.repeats", REPEATS))


def _counts(data: Dataset, split: Split) -> np.ndarray:
    return np.bincount(data.codes[split.train], minlength=data.n_classes)


def _sizes(
    data: Dataset, choice: SplitChoice, split: Split, place: DeltaGenerator
) -> dict[int, int]:
    counts = _counts(data, split)
    possible = [k for k in range(data.n_classes) if counts[k] > 1]
    if not possible:
        st.info("No class has more than one training row: nothing can be left out.")
        st.stop()
    kept = {k: min(n, int(counts[k])) for k, n in _stored(counts).items() if k in possible}
    st.session_state[f"{KEY}.classes"] = list(kept)
    st.multiselect(
        "Reduce",
        possible,
        key=f"{KEY}.classes",
        format_func=lambda k: str(data.classes[k]),
        on_change=_choose_classes,
        args=(counts,),
        help="Classes whose training rows are reduced. Test rows are never changed.",
    )
    if len(kept) == 1 or len(kept) > MOST_SLIDERS:
        with place:
            _sliders(data, counts, kept)
    else:
        _sliders(data, counts, kept)
    if not data.kind.is_images:
        _preset(data, choice, counts)
    with st.expander("Sizes as a table", key=f"{KEY}.popover", on_change="rerun") as panel:
        if panel.open:
            _table(data, counts, kept)
    return kept


def _preset(data: Dataset, choice: SplitChoice, counts: np.ndarray) -> None:
    """Offer what the text on faces does, to the row where the data allow it."""
    (last, third), *_ = _third(counts).items()
    now, share = int(counts[last]), _share_as_in_the_text(data, choice, counts, last)
    label = f"One class to a third: {now:,} → {third:,}"
    help = (
        f"{text.escape(quoted(data.classes[last]))}, as in the text on faces: 900 → 300. No test "
        f"fraction leaves it {OF_THE_TEXT} training rows here, so it is a third of the available "
        f"rows, for any test set."
    )
    if share is not None:
        label = f"As in the faces text: {OF_THE_TEXT} → {OF_THE_TEXT // 3}"
        help = f"Training {text.row_noun(data)} of {text.escape(quoted(data.classes[last]))}"
        if now != OF_THE_TEXT:
            help += f"; the test fraction becomes {percent(share / 100, 0)}, on every page"
        help += ". It stays a third for any test set."
    if data.kind.is_images:
        label += ", 2 components"
        help += " Models use two principal components, as in the text."
    arguments = (now, share, data.kind.is_images)
    st.button(label, key=f"{KEY}.third", on_click=_choose_third, args=arguments, help=help)


def _share_as_in_the_text(
    data: Dataset, choice: SplitChoice, counts: np.ndarray, code: int
) -> int | None:
    """Return the per cent of rows for testing that leave a class as many as in the text."""
    if counts[code] == OF_THE_TEXT:
        return round(100 * choice.test_size)
    if choice.how not in ("stratified", "last"):
        return None
    for share in range(5, 51, 5):
        if data.counts[code] - class_counts_of_test(data, share / 100)[code] == OF_THE_TEXT:
            return share
    return None


def _choose_third(now: int, share: int | None, is_image: bool) -> None:
    if is_image:
        experiment_record.keep_step("pca", experiment_record.TWO)
    if share is not None and now != OF_THE_TEXT:
        displays.set_settings(state.SPLIT, test_size=share / 100)
    _store(None)


def _sliders(data: Dataset, counts: np.ndarray, kept: dict[int, int]) -> None:
    if len(kept) > MOST_SLIDERS:
        controls.begin_with(f"{KEY}.share", 33)
        st.slider(
            "Training rows kept of each reduced class",
            1,
            99,
            format="%d %%",
            key=f"{KEY}.share",
            persist_state="session",
            on_change=_choose_share,
            args=(counts,),
            help="The table sets each class by itself.",
        )
        return
    for k in kept:
        key = f"{KEY}.size.{k}"
        st.session_state[key] = kept[k]
        st.slider(
            f"{text.escape(quoted(data.classes[k]))}: training {text.row_noun(data)} kept",
            1,
            int(counts[k]),
            key=key,
            on_change=_choose_size,
            args=(k, counts),
            help=f"Of {counts[k]:,}.",
        )


def _table(data: Dataset, counts: np.ndarray, kept: dict[int, int]) -> None:
    key = _drawing(data, counts, kept)
    frame = pd.DataFrame(
        {
            # What is typed in stands in sight: the table is as narrow as a phone.
            "class": shorten_all(data.classes.tolist(), WIDEST_NAME),
            "all": counts,
            "kept": [st.session_state[BASE][1].get(k, int(n)) for k, n in enumerate(counts)],
        }
    )
    st.caption("All training rows of each class, and those kept: type a number.")
    tables.edit(
        frame,
        key=key,
        hide_index=True,
        disabled=["class", "all"],
        column_config={
            "all": st.column_config.NumberColumn("all", format="localized"),
            # No least value: the table would leave out the sign of -5 and take 5.
            "kept": st.column_config.NumberColumn("kept", step=1, format="%d"),
        },
        on_change=_edit,
        args=(key, counts, tuple(map(str, data.classes))),
        alt="Training rows of each class, and how many are kept.",
    )
    for note in st.session_state.get(NOTES, ()):
        st.warning(text.escape(note))


def _drawing(data: Dataset, counts: np.ndarray, kept: dict[int, int]) -> str:
    """Return the key of the table: it goes on with its edits until sizes change elsewhere."""
    about = (data.digest, tuple(counts.tolist()))
    version = st.session_state.get(VERSION, 0)
    if st.session_state.get(BASE, (None,))[0] != about:
        version += 1
        st.session_state.pop(NOTES, None)
    key = f"{KEY}.table.{version}"
    if key not in st.session_state:  # new, or its edits were forgotten with the page
        st.session_state[BASE] = (about, dict(kept))
    st.session_state[VERSION] = version
    return key


def _third(counts: np.ndarray) -> dict[int, int]:
    """Return a third of the last class that has more than one training row."""
    code = max(k for k, n in enumerate(counts) if n > 1)
    return {code: _third_of(counts, code)}


def _third_of(counts: np.ndarray, code: int) -> int:
    return questions.third_of(counts[code])


def _stored(counts: np.ndarray) -> dict[int, int]:
    """Return what was chosen; until something is, one class is cut to a third."""
    return questions.kept_rows(counts.tolist())


def _store(kept: dict[int, int] | None) -> None:
    st.session_state[KEPT] = kept
    st.session_state.pop(BASE, None)


def _choose_classes(counts: np.ndarray) -> None:
    kept = _stored(counts)
    chosen = st.session_state.get(f"{KEY}.classes", kept)
    # A click that crosses a change of data names classes that are gone.
    there = [k for k in range(len(counts)) if k in chosen]
    _store({k: kept.get(k, _third_of(counts, k)) for k in there})


def _choose_size(code: int, counts: np.ndarray) -> None:
    # A click that crosses a change of classes comes when the slider is gone.
    size = st.session_state.get(f"{KEY}.size.{code}")
    if size is not None:
        _store(_stored(counts) | {code: int(size)})


def _choose_share(counts: np.ndarray) -> None:
    # As above: a late click finds no slider.
    chosen = st.session_state.get(f"{KEY}.share")
    if chosen is not None:
        _store({k: max(1, round(chosen / 100 * int(counts[k]))) for k in _stored(counts)})


def _edit(key: str, counts: np.ndarray, names: tuple[str, ...]) -> None:
    """Take the sizes that were typed; say of those that cannot be what became of them."""
    kept, notes = _stored(counts), []
    for row, change in st.session_state[key]["edited_rows"].items():
        code, wanted = int(row), change.get("kept")
        n, name = int(counts[code]), names[code]
        if wanted is None:
            kept[code] = n
            notes.append(f"{name}: an empty cell keeps all {n:,} training rows.")
        elif not wanted >= 1:
            now = kept.get(code, n)
            notes.append(f"{name} cannot keep {wanted:g} rows (minimum 1). It stays at {now:,}.")
        else:
            kept[code] = min(int(wanted), n)
            if wanted > n:
                notes.append(f"{name} has only {n:,} training rows: all are kept.")
    st.session_state[KEPT] = {k: n for k, n in sorted(kept.items()) if n < counts[k]}
    st.session_state[NOTES] = notes
    if notes:  # the table is drawn anew, with what is true
        st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1
