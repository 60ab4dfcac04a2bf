"""Data checks stand under the headline of every page whose numbers they touch."""

from __future__ import annotations

import pytest

from tests.app.data_page import a_table, bring, data_of, plain, source_of
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


def a_doubtful_table() -> bytes:
    """Return a table whose target is one by its name alone: the last column may be it too."""
    return a_table(200).replace(b"colour", b"default").replace(b"x", b"y")


def guesses(app) -> int:
    return main_text(app).count("guessed") + main_text(app).count("Guessed")


@pytest.mark.parametrize("button", ["keep", "rival"])
def test_a_doubtful_guess_is_asked_once_on_every_page_until_it_is_answered(button):
    app = bring(open_app(), ("good.csv", a_doubtful_table()))
    app.session_state["settings.balance"] = {"repeats": 2}
    guess = data_of(app).target_guess
    assert guess.rival
    for page in ["pages/data.py", *PAGES]:
        app.switch_page(page).run()
        assert_fine(app)
        assert guesses(app) == 1, page
        assert "guess" not in " ".join(part.label for part in app.sidebar.expander), page
    app.button(key=f"checks.guess.{button}").click().run()
    for page in ["pages/data.py", *PAGES[:2]]:
        app.switch_page(page).run()
        assert_fine(app)
        assert guesses(app) == 0, page
    assert data_of(app).target_name == (guess.column if button == "keep" else guess.rival)


def test_groups_are_told_where_the_numbers_stand_and_a_clear_guess_is_not():
    app = bring(open_app(), ("good.csv", a_table(200)))
    app.session_state["settings.balance"] = {"repeats": 2}
    for page in PAGES:
        app.switch_page(page).run()
        assert_fine(app)
        (line,) = doubts(app)
        assert "seems to identify groups" in line, page
        assert guesses(app) == 0, page
    app.switch_page("pages/data.py").run()
    app.button(key="data.finding.0.0").click().run()
    for page in PAGES[:2]:
        app.switch_page(page).run()
        assert_fine(app)
        assert not doubts(app)
        assert "Groups are kept together" in main_text(app)


def test_a_target_of_many_numbers_is_offered_as_ranges_first():
    lines = [f"{i * 7 % 13 / 2},{'xy'[i % 2]},{'uv'[i // 2 % 2]},{i % 15}" for i in range(150)]
    raw = "\n".join(["size,colour,shape,grade", *lines]).encode()
    app = bring(open_app("pages/data.py"), ("marks.csv", raw))
    source = source_of(app)
    app.selectbox(key="data.target").set_value("grade").run()
    assert "each of its 15 values is a separate class" in main_text(app)
    app.button(key="data.finding.0.0").click().run()
    assert_fine(app)
    assert data_of(app).classes.tolist() == ["below 7", "7 and above"]
    assert "each of its 15 values" not in main_text(app)
    assert source.guess is not None


def test_nothing_is_said_of_data_without_a_doubt():
    assert not doubts(open_app("pages/classify.py"))


def test_rows_of_one_subject_are_kept_together_by_the_common_part_of_their_names():
    lines = [f"phon_R01_S{i // 6:02}_{i % 6 + 1},{i * 7 % 13 / 2},{i // 6 % 2}" for i in range(120)]
    raw = "\n".join(["name,size,status", *lines]).encode()
    app = bring(open_app("pages/data.py"), ("voices.csv", raw))
    assert "120 rows of 20 subjects" in plain(main_text(app))
    app.switch_page("pages/classify.py").run()
    assert_fine(app)
    assert "Groups are kept together" in main_text(app)
    assert not doubts(app)


def test_a_feature_that_some_models_ignore_is_named_on_every_page():
    lines = [f"{i % 3 // 2},{(i * 7 % 13 + i % 3) / 2},{'abc'[i % 3]}" for i in range(120)]
    raw = "\n".join(["flag,size,kind", *lines]).encode()
    app = bring(open_app("pages/data.py"), ("flags.csv", raw))
    for page in ("pages/data.py", *PAGES):
        app.switch_page(page).run()
        assert_fine(app)
        said = plain(main_text(app))
        assert "'flag' is constant within every class" in said and "ridge" in said, page
