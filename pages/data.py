"""Data: choose a sample or bring a file, and see what was read."""

import streamlit as st

from lincore.samples import SAMPLES
from pages.ui import panels, sidebar, state, text, uploads

experiment = sidebar.show()
data = experiment.data

st.caption("Data")
st.header(f"{text.escape(data.name)}: {text.describe(data)}.", anchor=False)

left, right = st.columns(2, gap="large")
with left:
    uploads.show(key="data.upload")
with right:
    st.markdown("**Or start from a sample**")
    with st.container(horizontal=True):
        for name in SAMPLES:
            st.button(
                name.capitalize(),
                key=f"data.sample.{name}",
                on_click=state.choose_sample,
                args=(name,),
                type="secondary",
            )
    st.caption(
        "Iris, wine, breast cancer and digits come with scikit-learn; “Gaussian” draws three "
        "classes whose true means and covariances are known."
    )

if (problem := state.problem()) is not None:
    text.show_problem(problem)
    st.caption(f"Still in use: {text.escape(data.name)}.")

if data.image_shape:
    panels.contact_sheet(data, key="data.sheet")
else:
    panels.table_head(data, key="data.head")
panels.reading_notes(data)
panels.truth(data)
