"""Model cards: what they say, and what comes back of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import lincore
from lincore import DataError
from lincore.export import ModelCard, model_card
from tests.lincore.export.models.cases import Case, dataset


@pytest.fixture(scope="module")
def card():
    data = lincore.sample("passengers")
    results = lincore.compare(data, "lda", "5-fold", keep_models=True)
    return model_card(results.model("lda"), results, data=data)


def test_a_card_says_what_was_learned_from_what(card):
    data = lincore.sample("passengers")
    assert card.trained_on["rows"] == data.n_rows
    assert card.trained_on["classes"] == {"no": 726, "yes": 174}
    assert [column["kind"] for column in card.columns][:3] == ["category", "category", "number"]
    assert card.columns[1]["levels"] == ["female", "male"]
    assert "5-fold" in card.validation
    assert {check["name"] for check in card.assumptions} >= {"normality", "equal covariances"}


def test_scores_are_those_of_the_results_with_their_intervals():
    iris = lincore.sample("iris")
    results = lincore.compare(iris, ["lda", "qda"], keep_models=True)
    card = model_card(results.model("qda"), results, "qda")
    for name, found in card.scores.items():
        value, low, high = lincore.metrics.score(results, "qda", name)
        assert found["value"] == value
        assert (found["low"], found["high"]) == (low, high) or np.isnan(low)
    assert card.assumptions == () and card.trained_on["rows"] == 150


def test_rows_of_a_split_are_counted():
    iris = lincore.sample("iris")
    train = lincore.split(iris).train
    card = model_card(Case("iris", "lda").model, data=iris, rows=train)
    assert card.trained_on["rows"] == len(train) and card.scores == {}


def test_a_card_comes_back(card):
    again = ModelCard.from_json(card.to_json())
    assert again == card and again.to_json() == card.to_json()


@pytest.mark.parametrize(
    "change", [{"schema": "x"}, {"version": 2}, {"classes": "a"}, {"model": 3}]
)
def test_another_document_is_refused(card, change):
    with pytest.raises(DataError, match="model card"):
        ModelCard.from_json(json.dumps({**json.loads(card.to_json()), **change}))


def test_the_readme_shows_hostile_names_as_text():
    data = dataset("hostile")
    text = model_card(Case("hostile", "lda").model, data=data).to_markdown()
    assert "<script" not in text.replace("\\<script", "") and "\n## Scores\n" in text
