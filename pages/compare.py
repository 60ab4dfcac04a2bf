"""Compare: scores of several classifiers, and the significance of their differences."""

import streamlit as st

from lincore import metrics, report
from pages.ui.compare import choices, panels, run, score_table
from pages.ui.jobs import page_jobs
from pages.ui.session import checks_line, sidebar, take_away
from pages.ui.widgets import text

experiment = sidebar.show("compare")
data = experiment.data

heading = st.container()
checks_line.show(experiment)
choice, row = choices.ask(experiment)
if choice is None:
    heading.header("Choose at least one model.", anchor=False)
    st.stop()
job = run.shown(data, choice)
if job is None:
    heading.header("Which model, and is the difference real?", anchor=False)
    st.stop()

shown = score_table.ask(data, job.settings, job.result, row)
results, rows = shown.results, text.row_noun(data)
finding = report.comparison_finding(results, shown.score, shown.rope)
finding = f"{finding} {report.best_finding(results, shown.score)}".rstrip()
heading.header(text.escape(finding), anchor=False)
take_away.keep(comparison=results, score=shown.score, rope=shown.rope)
baseline = ""
if shown.score == metrics.leading_score(results.class_counts):
    baseline = report.baseline_finding(results, results.methods[0], subject=shown.labels[0])
heading.markdown(text.escape(f"{baseline} {report.evaluation_scope(results, rows)}"))

score_table.figure(shown)
st.caption(text.escape(report.interval_method(results, shown.score)))
score_table.table(shown)
run.notes(results)
panels.show(shown)
page_jobs.catch_up()
