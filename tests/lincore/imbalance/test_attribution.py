"""The four parts add up to the whole, for every loss and method; intervals are paired."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

import lincore
from lincore import metrics
from lincore.io import gaussian_classes
from lincore.metrics import over_seeds
from lincore.model_selection import Steps


@st.composite
def problems(draw):
    """Classes of unequal size, in number and place; any of them reduced; any standard steps."""
    n_classes = draw(st.integers(2, 5))
    sizes = draw(st.lists(st.integers(16, 60), min_size=n_classes, max_size=n_classes))
    seed = draw(st.integers(0, 1000))
    means = np.random.default_rng(seed).normal(0, 1.5, (n_classes, 3))
    offset = draw(st.sampled_from([0.0, 1e6]))
    data = gaussian_classes(means + offset, np.diag([1.0, 4.0, 0.25]), sizes=sizes, seed=seed)
    reduced = draw(st.sets(st.integers(0, n_classes - 1), min_size=1))
    kept = {data.classes[k]: draw(st.floats(0.4, 1.0)) for k in reduced}
    components = draw(st.sampled_from([None, 2]))
    return data, kept, Steps(draw(st.booleans()), None, components), seed


@given(problems())
@settings(max_examples=4)
def test_the_four_parts_add_up(problem):
    data, sizes, steps, seed = problem
    methods = ("lda", "qda", "naive-bayes", "logistic", "fisher")
    study = lincore.balance(data, sizes, methods, steps=steps, seed=seed, repeats=2)
    assert set(study.methods) == set(methods)
    for method in study.methods:
        for loss in study.loss_names:
            split = study.attribution(method, loss)
            full, reduced = (
                study.loss(method, condition, loss) for condition in ("full", "reduced")
            )
            assert_allclose(split.by_seed.sum(axis=0), reduced - full, atol=1e-12)
            parts = [part.value for part in split.parts.values()]
            assert_allclose(np.sum(parts), split.total.value, atol=1e-12)
            assert_allclose(split.full.value + split.total.value, split.reduced.value, atol=1e-12)
            assert [*split.parts] == ["prior shift", "majority bias", "sample size", "class size"]
    assert np.isfinite(study.losses[study.methods.index("lda")]).all()


@given(st.integers(0, 1000))
@settings(max_examples=2)
def test_without_a_reduction_nothing_is_lost(seed):
    """A class cut to all of its rows: every subset is the same rows."""
    data = gaussian_classes([[0.0, 0.0], [1.0, 1.0]], sizes=[40, 25])
    study = lincore.balance(data, {"class 2": 1.0}, ("lda", "logistic"), seed=seed, repeats=2)
    for method in study.methods:
        for loss in study.loss_names:
            assert_allclose(study.attribution(method, loss).by_seed, 0, atol=1e-9)


def test_all_classes_reduced_alike_are_only_fewer():
    data = gaussian_classes([[0.0, 0.0], [1.0, 1.0]], sizes=[200, 100])
    study = lincore.balance(data, {"class 1": 0.1, "class 2": 0.1}, "lda", repeats=3)
    for loss in study.loss_names:
        split = study.attribution("lda", loss)
        assert_allclose(split.by_seed[[0, 1, 3]], 0, atol=1e-12)
        assert_allclose(split.by_seed[2], split.by_seed.sum(axis=0), atol=1e-12)


def test_the_interval_is_students_on_paired_differences():
    values = np.array([0.1, 0.3, 0.2, 0.6])
    interval = over_seeds(values)
    low, high = stats.t.interval(0.95, 3, loc=values.mean(), scale=stats.sem(values))
    assert_allclose(interval, (values.mean(), low, high))
    # Nadeau and Bengio: overlapping splits do not become certain by their number.
    corrected = over_seeds(values, 1 / 4)
    widening = (corrected.high - corrected.low) / (interval.high - interval.low)
    assert widening == pytest.approx(np.sqrt((1 / 4 + 1 / 4) / (1 / 4)))
    alone = over_seeds(values[:1])
    assert alone.value == 0.1 and np.isnan(alone.low) and np.isnan(alone.high)


def test_few_seeds_that_agree_are_no_certainty():
    """Of six that agree a sign test at 5 % says the sign; of fewer, one row might have differed."""
    grain, ratio = 1 / 45, 0.4
    for same in (0.0, 0.1, -1 / 45):
        for n_seeds in range(2, 9):
            values = np.full(n_seeds, same)
            value, low, high = over_seeds(values, ratio, grain=grain)
            assert value == pytest.approx(same)
            if n_seeds >= 6:
                assert_allclose([low, high], same, atol=1e-15)
                continue
            values[0] += grain
            one_row = over_seeds(values, ratio)
            assert high - low == pytest.approx(one_row.high - one_row.low)
    # What has no grain, as log losses, agrees only where it must.
    assert_allclose(over_seeds(np.full(3, 0.2)), 0.2)
    # Differences that are equal but for rounding are equal.
    low, high = over_seeds(np.array([0.3, 0.1 + 0.2, 0.3]), grain=grain)[1:]
    assert high - low > grain


def test_a_study_of_few_seeds_does_not_claim_what_two_of_them_agree_on():
    study = lincore.balance(lincore.sample("gaussian"), {"class 3": 5}, "lda", repeats=2)
    losses = np.full_like(study.losses, 0.2)
    losses[:, study.conditions.index("reduced")] = 0.21
    planted = replace(study, losses=losses, variances={})
    n_third = study.n_test * study.counts["full"][2] / study.counts["full"].sum()
    for loss, grain in (("error", 1 / study.n_test), ("recall of class 3", 1 / n_third)):
        total = planted.attribution("lda", loss).total
        assert total.value == pytest.approx(0.01)
        assert total.low < 0 < total.high
        expected = over_seeds(np.array([0.01, 0.01]), study.test_ratio, grain=grain)
        assert_allclose([total.low, total.high], np.clip(expected[1:], -1, 1))
        assert all(np.isnan(remedy.share) for remedy in planted.remedies("lda", loss))


def test_one_more_level_is_one_more_quantile():
    values = np.random.default_rng(0).normal(size=7)
    for level in (0.5, 0.95, 0.999):
        expected = stats.t.interval(level, 6, loc=values.mean(), scale=stats.sem(values))
        assert_allclose(over_seeds(values, 0.0, level)[1:], expected)


def test_the_interval_of_the_total_is_paired():
    """Arms rise and fall together over the splits: their difference varies less than they do."""
    data = gaussian_classes([[0.0, 0.0], [1.5, 0.0]], sizes=[150, 150])
    study = lincore.balance(data, {"class 2": 0.3}, "lda", repeats=12)
    difference = study.loss("lda", "corrected priors") - study.loss("lda", "full")
    spread = np.var(study.loss("lda", "corrected priors")) + np.var(study.loss("lda", "full"))
    assert np.var(difference) < 0.5 * spread


def test_what_is_not_in_the_study_is_said():
    data = gaussian_classes([[0.0], [1.0]], sizes=[30, 30])
    study = lincore.balance(data, {"class 1": 9}, "lda", repeats=1)
    with pytest.raises(KeyError, match="No method 'qda'; there are lda"):
        study.attribution("qda")
    with pytest.raises(KeyError, match="No loss 'F1'; there are error, balanced error"):
        study.attribution("lda", "F1")
    with pytest.raises(KeyError, match="No condition"):
        study.loss("lda", "smote")
    parts = study.decomposition().frame().set_index("part")
    assert np.isnan(parts["low"]["majority bias"]).all()


def test_an_attribution_reads_as_a_table():
    data = lincore.io.samples.sample("gaussian")
    study = lincore.balance(data, {"class 3": 15}, ["lda"], repeats=2)
    found = study.attribution("lda")
    lines = str(found).splitlines()
    assert lines[0] == "error of lda" and len(lines) == 8
    assert lines[2].split()[:3] == ["prior", "shift", f"{found.prior_shift.value:.4f}"]


def test_certain_mistakes_cost_what_they_cost_in_scikit_learn_and_have_parts():
    # A tree is certain of every row that it gets wrong.
    methods = ["lda", DecisionTreeClassifier(random_state=0)]
    data = lincore.sample("gaussian")
    study = lincore.balance(data, {"class 3": 11}, methods, repeats=3)
    tree = study.methods[1]
    split = study.attribution(tree, "log loss")
    certain = -np.log(np.finfo(float).eps) * study.loss(tree, "full", "error").mean()
    assert split.full.value == pytest.approx(certain)
    assert sum(part.value for part in split.parts.values()) == pytest.approx(split.total.value)
    parts = study.decomposition().frame().set_index("loss").loc[["error", "log loss"]]
    assert np.isfinite(parts[["value", "low", "high"]].to_numpy()).all()
    figure = lincore.plots.waterfall(split.parts, split.full.value)
    assert figure.layout.meta["alt"]
    swept = lincore.sweep(data, ["class 3"], [5, 20], methods, repeats=2)
    assert np.isfinite(swept.curve(tree, "log loss").mean).all()
    swept.crossings("log loss")
    losses = [metrics.score(study.example.results["reduced"], m, "log loss") for m in study.methods]
    figure = lincore.plots.score_intervals(study.methods, losses, score="log loss")
    assert figure.layout.meta["alt"]


def test_no_interval_holds_what_cannot_be():
    """Of two seeds far apart: a recall above one, or a change of more than all rows, is none."""
    study = lincore.balance(lincore.sample("gaussian"), {"class 3": 5}, "lda", repeats=2)
    losses = study.losses.copy()
    losses[:, :, 0], losses[:, :, 1] = 0.05, 0.95
    losses[:, study.conditions.index("full"), :] = [[[0.9], [0.1]]] * np.ones(losses.shape[-1])
    planted = replace(study, losses=losses, variances={})
    for loss in ("error", "recall of class 3", "log loss"):
        most = np.inf if loss == "log loss" else 1.0
        split = planted.attribution("lda", loss)
        for level in (split.full, split.reduced):
            assert 0 <= level.low <= level.value <= level.high <= most
        for change in (*split.parts.values(), split.total):
            assert -most <= change.low <= change.value <= change.high <= most
        for remedy in planted.remedies("lda", loss):
            assert 0 <= remedy.loss.low <= remedy.loss.high <= most
            assert -most <= remedy.recovered.low <= remedy.recovered.high <= most


def test_a_class_may_be_called_others():
    data = lincore.sample("gaussian")
    called = replace(data, classes=np.array(["class 1", "class 2", "others"]))
    one = lincore.balance(data, {"class 3": 11}, "lda", repeats=4)
    two = lincore.balance(called, {"others": 11}, "lda", repeats=4)
    assert (
        two.attribution("lda", "recall of others").total
        == one.attribution("lda", "recall of class 3").total
    )
