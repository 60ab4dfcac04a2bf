"""Preprocessing steps and classifier options: settings shared by all pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import fields, model_selection
from pages.ui.widgets import displays

if TYPE_CHECKING:
    from lincore.data import Dataset

#: Key of the settings of the steps, and prefix of the keys of classifier options.
SHARED = "experiment"
#: Prefix of the keys of second entries on the page Compare. Without settings there is none.
SECOND = "compare.second"


def chosen_steps(data: Dataset, n_train: int) -> model_selection.Steps:
    """Return the preprocessing steps."""
    return model_selection.Steps(
        **displays.read(model_selection.Steps, SHARED, data=data, n_train=n_train)
    )


def chosen_options(word: str, *, key: str = SHARED) -> dict[str, Any]:
    """Return the options of a classifier that differ from their defaults."""
    if not displays.has_settings(f"{key}.{word}"):
        return {}
    record = model_selection.CLASSIFIER_OPTIONS[word]
    return fields.given(record(**displays.read(record, f"{key}.{word}")))


def second_entries(words: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the options of the second entries of classifiers that are compared twice."""
    twice = [word for word in words if displays.has_settings(f"{SECOND}.{word}")]
    return {word: chosen_options(word, key=SECOND) for word in twice}


def set_second_entry(word: str, chosen: Mapping[str, Any] | None) -> None:
    """Compare a classifier also with other options, or only once."""
    if chosen is None:
        st.session_state.pop(f"{displays.SETTINGS}{SECOND}.{word}", None)
    else:
        set_options(word, chosen, key=SECOND)


def set_options(word: str, chosen: Mapping[str, Any], *, key: str = SHARED) -> None:
    """Choose the options of a classifier; missing or impossible ones become the default."""
    displays.choose(model_selection.CLASSIFIER_OPTIONS[word](**chosen), f"{key}.{word}")
