"""Links of Predict: the typed row comes back, files of new rows and of models are asked for."""

from __future__ import annotations

import lincore
from lincore.analysis import Analysis, NewFile, PredictQuestion, SavedModel, TypedRow
from tests.app.predict.test_predict_page import (
    finding,
    opened,
    scores,
    trained,
    upload,
    uploader,
)
from tests.app.session.test_link import asked, reload
from tests.app.settling import edit_cells, settled
from tests.app.test_pages import assert_fine, main_text

PAGE = "pages/predict.py"


def rows(n: int) -> bytes:
    return lincore.sample("passengers").to_frame().head(n).to_csv(index=False).encode()


def test_a_typed_row_comes_back():
    app = opened()
    app.segmented_control(key="predict.rows").set_value("TypedRow")
    settled(app)
    assert asked(app).question.rows == TypedRow()
    fare = next(one for one in app.number_input if one.label == "fare")
    fare.set_value(512.25)
    sex = next(one for one in app.selectbox if one.label == "sex")
    sex.set_value(1)
    next(one for one in app.button if one.label == "Predict").click()
    settled(app)
    typed = asked(app).question.rows.values
    assert typed["fare"] == 512.25 and typed["sex"] == "female" and len(typed) == 7
    again = settled(reload(app, PAGE))
    assert asked(again) == asked(app)
    assert finding(again) == finding(app)
    assert next(one for one in again.number_input if one.label == "fare").value == 512.25
    assert len(asked(app).to_query()) < 4_000


def test_many_features_are_typed_into_a_table():
    app = opened("breast cancer")
    app.segmented_control(key="predict.rows").set_value("TypedRow")
    settled(app)
    before = finding(app)
    edit_cells(app, "predict.hand", {0: {"value": "28.5"}, 1: {"value": ""}})
    next(one for one in app.button if one.label == "Predict").click()
    settled(app)
    typed = asked(app).question.rows.values
    assert typed["mean radius"] == 28.5 and typed["mean texture"] is None and len(typed) == 30
    assert finding(app) != before
    assert finding(settled(reload(app, PAGE))) == finding(app)
    assert len(asked(app).to_query()) < 4_000


def test_the_file_of_new_rows_is_asked_for_by_name():
    app = upload(opened(), "march.csv", rows(40))
    app.selectbox(key="predict.priors").set_value("ClassShare")
    settled(app)
    settled(app)
    app.slider(key="predict.priors.share.1").set_value(60)
    settled(app)
    named = asked(app).question.rows
    assert isinstance(named, NewFile) and named.name == "march.csv" and len(named.sha256) == 64
    assert asked(app).files == ("march.csv",)
    again = settled(reload(app, PAGE))
    assert "predicts march\\.csv\\: upload it again" in main_text(again)
    assert asked(again) == asked(app)
    uploader(again).upload("april.csv", rows(20))
    settled(again)
    assert "march\\.csv" in again.error[0].value and "a different file" in again.error[0].value
    assert asked(again) == asked(app)
    uploader(again).upload("march.csv", rows(40))
    settled(again)
    assert not again.error
    assert finding(again) == finding(app)
    assert asked(again) == asked(app)
    assert scores(again).equals(scores(app)) and len(scores(app))


def test_one_can_go_on_without_the_file():
    app = upload(opened(), "march.csv", rows(40))
    again = settled(reload(app, PAGE))
    again.button(key="predict.upload.forget").click()
    settled(again)
    assert "march" not in main_text(again)
    uploader(again).upload("april.csv", rows(20))
    settled(again)
    assert finding(again).startswith("20 rows") and asked(again).question.rows.name == "april.csv"


def test_a_saved_model_is_asked_for_by_name():
    raw = lincore.export.save_model(trained()[2])
    app = opened("iris")
    uploader(app, "Open a saved model").upload("boat.zip", raw)
    settled(app)
    upload(app, "march.csv", rows(30))
    question = asked(app).question
    assert question.model.name == "boat.zip" and not question.needs_data
    again = settled(reload(app, PAGE))
    assert "needs the model boat\\.zip\\: open it again" in again.header[0].value
    uploader(again, "Open a saved model").upload("boat.zip", raw[:-1])
    settled(again)
    assert "a different file" in again.error[0].value
    uploader(again, "Open a saved model").upload("boat.zip", raw)
    settled(again)
    uploader(again).upload("march.csv", rows(30))
    settled(again)
    assert finding(again) == finding(app) and asked(again) == asked(app)


def test_a_model_that_is_gone_can_be_left():
    wanted = Analysis(question=PredictQuestion(model=SavedModel("boat.zip", "0a" * 32)))
    app = opened("iris")
    app.query_params["analysis"] = wanted.to_query()
    again = reload(app, PAGE)
    again.button(key="predict.saved.forget").click()
    settled(again)
    assert_fine(again)
    assert asked(again).question == PredictQuestion()
