"""Classify: one model, what it gets right, and the geometry of its decisions."""

import streamlit as st

from lincore import report
from pages.ui.classify import detail_panels, export_model, geometry, model_choice
from pages.ui.session import checks_line, panels, sidebar, take_away
from pages.ui.widgets import text

experiment = sidebar.show("classify")
data, _, split = experiment

heading = st.container()
checks_line.show(experiment)
model, fitted = geometry.show(experiment)

method = fitted.results.methods[0]
finding = report.classification_finding(fitted.results, method, rows=text.row_noun(data))
heading.header(text.escape(finding), anchor=False)
heading.markdown(text.escape(report.baseline_finding(fitted.results, method)))

model_choice.show_steps(fitted, model, data, split)
export_model.show(experiment, fitted)
take_away.keep(model=(fitted.pipeline, fitted.results))
panels.scores_row(fitted.results, method, data)
detail_panels.show(experiment, model, fitted)
