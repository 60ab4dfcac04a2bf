"""Classify: one model, its scores and errors, and the geometry of its decisions."""

import streamlit as st

from pages.ui.classify import export_model, geometry, model_choice, panels
from pages.ui.frame import checks_line, export_menu, sidebar
from pages.ui.widgets import displays, text

experiment = sidebar.show("classify")

heading = st.container()
checks_line.show(experiment)
choice, model = geometry.show(experiment)

scores = model.scores()
content = displays.parts(scores)
heading.header(text.escape(content.finding), anchor=False)
st.markdown(text.escape(content.scope))
displays.note(scores, key="classify.scores")

model_choice.show_steps(model, choice)
# Common settings of the jobs.
job_settings = (experiment.data.digest, experiment.choice, choice)
export_model.show(model, job_settings)
export_menu.add_results(model=model)
panels.show(model, job_settings)
