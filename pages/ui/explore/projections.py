"""Principal components beside Fisher's discriminant, and their loadings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import inspection
from lincore.analysis import ExploreQuestion
from lincore.displays import (
    BiplotDisplay,
    ClassMeansDisplay,
    EigenImagesDisplay,
    FisherDisplay,
    LoadingsDisplay,
    PcaDisplay,
    ReconstructionDisplay,
    ScatterDisplay,
    VarianceDisplay,
)
from lincore.errors import DataError
from pages.ui.explore import columns, views
from pages.ui.frame import sidebar
from pages.ui.jobs import cache
from pages.ui.session import questions
from pages.ui.widgets import controls, displays, selection, text

if TYPE_CHECKING:
    from lincore.analysis import SplitChoice
    from lincore.data import Dataset
    from lincore.inspection import ProjectedData, Projection
    from pages.ui.session.experiment import PageExperiment


class Projections(NamedTuple):
    """Both projections, and the rows that are selected in them."""

    pca: PcaDisplay
    fisher: FisherDisplay
    chosen: tuple[int, ...] = ()

    @property
    def projected(self) -> ProjectedData:
        """The data in both projections."""
        return self.pca.projected


@cache.by_bytes("Finding the principal components …")
def _fit(digest: str, choice: SplitChoice, standardize: bool, _data: Dataset) -> Projection:
    """Fit principal components on the training set."""
    sample = cache.training_set(digest, choice, _data)
    return inspection.fit_projections(_data, sample, standardize=standardize)


def show(experiment: PageExperiment) -> None:
    """Draw the directions of largest variance and of best separation side by side."""
    data, problem = experiment.data, None
    with st.container(horizontal=True, vertical_alignment="bottom", key="explore.row"):
        views.choose(experiment)
        at = {name: st.container() for name in ("dimensions", "rows")}
        with st.popover("Options", key="explore.options", on_change="rerun") as options:
            try:
                shown = _ask(experiment, at, draw=options.open)
            except DataError as error:
                problem = error.notice
    if problem is not None:
        st.header("These rows cannot be projected.", anchor=False)
        text.show_problem(problem)
        return
    variance = VarianceDisplay(shown.projected)
    st.header(text.escape(displays.parts(variance).finding), anchor=False)
    displays.note(variance)
    if displays.parts(shown.fisher).figure is not None:
        st.markdown(text.escape(displays.parts(shown.fisher).finding))
    left, right = st.columns(2, gap="medium")
    with left:
        chosen = _scatter(shown.pca, "explore.pca")
        st.caption(text.escape(displays.parts(shown.pca).finding))
    with right:
        chosen += _scatter(shown.fisher, "explore.fisher")
    known = set(shown.pca.chosen.tolist()) if chosen else set()
    rows = tuple(row for row in dict.fromkeys(chosen) if row in known)
    if rows or shown.pca.dimensions == 2:
        columns.show_rows(data, list(rows), "explore.pca", "explore.fisher")
    _panels(shown._replace(chosen=rows))


def _ask(experiment: PageExperiment, at: dict[str, Any], *, draw: bool | None) -> Projections:
    """Ask for projection and plot (in `at`, and here if `draw`); return the fitted projections."""
    data, split = experiment.data, experiment.split
    if draw:
        displays.ask(ExploreQuestion, questions.EXPLORE, "standardize", data=data)
    question = displays.read(ExploreQuestion, questions.EXPLORE, data=data)
    standardize = bool(question["standardize"]) and not data.kind.is_sparse
    fit = _fit(data.digest, experiment.choice, standardize, data)
    context: dict[str, Any] = {"projected": inspection.ProjectedData(fit, data, split)}
    context |= displays.ask(ScatterDisplay, "explore.scatter", at=at, draw=draw, **context)
    pca = displays.ask(PcaDisplay, "explore.pca", draw=draw, **context)
    fisher = displays.ask(FisherDisplay, "explore.fisher", draw=draw, **context)
    return Projections(PcaDisplay(**context, **pca), FisherDisplay(**context, **fisher))


def _scatter(display: ScatterDisplay, key: str) -> list[int]:
    """Draw rows, which can be selected in two dimensions; return the selection."""
    content = displays.parts(display)
    if content.figure is None:
        st.info(text.escape(content.finding))
        return []
    displays.note(display)
    chosen: list[int] = []
    if len(display.axes) == 2:
        chosen = selection.figure(content.figure, key=key)
    else:
        controls.figure(content.figure, key=f"{key}.figure")
    for sentence in content.notes:
        st.caption(text.escape(sentence))
    return chosen


@sidebar.fragment
def _panels(shown: Projections) -> None:
    """Draw the tabs of a table, of words or of images."""
    panels: dict[str, Callable[[Projections], None]]
    if shown.projected.data.kind.is_images:
        panels = {
            EigenImagesDisplay.title: _eigen_images,
            ClassMeansDisplay.title: _class_means,
            ReconstructionDisplay.title: _reconstruction,
            VarianceDisplay.title: _variance,
        }
    else:
        panels = {VarianceDisplay.title: _variance, LoadingsDisplay.title: _loadings}
        if len(shown.pca.axes) > 1:
            panels[BiplotDisplay.title] = _biplot
    # Another key for another set of tabs, which may not contain the open one.
    kind = "images" if shown.projected.data.kind.is_images else f"table{len(panels)}"
    tabs = st.tabs(list(panels), key=f"explore.panels.{kind}", on_change="rerun")
    for tab, draw in zip(tabs, panels.values(), strict=True):
        if tab.open:
            with tab:
                draw(shown)


def _variance(shown: Projections) -> None:
    displays.body(VarianceDisplay(shown.projected), key="explore.variance")


def _eigen_images(shown: Projections) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        displays.body(EigenImagesDisplay(shown.projected), key="explore.eigenimages")
    if not isinstance(shown.fisher.fitted, str):
        fisher = EigenImagesDisplay(shown.projected, "fisher", shown.fisher.n_components)
        with right:
            displays.body(fisher, key="explore.fisherimages")


def _class_means(shown: Projections) -> None:
    displays.body(ClassMeansDisplay(shown.projected), key="explore.means")


def _reconstruction(shown: Projections) -> None:
    key = "explore.reconstruction"
    context: dict[str, Any] = {"projected": shown.projected, "beside": shown.chosen}
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}.settings"):
        chosen = displays.ask(ReconstructionDisplay, key, width=300, **context)
    displays.body(ReconstructionDisplay(**context, **chosen), key=key)


def _loadings(shown: Projections) -> None:
    key, projected = "explore.loadings", shown.projected
    context: dict[str, Any] = {"projected": projected, "n_components": shown.fisher.seen}
    chosen = displays.ask(LoadingsDisplay, key, width=320, **context)
    displays.body(LoadingsDisplay(projected, shown.fisher.n_components, **chosen), key=key)


def _biplot(shown: Projections) -> None:
    pca = shown.pca
    display = BiplotDisplay(
        shown.projected, pca.dimensions, pca.rows, pca.coloured,
        whiten=pca.whiten, x=pca.x, y=pca.y, z=pca.z,
    )  # fmt: skip
    displays.body(display, key="explore.biplot")
