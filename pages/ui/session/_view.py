"""Display of the pages as part of a specification: tabs, plots, planes, axes, cameras.

Each widget has a rule for what it may be given: its words, or the type of what it offers, which
depends on the data. What does not hold is left out; `controls.choose` and Streamlit's tabs forget
a value of the right type that they do not offer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

import streamlit as st

from lincore import displays as views
from lincore import fields
from lincore.errors import DataError
from pages.ui.widgets import displays

#: Of more points that were selected in a plot a link says nothing.
MOST_PICKED = 500

Rule: TypeAlias = Callable[[Any], bool]


def _among(*words: Any) -> Rule:
    return lambda value: any(type(value) is type(word) and value == word for word in words)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 200


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _is_position(value: Any) -> bool:
    return type(value) is int and -1 <= value < 10**6


def _are_positions(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_is_position, value))


def _are_picked(value: Any) -> bool:
    return _are_positions(value) and len(value) <= MOST_PICKED


def _all(rule: Rule, *keys: str) -> dict[str, Rule]:
    return dict.fromkeys(keys, rule)


#: Widgets of a display and their rules.
RULES: Mapping[str, Rule] = {
    **_all(_is_text, "explore.view", "explore.panels.images", "explore.panels.table3"),
    **_all(_is_text, "explore.panels.table2"),
    "explore.standardize": _is_switch,
    **_all(_are_picked, "explore.pca.picked", "explore.fisher.picked"),
    **_all(_are_picked, "explore.pair.picked", "classify.confusion.picked"),
    **_all(_is_text, "classify.panels", "compare.panels", "balance.tabs"),
    "classify.whatif.features": _are_positions,
    "balance.mode": _among("cost", "cut"),
}


#: Displays whose settings a link holds, and where the session keeps them.
DISPLAYS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "explore.rows": ("DescriptiveDisplay", ("rows",)),
    "explore.column": ("ColumnDisplay", ("column", "drawing", "bins", "heights")),
    "explore.pair": ("ColumnPairDisplay", ("x", "y", "ellipses")),
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
    "classify.plane": (
        "PlaneDisplay",
        (
            *("kind", "x", "y", "rest", "held", "rows", "drawing", "quantity", "focus"),
            *("camera", "ellipses", "counts"),
        ),
    ),
    "classify.confusion": ("ConfusionDisplay", ("cells",)),
    "classify.curves": ("RocDisplay", ("classes",)),
    "classify.calibration": ("CalibrationDisplay", ("of_class",)),
    "classify.convergence": ("ConvergenceDisplay", ("quantity", "across")),
    "classify.solvers": ("SolversDisplay", ("solvers", "rate", "other_rate")),
    "classify.coefficients": ("CoefficientsDisplay", ("line", "per_deviation")),
    "classify.odds": ("OddsRatiosDisplay", ("line",)),
    "classify.equation": ("EquationDisplay", ("first", "second")),
    "classify.learned.matrix": ("MatrixDisplay", ("which",)),
    "classify.learned.pair": ("LogRatioDisplay", ("first", "second")),
    "classify.whatif": ("WhatIfDisplay", ("row", "moved")),
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
