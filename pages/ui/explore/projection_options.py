"""Options of the projections on Explore: rows, units, axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lincore import inspection, report
from lincore.utils import percent
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    from lincore.data import Dataset, Split
    from lincore.estimators import FisherDiscriminant
    from lincore.inspection import Projection

# More cannot be overlooked in a list.
MOST_LISTED = 50
_PARTS = {"train": "Training", "test": "Test"}


class Options(NamedTuple):
    """Options of the projections: rows and units.

    Attributes
    ----------
    dimensions : {2, 3}
    part : {"train", "test"}
    standardize, whiten : bool
    """

    dimensions: int
    part: str
    standardize: bool
    whiten: bool


def view(split: Split) -> tuple[int, str]:
    """Ask for the number of dimensions and for the rows."""
    controls.begin_with("explore.dimensions", 2)
    dimensions = st.segmented_control(
        "Dimensions",
        [2, 3],
        required=True,
        format_func=lambda n: f"{n}-D",
        key="explore.dimensions",
        persist_state="session",
        help="Two axes, with selectable points, or three that can be rotated.",
    )
    controls.begin_with("explore.part", "train")
    part = st.segmented_control(
        "Rows",
        ["train", "test"] if len(split.test) else ["train"],
        required=True,
        format_func=_PARTS.__getitem__,
        key="explore.part",
        persist_state="session",
        help="The axes are learned from the training set; test rows show if they hold for rows "
        "that were not seen.",
    )
    return int(dimensions or 2), part or "train"


def units(data: Dataset, dimensions: int, part: str) -> Options:
    """Ask for the units in which rows are projected and drawn."""
    if data.kind.is_sparse:
        return Options(dimensions, part, False, False)
    controls.begin_with("explore.standardize", data.kind.standardize)
    standardize = controls.standardize(key="explore.standardize", persist_state="session")
    whiten = st.toggle(
        "Whiten",
        key="explore.whiten",
        persist_state="session",
        help="Divide the scores along every component by their standard deviation, so that all "
        "components have equal variance.",
    )
    return Options(dimensions, part, standardize, whiten)


def component_names(projection: Projection) -> list[str]:
    """Return what the components are called, which does not depend on the split."""
    noun = "Singular vector" if projection.is_sparse else "Component"
    return [f"{noun} {i + 1}" for i in range(len(projection.components))]


def component_axes(projection: Projection, axes: Sequence[int]) -> list[str]:
    """Return the names of some components with their shares of the variance."""
    names, shares = component_names(projection), projection.shares
    return [f"{names[i]} ({percent(shares[i])})" for i in axes]


def first_components(number: int) -> str:
    """Return a number of components in words."""
    return "the first component" if number == 1 else f"the first {number} components"


def fisher_names(fisher: FisherDiscriminant) -> list[str]:
    """Return what Fisher's directions are called."""
    return [f"Direction {i + 1}" for i in range(len(fisher.criterion_))]


def fisher_axes(fisher: FisherDiscriminant, axes: Sequence[int]) -> list[str]:
    """Return the names of some directions with J on the training rows."""
    return [
        f"Direction {i + 1} (J = {report.format_fisher_criterion(fisher.criterion_[i])})"
        for i in axes
    ]


def n_fisher_components(data: Dataset, projection: Projection) -> int:
    """Ask how many components Fisher's discriminant sees."""
    most = len(projection.components)
    if most == 1:
        return 1
    return controls.number(
        "Components that Fisher’s discriminant sees",
        1,
        most,
        inspection.n_fisher_components(data, projection),
        key="explore.fisher_components",
        help="With as many components as training rows it separates the training rows perfectly "
        "and the test rows badly: look at both.",
        width=320,
    )


def axes(names: Sequence[str], dimensions: int, *, key: str, what: str) -> tuple[int, ...]:
    """Ask which coordinates to draw, as far as there is a choice."""
    names = list(names)[:MOST_LISTED]
    wanted = min(dimensions, len(names))
    if len(names) == wanted:
        return tuple(range(wanted))
    chosen: list[int] = []
    labels = ("x axis", "y axis", "z axis")[:wanted]
    for column, letter, label in zip(st.columns(wanted), "xyz", labels, strict=False):
        with column:
            chosen.append(
                controls.choose(
                    f"{what} on the {label}",
                    [i for i in range(len(names)) if i not in chosen],
                    key=f"{key}.{letter}",
                    format_func=names.__getitem__,
                    help=f"Drawn on the {label}, of the {text.escape(what.lower())}s found.",
                )
            )
    return tuple(chosen)
