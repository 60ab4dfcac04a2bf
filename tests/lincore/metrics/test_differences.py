"""Tests of differences against their definitions or independent implementations."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.linalg import helmert
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
from statsmodels.stats.multitest import multipletests

from lincore import Results, metrics, report
from lincore.displays import PairwiseDisplay
from lincore.metrics import Settings, cochran_test, groups, holm, pairwise_differences, rank_methods


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


def bonett_price(only_a, only_b, n, level=0.95):
    """Return the interval of Bonett and Price (2012) as they write it."""
    p12, p21 = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    half = stats.norm.ppf((1 + level) / 2) * np.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    return p12 - p21 - half, p12 - p21 + half


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 200))
def test_a_difference_of_accuracy_is_bonett_and_prices_and_p_inverts_it(only_a, only_b, both):
    m = only_a + only_b + both
    found = pairwise_differences(two_right(only_a, only_b, both), rope=0)[0]
    low, high = bonett_price(only_a, only_b, m)
    value = (only_a - only_b) / m
    assert_allclose(found.value, value)
    assert_allclose(found.low, max(min(low, value), -1), atol=1e-12)
    assert_allclose(found.high, min(max(high, value), 1), atol=1e-12)
    assert (found.p < 0.05) == (found.low > 0 or found.high < 0)
    if found.p > 1e-9 and value:  # at the level 1 - p an end of the interval is 0
        ends = bonett_price(only_a, only_b, m, 1 - found.p)
        assert_allclose(min(np.abs(ends)), 0, atol=1e-6)


def two_right(only_a, only_b, both):
    """Return two methods that are right alone on so many rows."""
    m = only_a + only_b + both
    return judged([np.arange(m) >= only_b, np.arange(m) < m - only_a])


@pytest.mark.parametrize(("only_a", "only_b", "m"), [(5, 0, 100), (20, 6, 150), (40, 22, 400)])
def test_bonett_and_price_agree_with_mcnemar_where_rows_are_many(only_a, only_b, m):
    found = pairwise_differences(two_right(only_a, only_b, m - only_a - only_b))[0]
    table = [[m - only_a - only_b, only_a], [only_b, 0]]
    exact, asymptotic = mcnemar(table).pvalue, mcnemar(table, False, False).pvalue
    assert asymptotic * 0.8 < found.p < max(exact, asymptotic) * 1.3


def test_nothing_beats_beside_an_interval_that_holds_zero():
    found = pairwise_differences(two_right(5, 0, 95))[0]  # McNemar's mid-p: 0.031
    assert found.low < 0 and found.p > 0.05 and found.better is None


def by_class(counts, only_a, only_b):
    """Return two methods on classes of so many rows, right alone on so many of each."""
    truth = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(truth)) - np.repeat(np.cumsum(counts) - counts, counts)
    a_wrong = place < np.array(only_b)[truth]
    b_wrong = place >= np.array(counts)[truth] - np.array(only_a)[truth]
    other = (truth + 1) % len(counts)
    K = len(counts)
    return Results(
        ("A", "B"), np.arange(K), np.arange(len(truth)), truth,
        np.stack([np.where(a_wrong, other, truth), np.where(b_wrong, other, truth)]),
        np.full((2, len(truth), K), np.nan), np.zeros(2),
    )  # fmt: skip


def test_a_difference_of_balanced_accuracy_adds_a_row_to_each_discordant_cell_of_each_class():
    counts, only_a, only_b = np.array([52, 9, 30]), np.array([3, 4, 0]), np.array([5, 0, 2])
    found = pairwise_differences(by_class(counts, only_a, only_b), "balanced accuracy")[0]
    a, b, n = only_a + 1, only_b + 1, counts + 2
    variance = ((a + b) / n - ((a - b) / n) ** 2) / n
    error = np.sqrt(variance.sum()) / 3
    # The middle is shrunk by as many rows as one class would get, in equal shares.
    centre = ((only_a - only_b) / (counts + 2 / 3)).mean()
    assert_allclose(found.value, ((only_a - only_b) / counts).mean())
    assert_allclose((found.low, found.high), centre + stats.norm.ppf([0.025, 0.975]) * error)
    assert_allclose(found.p, 2 * stats.norm.sf(abs(centre) / error))


def test_one_row_of_a_rare_class_is_no_certainty():
    found = pairwise_differences(by_class([57, 4], [0, 1], [0, 0]), "balanced accuracy")[0]
    assert_allclose(found.value, 1 / 8)
    assert found.p > 0.2 and found.low < 0 < found.high


def test_many_small_classes_do_not_hide_a_large_difference():
    found = pairwise_differences(by_class([2] * 12, [2] * 12, [0] * 12), "balanced accuracy")[0]
    assert found.value == found.high == 1 and found.low > 0.6 and found.better == "A"


@pytest.mark.parametrize("name", ["accuracy", "balanced accuracy", "macro F1", "MCC"])
def test_equal_weights_and_groups_of_one_row_change_nothing_much(name):
    counts = [60, 40]
    plain = by_class(counts, [9, 6], [4, 1])
    found = pairwise_differences(plain, name)[0]
    weighted = replace(plain, settings=Settings(row_weights=np.full(100, 2.0)))
    assert pairwise_differences(weighted, name)[0] == found
    apart = replace(plain, settings=Settings(row_groups=np.arange(100)))
    grouped = pairwise_differences(apart, name)[0]
    assert grouped.test == "cluster-robust t"
    assert_allclose((grouped.low, grouped.high), (found.low, found.high), atol=0.004)
    # Rows that stand twice, kept together, say no more than once.
    twice = replace(
        plain, rows=np.arange(200), truth=np.tile(plain.truth, 2), n_train=np.zeros(200, int),
        predicted=np.tile(plain.predicted, 2), log_proba=np.tile(plain.log_proba, (1, 2, 1)),
        fold=np.zeros(200, int), repetition=np.zeros(200, int),
        settings=Settings(row_groups=np.tile(np.arange(100), 2)),
    )  # fmt: skip
    assert_allclose(pairwise_differences(twice, name)[0][3:7], grouped[3:7], atol=1e-9)


def test_weights_are_those_of_a_weighted_mean_of_differences():
    rng = np.random.default_rng(4)
    right, weight = rng.random((2, 20_000)) < [[0.8], [0.79]], rng.choice([1.0, 3.0], 20_000)
    found = pairwise_differences(judged(right, settings=Settings(row_weights=weight)))[0]
    d = right[0].astype(float) - right[1]
    mean = weight @ d / weight.sum()
    error = np.sqrt((weight**2 * (d - mean) ** 2).sum()) / weight.sum()
    assert_allclose((found.value, found.p), (mean, 2 * stats.norm.sf(abs(mean) / error)), rtol=2e-3)


def test_the_difference_of_areas_is_delongs_where_rows_are_many():
    rng = np.random.default_rng(6)
    truth = np.arange(4000) % 2
    signal = truth + rng.standard_normal(4000)
    margins = np.stack([signal, signal + 0.3 * rng.standard_normal(4000)])
    log_proba = -np.logaddexp(0, np.stack([margins, -margins], axis=2))
    found = pairwise_differences(judged(np.ones((2, 4000)), log_proba=log_proba), "AUC")[0]
    # By their definition: the placements of each row among those of the other class.
    yes, no = margins[:, truth == 1], margins[:, truth == 0]
    above = (yes[:, :, None] > no[:, None, :]).astype(np.float32)
    covariance = [np.cov(above.mean(axis=axis)) / 2000 for axis in (2, 1)]
    error = np.sqrt(sum(c[0, 0] + c[1, 1] - 2 * c[0, 1] for c in covariance))
    value = float(np.diff(above.mean(axis=(1, 2), dtype=float)[::-1])[0])
    assert_allclose(found.value, value, atol=1e-6)
    assert_allclose(found.high - found.low, 2 * 1.96 * error, rtol=0.02)


@pytest.mark.parametrize("name", list(metrics.SCORES))
def test_a_perfect_model_is_significant_among_many_coin_tosses_by_every_score(name):
    rng = np.random.default_rng(7)
    n_methods, m = 16, 120
    truth = np.arange(m) % 2
    margins = rng.standard_normal((n_methods, m)) * 3
    margins[0] = np.where(truth == 1, 3.0, -3.0) * rng.uniform(1, 2, m)
    log_proba = -np.logaddexp(0, np.stack([margins, -margins], axis=2))
    results = Results(
        tuple(f"model {i}" for i in range(n_methods)), np.array(["a", "b"]), np.arange(m), truth,
        (margins > 0).astype(np.intp), log_proba, np.zeros(n_methods),
    )  # fmt: skip
    found = pairwise_differences(results, name)
    assert len(found) == 120  # Holm asks for 0.05 / 120, and with 2,000 resamples never gets it
    assert all(d.better == "model 0" for d in found if d.first == "model 0")


def test_losses_that_differ_alike_on_every_row_have_the_p_value_of_a_permutation():
    p = np.array([[0.9, 0.1], [0.6, 0.4]])
    for m in (4, 12):
        log_proba = np.log(np.stack([np.where(np.arange(m)[:, None] % 2, q[::-1], q) for q in p]))
        results = judged(np.ones((2, m)), log_proba=log_proba)
        found = pairwise_differences(results, "log loss")[0]
        losses = -log_proba[:, np.arange(m), results.truth]
        test = stats.permutation_test(
            tuple(losses), lambda a, b, axis: (a - b).mean(axis), permutation_type="samples",
            vectorized=True, n_resamples=np.inf,
        )  # fmt: skip
        assert_allclose(found.p, test.pvalue)
        assert np.isnan(found.low) and "too few" in found.test
        assert (found.better == "A") == (m == 12)


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
    assert_allclose(found.p, 2 * stats.t.sf(abs(d.mean()) / error, k - 1))
    assert_allclose(found.high - found.value, stats.t.ppf(0.975, k - 1) * error)
    assert found.test == "corrected resampled t"


def test_a_model_that_hangs_on_a_fold_is_compared_less_surely():
    rng = np.random.default_rng(2)
    right = rng.random((2, 100)) < [[0.9], [0.75]]
    results = judged(right, folds=np.arange(100) % 5, n_train=80)
    # Without the rows of the first fold the first method errs on 40 rows more.
    asked = np.tile(right, (1, 5))
    asked[0, :40] = False
    cells = np.repeat(np.arange(5), 100)
    common = judged(asked, folds=cells, n_train=80)
    common = replace(common, rows=np.tile(np.arange(100), 5), truth=np.tile(results.truth, 5))
    common = replace(common, predicted=np.where(asked, common.truth, 1 - common.truth))
    for name in ("accuracy", "balanced accuracy", "MCC"):
        plain = pairwise_differences(results, name)[0]
        found = pairwise_differences(replace(results, common=common), name)[0]
        assert found.value == plain.value
        assert found.high - found.low > 1.3 * (plain.high - plain.low)
        assert found.p > plain.p
    # Models that both fail on the rows of the first fold differ by their test rows only.
    proba = np.log(np.clip(rng.dirichlet([1, 1], size=(2, 100)), 1e-6, None))
    alike = np.where(np.eye(2)[common.truth] == (cells > 0)[:, None], 0.95, 0.05)
    results = replace(results, log_proba=proba)
    common = replace(common, log_proba=np.log([alike, alike]))
    for name in ("log loss", "Brier", "AUC"):
        plain = pairwise_differences(results, name)[0]
        assert pairwise_differences(replace(results, common=common), name)[0] == plain


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
def test_other_scores_are_compared_in_pairs_of_rows(name):
    rng = np.random.default_rng(0)
    m = 200
    truth = np.arange(m) % 2
    sharp = np.where(truth, 1.0, -1.0) + rng.standard_normal(m)
    margins = np.stack([sharp, sharp + 0.2 * rng.standard_normal(m), 3 * rng.standard_normal(m)])
    log_proba = -np.logaddexp(0, np.stack([margins, -margins], axis=2))
    results = judged((margins > 0) == truth, log_proba=log_proba)
    alike, far, _ = pairwise_differences(results, name)
    for found in (alike, far):
        one, two = (metrics.score(results, method, name).value for method in found[:2])
        assert_allclose(found.value, one - two)
        # The p-value and the interval are one statement.
        assert (found.p < 0.05) == (found.low > 0 or found.high < 0)
    assert far.better == "A"
    assert alike.p > 0.05
    # Pairing: two that err alike differ by less than their own intervals are long.
    own = metrics.score(results, "A", name)
    assert alike.high - alike.low < 0.75 * (own.high - own.low)


def test_the_p_value_of_a_difference_of_losses_is_that_of_a_paired_t():
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


def test_cochrans_q_is_statsmodels_with_the_correction_of_greenhouse_and_geisser():
    results = with_shares([0.9, 0.8, 0.7])
    right = (results.predicted == results.truth).T.astype(float)
    found, reference = cochran_test(results), cochrans_q(right)
    assert_allclose((found.statistic, found.df), (reference.statistic, reference.df))
    n, k = right.shape
    frame = pd.DataFrame(
        {"row": np.repeat(np.arange(n), k), "method": np.tile(list("ABC"), n), "y": right.ravel()}
    )
    table = AnovaRM(frame, "y", "row", within=["method"]).fit().anova_table
    # Of orthonormal contrasts of the methods, as Greenhouse and Geisser define it.
    contrasts = helmert(k)
    covariance = contrasts @ np.cov(right, rowvar=False) @ contrasts.T
    epsilon = covariance.trace() ** 2 / ((k - 1) * (covariance @ covariance).trace())
    degrees = epsilon * table[["Num DF", "Den DF"]].to_numpy()[0]
    assert_allclose(found.epsilon, epsilon)
    assert_allclose(found.p, stats.f.sf(table["F Value"].iloc[0], *degrees))


def test_cochrans_q_is_not_alarmed_by_models_that_are_alike():
    rng, n, times = np.random.default_rng(8), 100, 1500
    alarms = 0
    for _ in range(times):
        # Five models that hardly differ, and one of equal worth by itself.
        right = np.repeat((rng.random((1, n)) < 0.7), 6, axis=0)
        right[1:5] ^= rng.random((4, n)) < 0.02
        right[5] = rng.random(n) < 0.7
        alarms += cochran_test(judged(right)).p < 0.05
    assert alarms / times < 0.075  # the plain Q: 0.13


def test_cochrans_q_bears_agreement():
    assert cochran_test(judged(np.ones((3, 10)))) == (0.0, 1.0, 2, 1.0)
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
    assert PairwiseDisplay(results, "AUC").finding() == "A and B cannot be compared by AUC."


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
    assert 0 < found.p < 0.01 and found.better == "A"
    assert 0.2 < found.low < 0.5 < found.high < 0.8


def test_tiers_join_whom_the_leader_does_not_beat():
    results = with_shares([0.7, 0.95, 0.5, 0.94, 0.68], m=600)
    assert groups(results) == {"A": 2, "B": 1, "C": 3, "D": 1, "E": 2}
    shown = results.scores().frame().drop_duplicates("method").set_index("method")["group"]
    assert shown.to_dict() == groups(results)
    better = {frozenset(d[:2]): d.better for d in pairwise_differences(results)}
    assert better[frozenset("BD")] is None and better[frozenset("AB")] == "B"


def test_rows_in_groups_do_not_count_for_themselves():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(30), 10)
    right = np.stack([np.ones(300), (rng.random(30) < 0.8)[groups]])
    alone = pairwise_differences(judged(right))[0]
    together = pairwise_differences(judged(right, settings=Settings(row_groups=groups)))[0]
    assert together.test == "cluster-robust t"
    assert together.high - together.low > 2 * (alone.high - alone.low)
    with pytest.raises(ValueError, match="independent rows"):
        cochran_test(judged(right, settings=Settings(row_groups=groups)))


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ([0.9], "A reaches an accuracy of 90.0 %."),
        (
            [0.9, 0.91],
            "No significant difference between B and A (accuracy 91.0 % to 90.0 %); up to ",
        ),
        ([0.9, 0.5], "A (accuracy 90.0 %) beats B (50.0 %)."),
        (
            [0.9, 0.91, 0.5],
            "B and A are not significantly different (accuracy 91.0 % to 90.0 %); both beat C",
        ),
        ([0.9, 0.5, 0.5, 0.5, 0.5, 0.5], "A (accuracy 90.0 %) beats B, C, D, E and F (50.0 %)."),
    ],
)
def test_the_finding_of_a_comparison(shares, sentence):
    assert report.comparison_finding(with_shares(shares)).startswith(sentence)


def test_a_finding_says_where_a_difference_is_too_small_to_matter():
    alike = with_shares([0.9, 0.9, 0.5])
    said = report.comparison_finding(alike, rope=0.2)
    span = (
        "less than 20.0 points of accuracy apart by 95 % intervals (accuracy 90.0 %); both beat C"
    )
    assert said.startswith(f"A and B are equivalent in practice, {span}")
    assert report.comparison_finding(alike.select("A", "B"), rope=0.2) == (
        "A and B are equivalent in practice, less than 20.0 points of accuracy apart "
        "by 95 % intervals (accuracy 90.0 %)."
    )
    assert "are not significantly different" in report.comparison_finding(alike, rope=0.001)


def test_a_finding_calls_no_models_alike_of_which_two_differ():
    rng = np.random.default_rng(3)
    best = rng.random(200) < 0.8
    below, other = best.copy(), np.random.default_rng(4).permutation(best)
    below[np.flatnonzero(best)[:9]] = False
    other[np.flatnonzero(other)[:4]] = False
    found = report.comparison_finding(judged([best, below, other]))
    assert found == (
        "A leads with an accuracy of 83.5 %; C is not significantly worse (down to 81.5 %); "
        "B is (79.0 %)."
    )
    tied = report.comparison_finding(judged([best, best, below, other]))
    assert tied == (
        "A and B lead with an accuracy of 83.5 % each; D is not significantly worse (down to "
        "81.5 %); C is (79.0 %)."
    )


def pairs_agree(results, found):
    """Check that a headline says of the pairs of a comparison only what they say themselves."""
    pairs = pairwise_differences(results)
    alike = re.search(r"[Nn]o significant difference|are not significantly different", found)
    beats = re.search(r" beats? ", found)
    group = groups(results)
    leaders = [d for d in pairs if group[d.first] == group[d.second] == 1]
    if alike:
        assert not any(d.better for d in leaders)
        if not beats:
            assert not any(d.better for d in pairs)
    for d in pairs:
        assert d.better is None or d.low > 0 or d.high < 0
    clear = [abs(d.value) for d in pairs if d.better]
    best = rank_methods(results).methods[0]
    unclear = [abs(d.value) for d in pairs if not d.better and best in d[:2]]
    if clear and unclear and max(unclear) > min(clear):
        details = report.comparison_details(results)
        assert "is not significant: its interval is" in details or "equivalent" in found


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10_000), st.integers(3, 6), st.sampled_from([20, 60, 200]), st.floats(0.0, 0.3)
)
def test_headline_groups_and_pairs_agree(seed, n_methods, m, spread):
    rng = np.random.default_rng(seed)
    common = rng.random(m) < 0.8
    right = [
        np.where(
            rng.random(m) < rng.uniform(0, 0.8), common, rng.random(m) < 1 - rng.uniform(0, spread)
        )
        for _ in range(n_methods)
    ]
    results = judged(right)
    found = report.comparison_finding(results)
    pairs_agree(results, found)
    if "pairs differ" in found:
        told = int(re.search(r"but (\d+) of", found)[1])
        assert told == sum(d.better is not None for d in pairwise_differences(results))


def test_a_large_difference_that_is_not_significant_is_told_with_its_interval():
    a = np.arange(60) < 45
    b, c = a.copy(), a.copy()
    b[:9] = False  # on all nine rows worse
    c[:25], c[45:] = False, True  # on 25 worse, on 15 better
    results = judged([a, b, c])
    wide = pairwise_differences(results)[1]
    assert report.comparison_finding(results) == (
        "A leads with an accuracy of 75.0 %; C is not significantly worse (down to 58.3 %); "
        "B is (60.0 %)."
    )
    assert report.comparison_details(results) == (
        "The difference of 16.7 points of accuracy between A and C is not significant: its "
        f"interval is −{-100 * wide.low:.1f} to {100 * wide.high:.1f}."
    )


def test_a_finding_calls_methods_by_their_labels():
    results = replace(with_shares([0.9, 0.5]), settings=Settings(labels={"A": "LDA"}))
    assert report.comparison_finding(results) == "LDA (accuracy 90.0 %) beats B (50.0 %)."


@pytest.mark.parametrize("shares", [[0.9, 0.91, 0.5, 0.4], [0.9, 0.5, 0.5, 0.4], [0.9] * 4])
def test_a_finding_counts_models_whose_names_would_take_a_third_line(shares):
    labels = {name: f"Regularised discriminant analysis {name}" for name in "ABCD"}
    found = report.comparison_finding(
        replace(with_shares(shares), settings=Settings(labels=labels))
    )
    assert len(found) < 150 and re.search(r"[24] models|other [23] models", found)


def test_the_finding_of_a_pair_says_what_is_known():
    results = with_shares([0.9, 0.5, 0.9])
    for names in (["A", "B"], ["B", "A"]):
        found = results.select(*names).pairwise().finding()
        assert found.startswith("A beats B by 40.0 points of accuracy (")
    assert (
        results.pairwise()
        .finding()
        .startswith("A and C are not significantly different: A minus C is")
    )
    assert results.pairwise().notes()[-1].startswith("Not all models are correct equally often")
    same = replace(results, predicted=results.predicted[[0, 0, 0]]).select("A", "C")
    alike = same.pairwise(rope=0.1)
    assert alike.finding().startswith("A and C are equivalent in practice")
    assert alike.notes()[-1].startswith("How often the models are correct does not differ")


class Counted(Results):
    """Notes how often its predictions are read."""

    read = []

    def __getattribute__(self, name):
        """Return an attribute."""
        if name == "predicted":
            Counted.read.append(name)
        return super().__getattribute__(name)


def test_a_pair_is_compared_once_whatever_does_not_matter():
    results = with_shares([0.9, 0.8, 0.7])
    fields = {field.name: getattr(results, field.name) for field in dataclasses.fields(results)}
    counted = Counted(**fields)
    pairwise_differences(counted, "accuracy", 0.0)
    first = len(Counted.read)
    for rope in (0.01, 0.05):
        pairwise_differences(counted, "accuracy", rope)
        groups(counted, "accuracy", rope)
    assert 0 < first == len(Counted.read)
