"""Entries of the start page: upload, samples, experiments of the lecture."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from pages.ui.frame import uploads
from pages.ui.session import commands, state

#: Three classes of the same shape and size, of which two overlap.
OVERLAPPING = {"means": [[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]], "sizes": [150, 150, 150]}
#: A third class with a tenth of the rows of each of the others.
RARE = {"means": [[0.0, 0.0], [3.0, 0.0], [1.5, 1.4]], "sizes": [400, 400, 40]}


# Streamlit centres and cuts the lines of buttons, and its headings have wide margins.
_LOOK = """<style>
[class*="st-key-start-sample-"] button > *, [class*="st-key-start-learn-"] button > * {
  justify-content: flex-start; text-align: left; width: 100%; }
[class*="st-key-start-sample-"] button *, [class*="st-key-start-learn-"] button * {
  white-space: normal !important; }
[data-testid="stVerticalBlock"]:has(> [class*="st-key-start-"]) { gap: 0.6rem; }
</style>"""


class Door(NamedTuple):
    """A button that loads data and leads to a page."""

    label: str
    icon: str
    about: str
    page: str
    open: Callable[[], None]


def _sample(name: str) -> Callable[[], None]:
    return lambda: state.choose_sample(name)


SAMPLES = {
    "passengers": Door(
        "Passengers",
        ":material/table:",
        "Table: missing values, a rare outcome",
        "pages/data.py",
        _sample("passengers"),
    ),
    "faces": Door(
        "Faces",
        ":material/face:",
        "Images: one person is rare",
        "pages/data.py",
        _sample("faces"),
    ),
    "gaussian": Door(
        "Gaussian classes",
        ":material/scatter_plot:",
        "Generated: true parameters known",
        "pages/data.py",
        _sample("gaussian"),
    ),
}
EXPERIMENTS = {
    "geometry": Door(
        "What a classifier learns",
        ":material/polyline:",
        "LDA: densities, regions, boundary",
        "pages/classify.py",
        lambda: commands.generate(OVERLAPPING),
    ),
    "imbalance": Door(
        "A rare class",
        ":material/balance:",
        "Its cost, its causes, its correction",
        "pages/balance.py",
        lambda: commands.generate(RARE),
    ),
    "faces": Door(
        "Faces in two components",
        ":material/face:",
        "PCA beside Fisher's projection",
        "pages/explore.py",
        _sample("faces"),
    ),
}


def show() -> None:
    """Offer the three entries side by side."""
    st.html(_LOOK)
    columns = st.columns(3, gap="medium", border=True)
    with columns[0]:
        st.subheader(":material/upload_file: Upload a file", anchor=False)
        uploads.show(key="start.upload", leads_to="pages/data.py")
        uploads.show_progress()
        uploads.show_problem()
    with columns[1]:
        st.subheader(":material/dataset: Try a sample", anchor=False)
        _offer(SAMPLES, "start.sample")
    with columns[2]:
        st.subheader(":material/school: Learn", anchor=False)
        _offer(EXPERIMENTS, "start.learn")


def _offer(doors: dict[str, Door], key: str) -> None:
    for name, door in doors.items():
        if st.button(
            f"**{door.label}**  \n{door.about}",
            icon=door.icon,
            key=f"{key}.{name}",
            width="stretch",
        ):
            door.open()
            st.switch_page(door.page)
