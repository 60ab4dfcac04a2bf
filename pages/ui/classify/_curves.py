"""ROC, precision and recall of any model, and the calibration of posteriors, on Classify."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import metrics, plots, report
from lincore.utils import points
from pages.ui.session import cache
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    from pages.ui.session.fitting import Fitted
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify"
# More curves than this are a thicket: the classes are then chosen.
MOST_CURVES = 6
ALL = -1


def rates(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Draw the ROC and precision-recall curves of the classes, with the operating points."""
    results, data = fitted.results, experiment.data
    method = results.methods[0]
    ranked_by = "posterior" if metrics.has_posteriors(results, method) else "decision score"
    codes = _classes(experiment, key=f"{KEY}.curves")
    roc, line = metrics.roc_curve(results, method), metrics.precision_recall_curve(results, method)
    left, right = st.columns(2, gap="large")
    with left:
        chosen = [plots.Curve.from_roc(roc[code], code=code) for code in codes]
        controls.figure(plots.roc(chosen), key=f"{KEY}.roc")
    with right:
        chosen = [plots.Curve.from_precision_recall(line[code], code=code) for code in codes]
        shares = [line[code].share for code in codes]
        controls.figure(
            plots.precision_recall(chosen, shares=shares), key=f"{KEY}.precision_recall"
        )
    st.caption(
        f"Each class against the rest, on {len(results.rows):,} test {text.row_noun(data)} ranked "
        f"by the {ranked_by} of the class. The operating point is where the model itself decides."
    )
    if note := report.delong_note(results):
        st.caption(text.escape(note))


def calibration(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Draw the observed frequency of classes against their posteriors."""
    if not _has_posteriors(fitted):
        return
    results, data = fitted.results, experiment.data
    code = controls.choose(
        "Posterior of",
        [ALL, *range(data.n_classes)],
        key=f"{KEY}.calibrated",
        format_func=lambda k: "the predicted class" if k == ALL else str(data.classes[k]),
        help="Whose posterior is held against what came true.",
        width=260,
    )
    found = metrics.calibration_curve(results, results.methods[0], None if code == ALL else code)
    part = plots.Reliability.from_calibration(found, code=None if code == ALL else code)
    controls.figure(plots.calibration([part]), key=f"{KEY}.calibration")
    st.caption(
        f"Expected calibration error {points(found.error)} points, over "
        f"{len(results.rows):,} test {text.row_noun(data)}."
    )


def _has_posteriors(fitted: Fitted) -> bool:
    results = fitted.results
    if metrics.has_posteriors(results, results.methods[0]):
        return True
    st.caption(f"{text.escape(results.methods[0])} has no posteriors, so there is no calibration.")
    return False


def _classes(experiment: PageExperiment, *, key: str) -> list[int]:
    data = experiment.data
    if data.n_classes == 2:
        return [1]  # that of the other is its mirror image
    codes = list(range(data.n_classes))
    if data.n_classes <= MOST_CURVES:
        return codes
    wanted = st.session_state.get(key, codes[:MOST_CURVES])
    # The value goes in through the session alone: Streamlit takes offence at a default beside it.
    st.session_state[key] = [code for code in wanted if code < data.n_classes]
    chosen = st.multiselect(
        "Classes",
        codes,
        format_func=lambda code: str(data.classes[code]),
        key=key,
        persist_state="session",
        help="Whose curves are drawn.",
    )
    return chosen or codes[:MOST_CURVES]
