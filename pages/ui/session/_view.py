"""Display of the pages as part of a specification: tabs, plots, planes, axes, cameras.

Each widget has a rule for what it may be given: its words, or the type of what it offers, which
depends on the data. What does not hold is left out; `controls.choose` and Streamlit's tabs forget
a value of the right type that they do not offer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import streamlit as st

from lincore import imbalance

Rule: TypeAlias = Callable[[Any], bool]


def _among(*words: Any) -> Rule:
    return lambda value: any(type(value) is type(word) and value == word for word in words)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 200


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _is_position(value: Any) -> bool:
    return type(value) is int and -1 <= value < 10**6


def _is_choice(value: Any) -> bool:
    return _is_text(value) or _is_position(value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300


def _is_rate(value: Any) -> bool:
    return _is_number(value) and value >= 1e-9


def _is_cost(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _each(rule: Rule) -> Rule:
    return lambda value: isinstance(value, tuple) and all(map(rule, value))


def _is_number_or_word(value: Any) -> bool:
    return _is_number(value) or _is_text(value)


def _all(rule: Rule, *keys: str) -> dict[str, Rule]:
    return dict.fromkeys(keys, rule)


#: Widgets of a display and their rules.
RULES: Mapping[str, Rule] = {
    **_all(_is_text, "explore.view", "explore.plot.numeric", "explore.plot.levels"),
    **_all(_is_text, "explore.correlations.scope", "explore.correlations.order"),
    **_all(_is_text, "explore.words.order", "explore.panels.images", "explore.panels.table3"),
    **_all(_is_text, "explore.panels.table2", "explore.panels.words"),
    **_all(_is_position, "explore.column", "explore.pair.x", "explore.pair.y", "explore.direction"),
    **_all(_is_position, "explore.x", "explore.y", "explore.z", "explore.fisher.x"),
    **_all(_is_position, "explore.fisher.y", "explore.fisher.z", "explore.fisher_components"),
    **_all(_is_position, "explore.correlations.most", "explore.words.most"),
    "explore.bins": _among(10, 20, 30, 60),
    **_all(_is_switch, "explore.pair.ellipses", "explore.standardize", "explore.whiten"),
    "explore.rows": _among("all", "train", "test"),
    "explore.part": _among("train", "test"),
    "explore.dimensions": _among(2, 3),
    "explore.heights": _among("shares", "rows"),
    **_all(_is_text, "classify.plane", "classify.drawing", "classify.drawing.line"),
    **_all(_is_text, "classify.quantity", "classify.heights", "classify.camera", "classify.panels"),
    **_all(_is_choice, "classify.focus", "classify.calibrated"),
    **_all(_is_position, "classify.x", "classify.y", "classify.feature.x", "classify.feature.y"),
    **_all(_is_switch, "classify.ellipses", "classify.counts"),
    **_all(_is_position, "classify.first", "classify.second", "classify.weights.class"),
    **_all(_is_position, "classify.odds.class", "classify.whatif.row", "classify.learned.matrix"),
    **_all(_is_position, "classify.learned.pair.first", "classify.learned.pair.second"),
    **_all(_each(_is_position), "classify.curves", "classify.whatif.features"),
    **_all(_each(_is_position), "classify.held.features"),
    **_all(_each(_is_number), "classify.held.values", "classify.whatif.moved"),
    **_all(_is_rate, "classify.solvers.rate0", "classify.solvers.rate1"),
    "classify.solvers.chosen": _each(_is_text),
    "classify.solvers.shown": _each(_is_number_or_word),
    "classify.held.at": _among("median", "mean"),
    "classify.whatif.begin": _among("median", "test"),
    "classify.convergence.quantity": _among("training loss", "excess", "gradient norm"),
    "classify.convergence.across": _among("iteration", "seconds"),
    "classify.cells": _among("Counts", "By row", "By column"),
    **_all(_is_text, "compare.panels", "compare.plane", "compare.first", "compare.second"),
    **_all(_is_text, "compare.which"),
    **_all(_is_position, "compare.axes.x", "compare.axes.y"),
    **_all(_is_text, "balance.tabs", "balance.camera", "balance.plane", "balance.kind"),
    **_all(_is_position, "balance.x", "balance.y", "balance.use.class", "balance.cost.more"),
    **_all(_each(_is_cost), "balance.costs.given"),
    "balance.remedy": _among("uncorrected", *imbalance.REMEDIES),
    **_all(_is_text, "predict.source", "predict.order"),
    "balance.mode": _among("cost", "cut"),
    "balance.drawing": _among("Boundary", "Contour", "Surface", "All models"),
}


#: Widgets of which there is one for each class.
_SHARE = re.compile(r"balance\.use\.share\.\d{1,4}")


def read() -> dict[str, Any]:
    """Return what is displayed, as far as the session holds it."""
    shares = [str(key) for key in st.session_state if _SHARE.fullmatch(str(key))]
    held = {key: st.session_state.get(key) for key in (*RULES, *shares)}
    plain = {k: tuple(value) if isinstance(value, list) else value for k, value in held.items()}
    return {key: value for key, value in plain.items() if value is not None and _holds(key, value)}


def write(view: Mapping[str, Any]) -> None:
    """Let the pages display what a specification says, as far as it holds."""
    for key, value in view.items():
        if _holds(key, value):
            st.session_state[key] = list(value) if isinstance(value, tuple) else value


def _holds(key: str, value: Any) -> bool:
    if _SHARE.fullmatch(key):
        return type(value) is int and 1 <= value <= 99
    return key in RULES and RULES[key](value)
