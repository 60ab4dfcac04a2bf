"""The rows to predict: the test set, a file, or one typed row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import streamlit as st

from lincore import analysis, io, prediction, report
from lincore.errors import DataError, Notice
from pages.ui.jobs import cache
from pages.ui.predict import _form
from pages.ui.session import questions, state
from pages.ui.session.sources import LONG_BYTES, File
from pages.ui.widgets import displays, text, uploader

if TYPE_CHECKING:
    import pandas as pd

    from lincore.analysis import SplitChoice
    from lincore.data import Dataset
    from lincore.io import Table
    from lincore.model_selection import FittedModel
    from pages.ui.predict.saved_model import Saved
    from pages.ui.session.experiment import PageExperiment

#: The chosen source: a file, a typed row, or None for the test set.
Source: TypeAlias = "analysis.NewFile | analysis.TypedRow | None"

KEY = "predict"
FILE, PROBLEM = f"{KEY}.file", f"{KEY}.problem"
# The last valid file, which replaces a file that cannot be predicted.
FORMER = f"{KEY}.file.former"
# Maximum length of a file name in a specification.
MOST_CHARACTERS = 200
QUESTION = "Which classes do new rows belong to?"


class Uploaded(NamedTuple):
    """A file of new rows.

    Attributes
    ----------
    named : NewFile
        Its entry in a specification.
    rows : Table, bytes or list of (name, content)
        A table, a file that the job will read, or images.
    """

    named: analysis.NewFile
    rows: Table | bytes | list[tuple[str, bytes]]


class RowsToPredict(NamedTuple):
    """Rows to predict.

    Attributes
    ----------
    source : NewFile, TypedRow or None
        Where they come from; None for the test set.
    name : str
    rows : TestSet, frame, or the rows of an `Uploaded`
    """

    source: Source
    name: str
    rows: Any


def ask_source(experiment: PageExperiment, saved: Saved | None) -> Source:
    """Ask for the source of the rows, and return it; None for the test set."""
    held, fitted = displays.settings(questions.PREDICT), saved and saved.file.model
    known: dict[str, Any] = {"data": experiment.data, "model": held.get("model"), "fitted": fitted}
    displays.ask(analysis.PredictQuestion, questions.PREDICT, "rows", **known)
    return displays.read(analysis.PredictQuestion, questions.PREDICT, **known)["rows"]


def ask(
    source: Source, experiment: PageExperiment, model: FittedModel, saved: Saved | None
) -> RowsToPredict | None:
    """Ask for the rows; None if there are none yet."""
    data, choice, split = experiment
    if source is None:
        rows = prediction.TestSet(data, split)
        return RowsToPredict(None, f"{data.name}, test set", rows)
    if isinstance(source, analysis.TypedRow):
        # The training rows of a saved model are unknown.
        median = (
            prediction.typed_row(model)
            if saved
            else _median_observation(data.digest, choice, model, data)
        )
        frame = _form.ask(model, median, source.values)
        typed = analysis.TypedRow({str(name): value for name, value in frame.iloc[0].items()})
        return RowsToPredict(typed, "The row typed in", frame)
    uploaded = _upload(model, source)
    if uploaded is None:
        return None
    named = replace(uploaded.named, fill_missing=source.fill_missing)
    return RowsToPredict(named, named.name, uploaded.rows)


@cache.by_bytes()
def _median_observation(
    digest: str, choice: SplitChoice, _model: FittedModel, _data: Dataset
) -> pd.DataFrame:
    """Return the median observation of the training rows."""
    return prediction.typed_row(_model, {}, _data.take(cache.split(digest, choice, _data).train))


def _upload(model: FittedModel, source: analysis.NewFile) -> Uploaded | None:
    """Offer to upload a file; return the current one."""
    awaited = _awaited(source)
    with st.container(key=f"{KEY}.upload"):
        if awaited is not None:
            _ask_again(awaited)
        files = uploader.ask(
            "Upload the new rows",
            accept_multiple_files=True,
            key=f"{KEY}.upload",
            help=report.wanted_rows_sentence(model),
        )
    if files:
        _read(files, source)
        st.rerun()
    problem: Notice | None = st.session_state.get(PROBLEM)
    file: Uploaded | None = None if awaited else st.session_state.get(FILE)
    if problem is not None:
        text.show_problem(problem)
    if file is None:
        st.caption(text.escape(report.wanted_rows_sentence(model)))
    elif problem is not None:
        st.caption(f"The rows of {text.escape(file.named.name)} are shown.")
    return file


def _awaited(source: analysis.NewFile) -> analysis.NewFile | None:
    """Return the file that a link or a workspace needs, until it is uploaded."""
    file: Uploaded | None = st.session_state.get(FILE)
    if not source.name:
        return None
    if file is None:
        return source
    is_given = source.sha256 in ("", file.named.sha256) and source.reading == file.named.reading
    return None if is_given else source


def _ask_again(awaited: analysis.NewFile) -> None:
    st.markdown(f"{text.escape(awaited.request)} {uploader.digest_sentence(awaited.sha256)}")
    uploader.offer_to_continue(
        f"{KEY}.upload", _forget, help="Forget the file; another one can be uploaded."
    )


def _forget() -> None:
    displays.set_settings(questions.PREDICT, rows=analysis.NewFile())
    for key in (FILE, PROBLEM):
        st.session_state.pop(key, None)


def _keep(file: Uploaded, source: analysis.NewFile) -> None:
    named = replace(file.named, fill_missing=source.fill_missing)
    displays.set_settings(questions.PREDICT, rows=named)
    st.session_state[FILE] = file


def _read(files: Sequence[File], source: analysis.NewFile) -> None:
    """Read files; an invalid one leaves the former in use."""
    with st.spinner("Reading …"):
        try:
            file = read_files(files, _awaited(source))
            st.session_state[FORMER] = st.session_state.get(FILE)
            _keep(file, source)
            st.session_state.pop(PROBLEM, None)
        except DataError as error:
            st.session_state[PROBLEM] = error.notice


def take_back(problem: Notice, source: analysis.NewFile) -> bool:
    """Return to the former file if one cannot be predicted; False if there is none."""
    former: Uploaded | None = st.session_state.pop(FORMER, None)
    if former is None:
        return False
    _keep(former, source)
    st.session_state[PROBLEM] = problem
    return True


def read_files(files: Sequence[File], wanted: analysis.NewFile | None = None) -> Uploaded:
    """Read uploaded files, with the import options of the training file if it is known."""
    several = sorted(files, key=lambda named: named[0])
    name, raw = several[0]
    single = len(files) == 1
    if wanted is not None:
        analysis.checked_file(wanted, raw if single else several)
    digest = io.hash_of(content for _, content in several)
    named = analysis.NewFile(name[-MOST_CHARACTERS:] if single else "images", digest)
    if not single or io.is_image(raw, name):
        return Uploaded(named, several)
    named = replace(named, reading=wanted.reading if wanted is not None else reading_options())
    kind, raw, name = io.recognise_file(raw, name)
    if kind != "table" or len(raw) > LONG_BYTES:
        return Uploaded(named, raw)
    return Uploaded(named, io.read_table(raw, name, named.reading))


def reading_options() -> io.ReadOptions:
    """Return the missing-value codes of the training file, if any were chosen."""
    source = state.source()
    options = source.options if source is not None else None
    if options is None:
        return io.ReadOptions()
    return io.ReadOptions(missing_codes=options.missing_codes, missing_in=options.missing_in)
