"""Controls of a classifier with its options and steps, for any page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import analysis, model_selection, report
from pages.ui.widgets import controls, experiment_record
from pages.ui.widgets.experiment_record import ALL, NUMBER, SHARED

if TYPE_CHECKING:
    from lincore.data import Dataset, Split
    from lincore.model_selection import Option

#: What makes QDA possible where rows of a class are few or its categories never vary.
_ENOUGH = 0.1
_NUMBER = "a number"
# Stands for None among the options of a select box, which takes None for "nothing chosen yet".
_NOTHING = "nothing"
# Where to begin when an option that has no number by default is given one.
_STARTS = {
    "shrinkage": 0.1,
    "learning_rate": 0.002,
    "max_iter": 100,
    "n_components": 1,
    "random_state": 0,
    "C": 1.0,
}


def word(data: Dataset, *, key: str, default: str = "lda") -> str:
    """Ask for a classifier; return its word in `lincore.model_selection.methods`."""
    words = model_selection.suitable_methods(data)
    return controls.choose(
        "Classifier",
        list(words),
        key=key,
        index=words.index(default) if default in words else 0,
        format_func=model_selection.CLASSIFIER_LABELS.__getitem__,
        help="The model to be fitted.",
    )


def options(name: str, *, key: str = SHARED) -> dict[str, Any]:
    """Ask for the options that matter of a classifier, and for the rest in an expander."""
    main = [option for option in model_selection.CLASSIFIER_OPTIONS[name] if option.main]
    rest = [option for option in model_selection.CLASSIFIER_OPTIONS[name] if not option.main]
    if main:
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}.{name}.main"):
            for option in main:
                _ask(name, option, key=key)
    if rest:
        with st.expander(
            "More options of the classifier", key=f"{key}.{name}.rest", on_change="rerun"
        ) as panel:
            for option in rest if panel.open else ():
                _ask(name, option, key=key)
    return experiment_record.chosen_options(name, key=key)


def offer_regularization(*, key: str, then: str = "", flag: str | None = None) -> None:
    """Offer to regularise QDA at a click."""

    def regularise() -> None:
        experiment_record.keep_option("qda", "regularization", _ENOUGH)
        if flag is not None:
            st.session_state[flag] = True

    st.button(
        f"Regularise QDA by {_ENOUGH}",
        key=key,
        on_click=regularise,
        help=f"Shrink the covariance of each class this far towards the pooled one{then}.",
    )


def line(name: str, chosen: Mapping[str, Any]) -> str:
    """Return the line of text that `lincore.compare` reads a method from."""
    return analysis.method_line(name, chosen)


def steps(data: Dataset, split: Split) -> model_selection.Steps:
    """Ask for the steps before a classifier; at first those of `default_steps`."""
    n_train, sparse = len(split.train), data.kind.is_sparse
    chosen = experiment_record.step_choice(data, n_train)
    if not sparse:
        controls.standardize(**_step("standardize", chosen.standardize))
    if experiment_record.can_be_projected(data, n_train):
        _components(data, n_train, chosen)
    if chosen.pca != ALL and not sparse:
        st.toggle(
            "Whiten",
            **_step("whiten", chosen.whiten),
            help="Scale every component to variance 1.",
        )
    if experiment_record.bases(data):
        _choose(
            "Image features" if data.kind.is_images else "Basis functions",
            experiment_record.bases(data),
            chosen.basis,
            partial(experiment_record.keep_step, "basis"),
            key=f"{SHARED}.basis",
            help="The grey levels themselves, or histograms of oriented gradients: directions of "
            "edges in cells of the image, which are less sensitive to shifts and lighting."
            if data.kind.is_images
            else "Functions of the features, which allow nonlinear boundaries.",
            width=220,
        )
    return experiment_record.chosen_steps(data, n_train)


def _components(data: Dataset, n_train: int, chosen: experiment_record.StepChoice) -> None:
    """Ask for principal components: none, for most of the variance, two, or a number."""
    labels = experiment_record.component_kinds(data)
    st.segmented_control(
        "Singular vectors" if data.kind.is_sparse else "Principal components",
        list(labels),
        required=True,
        format_func=labels.__getitem__,
        **_step("pca", chosen.pca),
        help="Replace the words by their first singular vectors, as Gaussian models require."
        if data.kind.is_sparse
        else "Replace the features by their first principal components: fewer lose information; "
        "the plot does not need them.",
    )
    if chosen.pca == NUMBER:
        st.number_input(
            "Components",
            1,
            experiment_record.most_components(data, n_train),
            step=1,
            **_step("components", chosen.components),
            help="Number of components used by the model.",
            width=180,
        )


def show_projection(data: Dataset, steps: model_selection.Steps, split: Split, *, who: str) -> None:
    """Write what stands in the place of the features, where something does."""
    sentence = report.projection_sentence(data, steps, len(split.train), who=who)
    if sentence:
        st.caption(sentence)


def _step(name: str, value: Any) -> dict[str, Any]:
    """Return the settings of a widget that shows and edits a step."""
    return controls.edits(f"{SHARED}.{name}", value, partial(experiment_record.keep_step, name))


def _ask(word: str, option: Option, *, key: str) -> None:
    """Ask for an option of a classifier."""
    value = experiment_record.chosen_options(word, key=key).get(option.name, option.default)
    labels = {choice.value: choice.label for choice in option.choices}
    widget = f"{key}.{word}.{option.name}"
    keep = partial(experiment_record.keep_option, word, option.name, key=key)
    if option.kind == "switch":
        st.toggle(option.label, **controls.edits(widget, value, keep), help=option.help)
    elif option.kind in ("choice", "method", "priors"):
        _choose(option.label, labels, value, keep, key=widget, help=option.help, width=260)
    elif not labels:
        _number(option, value, keep, key=widget, label=option.label)
    else:
        is_number = value not in labels
        start = _STARTS[option.name] if option.default in labels else option.default
        _choose(
            option.label,
            labels | {_NUMBER: _NUMBER},
            _NUMBER if is_number else value,
            lambda picked: keep(start if picked == _NUMBER else picked),
            key=f"{widget}.kind",
            help=option.help,
            width=220,
        )
        if is_number:
            _number(option, value, keep, key=widget, label=f"{option.label}: number")


def _choose(
    label: str,
    labels: Mapping[Any, str],
    value: Any,
    keep: Callable[[Any], None],
    *,
    key: str,
    help: str,
    width: int,
) -> None:
    """Ask for one of the keys of `labels`, None among them."""
    names = {_NOTHING if one is None else one: name for one, name in labels.items()}
    st.selectbox(
        label,
        list(names),
        format_func=names.__getitem__,
        **controls.edits(
            key,
            _NOTHING if value is None else value,
            lambda picked: keep(None if picked == _NOTHING else picked),
        ),
        help=help,
        width=width,
    )


def _number(
    option: Option, value: float, keep: Callable[[Any], None], *, key: str, label: str
) -> None:
    """Ask for a number within the range of an option."""
    whole = option.kind == "integer"
    kind: type[float] = int if whole else float
    least = option.low + 1e-12 if option.open_low else option.low
    st.number_input(
        label,
        None if least == -inf else kind(least),
        None if option.high == inf else kind(option.high),
        step=1 if whole else None,
        format="%d" if whole else "%.6g",
        **controls.edits(key, kind(value), keep),
        help=option.help,
        width=180,
    )
