"""The reject option on Classify and Predict: their numbers are the library's."""

from __future__ import annotations

import pytest

import lincore
from lincore import export
from lincore.prediction import TestSet, predict
from tests.app.classify.test_classify import choose, open_classify, open_panel
from tests.app.data_page import plain
from tests.app.predict.test_predict_page import finding, opened, table, upload, uploader
from tests.app.session.test_link import asked
from tests.app.settling import settled
from tests.app.test_pages import assert_fine, main_text


@pytest.fixture(scope="module")
def model():
    data = lincore.sample("passengers")
    return lincore.fit(data, "lda", lincore.split(data))


def test_classify_shows_it_below_the_operating_point(model):
    app = open_panel(open_classify(sample="passengers"), "Operating point")
    assert plain(model.reject_option().finding()) in plain(main_text(app))
    app.slider(key="classify.reject.rejection_cost").set_value(10.0)
    settled(app.run())
    found = model.reject_option(rejection_cost=0.1)
    assert plain(found.finding()) in plain(main_text(app))
    choose(app, "classify.reject.reject", "sets by class")
    found = model.reject_option(reject="sets by class")
    text = plain(main_text(app))
    assert plain(found.finding()) in text and plain(found.scope()) in text


def test_predict_says_for_how_many_rows_it_abstains(model):
    app = opened()
    app.session_state["predict.options"] = True
    app.run()
    choose(app, "predict.reject", "sets by class")
    choose(app, "predict.coverage", 0.8)
    rule = model.reject_option(reject="sets by class", coverage=0.8).rule
    found = predict(model.fitted_model, TestSet(model.data, model.split)).with_reject_option(rule)
    assert finding(app) == found.by_class().finding().replace("\xa0", " ").replace("\u2060", "")
    assert "it abstains for" in finding(app)
    assert asked(app).question.reject == "sets by class" and asked(app).question.coverage == 0.8
    choose(app, "predict.rows.order", "rejected")
    sets = found.added()["prediction set"][found.is_rejected].tolist()
    assert table(app)["prediction set"].tolist() == sets
    app.selectbox(key="classify.classifier").set_value("least-squares")
    assert_fine(settled(app.run()))
    assert "abstains" not in finding(app)


def test_exported_files_abstain_if_asked(model):
    app = open_panel(open_classify(sample="passengers"), "Operating point")
    app.slider(key="classify.reject.rejection_cost").set_value(10.0)
    settled(app.run())
    app.session_state["classify.export"] = True
    assert_fine(settled(app.run()))
    assert "The files predict every row." in captions(app)
    app.checkbox(key="classify.export.abstain").check()
    assert_fine(settled(app.run()))
    rule = model.fitted_model.abstaining(0.1).reject_option
    assert plain(rule.sentence()) in captions(app)
    choose(app, "classify.reject.reject", "sets")
    assert_fine(app)
    assert [one.key for one in app.checkbox if one.key == "classify.export.abstain"] == []
    assert any("The files do not abstain" in one for one in captions(app))


def captions(app):
    return [plain(one.value.replace("\\", "")) for one in app.caption]


def test_predict_abstains_as_a_saved_model_does(model):
    stored = model.fitted_model.abstaining(0.1)
    frame = model.data.to_frame().head(200)
    app = opened("iris")
    uploader(app, "Open a saved model").upload("boat.zip", export.save_model(stored))
    settled(app)
    upload(app, "march.csv", frame.to_csv(index=False).encode())
    assert_fine(app)
    found = predict(stored, frame)
    assert finding(app) == plain(found.by_class().finding())
    assert "it abstains for" in finding(app)
    app.session_state["predict.options"] = True
    assert_fine(settled(app.run()))
    choose(app, "predict.reject", "cost")
    app.slider(key="predict.rejection_cost").set_value(100.0)
    assert_fine(settled(app.run()))
    assert "it abstains for no row" in finding(app)
