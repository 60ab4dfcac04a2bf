"""Intervals of scores: Wilson's where rows are independent, rows and training rows elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax
from scipy.stats import norm
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

import lincore
from lincore import Results, metrics, report
from lincore.data import Fold
from lincore.metrics import Settings, training_variance_rows
from lincore.model_selection import Steps, as_method, pipeline_for, plan_folds
from lincore.plots import score_intervals, seconds_and_score
from lincore.utils import interval

BY_CLASS = ("balanced accuracy", "macro F1", "MCC", "AUC")


def one_test_set(counts=(60, 30), seed=0, **settings):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(counts)), counts)
    log_proba = log_softmax(
        rng.normal(size=(len(truth), len(counts))) + 1.2 * np.eye(len(counts))[truth], axis=1
    )
    return Results(
        ("m",), np.array([f"class {k}" for k in range(len(counts))]), np.arange(len(truth)), truth,
        log_proba.argmax(axis=1)[None], log_proba[None], np.zeros(1), settings=Settings(**settings),
    )  # fmt: skip


def over_folds(k=5, r=1, counts=(60, 30), seed=0):
    """Return results over folds with what the models of all folds say of all rows."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(counts)), counts)
    n = len(truth)
    fold = np.concatenate([rng.permutation(np.arange(n) % k) for _ in range(r)])
    repetition, rows = np.repeat(np.arange(r), n), np.tile(np.arange(n), r)
    signal = rng.normal(size=(n, len(counts))) + 1.2 * np.eye(len(counts))[truth]
    models = signal + 0.3 * rng.normal(size=(r * k, n, len(counts)))
    log_proba = log_softmax(models, axis=2)
    asked = log_proba.reshape(r * k * n, -1)
    every = np.tile(np.arange(n), r * k)
    common = Results(
        ("m",), np.arange(len(counts)), every, truth[every], asked.argmax(axis=1)[None],
        asked[None], np.zeros(1), fold=np.tile(np.repeat(np.arange(k), n), r),
        repetition=np.repeat(np.arange(r), k * n),
    )  # fmt: skip
    said = log_proba[repetition * k + fold, rows]
    return Results(
        ("m",), np.arange(len(counts)), rows, truth[rows], said.argmax(axis=1)[None], said[None],
        np.zeros(1), fold=fold, repetition=repetition, n_train=n - np.bincount(fold)[fold] // r,
        common=common,
    )  # fmt: skip


def soft_hits(results):
    """Probability of the true class after the posteriors were cubed."""
    cubes = np.exp(3 * results.log_proba[0])
    return cubes[np.arange(len(cubes)), results.truth] / cubes.sum(axis=1)


def test_over_folds_the_variance_is_that_of_the_rows_and_of_the_training_rows():
    """By brute force: pseudo-values of a jackknife over folds, beside the tested rows."""
    k, results = 5, over_folds(seed=1)
    hits = results.predicted[0] == results.truth
    n, share, ratio = len(hits), hits.mean(), 1 / (k - 1)
    apart = soft_hits(results.common).reshape(k, n)
    apart = apart - apart.mean(axis=0)
    models = apart.mean(axis=1)
    noise = (k - 1) * np.mean([line.var() / n for line in apart])
    tested = np.array([soft_hits(results)[results.fold == j].mean() for j in range(k)])
    as_tested, as_trained = tested - tested.mean() - models, -(k - 1) * models
    both = [(a @ b) / k / (k - 1) for a, b in ((as_trained, as_trained), (as_tested, as_trained))]
    training = max(both[0] + 2 * both[1] - noise, 0)
    soft = np.exp(3 * results.log_proba[0])
    soft /= soft.sum(axis=1, keepdims=True)
    slope = 3 * soft.prod(axis=1) * np.where(results.truth == 0, 1, -1)  # by the odds of class 0
    drift = np.where(results.truth == 0, slope.sum() / 60, -slope.sum() / 30)
    variance = ((hits - share + drift) ** 2).sum() / n**2 * (1 + ratio) + training
    degrees = variance**2 / (training**2 * ratio) if training else np.inf
    assert training > 0
    found = metrics.score(results, "m", "accuracy")
    n_rows = share * (1 - share) / variance
    quantile = student.ppf(0.975, degrees)
    expected = proportion_confint(share * n_rows, n_rows, 2 * norm.sf(quantile), "wilson")
    assert_allclose(found, (share, *expected), rtol=1e-9)


def test_losses_are_positive_and_their_intervals_normal_on_the_scale_of_logarithms():
    results = replace(over_folds(), common=None)
    losses = -results.log_proba[0][np.arange(90), results.truth]
    reach = norm.ppf(0.975) * np.sqrt(1.25) * losses.std() / np.sqrt(90) / losses.mean()
    expected = losses.mean() * np.exp([-reach, reach])
    assert_allclose(metrics.score(results, "m", "log loss")[1:], expected)


@pytest.mark.parametrize("counts", [(300, 10), (40, 30, 20)])
def test_the_balanced_accuracy_has_the_interval_of_price_and_bonett(counts):
    results, n_classes = one_test_set(counts), len(counts)
    hits = np.bincount(results.truth[results.predicted[0] == results.truth], minlength=n_classes)
    n = np.array(counts) + 4 / n_classes
    share = (hits + 2 / n_classes) / n
    half = norm.ppf(0.975) * np.sqrt((share * (1 - share) / n).sum()) / n_classes
    found = metrics.score(results, "m", "balanced accuracy")
    assert_allclose(found[1:], share.mean() + np.array([-half, half]), atol=1e-9)


def test_where_one_class_is_never_predicted_scores_are_not_certain():
    results = one_test_set((300, 12))
    results = replace(results, predicted=np.zeros((1, 312), dtype=np.intp))
    for name in ("balanced accuracy", "macro F1", "MCC"):
        found = metrics.score(results, "m", name)
        assert found.low <= found.value < found.high - 0.1


def test_repetitions_count_a_row_once():
    once = replace(over_folds(r=1), common=None)
    rows = np.tile(np.arange(90), 6)
    again = replace(
        once, rows=once.rows[rows], truth=once.truth[rows], predicted=once.predicted[:, rows],
        log_proba=once.log_proba[:, rows], fold=once.fold[rows], n_train=once.n_train[rows],
        repetition=np.repeat(np.arange(6), 90),
    )  # fmt: skip
    for name in metrics.SCORES:
        assert_allclose(metrics.score(again, "m", name), metrics.score(once, "m", name), rtol=1e-6)


def test_models_that_agree_add_nothing_and_models_that_differ_much():
    plain = over_folds()
    alike = replace(
        plain.common, predicted=np.tile(plain.common.predicted[:, :90], 5),
        log_proba=np.tile(plain.common.log_proba[:, :90], (1, 5, 1)),
    )  # fmt: skip
    apart = plain.common.predicted.copy()
    apart[0, :90] = 0
    for name in metrics.SCORES:
        alone = metrics.score(replace(plain, common=None), "m", name)
        assert_allclose(metrics.score(replace(plain, common=alike), "m", name), alone)
    unsure = np.full_like(plain.common.log_proba, np.nan)  # labels alone
    wide, narrow = (
        metrics.score(
            replace(plain, common=replace(plain.common, predicted=said, log_proba=unsure)),
            "m", "balanced accuracy",
        )
        for said in (apart, alike.predicted)
    )  # fmt: skip
    assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)


def test_a_stratified_test_set_leaves_the_shares_of_the_classes_to_all_rows():
    results = one_test_set((60, 30))
    stratified = replace(results, settings=Settings(class_counts=np.array([200, 100])))
    losses = np.square(np.exp(results.log_proba[0])[np.arange(90), 1 - results.truth])  # Brier
    inside, means = 0.0, np.array([losses[:60].mean(), losses[60:].mean()])
    for part in (losses[:60], losses[60:]):
        inside += len(part) * part.var() / 90**2
    shares = (np.array([2, 1]) / 3 * (means - losses.mean()) ** 2).sum() / 300
    degrees = ((losses - losses.mean()) ** 2).sum() ** 2 / ((losses - losses.mean()) ** 4).sum() - 1
    reach = student.ppf(0.975, degrees) * np.sqrt(inside + shares) / losses.mean()
    expected = losses.mean() * np.exp([-reach, reach])
    assert_allclose(metrics.score(stratified, "m", "Brier")[1:], expected, rtol=1e-6)
    plain, found = (metrics.score(one, "m", "accuracy") for one in (results, stratified))
    assert found.high - found.low <= plain.high - plain.low


@pytest.mark.parametrize("name", metrics.SCORES)
def test_of_few_rows_of_a_class_nothing_is_claimed(name):
    few, enough = one_test_set((60, 7)), one_test_set((60, 8))
    found = metrics.score(few, "m", name)
    assert np.isfinite(found.value)
    assert np.isnan([found.low, found.high]).all() == (name in BY_CLASS)
    found = metrics.score(enough, "m", name)
    assert found.low < found.value < found.high
    said = report.missing_interval_note(few, name)
    assert said == ("too few rows of 'class 1' for an interval" if name in BY_CLASS else "")


@pytest.mark.parametrize("name", ["log loss", "Brier"])
def test_a_loss_that_few_rows_make_has_no_interval(name):
    def results(counts, n_bad):
        truth = np.repeat([0, 1], counts)
        right = np.full(len(truth), 0.99)
        right[:n_bad] = 0.001
        posterior = np.stack([1 - right, right], axis=1)
        posterior[truth == 0] = posterior[truth == 0, ::-1]
        codes = posterior.argmax(axis=1)
        return Results(
            ("LDA", "QDA"), np.array(["a", "b"]), np.arange(len(truth)), truth,
            np.stack([codes, truth]), np.log(np.stack([posterior, np.full_like(posterior, 0.5)])),
            np.zeros(2), settings=Settings(class_counts=np.array(counts)),
        )  # fmt: skip

    one, several, alone = results((20, 20), 1), results((20, 20), 9), results((38, 2), 9)
    found = metrics.score(one, "LDA", name)
    assert found.value > 0 and np.isnan([found.low, found.high]).all()
    said = "too few rows dominate the loss of LDA for an interval"
    assert report.missing_interval_note(one, name) == said
    assert report.missing_interval_note(one, name, "QDA") == ""
    assert report.missing_intervals_note(one, ["accuracy", "log loss", "Brier"]) == (
        f"Log loss and Brier: {said}."
    )
    found = metrics.score(several, "LDA", name)
    assert 0 < found.low < found.value < found.high <= 10 * found.value
    assert report.missing_interval_note(several, name) == ""
    assert np.isnan(metrics.score(alone, "LDA", name).low)
    assert report.missing_interval_note(alone, name) == "too few rows of 'b' for an interval"
    wider = metrics.score(results((30, 10), 12), "LDA", name)
    assert wider.low >= 0


def test_the_number_of_few_rows_is_that_of_groups_and_not_of_repetitions():
    pairs = one_test_set((60, 14), row_groups=np.arange(74) // 2)
    said = "too few rows of {} for an interval"
    assert report.missing_interval_note(pairs, "MCC") == said.format("'class 1'")
    assert report.missing_interval_note(over_folds(r=3, counts=(60, 7)), "MCC") == said.format(
        "'1'"
    )
    assert report.missing_interval_note(over_folds(r=3, counts=(60, 8)), "MCC") == ""


@pytest.mark.parametrize("scheme", ["one test set", "folds"])
@pytest.mark.parametrize("correct", [True, False])
def test_no_error_or_no_hit_is_not_certainty(scheme, correct):
    results = one_test_set((40, 20)) if scheme == "one test set" else over_folds(counts=(40, 20))
    predicted = results.truth if correct else 1 - results.truth
    common = results.common
    if common is not None:
        said = common.truth if correct else 1 - common.truth
        common = replace(common, predicted=said[None])
    results = replace(results, predicted=predicted[None], common=common)
    for name in ("accuracy", "balanced accuracy", "macro F1"):
        found = metrics.score(results, "m", name)
        assert found.value == float(correct)
        assert 0.03 < found.high - found.low < 0.2
    if correct:
        assert metrics.score(results, "m", "MCC").low < 0.95
    assert all(0.05 < found.high - found.low < 0.3 for found in metrics.recall(results, "m"))


def test_common_rows_hold_the_classes_in_their_shares():
    codes = np.repeat([0, 1, 2], [7000, 2200, 800])
    every = np.arange(10_000)
    plan = [Fold(0, j, every[every % 10 != j], every[every % 10 == j]) for j in range(10)]
    found = training_variance_rows(codes, plan, 3)
    assert found.folds == list(range(10))
    assert len(found.rows) == len(set(found.rows)) == 2000
    assert_allclose(np.bincount(codes[found.rows]) / 2000, [0.7, 0.22, 0.08], atol=0.001)
    assert_array_equal(found.rows, training_variance_rows(codes, plan, 3).rows)
    few = training_variance_rows(codes[::100], [Fold(0, 0, every[:50], every[50:100])] * 2, 3)
    assert_array_equal(few.rows, np.arange(100))
    assert training_variance_rows(codes, plan[:1], 3).folds == []
    alone = [Fold(0, j, np.delete(every[:50], j), every[[j]]) for j in range(50)]
    assert training_variance_rows(codes, alone, 3).folds == list(range(50))  # leave-one-out
    assert len(training_variance_rows(codes, [*plan] * 50, 3).folds) <= 100


@pytest.mark.parametrize("spec", ["lda", "logistic", "fisher"])
def test_a_comparison_asks_the_models_of_all_folds_about_the_same_rows(spec):
    data = lincore.sample("iris")
    results = lincore.compare(data, ["qda", spec], "2x3-fold")
    plan, common = plan_folds(data, "2x3-fold"), results.common
    assert common is not None and len(common.rows) == 6 * 150
    for place in (0, 4):
        model = pipeline_for(data, as_method(spec).fresh(data.n_classes), Steps())
        model.fit(data.X[plan[place].train], data.codes[plan[place].train])
        said = common.predicted[1, place * 150 : (place + 1) * 150]
        assert_array_equal(said, model.predict(data.X))
    assert lincore.compare(data, spec).common is None
    assert results.select("qda").common.methods == ("qda",)


def test_figures_and_words_bear_scores_without_intervals():
    few = one_test_set((60, 3))
    found = metrics.score(few, "m", "MCC")
    for figure in (
        score_intervals(["LDA"], [found], score="MCC", as_percent=False),
        seconds_and_score([0.1], [found], ["LDA"], score="MCC", as_percent=False),
    ):
        assert "nan" not in figure.to_json().lower()
        assert "95 %" not in figure.to_json()
    assert " % over 63 test rows" in report.classification_finding(few, "m")
    against = report.baseline_finding(few, "m")
    assert "always predicting 'class 0' (balanced accuracy 50.0 %; p = 0." in against
    assert " by permutation; too few rows of 'class 1' for an interval)." in against
    assert interval(found.low, found.high) == ""
    assert report.missing_intervals_note(few) == (
        "Balanced accuracy, macro F1, MCC and AUC: too few rows of 'class 1' for an interval."
    )
