"""The lincore dashboard: page configuration and navigation."""

import streamlit as st

st.set_page_config(page_title="lincore", page_icon=":material/scatter_plot:", layout="wide")
st.navigation(
    [
        st.Page("pages/data.py", title="Data", icon=":material/table:", default=True),
        st.Page("pages/explore.py", title="Explore", icon=":material/explore:"),
        st.Page("pages/classify.py", title="Classify", icon=":material/polyline:"),
    ]
).run()
