"""Classify: one model, what it gets right, and the geometry of its decisions."""

import streamlit as st

from pages.ui.classify import export_model, geometry, model_choice, panels
from pages.ui.session import checks_line, sidebar, take_away
from pages.ui.session import panels as shared
from pages.ui.widgets import displays, text

experiment = sidebar.show("classify")

heading = st.container()
checks_line.show(experiment)
choice, model = geometry.show(experiment)

scores = model.scores()
said = displays.parts(scores)
heading.header(text.escape(said.finding), anchor=False)
heading.markdown(text.escape(said.scope))
displays.note(scores, key="classify.scores")

model_choice.show_steps(model, choice)
export_model.show(model)
take_away.keep(model=model)
shared.scores_row(model.results, model.name, model.data)
panels.show(experiment, choice, model)
