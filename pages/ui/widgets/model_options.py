"""Controls of a classifier with its options and steps, for any page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import analysis, model_selection, report
from lincore.utils import percent
from pages.ui.widgets import controls

if TYPE_CHECKING:
    from lincore.data import Dataset, Split
    from lincore.model_selection import Option

#: The widgets of the steps and of each classifier's options, shared by all pages: what is chosen
#: on one of them holds on the others.
KEY = "experiment"
STEP_KEYS = tuple(
    f"{KEY}.{name}" for name in ("standardize", "pca", "components", "whiten", "basis")
)
QDA_REGULARIZATION = f"{KEY}.qda.regularization"
#: What makes QDA possible where rows of a class are few or its categories never vary.
_ENOUGH = 0.1
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
_IMAGE_FEATURES = {None: "Pixels", "hog": "Gradients (HOG)"}


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


def options(name: str, *, key: str = KEY) -> dict[str, Any]:
    """Ask for the options that matter of a classifier, and for the rest in an expander.

    Returns
    -------
    dict
        Those that differ from their defaults.
    """
    main = [option for option in model_selection.CLASSIFIER_OPTIONS[name] if option.main]
    rest = [option for option in model_selection.CLASSIFIER_OPTIONS[name] if not option.main]
    if main:
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}.{name}.main"):
            for option in main:
                _ask(option, key=f"{key}.{name}.{option.name}")
    if rest:
        with st.expander("More options of the classifier", key=f"{key}.{name}.rest"):
            for option in rest:
                _ask(option, key=f"{key}.{name}.{option.name}")
    return chosen_options(name, key=key)


def chosen_options(name: str, *, key: str = KEY) -> dict[str, Any]:
    """Return the options of a classifier that are chosen and differ from their defaults."""
    chosen = {
        option.name: _chosen(option, key=f"{key}.{name}.{option.name}")
        for option in model_selection.CLASSIFIER_OPTIONS[name]
    }
    defaults = {option.name: option.default for option in model_selection.CLASSIFIER_OPTIONS[name]}
    return {k: value for k, value in chosen.items() if value != defaults[k]}


def set_options(name: str, chosen: Mapping[str, Any], *, key: str = KEY) -> None:
    """Choose the options of a classifier; those that are not given are as by default."""
    for option in model_selection.CLASSIFIER_OPTIONS[name]:
        _set(option, chosen.get(option.name, option.default), key=f"{key}.{name}.{option.name}")


def offer_regularization(*, key: str, then: str = "", flag: str | None = None) -> None:
    """Offer to regularise QDA at a click.

    Parameters
    ----------
    key : str
        Of the button.
    then : str
        What else the click does, as its help ends.
    flag : str, optional
        Of the session, which the click sets to True.
    """

    def regularise() -> None:
        st.session_state[QDA_REGULARIZATION] = _ENOUGH
        if flag is not None:
            st.session_state[flag] = True

    st.button(
        f"Regularise QDA by {_ENOUGH}",
        key=key,
        on_click=regularise,
        help=f"Pull the covariance of each class that far towards the common one{then}.",
    )


def line(name: str, chosen: Mapping[str, Any]) -> str:
    """Return the line of text that `lincore.compare` reads a method from."""
    return analysis.method_line(name, chosen)


def steps(data: Dataset, split: Split) -> model_selection.Steps:
    """Ask for the steps before a classifier; at first those of `default_steps`."""
    key, sparse = KEY, data.kind.is_sparse
    n_components, whiten, basis = None, False, None
    standardize = not sparse and controls.standardize(data, key=f"{key}.standardize")
    if _can_be_projected(data, len(split.train)):
        n_components = _components(
            data, split, model_selection.default_steps(data, len(split.train)), key=key
        )
    if n_components is not None and not sparse:
        controls.begin_with(f"{key}.whiten", False)
        whiten = st.toggle(
            "Whiten",
            key=f"{key}.whiten",
            persist_state="session",
            help="Bring every component to variance 1.",
        )
    if _bases(data):
        basis = _choose(
            "Image features" if data.kind.is_images else "Basis functions",
            _bases(data),
            key=f"{key}.basis",
            default=None,
            help="The grey levels themselves, or histograms of oriented gradients: directions of "
            "edges in cells of the image, which shifts and lighting change less."
            if data.kind.is_images
            else "Functions of the features that bend a linear boundary.",
            width=220,
        )
    return model_selection.Steps(standardize, basis, n_components, whiten)


def chosen_steps(data: Dataset, n_train: int) -> model_selection.Steps:
    """Return the steps that are chosen, or those of `default_steps` where nothing is."""
    default, sparse = model_selection.default_steps(data, n_train), data.kind.is_sparse
    stored = {key.rpartition(".")[2]: st.session_state.get(key) for key in STEP_KEYS}
    kind = stored["pca"] if stored["pca"] in _kinds(data) else None
    n_components: float | None = default.n_components
    if kind is not None:
        fixed = {ALL: None, SHARE: model_selection.DEFAULT_VARIANCE_SHARE, TWO: 2}
        n_components = fixed[kind] if kind in fixed else _first_components(data)
        if kind == NUMBER and stored["components"]:
            n_components = stored["components"]
    if not _can_be_projected(data, n_train):
        n_components = None
    elif kind == NUMBER and n_components is not None:
        n_components = min(n_components, _most_components(data, n_train))
    standardize = stored["standardize"]
    return model_selection.Steps(
        not sparse and (data.kind.standardize if standardize is None else bool(standardize)),
        stored["basis"] if stored["basis"] in _bases(data) else None,
        n_components,
        bool(stored["whiten"]) and n_components is not None and not sparse,
    )


def set_steps(chosen: model_selection.Steps, data: Dataset) -> None:
    """Choose the steps, as far as the widgets offer them."""
    kinds, n = _kinds(data), chosen.n_components
    kind = ALL if n is None else SHARE if n < 1 else TWO if n == 2 and TWO in kinds else NUMBER
    values = {
        "standardize": data.kind.standardize if chosen.standardize is None else chosen.standardize,
        "pca": kind if kind in kinds else ALL,
        "whiten": chosen.whiten,
        "basis": _NOTHING if chosen.basis is None else chosen.basis,
        "components": int(n) if kind == NUMBER and n is not None else None,
    }
    for name, value in values.items():
        if value is None:
            st.session_state.pop(f"{KEY}.{name}", None)
        else:
            st.session_state[f"{KEY}.{name}"] = value


def _bases(data: Dataset) -> Mapping[Any, str]:
    """Return the functions of the features that are offered, with what they are called."""
    if data.kind.is_images:
        return _IMAGE_FEATURES if model_selection.offers_gradients(data) else {}
    few = not data.kind.is_sparse and data.n_features <= MOST_BASIS_FEATURES
    return _BASES if few else {}


def _can_be_projected(data: Dataset, n_train: int) -> bool:
    return min(data.n_features, n_train - 1) >= 2


def _most_components(data: Dataset, n_train: int) -> int:
    return min(data.n_features, n_train - 1, MOST_COMPONENTS)


def _first_components(data: Dataset) -> int:
    return FIRST_WORD_COMPONENTS if data.kind.is_sparse else FIRST_COMPONENTS


def _kinds(data: Dataset) -> dict[str, str]:
    """Return the ways to choose principal components, with what they are called."""
    if data.kind.is_sparse:
        return {ALL: "None", NUMBER: "Number"}
    return {
        ALL: "None",
        SHARE: f"{percent(model_selection.DEFAULT_VARIANCE_SHARE, 0)} of the variance",
        TWO: "2, as in the faces text" if data.kind.is_images else "2",
        NUMBER: "Number",
    }


def _components(
    data: Dataset, split: Split, default: model_selection.Steps, *, key: str
) -> float | None:
    """Ask for principal components: none, for most of the variance, two, or a number."""
    labels = _kinds(data)
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
        _most_components(data, len(split.train)),
        _first_components(data),
        key=f"{key}.components",
        help="Number of components that the model sees.",
        width=180,
    )


def show_projection(data: Dataset, steps: model_selection.Steps, split: Split, *, who: str) -> None:
    """Write what stands in the place of the features, where something does."""
    sentence = report.projection_sentence(data, steps, len(split.train), who=who)
    if sentence:
        st.caption(sentence)


def _ask(option: Option, *, key: str) -> None:
    """Ask for an option; `_chosen` returns what its widgets hold."""
    labels = {choice.value: choice.label for choice in option.choices}
    fixed = option.default in labels
    if option.kind == "switch":
        controls.begin_with(key, option.default)
        st.toggle(option.label, key=key, persist_state="session", help=option.help)
    elif option.kind in ("choice", "method", "priors"):
        _choose(option.label, labels, key=key, default=option.default, help=option.help, width=260)
    elif not labels:
        _number(option, option.default, key=key, label=option.label)
    else:
        picked = _choose(
            option.label,
            labels | {_NUMBER: _NUMBER},
            key=f"{key}.kind",
            default=option.default if fixed else _NUMBER,
            help=option.help,
            width=220,
        )
        if picked == _NUMBER:
            _number(option, _start(option), key=key, label=f"{option.label}: number")


def _chosen(option: Option, *, key: str) -> Any:
    """Return the value of an option that its widgets hold, or the default."""
    values = [choice.value for choice in option.choices]
    if option.kind in ("number", "integer"):
        number = st.session_state.get(key, _start(option))
        if not values:
            return number
        fixed = option.default in values
        default = _place(option.default) if fixed else _NUMBER
        picked = st.session_state.get(f"{key}.kind", default)
        if picked == _NUMBER:
            return number
    else:
        picked = st.session_state.get(key, _place(option.default))
        if option.kind == "switch":
            return bool(picked)
    return next((value for value in values if _place(value) == picked), option.default)


def _set(option: Option, value: Any, *, key: str) -> None:
    """Let the widgets of an option hold a value; one that they do not offer is let pass."""
    values = [choice.value for choice in option.choices]
    is_number = option.kind in ("number", "integer")
    if is_number and values:
        is_fixed = value in values
        st.session_state[f"{key}.kind"] = _place(value) if is_fixed else _NUMBER
        if is_fixed:
            return
    if option.kind == "switch" or (not is_number and _hashable(value) in values):
        st.session_state[key] = value if option.kind == "switch" else _place(value)
    elif is_number:
        st.session_state[key] = value if option.kind == "integer" else float(value)


def _start(option: Option) -> Any:
    """Return the number to begin with where there is none by default."""
    fixed = option.default in [choice.value for choice in option.choices]
    return _STARTS[option.name] if fixed else option.default


def _place(value: Any) -> Any:
    """Return what stands for a value among the options of a select box."""
    return _NOTHING if value is None else value


def _hashable(value: Any) -> Any:
    return None if isinstance(value, list) else value


def _choose(label: str, labels: Mapping[Any, str], *, default: Any, **settings: Any) -> Any:
    """Ask for one of the keys of `labels`, None among them."""
    names = {_place(value): name for value, name in labels.items()}
    places = list(names)
    picked = controls.choose(
        label,
        places,
        index=places.index(_place(default)),
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
