"""Sweeps over class sizes: the same numbers as the study's, exact curves, crossings."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import DataError, LinearDiscriminantAnalysis, Moments
from lincore.imbalance import Sweep, size_grid, sweep
from lincore.io import gaussian_classes
from lincore.metrics import over_seeds
from lincore.model_selection import Steps

STEPS = Steps(n_components=2)


def skewed(sizes=(90, 60, 60)):
    cov = [[3.0, 0.8, 0.0], [0.8, 1.0, 0.2], [0.0, 0.2, 0.5]]
    return gaussian_classes([[0, 0, 0], [1.5, 0.5, 0], [0.5, 1.5, 1]], cov, sizes=sizes)


@pytest.fixture(scope="module")
def found():
    methods = ("lda", "qda", "logistic")
    return sweep(skewed(), ["class 3"], [4, 12, 24], methods, steps=STEPS, repeats=3)


def test_a_size_of_the_sweep_is_a_study(found):
    """Two ways to the same number: the subsets are nested in the same order."""
    for a, size in enumerate([4, 12, 24]):
        study = lincore.balance(skewed(), {"class 3": size}, found.methods, steps=STEPS, repeats=3)
        for i, method in enumerate(found.methods):
            for j, condition in enumerate(("reduced", "corrected priors")):
                for k, loss in enumerate(found.loss_names):
                    expected = study.loss(method, condition, loss)
                    assert_allclose(found.losses[i, a, j, :, k], expected, rtol=1e-6)
    whole = lincore.balance(skewed(), {"class 3": 4}, found.methods, steps=STEPS, repeats=3)
    assert_allclose(found.losses[0, -1, 0, :, 0], whole.loss("lda", "full"))


def test_exact_curves_are_weights_on_all_rows(found):
    data = skewed()
    studies = []
    lincore.balance(data, {"class 3": 4}, "lda", repeats=3, keep=studies.append)
    for s, split in enumerate(study.example.split for study in studies):
        X, codes = data.X[split.train], data.codes[split.train]
        steps = lincore.Standardizer, lincore.PCA
        full = found.sizes[-1]
        for a, subset in enumerate(found.sizes):
            moments, T = Moments.from_groups(X, codes, 3).scale(subset / full), data.X[split.test]
            for make, options in zip(steps, ({}, {"n_components": 2}), strict=True):
                step = make(**options).fit_moments(moments)
                moments, T = step.map_moments(moments), step.transform(T)
            for j, priors in ((2, subset / subset.sum()), (3, full / full.sum())):
                model = LinearDiscriminantAnalysis(priors=priors)
                model.fit_moments(moments, np.arange(3))
                error = (model.predict(T) != data.codes[split.test]).mean()
                assert found.losses[0, a, j, s, 0] == pytest.approx(error)
    lean = found.curve("lda", "log loss", "majority bias")
    assert_allclose(lean.mean[-1], 0, atol=1e-12)
    shift = found.curve("lda", "log loss", "prior shift")
    assert_allclose(shift.mean[-1], 0, atol=1e-12)
    assert shift.mean[0] > 0.1
    assert not len(found.curve("logistic", "error", "prior shift").mean)


def test_curves_have_a_band(found):
    curve = found.curve("lda", "recall of class 3")
    assert_array_equal(curve.sizes, [4, 12, 24, 42])
    values = found.losses[0, :, 0, :, found.loss_names.index("recall of class 3")]
    assert_allclose(curve.mean, values.mean(axis=1))
    assert_allclose(curve.low, np.quantile(values, 0.1, axis=1))
    assert (curve.low <= curve.high).all()
    with pytest.raises(KeyError, match="No curve 'hope'"):
        found.curve("lda", kind="hope")


def planted(gaps, noise=0.01, seed=0):
    """Two methods whose errors differ by `gaps` at sizes 1, 10, 100 …, at 8 seeds."""
    rng = np.random.default_rng(seed)
    sizes = np.column_stack([10 ** np.arange(len(gaps)), np.full(len(gaps), 10 ** len(gaps))])
    losses = np.zeros((2, len(gaps), 4, 8, 1))
    losses[0, :, 0, :, 0] = np.array(gaps)[:, None] + rng.normal(0, noise, (len(gaps), 8))
    return Sweep(
        np.array(["a", "b"]), ("a",), sizes, ("p", "q"), ("error",), losses, np.arange(8), 0.0
    )


def test_methods_change_places_where_they_were_planted_to():
    (crossing,) = planted([0.3, 0.1, -0.1, -0.3]).crossings()
    assert (crossing.below, crossing.above) == ("q", "p")
    assert crossing.size == pytest.approx(10**1.5, rel=0.2)


@pytest.mark.parametrize("gaps", [[0.3, 0.1, 0.2], [0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.2]])
def test_curves_that_run_together_rarely_cross(gaps):
    alarms = [len(planted(gaps, seed=seed).crossings()) > 0 for seed in range(100)]
    assert np.mean(alarms) <= 0.06


def test_a_stretch_where_nothing_is_clear_is_bridged():
    (crossing,) = planted([-0.3, -0.1, 0.0, 0.1]).crossings()
    assert (crossing.below, crossing.above) == ("p", "q")
    assert 10 < crossing.size < 1000


def test_they_cross_where_the_means_do_and_not_where_a_line_over_the_stretch_does():
    sweep = planted([1.0, 0.05, -0.05, -0.3], noise=0.1, seed=1)
    (crossing,) = sweep.crossings()
    assert crossing.clear == (1, 1000)
    gap = np.diff([sweep.curve(name).mean for name in ("q", "p")], axis=0)[0]
    assert gap[1] > 0 > gap[2]
    share = gap[1] / (gap[1] - gap[2])
    assert crossing.size == pytest.approx(10 ** (1 + share))


def test_what_fails_at_a_size_is_missing_there():
    found = sweep(skewed(), ["class 3"], [2, 20], ("lda", "qda"), repeats=2)
    assert_array_equal(found.curve("qda").sizes, [20, 42])
    assert_array_equal(found.curve("lda").sizes, [2, 20, 42])
    assert "singular" in found.failures["qda"]


def test_default_sizes_and_several_classes():
    found = sweep(skewed(), ["class 2", "class 3"], methods="lda", repeats=1, exact=False)
    assert_array_equal(found.sizes[-1], [63, 42, 42])
    assert_array_equal(found.sizes[:, 1], found.sizes[:, 2])
    assert found.sizes[0, 1] == 3 and (np.diff(found.rows) > 0).all()
    assert 12 <= len(found.rows) <= 20
    assert np.isnan(found.losses[:, :, 2:]).all()


def test_iterative_methods_skip_sizes_of_many_rows(monkeypatch):
    monkeypatch.setattr("lincore.imbalance.class_size_sweep.FEW_VALUES", 10)
    sizes = [5, 10, 15, 20, 25, 30, 35]
    found = sweep(skewed(), ["class 3"], sizes, ("lda", "logistic"), repeats=1)
    assert_array_equal(found.curve("logistic").sizes, [20, 42])
    assert len(found.curve("lda").sizes) == 8


def test_it_can_be_stopped_and_refuses_nonsense():
    found = sweep(skewed(), ["class 3"], [9], "lda", repeats=5, progress=lambda d, t, w: d < 2)
    assert found.losses.shape[3] == len(found.seeds) == 2
    with pytest.raises(DataError, match="no class 'class 7'"):
        sweep(skewed(), ["class 7"])
    with pytest.raises(DataError, match="43 is not a possible number"):
        sweep(skewed(), ["class 3"], [43])
    with pytest.raises(DataError, match="No class to reduce"):
        sweep(skewed(), [])
    with pytest.raises(ValueError, match="At least one"):
        sweep(skewed(), ["class 3"], repeats=0)


def test_it_fills_size_by_size_and_a_stop_keeps_what_is_there():
    """While it runs one sees the first split grow, then whole splits; the same in the end."""
    seen, said = [], []
    arguments = {"methods": ("lda", "logistic"), "steps": STEPS, "repeats": 2}
    whole = sweep(
        skewed(),
        ["class 3"],
        [4, 8, 12, 24],
        keep=seen.append,
        progress=lambda *told: said.append(told),
        **arguments,
    )
    first = [int((~np.isnan(one.losses[0, :, 0, 0, 0])).sum()) for one in seen]
    assert first == sorted(first) and first[0] == 2 and set(first[-3:]) == {5}
    assert [len(one.seeds) for one in seen][-2:] == [1, 2]
    assert_array_equal(seen[-1].losses, whole.losses)
    assert_array_equal(seen[0].losses[:, :2, :2, 0], whole.losses[:, :2, :2, 0])
    assert all(not part.crossings() for part in seen[:-1]), "one split tells nothing of chance"
    assert ("Split 1 of 2, 2 of 5 sizes") in {what for _, _, what in said}
    assert [done for done, _, _ in said] == sorted(done for done, _, _ in said)

    part = sweep(skewed(), ["class 3"], [4, 8, 12, 24], progress=lambda *_: False, **arguments)
    assert_array_equal(part.losses[:, :2, :2], whole.losses[:, :2, :2, :1])
    assert np.isnan(part.losses[:, 2:]).all()
    assert len(part.curve("lda").mean) == 2
    calls = iter([True] * 5 + [False])
    later = sweep(
        skewed(), ["class 3"], [4, 8, 12, 24], progress=lambda *_: next(calls), **arguments
    )
    assert_array_equal(later.losses, whole.losses[:, :, :, :1]), "an unfinished split is left out"


def test_intervals_count_the_training_rows_that_the_seeds_share():
    data = lincore.sample("gaussian")
    found = sweep(data, ["class 3"], [5], "lda", repeats=4)
    (others, small), full = (found.sizes[0, :2], found.sizes[0, 2]), found.sizes[1]
    # Two seeds share a row of 5 of N with probability 5 / N, and those of whole classes as ever.
    shared = (others.sum() + small**2 / full[2]) / (others.sum() + small) ** 2 * full.sum()
    assert 1 < shared < full.sum() / found.sizes[0].sum()
    for curve, kind, factor in ((0, "as trained", shared), (2, "rarer", 1)):
        grid = size_grid(found, kind=kind)
        losses = found.losses[0, 0, curve, :, found.loss_names.index("error")]
        expected = over_seeds(losses, factor * found.test_ratio, grain=found.grain("error"))
        assert_allclose([grid.mean[0, 0], grid.low[0, 0], grid.high[0, 0]], expected)


def test_small_training_sets_that_share_no_rows_are_not_corrected_further():
    data = lincore.sample("iris")
    found = sweep(data, data.classes.tolist(), [5], "lda", repeats=2)
    assert found.sizes.tolist() == [[5] * 3, [35] * 3]
    assert_allclose(found.test_ratios("as trained"), found.test_ratio)
