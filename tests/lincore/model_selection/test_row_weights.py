"""Weights in fits, scores and studies: laws, and scikit-learn as referee."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as referee
from sklearn.exceptions import FitFailedWarning
from sklearn.neighbors import KNeighborsClassifier
from statsmodels.stats.proportion import proportion_confint

import lincore
from lincore import Steps, metrics, report
from lincore.data import Split, with_row_weights
from lincore.metrics import SCORES
from lincore.model_selection import as_method

METHODS = (
    "lda", "diagonal-lda", "qda", "naive-bayes", "fisher", "least-squares", "perceptron",
    "logistic", "logistic(C=inf, solver=newton)", "one-vs-rest", "one-vs-one",
)  # fmt: skip


def three_classes(n=240, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1, 2], [n // 2, n // 3, n - n // 2 - n // 3])
    X = rng.normal(size=(n, 3)) + np.eye(3)[codes] * 1.2
    return X, np.array(["a", "b", "c"])[codes]


FEW = ("lda", "qda", "naive-bayes", "fisher", "logistic", "one-vs-rest")


def fits(data, scheme, methods=METHODS, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lincore.compare(data, methods, scheme, **given)


def assert_alike(one, other, tolerance=1e-10):
    assert one.methods == other.methods
    np.testing.assert_array_equal(one.predicted, other.predicted)
    finite = np.maximum(one.log_proba, -50), np.maximum(other.log_proba, -50)
    assert_allclose(*finite, atol=tolerance, rtol=tolerance)
    tables = (lincore.metrics.score_table(results) for results in (one, other))
    ends = ["value", "low", "high"]
    assert_allclose(*(table[ends].to_numpy() for table in tables), rtol=1e-8, atol=1e-10)


def test_weights_of_one_are_no_weights():
    plain = lincore.load(three_classes())
    weighted = with_row_weights(plain, weights=np.full(plain.n_rows, 3.0))
    assert_alike(*(fits(d, "4-fold", FEW) for d in (weighted, plain)))


def test_only_the_ratios_of_weights_matter():
    plain = lincore.load(three_classes())
    weights = np.random.default_rng(5).gamma(2.0, size=plain.n_rows)
    one, other = (with_row_weights(plain, weights=w) for w in (weights, 1e6 * weights))
    assert_alike(*(fits(d, "holdout") for d in (one, other)))


def test_whole_weights_fit_as_repeated_rows():
    X, y = three_classes()
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = lincore.load((X, y), weights=weights)
    plain = lincore.load((np.repeat(X, weights, axis=0), np.repeat(y, weights)))
    methods = ("lda", "qda", "naive-bayes", "least-squares", "fisher", "logistic(C=inf)")
    grid = np.random.default_rng(2).normal(size=(50, 3))
    one, other = (fits(d, "5-fold", methods, keep_models=True) for d in (weighted, plain))
    for name in methods:
        found, expected = (r.model(as_method(name).name) for r in (one, other))
        assert (found.predict(grid) == expected.predict(grid)).all()
        if name not in ("least-squares", "fisher"):
            proba = found.predict_proba(grid), expected.predict_proba(grid)
            assert_allclose(*proba, atol=1e-6 if "logistic" in name else 1e-10)


def test_folds_by_one_pass_are_those_of_each_fold():
    data = lincore.load(three_classes(), weights=np.random.default_rng(3).gamma(2.0, size=240))
    together = fits(data, "4-fold", ("lda", "qda"))
    plan = [
        (np.setdiff1d(np.arange(240), together.rows[together.fold == i]),
         together.rows[together.fold == i])
        for i in range(4)
    ]  # fmt: skip
    apart = [fits(data, [parts], ("lda", "qda")) for parts in plan]
    found = np.concatenate([one.log_proba for one in apart], axis=1)
    assert_allclose(np.exp(found), np.exp(together.log_proba), atol=1e-10)


def test_weighted_scores_are_those_of_scikit_learn():
    data = lincore.load(three_classes(600), weights=np.random.default_rng(4).gamma(1.0, size=600))
    results = fits(data, "holdout", ("lda",), steps=Steps(n_components=1))
    weights, truth = data.weights[results.rows], results.truth
    predicted, proba = results.predicted[0], np.exp(results.log_proba[0])
    given = {"sample_weight": weights}
    areas = [
        referee.roc_auc_score(truth == k, proba[:, k], sample_weight=weights) for k in range(3)
    ]
    expected = {
        "accuracy": referee.accuracy_score(truth, predicted, **given),
        "balanced accuracy": referee.balanced_accuracy_score(truth, predicted, **given),
        "macro F1": referee.f1_score(truth, predicted, average="macro", **given),
        "MCC": referee.matthews_corrcoef(truth, predicted, **given),
        "log loss": referee.log_loss(truth, proba, **given),
        "Brier": np.average(((proba - np.eye(3)[truth]) ** 2).sum(axis=1), weights=weights),
        "AUC": np.mean(areas),
    }
    for name in SCORES:
        found = metrics.score(results, "lda", name)
        assert_allclose(found.value, expected[name], rtol=1e-10, err_msg=name)
        assert found.low < found.value < found.high
    matrix = referee.confusion_matrix(truth, predicted, sample_weight=weights / weights.mean())
    assert_allclose(metrics.confusion_matrix(results, "lda"), matrix)
    for k, (roc, curve) in enumerate(
        zip(metrics.roc_curve(results, "lda"), metrics.precision_recall_curve(results, "lda"),
            strict=True)
    ):  # fmt: skip
        assert_allclose(roc.area, areas[k])
        average = referee.average_precision_score(truth == k, proba[:, k], sample_weight=weights)
        assert_allclose(curve.average, average)
    recalls = referee.recall_score(truth, predicted, average=None, **given)
    assert_allclose([one.value for one in metrics.recall(results, "lda")], recalls)


def test_unequal_weights_widen_intervals_as_fewer_rows_do():
    X = np.r_[np.full(200, 0.0), np.full(200, 9.0)][:, None] + np.random.default_rng(0).normal(
        size=(400, 1)
    )
    weights = np.where(np.arange(400) % 4 == 0, 9.0, 1.0)
    data = lincore.load((X, np.repeat(["a", "b"], 200)), weights=weights)
    results = fits(data, "holdout", ("lda",))
    tested = data.weights[results.rows]
    n_effective = tested.sum() ** 2 / (tested**2).sum()
    found = metrics.score(results, "lda", "accuracy")
    assert found.value == 1 and n_effective < len(tested) / 2
    assert_allclose(found.low, proportion_confint(n_effective, n_effective, method="wilson")[0])
    assert f"to {n_effective:,.1f} of equal weight" in report.weighting(results)


def test_weights_that_say_nothing_of_errors_act_as_kish_says():
    """The variance with them is that of so many fewer rows, within a fifth."""
    X, y = three_classes(3000, seed=3)
    plain = lincore.load((X, y))
    weights = np.random.default_rng(1).choice([1.0, 6.0], plain.n_rows)
    one, other = (
        fits(d, "5-fold", ("lda",)) for d in (plain, with_row_weights(plain, weights=weights))
    )
    ratio = weights.mean() ** 2 / (weights**2).mean()
    for name in SCORES:
        widths = [f.high - f.low for f in (metrics.score(r, "lda", name) for r in (one, other))]
        assert_allclose((widths[0] / widths[1]) ** 2, ratio, rtol=0.25, err_msg=name)


def test_differences_of_weighted_results_use_the_weights():
    data = lincore.load(three_classes(), weights=np.random.default_rng(4).gamma(1.0, size=240))
    results = fits(data, "holdout", ("lda", "naive-bayes", "qda"))
    found = metrics.pairwise_differences(results, "accuracy")[0]
    values = [metrics.score(results, m, "accuracy").value for m in results.methods]
    assert_allclose(found.value, values[0] - values[1])
    assert found.test == "Bonett-Price" and found.low < found.value < found.high
    with pytest.raises(ValueError, match="Cochran"):
        metrics.cochran_test(results)


def test_what_takes_no_weights_is_left_out_in_one_line():
    data = lincore.load(three_classes(), weights=np.random.default_rng(4).gamma(1.0, size=240))
    with pytest.warns(FitFailedWarning, match="KNeighborsClassifier does not support weights"):
        results = lincore.compare(data, ["lda", KNeighborsClassifier()], "holdout")
    assert results.methods == ("lda",)
    (note,) = [one for one in results.scores().notes() if "left out" in one]
    assert "does not support weights" in note


def test_the_cost_of_an_imbalance_uses_the_weights():
    X, y = three_classes()
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    plain = lincore.load((X, y))
    split = lincore.split(plain, test_size=0.4)
    given = {"methods": ("lda", "logistic"), "repeats": 2, "split": split}
    ones, none = (
        lincore.imbalance_cost(d, **given)
        for d in (with_row_weights(plain, weights=np.full(240, 2.0)), plain)
    )
    assert_allclose(ones.losses, none.losses, atol=1e-10)
    one, other = (
        lincore.imbalance_cost(with_row_weights(plain, weights=w), **given)
        for w in (weights, 1e3 * weights)
    )
    assert_allclose(one.losses, other.losses, atol=1e-10)
    # Whole weights are repeated rows to what draws none and does not know the number of rows.
    written = lincore.load((np.repeat(X, weights, axis=0), np.repeat(y, weights)))
    line = np.repeat(np.arange(240), weights)
    parts = Split(*(np.flatnonzero(np.isin(line, part)) for part in split))
    rows = lincore.imbalance_cost(written, **{**given, "methods": "lda", "split": parts})
    for name in ("uncorrected", "corrected priors", "both"):
        for loss in one.loss_names:
            ours, theirs = (found.loss("lda", name, loss) for found in (one, rows))
            assert_allclose(ours, theirs, atol=1e-10)
    random = lincore.imbalance_cost(with_row_weights(plain, weights=weights), "lda", repeats=6)
    found = random.attribution("lda").prior_shift
    assert found.low < found.value < found.high
    assert "Rows are weighted" in random.curve().scope()
    assert "weights" not in none.curve().scope()
