"""A saved model, opened from a file, that replaces the fitted one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lincore import analysis, export, io
from lincore.errors import DataError, Notice
from pages.ui.session.questions import PREDICT
from pages.ui.widgets import displays, text, uploader

if TYPE_CHECKING:
    from lincore.export import ModelFile

KEY = "predict.saved"
# Maximum length of a file name in a specification.
_LONGEST = 200
_OPEN, _PROBLEM = f"{KEY}.open", f"{KEY}.problem"


class Saved(NamedTuple):
    """An opened model file: its name, the digest of its content, and its model."""

    name: str
    digest: str
    file: ModelFile


def current() -> Saved | None:
    """Return the saved model in use; None if the fitted one is used, or the file is awaited."""
    named = _named()
    opened: Saved | None = st.session_state.get(_OPEN)
    if named is None or opened is None:
        return None
    return opened if named.sha256 in ("", opened.digest) else None


def _named() -> analysis.SavedModel | None:
    return displays.settings(PREDICT).get("model")


def require() -> None:
    """Ask for the model file that a link or a workspace needs; end the page without it."""
    named = _named()
    if named is None or current() is not None:
        return
    with st.container(key=f"{KEY}.awaited"):
        st.header(text.escape(named.request), anchor=False)
        st.markdown(uploader.digest_sentence(named.sha256))
        _upload(named)
        show_problem()
        uploader.offer_to_continue(
            KEY, _close, help="Forget the model file, and predict with the fitted model."
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
            help="Forget the saved model; its file is not affected.",
        )
    _upload()


def _upload(wanted: analysis.SavedModel | None = None) -> None:
    files = uploader.ask(
        "Open a saved model",
        type=["zip", "skops"],
        key=f"{KEY}.upload",
        help="A model file of Classify, or of `lincore.export.save_model`. No code in it is run, "
        "and untrusted types are rejected.",
    )
    for name, raw in files:
        _read(name, raw, wanted)
        st.rerun()


def show_problem() -> None:
    """State why a file could not be opened, until another one is."""
    problem: Notice | None = st.session_state.get(_PROBLEM)
    if problem is not None:
        text.show_problem(problem)


def _read(name: str, raw: bytes, wanted: analysis.SavedModel | None) -> None:
    """Open a file; an invalid one leaves the current model in use."""
    st.session_state.pop(_PROBLEM, None)
    with st.spinner("Reading …"):
        try:
            if wanted is not None:
                analysis.checked_file(wanted, raw)
            file = export.load_model(raw)
        except DataError as error:
            st.session_state[_PROBLEM] = replace(error.notice, where=name)
        else:
            digest = io.hash_of([raw])
            st.session_state[_OPEN] = Saved(name, digest, file)
            named = analysis.SavedModel(name[-_LONGEST:], digest)
            # It may have been fitted to the test set.
            rows = displays.settings(PREDICT).get("rows", analysis.NewFile())
            displays.set_settings(PREDICT, model=named, rows=rows)


def _close() -> None:
    displays.set_settings(PREDICT, model=None)
    for key in (_OPEN, _PROBLEM):
        st.session_state.pop(key, None)
