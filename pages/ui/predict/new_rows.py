"""The rows to be predicted: the test rows, a file, or one row typed in by hand."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import analysis, io, prediction
from lincore.errors import DataError, Notice
from lincore.limits import LIMITS
from pages.ui.predict import _form
from pages.ui.server import _compat
from pages.ui.session import cache, link, questions, state
from pages.ui.session.questions import BY_HAND, NEW_FILE, TEST, UPLOAD
from pages.ui.session.sources import LONG_BYTES
from pages.ui.widgets import text

if TYPE_CHECKING:
    import pandas as pd

    from lincore.analysis import SplitChoice
    from lincore.data import Dataset
    from lincore.io import Table
    from lincore.model_selection import FittedModel
    from pages.ui.predict.saved_model import Saved
    from pages.ui.session.sidebar import PageExperiment

KEY = "predict"
FILE, PROBLEM, TURN = f"{KEY}.file", f"{KEY}.problem", f"{KEY}.turn"
# The file that was predicted before: it takes the place of one that turns out to be bad.
FORMER = f"{KEY}.file.former"
# Of the name of a file in a specification.
MOST_CHARACTERS = 200
QUESTION = "Which classes do new rows belong to?"


class Uploaded(NamedTuple):
    """A file of new rows.

    Attributes
    ----------
    named : NewFile
        As a specification knows it.
    rows : Table, bytes or list of (name, content)
        A table that was read, a file that is read by the job, images.
    """

    named: analysis.NewFile
    rows: Table | bytes | list[tuple[str, bytes]]


class RowsToPredict(NamedTuple):
    """Rows to be predicted.

    Attributes
    ----------
    kind : {"test", "file", "hand"}
    identity : hashable
        Everything that they depend on, beside the data and the split.
    name : str
    rows : TestSet, frame, or what an `Uploaded` holds
    reading : ReadOptions
        Of a file of text.
    """

    kind: str
    identity: Hashable
    name: str
    rows: Any
    reading: io.ReadOptions = io.ReadOptions()


def ask_kind(experiment: PageExperiment, saved: Saved | None) -> str:
    """Ask where the rows come from; a saved model may have been fitted on the test set."""
    labels = {TEST: "Test set", UPLOAD: "New file", BY_HAND: "By hand"}
    image_shape = experiment.data.image_shape
    if saved is not None:
        del labels[TEST]
        image_shape = saved.file.model.image_shape
    if image_shape is not None:
        del labels[BY_HAND]
    kind = questions.predicted_rows()
    st.session_state[questions.SOURCE] = kind if kind in labels else next(iter(labels))
    return str(
        st.segmented_control(
            "Rows to predict",
            list(labels),
            required=True,
            format_func=labels.__getitem__,
            key=questions.SOURCE,
            persist_state="session",
            help="The test set, which the model has not seen; a file of your own; or one row that "
            "is typed in.",
        )
    )


def ask(
    kind: str, experiment: PageExperiment, model: FittedModel, saved: Saved | None
) -> RowsToPredict | None:
    """Ask for the rows themselves; None while there are none."""
    data, choice, split = experiment
    if kind == TEST:
        rows = prediction.TestSet(data, split)
        return RowsToPredict(kind, TEST, f"{data.name}, test set", rows)
    if kind == BY_HAND:
        # Of a saved model the training rows are not known.
        usual = prediction.typed_row(model) if saved else _usual(data.digest, choice, model, data)
        frame = _form.ask(model, usual)
        identity = tuple(map(repr, frame.iloc[0].tolist()))
        return RowsToPredict(kind, identity, "The row typed in", frame)
    found = _upload(model)
    if found is None:
        return None
    named = found.named
    return RowsToPredict(kind, repr(named), named.name, found.rows, named.reading)


@cache.by_bytes()
def _usual(digest: str, choice: SplitChoice, _model: FittedModel, _data: Dataset) -> pd.DataFrame:
    """Return the median observation of the training rows."""
    return prediction.typed_row(_model, {}, _data.take(cache.split(digest, choice, _data).train))


def _upload(model: FittedModel) -> Uploaded | None:
    """Offer to upload a file; return the one that is in use."""
    turn = st.session_state.setdefault(TURN, 0)
    awaited = _awaited()
    with st.container(key=f"{KEY}.upload"):
        if awaited is not None:
            _ask_again(awaited)
        uploads = st.file_uploader(
            "Upload the new rows",
            accept_multiple_files=True,
            key=f"{KEY}.upload.{turn}",
            max_upload_size=LIMITS.max_file_bytes // 10**6,
            help=_wanted(model),
        )
    if uploads:
        _read([_compat.Upload(one.name, one.getvalue(), one.file_id) for one in uploads])
        st.rerun()
    problem: Notice | None = st.session_state.get(PROBLEM)
    file: Uploaded | None = None if awaited else st.session_state.get(FILE)
    if problem is not None:
        text.show_problem(problem)
    if file is None:
        st.caption(text.escape(_wanted(model)))
    elif problem is not None:
        st.caption(f"Shown are the rows of {text.escape(file.named.name)}.")
    return file


def _awaited() -> analysis.NewFile | None:
    """Return the file that a link or a workspace is about, while it has not been given."""
    named: analysis.NewFile | None = st.session_state.get(NEW_FILE)
    file: Uploaded | None = st.session_state.get(FILE)
    if named is None or file is None:
        return named
    is_given = named.sha256 in ("", file.named.sha256) and named.reading == file.named.reading
    return None if is_given else named


def _ask_again(awaited: analysis.NewFile) -> None:
    digits = awaited.sha256[: link.SHOWN_DIGITS]
    st.markdown(
        f"**{text.escape(awaited.name)}** was predicted here: upload it again to continue."
        + (f" Its SHA-256 begins with `{digits}`." if digits else "")
    )
    st.button(
        "Continue without it",
        key=f"{KEY}.upload.forget",
        on_click=_forget,
        help="Forget the file; another one can be uploaded.",
    )


def _forget() -> None:
    for key in (NEW_FILE, FILE, PROBLEM):
        st.session_state.pop(key, None)


def _wanted(model: FittedModel) -> str:
    if model.image_shape is not None:
        return "Images, or a zip of them; they are resized to the training images."
    columns = model.schema.columns
    named = ", ".join(columns[:8]) + (", …" if len(columns) > 8 else "")
    return (
        f"A table (CSV, text, Parquet) with the columns {named}, in any order. With the column "
        f"{model.target_name}, there are scores too."
    )


def _read(uploads: Sequence[_compat.Upload]) -> None:
    """Read files and set them free; a bad one leaves the former in its place."""
    with st.spinner("Reading …"):
        try:
            file = read_files([(one.name, one.content) for one in uploads], _awaited())
            st.session_state[FORMER] = st.session_state.get(FILE)
            st.session_state[FILE], st.session_state[NEW_FILE] = file, file.named
            st.session_state.pop(PROBLEM, None)
        except DataError as error:
            st.session_state[PROBLEM] = error.notice
    for one in uploads:
        _compat.free_upload(one.file_id)
    # A new key gives an empty uploader, so that the next run does not read the files again.
    st.session_state[TURN] += 1


def take_back(problem: Notice) -> bool:
    """Put the former file in the place of one that cannot be predicted; False without a former."""
    former: Uploaded | None = st.session_state.pop(FORMER, None)
    if former is None:
        return False
    st.session_state[FILE], st.session_state[NEW_FILE] = former, former.named
    st.session_state[PROBLEM] = problem
    return True


def read_files(
    files: Sequence[tuple[str, bytes]], wanted: analysis.NewFile | None = None
) -> Uploaded:
    """Read uploaded files, as the file of the training data was read where that is known."""
    several = sorted(files, key=lambda one: one[0])
    name, raw = several[0]
    single = len(files) == 1
    if wanted is not None:
        analysis.checked_file(wanted, raw if single else several)
    digest = analysis.hash_of(content for _, content in several)
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
