"""Predict: classes of new rows, how sure they are, and how far from all that was learned."""

import streamlit as st

from lincore import prediction
from lincore.errors import DataError
from pages.ui.jobs import page_jobs
from pages.ui.predict import model_choice, new_rows, panels, priors, run
from pages.ui.session import checks_line, runs, sidebar
from pages.ui.widgets import text

experiment = sidebar.show("predict")

heading = st.container()
checks_line.show(experiment)
choice, row = model_choice.ask(experiment)
with row.source:
    kind = new_rows.ask_kind(experiment)
model = model_choice.fitted(experiment, choice)
with row.priors:
    shares = priors.ask_kind(model)
with row.options:
    level = priors.ask_level()

rows = new_rows.ask(kind, experiment, model)
if rows is None:
    heading.header("Which class are new rows of?", anchor=False)
    st.stop()
values = priors.ask_share(shares, model)
found = run.require(experiment, choice, model, rows)
try:
    shown = run.under(found, priors.Priors(values, level))
except DataError as error:
    text.show_problem(error.notice)
    shown = run.under(found, priors.Priors(None, level))

finding = prediction.prediction_finding(shown, rows.noun)
heading.header(text.escape(finding), anchor=False)
runs.note(f"{rows.name}: {finding}")
heading.markdown(text.escape(f"{rows.name}, by {model.label}. {prediction.priors_finding(shown)}"))
if kind == new_rows.UPLOAD:
    panels.matching(shown)
panels.show(experiment, rows, shown)
panels.scores(experiment, rows, shown)
if found.drift is not None:
    panels.drift(found.drift)
page_jobs.catch_up()
