"""A model that was saved to a file, in the place of the fitted one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import analysis, export
from lincore.errors import DataError, Notice
from lincore.limits import LIMITS
from pages.ui.server import _compat
from pages.ui.session import link
from pages.ui.session.questions import MODEL
from pages.ui.widgets import text

if TYPE_CHECKING:
    from lincore.export import ModelFile

KEY = "predict.saved"
# Characters of the name of a file in a specification.
_LONGEST = 200
_OPEN, _PROBLEM, _TURN = f"{KEY}.open", f"{KEY}.problem", f"{KEY}.turn"


class Saved(NamedTuple):
    """A model file that was opened: its name, the digest of its content, and what it holds."""

    name: str
    digest: str
    file: ModelFile


def current() -> Saved | None:
    """Return the saved model that predicts; None where the fitted one does, or it is awaited."""
    named: analysis.SavedModel | None = st.session_state.get(MODEL)
    found: Saved | None = st.session_state.get(_OPEN)
    if named is None or found is None:
        return None
    return found if named.sha256 in ("", found.digest) else None


def require() -> None:
    """Ask for the model that a link or a workspace is about; end the page while it is awaited."""
    named: analysis.SavedModel | None = st.session_state.get(MODEL)
    if named is None or current() is not None:
        return
    digits = named.sha256[: link.SHOWN_DIGITS]
    with st.container(key=f"{KEY}.awaited"):
        st.header(
            f"The model {text.escape(named.name)} predicted here: open it again to continue.",
            anchor=False,
        )
        if digits:
            st.markdown(f"Its SHA-256 begins with `{digits}`.")
        _upload(named)
        show_problem()
        st.button(
            "Continue without it",
            key=f"{KEY}.forget",
            on_click=_close,
            help="Forget the model file, and predict by the fitted model.",
        )
    st.stop()


def ask() -> None:
    """Offer to open a saved model, and say which one is open."""
    saved = current()
    st.markdown("**Saved model**")
    if saved is not None:
        st.caption(text.escape(f"{saved.name}: {saved.file.origin}"))
        st.caption("Anyone who opens the link is asked for the same file.")
        st.button(
            "Back to the fitted model",
            key=f"{KEY}.close",
            on_click=_close,
            help="The saved model is forgotten; its file stays yours.",
        )
    _upload()


def _upload(wanted: analysis.SavedModel | None = None) -> None:
    turn = st.session_state.setdefault(_TURN, 0)
    upload = st.file_uploader(
        "Open a saved model",
        type=["zip", "skops"],
        key=f"{KEY}.upload.{turn}",
        max_upload_size=LIMITS.max_file_bytes // 10**6,
        help="A model file of Classify, or of `lincore.export.save_model`. No code in it is run, "
        "and untrusted types are rejected.",
    )
    if upload is not None:
        _read(upload, wanted)
        st.rerun()


def show_problem() -> None:
    """Say why a file could not be opened, until another one is."""
    problem: Notice | None = st.session_state.get(_PROBLEM)
    if problem is not None:
        text.show_problem(problem)


def _read(upload: Any, wanted: analysis.SavedModel | None) -> None:
    """Open a file and set it free; a bad one leaves the model that is in use."""
    raw = upload.getvalue()
    _compat.free_upload(upload.file_id)
    st.session_state[_TURN] += 1
    st.session_state.pop(_PROBLEM, None)
    with st.spinner("Reading …"):
        try:
            if wanted is not None:
                analysis.checked_file(wanted, raw)
            found = export.load_model(raw)
        except DataError as error:
            st.session_state[_PROBLEM] = replace(error.notice, where=upload.name)
        else:
            digest = analysis.hash_of([raw])
            st.session_state[_OPEN] = Saved(upload.name, digest, found)
            st.session_state[MODEL] = analysis.SavedModel(upload.name[-_LONGEST:], digest)


def _close() -> None:
    for key in (_OPEN, MODEL, _PROBLEM):
        st.session_state.pop(key, None)
