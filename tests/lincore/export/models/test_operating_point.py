"""The operating point of a model in every file that leaves it, and in predictions of new rows."""

from __future__ import annotations

import json
import math
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lincore
from lincore import DataError, export
from lincore.metrics import OperatingPoint
from lincore.prediction import predict

COSTS = [[0.0, 1.0, 2.0], [4.0, 0.0, 1.0], [6.0, 0.5, 0.0]]


@pytest.fixture(scope="module", params=[(0.15, 1), (0.7, 0), COSTS], ids=str)
def model(request):
    if request.param is COSTS:
        return lincore.fit(lincore.sample("gaussian"), "qda").at(costs=COSTS).fitted_model
    fitted = lincore.fit(lincore.sample("passengers"), "lda").at(*request.param)
    return fitted.fitted_model


@pytest.fixture(scope="module")
def rows(model):
    return lincore.sample(model.data_name).to_frame().iloc[:300, :-1]


@pytest.fixture(scope="module")
def decided(model, rows):
    """Return what the posteriors say by hand."""
    point, proba = model.operating_point, model.predict_proba(rows)
    if point.costs is not None:
        found = model.classes[(proba.to_numpy() @ COSTS).argmin(axis=1)]
        assert (found != model.classes[proba.to_numpy().argmax(axis=1)]).sum() > 0
        return found
    label, other = model.classes[point.code], model.classes[1 - point.code]
    found = np.where(proba[label] >= point.threshold, label, other)
    assert (found != np.where(proba["yes"] >= 0.5, "yes", "no")).sum() > 0
    return found


def test_a_model_file_decides_there(model, rows, decided):
    stored, card = export.load_model(export.save_model(model))
    assert stored.operating_point == model.operating_point
    assert_array_equal(stored.predict(rows), decided)
    origin = export.load_model(export.save_model(model)).origin
    assert model.operating_point.sentence(model.classes) in origin
    assert card.model == model.label


def test_python_decides_there(model, rows, decided):
    names = {}
    exec(export.to_numpy(export.score_functions(model)), names)
    assert_array_equal(names["predict"](rows), decided)


def test_sql_decides_there(model, rows, decided):
    with sqlite3.connect(":memory:") as connection:
        connection.create_function("exp", 1, lambda x: None if x is None else math.exp(x))
        rows.to_sql("data", connection, index=False)
        found = connection.execute(export.to_sql(export.score_functions(model))).fetchall()
    connection.close()
    assert_array_equal([line[-1] for line in found], decided)


def test_a_sheet_compares_the_posterior_with_the_threshold(model):
    *_, last = export.to_spreadsheet(export.score_functions(model))
    point = model.operating_point
    if point.costs is not None:
        assert last.formula.startswith("=CHOOSE(MATCH(MIN(")
        return
    assert last.formula.startswith("=IF(") and f">={point.threshold!r}".upper() in last.formula
    first, second = model.classes[point.code], model.classes[1 - point.code]
    assert last.formula.endswith(f'"{first}","{second}")')


def test_json_names_the_class_and_the_threshold(model):
    document = json.loads(export.to_json(export.score_functions(model)))
    point = model.operating_point
    if point.costs is not None:
        assert document["operating_point"] == {"costs": COSTS}
        assert "least sum" in document["reading"]["link"]
        return
    expected = {"class": model.classes[point.code], "threshold": point.threshold}
    assert document["operating_point"] == expected and "at least" in document["reading"]["link"]


def test_new_rows_are_predicted_there_unless_a_threshold_is_given(model, rows, decided):
    found = predict(model, rows)
    assert_array_equal(found.labels, decided)
    if model.operating_point.costs is not None:
        assert "(at least expected cost)" in found.by_class().finding()
        return
    assert "(threshold for 'yes': " in found.by_class().finding()
    plain = replace(model, operating_point=None)
    for threshold in (0.2, 0.5):
        given = found.with_threshold(threshold)
        assert_array_equal(given.labels, predict(plain, rows).with_threshold(threshold).labels)
        assert_array_equal(given.with_threshold(None).labels, decided)
    equal, point = found.with_priors("equal"), model.operating_point
    assert_array_equal(
        equal.codes == point.code, equal.posteriors[:, point.code] >= point.threshold
    )


@pytest.mark.parametrize("word", ["one-vs-rest", "one-vs-rest(models=k-1)", "one-vs-one"])
def test_scores_of_several_binary_models_decide_by_no_posterior(word):
    fitted = lincore.fit(lincore.sample("passengers"), word)
    assert export.score_functions(fitted.fitted_model).link != "softmax"
    for model in (fitted.at(0.2).fitted_model, fitted.fitted_model.abstaining(0.2)):
        with pytest.raises(DataError, match="scores and no posteriors"):
            export.score_functions(model)
        stored = export.load_model(export.save_model(model)).model
        rows = lincore.sample("passengers")
        assert stored.predict(rows).tolist() == model.predict(rows).tolist()


def test_a_forged_operating_point_is_refused(model):
    for point in (
        OperatingPoint(2.0, 1),
        OperatingPoint(float("nan"), 1),
        OperatingPoint(0.3, 5),
        OperatingPoint(None, 1),
        OperatingPoint(costs=((0.0, 1.0), (1.0, 0.0), (1.0, 1.0))),
        OperatingPoint(costs=((0.0, -1.0, 1.0),) * 3),
    ):
        with pytest.raises(DataError, match="cannot be read"):
            export.load_model(export.save_model(replace(model, operating_point=point)))
