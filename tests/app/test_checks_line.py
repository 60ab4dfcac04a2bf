"""Data checks stand under the headline of every page whose numbers they touch."""

from __future__ import annotations

from tests.app.data_page import a_table, bring
from tests.app.test_pages import assert_fine, main_text, open_app

PAGES = [
    "pages/explore.py",
    "pages/classify.py",
    "pages/compare.py",
    "pages/balance.py",
    "pages/predict.py",
]


def doubts(app) -> list[str]:
    links = [part.proto for part in app.get("page_link")]
    return [f"{link.label} {link.help}" for link in links if "Data checks" in link.label]


def test_a_guess_and_groups_are_told_where_the_numbers_stand_until_they_are_settled():
    app = bring(open_app(), ("good.csv", a_table(200)))
    for page in PAGES:
        app.switch_page(page).run()
        assert_fine(app)
        (line,) = doubts(app)
        assert "target guessed, groups not kept together" in line, page
        assert "is a guess" in line and "seems to name groups" in line, page
    app.switch_page("pages/data.py").run()
    app.button(key="data.finding.0.0").click().run()
    app.button(key="sidebar.guess.keep").click().run()
    for page in PAGES[:2]:
        app.switch_page(page).run()
        assert_fine(app)
        assert not [line for line in doubts(app) if "guess" in line or "together by" in line]
        assert "Groups are kept together" in main_text(app)


def test_nothing_is_said_of_data_without_a_doubt():
    assert not doubts(open_app("pages/classify.py"))
