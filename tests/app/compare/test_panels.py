"""The panels of Compare: models keep their colours, columns have room, words do not clash."""

from __future__ import annotations

import json

from lincore.displays import COMPARISON, RowsNeededDisplay
from tests.app.compare.test_compare_page import (
    TABLE,
    hold_logistic,
    main_text,
    open_compare,
    open_tab,
    said,
    titled,
)
from tests.app.settling import settled


def shapes(figure: dict) -> dict[str, str]:
    return {t["name"]: t["marker"]["symbol"] for t in figure["data"] if "name" in t}


def columns(table) -> dict:
    return json.loads(table.proto.columns)


def test_a_model_keeps_its_shape_whatever_score_decides():
    """Shapes went by rank, so that another score gave every model another one."""
    app = open_tab(open_compare("gaussian"), "Time")
    before = shapes(titled(app, "Time and balanced accuracy"))
    app.selectbox(key="compare.score").set_value("log loss").run()
    after = shapes(titled(app, "Time and log loss"))
    known = ["LDA", "QDA", "Naive Bayes", "Logistic regression"]
    assert {name: before[name] for name in known} == after
    app.selectbox(key="compare.score").set_value("accuracy").run()
    open_tab(app, "Training size")
    app.button(key="compare.sizes.start").click().run()
    lines = titled(settled(app), "Accuracy by training rows")
    assert shapes(lines) == before
    assert set(app.pills(key="compare.sizes.bands").value) == {"qda", "lda"}, "the best two"


def test_every_tab_opens_with_the_settings_as_they_are():
    app = open_compare("passengers")
    for kind in COMPARISON[1:]:
        settled(open_tab(app, kind.title))
        assert not app.exception and not app.error, kind.title
    open_tab(app, RowsNeededDisplay.title)
    app.number_input(key="compare.rows.power").set_value(90.0).run()
    assert "with 90 % power" in main_text(app)


def test_a_stop_says_what_is_missing_and_a_new_start_leaves_what_was_finished(monkeypatch):
    """Started again, the page had nothing but a bar until the first model was there."""
    app = open_compare("iris")
    waiting, should_continue = hold_logistic(monkeypatch)
    app.pills(key="compare.methods").set_value([*TABLE, "one-vs-one"]).run()
    app.selectbox(key="compare.scheme").set_value("5-fold").run()
    app.button(key="compare.run.update").click().run()
    assert waiting.wait(30)
    app.run()
    app.button(key="compare.run.stop").click().run()
    should_continue.set()
    settled(app)
    finished = app.header[0].value
    assert "Logistic regression and One versus one are missing" in main_text(app)
    should_continue.clear()
    waiting.clear()
    app.button(key="compare.run.restart").click().run()
    assert waiting.wait(30)
    app.run()
    assert app.header[0].value == finished
    assert "Partial results from before" in main_text(app) and "earlier settings" not in main_text(
        app
    )
    should_continue.set()
    settled(app)
    assert "missing" not in main_text(app) and "Partial results from before" not in main_text(app)
    assert "One versus one" in list(app.dataframe[0].value["model"])


def test_names_of_both_models_of_a_pair_have_room():
    """Of the first model as much was seen as the first few rows needed."""
    app = open_compare("iris")
    found, pairs = columns(app.dataframe[1]), app.dataframe[1].value
    for name in ("first", "second"):
        assert found[name]["width"] >= 7 * pairs[name].str.len().max()


def test_the_omnibus_test_and_the_pairs_do_not_seem_to_contradict_each_other():
    said = main_text(open_compare("iris"))
    assert "No significant difference" in said
    assert (
        "Not all models are correct equally often" in said
        and "though no two of them are sig" in said
    )
    clear = main_text(open_compare("breast cancer", methods=["naive-bayes", "logistic"]))
    assert "though no two" not in clear


def test_probabilities_of_rows_have_three_decimals():
    app = open_tab(open_compare("gaussian"), "Disagreements")
    found = columns(app.dataframe[-1])
    formats = [
        column["type_config"]["format"] for name, column in found.items() if ": posterior" in name
    ]
    assert set(formats) == {"%.3f"}


def test_what_has_no_number_is_blank_and_no_pair_that_is_not_tested_is_counted():
    """It read None, and "corrected for all 15 pairs" where six were tested."""
    app = open_compare("gaussian")
    app.selectbox(key="compare.score").set_value("log loss").run()
    assert [table.proto.placeholder for table in app.dataframe[:2]] == ["", ""]
    assert all(table.proto.HasField("placeholder") for table in app.dataframe[:2])
    assert "p (Holm) is corrected for 6 pairs" in said(app)


def test_the_choice_of_split_is_compared_and_said():
    app = open_tab(open_compare("iris"), "Choice of split")
    app.button(key="compare.splits.start").click().run()
    settled(app)
    text = main_text(app)
    assert (
        "best on the last of each class" in text
        or "Which model is best depends on the split" in text
    )
    assert "expected by chance" in text
    columns = list(app.dataframe[-1].value.columns)
    assert columns == ["model", "last of each class", "at random, mean", "lowest", "highest"]
