"""Operating points against scikit-learn, counts by hand, and simulated populations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    make_scorer,
    matthews_corrcoef,
)
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

import lincore
from benchmarks.coverage_of_expected_cost import coverage, coverage_of_three
from lincore import Results, metrics
from lincore.data import Split
from lincore.metrics import OperatingPoint, Settings

MISS = 7.0


def paid(truth, predicted):
    return np.where(truth == predicted, 0.0, np.where(truth == 1, MISS, 1.0)).mean()


SCORERS = {
    "balanced accuracy": make_scorer(balanced_accuracy_score),
    "F1": make_scorer(f1_score, zero_division=0),
    "MCC": make_scorer(matthews_corrcoef),
    "accuracy": make_scorer(accuracy_score),
    "expected cost": make_scorer(paid, greater_is_better=False),
}


class Pipe(ClassifierMixin, BaseEstimator):
    """A pipeline of the library for codes, as scikit-learn's meta-estimators want it."""

    def __init__(self, data):
        self.data = data

    def fit(self, X, y):
        rows = X[:, 0].astype(int)
        steps = lincore.fit(self.data, "lda", Split(rows, rows)).pipeline
        self.pipeline_, self.classes_ = steps, np.unique(y)
        return self

    def predict_proba(self, X):
        return self.pipeline_.predict_proba(self.data.X[X[:, 0].astype(int)])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.fixture(scope="module")
def model():
    return lincore.fit(lincore.sample("passengers").take(slice(0, 400)), "lda")


@pytest.mark.parametrize("score", SCORERS)
def test_the_tuned_threshold_is_that_of_scikit_learn(model, score):
    inner = model.held_out()
    found = metrics.tune_threshold(inner, "LDA", 1, score, MISS)
    rows, y = model.split.train, model.data.codes[model.split.train]
    folds = [(inner.rows[inner.fold != k], inner.rows[inner.fold == k]) for k in range(5)]
    tuned = TunedThresholdClassifierCV(
        Pipe(model.data), scoring=SCORERS[score], cv=folds, thresholds=found.thresholds
    ).fit(rows[:, None], y)
    assert found.threshold == tuned.best_threshold_
    sign = -1 if score == "expected cost" else 1
    assert found.value == pytest.approx(sign * tuned.best_score_, abs=1e-12)


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.37, 0.9, 1.0])
@pytest.mark.parametrize("code", [0, 1])
def test_decisions_are_those_of_a_fixed_threshold(model, threshold, code):
    rows = model.split.train[:, None]
    fixed = FixedThresholdClassifier(Pipe(model.data), threshold=threshold, pos_label=code)
    fixed.fit(rows, model.data.codes[model.split.train])
    found = model.at(threshold, code).results
    assert (found.predicted[0] == fixed.predict(model.split.test[:, None])).all()
    assert found.log_proba is not None and model.results.predicted.shape == found.predicted.shape


def test_a_threshold_is_the_least_expected_cost(model):
    for miss in (0.25, 1.0, 6.0):
        costs = tuple(map(tuple, metrics.cost_table(1, miss)))
        of_costs = OperatingPoint(costs=costs).decide(model.results.log_proba[0])
        same = OperatingPoint(1 / (1 + miss), 1)
        assert (of_costs == same.decide(model.results.log_proba[0])).all()


@pytest.mark.parametrize("code", [0, 1])
def test_a_point_of_a_curve_has_a_threshold_that_decides_as_it_does(model, code):
    display = model.operating_point(of_class=code)
    curve = metrics.roc_curve(model.results, model.name)[code]
    for place in (0, 7, 40, len(curve.thresholds) - 1):
        decided = model.at(display.threshold_of("roc", place), code).results
        hits = (decided.predicted[0] == code)[decided.truth == code].mean()
        alarms = (decided.predicted[0] == code)[decided.truth != code].mean()
        assert (hits, alarms) == pytest.approx(
            (curve.recall[place], curve.false_positive_rate[place])
        )
        if place:  # the other curve begins with the first row
            threshold = display.threshold_of("precision_recall", place - 1)
            assert threshold == display.threshold_of("roc", place)


def two_classes(proba, truth, **more):
    proba, truth = np.asarray(proba, dtype=float), np.asarray(truth)
    return Results(
        ("LDA",), np.array(["no", "yes"]), np.arange(len(truth)), truth,
        (proba > 0.5).astype(int)[None], np.log(np.column_stack([1 - proba, proba]))[None],
        np.zeros(1), **more,
    )  # fmt: skip


@pytest.fixture
def some():
    rng = np.random.default_rng(0)
    proba = np.round(rng.beta(0.7, 1.5, 300), 2).clip(0.005, 0.995)
    return proba, (rng.uniform(size=300) < proba).astype(int), rng.uniform(0.2, 3, 300)


@pytest.mark.parametrize("score", ["balanced accuracy", "F1", "expected cost"])
def test_weights_count_in_every_fold(some, score):
    proba, truth, weight = some
    fold = np.arange(300) % 4
    results = two_classes(proba, truth, fold=fold, settings=Settings(row_weights=weight))
    found = metrics.tune_threshold(results, "LDA", 1, score, MISS)
    for at in range(0, len(found.thresholds), 7):
        values = []
        for k in range(4):
            y, w = truth[fold == k], weight[fold == k]
            z = (np.exp(results.log_proba[0, fold == k, 1]) >= found.thresholds[at]).astype(int)
            values.append(
                balanced_accuracy_score(y, z, sample_weight=w)
                if score == "balanced accuracy"
                else f1_score(y, z, sample_weight=w, zero_division=0)
                if score == "F1"
                else np.average(np.where(y == z, 0.0, np.where(y == 1, MISS, 1.0)), weights=w)
            )
        assert found.values[at] == pytest.approx(np.mean(values), abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_gains_are_counted_from_the_top(some, weighted):
    proba, truth, weight = some
    weight = weight if weighted else np.ones(300)
    results = two_classes(
        proba, truth, settings=Settings(row_weights=weight) if weighted else Settings()
    )
    found = metrics.cumulative_gains(results, "LDA", 1)
    said = np.exp(results.log_proba[0, :, 1])
    for at, threshold in enumerate(found.thresholds):
        taken = said >= threshold * (1 - 1e-12)
        assert found.depth[at] == pytest.approx(weight[taken].sum() / weight.sum())
        gain = weight[taken & (truth == 1)].sum() / weight[truth == 1].sum()
        assert found.gain[at] == pytest.approx(gain)
        if at:
            precision = weight[taken & (truth == 1)].sum() / weight[taken].sum()
            assert found.lift[at] == pytest.approx(precision / found.share)
    assert_allclose([found.depth[0], found.depth[-1], found.gain[-1], found.lift[-1]], [0, 1, 1, 1])


def test_the_cost_is_a_mean_and_copies_in_groups_are_no_more_certain(some):
    proba, truth, weight = some
    costs = metrics.cost_table(1, MISS)
    single = metrics.expected_cost(two_classes(proba, truth), "LDA", costs)
    assert single.value == pytest.approx(paid(truth, (proba > 0.5).astype(int)))
    settings = Settings(row_groups=np.repeat(np.arange(300), 5))
    copied = two_classes(np.repeat(proba, 5), np.repeat(truth, 5), settings=settings)
    assert metrics.expected_cost(copied, "LDA", costs) == pytest.approx(single, rel=0.01)
    weights = two_classes(proba, truth, settings=Settings(row_weights=weight))
    found = metrics.expected_cost(weights, "LDA", costs)
    errors = np.where(truth == (proba > 0.5), 0.0, np.where(truth == 1, MISS, 1.0))
    assert found.value == pytest.approx(np.average(errors, weights=weight))
    few = metrics.expected_cost(
        two_classes(proba[:30], (np.arange(30) < 5).astype(int)), "LDA", costs
    )
    assert np.isfinite(few.value) and np.isnan(few.low)


def test_what_is_not_possible_is_refused(some, model):
    proba, truth, _ = some
    results = two_classes(proba, truth, fold=np.arange(300) % 5)
    with pytest.raises(ValueError, match="one test set"):
        metrics.expected_cost(results, "LDA", [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="shape"):
        metrics.expected_cost(two_classes(proba, truth), "LDA", [0, 1])
    with pytest.raises(ValueError, match="no score"):
        metrics.tune_threshold(results, "LDA", 1, "AUC")
    with pytest.raises(lincore.DataError, match="from 0 to 1"):
        model.at(1.5)
    with pytest.raises(lincore.DataError, match="two classes, and there are more"):
        lincore.fit(lincore.sample("iris"), "lda").at(0.3)
    with pytest.raises(lincore.DataError, match="no posteriors"):
        lincore.fit(model.data, "least-squares").at(0.3)
    for costs in ([[0, 1]], [[0, -1], [1, 0]], [[0, np.inf], [1, 0]], [[0, np.nan], [1, 0]]):
        with pytest.raises(lincore.DataError, match="nonnegative numbers"):
            model.at(costs=costs)


def test_three_classes_are_decided_at_least_expected_cost():
    model = lincore.fit(lincore.sample("gaussian"), "qda")
    costs = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [9.0, 0.5, 0.0]])
    decided = model.at(costs=costs).results
    proba = np.exp(decided.log_proba[0])
    assert (decided.predicted[0] == (proba @ costs).argmin(axis=1)).all()
    assert (decided.predicted != model.results.predicted).any()
    cost = metrics.expected_cost(decided, "QDA", costs)
    errors = costs[decided.truth, decided.predicted[0]]
    assert cost.value == pytest.approx(errors.mean()) and cost.low < cost.value < cost.high


def test_the_interval_of_a_cost_holds_the_truth():
    for design, ratio in (("calibrated", 4.0), ("rare", 20.0)):
        held, bias = coverage(design, ratio, 300, 200)
        assert held >= 0.92 and abs(bias) < 0.03
    assert coverage_of_three(100, 200) >= 0.93
    held, bias = coverage("rare", 20.0, 300, 200, chosen_here=True)
    assert bias < -0.1, "chosen on the same rows it looks cheaper than it is"
