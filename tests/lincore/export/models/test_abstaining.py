"""Chow's rule in every file that leaves a model, against the rule by hand and the library."""

from __future__ import annotations

import json
import math
import sqlite3
import zipfile
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

import lincore
from lincore import DataError, export
from lincore.metrics import RejectOption
from lincore.prediction import predict
from tests.lincore.export.models.test_json_document import scores_of

COSTS = [[0.0, 1.0, 2.0], [4.0, 0.0, 1.0], [6.0, 0.5, 0.0]]


@pytest.fixture(
    scope="module",
    params=[
        ("passengers", "lda", {}, 0.1),
        ("passengers", "logistic", {"threshold": 0.15, "code": 1}, 0.25),
        ("gaussian", "qda", {}, 0.3),
        ("gaussian", "qda", {"costs": COSTS}, 0.3),
    ],
    ids=str,
)
def case(request):
    """Return a model that decides at a point, and the cost of rejection."""
    name, method, point, cost = request.param
    return lincore.fit(lincore.sample(name), method).at(**point).fitted_model, cost


@pytest.fixture(scope="module")
def model(case):
    return case[0].abstaining(case[1])


@pytest.fixture(scope="module")
def functions(model):
    return export.score_functions(model)


@pytest.fixture(scope="module")
def rows(model):
    return lincore.sample(model.data_name).to_frame().iloc[:300, :-1]


@pytest.fixture(scope="module")
def decided(case, rows):
    """Return the decisions without abstaining, None where an error is likelier than the cost."""
    plain, cost = case
    error = 1 - plain.predict_proba(rows).to_numpy().max(axis=1)
    found = [
        None if one > cost else label for one, label in zip(error, plain.predict(rows), strict=True)
    ]
    assert 20 < found.count(None) < 280
    return found


def same(found, expected):
    """Compare labels, with any missing value as None."""
    return [None if label != label else label for label in found] == expected


def test_the_model_abstains_as_predictions_do(case, model, rows, decided):
    assert same(model.predict(rows), decided)
    plain, cost = case
    rule = RejectOption.of_cost(cost, len(plain.classes))
    by_hand, own = predict(plain, rows).with_reject_option(rule), predict(model, rows)
    assert own.by_class().finding() == by_hand.by_class().finding()
    assert "it abstains for" in own.by_class().finding()
    assert own.rule == rule and own.digest != predict(plain, rows).digest
    assert own.is_rejected.tolist() == by_hand.is_rejected.tolist()
    assert own.is_rejected.tolist() == [label is None for label in decided]
    never = own.with_reject_option(RejectOption.of_cost(1, len(plain.classes)))
    assert not never.is_rejected.any()
    assert own.with_reject_option(None).rule == rule


def test_a_model_file_abstains_and_says_so(model, rows, decided):
    raw = export.save_model(model, card=export.model_card(model))
    stored = export.load_model(raw)
    assert same(stored.model.predict(rows), decided)
    sentence = model.reject_option.sentence()
    assert sentence in stored.origin and sentence in stored.card.intended_use
    with zipfile.ZipFile(BytesIO(raw)) as archive:
        assert "abstains below a posterior of" in archive.read("README.md").decode()
    plain = export.load_model(export.save_model(replace(model, abstains_below=None)))
    assert plain.card.intended_use.endswith("The model does not abstain.")


def test_python_abstains(functions, rows, decided):
    names = {}
    exec(export.to_numpy(functions), names)
    assert same(names["predict"](rows), decided)


def test_sql_abstains(functions, rows, decided):
    with sqlite3.connect(":memory:") as connection:
        connection.create_function("exp", 1, lambda x: None if x is None else math.exp(x))
        rows.to_sql("data", connection, index=False)
        found = connection.execute(export.to_sql(functions)).fetchall()
    connection.close()
    assert same([line[-1] for line in found], decided)


def test_json_abstains_as_it_says(functions, model, rows, decided):
    document = json.loads(export.to_json(functions))
    proba = np.array([scores_of(document, row) for row in rows.to_dict("records")])
    abstains = proba.max(axis=1) < document["abstains_below"]
    assert abstains.tolist() == [label is None for label in decided]


def test_a_sheet_compares_the_largest_posterior(functions, model):
    *_, last = export.to_spreadsheet(functions)
    *_, plain = export.to_spreadsheet(replace(functions, abstains_below=None))
    own = [cell for cell in export.to_spreadsheet(functions) if cell.kind == "probability"]
    span = f"{own[0].column}2:{own[-1].column}2"
    assert last.formula == f'=IF(MAX({span})<{model.abstains_below!r},"",{plain.formula[1:]})'


def test_every_file_says_whether_it_abstains(functions, model):
    says = f"No class is predicted if the largest posterior is below {model.abstains_below!r}."
    plain = replace(functions, abstains_below=None)
    for write in (export.to_numpy, export.to_sql):
        assert write(functions).splitlines()[1].endswith(says)
        assert write(plain).splitlines()[1].endswith("The model does not abstain.")
    document, without = (json.loads(export.to_json(one)) for one in (functions, plain))
    assert document["reading"]["link"].endswith(says)
    assert "abstains_below" not in without
    assert without["reading"]["link"].endswith("The model does not abstain.")


def test_what_cannot_abstain_is_refused(model):
    without = lincore.fit(lincore.sample("passengers"), "least-squares").fitted_model
    with pytest.raises(DataError, match="no posteriors"):
        without.abstaining(0.2)
    for cost in (-0.1, 1.1, math.nan):
        with pytest.raises(DataError, match="cost of rejection is"):
            model.abstaining(cost)
    for below in (2.0, math.nan, "0.5"):
        with pytest.raises(DataError, match="cannot be read"):
            forged = replace(model, abstains_below=below)
            export.load_model(export.save_model(forged, card=export.model_card(model)))


def test_numbers_as_classes_stay_numbers():
    rng, y = np.random.default_rng(3), np.repeat([3, 7], 40)
    data = lincore.load((rng.normal(size=(80, 2)) + 0.8 * (y == 7)[:, None], y))
    model = lincore.fit(data, "lda").fitted_model.abstaining(0.2)
    found = model.predict(data).tolist()
    assert {3, 7} < set(found) and found.count(None) > 5
