"""Predictions and drift of new rows as a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import streamlit as st

from lincore import io, prediction
from lincore.errors import DataError
from pages.ui.jobs import page_jobs
from pages.ui.predict import new_rows
from pages.ui.predict.saved_model import Saved
from pages.ui.session import state

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    import pandas as pd
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.model_selection import FittedModel
    from lincore.prediction import Predictions
    from pages.ui.jobs.executor import Progress
    from pages.ui.predict.new_rows import Rows
    from pages.ui.predict.priors import Priors
    from pages.ui.session.cache import ModelChoice
    from pages.ui.session.sidebar import Experiment

KEY = "predict.run"
FILL = "predict.fill_missing"
_SHOWN = "predict.shown"
# Numbers in rows that are predicted at once: less than a second.
AT_ONCE = 400_000


class Found(NamedTuple):
    """Predictions under the priors of training, and the drift of the columns."""

    predictions: Predictions
    drift: pd.DataFrame | None


def require(
    experiment: Experiment,
    choice: ModelChoice | Saved,
    model: FittedModel,
    rows: Rows,
    heading: DeltaGenerator,
) -> Found:
    """Return the predictions; draw progress, or why there are none, and end the page otherwise."""
    data, split_choice, split = experiment
    fill = bool(st.session_state.get(FILL, False))
    if isinstance(choice, Saved):
        settings: tuple[Hashable, ...] = (choice.digest,)
        work = Work(None, split.train, model, rows, fill, {}, {}, None)
    else:
        settings = (data.digest, split_choice, choice)
        source = state.source()
        work = Work(
            data,
            split.train,
            model,
            rows,
            fill,
            source.choices.rename if source is not None else {},
            source.choices.merge_classes if source is not None else {},
            new_rows.reading_options(),
        )
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
            help="Every value of such a column is filled in from the training rows.",
        )
        st.stop()
    bad = isinstance(job.error, DataError) and rows.kind == new_rows.UPLOAD
    if bad and new_rows.take_back(job.error.notice):
        st.rerun()
    found: Found = page_jobs.require(job)
    return found


def _fill() -> None:
    st.session_state[FILL] = True


class Work(NamedTuple):
    """Prediction of some rows by a model: all that the job takes with it.

    Of a saved model the training data are not known: then there is no drift.
    """

    data: Dataset | None
    train: np.ndarray
    model: FittedModel
    rows: Rows
    fill: bool
    rename: Mapping[str, str]
    merged: Mapping[str, str]
    options: io.ReadOptions | None

    def __call__(self, progress: Progress) -> Found | None:
        """Predict, and compare the columns with those of the training rows; None when stopped."""
        answers: list[bool] = []

        def watched(done: int, total: int, what: str) -> bool:
            answers.append(progress(done, total, what))
            return answers[-1]

        reading = prediction.Reading(self.rows.name, self.options, fill_missing=self.fill)
        try:
            predictions = prediction.predict(
                self.model, self._renamed(), reading=reading, progress=watched
            )
        except DataError:
            if answers and not answers[-1]:
                return None
            raise
        if self.rows.kind == new_rows.BY_HAND or self.data is None:
            return Found(predictions, None)
        progress(len(predictions), len(predictions), "comparing columns with the training rows")
        return Found(predictions, prediction.drift(self.data.take(self.train), predictions))

    def _renamed(self) -> Any:
        """Return a table under the names, and with the classes, that the training data have."""
        rows = self.rows.rows
        if not isinstance(rows, io.Table) or rows.source is not None:
            return rows
        frame = rows.frame.rename(columns=dict(self.rename))
        target = self.model.target_name
        if self.merged and target in frame:
            frame = frame.assign(**{target: io.merge_labels(frame[target], self.merged)})
        return frame


def under(found: Found, priors: Priors) -> Predictions:
    """Return the predictions under priors in deployment, kept until others are asked for."""
    key = (id(found), priors)
    former = st.session_state.get(_SHOWN)
    if former is not None and former[0] == key:
        kept: Predictions = former[1]
        return kept
    wanted = None if priors.values is None else priors.values
    shown = found.predictions.at_level(priors.level).with_priors(
        wanted if wanted is None or isinstance(wanted, str) else np.array(wanted)
    )
    # With what it was made of: the identity of that is then nobody else's.
    st.session_state[_SHOWN] = (key, shown, found)
    return shown
