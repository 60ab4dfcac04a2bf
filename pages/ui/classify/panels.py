"""The panels below the figure of the page Classify, each drawn only when it is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import report
from lincore.displays import (
    AssumptionsDisplay,
    CalibrationDisplay,
    CoefficientsDisplay,
    ConfusionCellDisplay,
    ConfusionDisplay,
    ConvergenceDisplay,
    EquationDisplay,
    LearnedDisplay,
    LearnedImagesDisplay,
    LogRatioDisplay,
    MatrixDisplay,
    ModelScoresDisplay,
    OddsRatiosDisplay,
    PrecisionRecallDisplay,
    RocDisplay,
    SolversDisplay,
    WhatIfDisplay,
    compare_solvers,
)
from pages.ui.classify import what_if
from pages.ui.jobs import page_jobs
from pages.ui.session import arrival, sidebar
from pages.ui.widgets import displays, selection, text

if TYPE_CHECKING:
    from lincore.displays import Display
    from lincore.model_selection import FittedClassifier
    from pages.ui.jobs.executor import Job
    from pages.ui.jobs.progress import Progress
    from pages.ui.session import cache
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify"
#: Distances between rows, times features, that take a few hundredths of a second.
MOST_AT_ONCE = 10_000_000
_MARKS = {
    "fine": ":material/check_circle:",
    "note": ":material/info:",
    "warning": ":material/warning:",
}
# An equation of more variables than this is wider than a phone.
_MOST_DRAWN = 2
# Between its terms a formula breaks into lines, instead of scrolling where no key reaches it.
_WRAPPED = """<style>
.st-key-classify-equation-drawn .katex-display { overflow: clip; }
.st-key-classify-equation-drawn .katex-display > .katex { white-space: normal; }
</style>"""


@sidebar.fragment
def show(experiment: PageExperiment, choice: cache.ModelChoice, model: FittedClassifier) -> None:
    """Draw the tabs, and in the open one what it holds; nothing else reruns with them."""
    arrival.show(f"{KEY}.panels", next(iter(PANELS)))
    # What a job depends on beside its own settings.
    about = (experiment.data.digest, experiment.choice, choice)
    tabs = st.tabs(list(PANELS), key=f"{KEY}.panels", on_change="rerun")
    for tab, draw in zip(tabs, PANELS.values(), strict=True):
        if tab.open:
            with tab:
                draw(model, about)


def _chosen(kind: type[Display], key: str, model: FittedClassifier) -> Any:
    """Ask for the settings of a display, in a row, and return it."""
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}.settings"):
        return kind(model, **displays.ask(kind, key, width=260, model=model))


def _confusion(model: FittedClassifier, about: Any) -> None:
    key, data = f"{KEY}.confusion", model.data
    left, right = st.columns(2, gap="large")
    with left:
        matrix = _chosen(ConfusionDisplay, key, model)
        displays.note(matrix, key=key)
        figure = displays.parts(matrix).figure
        cell = selection.figure(figure, key=key, modes=("points",), read=selection.cell)
    # A sheet of images needs the width of the page.
    with st.container() if data.kind.is_images else right:
        if len(cell) != 2 or max(cell) >= data.n_classes:
            st.caption(
                f"Choose a cell of the matrix to see its {data.kind.rows}, the highest log loss "
                "first."
            )
        else:
            displays.show(ConfusionCellDisplay(model, *cell), key=f"{KEY}.cell", data=data)
            selection.offer_to_clear(key)


def _scores(model: FittedClassifier, about: Any) -> None:
    displays.body(ModelScoresDisplay(model), key=f"{KEY}.scores")
    displays.show(model.classes(), key=f"{KEY}.classes")


def _curves(model: FittedClassifier, about: Any) -> None:
    roc = _chosen(RocDisplay, f"{KEY}.curves", model)
    left, right = st.columns(2, gap="large")
    with left:
        displays.body(roc, key=f"{KEY}.roc")
    with right:
        curves = PrecisionRecallDisplay(model, roc.classes)
        displays.body(curves, key=f"{KEY}.precision_recall")
    st.caption(text.escape(displays.parts(roc).scope))


def _calibration(model: FittedClassifier, about: Any) -> None:
    key = f"{KEY}.calibration"
    found = CalibrationDisplay(model)
    displays.show(_chosen(CalibrationDisplay, key, model) if found.is_possible else found, key=key)


def _convergence(model: FittedClassifier, about: Any) -> None:
    key = f"{KEY}.convergence"
    found = ConvergenceDisplay(model)
    found = _chosen(ConvergenceDisplay, key, model) if found.traces else found
    displays.show(found, key=key)
    if found.can_compare:
        st.markdown("##### Several solvers on the same error")
        _solvers(model, about, found)


def _solvers(model: FittedClassifier, about: Any, shown: ConvergenceDisplay) -> None:
    key = f"{KEY}.solvers"
    as_above = {"quantity": shown.quantity, "across": shown.across}
    chosen = displays.ask(SolversDisplay, key, "solvers", model=model)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen |= displays.ask(SolversDisplay, key, "rate", "other_rate", width=150, model=model)
    asked = SolversDisplay(model, **as_above, **chosen)

    def draw(job: Job) -> None:
        found = SolversDisplay(model, known=tuple(job.result), **as_above, **chosen)
        displays.show(found, key=f"{key}.found")

    job = page_jobs.on_demand(
        key,
        (*about, asked.solvers, asked.rates),
        lambda progress: compare_solvers(
            model, asked.solvers, asked.rates, progress, progress.keep
        ),
        describe="Comparing solvers",
        label="Compare solvers",
        help="Fits the same model with each solver and learning rate.",
        draw=draw,
    )
    if job is not None and not page_jobs.at_work(job) and job.result:
        draw(job)


def _coefficients(model: FittedClassifier, about: Any) -> None:
    key, odds = f"{KEY}.coefficients", OddsRatiosDisplay(model)
    if not odds.is_asked_for:
        displays.show(_chosen(CoefficientsDisplay, key, model), key=key)
        return
    displays.show(_chosen(OddsRatiosDisplay, f"{KEY}.odds", model), key=f"{KEY}.odds")
    displays.show(_chosen(CoefficientsDisplay, key, model), key=key)


def _equation(model: FittedClassifier, about: Any) -> None:
    """Write the boundary between two classes as text and as LaTeX."""
    key = f"{KEY}.equation"
    found = _chosen(EquationDisplay, key, model)
    displays.note(found, key=key)
    st.markdown(f"**{text.escape(found.finding())}**")
    if not found.equation:
        return
    with st.container(key=f"{key}.text"):
        st.code(found.equation, language=None, wrap_lines=True)
    function, names = found.function
    if len(names) <= _MOST_DRAWN and function.is_linear:
        st.html(_WRAPPED)
        with st.container(key=f"{key}.drawn"):
            st.latex(found.latex)
    with st.expander("As LaTeX, to copy", key=f"{key}.latex"):
        # In one colour: those of a language are too faint on either theme.
        st.code(found.latex, language=None, wrap_lines=True)
    st.caption(text.escape(" ".join(found.notes())))


def _learned(model: FittedClassifier, about: Any) -> None:
    key, found = f"{KEY}.learned", LearnedDisplay(model)
    _with_formulas(found, f"{key}.classes")
    if model.data.kind.is_images:
        images = LearnedImagesDisplay(model)
        for what in images.sheets:
            displays.body(LearnedImagesDisplay(model, what), key=f"{key}.{what}")
    if found.found.words:
        _with_formulas(model.words(), f"{key}.words")
    else:
        _with_formulas(_chosen(MatrixDisplay, f"{key}.matrix", model), f"{key}.matrix")
    ratio = _chosen(LogRatioDisplay, f"{key}.pair", model)
    _with_formulas(ratio, f"{key}.ratio")


def _with_formulas(display: Any, key: str) -> None:
    """Draw a display with its formulas beside it."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        displays.show(display, key=key)
    # The first two are short.
    for names in filter(None, (display.formulas[:2], display.formulas[2:])):
        for name, place in zip(names, right.columns(len(names)), strict=True):
            with place:
                st.latex(report.FORMULAS[name].latex)
                st.caption(text.escape(report.FORMULAS[name].source))


def _assumptions(model: FittedClassifier, about: Any) -> None:
    """Say in words what was checked, what came out, and what it means for the choice of model."""
    key, found = f"{KEY}.checks", AssumptionsDisplay(model)
    if not found.obstacle:
        data, choice, (_, steps) = about

        def work(progress: Progress) -> Any:
            progress(0, 0, found.title)
            return found.found

        job = page_jobs.run(
            key,
            # What the classifier sees depends on the steps before it alone.
            (data, choice, steps, found.word),
            work,
            describe="Checking the assumptions",
            here=len(model.split.train) ** 2 * model.data.n_features <= MOST_AT_ONCE,
        )
        page_jobs.show(job)
        if job.result is None:
            return
        found = AssumptionsDisplay(model, job.result)
    displays.note(found, key=key)
    said = displays.parts(found)
    st.markdown(f"**{text.escape(said.finding)}**")
    with st.container(key=f"{key}.list"):
        for line in said.table.to_dict("records"):
            remedy = f"  \n*{text.escape(line['What to do'])}*" if line["What to do"] else ""
            name = f"{line['Check'][:1].upper()}{line['Check'][1:]}"
            st.markdown(
                f"{_MARKS[line['Verdict']]} **{text.escape(name)}**  \n"
                f"{text.escape(line['Finding'])}{remedy}"
            )
    st.caption(text.escape(" ".join(said.notes)))


PANELS: dict[str, Callable[[FittedClassifier, Any], None]] = {
    ConfusionDisplay.title: _confusion,
    ModelScoresDisplay.title: _scores,
    RocDisplay.title: _curves,
    CalibrationDisplay.title: _calibration,
    ConvergenceDisplay.title: _convergence,
    CoefficientsDisplay.title: _coefficients,
    EquationDisplay.title: _equation,
    LearnedDisplay.title: _learned,
    AssumptionsDisplay.title: _assumptions,
    WhatIfDisplay.title: what_if.show,
}
