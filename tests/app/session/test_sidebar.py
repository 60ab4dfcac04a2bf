"""The sidebar: a summary of the experiment whose parts open to be changed, alike on all pages."""

from __future__ import annotations

import pytest

from pages.ui.session import sidebar
from tests.app.data_page import a_table, bring
from tests.app.test_pages import PAGES, assert_fine, main_text, open_app


def labels(app) -> list[str]:
    return [part.label.replace("\\", "") for part in app.sidebar.expander]


def test_the_summary_says_what_was_chosen_on_every_page():
    app = bring(open_app(), ("good.csv", a_table()))
    assert labels(app) == ["Target: **kind**", "Test set: **30 %, by class**"]
    app.number_input(key="sidebar.test_size").set_value(20.0).run()
    app.selectbox(key="sidebar.how").set_value("last").run()
    for page in (*PAGES[1:], PAGES[0]):
        app.switch_page(page).run()
        assert_fine(app)
        if page == "pages/geometry.py":  # which has rows of its own
            assert not labels(app)
            continue
        assert labels(app)[1] == "Test set: **last 20 % of each class**"
        assert app.number_input(key="sidebar.test_size").value == 20
        assert "32 rows train, 8 test" in main_text(app)


def test_a_sample_says_its_target_and_asks_nothing():
    app = open_app()
    assert labels(app) == ["Test set: **30 %, by class**"]
    assert "Target: **species**" in main_text(app)


def test_the_seed_of_the_split_holds_on_the_first_sight_of_another_page():
    app = bring(open_app(), ("good.csv", a_table()))
    app.number_input(key="sidebar.seed").set_value(5).run()
    seeds = []
    ask = sidebar.cache.split
    app.switch_page("pages/explore.py")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sidebar.cache,
            "split",
            lambda d, choice, x: seeds.append(choice.seed) or ask(d, choice, x),
        )
        app.run()
    assert set(seeds) == {5}
