"""The model of the page Classify: its options, its steps and how it is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.ui import cached, controls, text

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from lincore.datasets import Dataset, Split

# Beyond this many coordinates a covariance by class is slow to look at in a browser.
MOST_COMPONENTS = 200
ALL_CLASSES = -1


def lda(data: Dataset, split: Split, *, key: str) -> cached.ModelChoice:
    """Ask for the steps before LDA and for its options."""
    most = min(data.n_features, len(split.train) - 1, MOST_COMPONENTS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        standardize = controls.standardize(data, key=f"{key}.standardize")
        project = data.image_shape is not None or st.toggle(
            "PCA",
            value=data.n_features > 2,
            key=f"{key}.project",
            persist_state="session",
            help="Replace the features by their first principal components.",
            disabled=most < 2,
        )
        n_components = None
        if project and most >= 1:
            n_components = controls.number(
                "Components",
                1,
                most,
                2,
                key=f"{key}.components",
                help="How many principal components the model sees; with two, the picture below "
                "shows all of it.",
                width=180,
            )
    with st.expander("More options", key=f"{key}.more"):
        whiten, shrinkage, equal_priors = _less_used(key)
    return cached.ModelChoice(standardize, n_components, whiten, shrinkage, equal_priors)


def _less_used(key: str) -> tuple[bool, float | str | None, bool]:
    whiten = st.toggle(
        "Whiten the components",
        key=f"{key}.whiten",
        persist_state="session",
        help="Bring every component to variance 1. LDA itself does not change, only its axes.",
    )
    equal_priors = st.toggle(
        "Equal priors",
        key=f"{key}.equal_priors",
        persist_state="session",
        help="Hold all classes equally probable beforehand, instead of as frequent as in the "
        "training part. The covariance stays the same.",
    )
    kind = controls.choose(
        "Shrinkage of the covariance",
        ["none", "oas", "fixed"],
        key=f"{key}.shrinkage",
        format_func={"none": "None", "oas": "Estimated (OAS)", "fixed": "A number"}.__getitem__,
        help="Pull the covariance towards a multiple of the identity: steadier with few rows and "
        "many features.",
    )
    if kind != "fixed":
        return whiten, None if kind == "none" else kind, equal_priors
    share = st.slider(
        "Share of the identity",
        0.0,
        1.0,
        0.1,
        step=0.05,
        key=f"{key}.share",
        persist_state="session",
        help="0 leaves the covariance as it is, 1 replaces it by a multiple of the identity.",
    )
    return whiten, share, equal_priors


def coordinate_names(pipeline: Pipeline, data: Dataset) -> list[str]:
    """Return the names of the coordinates that the classifier sees."""
    if "pca" in pipeline.named_steps:
        return [f"Component {i + 1}" for i in range(pipeline.named_steps["pca"].n_components_)]
    return list(data.feature_names)


def contour_options(data: Dataset, *, key: str) -> dict[str, Any]:
    """Ask what the contours show."""
    left, right = st.columns(2)
    with left:
        quantity = controls.choose(
            "Contours of",
            ["posterior", "density"],
            key=f"{key}.quantity",
            format_func={"posterior": "Posterior probability", "density": "Class density"}.get,
            help="How probable a class is at a place, or how many of its rows lie there.",
        )
    with right:
        focus = controls.choose(
            "Class",
            [ALL_CLASSES, *range(data.n_classes)],
            key=f"{key}.focus",
            format_func=lambda k: "All classes" if k == ALL_CLASSES else str(data.classes[k]),
            help="Draw one class alone, or each class where it wins.",
        )
    return {"quantity": quantity, "focus": None if focus == ALL_CLASSES else focus}


def camera(*, key: str) -> str:
    """Ask from where the surface is seen."""
    return controls.choose(
        "Seen from",
        ["oblique", "above", "front"],
        key=key,
        format_func=str.capitalize,
        help="A place to start from; drag the picture to turn it.",
    )


def steps(pipeline: Pipeline, data: Dataset, split: Split) -> None:
    """Say what was fitted, step by step, and on what."""
    st.subheader("How it was fitted", anchor=False)
    rows = f"{len(split.train):,} training {text.row_noun(data)}"
    words = {
        "prepare": lambda step: "Missing values filled in and categories coded",
        "standardize": lambda step: f"{data.n_features:,} features standardised",
        "pca": lambda step: (
            f"{step.n_components_} principal components, holding "
            f"{100 * step.explained_variance_ratio_.sum():.1f} % of the variance"
        ),
        "classify": lambda step: (
            f"LDA: {data.n_classes} means and one covariance of rank {step.rank_}"
        ),
    }
    for number, (name, step) in enumerate(pipeline.steps, start=1):
        st.markdown(f"{number}. {words[name](step)}")
    st.caption(f"Every step was fitted on the {rows} alone.")
