"""The Bayes classifier of generated classes, beside the fitted models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import imbalance, inspection

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.imbalance import BalanceStudy, BayesReference
    from lincore.inspection import View
    from pages.ui.balance.study_setup import Setup


def known(setup: Setup, study: BalanceStudy, data: Dataset) -> BayesReference | None:
    """Return the Bayes classifier and its scores; None where the distribution is not known."""
    return None if data.truth is None else _known(setup, study, data)


def view(setup: Setup, study: BalanceStudy, data: Dataset) -> View | None:
    """Return a view of it over the test rows; None unless known and of two features."""
    return None if data.truth is None or data.n_features != 2 else _view(setup, study, data)


@st.cache_resource(max_entries=8, ttl="2h", show_spinner=False)
def _known(setup: Setup, _study: BalanceStudy, _data: Dataset) -> BayesReference:
    return imbalance.true_parameters_of(_study, _data)


@st.cache_resource(max_entries=8, ttl="2h", show_spinner=False)
def _view(setup: Setup, _study: BalanceStudy, _data: Dataset) -> View:
    test = _study.example.split.test
    plane = inspection.feature_plane(_data, (0, 1), test)
    return inspection.make_view(_known(setup, _study, _data).pipeline, _data, test, plane)
