"""Controls of a classifier with its options and steps, for any page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import model_selection, report
from lincore.utils import percent
from pages.ui.widgets import controls

if TYPE_CHECKING:
    from lincore.data import Dataset, Split
    from lincore.model_selection import Option

# Beyond this many coordinates a covariance by class is slow to look at in a browser.
MOST_COMPONENTS = 200
# A basis of more columns than this is no teaching example any more.
MOST_BASIS_FEATURES = 12
# Principal components: none, for most of the variance, two, or a number.
ALL, SHARE, TWO, NUMBER = "all", "share", "two", "number"
FIRST_COMPONENTS, FIRST_WORD_COMPONENTS = 20, 50
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
_BASES = {
    None: "None",
    "polynomial(degree=2)": "Quadratic",
    "polynomial(degree=3)": "Cubic",
    "trigonometric": "Fourier",
    "radial": "RBF",
    "kernel": "Kernel",
}


def word(data: Dataset, *, key: str, default: str = "lda") -> str:
    """Ask for a classifier; return its word in `lincore.model_selection.methods`."""
    words = suitable(data)
    return controls.choose(
        "Classifier",
        words,
        key=key,
        index=words.index(default) if default in words else 0,
        format_func=model_selection.CLASSIFIER_LABELS.__getitem__,
        help="What learns from the training rows.",
    )


def suitable(data: Dataset) -> list[str]:
    """Return the words of the classifiers that the rows allow: multinomial ones want counts."""
    words = [name for name in model_selection.CLASSIFIER_FACTORIES if name != "multinomial-nb"]
    if not counts(data):
        return words
    return ["multinomial-nb", *words] if data.kind.is_sparse else [*words, "multinomial-nb"]


def counts(data: Dataset) -> bool:
    """Tell whether every feature is a count: words, pixels, whole numbers from 0."""
    if data.kind.is_sparse:
        return data.n_words == data.n_features
    if data.X.dtype.kind in "ub":
        return True
    if data.has_categories:
        return False
    return not data.has_missing and bool((data.X >= 0).all() and (data.X % 1 == 0).all())


def options(name: str, data: Dataset, *, key: str) -> dict[str, Any]:
    """Ask for the options that matter of a classifier, and for the rest in an expander.

    Returns
    -------
    dict
        Those that differ from their defaults.
    """
    chosen: dict[str, Any] = {}
    main = [option for option in model_selection.CLASSIFIER_OPTIONS[name] if option.main]
    rest = [option for option in model_selection.CLASSIFIER_OPTIONS[name] if not option.main]
    if main:
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}.main"):
            for option in main:
                chosen[option.name] = _ask(option, data, key=f"{key}.{name}.{option.name}")
    if rest:
        with st.expander("More options of the classifier", key=f"{key}.rest"):
            for option in rest:
                chosen[option.name] = _ask(option, data, key=f"{key}.{name}.{option.name}")
    defaults = {option.name: option.default for option in model_selection.CLASSIFIER_OPTIONS[name]}
    return {k: value for k, value in chosen.items() if value != defaults[k]}


def line(name: str, chosen: dict[str, Any]) -> str:
    """Return the line of text that `lincore.compare` reads a method from."""
    return model_selection.format_spec(name, chosen)


def steps(data: Dataset, split: Split, *, key: str) -> model_selection.Steps:
    """Ask for the steps before a classifier; at first those of `default_steps`."""
    sparse = data.kind.is_sparse
    n_components, whiten, basis = None, False, None
    standardize = not sparse and controls.standardize(data, key=f"{key}.standardize")
    if min(data.n_features, len(split.train) - 1) >= 2:
        n_components = _components(
            data, split, model_selection.default_steps(data, len(split.train)), key=key
        )
    if n_components is not None and not sparse:
        whiten = st.toggle(
            "Whiten",
            key=f"{key}.whiten",
            persist_state="session",
            help="Bring every component to variance 1.",
        )
    if not sparse and data.n_features <= MOST_BASIS_FEATURES:
        basis = _choose(
            "Basis functions",
            _BASES,
            key=f"{key}.basis",
            default=None,
            help="Functions of the features that bend a linear boundary.",
            width=220,
        )
    return model_selection.Steps(standardize, basis, n_components, whiten)


def _components(
    data: Dataset, split: Split, default: model_selection.Steps, *, key: str
) -> float | None:
    """Ask for principal components: none, for most of the variance, two, or a number."""
    labels = {
        ALL: "None",
        SHARE: f"{percent(model_selection.DEFAULT_VARIANCE_SHARE, 0)} of the variance",
        TWO: "2, as in the faces text" if data.kind.is_images else "2",
        NUMBER: "Number",
    }
    if data.kind.is_sparse:
        labels = {ALL: "None", NUMBER: "Number"}
    if st.session_state.get(f"{key}.pca") not in labels:
        st.session_state[f"{key}.pca"] = SHARE if default.n_components else ALL
    kind = st.segmented_control(
        "Singular vectors" if data.kind.is_sparse else "Principal components",
        list(labels),
        required=True,
        format_func=labels.__getitem__,
        key=f"{key}.pca",
        persist_state="session",
        help="Replace the words by their first singular vectors: Gaussian models need them."
        if data.kind.is_sparse
        else "Replace the features by their first principal components: fewer of them lose "
        "information; the plane of the plot does not need them.",
    )
    if kind == ALL:
        return None
    if kind == SHARE:
        return model_selection.DEFAULT_VARIANCE_SHARE
    if kind == TWO:
        return 2
    return controls.number(
        "Components",
        1,
        min(data.n_features, len(split.train) - 1, MOST_COMPONENTS),
        FIRST_WORD_COMPONENTS if data.kind.is_sparse else FIRST_COMPONENTS,
        key=f"{key}.components",
        help="Number of components that the model sees.",
        width=180,
    )


def show_projection(data: Dataset, steps: model_selection.Steps, split: Split, *, who: str) -> None:
    """Write what stands in the place of the features, where something does."""
    sentence = report.projection_sentence(data, steps.n_components, len(split.train), who=who)
    if sentence:
        st.caption(sentence)


def _ask(option: Option, data: Dataset, *, key: str) -> Any:
    if option.kind == "switch":
        return st.toggle(
            option.label, value=option.default, key=key, persist_state="session", help=option.help
        )
    if option.kind in ("choice", "method", "priors"):
        labels = {choice.value: choice.label for choice in option.choices}
        return _choose(
            option.label, labels, key=key, default=option.default, help=option.help, width=260
        )
    if not option.choices:
        return _number(option, option.default, key=key, label=option.label)
    labels = {choice.value: choice.label for choice in option.choices}
    fixed = option.default in labels
    picked = _choose(
        option.label,
        labels | {_NUMBER: _NUMBER},
        key=f"{key}.kind",
        default=option.default if fixed else _NUMBER,
        help=option.help,
        width=220,
    )
    if picked != _NUMBER:
        return picked
    start = _STARTS[option.name] if fixed else option.default
    return _number(option, start, key=key, label=f"{option.label}: number")


def _choose(label: str, labels: Mapping[Any, str], *, default: Any, **settings: Any) -> Any:
    """Ask for one of the keys of `labels`, None among them."""
    names = {_NOTHING if value is None else value: name for value, name in labels.items()}
    places = list(names)
    picked = controls.choose(
        label,
        places,
        index=places.index(_NOTHING if default is None else default),
        format_func=names.__getitem__,
        **settings,
    )
    return None if picked == _NOTHING else picked


def _number(option: Option, start: float, *, key: str, label: str) -> float:
    """Ask for a number within the range of an option."""
    whole = option.kind == "integer"
    least, most = option.low, option.high
    if option.open_low:
        least = option.low + 1e-12
    low = None if least == float("-inf") else (int(least) if whole else float(least))
    high = None if most == float("inf") else (int(most) if whole else float(most))
    controls.begin_with(key, start)
    return st.number_input(
        label,
        low,
        high,
        step=1 if whole else None,
        format="%d" if whole else "%.6g",
        key=key,
        persist_state="session",
        help=option.help,
        width=180,
    )
