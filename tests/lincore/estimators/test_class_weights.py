"""Class weights are the sample weights that they stand for, by rows, by moments and in folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.class_weight import compute_sample_weight

import lincore
from lincore import (
    DiagonalLinearDiscriminantAnalysis,
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    Moments,
    MultinomialNB,
    OneVsOne,
    OneVsRest,
    Perceptron,
    QuadraticDiscriminantAnalysis,
)
from lincore.model_selection import as_method

ESTIMATORS = [
    LinearDiscriminantAnalysis(shrinkage="oas", divisor="n-k"),
    DiagonalLinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(regularization=0.3, divisor="n-1"),
    GaussianNB(),
    LeastSquaresClassifier(2.0, targets="fisher"),
    FisherDiscriminant("gaussian"),
    FisherDiscriminant("minimum-error"),
    LogisticRegression(),
    LogisticRegression(C=np.inf),
    Perceptron(random_state=0, weights="averaged"),
    MultinomialNB(),
    OneVsRest(LogisticRegression(), models="k-1"),
    OneVsOne(LinearDiscriminantAnalysis()),
]
SOLVED = [m for m in ESTIMATORS if hasattr(m, "fit_moments") and hasattr(m, "partial_fit")]
WEIGHTS = ["balanced", {"c": 2.5, "a": 0.5, "b": 1.0}, {"c": 7}]


def rows(n=(40, 9, 17), p=3):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], n)
    X = rng.poisson(4.0, (len(y), p)) + rng.random((len(y), p))
    X[:, 0] += 2 * (y == "b")
    return X + 3 * (y == "c")[:, None] * (np.arange(p) == 1), y


def scores(model, X):
    return model.decision_function(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", ESTIMATORS, ids=str)
def test_they_are_the_sample_weights_that_they_stand_for(model):
    X, y = rows()
    plain = scores(clone(model).fit(X, y), X)
    for class_weight in WEIGHTS:
        weight = compute_sample_weight(class_weight, y)
        by_rows = clone(model).fit(X, y, sample_weight=weight)
        by_class = clone(model).set_params(class_weight=class_weight).fit(X, y)
        np.testing.assert_allclose(scores(by_class, X), scores(by_rows, X), rtol=1e-10, atol=1e-9)
        assert np.abs(plain - scores(by_class, X)).max() > 1e-3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", ESTIMATORS, ids=str)
def test_balanced_weights_multiply_the_sample_weights_of_rows(model):
    X, y = rows()
    own = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    total = np.array([own[y == label].sum() for label in "abc"])
    weight = own * (own.sum() / 3 / total)[np.searchsorted(list("abc"), y)]
    by_rows = clone(model).fit(X, y, sample_weight=weight)
    by_class = clone(model).set_params(class_weight="balanced").fit(X, y, sample_weight=own)
    np.testing.assert_allclose(scores(by_class, X), scores(by_rows, X), rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("model", SOLVED, ids=str)
def test_moments_and_batches_are_weighted_as_rows_are(model):
    X, y = rows()
    model = clone(model).set_params(class_weight=WEIGHTS[1])
    expected = scores(clone(model).fit(X, y), X)
    codes = np.searchsorted(list("abc"), y)
    moments = Moments.from_groups(X, codes, 3)
    solved = clone(model).fit_moments(moments, list("abc"))
    np.testing.assert_allclose(scores(solved, X), expected, rtol=1e-10, atol=1e-10)
    # The shares of the classes differ from batch to batch.
    batches = clone(model)
    for part in np.array_split(np.random.default_rng(2).permutation(len(y)), 2):
        batches.partial_fit(X[part], y[part], classes=list("abc"))
    np.testing.assert_allclose(scores(batches, X), expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(batches.moments_.count, [40, 9, 17])


def test_counts_of_words_are_weighted_over_all_batches():
    X, y = rows()
    expected = MultinomialNB(class_weight="balanced").fit(X, y)
    batches = MultinomialNB(class_weight="balanced")
    for part in np.array_split(np.random.default_rng(2).permutation(len(y)), 4):
        batches.partial_fit(X[part], y[part], classes=list("abc"))
    np.testing.assert_allclose(batches.feature_log_prob_, expected.feature_log_prob_, rtol=1e-12)
    np.testing.assert_allclose(batches.class_count_, [22, 22, 22], rtol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(shrinkage=0.1),
        LeastSquaresClassifier(1.0),
        FisherDiscriminant("gaussian"),
    ],
    ids=str,
)
def test_more_features_than_rows(model):
    X, y = rows((9, 4, 6), p=30)
    weight = compute_sample_weight("balanced", y)
    by_rows = clone(model).fit(X, y, sample_weight=weight)
    by_class = clone(model).set_params(class_weight="balanced").fit(X, y)
    other = np.random.default_rng(5).normal(4, 2, (20, 30))
    np.testing.assert_allclose(scores(by_class, other), scores(by_rows, other), rtol=1e-8)
    if hasattr(model, "shrinkage"):
        np.testing.assert_allclose(by_class.covariance_, by_rows.covariance_, atol=1e-10)


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), GaussianNB(), MultinomialNB()])
def test_learned_priors_follow_the_weights_and_given_ones_win(model):
    X, y = rows()
    balanced = clone(model).set_params(class_weight="balanced")
    np.testing.assert_allclose(balanced.fit(X, y).priors_, [1 / 3] * 3)
    given = clone(balanced).set_params(priors=[0.5, 0.2, 0.3]).fit(X, y)
    np.testing.assert_allclose(given.priors_, [0.5, 0.2, 0.3])
    equal = clone(model).set_params(priors="equal").fit(X, y)
    np.testing.assert_allclose(equal.priors_, [1 / 3] * 3)
    with pytest.raises(ValueError, match="priors must be 3 probabilities.*'equal'"):
        clone(model).set_params(priors="balanced").fit(X, y)


def test_weights_that_make_no_sense_are_refused():
    for class_weight, message in (
        ({"a": 2, "z": 3}, r"class_weight names \['z'\]; the classes are \['a', 'b', 'c'\]"),
        ({"a": -1}, "finite weights >= 0"),
        ({"a": np.nan}, "finite weights >= 0"),
        ("equal", "class_weight must be None, 'balanced' or a mapping"),
        ([1, 2, 3], "class_weight must be None, 'balanced' or a mapping"),
        ({"a": 1, "b": 0, "c": 0}, "at least two classes"),
    ):
        for model in (LinearDiscriminantAnalysis, Perceptron):
            with pytest.raises(ValueError, match=message):
                model(class_weight=class_weight).fit(*rows())


def test_a_class_without_rows_is_not_counted_and_may_be_named():
    X, y = rows((10, 0, 10))
    balanced = LinearDiscriminantAnalysis(class_weight="balanced", divisor="n-k")
    two = Moments.from_groups(X, np.where(y == "a", 0, 1), 2)
    three = Moments.from_groups(X, np.where(y == "a", 0, 2), 3)
    np.testing.assert_allclose(
        clone(balanced).fit_moments(three, classes=list("abc")).covariance_,
        clone(balanced).fit_moments(two, classes=list("ac")).covariance_,
    )
    everything = dict.fromkeys("abc", 2.0)
    model = LinearDiscriminantAnalysis(class_weight=everything).fit(X, y)
    np.testing.assert_allclose(model.priors_, [0.5, 0.5])


def test_a_weighted_likelihood_has_no_wald_errors():
    X, y = rows()
    model = LogisticRegression(C=np.inf, class_weight="balanced").fit(X, y)
    with pytest.raises(ValueError, match="Fit without them"):
        model.wald(X)


@pytest.mark.parametrize(
    ("spec", "weights"),
    [
        ("lda", "balanced"),
        ("qda", "{'a': 3, 'c': 0.5}"),
        ("naive-bayes", "balanced"),
        ("fisher(threshold=gaussian)", "{'a': 3, 'c': 0.5}"),
        ("logistic(C=inf)", "{'a': 3, 'c': 0.5}"),
    ],
)
def test_cross_validation_weighs_every_training_part(spec, weights):
    X, y = rows((60, 25, 30))
    data = lincore.load((X, y), name="three classes")
    word, _, options = spec.rstrip(")").partition("(")
    line = f"{word}({options}{', ' if options else ''}class_weight={weights})"
    results = lincore.compare(data, [line], "3-fold")
    method = as_method(line)
    for fold in range(3):
        test = results.rows[results.fold == fold]
        train = np.setdiff1d(np.arange(len(y)), test)
        model = method.estimator.fit(X[train], y[train])
        found = results.predicted[0][results.fold == fold]
        np.testing.assert_array_equal(data.classes[found], model.predict(X[test]))
        if hasattr(model, "predict_log_proba"):
            log_proba = results.log_proba[0][results.fold == fold]
            np.testing.assert_allclose(log_proba, model.predict_log_proba(X[test]), atol=1e-6)


def test_a_label_that_is_no_class_of_the_data_is_named():
    data = lincore.load(rows(), name="three classes")
    with pytest.raises(ValueError, match=r"class_weight names \['z'\]; the classes are"):
        lincore.compare(data, ["lda(class_weight={'z': 2})"])
    with pytest.raises(ValueError, match=r"class_weight names \[1\]; the classes are"):
        lincore.compare(data, [LinearDiscriminantAnalysis(class_weight={1: 2})])
