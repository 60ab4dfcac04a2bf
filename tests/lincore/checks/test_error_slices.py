"""Errors by part of the test rows, against counting by hand and scipy's test."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

import lincore
from lincore.checks import error_slices, parts_of
from lincore.metrics import holm


@pytest.fixture(scope="module")
def model():
    return lincore.fit(lincore.sample("passengers"), "lda")


def test_parts_of_a_column_cover_all_test_rows_once(model):
    frame = model.data.to_frame().iloc[model.results.rows].reset_index(drop=True)
    sexes = {part.values: part.inside for part in parts_of(model, "sex")}
    assert set(sexes) == {"female", "male"}
    assert sexes["female"].tolist() == (frame["sex"] == "female").tolist()
    ages = parts_of(model, "age")
    assert np.sum([part.inside for part in ages], axis=0).tolist() == [1] * len(frame)
    assert ages[-1].values == "missing"
    assert ages[-1].inside.tolist() == frame["age"].isna().tolist()
    train = model.data.to_frame().iloc[model.split.train]["age"].dropna()
    assert ages[0].values == f"at most {np.quantile(train, 0.25):.0f}"


def test_errors_and_tests_are_those_by_hand(model):
    wrong = model.results.predicted[0] != model.results.truth
    found = error_slices(model)
    inside = {(p.feature, p.values): p.inside for p in parts_of(model)}
    assert {(one.feature, one.values) for one in found} == set(inside)
    for one in found:
        here = inside[one.feature, one.values]
        table = pd.crosstab(here, wrong).to_numpy()
        assert one.p == pytest.approx(fisher_exact(table).pvalue)
        assert one.error == pytest.approx(wrong[here].mean()) and one.low <= one.error <= one.high
        assert one.elsewhere == pytest.approx(wrong[~here].mean())
    assert [one.p for one in found] == sorted(one.p for one in found)
    # Men and women are all rows: one comparison, not two.
    distinct = {min(here.tobytes(), (~here).tobytes()): key for key, here in inside.items()}
    assert len(distinct) == len(inside) - 1
    p = {(one.feature, one.values): one.p for one in found}
    expected = holm(np.sort([p[key] for key in distinct.values()]))
    assert found[0].p_holm == pytest.approx(expected[0])


def test_of_one_column_the_display_lists_recall_by_class(model):
    shown = model.error_slices(column="sex")
    lines = shown.frame().set_index(["sex", "class"])
    frame = model.data.to_frame().iloc[model.results.rows].reset_index(drop=True)
    hit = model.results.predicted[0] == model.results.truth
    for sex in ("female", "male"):
        for code, label in enumerate(model.data.classes):
            own = (frame["sex"] == sex).to_numpy() & (model.results.truth == code)
            assert lines.loc[(sex, label), "rows"] == own.sum()
            assert lines.loc[(sex, label), "recall"] == pytest.approx(hit[own].mean())
    assert "By 'sex'" in shown.finding() and "(female)" in shown.finding()


def test_where_errors_differ_it_is_said_and_where_they_do_not_it_is_not():
    rng = np.random.default_rng(0)
    y, part = rng.integers(2, size=900), rng.integers(3, size=900)
    x = 4 * y + rng.normal(size=900) * np.where(part == 2, 6, 1)
    frame = pd.DataFrame({"x": x, "part": np.array(["a", "b", "c"])[part], "y": y})
    model = lincore.fit(lincore.load(frame, target="y"), "lda")
    assert "errs more often where 'part' is c" in model.error_slices().finding()
    # On a feature of two levels no row is nearer to the boundary than others.
    signs = np.where(rng.uniform(size=900) < 0.8, y, 1 - y)
    alike = lincore.load(frame.assign(x=signs.astype(str)), target="y")
    assert "in any part" in lincore.fit(alike, "lda").error_slices().finding()


def test_rows_in_groups_are_not_tested():
    frame = lincore.sample("passengers").to_frame().assign(person=np.arange(900) // 3)
    data = lincore.load(frame, target="survived", roles={"person": "group"})
    found = error_slices(lincore.fit(data, "lda"))
    assert found and np.isnan([[one.p, one.p_holm, one.low] for one in found]).all()
    assert "not tested" in lincore.fit(data, "lda").error_slices().finding()


def test_images_have_no_parts():
    model = lincore.fit(lincore.sample("digits"), "lda")
    assert parts_of(model) == [] and "No part" in model.error_slices().finding()


def test_weights_of_rows_count_as_in_the_other_scores():
    frame = lincore.sample("passengers").to_frame()
    frame["w"] = np.random.default_rng(0).integers(1, 9, len(frame))
    model = lincore.fit(lincore.load(frame, target="survived", weights="w"), "lda")
    wrong = model.results.predicted[0] != model.results.truth
    weight = frame["w"].to_numpy()[model.results.rows]
    inside = {(p.feature, p.values): p.inside for p in parts_of(model)}
    for one in error_slices(model):
        here = inside[one.feature, one.values]
        assert one.error == pytest.approx(np.average(wrong[here], weights=weight[here]))
        assert one.elsewhere == pytest.approx(np.average(wrong[~here], weights=weight[~here]))
    error = 1 - model.scores().frame().set_index("score")["value"]["accuracy"]
    assert f"{100 * error:.1f}" in model.error_slices().scope()
    lines = model.error_slices(column="sex").frame().set_index(["sex", "class"])
    own = inside["sex", "female"] & (model.results.truth == 1)
    expected = np.average(~wrong[own], weights=weight[own])
    assert lines.loc[("female", "yes"), "recall"] == pytest.approx(expected)


def test_of_one_column_without_a_range_none_is_stated():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 120)
    frame = pd.DataFrame({"x": rng.normal(20 * codes), "class": codes})
    apart = lincore.fit(lincore.load(frame, target="class"), "lda")
    said = apart.error_slices(column="x").finding()
    assert said == "By 'x', the error is 0.0 % in every part with enough test rows."
    levels = np.where(np.arange(120) % 12 < 9, "a", np.where(np.arange(120) % 2, "b", "c"))
    frame = pd.DataFrame({"x": rng.normal(codes), "level": levels, "class": codes})
    few = lincore.fit(lincore.load(frame, target="class"), "lda")
    said = few.error_slices(column="level").finding()
    assert said.startswith("By 'level', only one part has enough test rows: its error is ")
