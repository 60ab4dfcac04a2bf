"""Drift of columns: SciPy's tests, Holm over the columns, effects that rows do not change."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import lincore
from lincore import DataError
from lincore.displays import DriftDisplay
from lincore.prediction import drift, predict


@pytest.fixture(scope="module")
def passengers():
    return lincore.sample("passengers")


def test_p_values_are_those_of_scipy(passengers):
    women = passengers.to_frame().query("sex == 'female'")
    table = drift(passengers, women).set_index("column")
    frame = passengers.to_frame()
    for name in ("age", "fare", "relatives"):
        test = stats.ks_2samp(frame[name].dropna(), women[name].dropna())
        assert table.loc[name, "p"] == pytest.approx(test.pvalue)
        assert table.loc[name, "effect"] == pytest.approx(test.statistic, abs=1e-6)
    for name in ("sex", "port"):
        counts = np.array([one[name].value_counts(sort=False).to_numpy() for one in (frame, women)])
        p = stats.chi2_contingency(counts, correction=False).pvalue
        assert table.loc[name, "p"] == pytest.approx(p)
        shares = counts / counts.sum(axis=1, keepdims=True)
        assert table.loc[name, "effect"] == pytest.approx(
            np.abs(shares[0] - shares[1]).sum() / 2, abs=1e-6
        )
    assert "deck missing" in table.index and table.loc["deck missing", "kind"] == "missing"
    assert table.index[0] == "sex" and table.loc["sex", "size"] == "large"


def test_p_values_are_adjusted_over_all_lines():
    data = lincore.sample("wine")
    table = drift(data, data.take(slice(0, 80)))
    order = table["p"].argsort()
    p = table["p"].to_numpy()[order]
    expected = np.maximum.accumulate(np.minimum(1, p * np.arange(len(p), 0, -1)))
    np.testing.assert_allclose(table["p (Holm)"].to_numpy()[order], expected)


def test_with_many_rows_the_effect_leads():
    rng = np.random.default_rng(0)
    names = {"x": 0.03, "z": 1.0}
    frames = [
        pd.DataFrame({name: rng.normal(by * shift, 1, 100_000) for name, by in names.items()})
        for shift in (0, 1)
    ]
    data = lincore.load(frames[0].assign(kind=["a", "b"] * 50_000), target="kind")
    table = drift(data, frames[1]).set_index("column")
    assert table.loc["x", "p (Holm)"] < 0.001 and table.loc["x", "size"] == "negligible"
    assert table.loc["z", "size"] == "large"
    assert DriftDisplay(table.reset_index()).finding().startswith("1 of 2 columns differs notably")


def test_unseen_levels_and_few_rows_count_too(passengers):
    new = passengers.to_frame().astype({"port": str}).assign(port="Cork")
    table = drift(passengers, new).set_index("column")
    assert table.loc["port", "effect"] == pytest.approx(1.0)
    assert "not seen" in table.loc["port", "change"] or "0.0 %" in table.loc["port", "change"]
    one = drift(passengers, new.head(1))
    assert (one["p"].dropna() >= 0).all()
    without = drift(passengers, new.drop(columns="port"))
    assert "port" not in set(without["column"])


def test_shares_of_missing_values_have_lines_of_their_own(passengers):
    new = passengers.to_frame()
    new.loc[: len(new) // 2 - 1, "fare"] = np.nan
    line = drift(passengers, new).set_index("column").loc["fare missing"]
    before = passengers.to_frame()["fare"].isna().mean()
    assert line["effect"] == pytest.approx(abs(new["fare"].isna().mean() - before), abs=1e-6)
    assert line["change"].endswith("% missing") and line["size"] == "large"


def test_counted_words_are_compared_by_their_number():
    texts = pd.DataFrame({"text": ["good film", "bad film"] * 20, "y": ["a", "b"] * 20})
    data = lincore.load(texts, target="y", roles={"text": "text"})
    model = lincore.compare(data, "multinomial-nb", keep_models=True).model("multinomial-nb")
    new = predict(model, pd.DataFrame({"text": ["good good bad film"] * 20}))
    (line,) = new.drift(data).frame().itertuples()
    assert line.column == "words known from training"
    assert line.effect == 1 and line.change == "median 2 → 4"


@pytest.mark.parametrize(
    ("effect", "size"),
    [
        (0.08, "negligible"),
        (0.12, "small"),
        (0.2, "small"),
        (0.24, "moderate"),
        (0.31, "moderate"),
        (0.35, "large"),
    ],
)
def test_effects_are_called_by_their_size(effect, size):
    frame = pd.DataFrame({"level": ["u", "v", "u", "w"] * 250, "kind": ["a", "a", "b", "b"] * 250})
    n = round(1_000 * (0.5 + effect))
    new = pd.DataFrame({"level": (["u"] * n + ["v", "w"] * 250)[:1_000]})
    (found,) = drift(lincore.load(frame, target="kind"), new).to_dict("records")
    assert (found["effect"], found["size"]) == (effect, size)
    assert found["change"] == f"u 50.0 % → {100 * (0.5 + effect):.1f} %"


def test_many_levels_without_drift_are_negligible_and_every_p_is_known():
    rng = np.random.default_rng(0)
    levels = [f"level {k}" for k in range(140)]
    frame = pd.DataFrame({"level": rng.choice(levels, 1200), "kind": ["a", "b"] * 600})
    data = lincore.load(frame, target="kind")
    (few,) = drift(data.take(slice(0, 600)), data.take(slice(600, 1200))).to_dict("records")
    assert few["effect"] > 0.15 and few["size"] == "negligible"
    one = drift(data.take(slice(0, 600)), data.take(slice(600, 603)))
    assert one["p"].notna().all() and one["p (Holm)"].notna().all()
    assert "beyond chance" in DriftDisplay(one).finding()


def test_images_are_compared_by_brightness_and_contrast():
    digits = lincore.sample("digits")
    model = lincore.compare(digits, "naive-bayes", keep_models=True).model("naive-bayes")
    dark = predict(model, digits.X // 2)
    table = dark.drift(digits).frame().set_index("column")
    assert table.loc["brightness", "size"] == "large"
    assert "No column" in DriftDisplay(drift(digits, digits)).finding()
    with pytest.raises(DataError, match="features are expected"):
        drift(digits, digits.X[:, :3])
