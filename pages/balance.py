"""Balance: what fewer rows of a class cost, why, and what buys it back."""

import streamlit as st

from lincore.report import balance_words
from pages.ui import (
    balance_costs,
    balance_jobs,
    balance_pictures,
    balance_scores,
    balance_setup,
    balance_sweep,
    balance_use,
    balance_why,
    checks_line,
    controls,
    jobs,
    sidebar,
    text,
)

experiment = sidebar.show()
data = experiment.data

st.caption("Balance · what fewer rows of a class cost, and what buys it back")
heading = st.container()
checks_line.show(experiment)
asked = balance_setup.ask(experiment)
repeats = balance_setup.repeats()
# What was asked for, or the former while that is at work.
one = balance_jobs.first(asked, data)
setup, first = one.setup, one.study
balance_setup.left_out(first)

with st.container(horizontal=True, vertical_alignment="bottom", key="balance.shown"):
    method = controls.choose(
        "Model",
        first.methods,
        key="balance.method",
        format_func=lambda name: balance_pictures.label(first, name),
        help="The one in the sentence, the pictures and the waterfall.",
        width=220,
    )
    loss = controls.choose(
        "Loss",
        first.loss_names,
        key="balance.loss",
        index=first.loss_names.index(balance_pictures.usual_loss(first)),
        format_func=lambda name: name[:1].upper() + name[1:],
        help="What is counted: errors, errors by class, confident errors, or one class alone.",
        width=220,
    )
    drawing, camera = balance_pictures.looks()
balance_pictures.show(setup, first, data, method, drawing, camera)

WHY, REMEDIES, SWEEP, PRIORS, COSTS, SCORES, OBJECTIVE = (
    "Why it fell",
    "Remedies",
    "Size by size",
    "Priors in use",
    "Costs",
    "Scores",
    "Objective",
)
tabs = st.tabs(
    [WHY, REMEDIES, SWEEP, PRIORS, COSTS, SCORES, OBJECTIVE],
    key="balance.tabs",
    on_change="rerun",
)
why, remedies, sweep, in_use, costs, scores, objective = tabs


def draw_study(job):
    """Draw what there is of the study, in the tab that is open."""
    shown = method if method in job.result.methods else job.result.methods[0]
    if remedies.open:
        balance_why.show_remedies(job.result, shown, loss)
    elif why.open:
        balance_why.show_parts(job.result, shown, loss)


with remedies if remedies.open else why:
    job = balance_jobs.study(one, data, repeats, draw=draw_study)
if sweep.open:
    with sweep:
        balance_jobs.sweep(one, data, draw=lambda job: balance_sweep.show(job.result, loss))
elif in_use.open:
    with in_use:
        balance_use.show(setup, first, data, method)
elif costs.open:
    with costs:
        balance_costs.show(setup, first, data, method, balance_costs.axes())
elif scores.open:
    with scores:
        balance_scores.show_scores(setup, first, data)
elif objective.open:
    with objective:
        balance_scores.show_objective(setup, first, data)
is_done = job is not None and job.is_over and job.result is not None
# A study of former settings stands with what it learned from, until it is brought up to date.
seen = job.result if is_done and (why.open or remedies.open) else first
with next(tab for tab in tabs if tab.open):
    st.caption(balance_pictures.learned_from(seen, data))

study = job.result if is_done and not job.is_stale((setup, repeats)) else first
shown = method if method in study.methods else study.methods[0]
finding = balance_words.balance_finding(study, shown, loss)
heading.header(text.escape(finding), anchor=False)
if len(study.seeds) > 1:
    heading.markdown(text.escape(balance_words.remedies_finding(study, shown, loss)))
elif job is not None and job.is_stale((setup, repeats)):
    heading.caption("The study below is of former settings: it waits to be brought up to date.")
jobs.catch_up()
