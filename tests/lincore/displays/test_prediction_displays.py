"""Displays of predictions and of the laboratory: numbers, settings, keys, calls."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import laboratory
from lincore.displays import DriftDisplay, PredictedRowsDisplay
from lincore.errors import DataError
from lincore.prediction import TestSet, predict
from lincore.report import format_score


@pytest.fixture(scope="module")
def passengers():
    data = lincore.sample("passengers")
    split = lincore.split(data)
    model = lincore.compare(data.take(split.train), "lda", keep_models=True).model("lda")
    return data, split, model


@pytest.fixture(scope="module")
def predictions(passengers):
    data, split, model = passengers
    return predict(model, TestSet(data, split))


def test_posteriors_of_a_row_have_the_same_number_of_decimals():
    data = lincore.sample("iris")
    model = lincore.compare(data, "lda", keep_models=True).model("lda")
    found = predict(model, data.to_frame().iloc[[0, 133]])  # the second is in doubt
    assert found.rows().table()["P(setosa)"].tolist() == [1, 0]
    assert re.search(r"P\(setosa\) +1\.000 +0\.000", str(found.rows()))


def test_rows_are_those_that_are_asked_for(predictions):
    rows = predictions.rows(order="misclassified")
    wrong = np.flatnonzero(predictions.codes != predictions.truth)
    assert rows.frame()["row"].tolist() == predictions.numbers[wrong].tolist()
    np.testing.assert_array_equal(rows.frame()["P(yes)"], predictions.posteriors[wrong, 1])
    np.testing.assert_allclose(rows.table()["P(yes)"], predictions.posteriors[wrong, 1], atol=5e-4)
    assert rows.call() == 'predictions.rows(order="misclassified")'
    with pytest.raises(DataError, match="Choose from"):
        predictions.rows(order="none")


def test_only_orders_that_there_are_can_be_chosen(passengers):
    data, _, _ = passengers
    fisher = lincore.compare(data, "fisher", keep_models=True).model("fisher")
    without = predict(fisher, data.to_frame().drop(columns="survived").head(30))
    for order in ("misclassified", "uncertain"):
        with pytest.raises(DataError, match="Choose from"):
            without.rows(order=order)
    assert "not known" in str(without.scores()) and without.confusion().plot() is None


def test_keys_tell_rows_priors_and_levels_apart(passengers, predictions):
    data, _, model = passengers
    frame = data.to_frame().head(9)
    found = [
        predictions, predictions.with_priors("equal"), predictions.at_level(0.2),
        predict(model, frame), predict(model, frame.assign(note=1)),
    ]  # fmt: skip
    assert len({one.rows().key for one in found}) == len(found)
    assert predict(model, frame).rows().key == found[3].rows().key
    lines = pd.DataFrame({"column": ["a"] * 200, "p": 0.5})
    changed = lines.assign(p=np.where(np.arange(200) == 100, 0.4, 0.5))
    assert DriftDisplay(lines).key != DriftDisplay(changed).key, "where repr leaves lines out"


def test_classes_have_rows_and_priors_or_a_single_row_its_posteriors(passengers, predictions):
    data, _, model = passengers
    table = predictions.with_priors([0.4, 0.6]).by_class()
    assert table.frame()["prior in deployment"].tolist() == [0.4, 0.6]
    assert table.table()["prior in deployment (%)"].tolist() == [40, 60]
    assert table.frame()["rows"].sum() == len(predictions)
    one = predict(model, data.to_frame().head(1))
    assert one.by_class().frame()["posterior"].tolist() == one.posteriors[0].tolist()


def test_images_are_a_sheet_the_least_certain_first():
    digits = lincore.sample("digits")
    model = lincore.compare(digits, "lda", keep_models=True).model("lda")
    rows = predict(model, digits.X[:40]).rows(order="uncertain")
    assert rows.plot().layout.meta["sheet"] and "P(9)" in rows.table()
    found = rows.predictions
    assert (
        isinstance(rows, PredictedRowsDisplay)
        and rows.chosen[0] == found.posteriors.max(1).argmin()
    )


def test_scores_and_drift_are_the_librarys(passengers, predictions):
    data, split, _ = passengers
    line = predictions.scores().frame().set_index("score").loc["balanced accuracy"]
    wanted = lincore.metrics.score(predictions.results(), "LDA", "balanced accuracy")
    assert (line["value"], line["low"], line["high"]) == tuple(wanted)
    training = data.take(split.train)
    drift = predictions.drift(training)
    wanted = lincore.prediction.drift(training, predictions.new.frame)
    pd.testing.assert_frame_equal(drift.frame(), wanted)
    assert drift.call() == "predictions.drift(training)"


def test_an_experiment_says_question_verdict_frames_and_numbers():
    shown = laboratory.answer("far-points", guess=12.0)
    assert shown.call() == 'laboratory.answer(experiment="far-points", guess=12.0)'
    assert shown.finding().startswith("Your prediction: 12 rows. Computed: 15 rows. ")
    assert len(shown.frame()) == len(laboratory.demonstrate("far-points").frames)
    with pytest.raises(DataError, match="There is no"):
        laboratory.answer("nothing").finding()
    with pytest.raises(DataError, match="no such option"):
        laboratory.answer("fisher", speed=2)
    tables = laboratory.answer("race", "irls").tables()
    assert [table.finding() for table in tables][0] == "Gradient and Hessian after each step"
    assert tables[0].key != tables[1].key


def test_the_verdict_is_not_about_points_of_ones_own():
    board = laboratory.EXPERIMENTS["own-rows"].presets["classic"].board
    points = board.start()[:20]
    own, given = (laboratory.answer("own-rows", points=part) for part in (points, ()))
    assert own.verdict() == given.verdict() and "of 20 rows" in own.finding()
    assert "of 24 rows" in given.finding()


@pytest.mark.parametrize("reject", ["cost", "sets"])
def test_scores_tell_the_abstained_rows_and_the_error_of_the_others(reject):
    data = lincore.sample("passengers")
    model = lincore.fit(data, "lda")
    shown = model.reject_option(reject=reject)
    rejection = shown.rejection
    predictions = predict(model.fitted_model, TestSet(data, model.split))
    plain = predictions.scores()
    assert not plain.table()["score"].str.contains("abstain").any()
    scores = predictions.with_reject_option(shown.rule).scores()
    lines = dict(scores.table().to_numpy().tolist())
    number = int((rejection.predicted < 0).sum())
    assert lines["abstained"].startswith(f"{number} of {len(rejection.predicted)} ")
    assert lines["error without these"] == format_score(rejection.error, "recall")
    assert "of all test rows, also those for which the model abstains" in " ".join(scores.notes())
    pd.testing.assert_frame_equal(scores.frame(), plain.frame())
