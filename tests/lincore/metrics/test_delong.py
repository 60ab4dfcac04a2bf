"""DeLong's interval of the AUC, against its definition over all pairs of rows."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import lincore
from lincore import metrics, report


def over_all_pairs(values, positive):
    """DeLong (1988), eqs. 4 to 6, pair by pair."""
    yes, no = values[positive], values[~positive]
    kernel = [[1.0 if a > b else 0.5 if a == b else 0.0 for b in no] for a in yes]
    by_yes, by_no = np.mean(kernel, axis=1), np.mean(kernel, axis=0)
    variance = np.var(by_yes, ddof=1) / len(yes) + np.var(by_no, ddof=1) / len(no)
    half = stats.norm.ppf(0.975) * np.sqrt(variance)
    return np.mean(kernel), max(np.mean(kernel) - half, 0), min(np.mean(kernel) + half, 1)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_positive", [2, 9, 60])
def test_it_is_what_all_pairs_say(ties, n_positive):
    rng = np.random.default_rng(n_positive)
    positive = rng.permutation(80) < n_positive
    values = rng.normal(positive * 0.9)
    values = np.round(values) if ties else values
    found = metrics.delong_interval(values, positive)
    np.testing.assert_allclose(found, over_all_pairs(values, positive), rtol=1e-12)
    scaled = metrics.delong_interval(np.exp(3 * values), positive)  # ranks alone count
    np.testing.assert_allclose(scaled, found, rtol=1e-12)


def test_what_has_no_interval_is_refused():
    for scores, positive in (
        ([0.1, 0.2, 0.3], [True, False, False]),
        ([0.1, np.nan, 0.3, 0.4], [True, True, False, False]),
        ([[0.1, 0.2]], [True, False]),
    ):
        with pytest.raises(ValueError):
            metrics.delong_interval(scores, positive)


def test_scores_have_it_where_it_is_asked_for_and_say_so():
    results = lincore.compare(lincore.sample("passengers"), ["lda", "logistic"])
    asked = replace(results, settings=replace(results.settings, auc_interval="DeLong"))
    margin = results.log_proba[0][:, 1] - results.log_proba[0][:, 0]
    expected = over_all_pairs(margin, results.truth == 1)
    np.testing.assert_allclose(metrics.score(asked, "lda", "AUC"), expected, rtol=1e-12)
    assert metrics.score(results, "lda", "AUC").low != pytest.approx(expected[1], abs=1e-6)
    assert report.interval_method(asked, "AUC") == "95 % intervals: DeLong."
    said = report.interval_method(results, "AUC")
    assert said.startswith("95 % intervals: DeLong, with two rows added.")
    three = lincore.compare(lincore.sample("iris"), "lda")
    same = replace(three, settings=replace(three.settings, auc_interval="DeLong"))
    assert "two rows added" in report.interval_method(same, "AUC")
    assert metrics.score(same, "lda", "AUC") == metrics.score(three, "lda", "AUC")


def test_a_comparison_by_auc_says_which_interval_is_shown_and_gives_delongs_of_each_model():
    results = lincore.compare(lincore.sample("passengers"), ["lda", "perceptron"])
    said = report.interval_method(results, "AUC")
    ranking = {"lda": results.log_proba[0], "perceptron": results.decision["perceptron"]}
    for method, label in (("lda", "LDA"), ("perceptron", "Perceptron")):
        margin = np.diff(ranking[method]).ravel()
        value, low, high = over_all_pairs(margin, results.truth == 1)
        assert f"{label} {value:.3f} ({low:.3f} to {high:.3f})" in said
    assert said.startswith("95 % intervals: DeLong, with two rows added. ") and "pROC" in said
    many_folds = lincore.compare(lincore.sample("passengers"), ["lda", "logistic"], "5-fold")
    for other in (
        report.interval_method(results, "accuracy"),
        report.interval_method(many_folds, "AUC"),
    ):
        assert "pROC" not in other
