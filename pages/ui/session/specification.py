"""The specification of the session: read from its state, and applied to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lincore import analysis, io, model_selection
from lincore.errors import DataError
from pages.ui.session import _view, commands, questions, state
from pages.ui.widgets import displays, experiment_record, tabs

if TYPE_CHECKING:
    from lincore.analysis import Analysis, DataSource, Question, SplitChoice
    from lincore.data import Dataset, Split

_FEWER = "drop_image_duplicates"


def current(page: str, data: Dataset, choice: SplitChoice, split: Split | None) -> Analysis:
    """Return the specification of a page in its current state."""
    counts = (data.counts if split is None else data.counts_in(split.train)).tolist()
    options = {
        word: experiment_record.chosen_options(word) for word in model_selection.CLASSIFIER_OPTIONS
    }
    return analysis.Analysis(
        state.data_source(),
        choice,
        experiment_record.chosen_steps(data, sum(counts)),
        {word: chosen for word, chosen in options.items() if chosen},
        questions.read(page, data, counts),
        _view.read(),
        questions.others(page, data, counts),
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
        counts = data.counts_in(wanted.split.rows(data).train).tolist()
    except DataError:  # the page reports it
        counts = data.counts.tolist()
    displays.choose(wanted.steps, experiment_record.SHARED, data=data, n_train=sum(counts))
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
    reading = None if wanted.reading == io.ReadOptions() else wanted.reading
    target = wanted.target or source.target
    same = reading == source.options
    guess = source.guess if same and target == source.target else None
    commands.revise(
        replace(
            source,
            table=source.table if same else None,
            target=target,
            options=reading,
            choices=wanted.table,
            guess=guess,
        )
    )
