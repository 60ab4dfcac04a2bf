"""Downloads of the model on the page Classify: what is offered, and that it is the model shown."""

from __future__ import annotations

import csv
import io
import json

import pytest

import lincore
from lincore.export import load_model
from pages.ui.classify import export_model
from tests.app.classify.test_classify import choose, open_classify
from tests.app.test_pages import main_text

CODE = {"py", "sql", "tsv", "json"}


@pytest.fixture
def offered(monkeypatch):
    """Return what the buttons would download, by the ends of their keys."""
    files = {}

    def download_button(label, data, *, file_name, key, **settings):
        files[key.rpartition(".")[2]] = (file_name, data)

    monkeypatch.setattr(export_model.st, "download_button", download_button)
    return files


def opened(word: str, sample: str):
    app = open_classify(word, sample)
    app.session_state[export_model.KEY] = True
    return app.run()


def test_nothing_is_made_before_the_popover_is_opened(offered):
    open_classify("lda", "iris")
    assert not CODE & set(offered)


@pytest.mark.parametrize(
    "word",
    [
        "lda",
        "one-vs-one",
        *(pytest.param(one, marks=pytest.mark.long) for one in ("qda", "logistic", "perceptron")),
    ],
)
def test_every_way_is_offered_and_is_the_model_of_the_page(offered, word):
    app = opened(word, "iris")
    assert not app.exception
    assert {"file", *CODE} <= set(offered)
    iris = lincore.sample("iris")
    rows = iris.to_frame().iloc[:, :-1]
    name, make = offered["file"]
    model, card = load_model(make())
    assert name.startswith("iris ") and name.endswith(".zip")
    assert card.trained_on["rows"] == 105 and card.validation.startswith("holdout, 45")
    assert card.assumptions or word == "one-vs-one"
    names = {}
    exec(offered["py"][1](), names)
    assert names["predict"](rows) == model.predict(rows).tolist()
    assert json.loads(offered["json"][1]())["model"] == card.model
    assert "SELECT" in offered["sql"][1]()
    header, row = csv.reader(io.StringIO(offered["tsv"][1]()), delimiter="\t")
    assert header[:4] == list(rows.columns) and header[-1] == "predicted"
    tested = lincore.split(lincore.sample("iris")).test[0]
    assert list(map(float, row[:4])) == rows.iloc[tested].tolist()
    assert row[-1].startswith("=CHOOSE(")


def test_categories_and_gaps_are_taken_along(offered):
    opened("lda", "passengers")
    assert 'CASE WHEN t."sex"' in offered["sql"][1]()
    assert "male" in offered["tsv"][1]()


def test_what_is_no_formula_says_why_and_is_a_file_all_the_same(offered):
    app = open_classify("lda", "iris")
    app.session_state["chips.steps"] = True
    choose(app.run(), "experiment.basis", "radial")
    app.session_state[export_model.KEY] = True
    app.run()
    assert not app.exception
    assert "file" in offered and not CODE & set(offered)
    assert "RadialBasis" in main_text(app)
    assert load_model(offered["file"][1]()).card.trained_on["rows"] == 105


@pytest.mark.long
def test_what_is_too_large_for_a_query_says_so(offered):
    app = opened("naive-bayes", "faces")
    assert not app.exception
    assert {"file", "py", "json"} <= set(offered) and "sql" not in offered
    assert "SQL export allows" in main_text(app)
