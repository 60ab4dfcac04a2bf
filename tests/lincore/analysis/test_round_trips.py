"""Specifications as JSON and as links: what comes back, how long it is, what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

import lincore
from lincore import DataError, fields, io
from lincore.analysis import (
    Analysis,
    BalanceStudyQuestion,
    ClassifyQuestion,
    CompareQuestion,
    FileData,
    GeneratedData,
    SampleData,
    SplitChoice,
)
from lincore.model_selection import CLASSIFIER_OPTIONS, Steps
from tests.lincore.analysis.strategies import analyses


@settings(max_examples=20, deadline=None)
@given(analyses)
def test_a_specification_comes_back_from_json_and_from_its_link(asked):
    again = Analysis.from_json(asked.to_json())
    assert again == asked and hash(again) == hash(asked)
    assert Analysis.from_json(asked.to_json(indent=2)) == asked
    assert Analysis.from_query(asked.to_query()) == asked


def every_option() -> dict[str, dict[str, object]]:
    """Return an option of another value than its default wherever there is one to choose."""
    return {
        word: {
            option.name: next(one for one in option.field.choices if one != option.default)
            for option in fields.options(record)
            if set(option.field.choices or ()) - {option.default}
        }
        for word, record in CLASSIFIER_OPTIONS.items()
    }


@pytest.mark.parametrize("name", io.SAMPLES)
def test_the_link_of_a_sample_is_short_whatever_is_chosen(name):
    data = lincore.sample(name)
    columns = list(data.feature_names)[:40]
    table = io.TableOptions(
        rename={name: f"{name} as I call it" for name in columns},
        roles=dict.fromkeys(columns, "ignore"),
        where=tuple(io.Condition(name, "between", (0.123, 7.25)) for name in columns[:6]),
        merge_classes={label: f"class {label}" for label in data.classes.tolist()},
    )
    options = every_option()
    asked = Analysis(
        SampleData(name, "target", io.ReadOptions(missing_codes=("?", "NA")), table),
        SplitChoice("stratified", 0.35, 9999),
        Steps(True, "polynomial(degree=3)", 20, True),
        options,
        CompareQuestion(tuple(options), options, "10x10-fold by group", "balanced accuracy", 0.01),
        {f"compare.some.widget.{i}": f"value {i * 7919 % 1000}" for i in range(60)},
    )
    assert len(asked.to_query()) <= 4_000
    assert Analysis.from_query(asked.to_query()) == asked


def test_json_is_for_people_too():
    asked = Analysis(
        SampleData("wine"),
        steps=Steps(True),
        options={"logistic": {"C": float("inf")}},
        question=BalanceStudyQuestion({"a": 3, 7: 0.5}),
    )
    assert json.loads(asked.to_json()) == {
        "schema": 1,
        "data": {"kind": "sample", "name": "wine"},
        "steps": {"standardize": True},
        "options": {"logistic": {"C": "inf"}},
        "question": {"kind": "balance-study", "sizes": [["a", 3], [7, 0.5]]},
    }


def test_options_at_their_default_are_no_options():
    text = '{"schema": 1, "options": {"lda": {"divisor": "n"}, "qda": {"regularization": 0.1}}}'
    assert Analysis.from_json(text).options == {"qda": {"regularization": 0.1}}


REFUSED = {
    "schema": ['{"schema": 2}', "{}", '{"schema": true}', '{"schema": "1"}'],
    "specification": ["", "[]", "nonsense", "[" * 10**5, '{"schema": NaN}', "9" * 9_000, "null"],
    "There is no field": ['{"schema": 1, "shared.dataset": 3}'],
    "data": [
        '{"schema": 1, "data": {"kind": "sample", "name": "../../etc/passwd"}}',
        '{"schema": 1, "data": {"kind": "sample"}}',
        '{"schema": 1, "data": {"kind": "pickle", "name": "x"}}',
        '{"schema": 1, "data": {"kind": ["sample"]}}',
        '{"schema": 1, "data": {"kind": "file", "name": "a.csv", "sha256": "zz"}}',
        '{"schema": 1, "data": {"kind": "file", "name": "\\ud800"}}',
        '{"schema": 1, "data": {"kind": "generated", "sizes": 1000000000}}',
        '{"schema": 1, "data": {"kind": "generated", "sizes": [90000, 90000]}}',
        '{"schema": 1, "data": {"kind": "generated", "means": [[1e300]]}}',
        '{"schema": 1, "data": {"kind": "generated", "means": [["inf"]]}}',
        '{"schema": 1, "data": {"kind": "generated", "seed": -1}}',
    ],
    "split": [
        '{"schema": 1, "split": {"test_size": 1}}',
        '{"schema": 1, "split": {"test_size": 1e999}}',
        '{"schema": 1, "split": {"how": "random"}}',
        '{"schema": 1, "split": {"seed": 1.5}}',
        '{"schema": 1, "split": {"seed": true}}',
    ],
    "steps": [
        '{"schema": 1, "steps": {"basis": "polynomial(degree=60)"}}',
        '{"schema": 1, "steps": {"basis": "radial(n_centers=9999)"}}',
        '{"schema": 1, "steps": {"basis": "__import__"}}',
        '{"schema": 1, "steps": {"n_components": 0}}',
        '{"schema": 1, "steps": {"standardize": 1}}',
    ],
    "options": [
        '{"schema": 1, "options": {"svm": {}}}',
        '{"schema": 1, "options": {"lda": {"n_jobs": 9}}}',
        '{"schema": 1, "options": {"logistic": {"C": -1}}}',
        '{"schema": 1, "options": {"logistic": {"C": [1]}}}',
        '{"schema": 1, "options": {"logistic": {"max_iter": 1000000001}}}',
        '{"schema": 1, "options": {"logistic": {"max_iter": 10.5}}}',
        '{"schema": 1, "options": {"logistic": {"solver": "os.system"}}}',
        '{"schema": 1, "options": {"perceptron": {"max_epochs": 1000000000}}}',
        '{"schema": 1, "options": {"lda": {"priors": [2, 3]}}}',
    ],
    "question": [
        '{"schema": 1, "question": {"kind": "classify", "classifier": "svm"}}',
        '{"schema": 1, "question": {"kind": "compare", "scheme": "1000000-fold"}}',
        '{"schema": 1, "question": {"kind": "compare", "scheme": "999x10-fold"}}',
        '{"schema": 1, "question": {"kind": "compare", "methods": "lda"}}',
        '{"schema": 1, "question": {"kind": "balance-cost", "repeats": 1000000}}',
        '{"schema": 1, "question": {"kind": "balance-cost", "prevalence": "all"}}',
        '{"schema": 1, "question": {"kind": "balance-study", "sizes": [["a", -1]]}}',
        '{"schema": 1, "question": {"kind": "balance-study", "sizes": [["a"]]}}',
    ],
    "view": [
        '{"schema": 1, "view": {"A key": 1}}',
        '{"schema": 1, "view": {"tab": null}}',
        '{"schema": 1, "view": {"tab": {"deep": 1}}}',
        '{"schema": 1, "view": {"tab": 1' + "0" * 400 + "}}",
    ],
}


@pytest.mark.parametrize(
    ("place", "text"), [(place, text) for place, texts in REFUSED.items() for text in texts]
)
def test_what_does_not_belong_there_is_refused_with_its_place(place, text):
    with pytest.raises(DataError, match=place) as caught:
        Analysis.from_json(text)
    assert len(str(caught.value)) < 400


def test_second_entries_are_checked_where_they_are_made():
    with pytest.raises(DataError, match="second"):
        CompareQuestion(second={"lda": {"C": 1}})


def test_a_file_is_known_by_its_content():
    raw = b"length,kind\n1,a\n2,b\n3,a\n4,b\n"
    asked = Analysis(FileData("t.csv", "0" * 64), question=ClassifyQuestion())
    with pytest.raises(DataError, match=r"Provide the file t\.csv"):
        asked.load(raw)
    with pytest.raises(DataError, match=r"t\.csv: The analysis needs a file"):
        asked.load()


def test_generated_data_are_given_as_they_are_called():
    data = GeneratedData(((0.0, 0.0), (1.0, 1.0)), sizes=(30, 20), outliers=0.1, seed=4)
    assert data.load().digest == io.gaussian_classes(**data.arguments()).digest
    assert GeneratedData(sizes=100_000).sizes == 100_000
    with pytest.raises(DataError, match="There would be"):
        GeneratedData(sizes=(100_000, 1))


def test_a_category_that_reads_like_a_number_stays_text():
    rows = '{"kind": "typed", "values": [["size", "inf"]]}'
    text = '{"schema": 1, "question": {"kind": "predict", "rows": ' + rows + "}}"
    assert Analysis.from_json(text).question.rows.values == {"size": "inf"}
