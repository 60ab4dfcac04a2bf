"""Classify: one model, what it gets right, and the geometry of its decisions."""

import streamlit as st

from lincore import plots
from lincore.errors import DataError
from lincore.report import words
from pages.ui import cached, controls, models, panels, sidebar, text

experiment = sidebar.show()
data, choice, split = experiment

st.caption("Classify · linear discriminant analysis")
heading = st.container()
model = models.lda(data, split, key="classify")
try:
    fitted = cached.classify(data.digest, choice, model, data)
except DataError as error:
    text.show_problem(error.notice)
    st.stop()

method = fitted.results.methods[0]
finding = words.classification_finding(fitted.results, method, rows=text.row_noun(data))
heading.header(text.escape(finding), anchor=False)
heading.markdown(text.escape(words.against_baseline(fitted.results, method)))

drawing = st.segmented_control(
    "Picture",
    ["Contour", "Surface", "Boundary"],
    default="Contour",
    required=True,
    key="classify.drawing",
    persist_state="session",
    label_visibility="collapsed",
)
axes = controls.axes(models.coordinate_names(fitted.pipeline, data), key="classify")
view = cached.view(data.digest, choice, model, axes, data)
if drawing == "Surface":
    picture = plots.surface(view, camera=models.camera(key="classify.camera"))
elif drawing == "Boundary":
    picture = plots.boundary(view)
else:
    picture = plots.contour(view, **models.contour_options(data, key="classify"))
controls.figure(picture, key=f"classify.{drawing.lower()}")
st.caption(f"{len(split.test):,} test {text.row_noun(data)}. {text.escape(view.caption)}")

panels.scores_row(fitted.results, method, data)
left, right = st.columns([3, 2], gap="large")
with left:
    controls.figure(plots.confusion(fitted.results, method), key="classify.confusion")
with right:
    models.steps(fitted.pipeline, data, split)
