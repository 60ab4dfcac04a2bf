"""Balance: the cost of an imbalance, its causes, and its remedies."""

import streamlit as st

from lincore.analysis import BalanceMode
from pages.ui.balance import cost, reduction
from pages.ui.frame import checks_line, sidebar
from pages.ui.jobs import page_jobs
from pages.ui.session import questions
from pages.ui.widgets import displays

experiment = sidebar.show("balance")
heading = st.container(key="balance.heading")
checks_line.show(experiment)
row = st.container(horizontal=True, vertical_alignment="bottom", key="balance.row")
with row:
    displays.ask(BalanceMode, questions.BALANCE, width=250, counts=experiment.counts)
if questions.balance_mode(experiment.counts) == "cost":
    cost.show(experiment, heading, row)
else:
    reduction.show(experiment, heading, row)
page_jobs.catch_up()
