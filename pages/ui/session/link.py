"""The link: the specification of the session as a query parameter, written and read.

A reload, the back button or an opened link restores a sample, generated classes, or an upload that
the server still keeps for this browser. For any other upload the page asks for the file, and
restores everything when the same file is uploaded again. A damaged link is reported and changes
nothing: an edited link can be wrong but never harmful.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

import streamlit as st

from lincore import analysis, io
from lincore.errors import DataError
from pages.ui.server import script_queue
from pages.ui.session import commands, specification, state
from pages.ui.widgets import uploader

PARAMETER, SAMPLE = "analysis", "sample"
#: Number of addresses written by this session that are recognised, and seconds during which a
#: browser may still send the previous one, without time in the server's queue: after that, its
#: visitor has gone back.
_MOST_WRITTEN, _SECONDS = 200, 2.0

KEY = "shared.link"


class Pending(NamedTuple):
    """A specification that is being applied.

    Attributes
    ----------
    wanted : analysis.Analysis
    former : str
        The digest of the former data, "" if there were none.
    is_begun : bool
        Whether its data are being loaded.
    """

    wanted: analysis.Analysis
    former: str
    is_begun: bool = False


@dataclass
class LinkState:
    """The address of a session.

    Attributes
    ----------
    is_read : bool
        Whether the address with which the session began was applied.
    is_again : bool
        Whether the page runs itself once more.
    pending : Pending or None
    shown : tuple
        The specification shown last, and its form in the address.
    written : list
        The addresses written last, with their times.
    """

    is_read: bool = False
    is_again: bool = False
    pending: Pending | None = None
    shown: tuple[analysis.Analysis | None, str] = (None, "")
    written: list[tuple[str, float]] = field(default_factory=list)


def _state() -> LinkState:
    return st.session_state.setdefault(KEY, LinkState())


def restore() -> None:
    """Apply the link to the session, before anything is drawn."""
    parameters, link = st.query_params.to_dict(), _state()
    if not link.is_read:
        link.is_read = True
        if not state.has_dataset() and link.pending is None:
            _open(parameters)
    elif not link.is_again and _has_navigated(parameters.get(PARAMETER, ""), link.written):
        _open(parameters)
    link.is_again = False
    if link.pending is not None:
        _resume(link.pending)


def run_again() -> NoReturn:
    """Run the page once more from within a run of it.

    Its address is that of the previous message, and a fragment may have written a newer one since:
    that does not mean that the visitor has gone back.
    """
    _state().is_again = True
    st.rerun()


def begin(wanted: analysis.Analysis) -> None:
    """Start applying a specification; the next run of a page continues."""
    former = state.require_dataset().digest if state.has_dataset() else ""
    state.dismiss()
    link = _state()
    link.pending, link.is_read = Pending(wanted, former), True


def awaited() -> analysis.FileData | None:
    """Return the file that has to be uploaded first."""
    pending = _state().pending
    if pending is None or not isinstance(pending.wanted.data, analysis.FileData):
        return None
    return None if pending.is_begun or _is_in_use(pending.wanted.data) else pending.wanted.data


def forget() -> None:
    """Stop waiting for a file."""
    _state().pending = None


def clear() -> None:
    """Clear the session and its address, and start over."""
    # A browser that still sends an old address has not gone back to it; used uploaders must not
    # reappear.
    written = _state().written
    for key in [key for key in st.session_state if key != uploader.TURN]:
        del st.session_state[key]
    st.session_state[KEY] = LinkState(is_read=True, written=written)
    st.query_params.clear()


def write(shown: analysis.Analysis | None) -> None:
    """Write the specification into the address, or the one that is still being applied."""
    link = _state()
    specification = shown if link.pending is None else link.pending.wanted
    former, text = link.shown
    if specification != former:
        try:
            text = "" if specification is None else specification.to_query()
        except DataError:  # too long: a workspace file is the alternative
            text = ""
        link.shown = specification, text
    if text and (not link.written or link.written[-1][0] != text):
        link.written.append((text, time.monotonic()))
        del link.written[:-_MOST_WRITTEN]
    parameters = {PARAMETER: text} if text else {}
    if st.query_params.to_dict() != parameters:
        st.query_params.from_dict(parameters)


def _has_navigated(text: str, written: Sequence[tuple[str, float]]) -> bool:
    """Return whether the visitor has gone back or forward: the address is not the last written."""
    if not text or not written or text == written[-1][0]:
        return False
    is_late = script_queue.scripts.asked_at - written[-1][1] < _SECONDS
    return not (is_late and any(text == former for former, _ in written))


def _open(parameters: Mapping[str, str]) -> None:
    """Start applying a link; report a damaged one."""
    if parameters.get(PARAMETER):
        try:
            begin(analysis.Analysis.from_query(parameters[PARAMETER]))
        except DataError as error:
            state.refuse(error)
    elif SAMPLE in parameters and parameters[SAMPLE] in io.SAMPLES:
        state.choose_sample(parameters[SAMPLE])
    elif not state.has_dataset():
        state.recall()


def _is_in_use(wanted: analysis.FileData) -> bool:
    """Return whether the file is the one in use."""
    current = state.data_source() if state.has_dataset() else None
    if not isinstance(current, analysis.FileData):
        return False
    is_final = current.drop_image_duplicates and state.image_source() is None
    if is_final and not wanted.drop_image_duplicates:
        return False
    return current.sha256 == wanted.sha256 if wanted.sha256 else current.name == wanted.name


def _resume(pending: Pending) -> None:
    """Load the data, then apply the rest; give up if other data were loaded instead."""
    wanted, lacking = pending.wanted, awaited()
    if lacking is not None and lacking.sha256:
        state.recall(lacking.sha256)
    if awaited() is not None:
        now = state.require_dataset().digest if state.has_dataset() else ""
        if now != pending.former:
            forget()
        return
    if not pending.is_begun:
        _state().pending = pending._replace(is_begun=True)
        if not state.has_dataset() or state.data_source() != wanted.data:
            specification.start_loading(wanted.data)
    if commands.is_reading():
        return
    forget()
    if state.refused() is None and state.has_dataset():
        specification.apply(wanted)
