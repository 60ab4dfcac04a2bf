"""Explore: where the training rows vary, where the classes part, and that these differ."""

import streamlit as st

from lincore.errors import DataError
from lincore.report import explore_words, words
from pages.ui import explore_options, explore_panels, explore_scores, explore_work, sidebar, text

experiment = sidebar.show()
data, split = experiment.data, experiment.split

st.caption("Explore · where the rows vary, and where the classes part")
heading = st.container()
options = explore_options.show(data, split)
choice = explore_work.Choice(data.digest, experiment.choice, options.standardize)
try:
    seen = explore_scores.choose(experiment, choice, options)
except DataError as error:
    heading.header("These rows cannot be projected.", anchor=False)
    text.show_problem(error.notice)
    st.stop()

n_train, rows = int(seen.projection.moments.count.sum()), text.row_noun(data)
if seen.projection.is_sparse:
    finding = explore_words.vectors_finding(seen.projection.shares, n_train)
else:
    finding = words.variance_finding(seen.projection.shares, n_train, rows=rows)
heading.header(finding, anchor=False)
if seen.fisher is not None:
    training, test = explore_work.separations(choice, seen.n_components, data)
    component = "singular vector" if seen.projection.is_sparse else "component"
    finding = explore_words.separation_finding(
        training, test, len(split.test), rows=rows, component=component
    )
    heading.markdown(text.escape(finding))

chosen = explore_scores.show(experiment, choice, options, seen)
explore_panels.show(experiment, choice, options, seen, chosen)
