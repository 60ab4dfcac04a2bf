"""Balance: what an imbalance costs, why, and what recovers it."""

import streamlit as st

from pages.ui import balance_cost, balance_cut, balance_mode, checks_line, jobs, sidebar

experiment = sidebar.show()
heading = st.container(key="balance.heading")
checks_line.show(experiment)
row = st.container(horizontal=True, vertical_alignment="bottom", key="balance.row")
with row:
    mode = balance_mode.ask(experiment)
if mode == balance_mode.COST:
    balance_cost.show(experiment, heading, row)
else:
    balance_cut.show(experiment, heading, row)
jobs.catch_up()
