"""The reject option on Classify and Predict: their numbers are the library's."""

from __future__ import annotations

import pytest

import lincore
from lincore.prediction import TestSet, predict
from tests.app.classify.test_classify import choose, open_classify, open_panel
from tests.app.data_page import plain
from tests.app.predict.test_predict_page import finding, opened, table
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
