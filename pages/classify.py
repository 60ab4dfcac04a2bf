"""Classify: one model, what it gets right, and the geometry of its decisions."""

import streamlit as st

from lincore.report import words
from pages.ui import (
    checks_line,
    classify_fit,
    classify_geometry,
    classify_model,
    classify_panels,
    panels,
    sidebar,
    text,
)

experiment = sidebar.show()
data, _, split = experiment

st.caption("Classify · one model, seen from every side")
heading = st.container()
checks_line.show(experiment)
picture, options = st.columns([7, 3], gap="large")
with options:
    model = classify_model.ask(data, split)
with picture:
    fitted = classify_fit.require(experiment, model)

method = fitted.results.methods[0]
finding = words.classification_finding(fitted.results, method, rows=text.row_noun(data))
heading.header(text.escape(finding), anchor=False)
heading.markdown(text.escape(words.against_baseline(fitted.results, method)))

with options:
    classify_model.show_steps(fitted, data, split)
with picture:
    classify_geometry.show(experiment, model, fitted)
panels.scores_row(fitted.results, method, data)
classify_panels.show(experiment, model, fitted)
