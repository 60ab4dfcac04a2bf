"""The link: the specification of the session as a query parameter, written and read.

A reload, the back button or an opened link restores a sample, generated classes, and an upload that
the server still keeps for this browser; another upload is named, and once the same file is uploaded
again all comes back. A damaged link is reported, and leaves the session as it is: one made by hand
can be wrong, never harmful.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

import streamlit as st

from lincore import analysis, io
from lincore.errors import DataError
from pages.ui.server import script_queue
from pages.ui.session import commands, specification, state

PARAMETER, SAMPLE = "analysis", "sample"
#: The characters of a file's SHA-256 that people are shown.
SHOWN_DIGITS = 12
#: Addresses written by this session that are known again, and seconds in which a browser may still
#: answer with the one before, the server's queue not counted: later, it has gone back.
_MOST_WRITTEN, _SECONDS = 200, 2.0

_READ, _PENDING, _WRITTEN = "shared.link.read", "shared.link.pending", "shared.link.written"
_AGAIN = "shared.link.again"


class Pending(NamedTuple):
    """A specification that is being put into force.

    Attributes
    ----------
    wanted : analysis.Analysis
    former : str
        The digest of the data before, "" where there were none.
    is_begun : bool
        Whether its data are on their way.
    """

    wanted: analysis.Analysis
    former: str
    is_begun: bool = False


def restore() -> None:
    """Make the session what its link says, before anything is drawn."""
    parameters = st.query_params.to_dict()
    if not st.session_state.get(_READ):
        st.session_state[_READ] = True
        if not state.has_dataset() and not st.session_state.get(_PENDING):
            _open(parameters)
    elif not st.session_state.pop(_AGAIN, False) and _is_another(parameters.get(PARAMETER, "")):
        _open(parameters)
    pending: Pending | None = st.session_state.get(_PENDING)
    if pending is not None:
        _go_on(pending)


def run_again() -> NoReturn:
    """Run the page once more from within a run of it.

    Its address is that of the message before, which may be older than what a fragment has written
    since, however long ago: nobody has gone back.
    """
    st.session_state[_AGAIN] = True
    st.rerun()


def begin(wanted: analysis.Analysis) -> None:
    """Begin to put a specification into force; the next run of a page goes on."""
    former = state.require_dataset().digest if state.has_dataset() else ""
    state.dismiss()
    st.session_state[_PENDING] = Pending(wanted, former)
    st.session_state[_READ] = True


def awaited() -> analysis.FileData | None:
    """Return the file that has to be uploaded first."""
    pending: Pending | None = st.session_state.get(_PENDING)
    if pending is None or not isinstance(pending.wanted.data, analysis.FileData):
        return None
    return None if pending.is_begun or _has(pending.wanted.data) else pending.wanted.data


def forget() -> None:
    """Wait for no file any more."""
    st.session_state.pop(_PENDING, None)


def clear() -> None:
    """Empty the session and its address, and begin anew."""
    # A browser that still answers with an address of before has not gone back to it; an uploader
    # that was used never comes back.
    stay = (_READ, _WRITTEN, state.UPLOADS)
    for key in [key for key in st.session_state if key not in stay]:
        del st.session_state[key]
    st.query_params.clear()


def write(shown: analysis.Analysis | None) -> None:
    """Put the specification into the address; one that is awaited goes before it."""
    pending: Pending | None = st.session_state.get(_PENDING)
    found = shown if pending is None else pending.wanted
    try:
        text = "" if found is None else found.to_query()
    except DataError:  # too long: the workspace file holds it
        text = ""
    written = st.session_state.setdefault(_WRITTEN, [])
    if text and (not written or written[-1][0] != text):
        written.append((text, time.monotonic()))
        del written[:-_MOST_WRITTEN]
    parameters = {PARAMETER: text} if text else {}
    if st.query_params.to_dict() != parameters:
        st.query_params.from_dict(parameters)


def _is_another(text: str) -> bool:
    """Return whether the address is not what was written last: its visitor has gone back, or on."""
    written = st.session_state.get(_WRITTEN, [])
    if not text or not written or text == written[-1][0]:
        return False
    is_late = script_queue.scripts.asked_at - written[-1][1] < _SECONDS
    return not (is_late and any(text == former for former, _ in written))


def _open(parameters: Mapping[str, str]) -> None:
    """Begin with what a link asks for; say why where it is damaged."""
    if parameters.get(PARAMETER):
        try:
            begin(analysis.Analysis.from_query(parameters[PARAMETER]))
        except DataError as error:
            state.refuse(error)
    elif parameters.get(SAMPLE) in io.SAMPLES:
        state.choose_sample(parameters[SAMPLE])
    elif not state.has_dataset():
        state.recall()


def _has(wanted: analysis.FileData) -> bool:
    """Return whether the file is the one in use."""
    if not state.has_dataset() or state.origin().kind != "file":
        return False
    origin = state.origin()
    if origin.drop_image_duplicates and not wanted.drop_image_duplicates:
        return False
    return origin.sha == wanted.sha256 if wanted.sha256 else origin.name == wanted.name


def _go_on(pending: Pending) -> None:
    """Bring the data, then apply all else; give up where other data have come instead."""
    wanted, lacking = pending.wanted, awaited()
    if lacking is not None and lacking.sha256:
        state.recall(lacking.sha256)
    if awaited() is not None:
        now = state.require_dataset().digest if state.has_dataset() else ""
        if now != pending.former:
            forget()
        return
    if not pending.is_begun:
        st.session_state[_PENDING] = pending._replace(is_begun=True)
        if not state.has_dataset() or specification.data_in_use() != wanted.data:
            specification.bring(wanted.data)
    if commands.is_reading():
        return
    forget()
    if state.refused() is None and state.has_dataset():
        specification.apply(wanted)
