"""Reject option: conformal p-values by their definition, least cost by enumeration, coverage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lincore
from benchmarks.coverage_of_prediction_sets import coverage
from lincore import Results, metrics
from lincore.metrics import RejectOption, Settings


def results_of(proba, truth, **settings):
    n, n_classes = proba.shape
    return Results(
        ("LDA",), np.arange(n_classes), np.arange(n), truth, proba.argmax(axis=1)[None],
        np.log(proba)[None], np.zeros(1), settings=Settings(**settings),
    )  # fmt: skip


@given(st.integers(0, 10_000), st.integers(2, 40), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_sets_are_those_of_conformal_p_values(seed, n, level):
    rng = np.random.default_rng(seed)
    # Rounded, so that ties occur.
    proba = np.round(rng.dirichlet(np.ones(3), n) + 1e-3, 2).clip(1e-3)
    truth, new = rng.integers(0, 3, n), rng.dirichlet(np.ones(3), 20)
    own = proba[np.arange(n), truth]
    for by_class in (False, True):
        rule = metrics.conformal_sets(results_of(proba, truth), "LDA", level, by_class=by_class)
        found = rule.sets(np.log(new))
        for k in range(3):
            scores = own[truth == k] if by_class else own
            for i in range(20):
                # Vovk: 1 + the number of rows that conform no better, of n + 1.
                p = (1 + (scores <= new[i, k]).sum()) / (len(scores) + 1)
                assert found[i, k] == (p > 1 - level + 1e-12)


def test_weights_count_in_the_quantile():
    rng = np.random.default_rng(1)
    proba, truth = rng.dirichlet(np.ones(2), 200), rng.integers(0, 2, 200)
    weight = rng.uniform(0.1, 3, 200)
    rule = metrics.conformal_sets(results_of(proba, truth, row_weights=weight), "LDA")
    own, limit = proba[np.arange(200), truth], rule.thresholds[0]
    # The weight of one more row is that of the mean one.
    allowed = 0.1 * (weight.sum() + weight.mean())
    assert weight[own <= limit * (1 + 1e-9)].sum() <= allowed
    assert weight[own <= own[own > limit * (1 + 1e-9)].min()].sum() > allowed
    same = metrics.conformal_sets(results_of(proba, truth, row_weights=np.full(200, 3.0)), "LDA")
    assert same == metrics.conformal_sets(results_of(proba, truth), "LDA")


@pytest.mark.parametrize("cost", [0.0, 0.2, 0.45, 0.6, 1.0])
def test_chows_rule_has_the_least_expected_cost(cost):
    proba = np.random.default_rng(2).dirichlet([1, 0.5, 0.3], 300)
    sets = RejectOption.of_cost(cost, 3).sets(np.log(proba))
    assert (sets.sum(axis=1) <= 1).all()
    paid = np.where(sets.any(axis=1), 1 - (proba * sets).sum(axis=1), cost)
    assert paid == pytest.approx(np.minimum(1 - proba.max(axis=1), cost))


@pytest.mark.parametrize(("design", "method"), [("50/50", "lda"), ("70/22/8", "lda")])
def test_the_coverage_is_the_one_asked_for(design, method):
    found = coverage(design, method, 1_000, 60)
    assert found.marginal == pytest.approx(0.9, abs=0.015)
    assert found.by_class == pytest.approx(0.9, abs=0.015)
    assert found.worst < 0.89, "one threshold covers the classes unequally"


def test_coverage_and_errors_are_counted():
    model = lincore.fit(lincore.sample("passengers"), "logistic")
    results, rule = model.results, RejectOption((0.4, 0.3), 0.9)
    found = metrics.reject(results, model.name, rule)
    proba, truth = np.exp(results.log_proba[0]), results.truth
    inside = np.where(truth == 1, proba[:, 1] >= 0.3, proba[:, 0] >= 0.4)
    one = (proba[:, 0] >= 0.4) != (proba[:, 1] >= 0.3)
    assert found.coverage.value == pytest.approx(inside.mean())
    assert found.coverage_by_class[1].value == pytest.approx(inside[truth == 1].mean())
    assert (found.predicted >= 0).tolist() == one.tolist()
    wrong = np.where(proba[:, 1] >= 0.3, 1, 0)[one] != truth[one]
    assert found.error.value == pytest.approx(wrong.mean())
    for value, low, high in (found.coverage, found.error):
        assert low < value < high
    assert np.isnan(metrics.reject(results, model.name, RejectOption((2.0, 2.0), 0.9)).error.value)
    # Copies in groups are no more certain.
    copied = replace(
        results,
        **{
            name: np.repeat(getattr(results, name), 3, axis=axis)
            for name, axis in (
                ("truth", 0), ("predicted", 1), ("log_proba", 1), ("fold", 0),
                ("repetition", 0), ("n_train", 0),
            )
        },
        rows=np.arange(3 * len(truth)),
        settings=replace(results.settings, row_groups=np.repeat(np.arange(len(truth)), 3)),
    )  # fmt: skip
    again = metrics.reject(copied, model.name, rule)
    assert again.coverage == pytest.approx(found.coverage, abs=0.01)
    assert again.error == pytest.approx(found.error, abs=0.02)


def test_what_is_not_possible_is_refused():
    without = lincore.fit(lincore.sample("passengers"), "least-squares")
    with pytest.raises(ValueError, match="without probabilities"):
        metrics.conformal_sets(without.results, without.name)
    model = lincore.fit(lincore.sample("iris"), "lda")
    with pytest.raises(ValueError, match="between 0 and 1"):
        metrics.conformal_sets(model.results, model.name, 1.0)
