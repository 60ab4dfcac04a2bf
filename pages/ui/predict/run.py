"""Predictions and drift of new rows as a job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from lincore import analysis, prediction
from lincore.displays import held_out
from lincore.errors import DataError
from pages.ui.jobs import page_jobs
from pages.ui.predict import new_rows
from pages.ui.predict.saved_model import Saved
from pages.ui.session import fitting, questions, state
from pages.ui.widgets import displays

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import numpy as np
    from streamlit.delta_generator import DeltaGenerator

    from lincore.analysis import PredictedRows, PredictQuestion
    from lincore.data import Dataset
    from lincore.metrics import Results
    from lincore.model_selection import FittedModel
    from lincore.prediction import Predictions
    from pages.ui.jobs.cache import ModelChoice
    from pages.ui.jobs.progress import Progress
    from pages.ui.predict.new_rows import RowsToPredict
    from pages.ui.session.experiment import PageExperiment

KEY = "predict.run"
_SHOWN = "predict.shown"
# Up to this many values are predicted at once, in less than a second.
AT_ONCE = 400_000


def require(
    experiment: PageExperiment,
    choice: ModelChoice | Saved,
    model: FittedModel,
    rows: RowsToPredict,
    heading: DeltaGenerator,
) -> PredictedRows:
    """Return the predictions; without any, draw progress or the error and end the page."""
    data, split_choice, split = experiment
    file = rows.source if isinstance(rows.source, analysis.NewFile) else None
    reading = prediction.Reading(rows.name)
    if file is not None:
        reading = reading._replace(options=file.reading, fill_missing=file.fill_missing)
    settings: tuple[Hashable, ...]
    if isinstance(choice, Saved):
        settings = (choice.digest,)
        work = Work(None, split.train, model, rows, reading)
    else:
        settings = (data.digest, split_choice, choice)
        source = state.source()
        if source is not None and file is not None:
            renamed, merged = source.choices.rename, source.choices.merge_classes
            reading = reading._replace(rename=renamed, merge_classes=merged)
        work = Work(data, split.train, model, rows, reading)
    settings = (*settings, repr(rows.source))
    small = file is None and len(rows.rows) * data.n_features <= AT_ONCE
    job = page_jobs.run(
        KEY,
        settings,
        work,
        describe=f"Predicting {rows.name}",
        share=False,
        at_once=small,
    )
    if job.result is None:
        heading.header(new_rows.QUESTION, anchor=False)
    error = job.error
    if isinstance(error, DataError) and "columns of the new rows" in error.notice.where:
        page_jobs.show(job)
        st.button(
            "Count missing columns as missing values",
            key=f"{KEY}.fill",
            on_click=displays.set_settings,
            args=(questions.PREDICT,),
            kwargs={"rows": file and replace(file, fill_missing=True)},
            help="All values of such a column are imputed from the training rows.",
        )
        st.stop()
    if isinstance(error, DataError) and file and new_rows.take_back(error.notice, file):
        st.rerun()
    return page_jobs.require(job)


@dataclass(frozen=True)
class Work:
    """Prediction of some rows by a model, as sent to the job.

    The training data of a saved model are unknown, so there is no drift.
    """

    data: Dataset | None
    train: np.ndarray
    model: FittedModel
    rows: RowsToPredict
    reading: prediction.Reading

    def __call__(self, progress: Progress) -> PredictedRows | None:
        """Predict, and compare the columns with those of the training rows; None when stopped."""
        answers: list[bool] = []

        def watched(done: int, total: int, description: str) -> bool:
            answers.append(progress(done, total, description))
            return answers[-1]

        training = None
        if self.data is not None and not isinstance(self.rows.source, analysis.TypedRow):
            training = self.data.take(self.train)
        try:
            return analysis.predict_and_compare(
                self.model, self.rows.rows, self.reading, training, watched
            )
        except DataError:
            if answers and not answers[-1]:
                return None
            raise


def predict_held_out(
    experiment: PageExperiment, choice: ModelChoice
) -> Callable[[], Results] | None:
    """Return the predictions of the training rows by models without them, None while they run."""
    model = fitting.require(experiment, choice)
    settings = (experiment.data.digest, experiment.choice, choice)
    if not fitting.has_held_out(f"{KEY}.folds", model, settings):
        return None
    return partial(held_out, model)


def apply_question(
    predicted: PredictedRows, asked: PredictQuestion, held_out: Callable[[], Results] | None
) -> Predictions:
    """Return the predictions with the settings of the question, cached until these change."""
    key = (id(predicted), asked)
    former = st.session_state.get(_SHOWN)
    if former is not None and former[0] == key:
        return former[1]
    shown = asked.apply_to(predicted.predictions, held_out)
    # Stored with the original predictions, so that their identity stays unique.
    st.session_state[_SHOWN] = (key, shown, predicted)
    return shown
