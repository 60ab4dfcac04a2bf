"""Studies of tables larger than memory learn from the streamed rows as from rows in memory."""

from __future__ import annotations

import pickle
from dataclasses import replace

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import DataError
from lincore.data import Blocks, Dataset, RowBlock, RowSubset, Split
from lincore.imbalance import sweep
from lincore.io import TableOptions, read_table, table_to_dataset
from lincore.limits import LIMITS
from lincore.model_selection import Steps
from lincore.moments import Moments

METHODS = ["lda", "qda", "logistic(tol=1e-11)"]
SMALL = replace(LIMITS, max_table_bytes=100_000, max_rows_in_memory=600, max_drawn_bytes=30_000)


def table(**columns: np.ndarray) -> pd.DataFrame:
    """Return 4,000 rows of three features in two unequal classes."""
    rng = np.random.default_rng(5)
    codes = (rng.random(4_000) < 0.12).astype(int)
    X = (rng.normal(size=(4_000, 3)) * (1 + codes[:, None]) + codes[:, None]).round(6)
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    return frame.assign(label=np.array(["no", "yes"])[codes], **columns)


def streamed(frame: pd.DataFrame, **options: object) -> Dataset:
    """Return a table of which most rows are streamed."""
    raw = frame.to_csv(index=False).encode()
    read = read_table(raw, "big.csv", limits=SMALL)
    found = table_to_dataset(read, "label", TableOptions(**options))
    assert found.n_rows < 700 and found.n_rows + found.n_streamed == len(frame)
    return found


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Read many blocks of few rows."""
    monkeypatch.setattr("lincore.io.tables.streamed._delimited.BLOCK_CELLS", 3_500)


@pytest.fixture
def data() -> Dataset:
    """Return the table."""
    return streamed(table())


def streamed_rows(data: Dataset, subset: RowSubset | None = None) -> RowBlock:
    """Return the streamed rows, or some of them, as one block."""
    blocks = [block for part in data.blocks.parts for block in data.blocks.read(*part)]
    if subset is not None:
        blocks = [subset.of(block) for block in blocks]
    X, codes = (np.concatenate(part) for part in list(zip(*blocks, strict=True))[:2])
    weights = [block.weight for block in blocks]
    return RowBlock(X, codes, None if weights[0] is None else np.concatenate(weights))


def in_memory(data: Dataset, split: Split) -> tuple[Dataset, Split]:
    """Return the same rows, all in memory, and the same split."""
    rest = streamed_rows(data)
    weights = None if data.weights is None else np.concatenate([data.weights, rest.weight])
    everything = Dataset(
        data.name,
        np.vstack([data.X, rest.X]),
        np.concatenate([data.codes, rest.codes]),
        data.classes,
        data.feature_names,
        weights=weights,
    )
    beyond = np.arange(data.n_rows, everything.n_rows)
    return everything, Split(np.concatenate([split.train, beyond]), split.test)


#: Conditions in which every training row is used.
WHOLE = ("uncorrected", "corrected priors", "balanced weights", "both")


def assert_costs_equal(data: Dataset, methods: list[str], **settings: object) -> None:
    """Compare the cost of an imbalance with that of all rows in memory, where no row is drawn."""
    split = lincore.split(data, seed=1)
    everything, same = in_memory(data, split)
    found = lincore.imbalance_cost(data, methods, split=split, repeats=1, **settings)
    expected = lincore.imbalance_cost(everything, methods, split=same, repeats=1, **settings)
    assert found.settings.streamed == dict.fromkeys(found.methods, data.n_streamed)
    for name in ("counts", "totals", "sizes", "prevalence"):
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)
    assert_allclose(found.ratios.shares, expected.ratios.shares, rtol=1e-12)
    for method in methods:
        for condition in WHOLE:
            for loss in found.loss_names:
                values = (one.loss(method, condition, loss) for one in (found, expected))
                assert_allclose(*values, atol=1e-9)
            means = (one.mean_posterior(method, condition) for one in (found, expected))
            assert_allclose(*means, atol=1e-9)
        assert_allclose(found.curves[method].errors, expected.curves[method].errors, atol=1e-9)
    assert_allclose(found.size_losses[:, -1], expected.size_losses[:, -1], atol=1e-9)


def test_the_cost_of_an_imbalance_is_that_of_all_rows(data):
    assert_costs_equal(data, METHODS, miss_cost=3.0)
    assert_costs_equal(data, ["lda"], steps=Steps(n_components=2))


def test_weights_of_streamed_rows_count():
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 4_000).round(4)
    assert_costs_equal(streamed(table(weight=weight), roles={"weight": "weight"}), METHODS[-2:])


def test_intervals_of_new_splits_are_about_those_of_the_tested_rows(data):
    found = lincore.imbalance_cost(data, "lda", repeats=10)
    held = lincore.imbalance_cost(replace(data, blocks=None), "lda", repeats=10)
    level, other = (one.attribution("lda").uncorrected for one in (found, held))
    assert found.counts.sum() == held.counts.sum() + data.n_streamed
    assert found.test_ratio == held.test_ratio
    assert 0.7 < (level.high - level.low) / (other.high - other.low) < 1.1


def test_under_and_oversampling_have_the_effect_of_weights(data):
    found = lincore.imbalance_cost(data, ["lda", "logistic"], repeats=2)
    for method in found.methods:
        for name in ("undersampling", "oversampling"):
            # The same shares; only the choice of rows differs.
            both, drawn = (found.loss(method, one, "log loss") for one in ("both", name))
            assert_allclose(drawn.mean(), both.mean(), rtol=0.05)
            assert not np.array_equal(drawn, both)


@pytest.mark.parametrize("subset", ["full", "reduced", "control"])
def test_a_study_is_fitted_to_the_drawn_rows(data, subset):
    study = lincore.balance(data, {"yes": 0.3}, METHODS, repeats=1, seed=4)
    share = study.counts[subset] / study.counts["full"]
    assert study.counts["reduced"][1] == round(0.3 * study.counts["full"][1])
    streamed = streamed_rows(data, RowSubset(study.example.seed, tuple(share), (0.0, 0.0)))
    rows = study.example.rows[subset]
    X = np.vstack([data.X[study.example.split.test], data.X[rows], streamed.X])
    codes = [data.codes[study.example.split.test], data.codes[rows], streamed.codes]
    there = Dataset("there", X, np.concatenate(codes), data.classes, data.feature_names)
    n_test = study.n_test
    split = Split(np.arange(n_test, there.n_rows), np.arange(n_test))
    assert_array_equal(there.counts_in(split.train), study.counts[subset])
    results = study.example.results[subset]
    for method in METHODS if subset != "control" else ():  # its weights are balanced
        expected = lincore.fit(there, method, split).results.log_proba
        assert_allclose(results.select(method).log_proba, expected, atol=1e-9)


def test_a_study_that_has_been_sent_reads_no_rows(data, monkeypatch):
    study = lincore.balance(data, {"yes": 0.3}, "lda", repeats=2)
    sent = pickle.loads(cloudpickle.dumps(study))
    monkeypatch.setattr(Blocks, "fold", None)
    for condition in study.conditions:
        found, expected = (one.example.results[condition] for one in (sent, study))
        assert_array_equal(found.log_proba, expected.log_proba)


def test_a_sweep_ends_with_all_rows(data):
    split = lincore.split(data, seed=1)
    everything, same = in_memory(data, split)
    arguments = {"classes": ["yes"], "sizes": [0.2, 0.5], "methods": METHODS, "repeats": 1}
    found, expected = (
        sweep(data, split=split, **arguments),
        sweep(everything, split=same, **arguments),
    )
    assert_array_equal(found.sizes, expected.sizes)
    assert_allclose(found.losses[:, -1], expected.losses[:, -1], atol=1e-9)
    # Curves without a choice of rows: rarer classes are estimated from all rows.
    assert_allclose(found.losses[:2, :, 2:], expected.losses[:2, :, 2:], atol=1e-9)


def test_a_method_that_needs_rows_is_left_out(data):
    found = lincore.imbalance_cost(data, ["lda", "perceptron"], repeats=1)
    assert found.methods == ("lda",)
    assert "needs all rows in memory" in found.failures["perceptron"]
    with pytest.raises(DataError, match="are streamed: choose another method"):
        lincore.balance(data, {"yes": 0.5}, "perceptron", repeats=1)
    with pytest.raises(DataError, match="needs all rows in memory"):
        lincore.imbalance_cost(data, "lda", steps=Steps(basis="polynomial(degree=2)"), repeats=1)


def test_a_forecast_learns_nothing_from_rows_of_unknown_time(data):
    with pytest.warns(UserWarning, match=f"not the other {data.n_streamed:,}"):
        found = lincore.imbalance_cost(data, "lda", split="last", repeats=1)
    held = lincore.imbalance_cost(replace(data, blocks=None), "lda", split="last", repeats=1)
    assert_array_equal(found.counts, held.counts)
    for loss in ("recall of no", "recall of yes", "log loss"):
        values = (one.loss("lda", "uncorrected", loss) for one in (found, held))
        assert_array_equal(*values)


def numbered(n: int) -> RowBlock:
    """Return a block of numbered rows, half of each class."""
    numbers = np.arange(n, dtype=np.uint64)
    return RowBlock(numbers.astype(float)[:, None], np.arange(n) % 2, None, numbers)


def test_subsets_of_streamed_rows_are_random_and_nested():
    block = numbered(100_000)
    small = RowSubset(7, (0.2, 1.0), (0.0, 0.0)).times(block)
    large = RowSubset(7, (0.5, 1.0), (0.0, 0.0)).times(block)
    other = RowSubset(8, (0.5, 1.0), (0.0, 0.0)).times(block)
    assert set(large.tolist()) == {0, 1}
    assert (small <= large).all() and (large[1::2] == 1).all()
    assert small[::2].mean() == pytest.approx(0.2, abs=0.01)
    # Of other seeds, and of the next rows, they are independent.
    for one in (other[::2], np.roll(large[::2], 1)):
        assert np.corrcoef(large[::2], one)[0, 1] == pytest.approx(0, abs=0.02)


def test_copies_of_streamed_rows_are_poisson():
    block = numbered(100_000)
    times = RowSubset(7, (0.5, 1.0), (2.5, 0.0)).times(block)
    once = RowSubset(7, (0.5, 1.0), (0.0, 0.0)).times(block)
    assert (times[once == 0] == 0).all() and (times[1::2] == 1).all()
    own = (times - once)[(once > 0) & (block.codes == 0)]
    assert own.mean() == pytest.approx(2.5, abs=0.05) and own.var() == pytest.approx(2.5, abs=0.1)


def test_sums_of_subsets_are_those_of_their_rows():
    rng = np.random.default_rng(0)
    whole = numbered(3_000)._replace(X=rng.normal(size=(3_000, 2)) + 1e3)
    weighted = whole._replace(weight=rng.uniform(0.5, 2, 3_000))
    for every in (whole, weighted):
        moments = Moments.from_groups(every.X, every.codes, 2, every.weight)

        def read(start, every=every):
            part = [None if one is None else one[start : start + 500] for one in every]
            yield RowBlock(*part)

        counts = np.bincount(every.codes)
        blocks = Blocks(moments, counts, [(start,) for start in range(0, 3_000, 500)], read)
        subsets = [
            RowSubset(1, (0.3, 1.0), (0.0, 0.0)),
            RowSubset(2, (1.0, 0.6), (4.0, 0.0)),
            RowSubset(3, (1.0, 1.0), (0.0, 0.0)),
        ]
        for subset, sums in zip(subsets, blocks.sums_of(subsets), strict=True):
            times = subset.times(every)
            assert_array_equal(sums.counts, np.bincount(every.codes, times))
            weight = times if every.weight is None else times * every.weight
            expected = Moments.from_groups(every.X, every.codes, 2, weight)
            assert_allclose(sums.moments.count, expected.count)
            assert_allclose(sums.moments.mean, expected.mean, rtol=1e-13)
            assert_allclose(sums.moments.scatter, expected.scatter, rtol=1e-7)


def test_rows_without_numbers_have_no_subsets():
    block = RowBlock(np.zeros((2, 1)), np.array([0, 1]))
    with pytest.raises(ValueError, match="without numbers"):
        RowSubset(0, (0.5, 0.5), (0.0, 0.0)).of(block)
