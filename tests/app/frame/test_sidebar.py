"""The chips of the experiment, alike on all pages, and the summary in the sidebar."""

from __future__ import annotations

import pytest

from pages.ui.frame import sidebar
from tests.app.data_page import a_table, bring
from tests.app.test_pages import PAGES, assert_fine, main_text, open_app

pytestmark = pytest.mark.usefixtures("unfolded")


def assert_chips(app, *wanted: str) -> None:
    """Compare the first popovers of the page, and assert that no other says what is tested."""
    found = [block.proto.popover.label for block in app.get("popover")]
    found = [label.replace("\\", "").replace("\xa0", " ") for label in found]
    assert tuple(found[: len(wanted)]) == wanted
    assert not any("test set" in label for label in found[len(wanted) :])


def test_the_summary_says_what_was_chosen_on_every_page():
    app = bring(open_app(), ("good.csv", a_table()))
    assert_chips(app, "Target: kind", "30 % test set, by class")
    app.number_input(key="sidebar.test_size").set_value(20.0).run()
    app.selectbox(key="sidebar.how").set_value("last").run()
    for page in (*PAGES[1:], PAGES[0]):
        app.switch_page(page).run()
        assert_fine(app)
        if page == "pages/geometry.py":  # which has rows of its own
            assert_chips(app)
            continue
        steps = ["Standardised, no PCA"] if page[6:-3] in sidebar.WITH_STEPS else []
        assert_chips(app, "Target: kind", "Last 20 % of each class as test set", *steps)
        assert app.number_input(key="sidebar.test_size").value == 20
        assert "32 training and 8 test rows." in main_text(app).replace("\\", "")
        assert "Last 20 % of each class as test set." in main_text(app).replace("\\", "")


def test_a_sample_says_its_target_and_asks_nothing():
    app = open_app()
    assert_chips(app, "30 % test set, by class")
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
