"""Display of the pages as part of a specification: tabs, plots, planes, axes, cameras.

Each widget has a rule for what it may be given: its words, or the type of what it offers, which
depends on the data. What does not hold is left out; `controls.choose` and Streamlit's tabs forget
a value of the right type that they do not offer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import streamlit as st

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
    **_all(_is_switch, "explore.pair.ellipses", "explore.standardize", "explore.whiten"),
    "explore.rows": _among("all", "train", "test"),
    "explore.part": _among("train", "test"),
    "explore.dimensions": _among(2, 3),
    "explore.heights": _among("shares", "rows"),
    **_all(_is_text, "classify.plane", "classify.drawing", "classify.drawing.line"),
    **_all(_is_text, "classify.quantity", "classify.camera", "classify.panels"),
    **_all(_is_choice, "classify.focus", "classify.calibrated"),
    **_all(_is_position, "classify.x", "classify.y", "classify.feature.x", "classify.feature.y"),
    **_all(_is_switch, "classify.ellipses", "classify.counts"),
    "classify.cells": _among("Counts", "By row", "By column"),
    **_all(_is_text, "compare.panels", "compare.plane", "compare.first", "compare.second"),
    **_all(_is_text, "compare.which"),
    **_all(_is_position, "compare.axes.x", "compare.axes.y"),
    **_all(_is_text, "balance.tabs", "balance.camera", "balance.plane", "balance.kind"),
    **_all(_is_position, "balance.x", "balance.y", "balance.use.class"),
    **_all(_is_text, "predict.source", "predict.order"),
    "balance.mode": _among("cost", "cut"),
    "balance.drawing": _among("Boundary", "Contour", "Surface", "All models"),
}


def read() -> dict[str, Any]:
    """Return what is displayed, as far as the session holds it."""
    held = {key: st.session_state.get(key) for key in RULES}
    return {key: value for key, value in held.items() if value is not None and RULES[key](value)}


def write(view: Mapping[str, Any]) -> None:
    """Let the pages display what a specification says, as far as it holds."""
    for key, value in view.items():
        if key in RULES and RULES[key](value):
            st.session_state[key] = value
