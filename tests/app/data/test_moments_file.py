"""A file of moments on the page Data: what it holds, beside data that stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lincore
from lincore.federation import merge, summarise, summary_bytes
from pages.ui.session import state
from tests.app.data_page import bring, data_of, frames
from tests.app.test_pages import assert_fine, main_text, open_app

PAGE, OTHER = "pages/data.py", "pages/compare.py"


@pytest.fixture(scope="module")
def moments() -> bytes:
    """Moments of iris and of another site, merged."""
    iris = lincore.sample("iris")
    other = replace(iris, X=iris.X + np.random.default_rng(0).normal(size=iris.X.shape))
    return summary_bytes(merge([summarise(one, n_folds=2) for one in (iris, other)]))


def test_a_file_of_moments_is_shown_beside_the_data(moments):
    app = bring(open_app(PAGE), ("sites.npz", moments))
    assert data_of(app).name == lincore.sample("iris").name
    said = main_text(app)
    assert "300 rows of 2 sites, 4 features, 3 classes, 2 folds" in said
    assert "need rows" in said and "2-fold comparison" in said
    shared = app.session_state[state.SUMMARY].shared
    expected = lincore.federation.score_rows(shared, lincore.sample("iris"), ["lda"]).table()
    scores = next(frame for frame in frames(app) if "log loss" in frame).set_index("model")
    assert scores["log loss"]["LDA"].startswith(f"{expected['log loss']['lda']:.3f} (")
    app.switch_page(OTHER).run()
    assert_fine(app)
    assert "this page needs rows" in " ".join(one.value for one in app.sidebar.caption)
    app.switch_page(PAGE).run()
    app.button(key="data.moments.close").click().run()
    assert_fine(app)
    assert "2 sites" not in main_text(app)


def test_rows_of_no_site_compare_nothing_and_a_damaged_file_changes_nothing(moments):
    app = bring(open_app(PAGE), ("sites.npz", moments))
    app.button(key="data.sample.wine").click().run()
    assert "load the rows of one of its sites" in main_text(app)
    bring(app, ("sites.npz", moments[:900]))
    assert app.session_state[state.SUMMARY].shared.n_rows == 300
    assert data_of(app).name == lincore.sample("wine").name
    assert "The zip cannot be opened" in main_text(app)
