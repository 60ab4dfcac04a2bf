"""Predict, with test rows, files and a row by hand, without a browser."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import lincore
from lincore.analysis import NewFile
from lincore.prediction import TestSet, predict
from pages.ui.jobs import page_jobs
from pages.ui.predict import new_rows, run
from tests.app.data_page import bring, plain
from tests.app.session.test_link import asked, reload
from tests.app.settling import settled
from tests.app.test_pages import assert_fine, choose_sample, main_text, open_app

PAGE = "pages/predict.py"


def opened(sample: str = "passengers") -> AppTest:
    app = open_app()
    choose_sample(app, sample)
    app.switch_page(PAGE)
    return settled(app)


def trained(name: str = "passengers", method: str = "lda"):
    """Return the data, their split and the model that the page fits at first."""
    data = lincore.sample(name)
    split = lincore.split(data)
    pipeline = lincore.fit(data, lincore.LinearDiscriminantAnalysis(), split).pipeline
    model = lincore.model_selection.FittedModel.of(data, pipeline, "LDA", split.train)
    return data, split, model


def upload(app: AppTest, name: str, raw: bytes) -> AppTest:
    app.segmented_control(key="predict.rows").set_value("NewFile")
    settled(app)
    uploader(app).upload(name, raw)
    return settled(app)


def uploader(app: AppTest, label: str = "Upload the new rows"):
    (found,) = [one for one in app.file_uploader if one.label == label]
    return found


def finding(app: AppTest) -> str:
    return app.header[0].value.replace("\\", "").replace("\xa0", " ").replace("\u2060", "")


def matched(app: AppTest) -> str:
    """Return the label of what says how the columns match."""
    return " ".join(one.label for one in app.main.expander)


def table(app: AppTest) -> pd.DataFrame:
    return next(one.value for one in app.dataframe if "row" in one.value)


def scores(app: AppTest) -> pd.DataFrame:
    """Return the table of scores; nothing without one."""
    tables = [one.value for one in app.dataframe if "score" in one.value]
    return tables[0] if tables else pd.DataFrame()


def test_numbers_are_the_librarys():
    data, split, model = trained()
    app = opened()
    found = predict(model, TestSet(data, split))
    assert finding(app) == found.by_class().finding()
    lines = table(app)
    assert lines["row"].tolist() == split.test.tolist()
    assert lines["predicted survived"].astype(str).tolist() == found.labels.tolist()
    np.testing.assert_allclose(lines["P(yes)"], found.posteriors[:, 1], atol=5e-4)
    np.testing.assert_allclose(lines["distance"], found.distance, atol=5e-4)
    score = lincore.metrics.score(found.results(), "LDA", "balanced accuracy")
    assert scores(app)["value"].iloc[0].startswith(f"{100 * score.value:.1f} % (")


def test_a_file_is_matched_by_name_and_bad_ones_leave_it_in_place():
    data, _, model = trained()
    frame = data.to_frame().astype({"port": str}).drop(columns="survived")[::-1].head(50)
    frame.loc[frame.index[:4], "port"] = "Cork"
    raw = frame.assign(cabin="=1+1").to_csv(index=False).encode()
    app = upload(opened(), "march.csv", raw)
    assert_fine(app)
    before = finding(app)
    assert before.startswith("50 rows")
    said = main_text(app).replace("\\", "")
    assert "'Cork'" in said and "4 rows" in said and "'cabin'" in said
    assert "All 7 columns were found by name" in matched(app)
    assert scores(app).empty, "no classes, no scores"
    for name, bad in {"empty.csv": b"", "a.pdf": b"%PDF-1.7", "broken.zip": b"PK\x03\x04"}.items():
        uploader(app).upload(name, bad)
        settled(app)
        assert_fine(app)
        assert len(app.error) == 1 and finding(app) == before
    uploader(app).upload("again.csv", data.to_frame().head(20).to_csv(index=False).encode())
    settled(app)
    assert not app.error and app.header[0].value.startswith("20 rows") and len(scores(app))


def test_missing_columns_are_named_and_can_be_filled():
    data, _, _ = trained()
    frame = data.to_frame().drop(columns=["fare", "survived"]).head(30)
    app = upload(opened(), "short.csv", frame.to_csv(index=False).encode())
    assert "fare" in app.error[0].value and finding(app) == new_rows.QUESTION
    app.button(key="predict.run.fill").click()
    settled(app)
    assert_fine(app)
    assert not app.error and app.header[0].value.startswith("30 rows")
    assert "6 of 7 columns" in matched(app)


@pytest.mark.usefixtures("unfolded")
def test_priors_and_level_change_predictions_without_a_new_fit():
    data, split, model = trained()
    found = predict(model, TestSet(data, split))
    app = opened()
    app.selectbox(key="predict.priors").set_value("equal")
    settled(app)
    assert_fine(app)
    equal = found.with_priors("equal").by_class().finding()
    assert finding(app) == equal
    app.selectbox(key="predict.priors").set_value("estimate")
    settled(app)
    assert "Priors estimated from these rows" in main_text(app)
    app.selectbox(key="predict.priors").set_value("ClassShare")
    settled(app)
    app.slider(key="predict.priors.share.1").set_value(60)
    settled(app)
    share = found.with_priors([0.4, 0.6]).by_class().finding()
    assert finding(app) == share
    app.selectbox(key="predict.level").set_value(0.05)
    settled(app)
    level = found.with_priors([0.4, 0.6]).at_level(0.05).by_class().finding()
    assert finding(app) == level


def test_a_threshold_moves_counts_and_scores_without_a_new_fit():
    data, split, model = trained()
    app = opened()
    assert app.slider(key="predict.threshold").value == 50
    jobs = list(app.session_state[page_jobs.JOBS])
    app.slider(key="predict.threshold").set_value(20)
    settled(app)
    assert_fine(app)
    found = predict(model, TestSet(data, split)).with_threshold(0.2)
    assert finding(app) == found.by_class().finding() and "threshold for 'yes': 20 %" in finding(
        app
    )
    score = lincore.metrics.score(found.results(), "LDA", "balanced accuracy")
    assert scores(app)["value"].iloc[0].startswith(f"{100 * score.value:.1f} % (")
    assert asked(app).question.threshold == 0.2
    assert list(app.session_state[page_jobs.JOBS]) == jobs, "nothing was computed again"
    again = settled(reload(app, "pages/predict.py"))
    assert finding(again) == finding(app)
    app.selectbox(key="predict.priors").set_value("equal")
    settled(app)
    assert finding(app) == found.with_priors("equal").by_class().finding()
    app.selectbox(key="classify.classifier").set_value("perceptron")
    settled(app)
    assert_fine(app)
    assert not [one for one in app.slider if one.key == "predict.threshold"]
    assert asked(app).question.threshold is None


def test_more_classes_have_no_threshold_and_scores_come_before_rows():
    app = opened("iris")
    assert not [one for one in app.slider if one.key == "predict.threshold"]
    titles = [set(one.value.columns) for one in app.dataframe]
    assert "score" in titles[0] and "row" in titles[1]


def test_the_classifier_is_that_of_classify_and_its_options_too():
    app = opened("iris")
    app.selectbox(key="classify.classifier").set_value("logistic")
    settled(app)
    assert_fine(app)
    assert "by Logistic regression" in main_text(app)
    app.switch_page("pages/classify.py")
    settled(app)
    assert app.selectbox(key="classify.classifier").value == "logistic"


def test_one_row_is_typed_in():
    app = opened()
    app.segmented_control(key="predict.rows").set_value("TypedRow")
    settled(app)
    assert_fine(app)
    data, split, model = trained()
    assert finding(app).startswith("Predicted: 'no'")
    next(one for one in app.selectbox if one.label == "sex").set_value(1)
    next(one for one in app.number_input if one.label == "fare").set_value(500.0)
    next(one for one in app.button if one.label == "Predict").click()
    settled(app)
    assert_fine(app)
    row = {name: [None] for name in data.feature_names}
    usual = lincore.inspection.median_row(data, split.train)
    for j, name in enumerate(data.feature_names):
        levels = data.levels[j]
        row[name] = [usual[j] if levels is None else levels[int(usual[j])]]
    row["sex"], row["fare"] = ["female"], [500.0]
    found = predict(model, pd.DataFrame(row))
    assert finding(app) == found.by_class().finding().replace("\xa0", " ").replace("\u2060", "")


def test_images_are_predicted_from_a_zip():
    digits = lincore.sample("digits")
    app = opened("digits")
    assert "By hand" not in app.segmented_control(key="predict.rows").options
    upload(app, "new.zip", lincore.io.write_image_zip(digits.take(slice(0, 30))))
    assert_fine(app)
    assert app.header[0].value.startswith("30 images")
    assert len(scores(app)) and not app.error
    upload(app, "table.csv", b"a,b\n1,2\n")
    assert "fitted on images" in app.error[0].value


def test_a_prediction_that_is_stopped_is_no_error():
    data, split, model = trained("iris")
    rows = new_rows.RowsToPredict(NewFile(), "iris.csv", data.to_frame())
    work = run.Work(data, split.train, model, rows, lincore.prediction.Reading())
    assert work(lambda *_: False) is None
    assert len(work(lambda *_: True).predictions) == 150


def test_the_orders_of_the_table():
    app = opened()
    data, split, model = trained()
    found = predict(model, TestSet(data, split))
    for order in ("uncertain", "far", "misclassified", "row"):
        app.selectbox(key="predict.rows.order").set_value(order)
        settled(app)
        assert_fine(app)
        assert table(app)["row"].tolist() == split.test[found.ranked(order)].tolist(), order


def test_a_file_named_like_markup_and_hostile_cells_are_shown_as_they_are():
    data, _, _ = trained("iris")
    frame = data.to_frame().head(12).assign(**{"![x](http://evil)": "=cmd"})
    app = upload(opened("iris"), "[a](b) **c**.csv", frame.to_csv(index=False).encode())
    assert_fine(app)
    for part in [*app.header, *app.markdown, *app.caption]:
        assert "](b)" not in part.value and "](http" not in part.value
    assert "'=cmd" in set(table(app)["![x](http://evil)"])


def test_a_table_of_words_is_predicted():
    rng = np.random.default_rng(0)
    words = {"ham": ["meeting", "report", "monday"], "spam": ["offer", "winner", "cash"]}
    lines = [
        {"message": " ".join(rng.choice(words[kind], 6)) + f" of {i} more", "kind": kind}
        for i, kind in enumerate(["ham", "spam"] * 40)
    ]
    raw = pd.DataFrame(lines).to_csv(index=False).encode()
    app = open_app()
    app.file_uploader[0].upload("mails.csv", raw)
    settled(app)
    app.switch_page(PAGE)
    settled(app)
    assert_fine(app)
    new = pd.DataFrame({"message": ["winner offer cash cash", "monday meeting report"]})
    upload(app, "new.csv", new.assign(note=1).to_csv(index=False).encode())
    assert_fine(app)
    assert not app.error and app.header[0].value.startswith("2 rows")


def test_a_saved_model_predicts_whatever_the_data_are():
    data, split, model = trained()
    frame = data.to_frame().head(30)
    raw = lincore.export.save_model(model)
    app = opened("iris")
    uploader(app, "Open a saved model").upload("boat.zip", raw)
    settled(app)
    assert_fine(app)
    assert "Test set" not in app.segmented_control(key="predict.rows").options
    upload(app, "march.csv", frame.to_csv(index=False).encode())
    assert_fine(app)
    assert finding(app) == predict(model, frame).by_class().finding()
    said = main_text(app).replace("\\", "")
    version = lincore.__version__
    assert f"LDA, fitted on 630 rows of passengers. It was made by lincore {version}" in said
    app.segmented_control(key="predict.rows").set_value("TypedRow")
    settled(app)
    assert_fine(app)
    assert finding(app).startswith("Predicted: 'no'")
    uploader(app, "Open a saved model").upload("bad.zip", b"PK no zip")
    settled(app)
    assert "bad\\.zip" in app.error[0].value and finding(app).startswith("Predicted: 'no'")
    app.button(key="predict.saved.close").click()
    settled(app)
    assert_fine(app)
    assert not app.error and app.selectbox(key="classify.classifier").value == "lda"


def test_a_model_file_of_untrusted_types_is_refused(monkeypatch):
    _, _, model = trained("iris")
    raw = lincore.export.save_model(model)
    monkeypatch.setattr("lincore.export.models.model_file.TRUSTED", frozenset())
    app = opened("iris")
    before = finding(app)
    uploader(app, "Open a saved model").upload("theirs.zip", raw)
    settled(app)
    assert_fine(app)
    refusal = app.error[0].value.replace("\\", "")
    assert "untrusted types: lincore." in refusal
    assert f"made by lincore {lincore.__version__}" in refusal
    assert finding(app) == before


def test_classes_that_are_not_known_and_rows_without_one_are_counted_on_the_page():
    lines = [
        f"P{i // 5:02},{(i * 7 % 13) / 2},{(i * 5 % 11) / 3},{'xyz'[i % 3]}" for i in range(90)
    ]
    app = bring(open_app(), ("train.csv", "\n".join(["patient,len,wid,kind", *lines]).encode()))
    app.switch_page(PAGE)
    settled(app)
    labels = ["w", "w", "", "x", "y", "z"]
    new = [f"Q{i // 2},{i / 2},{i / 3},{label}" for i, label in enumerate(labels)]
    upload(app, "new.csv", "\n".join(["Patient,len,wid,KIND", *new]).encode())
    assert_fine(app)
    said = plain(main_text(app))
    assert "2 rows of a class unknown to the model: 'w' (2)" in said
    assert "1 row without a class" in said
    assert "3 of 6 rows are scored" in said
    assert "additional column" not in said
