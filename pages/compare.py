"""Compare: which classifier is best, and whether the difference is real."""

import streamlit as st

from lincore.experiments.class_ratio import leading_score
from lincore.report import compare_words, words
from pages.ui import (
    checks_line,
    compare_choice,
    compare_panels,
    compare_run,
    compare_scores,
    jobs,
    sidebar,
    text,
)

experiment = sidebar.show()
data = experiment.data

st.caption("Compare · which model, and is the difference real")
heading = st.container()
checks_line.show(experiment)
choice, row = compare_choice.ask(experiment)
if choice is None:
    heading.header("Choose at least one model.", anchor=False)
    st.stop()
job = compare_run.shown(data, choice)
if job is None:
    heading.header("Which model, and is the difference real?", anchor=False)
    st.stop()

shown = compare_scores.ask(data, job.settings, job.result, row)
results, rows = shown.results, text.row_noun(data)
finding = words.comparison_finding(results, shown.score, shown.rope)
heading.header(text.escape(finding), anchor=False)
best = ""
if shown.score == leading_score(results.class_counts):
    best = words.against_baseline(results, results.methods[0], subject=shown.labels[0])
heading.markdown(text.escape(f"{best} {compare_words.scope(results, rows)}"))

compare_scores.figure(shown)
st.caption(compare_words.rule(results, shown.score))
compare_scores.table(shown)
compare_run.notes(results)
compare_panels.show(shown)
jobs.catch_up()
