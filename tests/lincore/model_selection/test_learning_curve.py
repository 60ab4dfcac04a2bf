"""Learning curves and disagreements: nested parts, the same test rows, and who is right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import DataError, metrics, plots, report
from lincore.data import Dataset, Split
from lincore.metrics import available_scores, baseline_scores, find_disagreements, rank_methods
from lincore.model_selection import Steps, compare, learning_curve


def splits(data, n=3):
    return [lincore.split(data, seed=seed) for seed in range(n)]


def test_the_last_size_is_the_comparison_on_all_training_rows():
    wine = lincore.sample("wine")
    curve = learning_curve(wine, ["lda", "logistic"], splits(wine), sizes=[30, 1000])
    lines = curve.score_table()
    assert lines["training rows"].unique().tolist() == [30, len(splits(wine)[0].train)]
    assert ((lines["low"] <= lines["value"]) & (lines["value"] <= lines["high"])).all()
    for method, of_method in lines.groupby("method"):
        whole = [
            metrics.score(compare(wine, method, s), method, "accuracy").value for s in splits(wine)
        ]
        assert_allclose(of_method["value"].iloc[-1], np.mean(whole))


def test_of_one_split_the_interval_is_that_of_the_rows():
    iris = lincore.sample("iris")
    split = lincore.split(iris)
    curve = learning_curve(iris, ["lda", "qda"], [split])
    assert len(curve.results) == 7 and curve.test_ratio == 0
    whole = compare(iris, ["lda", "qda"], split)
    for name in ("accuracy", "log loss"):
        for method, lines in curve.score_table(name).groupby("method"):
            found = lines[["value", "low", "high"]].iloc[-1]
            assert_allclose(found, metrics.score(whole, method, name))
    with pytest.raises(KeyError, match="speed"):
        curve.score_table("speed")


def test_parts_are_nested_and_keep_the_shares():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [200, 80, 20])
    names = np.array(["a", "b", "c"])
    data = Dataset("three", rng.normal(size=(300, 2)), codes, names, ("x", "y"))
    split = Split(np.arange(0, 300, 2), np.arange(1, 300, 2))
    curve = learning_curve(data, "lda", [split], sizes=[15, 30, 60])
    for size, results in curve.results.items():
        assert_allclose(
            results.settings.training_shares, np.array([100, 40, 10]) / 150, atol=1.5 / size
        )
        assert_array_equal(results.rows, split.test)


def test_a_method_that_fails_on_few_rows_is_missing_there_only():
    wine = lincore.sample("wine")
    methods = {"few": "lda", "many": _Demanding(40)}
    curve = learning_curve(wine, methods, splits(wine, 2), sizes=[20, 60])
    assert "wants 40 rows" in curve.results[20].settings.failed["many"]
    assert curve.score_table()["value"].isna().tolist() == [False, False, True, False]
    assert {trace.name for trace in curve.scores().plot().data} == {None, "few", "many"}
    nowhere = replace(curve, results={20: curve.results[20]})
    assert {trace.name for trace in nowhere.scores().plot().data} == {None, "few"}
    assert "many" in nowhere.scores().notes()[1]
    with pytest.raises(DataError, match="wants"):
        learning_curve(wine, {"many": _Demanding(40)}, splits(wine, 2), sizes=[20])


def test_a_stop_leaves_the_sizes_that_are_finished():
    wine, kept = lincore.sample("wine"), []

    def progress(done, total, what):
        return not what.startswith("60")

    curve = learning_curve(
        wine, "lda", splits(wine), sizes=[20, 60, 90], progress=progress, keep=kept.append
    )
    assert list(curve.results) == [20] and list(kept[-1].results) == [20]


def test_disagreements_are_all_of_them_once():
    iris = lincore.sample("iris")
    results = compare(iris, ["lda", "naive-bayes"], "3x5-fold", steps=Steps(n_components=1))
    found = find_disagreements(results, "lda", "naive-bayes")
    first = results.repetition == 0
    differ = first & (results.predicted[0] != results.predicted[1])
    assert 0 < differ.sum() == len(found.rows) == len(set(found.rows.tolist()))
    assert set(found.rows) == set(results.rows[differ]) and found.n_rows == 150
    assert_array_equal(found.truth, iris.codes[found.rows])
    kinds = np.stack([found.only_first, found.only_second, found.neither])
    assert_array_equal(kinds.sum(axis=0), 1)
    right = results.predicted[:, first] == results.truth[first]
    assert kinds[0].sum() - kinds[1].sum() == right[0].sum() - right[1].sum()
    wrong = np.where(found.predicted != found.truth, found.proba, 0).max(axis=0)
    assert (np.diff(wrong) <= 0).all()
    alone = found.where(found.only_first)
    assert alone.only_first.all() and len(alone.rows) == kinds[0].sum()


def test_the_order_by_a_score_is_found_once():
    wine = lincore.sample("wine")
    results = compare(wine, ["least-squares", "naive-bayes", "lda", "fisher"])
    order = rank_methods(results, "log loss")
    loss = [metrics.score(order, m, "log loss").value for m in order.methods]
    assert loss[0] <= loss[1] and np.isnan(loss[2:]).all()
    assert order is rank_methods(results, "log loss") and available_scores(
        order.select("fisher")
    ) == (
        "accuracy",
        "balanced accuracy",
        "macro F1",
        "MCC",
        "AUC",
    )
    assert baseline_scores(results, "log loss").keys() == {"Prior only"}
    assert set(baseline_scores(results)) == {"Majority class", "Chance"}
    assert baseline_scores(results, "MCC") == {"Majority class": 0.0}


def test_methods_without_posteriors_disagree_too():
    iris = lincore.sample("iris")
    results = compare(iris, ["least-squares", "perceptron"])
    found = find_disagreements(results, "least-squares", "perceptron")
    assert np.isnan(found.proba).any() and found.n_rows == 45
    same = find_disagreements(results, "perceptron", "perceptron")
    assert not len(same.rows) and not len(same.where(same.neither).rows)
    with pytest.raises(KeyError, match="There is no method"):
        find_disagreements(results, "lda", "perceptron")


class _Demanding(lincore.LinearDiscriminantAnalysis):
    """LDA that wants so many rows."""

    def __init__(self, least=0):
        super().__init__()
        self.least = least

    def fit(self, X, y, sample_weight=None):
        if len(X) < self.least:
            raise ValueError(f"it wants {self.least} rows")
        return super().fit(X, y)

    @property
    def fit_moments(self):
        raise AttributeError("it looks at the rows")


def test_sentences_and_axes_name_images():
    data = lincore.sample("digits")
    curve = learning_curve(data, "lda", splits(data, 4), sizes=[60, 120, 240, 480])
    last = curve.results[max(curve.results)]
    assert last.settings.rows == "images"
    n_tested = len(np.unique(last.rows))
    assert curve.scores().plot().layout.xaxis.title.text == "training images"
    more = curve.extrapolated(method="lda", loss="error")
    assert " of all images, extrapolated" in more.finding()
    assert not any("rows" in str(name) for name in more.table())
    first = replace(last, predicted=np.zeros_like(last.predicted))
    said = report.never_predicted_finding(first, ["lda"])
    assert said and all(f"{n_tested:,} images" in one for one in said)
    figure = plots.confusion(last, "lda")
    assert " images; shade" in figure.layout.meta["subtitle"]
