"""The lincore dashboard: page configuration and navigation."""

from pathlib import Path

import streamlit as st

# A picture of our own: an icon by name would be fetched from elsewhere.
ICON = Path(__file__).parent / "pages" / "ui" / "icon.png"

st.set_page_config(page_title="lincore", page_icon=str(ICON), layout="wide")
st.navigation(
    [
        st.Page("pages/data.py", title="Data", icon=":material/table:", default=True),
        st.Page("pages/explore.py", title="Explore", icon=":material/explore:"),
        st.Page("pages/classify.py", title="Classify", icon=":material/polyline:"),
    ]
).run()
