"""Downloads of the fitted model: as a file, as code, as formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import export
from lincore.displays import SETS, RejectOptionDisplay
from lincore.errors import DataError
from pages.ui.classify import operating_point
from pages.ui.widgets import displays, text

if TYPE_CHECKING:
    from lincore.data import Dataset, Split
    from lincore.export import ScoreFunctions
    from lincore.model_selection import FittedClassifier, FittedModel

KEY = "classify.export"


class Rendering(NamedTuple):
    """A download format for score functions.

    Attributes
    ----------
    label, ending, mime, help : str
    write : callable
        Returns the file, given the functions and some raw rows.
    check : callable, optional
        Raises a DataError if the model is too large for the format.
    """

    label: str
    ending: str
    mime: str
    help: str
    write: Callable[[ScoreFunctions, Dataset], str | bytes]
    check: Callable[[ScoreFunctions], object] | None = None


RENDERINGS = (
    Rendering(
        "Python",
        "py",
        "text/x-python",
        "predict_proba(table) and predict(table): needs only NumPy.",
        lambda functions, _: export.to_numpy(functions),
    ),
    Rendering(
        "SQL",
        "sql",
        "application/sql",
        "One query that predicts every row of a table, for SQLite, DuckDB and others.",
        lambda functions, _: export.to_sql(functions),
        export.to_sql,
    ),
    Rendering(
        "Spreadsheet",
        "tsv",
        "text/tab-separated-values",
        "Formulas for Excel and LibreOffice: paste them into cell A1, and fill them down.",
        lambda functions, rows: export.to_tab_separated(functions, rows.to_frame().iloc[:1, :-1]),
        export.to_spreadsheet,
    ),
    Rendering(
        "JSON",
        "json",
        "application/json",
        "Coefficients with a description of how to read them, for other programs.",
        lambda functions, _: export.to_json(functions),
    ),
)


@st.fragment
def show(model: FittedClassifier, job_settings: Any) -> None:
    """Offer the model in a popover; files are created when it is opened."""
    popover = st.popover("Export model", icon=":material/download:", key=KEY, on_change="rerun")
    if popover.open:
        with popover:
            decided = operating_point.current(model, job_settings, KEY)
            if decided is not None:
                _offer(decided)


def _offer(fitted: FittedClassifier) -> None:
    data, split, method = fitted.data, fitted.split, fitted.name
    st.markdown(f"**{text.escape(method)}**, fitted on {fitted.steps().trained}")
    if fitted.point is not None:
        st.caption(text.escape(fitted.point.sentence(data.classes)))
    model = _abstaining(fitted)
    st.download_button(
        "Model file",
        lambda: _model_file(model, fitted),
        file_name=f"{data.name} {method}.zip",
        mime="application/zip",
        key=f"{KEY}.file",
        on_click="ignore",
        help="Pipeline, classes and a model card with scores, intervals and assumptions. "
        "lincore.export.load_model reads it without running any code.",
    )
    try:
        functions = export.score_functions(model)
    except DataError as error:
        st.caption(f"There are no formulas: {text.escape(error.notice.what)}")
        return
    st.caption("In your columns and units, including preprocessing:")
    refused = []
    with st.container(horizontal=True, gap="small"):
        for rendering in RENDERINGS:
            try:
                if rendering.check is not None:
                    rendering.check(functions)
            except DataError as error:
                refused.append(f"{rendering.label}: {error.notice.what}")
                continue
            _button(rendering, functions, data, split, f"{data.name} {method}")
    for reason in refused:
        st.caption(text.escape(reason))


def _abstaining(fitted: FittedClassifier) -> FittedModel:
    """Ask whether the files abstain by the chosen cost of rejection."""
    kind, model = RejectOptionDisplay, fitted.fitted_model
    if kind(fitted).obstacle:
        return model
    chosen = displays.read(kind, kind.page_key, model=fitted)
    if chosen["reject"] in SETS:
        st.caption("The files do not abstain: prediction sets are not exported.")
        return model
    abstaining = model.abstaining(chosen["rejection_cost"])
    is_asked = st.checkbox(
        "Abstain as under *Reject option*",
        key=f"{KEY}.abstain",
        help="The files then give no class below the posterior of the tab *Operating point*.",
    )
    rule = abstaining.reject_option if is_asked else None
    st.caption("The files predict every row." if rule is None else text.escape(rule.sentence()))
    return abstaining if is_asked else model


def _button(
    rendering: Rendering, functions: ScoreFunctions, data: Dataset, split: Split, name: str
) -> None:
    st.download_button(
        rendering.label,
        lambda: rendering.write(functions, data.take(split.test[:1])),
        file_name=f"{name}.{rendering.ending}",
        mime=rendering.mime,
        key=f"{KEY}.{rendering.ending}",
        on_click="ignore",
        help=rendering.help,
    )


def _model_file(model: FittedModel, fitted: FittedClassifier) -> bytes:
    card = export.model_card(model, fitted.results, data=fitted.data, rows=fitted.split.train)
    return export.save_model(model, card=card)
