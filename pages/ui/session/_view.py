"""Display of the pages as part of a specification: tabs, plots, planes, axes, cameras.

Each widget has a rule for what it may be given: its words, or the type of what it offers, which
depends on the data. What does not hold is left out; `controls.choose` and Streamlit's tabs forget
a value of the right type that they do not offer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import isfinite
from typing import Any, TypeAlias

import streamlit as st

from lincore import displays as views
from lincore import fields
from lincore.errors import DataError
from pages.ui.widgets import displays

#: Of more points that were selected in a plot a link says nothing.
MOST_PICKED = 500
_TYPED = re.compile(r"classify\.(held|whatif)\.[0-9a-f]{8,}\.")

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


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 < value < 10**6


def _are_positions(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_is_position, value))


def _are_picked(value: Any) -> bool:
    return _are_positions(value) and len(value) <= MOST_PICKED


def _are_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_is_text, value))


def _are_numbers(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        type(one) in (int, float) and isfinite(one) for one in value
    )


def _is_rate(value: Any) -> bool:
    return type(value) in (int, float) and 1e-9 <= value < 1e300


def _are_words_and_rates(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(_is_text(v) or _is_rate(v) for v in value)


def _all(rule: Rule, *keys: str) -> dict[str, Rule]:
    return dict.fromkeys(keys, rule)


#: Widgets of a display and their rules.
RULES: Mapping[str, Rule] = {
    **_all(_is_text, "explore.view", "explore.panels.images", "explore.panels.table3"),
    **_all(_is_text, "explore.panels.table2"),
    "explore.standardize": _is_switch,
    **_all(_are_picked, "explore.pca.picked", "explore.fisher.picked"),
    **_all(_are_picked, "explore.pair.picked", "classify.confusion.picked"),
    **_all(_is_text, "classify.plane", "classify.drawing", "classify.drawing.line"),
    **_all(_is_text, "classify.quantity", "classify.camera", "classify.panels"),
    **_all(_is_choice, "classify.focus", "classify.calibrated"),
    **_all(_is_position, "classify.x", "classify.y", "classify.feature.x", "classify.feature.y"),
    **_all(_is_switch, "classify.ellipses", "classify.counts"),
    "classify.heights": _is_text,
    "classify.curves": _are_positions,
    **_all(_is_switch, "classify.weights.comparable"),
    **_all(_is_position, "classify.learned.matrix", "classify.first", "classify.second"),
    "classify.solvers.chosen": _are_texts,
    **_all(_is_rate, "classify.solvers.rate0", "classify.solvers.rate1"),
    "classify.solvers.shown": _are_words_and_rates,
    **_all(_is_position, "classify.learned.pair.first", "classify.learned.pair.second"),
    "classify.rows": _among("test", "training", "all"),
    "classify.convergence.across": _among("iteration", "seconds"),
    "classify.convergence.quantity": _among("training loss", "excess", "gradient norm"),
    "classify.held.at": _among("median", "mean"),
    "classify.whatif.begin": _among("median", "test"),
    "classify.whatif.row": _is_count,
    **_all(_are_positions, "classify.held.features", "classify.whatif.features"),
    **_all(_are_numbers, "classify.held.values", "classify.whatif.values"),
    "classify.cells": _among("Counts", "By row", "By column"),
    "compare.panels": _is_text,
    "balance.tabs": _is_text,
    "balance.mode": _among("cost", "cut"),
}


#: Displays whose settings a link holds, and where the session keeps them.
DISPLAYS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "explore.rows": ("DescriptiveDisplay", ("rows",)),
    "explore.column": ("ColumnDisplay", ("column", "drawing", "bins", "heights")),
    "explore.pair": ("PairDisplay", ("x", "y", "ellipses")),
    "explore.correlations": ("CorrelationsDisplay", ("kind", "order", "most")),
    "explore.words": ("WordsDisplay", ("order", "most")),
    "explore.scatter": ("ScatterDisplay", ("dimensions", "rows")),
    "explore.pca": ("PcaDisplay", ("whiten", "x", "y", "z")),
    "explore.fisher": ("FisherDisplay", ("n_components", "x", "y", "z")),
    "explore.loadings": ("LoadingsDisplay", ("direction",)),
    "explore.reconstruction": ("ReconstructionDisplay", ("n_components", "image")),
    "compare.rows": ("DisagreementsDisplay", ("first", "second", "which")),
    "compare.planes": ("BoundariesDisplay", ("kind", "x", "y")),
    "compare.sizes": ("LearningCurveDisplay", ("bands",)),
    "balance.more": ("MoreRowsDisplay", ("more",)),
    "balance.sides": ("RegionsDisplay", ("remedy", "drawing", "camera", "kind", "x", "y")),
    "balance.priors": ("PriorsDisplay", ("code", "share")),
    "balance.errors": ("CostsDisplay", ("costs",)),
    "balance.sizes": ("SweepDisplay", ("kind",)),
    "predict.rows": ("PredictedRowsDisplay", ("order",)),
}


def read() -> dict[str, Any]:
    """Return what is displayed, as far as the session holds it."""
    held = {key: st.session_state.get(key) for key in RULES}
    shown = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in held.items()
        if value is not None and value != [] and RULES[key](value)
    }
    for key in DISPLAYS:
        shown |= {f"{key}.{name}": value for name, value in displays.settings(key).items()}
    return shown


def write(view: Mapping[str, Any]) -> None:
    """Let the pages display what a specification says, as far as it holds."""
    for key, value in view.items():
        if key in RULES and RULES[key](value):
            st.session_state[key] = list(value) if isinstance(value, tuple) else value
    for key, (record_type, names) in DISPLAYS.items():
        given = {name: view[f"{key}.{name}"] for name in names if f"{key}.{name}" in view}
        displays.set_settings(key, **dict.fromkeys(names))
        with suppress(DataError):  # a link made by hand
            displays.set_settings(key, **fields.checked(getattr(views, record_type), given))
    _forget_typed()


def _forget_typed() -> None:
    """Forget what stands in fields whose keys name the data: they begin with the values above."""
    for key in [key for key in st.session_state if isinstance(key, str)]:
        if _TYPED.match(key):
            del st.session_state[key]
