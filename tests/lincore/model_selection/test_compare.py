"""Comparisons: the same splits for all, nothing leaks, and one pass equals a fit for each fold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression as ScikitLogistic
from sklearn.model_selection import FixedThresholdClassifier, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import lincore
from lincore import metrics
from lincore.data import Dataset, Split
from lincore.model_selection import (
    Steps,
    Task,
    TrainingSample,
    as_method,
    compare,
    pipeline_for,
    plan_folds,
    run,
)

SOLVED = [
    "lda",
    "lda(shrinkage=oas, priors=equal)",
    "diagonal-lda",
    "qda",
    "naive-bayes",
    "fisher",
    "least-squares(alpha=0.5)",
]


def dataset(X, codes, **more):
    codes = np.asarray(codes, dtype=np.intp)
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return Dataset("made", X, codes, np.arange(codes.max() + 1), names, **more)


def clouds(counts=(60, 40, 25), p=6, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    means, mix = rng.standard_normal((len(counts), p)), rng.standard_normal((p, p))
    return dataset(means[codes] + rng.standard_normal((len(codes), p)) @ mix + offset, codes)


def from_rows(data, spec, plan, steps):
    """Fit every fold from its rows, with scikit-learn's own loop over the steps."""
    predicted, log_proba = [], []
    for fold in plan:
        model = as_method(spec).fresh(data.n_classes)
        pipeline = pipeline_for(data, model, steps)
        pipeline.fit(data.X[fold.train], data.codes[fold.train])
        predicted.append(pipeline.predict(data.X[fold.test]))
        if hasattr(model, "predict_log_proba"):
            log_proba.append(pipeline.predict_log_proba(data.X[fold.test]))
    return np.concatenate(predicted), np.concatenate(log_proba) if log_proba else None


@pytest.mark.parametrize(
    ("scheme", "steps", "counts"),
    [
        ("7-fold", Steps(n_components=3), (30, 20, 15)),
        ("2x3-fold", Steps(False, whiten=True), (30, 20, 15)),
        ("leave-one-out", Steps(), (9, 7, 6)),
        ("holdout", Steps(), (30, 20, 15)),
    ],
)
def test_one_pass_equals_a_fit_from_the_rows_of_each_fold(scheme, steps, counts):
    data = clouds(counts, p=4, offset=1e4)
    results, plan = compare(data, SOLVED, scheme, steps=steps), plan_folds(data, scheme)
    assert results.methods == tuple(SOLVED)
    assert_array_equal(results.rows, np.concatenate([fold.test for fold in plan]))
    assert_array_equal(
        results.n_train, np.repeat([len(f.train) for f in plan], [len(f.test) for f in plan])
    )
    for j, spec in enumerate(SOLVED):
        predicted, log_proba = from_rows(data, spec, plan, steps)
        assert_array_equal(results.predicted[j], predicted)
        if log_proba is None:
            assert np.isnan(results.log_proba[j]).all()
        else:
            assert_allclose(results.log_proba[j], log_proba, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("few", [0, 10**9])
def test_merging_class_by_class_is_the_same(few, monkeypatch):
    data = clouds((40, 30, 2), p=5)
    expected = compare(data, SOLVED[:3], "6-fold")
    monkeypatch.setattr("lincore.model_selection.fold_moments.FEW_VALUES", few)
    found = compare(data, SOLVED[:3], "6-fold")
    assert_allclose(found.log_proba, expected.log_proba, rtol=1e-9)


def test_splits_that_leave_rows_out_altogether():
    data = clouds()
    splitter = ShuffleSplit(4, train_size=0.5, test_size=0.2, random_state=0)
    results = compare(data, ["lda", "qda"], splitter)
    predicted, _ = from_rows(data, "qda", plan_folds(data, splitter), Steps())
    assert_array_equal(results.predicted[1], predicted)


def test_more_features_than_rows_and_large_images():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 12)
    X = rng.integers(0, 256, (36, 90)).astype(np.uint8)
    data = dataset(X, codes, image_shape=(9, 10))
    for steps in (Steps(n_components=4), Steps(standardize=True)):
        results = compare(data, ["lda", "least-squares", "fisher"], "4-fold", steps=steps)
        for j, spec in enumerate(results.methods):
            predicted, _ = from_rows(data, spec, plan_folds(data, "4-fold"), steps.resolved(data))
            assert_array_equal(results.predicted[j], predicted)


# Plants: a feature that gives the target away if the named step is fitted on all rows.


def _variance_in_test_rows(y, trained, rng):
    """Let the label's own direction vary most only if test rows count."""
    label = 2.0 * y - 1
    return np.column_stack([rng.standard_normal(len(y)), label * np.where(trained, 0.3, 5.0)])


def _units_of_test_rows(y, trained, rng):
    """Let two features that share a component lose it only if the units are the test rows'."""
    shared = rng.standard_normal(len(y)) * np.where(trained, 1, 1e3)
    noise = 0.1 * rng.standard_normal((2, len(y)))
    return np.column_stack([shared + noise[0], shared + noise[1], 2.0 * y - 1])


def _median_of_test_rows(y, trained, rng):
    """Fill the gaps of class 1 with a value of its own only if test rows count."""
    noise, value = rng.standard_normal(len(y)), np.where(y == 1, 2.0, 0.0)
    value[trained & (y == 1)] = np.nan
    # What varies in class 0 has mean zero and nothing to do with the noise: its weight is zero.
    up, down = np.flatnonzero(trained & (y == 0))[:20].reshape(2, 10)
    value[up], value[down], noise[up] = 1, -1, noise[down]
    return np.column_stack([noise, value])


PLANTED = [
    ("pca", _variance_in_test_rows, Steps(False, n_components=1)),
    ("standardize", _units_of_test_rows, Steps(True, n_components=1)),
    ("prepare", _median_of_test_rows, Steps(True)),
]


@pytest.mark.parametrize(("step", "plant", "steps"), PLANTED)
def test_a_planted_leak_would_show_and_does_not(step, plant, steps):
    rng, number = np.random.default_rng(1), np.arange(600)
    trained = number < 200
    # Three quarters of the tested rows are of class 1, so that the median over all rows is its.
    y = np.where(trained, number % 2, number % 4 > 0)
    data = dataset(plant(y, trained, rng), y)
    train, test = np.flatnonzero(trained), np.flatnonzero(~trained)
    methods = [*SOLVED, "logistic", "perceptron", RandomForestClassifier(20)]
    if step == "prepare":
        methods.remove("qda")  # what was filled in does not vary: a singular covariance
        methods.remove("perceptron")  # steps at single rows: its weight is not zero, but random
    results = compare(data, methods, Split(train, test), steps=steps)
    recalls = [[(row[results.truth == k] == k).mean() for k in (0, 1)] for row in results.predicted]
    assert len(results.methods) == len(methods)
    assert np.mean(recalls, axis=1).max() < 0.65
    # With this one step fitted on all rows the target is given away: the plant works.
    X = data.X
    for name, part in pipeline_for(data, None, steps).steps:
        X = part.fit(X if name == step else X[train]).transform(X)
    leaky = lincore.LinearDiscriminantAnalysis().fit(X[train], y[train])
    assert (leaky.predict(X[test]) == y[test]).mean() > 0.95


@pytest.mark.parametrize(
    ("scheme", "steps"),
    [("4-fold", Steps(n_components=2)), ("holdout", Steps(basis="radial(n_centers=5)"))],
)
def test_what_other_test_rows_hold_changes_no_prediction(scheme, steps):
    """Wild values, gaps and new levels in tested rows leave the predictions of the others."""
    data = clouds((30, 30, 30), p=4)
    X = np.column_stack([data.X, np.arange(90) % 3])
    X[::11, 1] = np.nan
    data = dataset(X, data.codes, levels=(None, None, None, None, ("a", "b", "c", "d")))
    methods = ["lda", "naive-bayes", "least-squares", "logistic", LinearSVC()]
    before = compare(data, methods, scheme, steps=steps)
    fold = plan_folds(data, scheme)[0]
    ruined, kept = X.copy(), fold.test[::2]
    wild = np.setdiff1d(fold.test, kept)
    ruined[wild] = [1e5, np.nan, -1e5, 1e5, 3]
    after = compare(replace(data, X=ruined), methods, Split(fold.train, fold.test), steps=steps)
    where = np.isin(before.rows, kept) & (before.fold == 0)
    same = np.isin(after.rows, kept)
    assert_array_equal(after.predicted[:, same], before.predicted[:, where])
    assert_allclose(after.log_proba[:, same], before.log_proba[:, where], rtol=1e-9)


def test_foreign_classifiers_decide_by_their_own_rule():
    data = clouds((80, 40), p=3)
    strict = FixedThresholdClassifier(ScikitLogistic(), threshold=0.9)
    results = compare(
        data, {"strict": strict, "svm": LinearSVC(), "dummy": DummyClassifier()}, "3-fold"
    )
    assert results.methods == ("strict", "svm", "dummy")
    expected = []
    for fold in plan_folds(data, "3-fold"):
        model = make_pipeline(lincore.Standardizer(), strict)
        model.fit(data.X[fold.train], data.codes[fold.train])
        expected.append(model.predict(data.X[fold.test]))
    assert_array_equal(results.predicted[0], np.concatenate(expected))
    assert (results.predicted[0] != results.log_proba[0].argmax(axis=1)).any()
    assert np.isnan(results.log_proba[1]).all()
    assert_allclose(np.exp(results.log_proba[2]).sum(axis=1), 1)


def test_a_class_that_a_fold_cannot_learn_is_never_predicted():
    data = clouds((40, 40, 1), p=3)
    results = compare(data, ["lda", "logistic", "least-squares"], "4-fold")
    (alone,) = np.flatnonzero(results.truth == 2)
    assert (results.predicted[:, alone] != 2).all()
    assert (results.log_proba[:2, alone, 2] == -np.inf).all()


def test_a_method_that_fails_is_left_out_and_named():
    data = clouds((60, 4), p=8)
    with pytest.warns(FitFailedWarning, match="qda is left out: The covariance of class 1"):
        results = compare(data, ["lda", "qda"], "4-fold")
    assert results.methods == ("lda",)
    assert "fold 1" in results.settings.failed["qda"]
    with pytest.raises(lincore.DataError, match="qda: The covariance of class 1"):
        compare(data, "qda", "4-fold")


@pytest.mark.parametrize(("exponent", "standardize"), [(-158, True), (155, False)])
def test_features_whose_squares_are_no_numbers_are_refused_by_name(exponent, standardize):
    data = clouds()
    X, steps = data.X.copy(), Steps(standardize=standardize)
    X[:, 2] *= 10.0**exponent
    wrong = replace(data, X=X)
    for method in ("least-squares", "diagonal-lda", "naive-bayes"):
        with pytest.raises(lincore.DataError, match="x2 has values .* their squares"):
            compare(wrong, method, "3-fold", steps=steps)
    with pytest.raises(lincore.DataError, match="x2 has values"):
        lincore.balance(wrong, {2: 5}, "lda", steps=steps, repeats=2)
    with pytest.raises(lincore.DataError, match="x2 has values"):
        lincore.sweep(wrong, [2], "lda", steps=steps, repeats=2)


@pytest.mark.parametrize(("exponent", "standardize"), [(-150, False), (150, True)])
def test_features_of_extreme_units_change_nothing(exponent, standardize):
    data, steps = clouds(), Steps(standardize=standardize)
    scaled = replace(data, X=data.X * 2.0 ** round(exponent / np.log10(2)))
    for method in ("lda", "qda", "diagonal-lda", "naive-bayes", "fisher", "least-squares"):
        one, other = (compare(one, method, "3-fold", steps=steps) for one in (data, scaled))
        assert_array_equal(one.predicted, other.predicted)
        assert_allclose(one.log_proba, other.log_proba, rtol=1e-9, atol=1e-9)


class _Foreign(ClassifierMixin, BaseEstimator):
    """An analyst's classifier that goes wrong in one way or another."""

    def __init__(self, fault="none"):
        self.fault = fault

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.fault == "fit":
            raise RuntimeError("no room")
        return self

    def predict(self, X):
        labels = {"nan": np.nan, "beyond": 99, "negative": -1}.get(self.fault, 0)
        return np.full(len(X) - (self.fault == "short"), labels)

    def predict_proba(self, X):
        share = 1 / len(self.classes_)
        return np.full((len(X), 1 if self.fault == "narrow" else len(self.classes_)), share)


@pytest.mark.parametrize("fault", ["fit", "nan", "beyond", "negative", "short", "narrow"])
def test_a_foreign_classifier_that_goes_wrong_is_left_out_and_named(fault):
    with pytest.warns(FitFailedWarning, match="theirs is left out"):
        results = compare(clouds(), {"theirs": _Foreign(fault), "lda": "lda"}, "3-fold")
    assert results.methods == ("lda",) and results.settings.failed["theirs"]
    assert results.scores().table()["model"].tolist() == ["lda"]


def test_progress_is_told_and_stops():
    data, told = clouds(), []
    methods = ["logistic", "lda", "perceptron", "qda"]
    full = compare(data, methods, "3-fold", progress=lambda *step: told.append(step))
    assert [done for done, _, _ in told] == list(range(1, 10))
    assert {total for _, total, _ in told} == {9}
    assert told[0][2] == "LDA, QDA: fold 1 of 3"
    assert not full.settings.stopped
    stopped = compare(data, methods, "3-fold", progress=lambda done, total, what: done < 6)
    assert stopped.settings.stopped
    assert stopped.methods == ("logistic", "lda", "qda")
    expected = full.select(*stopped.methods)
    assert_array_equal(stopped.predicted, expected.predicted)
    nothing = compare(data, methods, "3-fold", progress=lambda *step: False)
    assert nothing.methods == () and nothing.log_proba.shape == (0, 125, 3)


def test_settings_make_the_results_again():
    data = clouds()
    forest = RandomForestClassifier(5)
    results = compare(data, ["perceptron(max_epochs=3)", forest], "2x3-fold", seed=5)
    settings = results.settings
    assert settings.digest == data.digest and settings.scheme == "2x3-fold"
    assert settings.options["perceptron(max_epochs=3)"] == {"max_epochs": 3}
    assert settings.steps["perceptron(max_epochs=3)"]["standardize"] is True
    assert set(settings.versions) == {"lincore", "numpy", "scipy", "scikit-learn"}
    assert settings.notes["perceptron(max_epochs=3)"] == {"ConvergenceWarning": 6}
    again = compare(data, results.methods[:1], settings.scheme, seed=settings.seed)
    assert_array_equal(again.predicted[0], results.predicted[0])
    forests = [compare(data, forest, "2x3-fold", seed=5).predicted for _ in range(2)]
    assert_array_equal(forests[0], forests[1])
    assert_array_equal(forests[0][0], results.predicted[1])


def test_words_are_counted_or_projected():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 40)
    counts = rng.poisson(np.where(codes[:, None] == (np.arange(20) % 2), 2.0, 0.5))
    data = dataset(sp.csr_array(counts.astype(float)), codes, n_words=20)
    results = compare(data, ["multinomial-nb", "lda", "logistic", LinearSVC()], "4-fold")
    assert ((results.predicted == results.truth).mean(axis=1) > 0.9).all()
    assert results.settings.steps["lda"]["n_components"] == 19
    assert results.settings.steps["multinomial-nb"]["n_components"] is None


def outcome_of(data, spec, sample, steps=None):
    plan, steps = [Task(sample, np.arange(data.n_rows))], steps or Steps()
    *_, last = run(plan, [as_method(spec)], data, steps=steps, stacked=True)
    return last.outcomes[as_method(spec).name]


@pytest.mark.parametrize(
    ("spec", "steps"),
    [
        ("lda", Steps(n_components=3)),
        ("qda(shrinkage=0.1)", Steps()),
        ("logistic", Steps(basis="polynomial")),
        ("least-squares", Steps(n_components=3)),
    ],
)
def test_class_weights_stand_for_copies_of_rows(spec, steps):
    data = clouds((40, 30, 20), p=4)
    weight = np.array([1.0, 2.0, 3.0])
    copies = np.repeat(np.arange(90), weight[data.codes].astype(int))
    moments = lincore.Moments.from_groups(data.X, data.codes, 3)
    every = np.arange(90)
    samples = [(copies,), (every, weight), (every, weight, moments)]
    fitted = [outcome_of(data, spec, TrainingSample(*sample), steps).pipeline for sample in samples]
    expected = fitted[0].decision_function(data.X)
    for pipeline in fitted[1:]:
        assert_allclose(pipeline.decision_function(data.X), expected, rtol=1e-5, atol=1e-6)


def test_weights_where_features_outnumber_rows_and_where_rows_are_sparse():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 8)
    weight, copies = np.array([1.0, 3.0]), np.repeat(np.arange(16), np.where(codes == 1, 3, 1))
    dense = dataset(rng.standard_normal((16, 30)), codes)
    words = dataset(sp.csr_array(rng.poisson(1.0, (16, 30)).astype(float)), codes, n_words=30)
    for data, spec in ((dense, "lda"), (words, "lda"), (words, "multinomial-nb")):
        steps = Steps(n_components=4) if spec == "lda" else Steps(False)
        found, expected = (
            outcome_of(data, spec, TrainingSample(*sample), steps).predicted.log_proba
            for sample in ((np.arange(16), weight), (copies,))
        )
        assert_allclose(np.exp(found), np.exp(expected), rtol=1e-6, atol=1e-9)


def test_weights_that_a_classifier_cannot_take_are_refused():
    from sklearn.neighbors import KNeighborsClassifier

    data = clouds()
    failure = outcome_of(data, KNeighborsClassifier(), TrainingSample(np.arange(125), np.ones(3)))
    assert "KNeighborsClassifier does not support weights" in failure.reason


def test_baselines_guess_from_what_the_methods_were_trained_on():
    tested = np.arange(100) % 2 == 1
    codes = np.where(tested, (np.arange(100) % 10) > 3, (np.arange(100) % 10) < 8).astype(int)
    data = dataset(np.random.default_rng(0).standard_normal((100, 2)), codes, given_test=tested)
    results = compare(data, "lda", "given")
    share = codes[~tested].mean()
    assert_allclose(results.settings.training_shares, [1 - share, share])
    prior = metrics.baseline_results(results)
    assert_allclose(np.exp(prior.log_proba[1, 0]), [1 - share, share])
    # Folds of unequal size count by the predictions that they stand behind.
    parts = [(np.arange(20, 100), np.arange(20)), (np.arange(50), np.arange(50, 60))]
    shares = compare(data, "lda", parts).settings.training_shares
    of_folds = [np.bincount(codes[train], minlength=2) / len(train) for train, _ in parts]
    assert_allclose(shares, (20 * of_folds[0] + 10 * of_folds[1]) / 30)


def test_intervals_count_groups_where_rows_belong_together():
    base = clouds((40, 40), p=2)
    thrice = np.repeat(np.arange(80), 3)
    data = dataset(base.X[thrice], base.codes[thrice], groups=thrice)
    alone, together = (
        compare(replace(data, groups=groups), "lda", "leave-one-out") for groups in (None, thrice)
    )
    assert alone.settings.row_groups is None
    assert_array_equal(together.settings.row_groups, thrice[together.rows])
    # Every row stands there thrice: that is no evidence.
    width = [np.ptp(metrics.score(results, "lda", "accuracy")) for results in (alone, together)]
    assert 1.4 < width[1] / width[0] < 2.2
    assert_allclose(replace(together).settings.training_shares.sum(), 1)


def test_what_is_finished_can_be_looked_at_meanwhile():
    iris, seen = lincore.sample("iris"), []
    methods = ["lda", "logistic", "qda", "perceptron"]
    whole = compare(iris, methods, "3-fold", keep=seen.append)
    # What is solved comes together and first; the order stays that asked for.
    assert [found.methods for found in seen] == [
        ("lda", "qda"),
        ("lda", "logistic", "qda"),
        tuple(methods),
    ]
    for found in seen:
        assert found.settings.stopped
        assert_array_equal(found.predicted, whole.select(*found.methods).predicted)
    assert not whole.settings.stopped


def test_what_failed_is_not_among_what_is_finished():
    data, seen = lincore.sample("iris"), []
    methods = {"good": "lda", "bad": make_pipeline(FixedThresholdClassifier(ScikitLogistic()))}
    with pytest.warns(FitFailedWarning, match="bad is left out"):
        compare(data, methods, "3-fold", keep=seen.append)
    assert seen[-1].methods == ("good",)
    assert list(seen[-1].settings.failed) == ["bad"]


@pytest.mark.parametrize("scheme", ["holdout", "3-fold"])
def test_yardsticks_are_fitted_on_the_same_splits_out_of_competition(scheme):
    data = clouds()
    plain = compare(data, ["lda", "qda"], scheme)
    found = compare(data, ["lda", "qda"], scheme, yardsticks=True)
    assert found.methods == plain.methods
    assert metrics.groups(found) == metrics.groups(plain)
    assert found.digest != plain.digest
    forest = RandomForestClassifier(random_state=0)
    alone = compare(data, [forest], scheme)
    others = found.yardsticks
    assert others.methods == ("boosting", "random-forest")
    assert_array_equal(others.select("random-forest").predicted, alone.predicted)
    assert_array_equal(others.rows, found.rows)
    shown = found.against_yardsticks()
    both = compare(data, ["lda", "qda", ("f", forest)], scheme)
    best = metrics.rank_methods(plain).methods[0]
    (own,) = metrics.pairwise_differences(both.select(best, "f"))
    (line,) = shown.frame().query("second == 'Random forest'").itertuples()
    assert_allclose([line.value, line.low, line.high, line.p], [*own[3:7]], equal_nan=True)
    assert not any("forest are often 0" in note for note in shown.notes())
    by_log_loss = found.against_yardsticks(score="log loss")
    assert any("forest are often 0" in note for note in by_log_loss.notes())


def test_a_better_yardstick_is_said():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2))
    found = compare(dataset(X, X.prod(axis=1) > 0), "lda", yardsticks=True).against_yardsticks()
    assert found.finding().startswith(("Gradient boosting beats LDA", "Random forest beats LDA"))
    assert len(found.table()) == 2
    assert not compare(clouds(), "lda").against_yardsticks().frame().size
