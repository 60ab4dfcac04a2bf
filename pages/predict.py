"""Predict: classes of new rows, posteriors, and flags for rows unlike the training data."""

import streamlit as st

from lincore.analysis import NewFile, PredictQuestion, TypedRow
from lincore.displays import SETS
from lincore.errors import DataError
from pages.ui.frame import checks_line, export_menu, sidebar
from pages.ui.jobs import page_jobs
from pages.ui.predict import choices, new_rows, panels, run, saved_model
from pages.ui.session import questions
from pages.ui.widgets import displays, text

experiment = sidebar.show("predict", steps=saved_model.current() is None)

saved_model.require()
heading = st.container()
saved = saved_model.current()
if saved is None:
    checks_line.show(experiment)
choice, row = choices.ask(experiment, saved)
with row.source:
    source = new_rows.ask_source(experiment, saved)
model = choices.fitted(experiment, choice)
with row.priors:
    shares = choices.ask_priors(model)
with row.options:
    if row.options.open:
        elsewhere = {
            "data": experiment.data,
            "classifier": None,
            "priors": shares,
            "model": displays.settings(questions.PREDICT).get("model"),
            "rows": None,
            "threshold": None,
        }
        displays.ask(PredictQuestion, questions.PREDICT, **elsewhere)
asked = questions.asked(PredictQuestion, *experiment.known.values())
chosen = {name: asked[name] for name in ("level", "reject", "coverage", "rejection_cost")}
saved_model.show_problem()

rows = new_rows.ask(source, experiment, model, saved)
if rows is None:
    heading.header(new_rows.QUESTION, anchor=False)
    st.stop()
choices.ask_share(shares, model)
predicted = run.require(experiment, choice, model, rows, heading)
threshold = None
if predicted.predictions.can_have_threshold:
    with row.threshold:
        threshold = displays.ask(
            PredictQuestion,
            questions.PREDICT,
            "threshold",
            predictions=predicted.predictions,
        )["threshold"]
else:  # another model may have had one
    displays.set_settings(questions.PREDICT, threshold=None)
if not predicted.predictions.has_posteriors:
    chosen["reject"] = None
held_out = None
if not isinstance(choice, saved_model.Saved) and chosen["reject"] in SETS:
    held_out = run.predict_held_out(experiment, choice)
    chosen["reject"] = chosen["reject"] if held_out else None
chosen["threshold"] = threshold
try:
    shown = run.apply_question(predicted, PredictQuestion(priors=shares, **chosen), held_out)
except DataError as error:
    text.show_problem(error.notice)
    shown = run.apply_question(predicted, PredictQuestion(**chosen), held_out)

export_menu.add_results(predicted=predicted._replace(predictions=shown))
content = displays.parts(classes := shown.by_class())
heading.header(text.escape(content.finding), anchor=False)
heading.markdown(text.escape(content.scope))
if saved is not None:
    heading.caption(text.escape(f"{saved.name}: {saved.file.origin}"))
if isinstance(source, TypedRow):
    displays.body(classes, key="predict.one")
else:
    if isinstance(source, NewFile):
        panels.show_matching(shown.columns())
    panels.show_scores(shown.scores())
    panels.show_rows(shown)
if predicted.drift is not None:
    panels.show_drift(predicted.drift)
page_jobs.catch_up()
