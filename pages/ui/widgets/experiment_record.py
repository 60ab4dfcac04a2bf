"""Steps and classifier options of the session: one plain record that widgets show and edit.

What holds on all pages is no widget's own value: in the first run of a page Streamlit gives a
widget its default, whatever the widget of the same key on the page before held.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import model_selection
from lincore.utils import percent

if TYPE_CHECKING:
    from lincore.data import Dataset

#: Only what was chosen: all else follows the data. The steps by their names in `StepChoice`; the
#: options by where they are asked, classifier and name.
STEPS, OPTIONS = "shared.steps", "shared.options"
#: The options that all pages share.
SHARED = "experiment"
# Beyond this many coordinates a covariance by class is slow to look at in a browser.
MOST_COMPONENTS = 200
# A basis of more columns than this is no teaching example any more.
MOST_BASIS_FEATURES = 12
# Principal components: none, for most of the variance, two, or a number.
ALL, SHARE, TWO, NUMBER = "all", "share", "two", "number"
FIRST_COMPONENTS, FIRST_WORD_COMPONENTS = 20, 50
_BASES = {
    None: "None",
    "polynomial(degree=2)": "Quadratic",
    "polynomial(degree=3)": "Cubic",
    "trigonometric": "Fourier",
    "radial": "RBF",
    "kernel": "Kernel",
}
_IMAGE_FEATURES = {None: "Pixels", "hog": "Gradients (HOG)"}


class StepChoice(NamedTuple):
    """The steps as the widgets show them.

    Attributes
    ----------
    standardize : bool
    pca : str
        `ALL`, `SHARE`, `TWO` or `NUMBER`.
    components : int
        How many, for `NUMBER`.
    whiten : bool
    basis : str or None
    """

    standardize: bool
    pca: str
    components: int
    whiten: bool
    basis: str | None

    @property
    def n_components(self) -> float | None:
        """Number of components, a share of the variance, or None, as `Steps` has it."""
        fixed = {ALL: None, SHARE: model_selection.DEFAULT_VARIANCE_SHARE, TWO: 2}
        return fixed.get(self.pca, self.components)


def step_choice(data: Dataset, n_train: int) -> StepChoice:
    """Return the steps; those of `default_steps` where nothing that the data allow is chosen."""
    held, default = (
        st.session_state.get(STEPS, {}),
        model_selection.default_steps(data, n_train),
    )
    sparse, pca, basis = data.kind.is_sparse, held.get("pca"), held.get("basis")
    if not can_be_projected(data, n_train):
        pca = ALL
    elif pca not in component_kinds(data):
        pca = SHARE if default.n_components else ALL
    components = int(held.get("components") or first_components(data))
    return StepChoice(
        not sparse and bool(held.get("standardize", data.kind.standardize)),
        pca,
        max(1, min(components, most_components(data, n_train))),
        bool(held.get("whiten", False)) and pca != ALL and not sparse,
        basis if basis in bases(data) else None,
    )


def chosen_steps(data: Dataset, n_train: int) -> model_selection.Steps:
    """Return the steps before a classifier."""
    chosen = step_choice(data, n_train)
    return model_selection.Steps(
        chosen.standardize, chosen.basis, chosen.n_components, chosen.whiten
    )


def set_steps(chosen: model_selection.Steps, data: Dataset) -> None:
    """Choose all steps, as far as the data allow them."""
    kinds, n = component_kinds(data), chosen.n_components
    kind = ALL if n is None else SHARE if n < 1 else TWO if n == 2 and TWO in kinds else NUMBER
    held: dict[str, Any] = {"pca": kind, "whiten": chosen.whiten, "basis": chosen.basis}
    if chosen.standardize is not None:
        held["standardize"] = chosen.standardize
    if kind == NUMBER and n is not None:
        held["components"] = int(n)
    st.session_state[STEPS] = held


def keep_step(name: str, value: Any) -> None:
    """Choose one step, by its name in `StepChoice`."""
    st.session_state[STEPS] = {**st.session_state.get(STEPS, {}), name: value}


def chosen_options(word: str, *, key: str = SHARED) -> dict[str, Any]:
    """Return the options of a classifier that were chosen and differ from their defaults."""
    held = st.session_state.get(OPTIONS, {}).get((key, word), {})
    known = model_selection.CLASSIFIER_OPTIONS[word]
    return {option.name: held[option.name] for option in known if option.name in held}


def set_options(word: str, chosen: Mapping[str, Any], *, key: str = SHARED) -> None:
    """Choose the options of a classifier; what is not given, or cannot be, is as by default."""
    known = model_selection.CLASSIFIER_OPTIONS[word]
    held = {
        option.name: chosen[option.name]
        for option in known
        if option.name in chosen
        and chosen[option.name] != option.default
        and option.allows(chosen[option.name])
    }
    st.session_state[OPTIONS] = {**st.session_state.get(OPTIONS, {}), (key, word): held}


def keep_option(word: str, name: str, value: Any, *, key: str = SHARED) -> None:
    """Choose one option of a classifier."""
    set_options(word, {**chosen_options(word, key=key), name: value}, key=key)


def bases(data: Dataset) -> Mapping[Any, str]:
    """Return the functions of the features that are offered, with what they are called."""
    if data.kind.is_images:
        return _IMAGE_FEATURES if model_selection.offers_gradients(data) else {}
    few = not data.kind.is_sparse and data.n_features <= MOST_BASIS_FEATURES
    return _BASES if few else {}


def component_kinds(data: Dataset) -> dict[str, str]:
    """Return the ways to choose principal components, with what they are called."""
    if data.kind.is_sparse:
        return {ALL: "None", NUMBER: "Number"}
    return {
        ALL: "None",
        SHARE: f"{percent(model_selection.DEFAULT_VARIANCE_SHARE, 0)} of the variance",
        TWO: "2, as in the faces text" if data.kind.is_images else "2",
        NUMBER: "Number",
    }


def can_be_projected(data: Dataset, n_train: int) -> bool:
    """Return whether there are two components to choose from."""
    return min(data.n_features, n_train - 1) >= 2


def most_components(data: Dataset, n_train: int) -> int:
    """Return how many components may be chosen."""
    return min(data.n_features, n_train - 1, MOST_COMPONENTS)


def first_components(data: Dataset) -> int:
    """Return the number of components to begin with."""
    return FIRST_WORD_COMPONENTS if data.kind.is_sparse else FIRST_COMPONENTS
