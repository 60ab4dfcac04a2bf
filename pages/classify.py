"""Classify: one model, what it gets right, and the geometry of its decisions."""

import streamlit as st

from lincore.report import words
from pages.ui import (
    checks_line,
    classify_geometry,
    classify_model,
    classify_panels,
    panels,
    sidebar,
    text,
)

experiment = sidebar.show()
data, _, split = experiment

heading = st.container()
checks_line.show(experiment)
model, fitted = classify_geometry.show(experiment)

method = fitted.results.methods[0]
finding = words.classification_finding(fitted.results, method, rows=text.row_noun(data))
heading.header(text.escape(finding), anchor=False)
heading.markdown(text.escape(words.against_baseline(fitted.results, method)))

classify_model.show_steps(fitted, model, data, split)
panels.scores_row(fitted.results, method, data)
classify_panels.show(experiment, model, fitted)
