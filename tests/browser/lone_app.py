"""A page of its own for what the helpers of the browser tests and of the pages can do."""

import time
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from pages.ui.jobs import page_jobs
from pages.ui.widgets import selection

#: While this file stands beside the page, the job waits in the middle for as long as it takes.
HOLD = Path(__file__).with_name("hold")


def work(progress):
    """Take twenty steps of a tenth of a second, and keep each."""
    finished = []
    for step in range(20):
        while (goes_on := progress(step, 20, f"step {step}")) and step == 10 and HOLD.exists():
            time.sleep(0.1)
        if not goes_on:
            break
        time.sleep(0.1)
        finished.append(step)
        progress.keep(list(finished))
    return finished


def figure(*traces, **layout):
    """Return a figure with the title and the text alternative of one of lincore.plots."""
    meta = {"alt": "A figure.", "title": "Figure", "subtitle": ""}
    size = {"height": 450, "margin": {"t": 60}}
    return go.Figure(traces, {"meta": meta, "title": "Figure", **size, **layout})


def main():
    """Draw the page."""
    st.set_page_config(page_title="Helpers")
    st.header("Helpers", anchor=False)
    job = page_jobs.on_demand("lone.run", 1, work, describe="Counting", label="Count")
    if job is not None and job.is_over and job.result is not None:
        st.markdown(f"Counted {len(job.result)}, {job.reason}")
    st.toggle("Aside", key="lone.aside")

    grid = np.arange(9)
    flat = go.Scattergl(
        x=np.float32(grid % 3), y=np.float32(grid // 3), customdata=grid + 100, mode="markers"
    )
    window = {"range": [-0.5, 2.5]}
    chosen = selection.figure(figure(flat, xaxis=window, yaxis=window), key="lone.points")
    st.text(f"rows {sorted(chosen)}", width="stretch")

    cells = go.Scatter(
        x=grid % 3,
        y=grid // 3,
        customdata=np.column_stack([grid // 3, grid % 3]).astype(np.int16),
        mode="markers",
        marker={"symbol": "square", "size": 30, "opacity": 0},
    )
    shade = go.Heatmap(z=np.float32(grid.reshape(3, 3)))
    drawn = figure(shade, cells)
    cell = selection.figure(drawn, key="lone.cells", modes=("points",), read=selection.cell)
    st.text(f"cell {cell}")

    first, second = st.tabs(["One", "Two"], key="lone.tabs", on_change="rerun")
    if second.open:
        with second:
            x = np.linspace(-1, 1, 20, dtype=np.float32)
            hill = go.Surface(x=x, y=x, z=np.outer(1 - x**2, 1 - x**2))
            st.plotly_chart(figure(hill), key="lone.hill", alt="A surface.")


# Tests import what they collect; Streamlit runs it.
if __name__ == "__main__":
    main()
