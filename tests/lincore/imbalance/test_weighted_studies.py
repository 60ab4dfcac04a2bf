"""Studies of class sizes on rows with sampling weights: laws and known answers."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import LinearDiscriminantAnalysis, Steps, imbalance
from lincore.data import Split, with_row_weights

METHODS = ("lda", "qda", "logistic")
AS_THEY_ARE = Steps(standardize=False)


def two_classes(n=200, seed=0):
    """Return rows of two classes, three to one, and whole weights that follow a feature."""
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1], [3 * n // 4, n - 3 * n // 4])
    X = rng.normal(size=(n, 2)) + 1.2 * codes[:, None]
    return X, np.array(["a", "b"])[codes], 1 + rng.binomial(3, 1 / (1 + np.exp(-X[:, 0])))


def copies(X, y, weights, split):
    """Return the rows written out as often as they weigh, and the same split of them."""
    written = lincore.load((np.repeat(X, weights, axis=0), np.repeat(y, weights)))
    line = np.repeat(np.arange(len(y)), weights)
    return written, Split(*(np.flatnonzero(np.isin(line, part)) for part in split))


def assert_same_study(one, other, tolerance):
    assert_allclose(one.losses, other.losses, rtol=tolerance, atol=tolerance)
    parts = (study.decomposition().frame()[["value", "low", "high"]] for study in (one, other))
    assert_allclose(*parts, rtol=1e-9, atol=tolerance)


def test_equal_weights_are_no_weights():
    X, y, _ = two_classes()
    plain = lincore.load((X, y))
    ones = with_row_weights(plain, weights=np.full(len(y), 3.0))
    studies = (lincore.balance(d, {"b": 0.3}, METHODS, repeats=2) for d in (ones, plain))
    assert_same_study(*studies, 1e-12)
    sweeps = (lincore.sweep(d, ["b"], [4, 10], METHODS, repeats=2) for d in (ones, plain))
    assert_allclose(*(found.losses for found in sweeps), rtol=1e-12, atol=1e-12)


def test_only_ratios_of_weights_count():
    X, y, weights = two_classes()
    data = (lincore.load((X, y), weights=scale * weights) for scale in (1, 1000))
    assert_same_study(*(lincore.balance(d, {"b": 0.3}, METHODS, repeats=3) for d in data), 1e-10)


def test_every_condition_is_what_scikit_learn_would_be_told():
    X, y, weights = two_classes()
    data = lincore.load((X, y), weights=weights)
    study = lincore.balance(data, {"b": 12}, "lda", steps=AS_THEY_ARE, repeats=1)
    example, codes, w = study.example, data.codes, data.weights
    test = example.split.test

    def shares(rows):
        totals = np.bincount(codes[rows], w[rows])
        return totals / totals.sum()

    rows = example.rows
    for subset in rows:
        assert_allclose(study.shares(subset), shares(rows[subset]))
    full = shares(rows["full"])

    def by_class(subset):
        return (full / shares(rows[subset]))[codes[rows[subset]]]

    none = np.ones(len(rows["reduced"]))
    for condition, subset, class_weight, priors in (
        ("full", "full", np.ones(len(rows["full"])), full),
        ("reduced", "reduced", none, shares(rows["reduced"])),
        ("corrected priors", "reduced", none, full),
        ("balanced weights", "reduced", by_class("reduced"), shares(rows["reduced"])),
        ("both", "reduced", by_class("reduced"), full),
        ("control", "control", by_class("control"), full),
    ):
        own = rows[subset]
        model = LinearDiscriminantAnalysis(priors=priors)
        model.fit(X[own], codes[own], sample_weight=w[own] * class_weight)
        assert_array_equal(example.results[condition].predicted[0], model.predict(X[test]))
        proba = model.predict_proba(X[test])[np.arange(len(test)), codes[test]]
        wanted = np.average(-np.log(proba), weights=w[test])
        assert_allclose(study.loss("lda", condition, "log loss")[0], wanted)
    truth = codes[test]
    for condition in study.conditions:
        right = example.results[condition].predicted[0] == truth
        recalls = [np.average(right[truth == k], weights=w[test][truth == k]) for k in (0, 1)]
        error = 1 - np.average(right, weights=w[test])
        assert_allclose(study.loss("lda", condition)[0], error)
        found = study.loss("lda", condition, "balanced error")[0]
        assert_allclose(found, 1 - np.mean(recalls))
        assert_allclose(study.loss("lda", condition, "recall of b")[0], recalls[1])
        in_use = imbalance.error_in_deployment(example.results[condition], "lda", [0.2, 0.8])
        assert_allclose(in_use.value, 1 - 0.2 * recalls[0] - 0.8 * recalls[1])
    own = imbalance.training_error(study, data, "lda", "reduced")
    assert_allclose(own.total, own.mean * w[rows["reduced"]].sum())


def test_whole_weights_are_copies_to_what_leaves_no_row_out():
    X, y, weights = two_classes()
    data = lincore.load((X, y), weights=weights)
    split = lincore.split(data, test_size=0.4)
    written, parts = copies(X, y, weights, split)
    studies = [
        lincore.balance(d, {"b": 0.5}, ("lda", "qda"), split=s, repeats=1)
        for d, s in ((data, split), (written, parts))
    ]
    assert_allclose(
        *(study.losses[:, study.conditions.index("full")] for study in studies), rtol=1e-9
    )
    sweeps = [
        lincore.sweep(d, ["b"], [5], ("lda", "qda"), split=s, repeats=1)
        for d, s in ((data, split), (written, parts))
    ]
    assert_allclose(*(found.losses[:, -1] for found in sweeps), rtol=1e-9)


def test_the_rare_curve_of_a_sweep_weighs_a_class_by_the_share_of_its_rows():
    X, y, weights = two_classes()
    data = lincore.load((X, y), weights=weights)
    split = lincore.split(data)
    found = lincore.sweep(data, ["b"], [7], "lda", split=split, steps=AS_THEY_ARE, repeats=1)
    ratio = np.array([1.0, found.sizes[0, 1] / found.sizes[1, 1]])
    w = data.weights * ratio[data.codes]
    model = LinearDiscriminantAnalysis()
    model.fit(X[split.train], data.codes[split.train], sample_weight=w[split.train])
    proba = model.predict_proba(X[split.test])[np.arange(len(split.test)), data.codes[split.test]]
    wanted = np.average(-np.log(proba), weights=data.weights[split.test])
    assert_allclose(found.losses[0, 0, 2, 0, found.loss_names.index("log loss")], wanted)


def test_parts_add_up_and_the_words_name_the_weights():
    X, y, weights = two_classes()
    data = lincore.load((X, y), weights=weights)
    study = lincore.balance(data, {"b": 0.3}, "lda", repeats=6)
    split = study.attribution("lda", "recall of b")
    assert_allclose(sum(part.value for part in split.parts.values()), split.total.value)
    assert split.prior_shift.low < split.prior_shift.value < split.prior_shift.high
    assert "Rows are weighted" in study.decomposition().scope()
    plain = lincore.balance(lincore.load((X, y)), {"b": 0.3}, "lda", repeats=2)
    assert "weights" not in plain.decomposition().scope()


def test_intervals_are_as_wide_as_the_effective_number_of_rows():
    """Half of the rows weigh nothing much: the interval is that of the other half."""
    X, y, _ = two_classes(800)
    heavy = np.arange(800) % 2 == 0
    weighted = lincore.load((X, y), weights=np.where(heavy, 1.0, 1e-9))
    half = lincore.load((X[heavy], y[heavy]))
    ends = [
        lincore.balance(data, {"b": 0.3}, "lda", repeats=10).attribution("lda", "recall of b").full
        for data in (weighted, half)
    ]
    widths = [end.high - end.low for end in ends]
    assert 0.6 < widths[0] / widths[1] < 1.6
