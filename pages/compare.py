"""Compare: scores of several classifiers, and the significance of their differences."""

import streamlit as st

from lincore.displays import ScoresDisplay
from pages.ui.compare import choices, panels, run
from pages.ui.frame import checks_line, export_menu, sidebar
from pages.ui.jobs import page_jobs
from pages.ui.session import questions
from pages.ui.widgets import displays, text

experiment = sidebar.show("compare")
data = experiment.data

heading = st.container()
checks_line.show(experiment)
choice, row = choices.ask(experiment)
if choice is None:
    heading.header("Choose at least one model.", anchor=False)
    st.stop()
job = run.to_show(data, choice)
if job is None:
    heading.header("Which model is best, and is the difference significant?", anchor=False)
    st.stop()

scores = ScoresDisplay(job.result, **choices.ask_score_and_rope(job.result, row))
content = displays.parts(scores)
heading.header(text.escape(content.finding), anchor=False)
export_menu.add_results(comparison=scores.ranked, score=scores.deciding, rope=scores.rope)

displays.figure(scores, key=questions.COMPARE)
st.markdown(text.escape(content.scope))
displays.details(scores, key=questions.COMPARE)
run.offer_regularization(job.result)
panels.show(scores, data, job.settings)
page_jobs.catch_up()
