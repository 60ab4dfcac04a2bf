"""Uploaders: each file is returned once, and deleted from Streamlit's storage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from lincore.limits import LIMITS
from pages.ui.server import _compat

#: How often uploaders were replaced by empty ones: a new key makes a new one.
TURN = "shared.uploads"
# Characters of a SHA-256 that are shown.
_SHOWN_DIGITS = 12


def ask(label: str, *, key: str, **options: Any) -> list[tuple[str, bytes]]:
    """Ask for files; return name and content of those that have just arrived."""
    options = {"max_upload_size": LIMITS.max_file_bytes // 10**6} | options
    key = f"{key}.{st.session_state.get(TURN, 0)}"
    uploaded = st.file_uploader(label, key=key, **options)
    files = uploaded if isinstance(uploaded, list) else [uploaded] if uploaded is not None else []
    return take([_compat.Upload(file.name, file.getvalue(), file.file_id) for file in files])


def take(uploads: Sequence[_compat.Upload]) -> list[tuple[str, bytes]]:
    """Delete uploads, and empty the uploaders; return names and contents."""
    for upload in uploads:
        _compat.free_upload(upload.file_id)
    if uploads:
        st.session_state[TURN] = st.session_state.get(TURN, 0) + 1
    return [(upload.name, upload.content) for upload in uploads]


def digest_sentence(sha256: str) -> str:
    """Return the beginning of the digest by which a file is recognised; "" if any will do."""
    return f"Its SHA-256 begins with `{sha256[:_SHOWN_DIGITS]}`." if sha256 else ""


def offer_to_continue(key: str, forget: Callable[[], None], *, help: str) -> None:
    """Offer not to wait for a file."""
    st.button("Continue without it", key=f"{key}.forget", on_click=forget, help=help)
