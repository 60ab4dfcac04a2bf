"""The finished example of the start view: the cost of an imbalance, and what recovers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lincore import imbalance, plots, report
from lincore.data import gaussian_classes
from lincore.utils import percent, points
from pages.ui.session import commands
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.data import Dataset
    from lincore.imbalance import BalanceStudy

METHOD, RARE = "lda", "class 3"
LOSS = f"recall of {RARE}"
#: The rare class lies between two others; the rows are equal in number before it is reduced.
MEANS = [[0.0, 0.0], [3.0, 0.0], [1.5, 1.4]]
ROWS, KEPT = 400, 28
#: The conditions of the study that are drawn in the plane.
CONDITIONS = ("full", "reduced", "corrected priors")


class FinishedExample(NamedTuple):
    """A finished study, in a sentence and two plots."""

    finding: str
    regions: go.Figure
    recalls: go.Figure
    caption: str


def show() -> None:
    """Draw the example, and offer to go on with its data."""
    example = _example()
    with st.container(key="start.example"):
        st.caption("A finished example · what class imbalance costs, and what recovers it")
        st.subheader(text.escape(example.finding), anchor=False)
        left, right = st.columns([5, 3], gap="large")
        with left:
            controls.figure(example.regions, key="start.regions")
        with right:
            controls.figure(example.recalls, key="start.recalls")
        st.caption(text.escape(example.caption))
    if st.button(
        "Open such classes on Balance",
        key="start.example.open",
        icon=":material/balance:",
        help="Generate these classes with a rare third one, and experiment with them.",
    ):
        commands.generate({"means": MEANS, "sizes": [ROWS, ROWS, ROWS // 10]})
        st.switch_page("pages/balance.py")


# One for all visitors of a server: it depends on nothing.
@st.cache_resource(show_spinner=False)
def _example() -> FinishedExample:
    data = gaussian_classes(MEANS, sizes=[ROWS] * len(MEANS))
    study = imbalance.balance(data, {RARE: KEPT}, METHOD)
    full, reduced = (int(study.counts[condition][-1]) for condition in ("full", "reduced"))
    return FinishedExample(
        _finding(study, full, reduced),
        _regions(study, data),
        _recalls(study, full, reduced),
        f"Three Gaussian classes. LDA is trained on {full:,} rows of each, then on {reduced:,} of "
        f"{RARE}; the {len(study.example.split.test):,} test rows stay the same. Recalls: means "
        f"over {len(study.seeds)} random splits. Regions: the first of these splits.",
    )


def _finding(study: BalanceStudy, full: int, reduced: int) -> str:
    split = study.attribution(METHOD, LOSS)
    best = next(one for one in study.remedies(METHOD, LOSS) if one.name == CONDITIONS[-1])
    return (
        f"Trained on {reduced:,} instead of {full:,} rows of a class, LDA finds "
        f"{percent(split.reduced.value)} of its test rows instead of "
        f"{percent(split.full.value)}. Corrected priors restore {percent(best.loss.value)}, for "
        f"{points(-best.others.value)} points of recall of the others."
    )


def _regions(study: BalanceStudy, data: Dataset) -> go.Figure:
    example = study.example
    pipelines = [example.pipelines[METHOD, condition] for condition in CONDITIONS]
    planes = imbalance.aligned_planes(pipelines, data, example.split.test, (0, 1))
    views = [
        imbalance.condition_view(example, METHOD, condition, data, plane)
        for condition, plane in zip(CONDITIONS, planes, strict=True)
    ]
    titles = ("Equal class sizes", f"A tenth of {RARE}", "Corrected priors")
    title = f"Regions in which LDA predicts {RARE}"
    return plots.small_multiples(views, titles, columns=len(CONDITIONS), title=title)


def _recalls(study: BalanceStudy, full: int, reduced: int) -> go.Figure:
    split = study.attribution(METHOD, LOSS)
    found = sorted(study.remedies(METHOD, LOSS), key=lambda one: -one.loss.value)
    named = {f"{full:,} rows": split.full, f"{reduced:,} rows, uncorrected": split.reduced}
    named |= {report.correction_name(one.name): one.loss for one in found if one.name != "both"}
    title = f"Recall of {RARE}, and what recovers it"
    return plots.score_intervals(list(named), list(named.values()), score=LOSS, title=title)
