"""Image views of Explore: eigen-images, class means, reconstructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from lincore import plots
from lincore.utils import percent
from pages.ui.explore import compute, projection_options
from pages.ui.widgets import controls, image_sheets, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from pages.ui.explore.compute import ProjectionChoice
    from pages.ui.explore.projection_options import Options
    from pages.ui.explore.scores import Seen
    from pages.ui.session.sidebar import PageExperiment

SHEET_COLUMNS = 6
MOST_IMAGES = 12
MOST_CLASSES = 48
# Numbers that a figure may send to the browser.
MOST_VALUES = 400_000


def eigen_images(experiment: PageExperiment, options: Options, seen: Seen) -> None:
    """Draw the first components, and Fisher's directions, as images."""
    data = experiment.data
    most = _most(data)
    found = seen.projection.components[:most]
    numbers = [f"{i + 1}" for i in range(len(found))]
    _weights(data, found, numbers, "The components as images", key="explore.eigenimages")
    units = "standardised pixels" if options.standardize else "pixels"
    colours = (
        "Grey pixels have no effect."
        if len(data.image_shape) == 3
        else "Blue pixels increase an image’s score, orange ones decrease it."
    )
    st.caption(f"Coefficients of {units}. {colours}")
    if seen.fisher is None:
        return
    found = seen.projection.weights(seen.fisher)[: min(most, SHEET_COLUMNS)]
    names = [f"Direction {i + 1}" for i in range(len(found))]
    _weights(data, found, names, "Fisher’s directions as images", key="explore.fisherimages")
    st.caption(
        f"Behind {projection_options.first_components(seen.n_components)}: more of them give "
        "sharper "
        "and noisier images."
    )


def means(experiment: PageExperiment, choice: ProjectionChoice) -> None:
    """Draw the mean training image of each class."""
    data = experiment.data
    found = compute.class_means(choice, data)
    seen = np.flatnonzero(np.isfinite(found).all(axis=1))
    most = max(2, min(MOST_CLASSES, MOST_VALUES // data.n_features))
    shown = seen[:most]
    stack = np.rint(found[shown]).astype(np.uint8).reshape(-1, *data.image_shape)
    titles = [str(data.classes[code]) for code in shown]
    image = plots.images(
        stack, titles, columns=_columns(len(shown)), title="The mean image of each class"
    )
    image_sheets.show(image, key="explore.means")
    rest = f" The first {most} of {len(seen)} classes are shown." if len(seen) > most else ""
    st.caption(f"Over {len(experiment.split.train):,} training images.{rest}")


def reconstruction(
    experiment: PageExperiment, choice: ProjectionChoice, seen: Seen, chosen: list[int]
) -> None:
    """Ask for an image and a number of components; draw what they make of it."""
    data, projection = experiment.data, seen.projection
    most = len(projection.components)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.begin_with("explore.rebuild", min(20, most))
        held = st.session_state["explore.rebuild"]
        st.session_state["explore.rebuild"] = min(held, max(most, 2))
        number = st.slider(
            "Components",
            1,
            max(most, 2),
            key="explore.rebuild",
            persist_state="session",
            help="Number of components used to reconstruct each image.",
        )
        first = chosen[0] if chosen else int([*experiment.split.test, *experiment.split.train][0])
        row = controls.number(
            "Image",
            0,
            data.n_rows - 1,
            first,
            key="explore.image",
            help="The number of its row. Images chosen above stand beside it, otherwise one "
            "test image of each class.",
            width=180,
        )
    number = min(number, most)
    rows = _beside(experiment, row, chosen)
    originals = data.X[rows].reshape(-1, *data.image_shape)
    rebuilt = projection.rebuilt(data.X[rows], number).reshape(originals.shape)
    image = plots.reconstructions(originals, [rebuilt], [number])
    image_sheets.show(image, key="explore.reconstruction")
    share = projection.shares[:number].sum()
    error = compute.rebuilding_error(choice, number, data)
    judged = ""
    if error.n_rows:
        judged = (
            f" Of {error.n_rows:,} test images a pixel is off by {error.value:.1f} of 255 grey "
            "levels (root mean square)."
        )
    names = ", ".join(f"{i} ({data.classes[data.codes[i]]})" for i in rows)
    st.caption(
        f"{number:,} of {most:,} components hold {percent(share)} of the variance of the "
        f"training images.{judged} Shown: {text.escape(names)}."
    )


def _beside(experiment: PageExperiment, row: int, chosen: list[int]) -> list[int]:
    """Return up to six rows: the one that is asked for, and chosen ones or one of each class."""
    data, test = experiment.data, experiment.split.test
    others = chosen
    if not others:
        _, first = np.unique(data.codes[test], return_index=True)
        others = [int(i) for i in test[first] if data.codes[i] != data.codes[row]]
    return list(dict.fromkeys([row, *others]))[:SHEET_COLUMNS]


def _weights(data: Dataset, weights: np.ndarray, names: list[str], title: str, *, key: str) -> None:
    stack = weights.reshape(-1, *data.image_shape)
    columns = _columns(len(stack))
    image = plots.coefficient_images(stack, names, columns=columns, title=title)
    image_sheets.show(image, key=key)


def _most(data: Dataset) -> int:
    return max(2, min(MOST_IMAGES, MOST_VALUES // data.n_features))


def _columns(number: int) -> int:
    """Return how many images stand in a line: as even lines as can be."""
    lines = -(-number // SHEET_COLUMNS)
    return -(-number // lines)
