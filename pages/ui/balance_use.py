"""Other shares and other costs than in training: everything scored anew, nothing fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.ui import balance_pictures, controls, text

if TYPE_CHECKING:
    import numpy as np

    from lincore.datasets import Dataset
    from lincore.experiments.results import Results
    from lincore.experiments.study import BalanceStudy
    from pages.ui.balance_setup import Setup

CLASS, SHARE = "balance.use.class", "balance.use.share"
COSTS = "balance.costs"
VERSION = "balance.costs.version"
#: A table of costs for more classes than this is no table to fill in.
MOST_COSTS = 12
N_SHARES = 25


@st.fragment
def show_priors(setup: Setup, study: BalanceStudy, data: Dataset, method: str) -> None:
    """Ask for the share of a class in use and score every model under it."""
    from lincore import plots

    cell = _cell()
    code, new = _ask(study, data)
    results = balance_pictures.named(study, cell)
    _priors_table(results, study, cell, new)
    st.caption(
        f"{_whose(cell)}. {len(results.rows):,} test {text.row_noun(data)}, weighted to these "
        "shares; 95 % intervals. A model that is told the shares has its posteriors multiplied "
        "by new over old; nothing is fitted again."
    )
    called = balance_pictures.label(study, method)
    shares, curves = _curves(setup, method, cell, code, study)
    controls.figure(
        plots.sweep(
            100 * shares,
            curves[..., 0],
            curves[..., 1],
            curves[..., 2],
            [f"{called}, as trained", f"{called}, told the shares"],
            across=f"share of {data.classes[code]} in use (%)",
            score="error",
        ),
        key="balance.use.curve",
    )


@st.fragment
def show_costs(
    setup: Setup, study: BalanceStudy, data: Dataset, method: str, axes: tuple[int, ...]
) -> None:
    """Ask what errors cost, score decisions of least expected cost, and draw their boundary."""
    from lincore.experiments import in_use, priors

    if data.n_classes > MOST_COSTS:
        st.info(f"Costs of {data.n_classes} classes make too large a table; up to {MOST_COSTS}.")
        return
    cell = _cell()
    code, new = _shares(study, data)
    st.caption("What an error costs, in any unit, by true and by predicted class: change a number.")
    costs = _costs(data)
    results = balance_pictures.named(study, cell)
    bold = priors.reprior(results, in_use.priors_of(study, cell), new)
    careful = in_use.decided(bold, costs)
    _costs_table(bold, careful, new, costs)
    st.caption(
        f"{_whose(cell)}, told that {text.escape(data.classes[code])} has {100 * new[code]:.0f} % "
        f"in use (the slider under Priors). {len(results.rows):,} test {text.row_noun(data)}, "
        "weighted to the shares in use; 95 % intervals."
    )
    _costs_pictures(setup, study, data, method, axes, bold, careful, new, costs)


def axes(study: BalanceStudy, data: Dataset) -> tuple[int, ...]:
    """Return the axes that the pictures above are drawn along."""
    chosen = (st.session_state.get(f"balance.{end}") for end in "xy")
    found = tuple(int(axis) for axis in chosen if axis is not None)
    return found if len(found) == 2 else (0, 1)


def _costs_pictures(
    setup: Setup,
    study: BalanceStudy,
    data: Dataset,
    method: str,
    axes: tuple[int, ...],
    bold: Results,
    careful: Results,
    new: np.ndarray,
    costs: np.ndarray,
) -> None:
    from lincore import plots
    from lincore.experiments import in_use
    from lincore.experiments.arm_views import as_taken, shifted, with_costs
    from lincore.experiments.scores import has_posteriors

    called, cell = balance_pictures.label(study, method), _cell()
    if not has_posteriors(bold, called):
        st.caption(f"{text.escape(called)} has no posteriors, so costs do not move its boundary.")
        return
    old = in_use.priors_of(study, cell)[study.methods.index(method)]
    view = balance_pictures.views(setup, (method,), cell, axes, study, data)[1]
    moved = shifted(view, in_use.shift_between(old, new))
    frame = plots.Frame.of(moved)
    pair = {
        "most probable class": as_taken(moved, bold, called),
        "least expected cost": as_taken(with_costs(moved, costs), careful, called),
    }
    for column, (what, each) in zip(st.columns(2, gap="medium"), pair.items(), strict=True):
        with column:
            figure = plots.boundary(each, frame=frame, title=f"{called}, {what}")
            controls.figure(figure, key=f"balance.costs.{what.split()[0]}")


def _cell() -> str:
    """Return what stands on the right; a threshold is another way to say what priors say."""
    cell = balance_pictures.applied()
    return "reduced" if cell == "moved threshold" else cell


def _whose(cell: str) -> str:
    if cell == "reduced":
        return "Trained on the reduced set"
    return f"Trained on the reduced set with {'both corrections' if cell == 'both' else cell}"


def _full_shares(study: BalanceStudy) -> np.ndarray:
    return study.counts["full"] / study.counts["full"].sum()


def _shares(study: BalanceStudy, data: Dataset) -> tuple[int, np.ndarray]:
    """Return the class whose share was set, and the shares of all."""
    import numpy as np

    from lincore.experiments.in_use import with_share

    full = _full_shares(study)
    code = st.session_state.get(CLASS)
    if code is None or not 0 <= code < data.n_classes:
        code = int(np.flatnonzero(study.is_reduced)[0])
    percent = st.session_state.get(f"{SHARE}.{code}")
    return int(code), full if percent is None else with_share(full, code, percent / 100)


def _ask(study: BalanceStudy, data: Dataset) -> tuple[int, np.ndarray]:
    """Ask for the share of one class; the others divide the rest as in the full set."""
    from lincore.experiments.in_use import with_share

    before, _ = _shares(study, data)
    left, right = st.columns([1, 2], gap="large")
    with left:
        code = controls.choose(
            "Class",
            list(range(data.n_classes)),
            key=CLASS,
            index=before,
            format_func=lambda k: text.escape(data.classes[k]),
            help="The others divide what is left as in the full training set.",
        )
    full = _full_shares(study)
    with right:
        share = st.slider(
            f"Share of {text.escape(data.classes[code])} expected in use",
            1,
            99,
            min(max(round(100 * float(full[code])), 1), 99),
            format="%d %%",
            key=f"{SHARE}.{code}",
            persist_state="session",
            help="Everything is scored anew at once; nothing is fitted.",
        )
    return code, with_share(full, code, share / 100)


def _priors_table(results: Results, study: BalanceStudy, cell: str, new: np.ndarray) -> None:
    import pandas as pd

    from lincore.experiments import in_use, priors
    from lincore.report.balance_rows import amount

    told = priors.reprior(results, in_use.priors_of(study, cell), new)
    rows = []
    for name in results.methods:
        row = {"model": name}
        for what, found in (("as trained", results), ("told the shares", told)):
            row[f"error (%), {what}"] = amount(in_use.error_in_use(found, name, new), "error")
        for what, found in (("as trained", results), ("told the shares", told)):
            loss = in_use.log_loss_in_use(found, name, new)
            row[f"log loss, {what}"] = amount(loss, "log loss")
        rows.append(row)
    with st.container(key="balance.use.rows"):
        st.dataframe(
            pd.DataFrame(rows),
            hide_index=True,
            alt="Error and log loss of every model with the shares expected in use.",
        )


def _costs_table(bold: Results, careful: Results, new: np.ndarray, costs: np.ndarray) -> None:
    import pandas as pd

    from lincore.experiments import in_use
    from lincore.report.balance_rows import amount

    rows = []
    for name in bold.methods:
        before, after = (in_use.cost_in_use(r, name, new, costs) for r in (bold, careful))
        error = in_use.error_in_use(careful, name, new)
        rows.append(
            {
                "model": name,
                "cost of the most probable class": amount(before, "log loss"),
                "cost of the cheapest decision": amount(after, "log loss"),
                "error of the cheapest decision (%)": amount(error, "error"),
            }
        )
    with st.container(key="balance.costs.rows"):
        st.dataframe(
            pd.DataFrame(rows), hide_index=True, alt="Expected cost of a row, for every model."
        )


def _costs(data: Dataset) -> np.ndarray:
    """Ask for the cost of each error."""
    import numpy as np
    import pandas as pd

    stored = st.session_state.get(COSTS)
    if stored is None or len(stored) != data.n_classes:
        stored = 1.0 - np.eye(data.n_classes)
        st.session_state[COSTS] = stored
    key = f"balance.costs.table.{st.session_state.get(VERSION, 0)}"
    names = [str(k) for k in range(data.n_classes)]
    frame = pd.DataFrame(stored, columns=names)
    frame.insert(0, "true class", [str(label) for label in data.classes])
    config: dict[str, Any] = {
        name: st.column_config.NumberColumn(f"taken for {text.escape(label)}", min_value=0.0)
        for name, label in zip(names, data.classes, strict=True)
    }
    st.data_editor(
        frame,
        key=key,
        hide_index=True,
        disabled=["true class"],
        column_config=config,
        on_change=_edit,
        args=(key,),
        alt="What it costs to take a row of a class for another.",
    )
    return np.asarray(stored)


def _edit(key: str) -> None:
    costs = st.session_state[COSTS].copy()
    for row, change in st.session_state[key]["edited_rows"].items():
        for column, value in change.items():
            if value is not None:
                costs[int(row), int(column)] = float(value)
    st.session_state[COSTS] = costs
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def _curves(
    setup: Setup, method: str, cell: str, code: int, _study: BalanceStudy
) -> tuple[np.ndarray, np.ndarray]:
    """Return shares of a class, and the error of a method as trained and told of them."""
    import numpy as np

    from lincore.experiments import in_use

    position = _study.methods.index(method)
    results = _study.example.results[cell].select(method)
    old = in_use.priors_of(_study, cell)[position]
    shares = np.geomspace(0.01, 0.95, N_SHARES)
    curves = [in_use.by_share(results, old, code, shares, corrected=told) for told in (False, True)]
    return shares, np.vstack(curves)
