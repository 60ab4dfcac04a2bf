"""Predictions and drift of new rows as a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lincore import analysis, prediction
from lincore.errors import DataError
from pages.ui.jobs import page_jobs
from pages.ui.predict import new_rows
from pages.ui.predict.saved_model import Saved
from pages.ui.session import questions, state

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np
    from streamlit.delta_generator import DeltaGenerator

    from lincore.analysis import PredictedRows
    from lincore.data import Dataset
    from lincore.model_selection import FittedModel
    from lincore.prediction import Predictions
    from pages.ui.jobs.progress import Progress
    from pages.ui.predict.new_rows import RowsToPredict
    from pages.ui.predict.priors import Priors
    from pages.ui.session.cache import ModelChoice
    from pages.ui.session.sidebar import PageExperiment

KEY = "predict.run"
_SHOWN = "predict.shown"
# Numbers in rows that are predicted at once: less than a second.
AT_ONCE = 400_000


def require(
    experiment: PageExperiment,
    choice: ModelChoice | Saved,
    model: FittedModel,
    rows: RowsToPredict,
    heading: DeltaGenerator,
) -> PredictedRows:
    """Return the predictions; draw progress, or why there are none, and end the page otherwise."""
    data, split_choice, split = experiment
    fill = bool(st.session_state.get(questions.FILL, False))
    reading = prediction.Reading(rows.name, rows.reading, fill_missing=fill)
    settings: tuple[Hashable, ...]
    if isinstance(choice, Saved):
        settings = (choice.digest,)
        work = Work(None, split.train, model, rows, reading)
    else:
        settings = (data.digest, split_choice, choice)
        source = state.source()
        if source is not None and rows.kind == new_rows.UPLOAD:
            renamed, merged = source.choices.rename, source.choices.merge_classes
            reading = reading._replace(rename=renamed, merge_classes=merged)
        work = Work(data, split.train, model, rows, reading)
    settings = (*settings, rows.kind, rows.identity, fill)
    small = rows.kind != new_rows.UPLOAD and len(rows.rows) * data.n_features <= AT_ONCE
    job = page_jobs.run(
        KEY,
        settings,
        work,
        describe=f"Predicting {rows.name}",
        share=False,
        here=small,
    )
    if job.result is None:
        heading.header(new_rows.QUESTION, anchor=False)
    if isinstance(job.error, DataError) and "columns of the new rows" in job.error.notice.where:
        page_jobs.show(job)
        st.button(
            "Count missing columns as missing values",
            key=f"{KEY}.fill",
            on_click=_fill,
            help="All values of such a column are imputed from the training rows.",
        )
        st.stop()
    bad = isinstance(job.error, DataError) and rows.kind == new_rows.UPLOAD
    if bad and new_rows.take_back(job.error.notice):
        st.rerun()
    found: PredictedRows = page_jobs.require(job)
    return found


def _fill() -> None:
    st.session_state[questions.FILL] = True


class Work(NamedTuple):
    """Prediction of some rows by a model: all that the job takes with it.

    Of a saved model the training data are not known: then there is no drift.
    """

    data: Dataset | None
    train: np.ndarray
    model: FittedModel
    rows: RowsToPredict
    reading: prediction.Reading

    def __call__(self, progress: Progress) -> PredictedRows | None:
        """Predict, and compare the columns with those of the training rows; None when stopped."""
        answers: list[bool] = []

        def watched(done: int, total: int, what: str) -> bool:
            answers.append(progress(done, total, what))
            return answers[-1]

        training = None
        if self.data is not None and self.rows.kind != new_rows.BY_HAND:
            training = self.data.take(self.train)
        try:
            return analysis.predict_and_compare(
                self.model, self.rows.rows, self.reading, training, watched
            )
        except DataError:
            if answers and not answers[-1]:
                return None
            raise


def under(found: PredictedRows, priors: Priors) -> Predictions:
    """Return the predictions under priors in deployment, kept until others are asked for."""
    key = (id(found), priors)
    former = st.session_state.get(_SHOWN)
    if former is not None and former[0] == key:
        kept: Predictions = former[1]
        return kept
    asked = analysis.PredictQuestion(priors=priors.values, level=priors.level)
    shown = asked.under(found.predictions)
    # With what it was made of: the identity of that is then nobody else's.
    st.session_state[_SHOWN] = (key, shown, found)
    return shown
