"""Processor time of a rerun that changes nothing, over that of a bare Streamlit page.

The bare page has three select boxes, a figure and a table. Both run in this process, without a
browser and in turns of one rerun, so that whatever slows the machine slows both: the ratio is the
median over the turns. Names of pages as arguments choose some of them.
"""

from __future__ import annotations

import sys
import time
from statistics import median

from streamlit.testing.v1 import AppTest

from benchmarks.common import ROOT, finish, require
from pages.ui.jobs import page_jobs

PAGES = ("start", "data", "explore", "classify", "compare", "balance", "predict", "geometry")
#: Reruns of each page before it is measured, and turns.
BEFORE, TURNS = 3, 100
#: How much more than the bare page one of the dashboard may cost.
MOST = 3.0


def bare() -> None:
    """Draw three select boxes, a figure and a table."""
    import pandas as pd
    import plotly.graph_objects as go
    import streamlit as st

    for number in range(3):
        st.selectbox(f"Choose {number}", ["one", "two", "three"], key=f"choice {number}")
    st.plotly_chart(go.Figure(go.Scatter(x=[1, 2, 3], y=[2, 1, 3])), key="figure")
    st.dataframe(pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "c"]}), key="table")


def settled(page: str) -> AppTest:
    """Return a page all of whose work is done."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300).run()
    app.switch_page(f"pages/{page}.py").run()
    known: list[page_jobs.Job] = []
    while (jobs := _jobs(app)) != known:
        for job in jobs:
            job.wait(300)
        known = jobs
        app.run()
    if app.exception:
        sys.exit(f"{page}: {app.exception[0].message}")
    return app.run()


def _jobs(app: AppTest) -> list[page_jobs.Job]:
    held = page_jobs.JOBS in app.session_state
    return list(app.session_state[page_jobs.JOBS].values()) if held else []


def seconds(app: AppTest) -> float:
    """Return the seconds of processor of a rerun."""
    start = time.process_time()
    app.run()
    return time.process_time() - start


def main() -> None:
    """Measure the pages that were asked for, each in turns with the bare one."""
    simple = AppTest.from_function(bare).run()
    for page in [page for page in PAGES if page in sys.argv] or PAGES:
        app = settled(page)
        times = [(seconds(app), seconds(simple)) for _ in range(BEFORE + TURNS)][BEFORE:]
        ratio = median(here / there for here, there in times)
        own, bare_one = (1000 * median(side) for side in zip(*times, strict=True))
        what = f"{page} ({own:.1f} and {bare_one:.1f} ms): times a bare page"
        require(what, round(ratio, 2), at_most=MOST)
    finish()


if __name__ == "__main__":
    main()
