"""Explore: where the training rows vary, and where the classes lie in it."""

import streamlit as st

from lincore import plots
from lincore.errors import DataError
from lincore.experiments.pipeline import before_classifier
from lincore.report import words
from pages.ui import cached, controls, sidebar, text

SHOWN_COMPONENTS = 10

experiment = sidebar.show()
data, choice, split = experiment

st.caption("Explore · principal components of the training part")
heading = st.container()
standardize = controls.standardize(data, key="explore.standardize")
try:
    most = min(SHOWN_COMPONENTS, data.n_features, len(split.train))
    pipeline = cached.components(data.digest, choice, standardize, most, data)
except DataError as error:
    text.show_problem(error.notice)
    st.stop()

pca = pipeline.named_steps["pca"]
finding = words.variance_finding(pca.all_variances_, len(split.train), rows=text.row_noun(data))
heading.header(finding, anchor=False)

names = [f"Component {i + 1}" for i in range(pca.n_components_)]
axes = controls.axes(names, key="explore")
scores = before_classifier(pipeline, data.X[split.train])[:, list(axes)]
controls.figure(
    plots.scatter(
        scores,
        data.codes[split.train],
        data.classes,
        [names[axis] for axis in axes],
        title="Training rows along two principal components",
        rows=split.train,
    ),
    key="explore.scores",
)
st.caption(
    f"{len(split.train):,} training {text.row_noun(data)}. The axes are those of most variance: "
    "they do not look at the classes."
)
controls.figure(plots.scree(pca, show_kept=False), key="explore.scree")
if data.image_shape and not standardize:
    controls.figure(
        plots.images(
            pca.components_.reshape(-1, *data.image_shape),
            names,
            columns=SHOWN_COMPONENTS // 2,
            title="The components as pictures",
        ),
        key="explore.eigenimages",
    )
    st.caption("Light pixels push a score up, dark ones down.")
