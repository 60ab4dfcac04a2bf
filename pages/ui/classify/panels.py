"""The panels below the figure of the page Classify, each drawn only when it is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import report
from lincore.displays import (
    MODEL,
    AssumptionsDisplay,
    CanonicalDisplay,
    ClassScoresDisplay,
    CoefficientPathDisplay,
    CoefficientsDisplay,
    ConfusionDisplay,
    ContributionsDisplay,
    ConvergenceDisplay,
    DecisionCurveDisplay,
    DroppedFeaturesDisplay,
    EquationDisplay,
    ErrorSlicesDisplay,
    LearnedDisplay,
    LearnedImagesDisplay,
    LogRatioDisplay,
    MatrixDisplay,
    ModelScoresDisplay,
    NearestChangeDisplay,
    OddsRatiosDisplay,
    OperatingPointDisplay,
    PlaneDisplay,
    PrecisionRecallDisplay,
    RejectOptionDisplay,
    RocDisplay,
    SolversDisplay,
    StepsDisplay,
    StepwiseDisplay,
    TuningDisplay,
    WhatIfDisplay,
)
from lincore.inspection import compare_solvers
from lincore.model_selection import can_drop_features, drop_features
from lincore.utils import capital
from pages.ui.classify import operating_point, what_if
from pages.ui.frame import sidebar
from pages.ui.jobs import page_jobs
from pages.ui.widgets import displays, tabs, text, verdicts

if TYPE_CHECKING:
    from lincore.displays import Display
    from lincore.model_selection import FittedClassifier
    from pages.ui.jobs.executor import Job
    from pages.ui.jobs.progress import Progress

KEY = "classify"
#: Pairwise distances times features that take about 0.05 s.
MOST_AT_ONCE = 10_000_000
_MARKS = {"fine": verdicts.FINE, "note": "", "warning": verdicts.WRONG}
# An equation of more variables than this is wider than a phone.
_MOST_DRAWN = 2
# Formulas break into lines between terms: a scrolling one cannot be reached by keyboard.
_WRAPPED = """<style>
.st-key-classify-equation-drawn .katex-display { overflow: clip; }
.st-key-classify-equation-drawn .katex-display > .katex { white-space: normal; }
</style>"""


@sidebar.fragment
def show(model: FittedClassifier, job_settings: Any) -> None:
    """Draw the tabs and the content of the open one, as a fragment."""
    kinds = tabs_of(model)
    panels = {kind.title: partial(_draw, kind, model, job_settings) for kind in kinds}
    within = {display.title: tab.title for display, tab in _WITHIN.items()}
    tabs.show(f"{KEY}.panels", panels, within)


def tabs_of(model: FittedClassifier) -> list[type[Display]]:
    """Return the displays with tabs of their own, of what the model has."""
    steps = ConvergenceDisplay(model)
    missing: set[type[Display]] = set()
    if not (steps.iterates or steps.can_compare):
        missing.add(ConvergenceDisplay)
    if not CanonicalDisplay(model).has_functions:
        missing.add(CanonicalDisplay)
    if model.data.kind.is_images:
        missing.add(ErrorSlicesDisplay)
    if OperatingPointDisplay(model).obstacle:
        missing.add(OperatingPointDisplay)
    return [kind for kind in TABS if kind not in missing]


def _draw(kind: type[Display], model: FittedClassifier, job_settings: Any) -> None:
    if kind in _ARRANGED:
        _ARRANGED[kind](model, job_settings)
    else:
        displays.show(displays.chosen(kind, model=model), key=kind.page_key, data=model.data)


def _scores(model: FittedClassifier, job_settings: Any) -> None:
    displays.body(ModelScoresDisplay(model), key=f"{KEY}.scores")
    displays.show(model.classes(), key=f"{KEY}.classes")


def _curves(model: FittedClassifier, job_settings: Any) -> None:
    roc = displays.chosen(RocDisplay, model=model)
    left, right = st.columns(2, gap="large")
    with left:
        displays.body(roc, key=f"{KEY}.roc")
    with right:
        curves = PrecisionRecallDisplay(model, roc.classes)
        displays.body(curves, key=f"{KEY}.precision_recall")
    st.caption(text.escape(displays.parts(roc).scope))


def _convergence(model: FittedClassifier, job_settings: Any) -> None:
    key = f"{KEY}.convergence"
    display = ConvergenceDisplay(model)
    display = displays.chosen(ConvergenceDisplay, model=model) if display.traces else display
    displays.show(display, key=key)
    if display.can_compare:
        st.markdown("##### Several solvers on the same training loss")
        _solvers(model, job_settings, display)


def _solvers(model: FittedClassifier, job_settings: Any, shown: ConvergenceDisplay) -> None:
    key = f"{KEY}.solvers"
    as_above: dict[str, Any] = {"quantity": shown.quantity, "across": shown.across}
    chosen = displays.ask(SolversDisplay, key, "solvers", model=model)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen |= displays.ask(SolversDisplay, key, "rate", "other_rate", width=150, model=model)
    asked = SolversDisplay(model, **as_above, **chosen)

    def draw(job: Job) -> None:
        comparison = SolversDisplay(model, known=tuple(job.result), **as_above, **chosen)
        displays.show(comparison, key=f"{key}.found")

    job = page_jobs.on_demand(
        key,
        (*job_settings, asked.solvers, asked.rates),
        lambda progress: compare_solvers(
            model, asked.solvers, asked.rates, progress=progress, keep=progress.keep
        ),
        describe="Comparing solvers",
        label="Compare solvers",
        help="Fits the same model with each solver and learning rate.",
        draw=draw,
    )
    if page_jobs.needs_drawing(job) and job.result:
        draw(job)


def _coefficients(model: FittedClassifier, job_settings: Any) -> None:
    if OddsRatiosDisplay(model).is_asked_for:
        odds = displays.chosen(OddsRatiosDisplay, model=model)
        displays.show(odds, key=odds.page_key)
    coefficients = displays.chosen(CoefficientsDisplay, model=model)
    displays.show(coefficients, key=coefficients.page_key)
    if CoefficientPathDisplay(model).is_asked_for:
        st.markdown(f"##### {CoefficientPathDisplay.title}")
        _path(model, job_settings)
    if not model.data.kind.is_images:
        st.markdown(f"##### {EquationDisplay.title}")
        _equation(model)
    if can_drop_features(model):
        st.markdown("##### Each feature left out")
        _dropped(model, job_settings)


def _path(model: FittedClassifier, job_settings: Any) -> None:
    """Draw the coefficients by C, and the losses by which C was chosen."""
    key = CoefficientPathDisplay.page_key

    def work(progress: Progress) -> Any:
        progress(0, 0, CoefficientPathDisplay.title)
        return CoefficientPathDisplay(model).path

    job = page_jobs.run(key, job_settings, work, describe="Fitting the path")
    page_jobs.show(job)
    if job.result is None:
        return
    shown = displays.chosen(CoefficientPathDisplay, model=model, known=job.result)
    displays.show(shown, key=key)
    _tuning(model)


def _tuning(model: FittedClassifier) -> None:
    tuning = TuningDisplay(model)
    if tuning.tuning is not None:
        displays.show(tuning, key=tuning.page_key)


def _dropped(model: FittedClassifier, job_settings: Any) -> None:
    key = DroppedFeaturesDisplay.page_key

    def draw(job: Job) -> None:
        shown = displays.chosen(DroppedFeaturesDisplay, model=model, known=job.result)
        displays.show(shown, key=key)

    job = page_jobs.on_demand(
        key,
        job_settings,
        lambda progress: drop_features(model, progress=progress),
        describe="Leaving features out",
        label="Leave out each feature",
        help="Fits the model again without each feature and compares the scores of the test set.",
        draw=draw,
    )
    if page_jobs.needs_drawing(job) and job.result:
        draw(job)


def _equation(model: FittedClassifier) -> None:
    """Write the boundary between two classes as text and as LaTeX."""
    key = f"{KEY}.equation"
    equation = displays.chosen(EquationDisplay, model=model)
    displays.note(equation, key=key)
    st.markdown(f"**{text.escape(equation.finding())}**")
    if not equation.equation:
        return
    with st.container(key=f"{key}.text"):
        st.code(equation.equation, language=None, wrap_lines=True)
    function, names = equation.function
    if len(names) <= _MOST_DRAWN and function.is_linear:
        st.html(_WRAPPED)
        with st.container(key=f"{key}.drawn"):
            st.latex(equation.latex)
    with st.expander("As LaTeX, to copy", key=f"{key}.latex"):
        # Without syntax colours, which are too faint in both themes.
        st.code(equation.latex, language=None, wrap_lines=True)
    st.caption(text.escape(" ".join(equation.notes())))


def _learned(model: FittedClassifier, job_settings: Any) -> None:
    if not CoefficientPathDisplay(model).is_asked_for:  # it stands below the path
        _tuning(model)
    selection = StepwiseDisplay(model)
    if selection.is_stepwise:
        displays.show(selection, key=selection.page_key)
    key, learned = f"{KEY}.learned", LearnedDisplay(model)
    _with_formulas(learned, f"{key}.classes")
    if model.data.kind.is_images:
        images = LearnedImagesDisplay(model)
        for quantity in images.sheets:
            displays.body(LearnedImagesDisplay(model, quantity), key=f"{key}.{quantity}")
    if learned.estimates.words:
        _with_formulas(model.words(), f"{key}.words")
    else:
        matrix = displays.chosen(MatrixDisplay, model=model)
        _with_formulas(matrix, matrix.page_key)
    ratio = displays.chosen(LogRatioDisplay, model=model)
    _with_formulas(ratio, f"{key}.ratio")


def _canonical(model: FittedClassifier, job_settings: Any) -> None:
    """Draw the tables of the canonical analysis, one below the other."""
    display = CanonicalDisplay(model)
    displays.show(display, key=f"{KEY}.canonical")
    if display.analysis is None:
        return
    tables = {
        "coefficients": model.canonical_coefficients(),
        "centroids": model.centroids(),
        "distances": model.group_distances(),
        "functions": model.classification_functions(),
    }
    for word, table in tables.items():
        st.markdown(f"##### {table.title}")
        displays.show(table, key=f"{KEY}.canonical.{word}")


def _with_formulas(display: Any, key: str) -> None:
    """Draw a display beside its formulas."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        displays.show(display, key=key)
    # The first two are short.
    for names in filter(None, (display.formulas[:2], display.formulas[2:])):
        for name, column in zip(names, right.columns(len(names)), strict=True):
            with column:
                st.latex(report.FORMULAS[name].latex)
                st.caption(text.escape(report.FORMULAS[name].source))


def _assumptions(model: FittedClassifier, job_settings: Any) -> None:
    """Describe the checks of assumptions, their results, and the consequences for the model."""
    key, display = f"{KEY}.checks", AssumptionsDisplay(model)
    if not display.obstacle:
        data, choice, (_, steps) = job_settings

        def work(progress: Progress) -> Any:
            progress(0, 0, display.title)
            return display.checked

        job = page_jobs.run(
            key,
            # The inputs of the classifier depend only on the steps before it.
            (data, choice, steps, display.word),
            work,
            describe="Checking the assumptions",
            at_once=len(model.split.train) ** 2 * model.data.n_features <= MOST_AT_ONCE,
        )
        page_jobs.show(job)
        if job.result is None:
            return
        display = AssumptionsDisplay(model, job.result)
    displays.note(display, key=key)
    content = displays.parts(display)
    st.markdown(f"**{text.escape(content.finding)}**")
    with st.container(key=f"{key}.list"):
        for line in displays.table(display).to_dict("records"):
            remedy = f"  \n*{text.escape(line['What to do'])}*" if line["What to do"] else ""
            name = capital(line["Check"])
            st.markdown(
                f"{_MARKS[line['Verdict']]} **{text.escape(name)}**  \n"
                f"{text.escape(line['Finding'])}{remedy}"
            )
    st.caption(text.escape(" ".join(content.notes)))


#: Drawn in the tab of another display; former links open that.
_WITHIN: dict[type[Display], type[Display]] = {
    ClassScoresDisplay: ModelScoresDisplay,
    PrecisionRecallDisplay: RocDisplay,
    DecisionCurveDisplay: OperatingPointDisplay,
    EquationDisplay: CoefficientsDisplay,
    RejectOptionDisplay: OperatingPointDisplay,
    ContributionsDisplay: WhatIfDisplay,
    NearestChangeDisplay: WhatIfDisplay,
}
_ABOVE = (StepsDisplay, PlaneDisplay, ConfusionDisplay)
TABS = tuple(kind for kind in MODEL if kind not in (*_ABOVE, *_WITHIN))
#: Tabs with more than one display, or with widgets of their own.
_ARRANGED: dict[type[Display], Callable[[FittedClassifier, Any], None]] = {
    ModelScoresDisplay: _scores,
    RocDisplay: _curves,
    OperatingPointDisplay: operating_point.show,
    ConvergenceDisplay: _convergence,
    CoefficientsDisplay: _coefficients,
    LearnedDisplay: _learned,
    CanonicalDisplay: _canonical,
    AssumptionsDisplay: _assumptions,
    WhatIfDisplay: what_if.show,
}
