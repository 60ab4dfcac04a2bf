"""Start: introduction, entries to the data, and a finished example."""

import streamlit as st

from pages.ui.session import link, lost_uploads, sidebar
from pages.ui.start import entries, finished_example

sidebar.show_on_start()

awaited = link.awaited()
if awaited is not None:
    lost_uploads.show(awaited, key="again")
    st.stop()

st.header("Compare linear classifiers, and see what class imbalance costs", anchor=False)
st.markdown(
    "An honest comparison on your own table or images, the geometry that explains it, and what "
    "recovers the loss."
)
entries.show()
finished_example.show()
