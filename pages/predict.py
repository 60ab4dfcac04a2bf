"""Predict: classes of new rows, how sure they are, and how far from all that was learned."""

import streamlit as st

from lincore.errors import DataError
from pages.ui.jobs import page_jobs
from pages.ui.predict import model_choice, new_rows, panels, priors, run, saved_model
from pages.ui.session import checks_line, sidebar, take_away
from pages.ui.widgets import displays, text

experiment = sidebar.show("predict")

saved_model.require()
heading = st.container()
saved = saved_model.current()
if saved is None:
    checks_line.show(experiment)
choice, row = model_choice.ask(experiment, saved)
with row.source:
    kind = new_rows.ask_kind(experiment, saved)
model = model_choice.fitted(experiment, choice)
with row.priors:
    shares = priors.ask_kind(model)
with row.options:
    level = priors.ask_level()
saved_model.show_problem()

rows = new_rows.ask(kind, experiment, model, saved)
if rows is None:
    heading.header(new_rows.QUESTION, anchor=False)
    st.stop()
values = priors.ask_share(shares, model)
found = run.require(experiment, choice, model, rows, heading)
try:
    shown = run.under(found, priors.Priors(values, level))
except DataError as error:
    text.show_problem(error.notice)
    shown = run.under(found, priors.Priors(None, level))

take_away.keep(predicted=found._replace(predictions=shown))
said = displays.parts(classes := shown.by_class())
heading.header(text.escape(said.finding), anchor=False)
heading.markdown(text.escape(said.scope))
if saved is not None:
    heading.caption(text.escape(f"{saved.name}: {saved.file.origin}"))
if kind == new_rows.BY_HAND:
    displays.body(classes, key="predict.one")
else:
    if kind == new_rows.UPLOAD:
        panels.matching(shown.columns())
    panels.rows(shown)
    panels.scores(shown.scores())
if found.drift is not None:
    panels.drift(found.drift)
page_jobs.catch_up()
