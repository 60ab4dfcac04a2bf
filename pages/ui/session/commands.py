"""Changes of a session's data: choose, generate, read, change the target.

Images are decoded, and large tables read, by a job that shows progress and can be stopped; its
result is applied on the page where the visitor is by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import analysis, checks, io
from lincore.errors import DataError
from pages.ui.jobs import page_jobs
from pages.ui.session import state
from pages.ui.session.sources import File, ImageSource, Source, recognise

if TYPE_CHECKING:
    from lincore.data import Dataset
    from pages.ui.jobs.progress import Progress, Work

READING = "shared.reading"
JOB = "data.read"
# Seconds to wait before progress is shown.
PATIENCE = 2.0


class PendingRead(NamedTuple):
    """A read in progress; the last two fields become those of `state.Refused` if it fails."""

    number: int = 0
    is_new: bool = False
    wanted: Source | ImageSource | analysis.DownloadData | None = None
    shown: bool = True


class ReadResult(NamedTuple):
    """A table that was read, and the resulting data or the reason why there are none."""

    source: Source
    data: Dataset | None
    error: DataError | None = None


def generate(arguments: Mapping[str, Any]) -> None:
    """Generate Gaussian classes and make them the data set; `arguments` of `gaussian_classes`."""
    values = {name: _tuples(value) for name, value in arguments.items()}
    draw(lambda: analysis.GeneratedData(**values))


def draw(make: Callable[[], analysis.GeneratedData | analysis.ExperimentData]) -> None:
    """Draw the rows of a specification, and make them the data set."""
    try:
        wanted = make()  # data that a link could not describe are refused
        data = wanted.load()
    except DataError as error:
        state.refuse(error)
    else:
        state.use_data(data, wanted)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, (list, tuple)) else value


def open_table(source: Source) -> None:
    """Make a new table the data set of this session; keep the former data if that fails."""
    _try(source, is_new=True, shown=True)


def revise(changed: Source) -> None:
    """Read or use the shown table with other options; keep the former data if that fails.

    A table that was read again is shown even if it makes no data set, so that it can be corrected.
    A late click, made before the data changed, concerns another table and is ignored.
    """
    opened = state.opened()
    if not isinstance(opened, Source) or not changed.is_same_file(opened):
        return
    former = state.refused()
    shown = former is not None and former.shown
    _try(changed, is_new=shown, shown=shown or changed.table is None)


def choose_target(column: str) -> None:
    """Make another column of the table in use the target; keep the former if that fails.

    A late click, made before the data changed, names a column of another table and is ignored.
    """
    source = state.source()
    if source is not None and source.table is not None and column in source.table.frame.columns:
        _try(source.with_target(column), is_new=False, shown=False)


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
        state.use_data(data, wanted, is_new=is_new)


def refuse_change(error: DataError) -> None:
    """Note an invalid change; the view does not change."""
    former = state.refused()
    if former is not None and former.shown:
        state.refuse(error, former.attempt, shown=True)
    else:
        state.refuse(error)


def begin(files: Sequence[File]) -> None:
    """Read files: tables and arrays at once, images in a job."""
    # In the order of a script that lists a folder.
    files = sorted(files, key=lambda named: named[0])
    digest = io.hash_of(content for _, content in files)
    try:
        source = recognise(files)
    except DataError as error:
        state.refuse(error)
        return
    if not isinstance(source, Source | ImageSource):
        state.use_data(source, analysis.FileData(files[0][0], digest))
        return
    origin = analysis.FileData(source.name, digest, several=len(files) > 1)
    if isinstance(source, ImageSource):
        decode(replace(source, origin=origin), is_new=True)
    else:
        open_table(replace(source, origin=origin))


def decode(image_source: ImageSource, *, is_new: bool) -> None:
    """Start decoding images; `apply_result` will apply the result."""
    _start(image_source.read, image_source, f"Reading {image_source.name}", is_new=is_new)


def drop_image_duplicates(duplicates: Any = None) -> None:
    """Keep the first of each pair of duplicates, unless that would empty a class."""
    try:
        fewer = checks.drop_image_duplicates(state.require_dataset(), duplicates)
    except DataError as error:
        state.refuse(error)
        return
    source: Any = state.image_source()
    if source is None:
        origin: Any = state.data_source()  # generated data are no images
        source = replace(origin, drop_image_duplicates=True)
    else:
        source = replace(source, drop_duplicates=True)
    state.use_data(fewer, source, is_new=False)


def download(name: str) -> None:
    """Start downloading a data set; `apply_result` will apply the result."""

    def work(progress: Progress) -> Any:
        progress(0, 0, "waiting for the server")
        return io.fetch_dataset(name)

    _start(work, analysis.DownloadData(name), f"Downloading {name}", is_new=True)


def _read_large(wanted: Source, *, is_new: bool, shown: bool) -> None:
    """Start reading a large table; `apply_result` will apply the result or show the problem."""

    def work(progress: Progress) -> ReadResult:
        progress(0, 0, "examining it")
        source = wanted if wanted.table is not None else wanted.read()
        try:
            return ReadResult(source, source.dataset(progress))
        except DataError as error:
            return ReadResult(source, None, error)

    _start(work, wanted, f"Reading {wanted.name}", is_new=is_new, shown=shown)


def _start(
    work: Work,
    wanted: Source | ImageSource | analysis.DownloadData,
    describe: str,
    *,
    is_new: bool,
    shown: bool = True,
) -> None:
    """Start a job that reads data."""
    number = st.session_state.get(READING, PendingRead()).number + 1
    st.session_state[READING] = PendingRead(number, is_new, wanted, shown)
    state.dismiss()
    # Not shared: the sources belong to this session.
    job = page_jobs.run(JOB, number, work, describe=describe, share=False, patience=PATIENCE)
    if job.is_over:
        apply_result()


def apply_result() -> None:
    """Make the result of a finished job the data set of this session."""
    reading: PendingRead = st.session_state.get(READING, PendingRead())
    source, job = reading.wanted, page_jobs.current(JOB)
    if source is None or job is None or not job.is_over:
        return
    st.session_state[READING] = reading._replace(wanted=None)
    # The session holds the data; the job need not.
    page_jobs.discard(job)
    data, error, where = job.result, job.error, source.name
    if isinstance(job.result, ReadResult):
        source, data, error = job.result
    if data is not None:
        state.use_data(data, source, is_new=reading.is_new)
    elif isinstance(error, DataError):
        attempt = None if isinstance(source, analysis.DownloadData) else source
        state.refuse(error, attempt, shown=reading.shown)
    elif error is None:
        state.refuse(DataError("Reading was stopped.", where=where))
    else:
        state.refuse(
            DataError(
                "The file could not be read because of an internal error.",
                where=where,
                remedy="The server's log has the details.",
            )
        )


def is_reading() -> bool:
    """Return whether files are being read."""
    job = page_jobs.current(JOB)
    return job is not None and not job.is_over
