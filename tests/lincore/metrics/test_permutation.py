"""A score against chance: the labels permuted among the rows."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kstest

import lincore
from lincore import Results, report
from lincore.metrics import Settings, permutation_p, score

BOTH = ["accuracy", "balanced accuracy"]


def judged(truth, predicted, **settings):
    K = 1 + max(max(truth), max(predicted))
    return Results(
        ("LDA",), np.array([f"c{k}" for k in range(K)]), np.arange(len(truth)),
        np.asarray(truth), np.asarray(predicted)[None], np.full((1, len(truth), K), np.nan),
        np.zeros(1), settings=Settings(**settings),
    )  # fmt: skip


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    "settings",
    [{}, {"row_weights": np.array([1.0, 2, 3, 1, 2, 3, 1])}],
    ids=["equal", "weighted"],
)
def test_all_permutations_of_a_few_rows_say_the_same(name, settings):
    truth, predicted = np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 1, 0, 2])
    results = judged(truth, predicted, **settings)
    weight = settings.get("row_weights", np.ones(7))
    totals = np.bincount(truth, weight) if name == "balanced accuracy" else np.ones(3)
    values = np.array(
        [
            sum(
                weight[j] / totals[truth[j]]
                for i, j in enumerate(order)
                if predicted[i] == truth[j]
            )
            for order in permutations(range(7))
        ]
    )
    tails = [(values >= values[0] - 1e-9).mean(), (values <= values[0] + 1e-9).mean()]
    assert_allclose(permutation_p(results, "LDA", name), min(1, 2 * min(tails)), atol=0.08)


@pytest.mark.parametrize("design", ["rows", "folds", "repeated", "groups", "weights"])
def test_p_is_uniform_where_predictions_say_nothing(design):
    rng, found = np.random.default_rng(3), []
    for _ in range(60):
        n, settings, extra = 120, {}, {}
        truth, predicted = rng.integers(0, 3, n), rng.integers(0, 3, n)
        if design == "groups":
            groups = np.repeat(np.arange(24), 5)
            truth, predicted = rng.integers(0, 3, 24)[groups], rng.integers(0, 3, 24)[groups]
            settings = {"row_groups": groups}
        if design == "weights":
            settings = {"row_weights": rng.integers(1, 4, n).astype(float)}
        results = judged(truth, predicted, **settings)
        if design in ("folds", "repeated"):
            extra = {"fold": np.arange(n) % 5}
        if design == "repeated":
            again = [rng.permutation(n) % 5 for _ in range(2)]
            own = np.where(rng.random((2, n)) < 0.8, predicted, rng.integers(0, 3, (2, n)))
            results = replace(
                results, rows=np.tile(np.arange(n), 2), truth=np.tile(truth, 2),
                predicted=own.reshape(1, -1), log_proba=np.tile(results.log_proba, (1, 2, 1)),
                fold=np.concatenate(again), repetition=np.repeat([0, 1], n),
                n_train=np.zeros(2 * n, dtype=int),
            )  # fmt: skip
            extra = {}
        found.append(permutation_p(replace(results, **extra), "LDA", "balanced accuracy"))
    # Two-sided p of a discrete score are a little large.
    assert np.mean(np.array(found) < 0.05) <= 0.12
    if design in ("folds", "repeated"):  # they allow for models that depend on the labels
        assert kstest(found, "uniform", alternative="greater").pvalue > 0.05
    else:
        assert kstest(found, "uniform").statistic < 0.25


def test_fitted_models_of_noise_are_seldom_called_associated_over_folds():
    # If labels are permuted without a correction, 15 and 8 % of the p-values are below 0.05.
    for scheme, n, most in (("5-fold", 100, 0.08), ("leave-one-out", 50, 0.04)):
        found = []
        for seed in range(n):
            X = np.random.default_rng([seed, 7]).standard_normal((40, 4))
            results = lincore.compare((X, np.arange(40) % 2), "lda", scheme, seed=seed)
            found.append(permutation_p(results, "lda", "accuracy"))
        assert np.mean(np.array(found) < 0.05) <= most


def test_over_folds_the_permuted_scores_vary_as_those_of_refitted_models():
    truth, fold = np.arange(20) % 2, np.arange(20) // 4
    results = replace(judged(truth, np.where(np.arange(20) < 14, truth, 1 - truth)), fold=fold)
    by_fold = [np.flatnonzero(fold == k) for k in range(5)]
    rng, scores = np.random.default_rng(1), []
    for _ in range(4000):
        order = np.concatenate([rng.permutation(rows) for rows in by_fold])
        scores.append((truth[order] == results.predicted[0]).sum())
    above = (14 - np.mean(scores)) / np.sqrt(1 + 20 / 16)
    expected = 2 * np.mean(np.array(scores) - np.mean(scores) >= above - 1e-9)
    assert_allclose(permutation_p(results, "LDA", "accuracy"), expected, atol=0.02)


def test_groups_of_alike_rows_count_once():
    groups = np.repeat(np.arange(4), 25)
    truth = groups % 2
    alone = judged(truth, truth)
    together = judged(truth, truth, row_groups=groups)
    assert permutation_p(alone, "LDA", "accuracy") == 0.002
    assert permutation_p(together, "LDA", "accuracy") > 0.2


def test_other_scores_are_refused():
    with pytest.raises(ValueError, match="not 'MCC'"):
        permutation_p(judged([0, 1], [0, 1]), "LDA", "MCC")


def classes_of_few_rows(right):
    """Return 19 classes, of unequal size: too few rows for an interval of balanced accuracy."""
    truth = np.repeat(np.arange(19), [4] + [2] * 17 + [10])
    predicted = np.where(np.arange(len(truth)) % 22 < right, truth, (truth + 1) % 19)
    return judged(truth, predicted)


def test_without_an_interval_the_permutations_say_whether_a_model_beats_the_baseline():
    results = classes_of_few_rows(21)
    assert np.isnan(score(results, "LDA", "balanced accuracy").low)
    said = report.baseline_finding(results, "LDA")
    assert said.startswith(
        "That is better than always predicting 'c18' (balanced accuracy 5.3 %; p = 0.002 by "
        "permutation; too few rows of 18 classes for an interval)."
    )
    worse = report.baseline_finding(judged([0] * 40 + [1] * 4, [1] * 40 + [0] * 4), "LDA")
    assert worse.startswith("That is worse than always predicting 'c0'")


def test_a_model_that_guesses_is_not_distinguishable_and_says_p():
    truth = np.repeat([0, 1], [40, 5])
    results = judged(truth, np.arange(45) % 2)
    p = permutation_p(results, "LDA", "balanced accuracy")
    assert p > 0.1
    said = report.baseline_finding(results, "LDA")
    assert said.startswith(
        "That is not distinguishable from always predicting 'c0' (balanced accuracy 50.0 %; "
        f"p = {p:.3f} by permutation; too few rows of 'c1' for an interval)."
    )
    assert "not known" not in said


def test_an_association_that_does_not_beat_the_baseline_is_told_as_such():
    truth = np.repeat([0, 1], [72, 28])
    predicted = truth.copy()
    predicted[:14], predicted[72:86] = 1, 0  # as accurate as the majority class
    said = report.baseline_finding(judged(truth, predicted), "LDA")
    p = permutation_p(judged(truth, predicted), "LDA", "accuracy")
    assert p < 0.05
    assert said == (
        "That is not distinguishable from always predicting 'c0' (accuracy 72.0 %), though "
        f"predictions and classes are associated (p = {p:.3f} by permutation)."
    )


def test_every_test_set_with_rows_has_an_answer():
    iris = lincore.sample("iris")
    for scheme in ("leave-one-out", "5-fold"):
        results = lincore.compare(iris, "lda", scheme)
        assert permutation_p(results, "lda", "accuracy") == 0.002
    for truth in ([0], [0, 1], [0, 0, 1]):
        for row_groups in (None, np.zeros(len(truth), dtype=int)):
            said = report.baseline_finding(judged(truth, truth, row_groups=row_groups), "LDA")
            assert "not known" not in said and "nan" not in said


def test_the_scores_say_what_a_p_value_over_folds_is_worth():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((60, 3)), np.arange(60) % 3
    for scheme, says in (("5-fold", True), ("holdout", False)):
        shown = lincore.compare(noise, "lda", scheme).scores()
        assert "by permutation" in shown.scope()
        assert any("p by permutation is corrected" in note for note in shown.notes()) is says
    found = lincore.compare(lincore.sample("iris"), "lda", "5-fold").scores()
    assert "permutation" not in found.scope() + " ".join(found.notes())
