"""The specification of the session: read from its state, and applied to it.

Its view are open tabs, selected points, and settings of displays. Invalid values are dropped: of
widgets according to their types, of displays according to the bounds of their options. Values that
the data do not offer are dropped when the display is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import streamlit as st

from lincore import analysis, fields, model_selection
from lincore import displays as views
from lincore.errors import DataError
from pages.ui.session import commands, questions, state
from pages.ui.widgets import displays, experiment_record, tabs

if TYPE_CHECKING:
    from lincore.analysis import Analysis, DataSource, Question, SplitChoice
    from lincore.data import Dataset, Split
    from lincore.displays import Display

_FEWER = "drop_image_duplicates"
_Tab = Annotated[str, fields.AtMost(200)]
# With more selected points a link would be too long: it contains none of them.
_Positions = Annotated[tuple[Annotated[int, fields.Between(-1, 10**6)], ...], fields.AtMost(500)]
#: Widgets other than options of displays, with the types of their values.
WIDGETS: Mapping[str, Any] = {
    "explore.panels.images": _Tab,
    "explore.panels.table2": _Tab,
    "explore.panels.table3": _Tab,
    "classify.panels": _Tab,
    "compare.panels": _Tab,
    "balance.tabs": _Tab,
    "explore.pair.picked": _Positions,
    "explore.pca.picked": _Positions,
    "explore.fisher.picked": _Positions,
    "classify.confusion.picked": _Positions,
    "classify.whatif.features": _Positions,
}
_SCHEMA = fields.Schema({})


def current(page: str, data: Dataset, choice: SplitChoice, split: Split | None) -> Analysis:
    """Return the specification of a page in its current state."""
    n_train, counts = data.n_rows, data.counts.tolist()
    if split is not None:
        n_train, counts = len(split.train), model_selection.training_counts(data, *split).tolist()
    # Copied once: single look-ups in the session state are slow.
    held = st.session_state.to_dict()
    chosen = displays.every_setting(held)
    options = {
        word: experiment_record.chosen_options(word)
        for word in model_selection.CLASSIFIER_OPTIONS
        if f"{experiment_record.SHARED}.{word}" in chosen
    }
    return analysis.Analysis(
        state.data_source(),
        choice,
        experiment_record.chosen_steps(data, n_train),
        {word: given for word, given in options.items() if given},
        questions.read(page, data, counts),
        _read_view(held, chosen),
        questions.others(page, data, counts, chosen),
    )


def start_loading(wanted: DataSource) -> None:
    """Start loading the data of a specification; a file must have been uploaded already."""
    if isinstance(wanted, analysis.GeneratedData | analysis.ExperimentData):
        commands.draw(lambda: wanted)
    elif isinstance(wanted, analysis.DownloadData):
        commands.download(wanted.name)
    elif isinstance(wanted, analysis.SampleData):
        state.choose_sample(wanted.name)
        _apply_options(wanted)
    elif wanted != state.data_source():
        images = state.image_source()
        if images is not None:
            drop = wanted.drop_image_duplicates
            again = replace(images, options=wanted.images, drop_duplicates=drop)
            commands.decode(again, is_new=False)
        else:
            _apply_options(wanted)


def apply(wanted: Analysis) -> None:
    """Apply a specification to the widgets of all pages, as far as it fits the data."""
    is_wanted = getattr(wanted.data, _FEWER, False)
    if is_wanted and not getattr(state.data_source(), _FEWER, False):
        commands.drop_image_duplicates()
    data = state.require_dataset()
    displays.choose(wanted.split, state.SPLIT, data=data)
    for word in model_selection.CLASSIFIER_OPTIONS:
        experiment_record.set_options(word, wanted.options.get(word, {}))
    _write_view(wanted.view)
    tabs.expect(wanted.view)
    try:
        split = wanted.split.rows(data)
        n_train, counts = len(split.train), model_selection.training_counts(data, *split).tolist()
    except DataError:  # the page reports it
        n_train, counts = data.n_rows, data.counts.tolist()
    displays.choose(wanted.steps, experiment_record.SHARED, data=data, n_train=n_train)
    for question in (*wanted.others, wanted.question):
        questions.write(question, data, counts)


def page_of(question: Question) -> str:
    """Return the file of the page that asks a question."""
    return f"pages/{question.kind.partition('-')[0]}.py"


def _apply_options(wanted: analysis.SampleData | analysis.FileData) -> None:
    """Apply import options and column roles of a specification."""
    source = state.source() or state.sample_source()
    if source is None or wanted == state.data_source():
        return
    revised = source.with_options(wanted.table, wanted.reading)
    target = wanted.target or source.target
    is_same = revised.table is not None and target == source.target
    commands.revise(replace(revised, target=target, guess=source.guess if is_same else None))


@cache
def _places() -> Mapping[str, type[Display]]:
    """Return the displays that have a place of their own on a page, by its key."""
    kinds: list[Any] = [getattr(views, name) for name in dir(views)]
    classes: list[Any] = [kind for kind in kinds if isinstance(kind, type)]
    return {kind.page_key: kind for kind in classes if vars(kind).get("page_key")}


def _read_view(held: Mapping[str, Any], chosen: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the view of a session, from its state and the settings in it, by their key."""
    shown = {}
    for key, kind in WIDGETS.items():
        if held.get(key):
            with suppress(DataError):  # too long
                shown[key] = _SCHEMA.decode(kind, held[key], key)
    for key in _places():
        shown |= {f"{key}.{name}": value for name, value in chosen.get(key, {}).items()}
    return shown


def _write_view(view: Mapping[str, Any]) -> None:
    """Apply a view to the pages, as far as it is valid."""
    for key in WIDGETS.keys() & view.keys():
        with suppress(DataError):
            value = _SCHEMA.decode(WIDGETS[key], view[key], key)
            st.session_state[key] = list(value) if isinstance(value, tuple) else value
    for key, record in _places().items():
        names = [option.name for option in fields.options(record)]
        given = {name: view[f"{key}.{name}"] for name in names if f"{key}.{name}" in view}
        displays.set_settings(key, **dict.fromkeys(names))
        with suppress(DataError):  # an edited link
            displays.set_settings(key, **fields.checked(record, given))
