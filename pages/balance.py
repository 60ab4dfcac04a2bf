"""Balance: the cost of an imbalance, its causes, and its remedies."""

import streamlit as st

from pages.ui.balance import cost, question, reduction
from pages.ui.jobs import page_jobs
from pages.ui.session import checks_line, sidebar

experiment = sidebar.show("balance")
heading = st.container(key="balance.heading")
checks_line.show(experiment)
row = st.container(horizontal=True, vertical_alignment="bottom", key="balance.row")
with row:
    mode = question.ask(experiment)
if mode == question.COST:
    cost.show(experiment, heading, row)
else:
    reduction.show(experiment, heading, row)
page_jobs.catch_up()
