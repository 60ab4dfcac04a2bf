"""The lincore dashboard: page configuration and navigation."""

from pathlib import Path

import streamlit as st

from pages.ui.server import preload

# Our own image: an icon by name would be loaded from another site.
ICON = Path(__file__).parent / "pages" / "ui" / "icon.png"
# Streamlit draws the tags of a multiselect in white on the accent colour, with too little contrast
# in the dark theme, and segmented controls lower than the select boxes beside them. Formulas must
# fit a phone without a scroll bar, which the keyboard could not reach. Figures keep the text colour
# of the theme that they were drawn in (`lincore.plots.base.palette.INK`): here it is updated. The
# header, which holds a menu alone, takes no more of the page than that, and the margins leave a row
# of controls on one line at 1280 pixels. An outdated result
# (`pages.ui.jobs.page_jobs.note_outdated`) is pale below its note.
LOOK = """<style>
[data-testid="stMultiSelectTagsContainer"] [data-tag] { background-color: #43489E !important; }
[data-testid="stPageLink-NavLink"] * { white-space: normal !important; }
[data-testid="stButtonGroup"] button[role] { min-height: 2.5rem; }
.js-plotly-plot :is([style*="stroke: rgb(38, 39, 48)"], [style*="stroke: rgb(250, 250, 250)"]) {
  stroke: currentColor !important; }
.js-plotly-plot :is([style*="fill: rgb(38, 39, 48)"], [style*="fill: rgb(250, 250, 250)"]) {
  fill: currentColor !important; }
[data-testid="stHeader"] { height: 2.5rem !important; min-height: 2.5rem !important; }
[data-testid="stMainBlockContainer"] { padding-top: 2.75rem !important; }
@media (min-width: 768px) {
  [data-testid="stMainBlockContainer"] { padding-inline: 3rem !important; }
}
[data-testid="stLayoutWrapper"]:has(> * > [data-testid="stLayoutWrapper"] > [class*="-outdated"])
  ~ :not(:has([data-testid="stProgress"])) { opacity: 0.4; }
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
    if page.url_path:  # Start waits below its headline
        preload.wait()
    from pages.ui.jobs import worker_process

    worker_process.wake()
    try:
        page.run()
    finally:
        preload.start()


# `streamlit run` executes this file in two ways: as a module, for the server that it defines, and
# as a script for every visitor.
if __name__ == "__main__":
    main()
else:
    from pages.ui.jobs import worker_process
    from pages.ui.server import _compat, logs, memory, middleware, script_queue

    logs.write_json_lines()
    memory.limit_free_memory()
    _compat.announce_navigation()
    _compat.keep_navigation()
    _compat.keep_clicks()
    _compat.keep_last_messages()
    middleware.note_announced_uploads()
    script_queue.let_scripts_take_turns()
    preload.start(then=worker_process.allow)
    app = st.App(__file__, middleware=middleware.middleware())
