"""Tests of differences against their definitions or independent implementations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
from statsmodels.stats.multitest import multipletests

from lincore import Results, report
from lincore.metrics import scores
from lincore.metrics.differences import cochran_test, groups, holm, pairwise_differences
from lincore.metrics.settings import Settings


def judged(right, *, folds=None, repetitions=None, n_train=None, log_proba=None, settings=None):
    """Return results of two balanced classes from who is right (M, m)."""
    right = np.asarray(right, dtype=bool)
    n_methods, m = right.shape
    truth = np.arange(m) % 2
    empty = np.full((n_methods, m, 2), np.nan)
    return Results(
        methods=tuple("ABCDEFGH"[:n_methods]), classes=np.array(["no", "yes"]), truth=truth,
        rows=np.arange(m) if repetitions is None else np.arange(m) % (m // (repetitions.max() + 1)),
        predicted=np.where(right, truth, 1 - truth),
        log_proba=empty if log_proba is None else log_proba,
        seconds=np.zeros(n_methods), fold=folds, repetition=repetitions,
        n_train=None if n_train is None else np.full(m, n_train), settings=settings or Settings(),
    )  # fmt: skip


def with_shares(shares, m=300, seed=0):
    """Return methods that are right on these shares of rows, each on rows of its own."""
    rng = np.random.default_rng(seed)
    return judged([rng.permutation(m) < round(share * m) for share in shares])


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 200))
def test_mcnemars_mid_p_lies_under_the_exact_p_by_one_probability(only_a, only_b, both):
    m = only_a + only_b + both
    a, b = np.arange(m) >= only_b, np.arange(m) < m - only_a
    found = pairwise_differences(judged([a, b]), rope=0)[0]
    table = [[both, only_a], [only_b, 0]]
    n = only_a + only_b
    at = stats.binom.pmf(only_a, n, 0.5)
    uncapped = 2 * stats.binom.cdf(min(only_a, only_b), n, 0.5)
    assert_allclose(found.p, uncapped - at, atol=1e-12)
    assert found.p <= mcnemar(table).pvalue + 1e-12
    assert_allclose(found.value, (only_a - only_b) / m)
    assert -1 <= found.low <= found.high <= 1


def test_the_corrected_t_is_nadeau_and_bengios():
    rng = np.random.default_rng(3)
    k, r, n = 10, 5, 200
    folds = np.concatenate([rng.permutation(np.arange(n) % k) for _ in range(r)])
    repetitions = np.repeat(np.arange(r), n)
    right = rng.random((2, n * r)) < np.array([[0.9], [0.8]])
    found = pairwise_differences(judged(right, folds=folds, repetitions=repetitions, n_train=180))[
        0
    ]
    cells = [(folds == f) & (repetitions == q) for f in range(k) for q in range(r)]
    d = np.array([right[0][c].mean() - right[1][c].mean() for c in cells])
    error = np.sqrt((1 / (k * r) + 20 / 180) * d.var(ddof=1))
    assert_allclose(found.value, d.mean())
    assert_allclose(found.p, 2 * stats.t.sf(abs(d.mean()) / error, k * r - 1))
    assert_allclose(found.high - found.value, stats.t.ppf(0.975, k * r - 1) * error)
    assert found.test == "corrected resampled t"


def test_leave_one_out_is_cross_validation():
    right = np.random.default_rng(1).random((2, 50)) < 0.8
    found = pairwise_differences(judged(right, folds=np.arange(50), n_train=49))[0]
    assert found.test == "corrected resampled t"
    d = right[0].astype(float) - right[1]
    error = np.sqrt((1 / 50 + 1 / 49) * d.var(ddof=1))
    assert_allclose(found.p, 2 * stats.t.sf(abs(d.mean()) / error, 49))


@pytest.mark.parametrize(
    "name", ["balanced accuracy", "macro F1", "MCC", "log loss", "Brier", "AUC"]
)
def test_other_scores_are_compared_by_a_paired_bootstrap(name):
    rng = np.random.default_rng(0)
    m = 200
    truth = np.arange(m) % 2
    sharp = np.where(truth, 1.0, -1.0) + rng.standard_normal(m)
    margins = np.stack([sharp, sharp + 0.2 * rng.standard_normal(m), 3 * rng.standard_normal(m)])
    log_proba = -np.logaddexp(0, np.stack([margins, -margins], axis=2))
    results = judged((margins > 0) == truth, log_proba=log_proba)
    alike, far, _ = pairwise_differences(results, name)
    for found in (alike, far):
        one, two = (scores.score(results, method, name).value for method in found[:2])
        assert_allclose(found.value, one - two)
        assert found.test == "paired bootstrap"
        # The p-value and the interval are one statement.
        assert (found.p < 0.05) == (found.low > 0 or found.high < 0)
    assert far.better == "A"
    assert alike.p > 0.05
    # Pairing: two that err alike differ by less than their own intervals are long.
    own = scores.score(results, "A", name)
    assert alike.high - alike.low < 0.75 * (own.high - own.low)


def test_the_bootstrap_p_value_is_that_of_a_paired_t_for_a_mean():
    rng = np.random.default_rng(5)
    margins = rng.standard_normal((2, 400)) * [[1.0], [1.2]]
    log_proba = -np.logaddexp(0, np.stack([margins, -margins], axis=2))
    results = judged(np.ones((2, 400)), log_proba=log_proba)
    losses = -log_proba[:, np.arange(400), results.truth]
    found = pairwise_differences(results, "log loss")[0]
    assert_allclose(found.p, stats.ttest_rel(*losses).pvalue, atol=0.02)


@settings(deadline=None, max_examples=15)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_statsmodels(p):
    assert_allclose(holm(np.array(p)), multipletests(p, method="holm")[1])
    with_gap = holm(np.array([*p, np.nan]))
    assert_allclose(with_gap[:-1], holm(np.array(p)))
    assert np.isnan(with_gap[-1])


def test_cochrans_q_is_statsmodels_and_bears_agreement():
    results = with_shares([0.9, 0.8, 0.7])
    right = (results.predicted == results.truth).T.astype(float)
    assert_allclose(cochran_test(results), tuple(cochrans_q(right)))
    assert cochran_test(judged(np.ones((3, 10)))) == (0.0, 1.0, 2)
    assert cochran_test(judged(np.tile(np.arange(10) < 5, (3, 1)))).p == 1


def test_cochrans_q_is_refused_over_folds_and_for_one_method():
    with pytest.raises(ValueError, match="one test set"):
        cochran_test(judged(np.ones((2, 10)), folds=np.arange(10) % 5))
    with pytest.raises(ValueError, match="two or more"):
        cochran_test(judged(np.ones((1, 10))))


def test_a_difference_inside_the_region_is_equivalent_however_sure():
    m = 100_000
    right = np.ones((2, m), dtype=bool)
    right[1, :300] = False
    found = pairwise_differences(judged(right), rope=0.01)[0]
    assert found.p < 1e-6 and found.verdict == "equivalent" and found.better is None
    assert pairwise_differences(judged(right), rope=0.001)[0].verdict == "first better"
    with pytest.raises(ValueError, match="equivalence"):
        pairwise_differences(judged(right), rope=-1)
    with pytest.raises(KeyError, match="balanced accuracy"):
        pairwise_differences(judged(right), "F2")


def test_lower_losses_are_better_and_one_impossible_row_decides_nothing():
    p = np.array([[0.9, 0.1], [0.6, 0.4], [1.0, 0.0]])
    log_proba = np.empty((3, 60, 2))
    with np.errstate(divide="ignore"):
        for i in range(3):
            log_proba[i] = np.log(np.where(np.arange(60)[:, None] % 2, p[i][::-1], p[i]))
        log_proba[2, 0] = np.log([0.0, 1.0])
    results = judged(np.ones((3, 60)), log_proba=log_proba)
    first, second, _ = pairwise_differences(results, "log loss")
    assert first.better == "A" and first.value < 0
    assert second.better is None and -1 < second.value < 0
    assert groups(results, "log loss") == {"A": 1, "B": 2, "C": 1}


def test_methods_without_posteriors_have_no_tier_by_log_loss():
    results = with_shares([0.9, 0.8])
    assert groups(results, "AUC") == {"A": 0, "B": 0}
    found = pairwise_differences(results, "AUC")[0]
    assert found.verdict == "not significant" and np.isnan(found.p_holm)
    assert report.comparison_finding(results, "AUC") == "No model has a score for AUC."
    assert report.difference_finding(found) == "A and B cannot be compared by AUC."


def test_the_same_predictions_differ_by_nothing():
    rng = np.random.default_rng(0)
    right = np.tile(rng.random(60) < 0.7, (2, 1))
    for folds in (None, np.arange(60) % 5, np.arange(60)):
        found = pairwise_differences(judged(right, folds=folds))[0]
        assert found.p == 1 and found.value == 0 and found.verdict != "first better"
    mcc = pairwise_differences(judged(right), "MCC")[0]
    assert mcc.p == 1 and mcc.low < 0 < mcc.high


def test_a_sure_difference_in_every_fold_alike_is_told():
    right = np.array([np.ones(50), np.arange(50) >= 25])
    found = pairwise_differences(judged(right, folds=np.arange(50) % 5, n_train=40))[0]
    assert found.p == 0 and found.better == "A"


def test_tiers_join_whom_the_leader_does_not_beat():
    results = with_shares([0.7, 0.95, 0.5, 0.94, 0.68], m=600)
    assert groups(results) == {"A": 2, "B": 1, "C": 3, "D": 1, "E": 2}
    table = results.table(wide=True)
    assert table["group"].to_dict() == groups(results)
    better = {frozenset(d[:2]): d.better for d in pairwise_differences(results)}
    assert better[frozenset("BD")] is None and better[frozenset("AB")] == "B"


def test_rows_in_groups_are_not_mcnemars():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(30), 10)
    right = np.stack([np.ones(300), (rng.random(30) < 0.8)[groups]])
    alone = pairwise_differences(judged(right))[0]
    together = pairwise_differences(judged(right, settings=Settings(row_groups=groups)))[0]
    assert together.test == "paired bootstrap"
    assert together.high - together.low > 2 * (alone.high - alone.low)
    with pytest.raises(ValueError, match="independent rows"):
        cochran_test(judged(right, settings=Settings(row_groups=groups)))


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ([0.9], "A reaches an accuracy of 90.0 %."),
        ([0.9, 0.91], "B and A are not significantly different (accuracy 91.0 % to 90.0 %)."),
        ([0.9, 0.5], "A (accuracy 90.0 %) beats B (50.0 %)."),
        (
            [0.9, 0.91, 0.5],
            "B and A are not significantly different (accuracy 91.0 % to 90.0 %); both beat C",
        ),
        ([0.9, 0.5, 0.5, 0.5, 0.5, 0.5], "A (accuracy 90.0 %) beats the other 5 models"),
    ],
)
def test_the_finding_of_a_comparison(shares, sentence):
    assert report.comparison_finding(with_shares(shares)).startswith(sentence)


def test_a_finding_says_where_a_difference_is_surely_too_small_to_matter():
    alike = with_shares([0.9, 0.9, 0.5])
    said = report.comparison_finding(alike, rope=0.2)
    span = "surely less than 20.0 points of accuracy apart (accuracy 90.0 %); both beat C"
    assert said.startswith(f"A and B are equivalent in practice, {span}")
    assert report.comparison_finding(alike.select(["A", "B"]), rope=0.2) == (
        "A and B are equivalent in practice, surely less than 20.0 points of accuracy apart "
        "(accuracy 90.0 %)."
    )
    assert "are not significantly different" in report.comparison_finding(alike, rope=0.001)


def test_a_finding_calls_methods_by_their_labels():
    results = replace(with_shares([0.9, 0.5]), settings=Settings(labels={"A": "LDA"}))
    assert report.comparison_finding(results) == "LDA (accuracy 90.0 %) beats B (50.0 %)."


def test_the_finding_of_a_pair_says_what_is_known():
    results = with_shares([0.9, 0.5, 0.9])
    worse, alike, _ = pairwise_differences(results)
    assert report.difference_finding(worse).startswith("A beats B by 40.0 points of accuracy (")
    assert report.difference_finding(alike).startswith(
        "A and C are not significantly different: A minus C is"
    )
    turned = pairwise_differences(results.select(["B", "A"]))[0]
    assert report.difference_finding(turned) == report.difference_finding(worse)
    same = replace(results, predicted=results.predicted[[0, 0, 0]]).select(["A", "C"])
    text = report.difference_finding(pairwise_differences(same, rope=0.1)[0])
    assert text.startswith("A and C are equivalent in practice")
    assert report.cochran_finding(cochran_test(results)).startswith(
        "The models are not all correct"
    )
    assert report.cochran_finding(cochran_test(same)).startswith("No model is known")
