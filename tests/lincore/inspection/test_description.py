"""Columns by class against pandas and SciPy: association, correlation, distribution, summary."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy import stats

import lincore
from lincore import Dataset, inspection
from lincore.io import frame_to_table, table_to_dataset


@pytest.fixture(scope="module")
def mixed():
    """Return a frame with gaps, levels and unequal classes, and its data set."""
    rng = np.random.default_rng(7)
    codes = rng.choice(3, 400, p=[0.6, 0.3, 0.1])
    frame = pd.DataFrame(
        {
            "near": rng.normal(size=400) + 1e6,
            "far": rng.normal(size=400) + 2.0 * codes,
            "sex": np.where(rng.random(400) < 0.2 + 0.3 * codes, "m", "f"),
            "town": rng.choice([f"town {i}" for i in range(30)], 400),
            "y": np.array(["a", "b", "c"])[codes],
        }
    )
    frame["also"] = 0.5 * frame["far"] + rng.normal(size=400)
    frame.loc[::7, "far"] = np.nan
    frame.loc[::11, "also"] = np.nan
    frame.loc[::5, "sex"] = None
    return frame, table_to_dataset(frame_to_table(frame, "mixed"), "y")


def column(data, name):
    return inspection.column_values(data, data.feature_names.index(name))


def strengths(data):
    """Return the association of each column with the classes, by name."""
    return {one.name: one.value for one in inspection.associations(data)}


def test_the_correlation_ratio_is_that_of_the_analysis_of_variance(mixed):
    frame, data = mixed
    part = frame[["far", "y"]].dropna()
    F = stats.f_oneway(*(group["far"] for _, group in part.groupby("y"))).statistic
    n, K = len(part), 3
    share = F * (K - 1) / (F * (K - 1) + n - K)
    adjusted = 1 - (1 - share) * (n - 1) / (n - K)
    assert strengths(data)["far"] == pytest.approx(np.sqrt(adjusted), rel=1e-12)


def test_cramers_v_is_bergsmas(mixed):
    frame, data = mixed
    table = pd.crosstab(frame["sex"], frame["y"]).to_numpy()
    n, (r, k) = table.sum(), table.shape
    v = stats.contingency.association(table, method="cramer")
    phi = v**2 * min(r - 1, k - 1) - (r - 1) * (k - 1) / (n - 1)
    least = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1
    assert strengths(data)["sex"] == pytest.approx(np.sqrt(phi / least), rel=1e-12)


def test_the_column_that_separates_comes_first_and_rare_levels_last(mixed):
    ranked = inspection.associations(mixed[1])
    assert ranked[0].name == "far"
    assert ranked[0].measure == "eta"
    values = {one.name: one.value for one in ranked}
    assert values["town"] < 0.1, "thirty levels that have nothing to do with the classes"
    assert values["near"] < 0.1
    assert [one.value for one in ranked] == sorted(values.values(), reverse=True)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_extreme_units_and_columns_without_values_are_no_fault(scale):
    X = np.array([[1.0, 5.0, np.nan], [2.0, 5.0, np.nan], [8.0, 5.0, np.nan], [9.0, 5.0, 1.0]])
    codes, names = np.array([0, 0, 1, 1]), ("u", "v", "w")
    data = Dataset("made", X * scale, codes, np.array(["a", "b"]), names)
    found = strengths(data)
    assert found["u"] == pytest.approx(np.sqrt(1 - 1 / 50 * 3 / 2), rel=1e-9)
    assert (found["v"], found["w"]) == (0.0, 0.0)
    assert np.isfinite(inspection.class_densities(X[:, 0] * scale, [0, 0, 1, 1], 2).values).all()
    matrix = inspection.correlation_matrix(X * scale, [0, 0, 0, 0])
    assert matrix[0, 0] == pytest.approx(1)
    assert np.isnan(matrix[0, 1:]).all()


def test_total_correlations_are_those_of_pandas(mixed):
    frame, data = mixed
    found = inspection.correlations(data, within=False)
    assert found.names == ["near", "far", "sex = m", "also"]
    numeric = frame.assign(sex=frame["sex"].map({"f": 0.0, "m": 1.0}))
    wanted = numeric[["near", "far", "sex", "also"]].corr().to_numpy()
    np.testing.assert_allclose(found.matrix, wanted, atol=1e-9)


def test_correlations_within_classes_are_those_of_the_rows_that_a_pair_shares(mixed):
    frame, data = mixed
    found = inspection.correlations(data, within=True)
    part = frame[["far", "also", "y"]].dropna()
    left = part[["far", "also"]] - part.groupby("y")[["far", "also"]].transform("mean")
    i, j = found.names.index("far"), found.names.index("also")
    assert found.matrix[i, j] == pytest.approx(left.corr().iloc[0, 1], abs=1e-12)
    total = inspection.correlations(data, within=False)
    assert found.matrix[i, j] < total.matrix[i, j], "the classes lie apart in both"


def test_of_many_columns_those_of_the_strongest_pairs_are_shown():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 50))
    X[:, 40] = X[:, 7] + 0.1 * X[:, 40]
    X[:, 20] = X[:, 31] + 0.2 * X[:, 20]
    data = lincore.load((X, rng.integers(0, 2, 300)))
    found = inspection.correlations(data, within=True, most=4)
    assert found.names == [f"feature {i}" for i in (8, 21, 32, 41)]
    assert found.n_columns == 50
    assert found.strongest() == (0, 3)
    order = inspection.correlations(data, within=True, most=4, clustered=True).names
    assert abs(order.index("feature 8") - order.index("feature 41")) == 1
    assert abs(order.index("feature 21") - order.index("feature 32")) == 1


def test_the_summary_is_that_of_pandas(mixed):
    frame, data = mixed
    columns = [data.feature_names.index(name) for name in ("far", "sex")]
    numbers, levels = inspection.summarise_columns(data, columns)
    wanted = frame.groupby("y")["far"].describe()
    found = numbers.set_index("class")
    for ours, theirs in (
        ("n", "count"),
        ("mean", "mean"),
        ("sd", "std"),
        ("median", "50%"),
        ("q25", "25%"),
        ("q75", "75%"),
        ("min", "min"),
        ("max", "max"),
    ):
        np.testing.assert_allclose(found[ours][["a", "b", "c"]], wanted[theirs], rtol=1e-12)
    gone = frame["far"].isna().groupby(frame["y"]).mean()
    np.testing.assert_allclose(found["missing"][["a", "b", "c"]], 100 * gone)
    assert found.loc["all", "missing"] == pytest.approx(100 * frame["far"].isna().mean())
    top = levels.set_index("class").loc["c"]
    counts = frame.loc[frame["y"] == "c", "sex"].value_counts()
    assert (top["most frequent"], top["share"]) == (
        counts.index[0],
        pytest.approx(100 * counts.iloc[0] / counts.sum()),
    )


def test_histograms_boxes_and_levels_count_every_row_with_a_value(mixed):
    frame, data = mixed
    values = column(data, "far")
    drawn = inspection.class_histograms(values, data.codes, 3)
    assert drawn.counts.sum(axis=1).tolist() == frame.groupby("y")["far"].count().tolist()
    np.testing.assert_allclose(drawn.shares().sum(axis=1), 1)
    found = inspection.box_plot_statistics(values, data.codes, 3)
    wanted = frame.groupby("y")["far"].quantile([0.25, 0.5, 0.75]).unstack()
    np.testing.assert_allclose(np.column_stack([found.q1, found.median, found.q3]), wanted)
    names = data.levels[data.feature_names.index("town")]
    towns = inspection.level_counts(column(data, "town"), data.codes, 3, names, most=10)
    assert towns.levels[-1] == "other levels (20)"
    assert towns.counts.sum() == 400
    np.testing.assert_allclose(towns.of_class().sum(axis=1), 1)
    np.testing.assert_allclose(towns.of_level().sum(axis=0), 1)


def test_a_density_integrates_to_one_and_few_whole_numbers_have_a_bar_each(mixed):
    _, data = mixed
    found = inspection.class_densities(column(data, "far"), data.codes, 3)
    seen = column(data, "far")
    room = 0.1 * (np.nanmax(seen) - np.nanmin(seen))
    ends = [np.nanmin(seen) - room, np.nanmax(seen) + room]
    np.testing.assert_allclose(found.grid[[0, -1]], ends)
    areas = np.trapezoid(found.values, found.grid, axis=1)
    assert ((areas > 0.9) & (areas < 1.001)).all()
    wanted = stats.gaussian_kde(
        column(data, "far")[(data.codes == 2) & np.isfinite(column(data, "far"))]
    )
    np.testing.assert_allclose(found.values[2], wanted(found.grid), rtol=1e-9)
    drawn = inspection.class_histograms([0, 1, 1, 3], [0, 0, 1, 1], 2)
    assert drawn.edges.tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5]


def test_columns_without_any_value_are_drawn_empty():
    gone = [np.nan, np.nan]
    assert inspection.class_histograms(gone, [0, 1], 2).counts.sum() == 0
    assert np.isnan(inspection.class_densities(gone, [0, 1], 2).values).all()
    assert np.isnan(inspection.box_plot_statistics(gone, [0, 1], 2).median).all()
    assert inspection.class_histograms([3.5, 3.5], [0, 1], 2).counts.sum() == 2


def test_words_are_counted_by_the_rows_that_have_them():
    counts = sp.csr_array(np.array([[2.0, 0, 1], [0, 0, 1], [0, 3, 1], [1, 1, 1]]))
    data = lincore.data.dataset.Dataset(
        "text",
        counts,
        np.array([0, 0, 1, 1]),
        np.array(["ham", "spam"]),
        ("hello", "win", "the"),
        n_words=3,
    )
    found = inspection.word_shares(data)
    assert found.words == ["the", "hello", "win"]
    np.testing.assert_allclose(found.shares, [[1, 0.5, 0], [1, 0.5, 1]])
    assert inspection.word_shares(data, order="characteristic").words[0] == "win"
