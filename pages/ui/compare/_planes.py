"""The boundaries of all models of a comparison in one common plane."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from lincore import inspection, model_selection, plots
from pages.ui.jobs import page_jobs
from pages.ui.session import cache
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from sklearn.pipeline import Pipeline

    from lincore.data import Dataset, Split
    from lincore.inspection import Plane
    from pages.ui.compare.score_table import Shown

KEY = "compare.planes"
_LABELS = {
    "discriminant": "Discriminant plane",
    "principal": "Two principal axes",
    "features": "Two features, the rest held",
}


def show(shown: Shown) -> None:
    """Fit the models on the training set, and draw all of them in the same plane."""
    data, choice = shown.data, shown.choice
    split = cache.split(data.digest, choice.split, data)
    lines = tuple(shown.results.methods)
    job = page_jobs.run(
        KEY,
        (data.digest, choice.split, tuple(sorted(lines)), choice.steps),
        lambda progress: model_selection.fit_alike(
            data, split, lines, steps=choice.steps, seed=choice.split.seed, progress=progress
        ),
        describe="Fitting the models for their boundaries",
    )
    page_jobs.show(job)
    if not job.is_over or job.result is None:
        return
    found: model_selection.AlikeFits = job.result
    pipelines = {name: found.pipelines[name] for name in lines if name in found.pipelines}
    if not pipelines:
        st.caption("No model could be fitted for a plot.")
        return
    if data.kind.is_sparse and "svd" not in next(iter(pipelines.values())).named_steps:
        st.caption("These models see counts of single words, which no plane shows.")
        return
    _draw(shown, split, pipelines, job.settings)
    for reason in found.missing:
        st.caption(text.escape(reason))


def _draw(shown: Shown, split: Split, pipelines: dict[str, Pipeline], settings: Hashable) -> None:
    data = shown.data
    known = dict(zip(shown.results.methods, shown.labels, strict=True))
    labels = [known[name] for name in pipelines]
    first = next(iter(pipelines.values()))
    try:
        look, plane = _plane(data, split, first)
        if len(plane.axis_names) < 2:
            st.caption("A plot of boundaries needs two dimensions; these models see one.")
            return
        figure, caption = _figure((settings, look), pipelines, labels, plane, split, data)
    except ValueError as error:  # such as class means that do not span a discriminant plane
        st.info(f"This plane cannot be drawn. {text.escape(str(error))}")
        return
    controls.figure(figure, key=f"{KEY}.figure")
    one_split = (
        ""
        if shown.results.is_one_test_set
        else "Of one split, the test set of the sidebar: the scores above are of many. "
    )
    st.caption(
        f"{one_split}Fitted on {len(split.train):,} training {text.row_noun(data)}; the share "
        f"that is misclassified is of the {len(split.test):,} of the test set. "
        f"{text.escape(caption)}"
    )


@st.cache_resource(max_entries=16, ttl="2h", show_spinner="Looking at the models …")
def _figure(
    settings: Hashable,
    _pipelines: dict[str, Pipeline],
    labels: list[str],
    _plane: Plane,
    _split: Split,
    _data: Dataset,
) -> tuple[go.Figure, str]:
    """Draw all models in a plane; all depends on `settings`, the digest of the data among it."""
    # A cut through every one of them: half cuts, half marginals could not be compared.
    seen = [
        inspection.make_view(pipeline, _data, _split.test, _plane, how="cut")
        for pipeline in _pipelines.values()
    ]
    figure = plots.small_multiples(seen, labels, rows=text.row_noun(_data))
    n_faithful = sum(view.n_faithful for view in seen)
    n_points = sum(len(view.points) for view in seen)
    return figure, (
        f"{seen[0].caption} The regions show {n_faithful:,} of {n_points:,} predictions as the "
        "models make them."
    )


def _plane(data: Dataset, split: Split, pipeline: Pipeline) -> tuple[Hashable, Plane]:
    """Ask for a plane through what all the models see; return it with what names it."""
    kinds, axes = inspection.common_plane_kinds(pipeline, data), (0, 1)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = _kind(kinds) if len(kinds) > 1 else kinds[0]
        if kind == "features":
            names = [str(name) for name in data.feature_names]
            axes = controls.axes(names, key="compare.axes")
    return (kind, axes), inspection.common_plane(pipeline, data, split, kind, axes)


def _kind(kinds: Sequence[str]) -> str:
    return str(
        controls.choose(
            "Plane",
            kinds,
            key="compare.plane",
            format_func=_LABELS.__getitem__,
            help="The same for every model: what lies off it is held fixed.",
            width=260,
        )
    )
