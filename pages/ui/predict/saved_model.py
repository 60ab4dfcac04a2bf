"""A model that was saved to a file, in the place of the fitted one."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import export
from lincore.errors import DataError, Notice
from lincore.limits import LIMITS
from pages.ui.server import _compat
from pages.ui.widgets import text

if TYPE_CHECKING:
    from lincore.export import ModelFile

KEY = "predict.saved"
_OPEN, _PROBLEM, _TURN = f"{KEY}.open", f"{KEY}.problem", f"{KEY}.turn"


class Saved(NamedTuple):
    """A model file that was opened: its name, the digest of its content, and what it holds."""

    name: str
    digest: str
    file: ModelFile


def current() -> Saved | None:
    """Return the saved model that predicts; None where the fitted one does."""
    found: Saved | None = st.session_state.get(_OPEN)
    return found


def ask() -> None:
    """Offer to open a saved model, and say which one is open."""
    saved, turn = current(), st.session_state.setdefault(_TURN, 0)
    st.markdown("**Saved model**")
    if saved is not None:
        st.caption(text.escape(f"{saved.name}: {saved.file.origin}"))
        st.caption("It is not in the link: whoever opens that sees the fitted model.")
        st.button(
            "Back to the fitted model",
            key=f"{KEY}.close",
            on_click=_close,
            help="The saved model is forgotten; its file stays yours.",
        )
    upload = st.file_uploader(
        "Open a saved model",
        type="zip",
        key=f"{KEY}.upload.{turn}",
        max_upload_size=LIMITS.max_file_bytes // 10**6,
        help="A model file of Classify, or of `lincore.export.save_model`. No code in it is run: "
        "types that are not trusted are refused.",
    )
    if upload is not None:
        _read(upload)
        st.rerun()


def show_problem() -> None:
    """Say why a file could not be opened, until another one is."""
    problem: Notice | None = st.session_state.get(_PROBLEM)
    if problem is not None:
        text.show_problem(problem)


def _read(upload: Any) -> None:
    """Open a file and set it free; a bad one leaves the model that is in use."""
    raw = upload.getvalue()
    _compat.free_upload(upload.file_id)
    st.session_state[_TURN] += 1
    st.session_state.pop(_PROBLEM, None)
    with st.spinner("Reading …"):
        try:
            found = export.load_model(raw)
        except DataError as error:
            st.session_state[_PROBLEM] = replace(error.notice, where=upload.name)
        else:
            digest = hashlib.sha256(raw).hexdigest()
            st.session_state[_OPEN] = Saved(upload.name, digest, found)


def _close() -> None:
    st.session_state.pop(_OPEN, None)
    st.session_state.pop(_PROBLEM, None)
