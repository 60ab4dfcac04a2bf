"""The specification of the session: read from what is in use and chosen, and put into force."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lincore import analysis, fields, io, model_selection
from lincore.errors import DataError
from pages.ui.session import _view, arrival, commands, questions, state
from pages.ui.session.sources import ImageSource, Source
from pages.ui.widgets import displays, experiment_record

if TYPE_CHECKING:
    from lincore.analysis import Analysis, DataSource, Question, SplitChoice
    from lincore.data import Dataset, Split

_FEWER = "drop_image_duplicates"


def current(page: str, data: Dataset, choice: SplitChoice, split: Split | None) -> Analysis:
    """Return the specification of what a page shows."""
    rows = np.arange(data.n_rows) if split is None else split.train
    counts = np.bincount(data.codes[rows], minlength=data.n_classes).tolist()
    options = {
        word: experiment_record.chosen_options(word) for word in model_selection.CLASSIFIER_OPTIONS
    }
    return analysis.Analysis(
        data_in_use(),
        choice,
        experiment_record.chosen_steps(data, len(rows)),
        {word: chosen for word, chosen in options.items() if chosen},
        questions.read(page, data, counts),
        _view.read(),
        questions.others(page, data, counts),
    )


def data_in_use() -> DataSource:
    """Return the data of this session as a part of a specification."""
    origin, source = state.origin(), state.source()
    if origin.kind == "sample":
        if source is None:
            fewer = origin.drop_image_duplicates
            return analysis.SampleData(origin.name, drop_image_duplicates=fewer)
        target = None if source.target == _proper_target(origin.name, source) else source.target
        reading = source.options or io.ReadOptions()
        return analysis.SampleData(origin.name, target, reading, source.choices)
    if origin.kind == "generated":
        return analysis.GeneratedData(**origin.arguments)
    if origin.kind == "download":
        return analysis.DownloadData(origin.name, origin.drop_image_duplicates)
    if origin.kind == "experiment":
        return analysis.ExperimentData(**origin.arguments)
    fewer = origin.drop_image_duplicates
    found = analysis.FileData(
        origin.name, origin.sha, drop_image_duplicates=fewer, several=origin.several
    )
    images = state.image_source()
    if images is not None:
        return replace(
            found,
            images=images.options or io.ImageOptions(),
            drop_image_duplicates=images.drop_duplicates,
        )
    if source is not None:
        reading = source.options or io.ReadOptions()
        return replace(found, target=source.target, reading=reading, table=source.choices)
    return found


def bring(wanted: DataSource) -> None:
    """Begin to make the data of a specification those of the session; a file is there already."""
    if isinstance(wanted, analysis.GeneratedData):
        commands.generate(wanted.arguments())
    elif isinstance(wanted, analysis.ExperimentData):
        commands.use_experiment(wanted.experiment, wanted.preset, wanted.points)
    elif isinstance(wanted, analysis.DownloadData):
        commands.download(wanted.name)
    elif isinstance(wanted, analysis.SampleData):
        state.choose_sample(wanted.name)
        _use_otherwise(wanted)
    elif wanted != data_in_use():
        images = state.image_source()
        if images is not None:
            again = ImageSource(images.files, wanted.images, wanted.drop_image_duplicates)
            commands.decode(again, is_new=False)
        else:
            _use_otherwise(wanted)


def apply(wanted: Analysis) -> None:
    """Let the widgets of all pages hold what a specification says, as far as it fits the data."""
    asked, here = (getattr(one, _FEWER, False) for one in (wanted.data, data_in_use()))
    if asked and not here:
        commands.drop_image_duplicates()
    data = state.require_dataset()
    chosen = {one.name: None for one in fields.options(analysis.SplitChoice)}
    displays.set_settings(state.SPLIT, **(chosen | fields.given(wanted.split)))
    experiment_record.set_steps(wanted.steps, data)
    for word in model_selection.CLASSIFIER_OPTIONS:
        experiment_record.set_options(word, wanted.options.get(word, {}))
    _view.write(wanted.view)
    arrival.expect(wanted.view)
    try:
        train = wanted.split.rows(data).train
    except DataError:  # the page says so
        train = np.arange(data.n_rows)
    counts = np.bincount(data.codes[train], minlength=data.n_classes).tolist()
    for question in (*wanted.others, wanted.question):
        questions.write(question, data, counts)


def page_of(question: Question) -> str:
    """Return the page that asks a question, as a file."""
    return f"pages/{question.kind.partition('-')[0]}.py"


def _use_otherwise(wanted: analysis.SampleData | analysis.FileData) -> None:
    """Use the columns of the table as a specification says."""
    source = state.source() or state.sample_source()
    if source is None or wanted == data_in_use():
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


def _proper_target(name: str, source: Source) -> str:
    """Return the column that holds the classes of a sample as it comes."""
    bundled = source.bundled
    if bundled is None:
        return io.SAMPLE_TABLES[name]
    return bundled.target_name or "class"
