"""Arms of different class sizes: which rows, which weights, which priors; and known truths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression as ScikitLogistic
from sklearn.neighbors import KNeighborsClassifier

import lincore
from lincore import PCA, DataError, LinearDiscriminantAnalysis, LogisticRegression, metrics
from lincore.data import Dataset, Split
from lincore.imbalance import reduce_proportionally
from lincore.io import gaussian_classes
from lincore.model_selection import Steps

SKEWED = [[3.0, 0.8, 0.0], [0.8, 1.0, 0.2], [0.0, 0.2, 0.5]]


def three_classes(sizes=(90, 60, 45), seed=0):
    means = [[0, 0, 0], [1.5, 0.5, 0], [0.5, 1.5, 1]]
    return gaussian_classes(means, SKEWED, sizes=sizes, seed=seed)


@pytest.fixture(scope="module")
def study():
    methods = ("lda", "qda", "logistic", "least-squares", "lda(priors=equal)")
    return lincore.balance(
        three_classes(), {"class 3": 9}, methods, steps=Steps(n_components=2), repeats=4
    )


@given(
    st.lists(st.integers(1, 500), min_size=2, max_size=6), st.floats(0, 1), st.integers(0, 2**31)
)
@settings(deadline=None)
def test_a_control_keeps_the_shares(counts, share, seed):
    counts = np.array(counts)
    total = max(len(counts), round(share * counts.sum()))
    sizes = reduce_proportionally(counts, total)
    assert sizes.sum() == total
    assert (sizes >= 1).all() and (sizes <= counts).all()
    quota = counts * total / counts.sum()
    # Only what a class of less than one row is given on top makes others miss their quota.
    assert (np.abs(sizes - quota) < 1 + np.maximum(1 - quota, 0).sum()).all()


def test_smaller_arms_lie_inside_larger_ones():
    data = three_classes()
    small, large = (
        lincore.balance(data, sizes, "lda", repeats=1).example
        for sizes in ({"class 2": 9, "class 3": 5}, {"class 2": 20, "class 3": 5})
    )
    assert_array_equal(small.rows["full"], large.rows["full"])
    assert np.isin(small.rows["reduced"], large.rows["reduced"]).all()
    assert_array_equal(np.bincount(data.codes[large.rows["reduced"]]), [63, 20, 5])


@pytest.mark.parametrize("size", [0, 46, -1, 2.5, True, float("nan"), 0.0])
def test_sizes_that_cannot_be(size):
    data = three_classes()
    with pytest.raises(DataError, match="training rows of 'class 3'"):
        lincore.balance(data, {"class 3": size}, "lda")


def test_sizes_of_classes_that_are_not_there():
    data = three_classes()
    with pytest.raises(DataError, match="no class 'class 9'"):
        lincore.balance(data, {"class 9": 3}, "lda")
    with pytest.raises(DataError, match="No class to reduce"):
        lincore.balance(data, {}, "lda")


def test_training_rows_alone_are_touched(study):
    data, example = three_classes(), study.example
    assert_array_equal(study.counts["reduced"], [63, 42, 9])
    assert_array_equal(
        study.counts["control"], reduce_proportionally(study.counts["full"], 63 + 42 + 9)
    )
    assert_array_equal(example.rows["full"], example.split.train)
    for subset in ("reduced", "control"):
        assert np.isin(example.rows[subset], example.split.train).all()
        counts = np.bincount(data.codes[example.rows[subset]])
        assert_array_equal(counts, study.counts[subset])
    for results in example.results.values():
        assert_array_equal(results.rows, example.split.test)
        assert_array_equal(results.truth, data.codes[example.split.test])


def slow_posterior(data, rows, weight, priors, test, method):
    """PCA and model from weighted rows; other priors by what the model learned from the weights."""
    X, codes, w = data.X[rows], data.codes[rows], weight[data.codes[rows]]
    X_mean, X_dev = np.average(X, axis=0, weights=w), None
    X_dev = np.sqrt(np.average((X - X_mean) ** 2, axis=0, weights=w))
    Z = (X - X_mean) / X_dev
    pca = PCA(2).fit(Z, sample_weight=w)
    Z, T = pca.transform(Z), pca.transform((data.X[test] - X_mean) / X_dev)
    if method == "lda":
        model = LinearDiscriminantAnalysis(priors=priors).fit(Z, codes, sample_weight=w)
        return model.predict_proba(T)
    model = LogisticRegression().fit(Z, codes, sample_weight=w)
    learned = np.bincount(codes, w) / w.sum()
    proba = model.predict_proba(T) * priors / learned
    return proba / proba.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("method", ["lda", "logistic"])
def test_every_cell_is_what_its_definition_says(study, method):
    data, example = three_classes(), study.example
    test, rows = example.split.test, example.rows
    shares = {subset: study.counts[subset] / study.counts[subset].sum() for subset in rows}
    full, reduced = shares["full"], shares["reduced"]
    lifted = full / reduced
    definitions = {
        "full": ("full", np.ones(3), full),
        "reduced": ("reduced", np.ones(3), reduced),
        "corrected priors": ("reduced", np.ones(3), full),
        "balanced weights": ("reduced", lifted, reduced),
        "both": ("reduced", lifted, full),
        "control": ("control", full / shares["control"], full),
    }
    position = np.flatnonzero(study.seeds == example.seed)[0]
    for condition, (subset, weight, priors) in definitions.items():
        proba = slow_posterior(data, rows[subset], weight, priors, test, method)
        truth = data.codes[test]
        error = (proba.argmax(axis=1) != truth).mean()
        log_loss = -np.log(proba[np.arange(len(test)), truth]).mean()
        assert study.loss(method, condition, "error")[position] == pytest.approx(error)
        assert study.loss(method, condition, "log loss")[position] == pytest.approx(
            log_loss, abs=1e-6
        )


def test_all_numbers_of_the_example_agree(study):
    data, example = three_classes(), study.example
    position = np.flatnonzero(study.seeds == example.seed)[0]
    for condition, results in example.results.items():
        assert results.methods == study.methods
        for method in study.methods:
            matrix = metrics.confusion_matrix(results, method)
            error = 1 - np.trace(matrix) / matrix.sum()
            assert study.loss(method, condition)[position] == pytest.approx(error)
            recalls = np.diag(matrix) / matrix.sum(axis=1)
            stored = [study.loss(method, condition, name)[position] for name in study.recall_names]
            assert_allclose(stored, recalls)
            balanced = study.loss(method, condition, "balanced error")[position]
            assert balanced == pytest.approx(1 - recalls.mean())
    for (method, condition), pipeline in example.pipelines.items():
        test, shift = data.X[example.split.test], example.shifts[method, condition]
        predicted = pipeline.predict(test)
        if shift is not None:
            predicted = (pipeline.predict_log_proba(test) + shift).argmax(axis=1)
        stored = example.results[condition].predicted[study.methods.index(method)]
        assert_array_equal(predicted, stored)
    assert tuple(example.results) == study.conditions


def test_what_is_finished_can_be_looked_at():
    seen = []
    whole = lincore.balance(three_classes(), {"class 3": 20}, "lda", repeats=3, keep=seen.append)
    assert [len(part.seeds) for part in seen] == [1, 2, 3]
    for part in seen:
        assert_array_equal(part.losses, whole.losses[:, :, : len(part.seeds)])
        assert part.example.seed == part.seeds[-1]


def test_what_has_no_priors_to_correct(study):
    for method in ("least-squares", "lda(priors=equal)"):
        for loss in ("error", "recall of class 3"):
            assert_array_equal(study.attribution(method, loss).by_seed[0], 0)
        both, weights = (
            study.loss(method, condition) for condition in ("both", "balanced weights")
        )
        assert_array_equal(both, weights)
    assert np.isnan(study.loss("least-squares", "full", "log loss")).all()
    assert np.abs(study.attribution("lda", "recall of class 3").by_seed[0]).min() > 0


def test_balanced_weights_of_a_method_leave_nothing_to_priors_and_pooling():
    data = three_classes()
    methods = ["lda", "lda(class_weight=balanced)", "one-vs-rest(class_weight={'class 1': 3})"]
    study = lincore.balance(data, {"class 3": 9}, methods, repeats=3)
    assert study.methods == tuple(methods[:2])
    assert "already has class weights" in study.failures[methods[2]]
    plain, balanced = (study.attribution(method, "log loss") for method in study.methods)
    assert np.abs(plain.by_seed[:2]).min() > 1e-6
    np.testing.assert_allclose(balanced.by_seed[:2], 0.0, atol=1e-12)
    reduced, weighted = (
        study.loss(methods[1], condition, "error") for condition in ("reduced", "balanced weights")
    )
    assert_array_equal(reduced, weighted)


def test_a_method_that_fails_is_left_out_and_said():
    data = three_classes()
    methods = ["lda", "qda", ScikitLogistic(class_weight="balanced"), KNeighborsClassifier()]
    study = lincore.balance(data, {"class 3": 1}, methods, repeats=2)
    assert study.methods == ("lda",)
    reasons = list(study.failures.values())
    assert any("singular" in reason for reason in reasons)
    assert any("already has class weights" in reason for reason in reasons)
    assert any("does not support weights" in reason for reason in reasons)
    with pytest.raises(DataError, match="No method can be fitted"):
        lincore.balance(data, {"class 3": 1}, "qda", repeats=2)


def test_progress_can_stop_and_keeps_what_is_finished():
    calls = []

    def progress(done, total, what):
        calls.append((done, total, what))
        return done < 2

    data = three_classes()
    stopped = lincore.balance(data, {"class 3": 9}, "lda", repeats=5, progress=progress)
    assert calls == [(1, 5, "Split 1 of 5"), (2, 5, "Split 2 of 5")]
    whole = lincore.balance(data, {"class 3": 9}, "lda", repeats=2)
    assert_array_equal(stopped.losses, whole.losses)
    with pytest.raises(ValueError, match="At least one repetition"):
        lincore.balance(data, {"class 3": 9}, "lda", repeats=0)


def test_one_test_part_for_all_seeds():
    data = three_classes()
    study = lincore.balance(data, {"class 3": 9}, "lda", split="last", repeats=3)
    assert not study.new_splits and study.test_ratio == 0
    assert_array_equal(study.example.split.test, lincore.split(data, "last").test)
    assert np.ptp(study.loss("lda", "full")) == 0
    assert np.ptp(study.loss("lda", "reduced", "log loss")) > 0
    fresh = lincore.balance(data, {"class 3": 9}, "lda", repeats=3)
    assert fresh.test_ratio == pytest.approx(fresh.n_test / fresh.counts["full"].sum())
    assert np.ptp(fresh.loss("lda", "full", "log loss")) > 0
    with pytest.raises(DataError, match="a single split"):
        lincore.balance(data, {"class 3": 9}, "lda", split="5-fold")


def test_nothing_leaks_from_the_test_rows():
    data = lincore.sample("wine")
    X = data.X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    data = replace(data, X=X)
    split = lincore.split(data, seed=3)
    X = data.X.copy()
    X[split.test] = 1e6
    ruined = replace(data, X=X)
    plain, spoilt = (
        lincore.balance(version, {"class_0": 10}, ["lda", "logistic"], split=split, repeats=1)
        for version in (data, ruined)
    )
    for key, pipeline in plain.example.pipelines.items():
        other = spoilt.example.pipelines[key].named_steps["classify"]
        assert_array_equal(pipeline.named_steps["classify"].coef_, other.coef_)


def test_arms_from_moments_equal_arms_from_rows(monkeypatch):
    data = three_classes()
    data = replace(data, X=data.X + 1e6)
    options = {"methods": ("lda", "qda"), "steps": Steps(n_components=2), "repeats": 2}
    fast = lincore.balance(data, {"class 3": 9}, **options)
    monkeypatch.setattr("lincore.imbalance.trials.LARGEST_SCATTER", 0)
    slow = lincore.balance(data, {"class 3": 9}, **options)
    assert_allclose(fast.losses, slow.losses, rtol=1e-6)


def test_undersampling_and_oversampling_have_the_shares_of_the_full_set(study):
    sizes = study.counts
    full = sizes["full"] / sizes["full"].sum()
    for subset in ("undersampling", "oversampling"):
        assert_allclose(sizes[subset] / sizes[subset].sum(), full, atol=0.03)
    assert (sizes["undersampling"] <= sizes["reduced"]).all()
    assert (sizes["oversampling"] >= sizes["reduced"]).all()


def test_equal_gaussians_lose_nothing_but_priors():
    """STATISTICS: class 3 cut from 900 to 300; recall .62 to .29, log loss .79 to .88."""
    data = gaussian_classes([[0, 0], [1.45, 0], [0.725, 1.26]], sizes=[2900] * 3)
    place = np.arange(data.n_rows) % 2900
    split = Split(np.flatnonzero(place < 900), np.flatnonzero(place >= 900))
    study = lincore.balance(
        data, {"class 3": 300}, ("lda", "logistic"), split=split, repeats=3, steps=Steps(False)
    )
    for method in study.methods:
        recall = study.attribution(method, "recall of class 3")
        assert 0.58 < recall.full.value < 0.66 and 0.26 < recall.reduced.value < 0.36
        log_loss = study.attribution(method, "log loss")
        assert 0.76 < log_loss.full.value < 0.83 and 0.85 < log_loss.reduced.value < 0.92
        for loss in ("error", "balanced error", "log loss", "recall of class 3"):
            split_up = study.attribution(method, loss)
            shift, total = split_up.prior_shift, split_up.total.value
            assert shift.value == pytest.approx(total, rel=0.08)
            assert split_up.orders["prior shift"][0] == pytest.approx(total, rel=0.05)
            for part in (split_up.majority_bias, split_up.sample_size, split_up.class_size):
                assert abs(part.value) < 0.05 * abs(total)
        restored = study.remedies(method, "recall of class 3")[0]
        assert restored.name == "corrected priors" and restored.share > 0.95


def unusual(kind):
    """Rows that moments of the features cannot summarise: wide, counted words, categories."""
    rng = np.random.default_rng(0)
    codes, names = np.repeat([0, 1, 2], 30), np.array(["a", "b", "c"])
    if kind == "wide":
        X = rng.normal(0, 1, (90, 200))
        X[:, :3] += 3 * np.eye(3)[codes]
        return Dataset("wide", X, codes, names, tuple(f"x{i}" for i in range(200)))
    if kind == "words":
        rates = 0.3 + np.kron(np.eye(3), np.ones((1, 8)))[codes]
        words = tuple(f"w{i}" for i in range(24))
        X = csr_array(rng.poisson(rates).astype(float))
        return Dataset("words", X, codes, names, words, n_words=24)
    X = np.column_stack([rng.integers(0, 3, 90).astype(float), rng.normal(codes, 1)])
    return Dataset("levels", X, codes, names, ("k", "x"), levels=(("u", "v", "w"), None))


@pytest.mark.parametrize("kind", ["wide", "words", "levels"])
def test_data_that_have_to_be_prepared_or_have_many_features(kind):
    data = unusual(kind)
    methods = ("multinomial-nb", "logistic") if kind == "words" else ("lda", "logistic")
    study = lincore.balance(data, {"c": 0.3}, methods, repeats=2)
    assert study.methods == methods and np.isfinite(study.losses).all()
    for method in methods:
        split = study.attribution(method, "log loss")
        assert split.total.value == pytest.approx(split.by_seed.sum(axis=0).mean())
        pipeline = study.example.pipelines[method, "reduced"]
        posterior = study.example.results["reduced"].log_proba[methods.index(method)]
        proba = pipeline.predict_proba(data.X[study.example.split.test])
        assert_allclose(proba, np.exp(posterior), atol=1e-9)


def test_ten_repetitions_with_a_tenth_to_test_share_the_rows_out():
    """Every row is tested once, stands in each subset equally often, and never in both at once."""
    codes = np.repeat([0, 1, 2], [40, 60, 100])
    X = np.random.default_rng(0).normal(size=(200, 1))
    data = Dataset("t", X, codes, np.array(["a", "b", "c"]), ("x",))
    tested, chosen, splits = np.zeros(data.n_rows), np.zeros(data.n_rows), []

    def count(study):
        split, subset = study.example.split, study.example.rows["reduced"]
        assert not np.isin(subset, split.test).any() and np.isin(subset, split.train).all()
        assert_array_equal(np.sort(np.concatenate(split)), np.arange(data.n_rows))
        tested[split.test] += 1
        chosen[subset] += 1
        splits.append(split)

    asked = {"test_size": 0.1, "repeats": 10, "seed": 3, "keep": count}
    lincore.balance(data, {"a": 12, "b": 18, "c": 30}, "lda", **asked)
    assert_array_equal(tested, 1)
    for code in range(data.n_classes):
        assert np.ptp(chosen[data.codes == code]) <= 1
    first = lincore.split(data, test_size=0.1, seed=3)
    assert_array_equal(splits[0].test, first.test)


@pytest.mark.parametrize("C", [1.0, np.inf])
def test_both_remedies_are_scikit_learns_class_weights(C):
    data, method = three_classes(), LogisticRegression(C=C, tol=1e-10)
    study = lincore.balance(data, {"class 3": 9}, method, steps=Steps(False), repeats=1)
    full, reduced = (
        study.counts[subset] / study.counts[subset].sum() for subset in ("full", "reduced")
    )
    theirs = ScikitLogistic(
        C=C, class_weight=dict(enumerate(full / reduced)), tol=1e-10, solver="newton-cholesky"
    )
    example = study.example
    theirs.fit(data.X[example.rows["reduced"]], data.codes[example.rows["reduced"]])
    expected = theirs.predict_log_proba(data.X[example.split.test])
    assert_allclose(example.results["both"].log_proba[0], expected, atol=1e-7)
