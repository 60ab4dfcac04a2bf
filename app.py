"""The lincore dashboard: page configuration and navigation."""

from pathlib import Path

import streamlit as st

from pages.ui.server import preload

# An image of our own: an icon by name would be fetched from elsewhere.
ICON = Path(__file__).parent / "pages" / "ui" / "icon.png"
# Streamlit writes the chosen of a multiselect in white on the accent, too faint in the dark theme,
# and draws segments lower than the select boxes beside them. A formula fits a phone without a
# scroll bar, which the keyboard could not reach. Figures keep the ink of the theme in which they
# were drawn (`lincore.plots.base.palette.INK`): here it follows when the theme changes.
LOOK = """<style>
[data-testid="stMultiSelectTagsContainer"] [data-tag] { background-color: #43489E !important; }
[data-testid="stButtonGroup"] button[role] { min-height: 2.5rem; }
.js-plotly-plot :is([style*="stroke: rgb(38, 39, 48)"], [style*="stroke: rgb(250, 250, 250)"]) {
  stroke: currentColor !important; }
.js-plotly-plot :is([style*="fill: rgb(38, 39, 48)"], [style*="fill: rgb(250, 250, 250)"]) {
  fill: currentColor !important; }
.katex-display { font-size: min(1em, 3.2vw); overflow: clip !important; }
</style>"""


def main() -> None:
    """Show the page that the visitor is on."""
    st.set_page_config(page_title="lincore", page_icon=str(ICON), layout="wide")
    page = st.navigation(
        {
            "": [
                st.Page("pages/start.py", title="Start", icon=":material/home:", default=True),
                st.Page("pages/data.py", title="Data", icon=":material/table:"),
                st.Page("pages/explore.py", title="Explore", icon=":material/explore:"),
                st.Page("pages/classify.py", title="Classify", icon=":material/polyline:"),
                st.Page("pages/compare.py", title="Compare", icon=":material/leaderboard:"),
                st.Page("pages/balance.py", title="Balance", icon=":material/balance:"),
                st.Page("pages/predict.py", title="Predict", icon=":material/online_prediction:"),
            ],
            "Learn": [
                st.Page("pages/geometry.py", title="Geometry", icon=":material/architecture:"),
            ],
        }
    )
    st.html(LOOK)
    preload.wait()
    try:
        page.run()
    finally:
        preload.start()


# `streamlit run` reads this file twice: once as a module, for the server that it describes, and
# for every visitor as a script.
if __name__ == "__main__":
    main()
else:
    from pages.ui.jobs import worker_process
    from pages.ui.server import _compat, logs, memory, middleware, script_queue

    logs.write_json_lines()
    memory.keep_little()
    _compat.announce_navigation()
    middleware.hear_of_uploads()
    script_queue.let_scripts_take_turns()
    preload.start(then=worker_process.start)
    app = st.App(__file__, middleware=middleware.middleware())
