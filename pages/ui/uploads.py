"""The uploader: files are read once, kept in the session, and the uploads set free.

Pictures are decoded, and large tables read, by a job that can be watched and stopped; its result
is taken over on whatever page the visitor is then. So are files whose visitor went on to another
page as soon as they had arrived, or while they were on their way: where both wishes reach the
server together, Streamlit carries out the later one only, and the uploader is gone before it was
asked. The other page may have an uploader of its own, as Data has for what was given to Start.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lincore.errors import DataError
from lincore.files.limits import LIMITS
from pages.ui import jobs, serving, state, text
from pages.ui.data_sources import File, Pictures, Source, recognise

if TYPE_CHECKING:
    from lincore.datasets import Dataset

READING = "shared.reading"
# The uploader of the page that was drawn last, if it had one.
OFFERED = "shared.uploads.offered"
# Whether a file is on its way whose visitor has left its uploader.
AWAITED = "shared.uploads.awaited"
# The page to be shown when what was uploaded has been read.
LEADS_TO = "shared.uploads.leads_to"
JOB = "data.read"
# What is read by then is never seen to be read.
PATIENCE = 2.0


#: A file's name, what it holds, and the name that the server has for it.
Sent = tuple[str, bytes, str]


class Wish(NamedTuple):
    """A large table to be read; as `attempt` and `shown` of `state.Refused` if it cannot be."""

    source: Source
    shown: bool

    @property
    def name(self) -> str:
        """What the file is called."""
        return self.source.name


class Made(NamedTuple):
    """A table that was read, and the data it made or why it made none."""

    source: Source
    data: Dataset | None
    error: DataError | None = None


def show(*, key: str, leads_to: str = "") -> None:
    """Offer to upload files, and make them the data set of this session.

    Parameters
    ----------
    key : str
    leads_to : str
        The page that `follow` shows once they are read, such as "pages/data.py".
    """
    megabytes = LIMITS.max_file_bytes // 10**6
    turn = st.session_state.setdefault(state.UPLOADS, 0)
    with st.container(key=key):
        uploads = st.file_uploader(
            "Upload a file",
            accept_multiple_files=True,
            key=f"{key}.{turn}",
            max_upload_size=megabytes,
            label_visibility="collapsed" if leads_to else "visible",
            help="A table as CSV, TSV or text, also gzipped, or Parquet; a zip of images in one "
            "folder for each class, or several images at once; an npz file of arrays.",
        )
        st.caption(
            f"Table (CSV, text, Parquet), zip of images in class folders, or arrays (npz), up to "
            f"{megabytes} MB. It stays in this session."
        )
    if not leads_to:
        st.session_state.pop(LEADS_TO, None)
    files = [(upload.name, upload.getvalue(), upload.file_id) for upload in uploads]
    files = files or _given_to_another(key)
    if files:
        _read(files)
        st.session_state[LEADS_TO] = leads_to
        st.rerun()


def follow() -> None:
    """Show the page that an upload leads to, once its data are those of this session."""
    if state.has_dataset() and not is_reading():
        leads_to = st.session_state.pop(LEADS_TO, "")
        if leads_to:
            st.switch_page(leads_to)


def is_reading() -> bool:
    """Return whether files are being read."""
    job = jobs.current(JOB)
    return job is not None and not job.is_over


def take_over() -> None:
    """Make what has been read the data set of this session, on a page without an uploader."""
    st.session_state.pop(LEADS_TO, None)
    left = _given_to_another(None)
    if left:
        _read(left)
    adopt()


def _read(files: Sequence[Sent]) -> None:
    """Read files, given with the names that the server has for them, and set them free."""
    with st.spinner(f"Reading {sum(len(content) for _, content, _ in files) / 1e6:.1f} MB …"):
        begin([(name, content) for name, content, _ in files])
        for _, _, file_id in files:
            _forget(file_id)
        # A new key gives an empty uploader, so that the next run does not read the files again.
        st.session_state[state.UPLOADS] = st.session_state.get(state.UPLOADS, 0) + 1


def limits() -> None:
    """Say how large files may be."""
    from lincore.files.limits import table_limits
    from lincore.images import image_limits

    st.caption(f"How large: {text.escape(table_limits())} {text.escape(image_limits())}")


def begin(files: Sequence[File]) -> None:
    """Read files: tables and arrays at once, pictures in a job."""
    digest = sha256()
    for _, content in files:
        digest.update(content)
    st.session_state[state.SHA] = digest.hexdigest()[:12]
    try:
        found = recognise(files)
    except DataError as error:
        state.refuse(error)
        return
    if isinstance(found, Pictures):
        decode(found, is_new=True)
    elif isinstance(found, Source):
        state.open_table(found)
    else:
        state.keep(found, None, state.Origin("file", files[0][0]))


def decode(pictures: Pictures, *, is_new: bool) -> None:
    """Begin to decode pictures; `adopt` takes them over."""
    start(pictures.read, pictures, f"Reading {pictures.name}", is_new=is_new)


def download(name: str) -> None:
    """Begin to fetch a data set; `adopt` takes it over."""
    from lincore.samples import fetch

    def work(progress: jobs.Progress) -> Any:
        progress(0, 0, "waiting for the server")
        return fetch(name)

    start(work, state.Origin("download", name), f"Downloading {name}", is_new=True)


def read(wanted: Source, *, is_new: bool, shown: bool) -> None:
    """Begin to read a large table; `adopt` takes it over, or says why it makes no data."""

    def work(progress: jobs.Progress) -> Made:
        progress(0, 0, "looking at it")
        found = wanted if wanted.table is not None else wanted.read()
        try:
            return Made(found, found.dataset(progress))
        except DataError as error:
            return Made(found, None, error)

    start(work, Wish(wanted, shown), f"Reading {wanted.name}", is_new=is_new)


def start(
    work: jobs.Work, wanted: Pictures | Wish | state.Origin, describe: str, *, is_new: bool
) -> None:
    """Begin to read something that takes long."""
    number = st.session_state.get(READING, (0,))[0] + 1
    st.session_state[READING] = (number, wanted, is_new)
    state.dismiss()
    # Read out of the session: what it is made of is nobody else's.
    job = jobs.run(JOB, number, work, describe=describe, share=False, patience=PATIENCE)
    if job.is_over:
        adopt()


def adopt() -> None:
    """Make what has been read the data set of this session, once it is."""
    number, wanted, is_new = st.session_state.get(READING, (0, None, False))
    job = jobs.current(JOB)
    if wanted is None or job is None or not job.is_over:
        return
    st.session_state[READING] = (number, None, False)
    # The session keeps the data; the job need not.
    jobs.discard(job)
    made_from = wanted if isinstance(wanted, Pictures) else None
    if isinstance(wanted, Wish) and (isinstance(job.error, DataError) or job.result is not None):
        _take(job.result or Made(wanted.source, None, job.error), wanted.shown, is_new=is_new)
    elif job.result is not None:
        came_from = state.Origin("file", wanted.name) if made_from else wanted
        state.keep(job.result, made_from, came_from, is_new=is_new)
    elif isinstance(job.error, DataError):
        state.refuse(job.error, made_from, shown=True)
    elif job.error is None:
        state.refuse(DataError("Reading was stopped.", where=wanted.name))
    else:
        state.refuse(
            DataError(
                "It cannot be read, and not for a fault of yours that is known.",
                where=wanted.name,
                remedy="What happened stands in the server's log.",
            )
        )


def _take(made: Made, shown: bool, *, is_new: bool) -> None:
    if made.data is not None:
        state.keep(made.data, made.source, state.Origin("file", made.source.name), is_new=is_new)
    else:
        assert made.error is not None
        state.refuse(made.error, made.source, shown=shown)


def progress() -> None:
    """Draw how far reading is, while it goes on, and that a file is awaited."""
    job = jobs.current(JOB)
    if job is not None and is_reading():
        jobs.show(job)
    if st.session_state.get(AWAITED):
        _await()


@st.fragment(run_every=0.5)
def _await() -> None:
    """Draw the page again once a file has come whose visitor went on while it was on its way."""
    if not _is_sending():
        st.rerun()
    st.caption("Receiving a file …")


def problem() -> None:
    """Say why a first file could not be used; with data in use the sidebar says so."""
    found = state.problem()
    if found is not None and not state.has_dataset():
        text.show_problem(found)
        st.page_link("pages/data.py", label="Read it otherwise on Data", icon=":material/table:")


def _given_to_another(key: str | None) -> list[Sent]:
    """Return what was given to the uploader of the page that was left, once all of it is here.

    Parameters
    ----------
    key : str or None
        The uploader of the page that is drawn, if it has one.
    """
    offered = st.session_state.get(OFFERED)
    st.session_state[AWAITED] = offered not in (None, key) and _is_sending()
    if st.session_state[AWAITED]:
        return []
    st.session_state[OFFERED] = key
    if offered is None and key is not None:
        # They came too late in a former visit: nobody who goes on from here means them.
        for _, _, file_id in _left_behind():
            _forget(file_id)
    return [] if offered in (None, key) else _left_behind()


def _is_sending() -> bool:
    context = get_script_run_ctx()
    return context is not None and serving.is_sending(context.session_id)


def _left_behind() -> list[Sent]:
    """Return the files that this session has sent and nobody has read, unless more are coming."""
    context = get_script_run_ctx()
    if context is None or _is_sending():
        return []
    # The manager's store is not public API: without it such files are lost, as Streamlit has it.
    with suppress(AttributeError):
        stored = context.uploaded_file_mgr.file_storage.get(context.session_id, {})  # type: ignore[attr-defined]
        return [(one.name, one.data, one.file_id) for one in list(stored.values())]
    return []


def _forget(file_id: str) -> None:
    """Free the server's copy now instead of when the session ends."""
    context = get_script_run_ctx()
    # The manager is not public API: without it the copy goes with the session.
    with suppress(AttributeError, KeyError):
        context.uploaded_file_mgr.remove_file(session_id=context.session_id, file_id=file_id)  # type: ignore[union-attr]
