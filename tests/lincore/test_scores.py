"""Results and their scores: every number from one object, and each against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics
from statsmodels.stats.proportion import proportion_confint

from lincore import Results
from lincore.experiments import scores
from lincore.report import words


def some_results(seed=0, m=40, n_classes=3, n_methods=2):
    rng = np.random.default_rng(seed)
    log_proba = np.log(rng.dirichlet(np.ones(n_classes), (n_methods, m)))
    return Results(
        methods=tuple(f"method {i}" for i in range(n_methods)),
        classes=np.array([f"class {k}" for k in range(n_classes)]),
        rows=np.arange(m),
        truth=rng.integers(0, n_classes, m),
        predicted=log_proba.argmax(axis=2),
        log_proba=log_proba,
        seconds=np.full(n_methods, 0.5),
    )


@given(st.integers(0, 1000), st.integers(1, 60), st.integers(2, 50))
def test_scores_are_scikit_learns_and_agree_with_each_other(seed, m, n_classes):
    results = some_results(seed, m, n_classes)
    for i, method in enumerate(results.methods):
        counts = scores.confusion(results, method)
        everyone = np.arange(n_classes)
        expected = metrics.confusion_matrix(results.truth, results.predicted[i], labels=everyone)
        assert_array_equal(counts, expected)
        right = scores.accuracy(results, method)
        assert_allclose(right.value, np.trace(counts) / m)
        assert right.low <= right.value <= right.high
        loss = scores.log_loss(results, method)
        proba = np.exp(results.log_proba[i])
        assert_allclose(loss.value, metrics.log_loss(results.truth, proba, labels=everyone))
        assert loss.low <= loss.value <= loss.high or m < 5
        for k, found in enumerate(scores.recall(results, method)):
            rows = results.truth == k
            if rows.any():
                assert_allclose(found.value, (results.predicted[i][rows] == k).mean())
            else:
                assert np.isnan(found.value)


@given(st.integers(0, 300), st.integers(1, 300))
def test_wilsons_interval_is_statsmodels(successes, n):
    successes = min(successes, n)
    truth = np.zeros(n, dtype=int)
    predicted = np.where(np.arange(n) < successes, 0, 1)[None]
    results = Results(
        ("m",), np.arange(2), np.arange(n), truth, predicted, np.zeros((1, n, 2)), np.zeros(1)
    )
    found = scores.accuracy(results, "m")
    assert_allclose(found[1:], proportion_confint(successes, n, method="wilson"), atol=1e-12)


def test_the_bootstrap_of_the_log_loss_is_scipys():
    from scipy.stats import bootstrap

    results = some_results(m=300)
    losses = -results.log_proba[0][np.arange(300), results.truth]
    theirs = bootstrap((losses,), np.mean, method="BCa", rng=1).confidence_interval
    found = scores.log_loss(results, "method 0")
    assert_allclose(found[1:], theirs, rtol=0.02)


def test_a_class_held_impossible_costs_infinitely():
    log_proba = np.log(np.array([[[1.0, 1e-300], [0.5, 0.5]]]))
    log_proba[0, 0, 1] = -np.inf
    results = Results(
        ("m",), np.arange(2), np.arange(2), np.array([1, 0]), np.zeros((1, 2), int), log_proba,
        np.zeros(1),
    )  # fmt: skip
    assert scores.log_loss(results, "m").value == np.inf


def test_wilson_is_refused_for_rows_that_occur_repeatedly():
    results = some_results()
    repeated = Results(
        results.methods, results.classes, results.rows % 10, results.truth, results.predicted,
        results.log_proba, results.seconds,
    )  # fmt: skip
    with pytest.raises(ValueError, match="one test set"):
        scores.accuracy(repeated, "method 0")


def test_shapes_that_do_not_fit_are_refused():
    results = some_results()
    with pytest.raises(ValueError, match="truth has shape"):
        Results(
            results.methods, results.classes, results.rows, results.truth[:-1], results.predicted,
            results.log_proba, results.seconds,
        )  # fmt: skip
    with pytest.raises(KeyError, match="method 0, method 1"):
        scores.confusion(results, "other")


def test_the_table_holds_the_same_numbers():
    results = some_results()
    table = scores.table(results)
    for method in results.methods:
        right = scores.accuracy(results, method)
        line = table.loc[method]
        assert_allclose(line[["accuracy", "accuracy from", "accuracy to"]].to_list(), right)


def predictions(truth, predicted):
    truth, predicted = np.array(truth), np.array(predicted)
    m = len(truth)
    return Results(
        ("LDA",), np.array(["a", "b", "c"]), np.arange(m), truth, predicted[None],
        np.log(np.full((1, m, 3), 1 / 3)), np.zeros(1),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("predicted", "ending"),
    [
        ([0, 0, 1, 1, 2, 2], "and none wrong."),
        ([0, 0, 1, 2, 2, 2], "its one error is b taken for c."),
        ([0, 0, 2, 2, 2, 0], "most errors are b taken for c."),
        ([1, 2, 2, 2, 0, 1], "the commonest errors are b taken for c."),
    ],
)
def test_the_finding_names_the_largest_confusion(predicted, ending):
    text = words.classification_finding(predictions([0, 0, 1, 1, 2, 2], predicted), "LDA")
    assert text.endswith(ending)


@pytest.mark.parametrize(
    ("truth", "predicted", "beginning"),
    [
        ([0, 1, 2] * 20, [0, 1, 2] * 20, "That is better than always guessing a (33.3 %)"),
        ([0, 1, 2] * 20, [1, 2, 0] * 20, "That is worse"),
        ([0, 0, 1], [0, 0, 0], "That cannot be told apart from always guessing a (66.7 %)"),
    ],
)
def test_the_finding_is_held_against_guessing(truth, predicted, beginning):
    assert words.against_baseline(predictions(truth, predicted), "LDA").startswith(beginning)
