"""The rows to be predicted: the test rows, a file, or one row typed in by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import streamlit as st

from lincore import inspection, io
from lincore.errors import DataError, Notice
from lincore.limits import LIMITS
from pages.ui.predict import _form
from pages.ui.server import _compat
from pages.ui.session import state
from pages.ui.session.sources import LONG_BYTES
from pages.ui.widgets import text

if TYPE_CHECKING:
    from lincore.io import Table
    from lincore.model_selection import FittedModel
    from pages.ui.predict.saved_model import Saved
    from pages.ui.session.sidebar import Experiment

KEY = "predict"
FILE, PROBLEM, TURN = f"{KEY}.file", f"{KEY}.problem", f"{KEY}.turn"
# The file that was predicted before: it takes the place of one that turns out to be bad.
FORMER = f"{KEY}.file.former"
QUESTION = "Which class are new rows of?"
TEST, UPLOAD, BY_HAND = "test", "file", "hand"


@dataclass(frozen=True, eq=False)
class NewFile:
    """A file of new rows.

    Parameters
    ----------
    name : str
    digest : str
        Of its content.
    rows : Table, bytes or tuple of (name, content)
        A table that was read, a file that is read by the job, images.
    """

    name: str
    digest: str
    rows: Table | bytes | tuple[tuple[str, bytes], ...]


class Rows(NamedTuple):
    """Rows to be predicted.

    Attributes
    ----------
    kind : {"test", "file", "hand"}
    identity : hashable
        Everything that they depend on, beside the data and the split.
    name : str
    rows : Dataset, frame, or what a `NewFile` holds
    noun : str
        What a row is called, in the plural.
    """

    kind: str
    identity: Hashable
    name: str
    rows: Any
    noun: str


def ask_kind(experiment: Experiment, saved: Saved | None) -> str:
    """Ask where the rows come from; a saved model may have been fitted on the test set."""
    labels = {TEST: "Test set", UPLOAD: "New file", BY_HAND: "By hand"}
    image_shape = experiment.data.image_shape
    if saved is not None:
        del labels[TEST]
        image_shape = saved.file.model.image_shape
    if image_shape is not None:
        del labels[BY_HAND]
    key = f"{KEY}.source"
    if st.session_state.get(key) not in labels:
        st.session_state[key] = UPLOAD if saved or FILE in st.session_state else TEST
    return str(
        st.segmented_control(
            "Rows to predict",
            list(labels),
            required=True,
            format_func=labels.__getitem__,
            key=key,
            persist_state="session",
            help="The test set, which the model has not seen; a file of your own; or one row that "
            "is typed in.",
        )
    )


def ask(kind: str, experiment: Experiment, model: FittedModel) -> Rows | None:
    """Ask for the rows themselves; None while there are none."""
    data, choice, split = experiment
    noun = "rows" if model.image_shape is None else "images"
    if kind == TEST:
        return Rows(kind, TEST, f"{data.name}, test set", data.take(split.test), f"test {noun}")
    if kind == BY_HAND:
        frame = _form.ask(model, _usual(experiment, model))
        return Rows(kind, tuple(frame.iloc[0].items()), "The row typed in", frame, "row")
    file = _upload(model)
    return None if file is None else Rows(kind, file.digest, file.name, file.rows, noun)


def _usual(experiment: Experiment, model: FittedModel) -> np.ndarray:
    """Return the median observation of the training rows: of a saved model as it knows them."""
    data, _, split = experiment
    n_table = len(model.feature_names) - model.n_words
    if model.digest == data.digest:
        return inspection.median_row(data, split.train)[:n_table]
    if model.training is None or model.training.medians is None:
        return np.full(n_table, np.nan)
    return np.asarray(model.training.medians)[:n_table]


def _upload(model: FittedModel) -> NewFile | None:
    """Offer to upload a file; return the one that is in use."""
    turn = st.session_state.setdefault(TURN, 0)
    with st.container(key=f"{KEY}.upload"):
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
    file: NewFile | None = st.session_state.get(FILE)
    if problem is not None:
        text.show_problem(problem)
    if file is None:
        st.caption(text.escape(_wanted(model)))
    elif problem is not None:
        st.caption(f"Shown are the rows of {text.escape(file.name)}.")
    return file


def _wanted(model: FittedModel) -> str:
    if model.image_shape is not None:
        return "Images, or a zip of them; they come to the size of the training images."
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
            file = read_files([(one.name, one.content) for one in uploads])
            st.session_state[FORMER] = st.session_state.get(FILE)
            st.session_state[FILE] = file
            st.session_state.pop(PROBLEM, None)
        except DataError as error:
            st.session_state[PROBLEM] = error.notice
    for one in uploads:
        _compat.free_upload(one.file_id)
    # A new key gives an empty uploader, so that the next run does not read the files again.
    st.session_state[TURN] += 1


def take_back(problem: Notice) -> bool:
    """Put the former file in the place of one that cannot be predicted; False without a former."""
    former = st.session_state.pop(FORMER, None)
    if former is None:
        return False
    st.session_state[FILE], st.session_state[PROBLEM] = former, problem
    return True


def read_files(files: Sequence[tuple[str, bytes]]) -> NewFile:
    """Read uploaded files, as the file of the training data was read where that was told.

    Raises
    ------
    DataError
        When it is nothing that can be predicted.
    """
    digest = hashlib.sha256()
    for name, content in files:
        digest.update(name.encode() + b"\0" + content)
    name, raw = files[0]
    if len(files) > 1 or _is_image(name, raw):
        called = name if len(files) == 1 else f"{len(files)} images"
        return NewFile(called, digest.hexdigest(), tuple(files))
    kind, raw, name = io.recognise_file(raw, name)
    if kind != "table" or len(raw) > LONG_BYTES:
        return NewFile(name, digest.hexdigest(), raw)
    return NewFile(name, digest.hexdigest(), io.read_table(raw, name, reading_options()))


def reading_options() -> io.ReadOptions | None:
    """Return the missing-value codes of the training file, if any were chosen."""
    source = state.source()
    options = source.options if source is not None else None
    if options is None or (options.missing_codes is None and options.missing_in is None):
        return None
    return io.ReadOptions(missing_codes=options.missing_codes, missing_in=options.missing_in)


def _is_image(name: str, raw: bytes) -> bool:
    try:
        io.image_kind(raw, name)
    except io.SkippedFile:
        return False
    return True
