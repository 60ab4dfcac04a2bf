"""Start: introduction, entries to the data, and a finished example."""

import streamlit as st

from pages.ui.frame import sidebar, uploads
from pages.ui.session import link
from pages.ui.start import entries, finished_example

sidebar.show_on_start()

awaited = link.awaited()
if awaited is not None:
    uploads.ask_again(awaited)
    st.stop()

st.header("Compare linear classifiers, and see what class imbalance costs", anchor=False)
st.markdown(
    "An honest comparison on your own table or images, the geometry that explains it, and the "
    "corrections that recover the loss."
)
entries.show()
finished_example.show()
