"""Sites that share moments give the numbers that their rows in one file give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

import lincore
from lincore.data import Dataset, Split
from lincore.errors import DataError
from lincore.federation import (
    SharedMoments,
    SharedScores,
    merge,
    read_summary,
    score_rows,
    summarise,
    summary_bytes,
)
from lincore.imbalance import fit_sizes, fit_study
from lincore.imbalance._trial_losses import trial_losses
from lincore.imbalance.shared.study import NEED_ROWS
from lincore.imbalance.subsets import NestedSubsets
from lincore.imbalance.trials import Plan, Trial, outcomes
from lincore.metrics.intervals import wilson
from lincore.model_selection import Steps, as_methods, plan_folds

METHODS = ("lda", "qda", "naive-bayes", "least-squares", "lda(shrinkage=0.2)")
FOLDS = 4


def site(rng: np.random.Generator, sizes: tuple[int, ...], name: str) -> Dataset:
    """Return rows of classes "c10", "c2" and "c1", as many of each as is asked for."""
    present = [k for k, size in enumerate(sizes) if size]
    codes = np.repeat(np.arange(len(present)), [sizes[k] for k in present])
    means = np.array([[0, 0, 0], [2, 1, 0], [0, 2, 3]])[present]
    X = 1e4 + means[codes] + rng.normal(size=(len(codes), 3))
    labels = np.array(["c1", "c2", "c10"])[present]
    return Dataset(name, X, codes, labels, ("a", "b", "c"), target_name="kind")


@pytest.fixture(scope="module")
def sites() -> list[Dataset]:
    rng = np.random.default_rng(0)
    return [
        site(rng, sizes, f"site {i}")
        for i, sizes in enumerate([(90, 120, 80), (85, 0, 100), (150, 80, 0)])
    ]


@pytest.fixture(scope="module")
def merged(sites: list[Dataset]) -> SharedMoments:
    files = [summary_bytes(summarise(data, n_folds=FOLDS)) for data in sites]
    return merge([read_summary(raw, f"{i}.npz") for i, raw in enumerate(files)])


@pytest.fixture(scope="module")
def pooled(sites: list[Dataset]) -> tuple[Dataset, list[tuple[np.ndarray, np.ndarray]]]:
    """All rows in one file, and the folds that the sites dealt theirs over."""
    classes = np.array(["c1", "c2", "c10"])
    codes = np.concatenate(
        [
            np.searchsorted([0, 1, 2], [classes.tolist().index(label) for label in data.y])
            for data in sites
        ]
    )
    X = np.concatenate([data.X for data in sites])
    parts, start = [[] for _ in range(FOLDS)], 0
    for data in sites:
        for fold in plan_folds(data, f"{FOLDS}-fold", 0):
            parts[fold.fold].append(start + fold.test)
        start += data.n_rows
    everything = np.arange(start)
    tests = [np.concatenate(part) for part in parts]
    folds = [(np.setdiff1d(everything, test), np.sort(test)) for test in tests]
    return Dataset("pooled", X, codes, classes, ("a", "b", "c"), target_name="kind"), folds


@pytest.mark.parametrize("method", METHODS)
def test_a_fit_of_merged_moments_is_that_of_all_rows(method, merged, pooled):
    data, _ = pooled
    model = merged.fit(method)
    alone = lincore.model_selection.as_method(method).fresh(3).fit(data.X, data.y)
    assert model.classes_.tolist() == sorted(data.classes.tolist())
    assert_allclose(
        model.decision_function(data.X), alone.decision_function(data.X), rtol=1e-8, atol=1e-8
    )
    if hasattr(alone, "covariance_"):
        assert_allclose(model.covariance_, alone.covariance_, rtol=1e-10)


def test_cross_validation_over_sites_is_that_of_all_rows(merged, pooled, sites):
    data, folds = pooled
    expected = lincore.compare(data, METHODS, folds, steps=Steps(standardize=False)).table(
        wide=True
    )
    scores = [score_rows(merged, one, METHODS) for one in sites]
    found = (scores[0] + scores[1] + scores[2]).table()
    names = list(found.columns)  # those of losses are NaN where a method has no posteriors
    assert_allclose(
        found[names].loc[list(METHODS)], expected[names].loc[list(METHODS)].astype(float), rtol=1e-9
    )


def test_scores_of_sites_have_the_corrected_resampled_t_over_folds(merged, sites):
    first, *others = (score_rows(merged, one, METHODS) for one in sites)
    found = sum(others, first)
    counts = found.confusion[0]
    shares = counts.trace(axis1=1, axis2=2) / counts.sum(axis=(1, 2))
    error = np.sqrt(shares.var(ddof=1) * (1 / FOLDS + 1 / (FOLDS - 1)))
    interval = found.interval(METHODS[0], "accuracy")
    assert interval.value == counts.trace(axis1=1, axis2=2).sum() / counts.sum()
    # In the middle of its range Wilson's interval for so many rows is nearly that of Student.
    assert_allclose(
        interval.high - interval.low, 2 * stats.t.ppf(0.975, FOLDS - 1) * error, rtol=0.2
    )
    loss = found.interval(METHODS[0], "log loss")
    assert 0 < loss.low < loss.value < loss.high
    assert_allclose(loss.high / loss.value, loss.value / loss.low)


def test_folds_that_agree_say_nothing_of_chance():
    alike = SharedScores(
        ("lda",), np.tile(np.diag([30.0, 20.0]), (1, 4, 1, 1)), np.zeros((1, 4, 2))
    )
    share, low, high = wilson(200, 200)
    assert alike.interval("lda", "accuracy") == (share, low, high)
    assert np.isnan(alike.interval("lda", "balanced accuracy")[1:]).all()


def test_the_exact_sweep_over_sites_is_that_of_all_rows(merged, pooled, sites):
    data, folds = pooled
    size = 60
    share = size / merged.training()[1].count[merged.classes.tolist().index("c1")]
    models = fit_sizes(merged, "c1", [float(share)], METHODS)
    first, *others = (models.score_site(merged, one) for one in sites)
    found = sum(others, first).sweep()
    options = {"steps": Steps(standardize=False), "split": Split(*folds[1]), "repeats": 1}
    expected = lincore.sweep(data, "c1", [size], METHODS, **options)
    assert_allclose(found.losses[:, :, 2:, 1], expected.losses[:, :, 2:, 0], rtol=1e-10)
    assert not np.isnan(found.curve("qda", "error", "prior shift").mean).any()
    with pytest.raises(DataError, match="different methods or sizes"):
        first + fit_sizes(merged, "c1", [0.5], METHODS).score_site(merged, sites[0])
    with pytest.raises(DataError, match="shares of their rows"):
        fit_sizes(merged, "c4", [0.5])


def trial_of_folds(data, folds, chosen, blocks) -> Trial:
    """Return the rows of a study's subsets, which are whole folds after the tested one."""
    parts = [folds[(chosen + i) % FOLDS][1] for i in range(1, FOLDS)]
    order = tuple(np.concatenate([part[data.codes[part] == k] for part in parts]) for k in range(3))
    lengths = np.array([np.bincount(data.codes[part], minlength=3) for part in parts]).cumsum(0)
    sizes = {name: lengths[np.array(of) - 1, range(3)] for name, of in blocks.items()}
    sizes["oversampling"] = sizes["full"]
    totals = {name: rows.astype(float) for name, rows in sizes.items()}
    return Trial(0, Split(*folds[chosen]), NestedSubsets(order), sizes, totals)


@pytest.mark.parametrize("chosen", range(FOLDS))
def test_the_study_over_sites_is_that_of_the_same_rows(chosen, merged, pooled, sites):
    data, folds = pooled
    methods = (*METHODS, "fisher")
    models = fit_study(merged, {"c2": 1 / 3}, methods)
    first, *others = (models.score_site(merged, one) for one in sites)
    study = sum(others, first).study()
    blocks = {"full": [3, 3, 3], "reduced": [3, 1, 3], "control": [2] * 3, "undersampling": [1] * 3}
    trial = trial_of_folds(data, folds, chosen, blocks)
    known = [merged.classes.tolist().index(label) for label in data.classes.tolist()]
    for name in blocks:
        assert models.counts[name][chosen][known].tolist() == trial.sizes[name].tolist()
    plan = Plan(data, {}, as_methods(methods), Steps(standardize=False), trial.split, 0.3, 0)
    expected = trial_losses(plan, trial, outcomes(plan, [trial])[0])
    kept = [i for i, name in enumerate(study.conditions) if name not in NEED_ROWS]
    losses = [0, 1, 2, *(3 + k for k in known)]
    for m, name in enumerate(methods):
        found = study.losses[m, kept, chosen][:, losses]
        assert_allclose(found, expected[name].means[kept], rtol=1e-10, atol=1e-12)
    lost = study.attribution("qda", "recall of c2")
    assert_allclose(sum(part.value for part in lost.parts.values()), lost.total.value)
    remedies = {remedy.name: remedy for remedy in study.remedies("lda")}
    assert all(np.isnan(remedies[name].recovered.value) for name in NEED_ROWS)
    assert lincore.imbalance.choose_remedy(study, "lda").remedy.name not in NEED_ROWS


def test_a_study_of_sites_says_what_it_cannot_reduce(merged):
    for sizes, reason in [
        ({"c2": 0.9}, "3 are trained on"),
        ({"c4": 0.5}, "shares of their rows are wanted"),
        ({"c2": 20}, "shares of their rows are wanted"),
    ]:
        with pytest.raises(DataError, match=reason):
            fit_study(merged, sizes)
    with pytest.raises(DataError, match="different methods or sizes"):
        one, two = (fit_study(merged, {"c2": 0.3}, name) for name in ("lda", "qda"))
        rows = np.zeros((1, 3)), np.zeros(1, np.intp), np.zeros(1, np.intp)
        one.score(*rows) + two.score(*rows)


def test_columns_in_another_order_are_the_same_columns(sites):
    one, two = sites[:2]
    turned = replace(two, X=two.X[:, [2, 0, 1]], feature_names=("c", "a", "b"))
    apart = [summarise(data, n_folds=FOLDS) for data in (one, two, turned)]
    expected, found = merge(apart[:2]), merge([apart[0], apart[2]])
    assert_allclose(found.moments.scatter, expected.moments.scatter, rtol=1e-12)


def test_cells_of_few_rows_are_not_told():
    data = site(np.random.default_rng(1), (60, 60, 25), "small")
    with pytest.raises(DataError, match="only 12 rows in one of 2 folds"):
        summarise(data, n_folds=2)
    assert summarise(data, n_folds=2, smallest=12).smallest == 12


def test_what_does_not_belong_together_is_not_merged(sites):
    one, two = (summarise(data, n_folds=FOLDS) for data in sites[:2])
    for other, reason in [
        (one, "the same rows twice"),
        (replace(two, feature_names=("a", "b", "d")), "columns that only some sites have: c, d"),
        (replace(two, target_name="sort"), "classes by 'kind' and by 'sort'"),
        (summarise(sites[1], n_folds=3), "4 and 3 folds"),
    ]:
        with pytest.raises(DataError, match=reason):
            merge([one, other])


def test_what_wants_rows_is_refused(merged, sites):
    with pytest.raises(DataError, match="learns from rows"):
        merged.fit("logistic")
    with pytest.raises(DataError, match="not among those that were summed"):
        score_rows(merged, lincore.sample("iris"), ["lda"])
    weighted = lincore.load((sites[0].X, sites[0].y), weights=np.arange(1, 291))
    with pytest.raises(DataError, match="Weights of rows cannot be shared"):
        summarise(weighted)
    with pytest.raises(DataError, match="categories, text or gaps"):
        summarise(lincore.sample("passengers"))


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_damaged_files_are_refused(drawn):
    raw = bytearray(summary_bytes(summarise(lincore.sample("iris"), n_folds=2)))
    for _ in range(drawn.draw(st.integers(1, 4))):
        raw[drawn.draw(st.integers(0, len(raw) - 1))] = drawn.draw(st.integers(0, 255))
    cut = bytes(raw[: drawn.draw(st.sampled_from([len(raw), len(raw) // 2]))])
    try:
        found = read_summary(cut, "damaged.npz")
    except DataError:
        return
    assert isinstance(found, SharedMoments)
