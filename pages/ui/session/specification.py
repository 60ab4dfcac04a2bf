"""The specification of the session: read from its state, and applied to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from lincore import analysis, model_selection
from lincore.errors import DataError
from pages.ui.session import _view, commands, questions, state
from pages.ui.widgets import displays, experiment_record, tabs

if TYPE_CHECKING:
    from lincore.analysis import Analysis, DataSource, Question, SplitChoice
    from lincore.data import Dataset, Split

_FEWER = "drop_image_duplicates"


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
        _view.read(held, chosen),
        questions.others(page, data, counts, chosen),
    )


def bring(wanted: DataSource) -> None:
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
    asked, here = (getattr(one, _FEWER, False) for one in (wanted.data, state.data_source()))
    if asked and not here:
        commands.drop_image_duplicates()
    data = state.require_dataset()
    displays.choose(wanted.split, state.SPLIT, data=data)
    for word in model_selection.CLASSIFIER_OPTIONS:
        experiment_record.set_options(word, wanted.options.get(word, {}))
    _view.write(wanted.view)
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
    found = source.with_options(wanted.table, wanted.reading)
    target = wanted.target or source.target
    is_same = found.table is not None and target == source.target
    commands.revise(replace(found, target=target, guess=source.guess if is_same else None))
