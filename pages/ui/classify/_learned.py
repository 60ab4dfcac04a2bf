"""Estimates of the model as numbers, each beside its formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import geometry, inspection, plots, report
from pages.ui.classify import _coefficients
from pages.ui.session import cache
from pages.ui.widgets import controls, image_sheets, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.geometry import Learned
    from pages.ui.session.fitting import Fitted
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify.learned"
MOST_IMAGES = 24


def learned(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Show priors, means, covariances, scatter, likelihood and the ratio of two classes."""
    data, choice, _ = experiment
    found = _found(data.digest, choice, model, fitted, data)
    if found.n_coordinates > len(found.names):
        st.caption(
            f"The first {len(found.names)} of {found.n_coordinates:,} inputs of the classifier."
        )
    _by_class(found)
    if data.kind.is_images:
        _images(experiment, fitted)
    if found.words:
        _words(found)
    else:
        _matrices(found)
    _likelihood(found)
    _ratio(experiment, fitted)


@cache.by_bytes("Collecting estimates …")
def _found(
    digest: str,
    choice: cache.SplitSettings,
    model: cache.ModelChoice,
    _fitted: Fitted,
    _data: Dataset,
) -> Learned:
    return geometry.learned(_fitted.pipeline, _data, cache.split(digest, choice, _data).train)


def _with_formulas(title: str, *names: str) -> st.delta_generator.DeltaGenerator:
    """Write a title, if there is one, and formulas; return the place on their left."""
    if title:
        st.markdown(f"##### {title}")
    left, *places = st.columns([3, *[2 / len(names)] * len(names)], gap="medium")
    for name, place in zip(names, places, strict=True):
        with place:
            st.latex(report.FORMULAS[name].latex)
            st.caption(text.escape(report.FORMULAS[name].source))
    return left


def _by_class(found: Learned) -> None:
    formulas = ["priors"] if found.priors is not None else []
    if not found.words:
        formulas.append("means")
    title = " and ".join(formulas).capitalize()
    with _with_formulas(title, *formulas), st.container(key=f"{KEY}.classes"):
        tables.numbers(found.by_class, alt="Rows, prior and mean of every class.")


def _words(found: Learned) -> None:
    with _with_formulas("Words", "words"), st.container(key=f"{KEY}.words"):
        alt = "Probability of each word in every class, the most different first."
        tables.numbers(found.by_word, alt=alt)


def _images(experiment: PageExperiment, fitted: Fitted) -> None:
    """Show the class means, and the basis of PCA with its mean and its eigenvalues, as images."""
    data, _, split = experiment
    found = geometry.learned_images(fitted.pipeline, data, split.train)
    means = geometry.grey_levels(found.means[:MOST_IMAGES])
    sheet = plots.images(means, found.classes[:MOST_IMAGES], title="Class means")
    image_sheets.show(sheet, key=f"{KEY}.means")
    if found.mean is None:
        return
    sheet = plots.images(
        geometry.grey_levels(found.mean[None]), [""], title="Mean image, from which PCA starts"
    )
    image_sheets.show(sheet, key=f"{KEY}.mean")
    titles = [
        f"{i}: {value:,.0f}" if value >= 1000 else f"{i}: {value:.4g}"
        for i, value in enumerate(found.eigenvalues, start=1)
    ]
    sheet = plots.coefficient_images(
        found.basis, titles, columns=6, title="Principal components, with their eigenvalues"
    )
    image_sheets.show(sheet, key=f"{KEY}.basis")


def _matrices(found: Learned) -> None:
    offered = found.matrices
    place = controls.choose(
        "Matrix",
        list(range(len(offered))),
        key=f"{KEY}.matrix",
        format_func=list(offered).__getitem__,
        help="Covariances are the model's; S_W and S_B are sums over the training rows.",
        width=260,
    )
    title, (formula, frame) = list(offered.items())[place]
    with _with_formulas("", formula), st.container(key=f"{KEY}.matrix.table"):
        tables.numbers(frame, alt=f"{title}: a row and a column for each coordinate.")


def _likelihood(found: Learned) -> None:
    if found.log_likelihood is None:
        return
    name = "joint log likelihood" if found.is_joint else "log likelihood"
    with _with_formulas("Log likelihood", name):
        rows = f"{int(found.counts.sum()):,} training rows"
        st.markdown(f"**{_number(found.log_likelihood)}** nats, summed over {rows}.")


def _ratio(experiment: PageExperiment, fitted: Fitted) -> None:
    """Write A, b and c between two classes."""
    data = experiment.data
    first, second = _coefficients.pair(data, key=f"{KEY}.pair")
    try:
        function, names = inspection.boundary_equation(fitted.pipeline, data, first, second)
    except (TypeError, ValueError) as error:
        st.caption(f"There is no log ratio: {text.escape(str(error))}")
        return
    one, other = (text.escape(data.classes[code]) for code in (first, second))
    frame, c = geometry.ratio_coefficients(function, names)
    with (
        _with_formulas(f"{one} (+) against {other} (−): A, b and c", "log ratio"),
        st.container(key=f"{KEY}.ratio"),
    ):
        alt = "b, and A where the boundary is curved, a row for each variable."
        tables.numbers(frame, alt=alt)
        straight = "A = 0: the boundary is a plane. " if function.is_linear else ""
        st.markdown(f"{straight}c = **{_number(c)}**")
        if not hasattr(fitted.pipeline.steps[-1][1], "predict_proba"):
            st.caption("This classifier has no posteriors: it is the difference of two scores.")


def _number(value: float) -> str:
    return f"{value:,.4f}".replace("-", "−")
