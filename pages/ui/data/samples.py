"""Data at one click: bundled samples and downloads."""

from __future__ import annotations

import streamlit as st

from lincore.io.samples import DOWNLOADS, SAMPLES
from pages.ui.session import commands, state

_TITLES = {
    "olivetti faces": "Olivetti faces",
    "mnist": "MNIST",
    "fashion mnist": "Fashion-MNIST",
}


def show() -> None:
    """Offer samples and downloads."""
    st.markdown("**Samples**")
    with st.container(horizontal=True):
        for name in SAMPLES:
            st.button(
                name.capitalize(),
                key=f"data.sample.{name}",
                on_click=state.choose_sample,
                args=(name,),
            )
    st.markdown("**Downloads**")
    with st.container(horizontal=True):
        for name in DOWNLOADS:
            st.button(
                _TITLES[name],
                key=f"data.download.{name}",
                on_click=commands.download,
                args=(name,),
                help="Needs a network; kept by the server for the next time.",
            )
    st.caption(
        "Iris, wine, breast cancer and digits come with scikit-learn; “Gaussian” draws three "
        "classes whose true parameters are known."
    )
