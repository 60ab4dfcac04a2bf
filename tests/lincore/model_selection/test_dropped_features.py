"""Fits without each feature, against fits to tables without the column."""

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import DataError, plots
from lincore.metrics import score_table
from lincore.model_selection import Steps, can_drop_features, drop_features


@pytest.mark.parametrize("method", ["lda", "qda", "logistic", "fisher"])
def test_a_fit_without_a_feature_is_that_to_a_table_without_the_column(method):
    iris = lincore.sample("iris")
    model = lincore.fit(iris, method)
    found = drop_features(model)
    names = list(iris.feature_names)
    assert found.methods == (model.name, *(f"without {name}" for name in names))
    for j, name in enumerate(names):
        less = lincore.load((np.delete(iris.X, j, axis=1), iris.y), name="iris")
        expected = lincore.fit(less, method, model.split).results
        own = found.select(f"without {name}")
        assert own.predicted.tolist() == expected.predicted.tolist()
        np.testing.assert_allclose(own.log_proba, expected.log_proba, rtol=1e-7, atol=1e-9)


def test_all_levels_of_a_category_and_its_gaps_are_one_feature():
    data = lincore.sample("passengers")
    model = lincore.fit(data, "lda")
    frame = data.to_frame().drop(columns="deck")
    less = lincore.load(frame, target=data.target_name, name="passengers")
    expected = lincore.fit(less, "lda", model.split).results
    own = drop_features(model).select("without deck")
    assert own.predicted.tolist() == expected.predicted.tolist()


def test_losses_are_differences_of_the_scores_whatever_better_means():
    model = lincore.fit(lincore.sample("iris"), "lda")
    results = drop_features(model)
    for score, sign in (("accuracy", 1), ("log loss", -1)):
        shown = model.dropped_features(known=results, score=score)
        values = score_table(results, [score]).set_index("method")["value"]
        lost = shown.frame().set_index("feature")["loss"]
        for name in model.data.feature_names:
            expected = sign * (values[model.name] - values[f"without {name}"])
            assert lost[name] == pytest.approx(expected, abs=1e-12)
        assert lost.is_monotonic_decreasing


def test_the_finding_names_the_feature_that_matters_and_none_that_does_not():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    X = np.column_stack([3 * y + rng.normal(size=400), rng.normal(size=400)])
    model = lincore.fit(lincore.load((pd.DataFrame(X, columns=["signal", "noise"]), y)), "lda")
    shown = model.dropped_features(score="accuracy")
    assert "loses most without 'signal'" in shown.finding()
    assert "1 of 2 features" in shown.finding()
    noise = lincore.fit(lincore.load((X[:, [1]] + rng.normal(size=(400, 6)), y)), "lda")
    shown = noise.dropped_features(score="log loss")
    zeros = plots.coefficients(["a", "b", "c"], [2, 0, -3], low=[1, -1, -4], high=[3, 1, -2],
                               is_ordered=True)  # fmt: skip
    assert list(zeros.layout.yaxis.ticktext) == ["a", "b", "c"]
    assert "not shown to get worse" in shown.finding()
    assert shown.frame()["loss"].iloc[-1] < 0, "some features only harm"
    assert list(shown.plot().layout.yaxis.ticktext) == shown.table()["without"].tolist()


@pytest.mark.parametrize("steps", [Steps(n_components=2), Steps(basis="polynomial(degree=2)")])
def test_mixed_features_are_not_left_out(steps):
    model = lincore.fit(lincore.sample("iris"), "lda", steps=steps)
    assert not can_drop_features(model)
    with pytest.raises(DataError, match="separate inputs"):
        drop_features(model)
    shown = model.dropped_features()
    assert "separate inputs" in shown.finding() and shown.plot() is None and shown.frame().empty


def test_a_stop_keeps_what_is_finished():
    model = lincore.fit(lincore.sample("iris"), "lda")
    found = drop_features(model, progress=lambda done, total, what: done < 2)
    assert len(found.methods) == 3


def test_the_display_names_what_was_not_fitted():
    model = lincore.fit(lincore.sample("iris"), "lda")
    found = drop_features(model, progress=lambda done, total, what: done < 3)
    notes = " ".join(model.dropped_features(known=found).notes())
    assert "Not fitted without petal width (cm)." in notes
