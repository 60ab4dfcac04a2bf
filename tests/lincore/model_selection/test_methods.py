"""Methods by word, by line and by estimator, and the table of their options."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression as ScikitLogistic
from sklearn.multiclass import OneVsRestClassifier

import lincore
from lincore import DataError, fields
from lincore.model_selection import (
    CLASSIFIER_FACTORIES,
    CLASSIFIER_LABELS,
    CLASSIFIER_OPTIONS,
    as_method,
    as_methods,
    default_methods,
    format_spec,
    parse_spec,
)

SOLVED = {"lda", "diagonal-lda", "qda", "naive-bayes", "fisher", "least-squares"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("word", CLASSIFIER_FACTORIES)
def test_every_word_names_an_estimator_and_an_estimator_its_word(word):
    method = as_method(word)
    assert (method.name, method.label, method.word) == (word, CLASSIFIER_LABELS[word], word)
    assert type(method.estimator) is CLASSIFIER_FACTORIES[word]
    assert method.from_moments == (word in SOLVED)
    assert as_method(method.estimator).name == word
    X = np.random.default_rng(0).poisson(3.0, (60, 4)).astype(float)
    codes = np.arange(60) % 3
    X[:, 0] += 5 * codes
    model = method.fresh(3).fit(X, codes)
    assert (model.predict(X) == codes).mean() > 0.5
    assert not hasattr(method.estimator, "classes_")


@pytest.mark.parametrize(
    "line",
    [
        "lda(shrinkage=0.1)",
        "lda(shrinkage=oas, divisor=n-k)",
        "lda(priors=[0.2, 0.8])",
        "lda(priors=equal)",
        "logistic(C=inf, solver=newton-cg, max_iter=7)",
        "logistic(C=inf, solver=newton)",
        "perceptron(shuffle=False)",
        "one-vs-rest(estimator=logistic(C=10.0, solver=newton), models=k-1)",
        "one-vs-one(estimator=lda)",
        "lda(class_weight=balanced)",
        "one-vs-one(estimator=lda(class_weight=balanced), class_weight={'a': 2.0, 3: 1})",
        "fisher(threshold=minimum-error)",
    ],
)
def test_lines_go_there_and_back(line):
    method = as_method(line)
    again = as_method(method.estimator)
    assert repr(again.estimator) == repr(method.estimator)
    assert as_method(again.name).estimator.get_params(deep=False).keys() == (
        method.estimator.get_params(deep=False).keys()
    )
    assert repr(as_method(again.name).estimator) == repr(method.estimator)
    assert format_spec(*parse_spec(line)) == line


def test_values_of_lines():
    _, options = parse_spec(" a( x = -inf, y=None, z=[1, 2], w=plus-minus, v=1e-3,u=True ) ")
    assert options == {
        "x": -np.inf, "y": None, "z": [1, 2], "w": "plus-minus", "v": 0.001, "u": True
    }  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("svm", ValueError, "choose one of lda, diagonal-lda"),
        ("lda(shrink=1)", ValueError, "lda has no option shrink; it has priors"),
        ("lda(0.1)", ValueError, "option=value"),
        ("lda(", ValueError, "is neither a name"),
        (KMeans(), TypeError, "not a classifier"),
        (RandomForestClassifier, TypeError, "not a classifier"),
        (3, TypeError, "not a classifier"),
    ],
)
def test_what_is_no_method_is_refused(spec, error, message):
    with pytest.raises(error, match=message):
        as_method(spec)


def test_several_methods_have_names_of_their_own():
    assert [m.name for m in as_methods("lda")] == ["lda"]
    assert [m.name for m in as_methods(RandomForestClassifier(3))] == [
        "RandomForestClassifier(n_estimators=3)"
    ]
    assert [m.name for m in as_methods({"a": "lda", "b": "lda"})] == ["a", "b"]
    with pytest.raises(ValueError, match="Two methods are called 'lda'"):
        as_methods(["lda", lincore.LinearDiscriminantAnalysis()])
    with pytest.raises(ValueError, match="no method"):
        as_methods([])


def test_seeds_and_equal_priors_are_filled_in_where_nothing_was_chosen():
    forest = as_method(OneVsRestClassifier(RandomForestClassifier())).fresh(3, seed=7)
    assert forest.estimator.random_state == 7
    chosen = as_method(RandomForestClassifier(random_state=1)).fresh(3, seed=7)
    assert chosen.random_state == 1
    X, codes = np.arange(20.0)[:, None], np.repeat([0, 1, 2], [10, 7, 3])
    assert as_method("qda(priors=equal)").fresh(3).fit(X, codes).priors_.tolist() == [1 / 3] * 3
    nested = as_method("one-vs-rest(estimator=lda(priors=equal))").fresh(3).fit(X, codes)
    assert nested.estimators_[2].priors_.tolist() == [0.5, 0.5]


def test_what_methods_take():
    assert as_method("multinomial-nb").counts and as_method("multinomial-nb").takes_sparse
    assert not as_method("lda").counts and not as_method("lda").takes_sparse
    assert as_method(ScikitLogistic()).takes_sparse
    assert not as_method("fisher(threshold=minimum-error)").from_moments


def test_the_table_of_options_is_complete():
    for word, record in CLASSIFIER_OPTIONS.items():
        entries = fields.options(record)
        defaults = as_method(word).estimator.get_params(deep=False)
        defaults.pop("categorical_columns", None)
        if "estimator" in defaults:
            defaults["estimator"] = as_method(defaults["estimator"]).word
        if word in ("lda", "diagonal-lda"):  # canonical coordinates change no decision
            del defaults["n_components"]
        if word == "diagonal-lda":  # it has no selection
            del defaults["selection"]
        # Recalibration wraps the classifier, see test_recalibrated.
        entries = [entry for entry in entries if entry.name != "recalibration"]
        assert sorted(entry.name for entry in entries) == sorted(defaults)
        for entry in entries:
            assert entry.default == defaults[entry.name] or entry.default is defaults[entry.name]
            assert fields.checked(record, {entry.name: entry.default}), entry.name
        assert word == "naive-bayes" or any(entry.field.main for entry in entries)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("word", "name", "value"),
    [
        (word, entry.name, value)
        for word, record in CLASSIFIER_OPTIONS.items()
        for entry in fields.options(record)
        for value in entry.field.choices or ()
    ],
)
def test_every_choice_can_be_fitted(word, name, value):
    rng = np.random.default_rng(0)
    codes = np.arange(90) % 3
    X = rng.poisson(3.0, (90, 3)) + rng.random((90, 3)) + np.eye(3)[codes]
    line = format_spec(word, {name: value})
    assert as_method(line).fresh(3).fit(X, codes).predict(X).shape == (90,)


def test_ranges():
    def allows(word, name, value):
        with suppress(DataError):
            return fields.checked(CLASSIFIER_OPTIONS[word], {name: value}) == {name: value}

    assert allows("logistic", "C", np.inf) and allows("logistic", "C", 1e-3)
    assert allows("lda", "shrinkage", "oas") and allows("lda", "shrinkage", 1)
    for refused in (
        ("logistic", "C", 0),
        ("lda", "shrinkage", 1.5),
        ("perceptron", "max_epochs", 2.5),
        ("perceptron", "shuffle", 1.5),
        ("lda", "divisor", "k"),
        ("lda", "C", 1),
    ):
        assert not allows(*refused), refused
    with pytest.raises(ValueError, match="lda has no option C"):
        as_method("lda(C=1)")


def test_large_data_are_compared_by_methods_that_do_not_iterate():
    codes = np.arange(1_000) % 50
    X = np.random.default_rng(0).normal(size=(1_000, 100))
    assert "logistic" in default_methods(lincore.load((X, codes)))
    found = default_methods(lincore.load((np.tile(X, 2), codes)))
    assert found == ("lda", "qda", "naive-bayes", "fisher", "least-squares")
