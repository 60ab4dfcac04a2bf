"""Disagreements of two models of a comparison: the rows or images, and which one is correct."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import metrics, report
from lincore.utils import p_equals
from pages.ui.widgets import controls, selection, text

if TYPE_CHECKING:
    from lincore.metrics import Disagreement
    from pages.ui.compare.score_table import Shown

KEY = "compare"


def show(shown: Shown) -> None:
    """Ask for two models, say which is correct where they disagree, and list the rows."""
    results, noun = shown.results, text.row_noun(shown.data)
    if len(results.methods) < 2:
        st.caption("Disagreements need two models.")
        return
    pair = _pair(shown)
    found = metrics.find_disagreements(results, *pair)
    labels = dict(zip(results.methods, shown.labels, strict=True))
    first, second = (labels[name] for name in pair)
    st.markdown(f"**{text.escape(report.disagreement_finding(found, first, second, rows=noun))}**")
    st.caption(text.escape(_test(shown, pair)))
    if results.repetition.max(initial=0):
        st.caption(f"Of the first repetition, in which each of the {noun} is tested once.")
    if not len(found.rows):
        return
    parts = {
        f"{first} alone is correct": found.only_first,
        f"{second} alone is correct": found.only_second,
        "Neither is correct": found.neither,
    }
    counts = {name: int(part.sum()) for name, part in parts.items() if part.any()}
    name = controls.choose(
        "Which",
        list(counts),
        key=f"{KEY}.which",
        format_func=lambda name: f"{name} ({counts[name]:,})",
        help="The errors of largest posterior come first.",
        width=360,
    )
    _list(shown, found.where(parts[name]), first, second, name)


def _pair(shown: Shown) -> tuple[str, str]:
    methods = list(shown.results.methods)
    labels = dict(zip(methods, shown.labels, strict=True))
    with st.container(horizontal=True, key=f"{KEY}.pair"):
        first = controls.choose(
            "First model",
            methods,
            key=f"{KEY}.first",
            format_func=labels.__getitem__,
            help="One of the two whose predictions are laid beside each other.",
            width=300,
        )
        others = [name for name in methods if name != first]
        second = controls.choose(
            "Second model",
            others,
            key=f"{KEY}.second",
            index=_first_that_differs(shown, first, others),
            format_func=labels.__getitem__,
            help="The other one.",
            width=300,
        )
    return first, second


def _first_that_differs(shown: Shown, first: str, others: list[str]) -> int:
    predicted, position = shown.results.predicted, shown.results.position
    differ = [bool((predicted[position(first)] != predicted[position(o)]).any()) for o in others]
    return differ.index(True) if True in differ else 0


def _test(shown: Shown, pair: tuple[str, str]) -> str:
    """Say what the test of the score that decides says of the two, as under all pairs."""
    labels = dict(zip(shown.results.methods, shown.labels, strict=True))
    for d in metrics.pairwise_differences(shown.results, shown.score, shown.rope):
        if {d.first, d.second} == set(pair):
            named = d._replace(first=labels[d.first], second=labels[d.second])
            p = "" if d.p != d.p else f" {p_equals(d.p)}; {p_equals(d.p_holm)} "
            after = f"{p}after Holm over all pairs." if p else ""
            return f"{report.difference_finding(named)} {d.test}:{after}"
    return ""


def _list(shown: Shown, found: Disagreement, first: str, second: str, title: str) -> None:
    classes = [str(label) for label in shown.data.classes]
    says = {
        f"{who} predicts": [classes[code] for code in predicted]
        for who, predicted in zip((first, second), found.predicted, strict=True)
    }
    sure = {
        f"{who}: p": proba.round(3)
        for who, proba in zip((first, second), found.proba, strict=True)
        if (proba == proba).all()
    }
    captions = [
        f"{a} / {b}" for a, b in zip(*(says[name] for name in says), strict=True)
    ]  # images stand in the order of the rows
    selection.show_rows(
        shown.data,
        found.rows,
        key=f"{KEY}.rows",
        columns=says | sure,
        captions=captions,
        title=title,
        config={name: st.column_config.NumberColumn(format="%.3f") for name in sure},
    )
    if shown.data.kind.is_images:
        st.caption(text.escape(f"Over each image: prediction of {first} / of {second}."))
