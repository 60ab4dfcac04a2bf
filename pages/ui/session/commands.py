"""Changes of a session's data: choose, generate, read, change the target.

Images are decoded, and large tables read, by a job that can be watched and stopped; its result
is taken over on whatever page the visitor is then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import analysis, checks, io, laboratory
from lincore.errors import DataError
from pages.ui.jobs import page_jobs
from pages.ui.session import state
from pages.ui.session._uploaded_files import recognise
from pages.ui.session.sources import File, ImageSource, Source

if TYPE_CHECKING:
    from lincore.data import Dataset

READING = "shared.reading"
JOB = "data.read"
# What is read by then is never seen to be read.
PATIENCE = 2.0


class PendingRead(NamedTuple):
    """A large table to be read; as `attempt` and `shown` of `state.Refused` if it cannot be."""

    source: Source
    shown: bool

    @property
    def name(self) -> str:
        """Name of the file."""
        return self.source.name


class ReadResult(NamedTuple):
    """A table that was read, and the data it made or why it made none."""

    source: Source
    data: Dataset | None
    error: DataError | None = None


def generate(arguments: Mapping[str, Any]) -> None:
    """Draw Gaussian classes and make them the data set; `arguments` of `gaussian_classes`."""
    try:
        # What a link could not hold is not drawn either.
        drawn = analysis.GeneratedData(**{name: _tuples(one) for name, one in arguments.items()})
        data = drawn.load()
    except DataError as error:
        state.refuse(error)
    else:
        state.keep(data, None, state.Origin("generated", data.name, drawn.arguments()))


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, (list, tuple)) else value


def use_experiment(experiment: str, preset: str, points: Sequence[Any] = ()) -> None:
    """Make the rows of an experiment of the laboratory, perhaps moved by hand, the data set."""
    try:
        data = laboratory.experiment_rows(experiment, preset, points=points)
    except DataError as error:
        state.refuse(error)
    else:
        arguments = {"experiment": experiment, "preset": preset, "points": tuple(points)}
        state.keep(data, None, state.Origin("experiment", data.name, arguments))


def open_table(found: Source) -> None:
    """Make a new table the data set of this session; keep the former if it cannot be one."""
    _try(found, is_new=True, shown=True)


def revise(changed: Source) -> None:
    """Read or use the table that is shown otherwise; keep what was if that cannot be done.

    A table read otherwise is shown even where it makes no data set, so that it can be put right.
    A click that crosses a change of data is about a former table: it is let pass.
    """
    opened = state.opened()
    if not isinstance(opened, Source) or not changed.is_same_file(opened):
        return
    former = state.refused()
    shown = former is not None and former.shown
    _try(changed, is_new=shown, shown=shown or changed.table is None)


def choose_target(column: str) -> None:
    """Make another column of the table in use the target; keep the former if it cannot be one.

    A click that crosses a change of data names a column of the former table: it is let pass.
    """
    found = state.source()
    if found is not None and found.table is not None and column in found.table.frame.columns:
        _try(found.with_target(column), is_new=False, shown=False)


def _try(wanted: Source, *, is_new: bool, shown: bool) -> None:
    if wanted.takes_long:
        _read_large(wanted, is_new=is_new, shown=shown)
        return
    try:
        if wanted.table is None:
            wanted = wanted.read()
        data = wanted.dataset()
    except DataError as error:
        state.refuse(error, wanted, shown=shown)
    else:
        # What is used otherwise is the same file or the same sample.
        came_from = _origin(wanted, is_new=is_new)
        state.keep(data, wanted, came_from, is_new=is_new)


def refuse_change(error: DataError) -> None:
    """Remember a change that contradicts itself; what is shown stays as it is."""
    former = state.refused()
    if former is not None and former.shown:
        state.refuse(error, former.attempt, shown=True)
    else:
        state.refuse(error)


def begin(files: Sequence[File]) -> None:
    """Read files: tables and arrays at once, images in a job."""
    files = sorted(files, key=lambda one: one[0])  # as a script finds them in a folder
    digest = analysis.hash_of(content for _, content in files)
    st.session_state[state.SHA] = (digest, len(files) > 1)
    try:
        found = recognise(files)
    except DataError as error:
        state.refuse(error)
        return
    if isinstance(found, ImageSource):
        decode(found, is_new=True)
    elif isinstance(found, Source):
        open_table(found)
    else:
        state.keep(found, None, state.Origin("file", files[0][0]))


def decode(image_source: ImageSource, *, is_new: bool) -> None:
    """Begin to decode images; `apply_result` takes them over."""
    _start(image_source.read, image_source, f"Reading {image_source.name}", is_new=is_new)


def drop_image_duplicates(found: Any = None) -> None:
    """Keep the first of each pair of duplicates, unless a class were left without an image."""
    source, origin = state.image_source(), state.origin()
    try:
        fewer = checks.drop_image_duplicates(state.require_dataset(), found)
    except DataError as error:
        state.refuse(error)
        return
    if source is None:
        origin = origin._replace(drop_image_duplicates=True)
    else:
        source = replace(source, drop_duplicates=True)
    state.keep(fewer, source, origin, is_new=False)


def download(name: str) -> None:
    """Begin to fetch a data set; `apply_result` takes it over."""

    def work(progress: page_jobs.Progress) -> Any:
        progress(0, 0, "waiting for the server")
        return io.fetch_dataset(name)

    _start(work, state.Origin("download", name), f"Downloading {name}", is_new=True)


def _read_large(wanted: Source, *, is_new: bool, shown: bool) -> None:
    """Begin to read a large table; `apply_result` takes it over, or says why it makes no data."""

    def work(progress: page_jobs.Progress) -> ReadResult:
        progress(0, 0, "examining it")
        found = wanted if wanted.table is not None else wanted.read()
        try:
            return ReadResult(found, found.dataset(progress))
        except DataError as error:
            return ReadResult(found, None, error)

    _start(work, PendingRead(wanted, shown), f"Reading {wanted.name}", is_new=is_new)


def _start(
    work: page_jobs.Work,
    wanted: ImageSource | PendingRead | state.Origin,
    describe: str,
    *,
    is_new: bool,
) -> None:
    """Begin to read something that takes long."""
    number = st.session_state.get(READING, (0,))[0] + 1
    st.session_state[READING] = (number, wanted, is_new)
    state.dismiss()
    # Read out of the session: what it is made of is nobody else's.
    job = page_jobs.run(JOB, number, work, describe=describe, share=False, patience=PATIENCE)
    if job.is_over:
        apply_result()


def apply_result() -> None:
    """Make what has been read the data set of this session, once it is."""
    number, wanted, is_new = st.session_state.get(READING, (0, None, False))
    job = page_jobs.current(JOB)
    if wanted is None or job is None or not job.is_over:
        return
    st.session_state[READING] = (number, None, False)
    # The session keeps the data; the job need not.
    page_jobs.discard(job)
    made_from = wanted if isinstance(wanted, ImageSource) else None
    if isinstance(wanted, PendingRead) and (
        isinstance(job.error, DataError) or job.result is not None
    ):
        _take(job.result or ReadResult(wanted.source, None, job.error), wanted.shown, is_new=is_new)
    elif job.result is not None:
        came_from = _origin(made_from, is_new=is_new) if made_from else wanted
        state.keep(job.result, made_from, came_from, is_new=is_new)
    elif isinstance(job.error, DataError):
        state.refuse(job.error, made_from, shown=True)
    elif job.error is None:
        state.refuse(DataError("Reading was stopped.", where=wanted.name))
    else:
        state.refuse(
            DataError(
                "The file could not be read because of an internal error.",
                where=wanted.name,
                remedy="The server's log has the details.",
            )
        )


def _take(made: ReadResult, shown: bool, *, is_new: bool) -> None:
    if made.data is not None:
        came_from = _origin(made.source, is_new=is_new)
        state.keep(made.data, made.source, came_from, is_new=is_new)
    else:
        assert made.error is not None
        state.refuse(made.error, made.source, shown=shown)


def _origin(made_from: Source | ImageSource, *, is_new: bool) -> state.Origin:
    """Return the origin of a file; of one that is read again, what it has."""
    return state.Origin("file", made_from.name) if is_new else state.origin()


def is_reading() -> bool:
    """Return whether files are being read."""
    job = page_jobs.current(JOB)
    return job is not None and not job.is_over
