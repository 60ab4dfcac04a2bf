"""Full and reduced set side by side: regions, confusion matrices and what changed between them."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import streamlit as st

from lincore import imbalance, inspection, metrics, plots, report
from lincore.plots.base import shorten, shorten_all
from lincore.utils import quoted
from pages.ui.balance import true_parameters
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.imbalance import BalanceStudy
    from lincore.inspection import View
    from lincore.metrics import Results
    from pages.ui.balance.study_setup import Setup

DRAWINGS = ("Boundary", "Contour", "Surface", "All models")
NO_REMEDY = "uncorrected"
REMEDY = "balance.remedy"
#: So many classes are counted by name.
NAMED = 6
#: Characters of a class's name in a caption.
LONGEST = 24


class PairPlot(NamedTuple):
    """Plots of a pair of models: method, condition on the right, axes, kind, point of view."""

    method: str
    condition: str
    axes: tuple[int, ...]
    drawing: str
    camera: str


def label(study: BalanceStudy, method: str) -> str:
    """Return what a method is called on the screen."""
    return study.settings.label(method)


def named(study: BalanceStudy, condition: str) -> Results:
    """Return the results of a condition with the methods called as on the screen."""
    results = study.example.results[condition]
    return replace(results, methods=tuple(label(study, name) for name in results.methods))


def applied() -> str:
    """Return the condition that stands on the right: the reduced set, with a remedy or without."""
    chosen = st.session_state.get(REMEDY) or NO_REMEDY
    return "reduced" if chosen == NO_REMEDY else str(chosen)


def apply(remedy: str) -> None:
    """Put a remedy on the right, from a button."""
    st.session_state[REMEDY] = remedy


def looks() -> tuple[str, str]:
    """Ask for the kind of plot, and from where surfaces are seen."""
    controls.begin_with("balance.drawing", "Boundary")
    drawing = st.segmented_control(
        "Plot",
        DRAWINGS,
        required=True,
        key="balance.drawing",
        persist_state="session",
        help="Both sides have the same ranges, the same scale of colours and the same camera.",
    )
    camera = "oblique"
    if drawing == "Surface":
        camera = controls.choose(
            "Seen from",
            ["oblique", "above", "front"],
            key="balance.camera",
            format_func=str.capitalize,
            help="For both plots; dragging rotates only one.",
            width=160,
        )
    return drawing, camera


def show(
    setup: Setup,
    study: BalanceStudy,
    data: Dataset,
    method: str,
    drawing: str,
    camera: str,
) -> None:
    """Draw the models of the full and of the reduced set, and who is mistaken for whom by each."""
    # Set by a button as well, so that its value is given here and not as a default.
    st.session_state.setdefault(REMEDY, NO_REMEDY)
    st.pills(
        "The reduced set",
        [NO_REMEDY, *imbalance.REMEDIES],
        format_func=lambda remedy: report.REMEDY_NAMES.get(remedy, remedy),
        required=True,
        key=REMEDY,
        persist_state="session",
        help="Apply a correction: the plot and the matrix on the right show its effect on the same "
        "reduced rows.",
    )
    condition = applied()
    axes = _axes(study, data, method)
    if drawing == "All models":
        _all_models(setup, study, data, condition, axes)
    else:
        _pair(setup, study, data, PairPlot(method, condition, axes, drawing, camera))
    _matrices(setup, study, data, method, condition)


def _pair(setup: Setup, study: BalanceStudy, data: Dataset, plot: PairPlot) -> None:
    drawn = _pair_figures(setup, plot, study, data)
    for column, figure, which in zip(
        st.columns(2, gap="medium"), drawn, ("full", plot.condition), strict=True
    ):
        with column:
            side = "left" if which == "full" else "right"
            controls.figure(figure, key=f"balance.{side}.{plot.drawing.lower()}")
            st.caption(trained_on(study, data, which))
    full, other = views(setup, (plot.method,), plot.condition, plot.axes, study, data)
    st.caption(
        f"{tested_on(study, data)} {text.escape(full.caption)} The regions show "
        f"{full.n_faithful:,} and {other.n_faithful:,} of {len(full.points):,} predictions as the "
        "models make them."
    )


# Figures are kept: to make one takes longer than to send it, and most options leave it as it is.
@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def _pair_figures(
    setup: Setup, plot: PairPlot, _study: BalanceStudy, _data: Dataset
) -> tuple[Any, ...]:
    method, condition, axes, drawing, camera = plot
    pair = views(setup, (method,), condition, axes, _study, _data)
    frame = plots.SharedAxes.of(*pair)
    truth = true_parameters.view(setup, _study, _data)
    if truth is not None and truth.axis_names != pair[0].axis_names:
        truth = None  # the models see components
    figures = []
    for view, which in zip(pair, ("full", condition), strict=True):
        title = f"{label(_study, method)}, {_name(which)}"
        options: dict[str, Any] = {"shared": frame, "title": title}
        if drawing == "Surface":
            figures.append(plots.surface(view, camera=camera, **options))
        elif drawing == "Contour":
            figures.append(plots.contour(view, **options))
        else:
            figures.append(plots.boundary(view, truth=truth, **options))
    return tuple(figures)


def _all_models(
    setup: Setup, study: BalanceStudy, data: Dataset, condition: str, axes: tuple[int, ...]
) -> None:
    if len(axes) == 1:
        st.caption("With a single coordinate the models are drawn separately.")
        return
    every = views(setup, study.methods, condition, axes, study, data)
    sides = ("Full", "Reduced" if condition == "reduced" else "Corrected")
    names = report.short_names(study.methods)
    titles = [f"{side}: {name}" for name in names for side in sides]
    controls.figure(
        plots.small_multiples(
            every, titles, columns=2, title="Full set on the left, reduced set on the right"
        ),
        key="balance.multiples",
    )
    st.caption(f"{trained_on(study, data, 'full')} {trained_on(study, data, condition)}")
    st.caption(tested_on(study, data))


def _matrices(
    setup: Setup, study: BalanceStudy, data: Dataset, method: str, condition: str
) -> None:
    keys = ("balance.confusion.full", "balance.confusion.difference", "balance.confusion.reduced")
    drawn = _matrix_figures(setup, method, condition, study, data)
    for column, figure, key in zip(st.columns(3, gap="medium"), drawn, keys, strict=True):
        with column:
            controls.figure(figure, key=key)


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def _matrix_figures(
    setup: Setup, method: str, condition: str, _study: BalanceStudy, _data: Dataset
) -> tuple[Any, ...]:
    called = label(_study, method)
    before, after = named(_study, "full"), named(_study, condition)
    end = "reduced" if condition == "reduced" else "corrected"
    difference = plots.confusion_difference(
        metrics.confusion_matrix(before, called),
        metrics.confusion_matrix(after, called),
        _data.classes,
        words=("full", end),
        title=f"From the full to the {end} set: changes of the predictions",
        narrow=True,
    )
    one, other = (plots.confusion(each, called, narrow=True) for each in (before, after))
    return one, difference, other


def trained_on(study: BalanceStudy, data: Dataset, condition: str) -> str:
    """Say how many rows of each class a condition was trained on, in Markdown."""
    source = imbalance.condition_sample(condition)
    counts = study.counts["reduced" if source == "reweighted" else source]
    return f"{_name(condition).capitalize()}: trained on {_counted(counts, study, data)}."


def learned_from(study: BalanceStudy, data: Dataset) -> str:
    """Say how many rows of each class trained and tested on the first split: for a panel."""
    sizes = {name: _counted(study.counts[name], study, data) for name in ("full", "reduced")}
    tested = np.bincount(data.codes[study.example.split.test], minlength=data.n_classes)
    return (
        f"Full set: {sizes['full']}. Reduced set: {sizes['reduced']}. Test set, untouched: "
        f"{_counted(tested, study, data)}."
    )


def tested_on(study: BalanceStudy, data: Dataset) -> str:
    """Say what all models are tested on."""
    counts = np.bincount(data.codes[study.example.split.test], minlength=data.n_classes)
    return f"All are tested on the same {_counted(counts, study, data)}: the test set is unchanged."


def views(
    setup: Setup,
    methods: tuple[str, ...],
    condition: str,
    axes: tuple[int, ...],
    study: BalanceStudy,
    data: Dataset,
) -> list[View]:
    """Return for each method the views of the full set and of a condition, in one plane."""
    return [view for m in methods for view in _views(setup, m, condition, axes, study, data)]


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def _views(
    setup: Setup,
    method: str,
    condition: str,
    axes: tuple[int, ...],
    _study: BalanceStudy,
    _data: Dataset,
) -> tuple[View, ...]:
    example = _study.example
    pipelines = [example.pipelines[method, which] for which in ("full", condition)]
    if axes:
        planes = imbalance.aligned_planes(pipelines, _data, example.split.test, axes)
    else:
        planes = imbalance.shared_planes(pipelines, _data, example.split.train)
    return tuple(
        imbalance.condition_view(example, method, which, _data, plane)
        for which, plane in zip(("full", condition), planes, strict=True)
    )


def _axes(study: BalanceStudy, data: Dataset, method: str) -> tuple[int, ...]:
    """Ask for the plane; return the two coordinates that span it, none for the discriminant one."""
    pipeline = study.example.pipelines[method, "full"]
    steps = pipeline.named_steps
    names = list(data.feature_names)
    if "pca" in steps:
        names = [f"Component {i + 1}" for i in range(steps["pca"].n_components_)]
    elif "svd" in steps:
        names = [f"Component {i + 1}" for i in range(len(steps["svd"].components_))]
    if inspection.default_plane_kind(pipeline, data) == "discriminant":
        kinds = ["Discriminant plane", "Two components" if "pca" in steps else "Two features"]
        chosen = controls.choose(
            "Plane",
            kinds,
            key="balance.plane",
            help="The same for both models; the caption says what becomes of the rest.",
            width=260,
        )
        if chosen == kinds[0]:
            return ()
    return controls.axes(names, key="balance")


def _name(condition: str) -> str:
    if condition in ("full", "reduced"):
        return f"{condition} set"
    return f"reduced set, {report.REMEDY_NAMES.get(condition, condition)}"


def _counted(counts: np.ndarray, study: BalanceStudy, data: Dataset) -> str:
    noun = text.row_noun(data)
    total = f"{int(counts.sum()):,} {noun}"
    chosen = range(data.n_classes)
    if data.n_classes > NAMED:
        chosen = [k for k in chosen if study.is_reduced[k]][:NAMED]
    # Together, for names that begin alike are cut elsewhere than at their end.
    short = shorten_all(data.classes.tolist(), LONGEST)
    each = ", ".join(f"{int(counts[k]):,} {_called(short[k])}" for k in chosen)
    return f"{total} ({each}{', …' if data.n_classes > NAMED else ''})"


def _called(label: object) -> str:
    """Return the label of a class behind a count."""
    name = shorten(label, LONGEST)
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name):
        name = f"\u2068{name}\u2069"  # counts beside it keep their places
    return text.escape(quoted(name))
