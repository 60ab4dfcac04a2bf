"""The variance of mean losses with rows as sampling units: identities, and coverage in small."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import lincore
from lincore.metrics import RowSums, SplitLosses

CODES = np.repeat([0, 1], [12, 8])
NAMES = {"a": 0, "b": 1}


def of_split(rows, losses):
    """Return the losses (2, n) of a split that tests some rows and trains on the others."""
    every = losses[None]
    train = np.setdiff1d(np.arange(losses.shape[1]), rows)
    return SplitLosses(rows, every[..., rows], every[..., rows], train, every[..., train])


def rotated(losses, n_turns=5, codes=CODES, units=None):
    """Test every fifth row in turn; losses (2, n) do not depend on the training rows."""
    found = RowSums(codes, 2, units)
    for turn in range(n_turns):
        found.add(of_split(np.arange(turn % 4, len(codes), 4), losses))
    return found.variance(NAMES, NAMES, {}, 1 / 3)


def constant(found):
    """Without what rounding makes of models that never change."""
    return found._replace(effects=np.zeros_like(found.effects))


def test_of_rows_tested_equally_often_it_is_the_variance_of_the_mean():
    """Models that never change: each row is one observation, however many splits there are."""
    losses = np.random.default_rng(0).normal(size=(2, 20))
    difference = losses[0] - losses[1]
    expected = [np.var(part, ddof=1) / len(part) for part in (difference[:12], difference[12:])]
    for n_turns in (4, 8, 40):
        found = rotated(losses, n_turns)
        assert_allclose(found.means[0, 0, 0], losses[0, CODES == 0].mean())
        for weights in ([1.0, 0.0], [0.6, 0.4]):
            rows = constant(found).of(0, np.array(weights), {"a": 1.0, "b": -1.0})
            assert_allclose(rows, 4 / 3 * np.square(weights) @ expected)


def test_without_a_second_look_the_training_rows_have_their_share():
    losses = np.random.default_rng(1).normal(size=(2, 20))
    found = rotated(losses, 4)
    weights = np.array([0.5, 0.5])
    bare = found._replace(ratio=0.0).of(0, weights, {"a": 1.0})
    assert not found.effects.any()
    assert found.of(0, weights, {"a": 1.0}) == pytest.approx(bare * (1 + 1 / 3))


def test_models_that_differ_add_the_variance_of_their_splits():
    """Every loss of a split is higher or lower by its effect, which is found and scaled."""
    rng = np.random.default_rng(2)
    losses, effects = rng.normal(size=(2, 20)), rng.normal(size=24)
    found = RowSums(CODES, 2)
    for effect in effects:
        rows = rng.permuted(np.arange(20).reshape(5, 4), axis=1)[:, 0]
        rows = np.union1d(rows, [0, 19])  # both classes
        found.add(of_split(rows, losses + np.array([[effect], [0.0]])))
    known = found.variance(NAMES, NAMES, {}, 1 / 3)
    weights = np.array([0.6, 0.4])
    without = rotated(losses).of(0, weights, {"b": 1.0})
    assert known.of(0, weights, {"b": 1.0}) == pytest.approx(without, rel=0.5)
    training = known.of(0, weights, {"a": 1.0, "b": -1.0})
    assert training == pytest.approx(3 * np.var(effects, ddof=1), rel=0.4)


def test_what_splits_change_by_chance_counts_once():
    """Losses drawn anew in each split, by models that cancel: a mean over so many numbers."""
    codes, same = np.repeat([0, 1], [120, 80]), {"a": "b", "b": "b"}
    weights, less = np.array([0.5, 0.5]), {"a": 1.0, "b": -1.0}
    for spread in (0.0, 0.5):
        variances = []
        for seed in range(4):
            rng, found = np.random.default_rng(seed), RowSums(codes, 2)
            for turn in range(40):
                shift = spread * rng.normal(size=(1, 2, 1))
                losses = shift[0] + rng.normal(size=(2, 200))
                found.add(of_split(np.arange(turn % 4, 200, 4), losses))
            variances.append(found.variance(NAMES, NAMES, same, 1 / 3).of(0, weights, less))
        expected = 2 * (1 / 1200 + 1 / 800) / 4 + 2 * spread**2 / 40
        assert np.mean(variances) == pytest.approx(expected, rel=0.3)


def test_only_what_a_model_changes_on_all_rows_is_due_to_training_rows():
    """Losses that rise where rows are left out, and fall elsewhere, do not change the mean."""
    rng = np.random.default_rng(5)
    losses, weights, variances = rng.normal(size=(2, 20)), np.array([0.6, 0.4]), []
    for on_training_rows in (1.0, -1.0):
        found = RowSums(CODES, 2)
        for turn, effect in enumerate(rng.permutation(np.tile([-1.0, 1.0], 16))):
            split = of_split(np.arange(turn % 4, 20, 4), losses)
            shift = effect * np.array([[1.0], [0.0]])
            there = split.softened_trained + on_training_rows * shift
            found.add(split._replace(softened=split.softened + shift, softened_trained=there))
            found.own[0].levels[-1] += 1e-9 * effect  # models that change
        variances.append(found.variance(NAMES, NAMES, {}, 1 / 3).of(0, weights, {"a": 1.0}))
    assert variances[0] > 2.5
    assert variances[1] < 0.5


def test_copies_of_a_row_in_one_group_are_one_row():
    losses = np.random.default_rng(3).normal(size=(2, 20))
    alone = rotated(losses)
    codes, twice = np.tile(CODES, 2), np.tile(losses, 2)
    apart = rotated(twice, codes=codes)
    together = rotated(twice, codes=codes, units=np.tile(np.arange(20), 2))
    for contrast in ({"a": 1.0}, {"a": 1.0, "b": -1.0}):
        variances = [
            constant(found).of(0, np.array([0.5, 0.5]), contrast)
            for found in (alone, together, apart)
        ]
        assert variances[1] == pytest.approx(variances[0])
        assert variances[2] < 0.6 * variances[0]


def test_what_cancels_has_no_variance_and_no_rounding():
    losses = np.random.default_rng(4).normal(size=20) + 1e3
    found = rotated(np.stack([losses, losses + 1e-13]))
    assert found.of(0, np.array([0.5, 0.5]), {"a": 1.0, "b": -1.0}) == 0.0


def test_a_share_of_none_is_not_certain():
    found = rotated(np.zeros((2, 20)))
    weights = np.array([0.0, 1.0])
    assert found.of(0, weights, {"a": 1.0}) == 0.0
    share = 2 / 12
    assert found.of_shares(0, weights, "a") == pytest.approx(share * (1 - share) / 12)


def test_infinite_losses_have_no_interval_and_no_warning():
    losses = np.ones((2, 20))
    losses[0, 3] = np.inf
    found = rotated(losses)
    assert not found.of(0, np.array([0.5, 0.5]), {"a": 1.0}) > 0


def test_the_means_of_rows_are_those_of_the_seeds():
    data = lincore.sample("gaussian")
    study = lincore.balance(data, {"class 3": 15}, ["lda", "qda"], repeats=4)
    for method in study.methods:
        found = study.variances[method]
        for cell in study.conditions:
            recalls = [study.loss(method, cell, name).mean() for name in study.recall_names]
            assert_allclose(1 - found.means[0, :, found.conditions[cell]], recalls)
    cost = lincore.imbalance_cost(data, ["lda"], repeats=4)
    means = cost.variances["lda"].means[1, :, 0]
    assert_allclose(cost.prevalence @ means, cost.loss("lda", "uncorrected", "log loss").mean())


def test_one_test_part_for_all_seeds_has_the_variance_of_the_seeds():
    study = lincore.balance(lincore.sample("gaussian"), {"class 3": 15}, "lda", split="last")
    assert not study.variances and np.isnan(study.variance("lda", {"full": 1.0}))
