"""Stepwise selection as results, displays, command line and JSON show it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import metrics
from lincore.cli import main
from lincore.estimators import LinearDiscriminantAnalysis
from lincore.moments import Moments
from tests.lincore.references import stepwise_by_determinants

LINE = "lda(selection=stepwise)"


def noise(seed=0, n=60, p=40):
    X = np.random.default_rng(seed).standard_normal((n, p))
    return lincore.load((X, np.arange(n) % 2))


def selected(X, codes):
    """Return the features that the slow reference ends with."""
    chosen: set[int] = set()
    for feature, enters, *_ in stepwise_by_determinants(X, codes):
        chosen = chosen | {feature} if enters else chosen - {feature}
    return chosen


def test_every_fold_selects_from_its_training_rows():
    data = lincore.sample("wine")
    results = lincore.compare(data, ["lda", LINE], "5-fold")
    plain = lincore.compare(data, ["lda", LINE], "5-fold", preselection=False)
    assert plain.preselected is None and (plain.predicted == results.predicted).all()
    assert plain.digest != results.digest
    found = results.selections[LINE]
    assert found.features == tuple(map(str, data.feature_names)) and list(results.selections) == [
        LINE
    ]
    for fold, chosen in enumerate(found.chosen):
        train = np.setdiff1d(np.arange(data.n_rows), results.rows[results.fold == fold])
        assert set(np.flatnonzero(chosen)) == selected(data.X[train], data.codes[train])
    frame = results.selection().frame()
    often = dict(zip(found.features, found.chosen.sum(axis=0), strict=True))
    assert dict(zip(frame["feature"], frame["folds"], strict=True)) == often
    every = selected(data.X, data.codes)
    marked = {found.features.index(name) for name in frame.loc[frame["all rows"], "feature"]}
    assert marked == every
    assert "in each of 5 folds" in results.selection().finding() and results.selection().plot()


def test_optimism_is_the_difference_on_the_same_folds():
    data = noise()
    results = lincore.compare(data, LINE, "10-fold")
    (line,) = results.selection_optimism(score="accuracy").frame().to_dict("records")
    chosen = sorted(selected(data.X, data.codes))
    right = np.zeros(data.n_rows, dtype=bool)
    for fold in range(10):
        test = results.rows[results.fold == fold]
        train = np.setdiff1d(np.arange(data.n_rows), test)
        model = LinearDiscriminantAnalysis().fit(data.X[train][:, chosen], data.codes[train])
        right[test] = model.predict(data.X[test][:, chosen]) == data.codes[test]
    assert line["on all rows"] == pytest.approx(right.mean())
    inside = metrics.score(results, LINE, "accuracy").value
    assert line["optimism"] == pytest.approx(right.mean() - inside) and line["optimism"] > 0.1
    assert line["low"] < line["optimism"] < line["high"]
    losses = results.selection_optimism(score="log loss").frame().iloc[0]
    assert losses["optimism"] == pytest.approx(losses["in each fold"] - losses["on all rows"])
    shown = results.selection_optimism()
    assert str(shown) and shown.table().shape == (1, 7)


def test_noise_may_select_nothing():
    rng = np.random.default_rng(3)
    # Both classes have the same rows.
    data = lincore.load((np.repeat(rng.standard_normal((30, 2)), 2, axis=0), np.arange(60) % 2))
    for scheme, said in [("holdout", "2 features."), ("4-fold", "2 features in any fold.")]:
        results = lincore.compare(data, LINE, scheme)
        assert results.selection().finding().endswith(f"selected none of {said}")


def test_levels_missing_in_a_fold_leave_the_optimism_out():
    y = np.arange(40) % 2
    size = np.random.default_rng(1).standard_normal(40) + 2 * y
    kind = np.array(["a", "b", "b"] * 13 + ["only one"])
    data = lincore.load(pd.DataFrame({"size": size, "kind": kind, "y": y}), target="y")
    results = lincore.compare(data, LINE, "4-fold")
    assert results.preselected is None and not results.selections[LINE].same_inputs
    assert "the same inputs" in results.selection_optimism().finding()
    assert results.selection().frame().iloc[0].tolist() == ["size", 4, 1.0]


def test_what_models_without_selection_say():
    results = lincore.compare(lincore.sample("iris"), ["lda", "qda"])
    assert results.selections == {} and results.preselected is None
    for shown in (results.selection(), results.selection_optimism()):
        assert "No model selects" in shown.finding() and shown.frame().empty
        assert shown.table().empty and str(shown)
    one = lincore.compare(lincore.sample("iris"), LINE)
    assert one.selection().finding().startswith("LDA (selection=stepwise) selected 3 of 4 features")
    fixed = lincore.compare(lincore.sample("iris"), LinearDiscriminantAnalysis(selection=(0, 2)))
    assert fixed.preselected is None and fixed.selection().frame()["folds"].tolist() == [1, 1, 0, 0]


def test_the_steps_of_a_model():
    data = lincore.sample("wine")
    model = lincore.fit(data, LINE)
    shown, train = model.selection(), model.split.train
    expected = stepwise_by_determinants(data.X[train], data.codes[train])
    frame = shown.frame()
    numbers = frame[["wilks", "F", "df1", "df2"]].to_numpy()
    assert numbers == pytest.approx(np.array([one[2:] for one in expected]), rel=1e-8)
    assert (frame["change"] == "out").tolist() == [not one[1] for one in expected]
    assert {"in", "out"} == set(frame["change"]) and "as if not selected" in str(shown)
    assert shown.finding() in model.steps().notes()
    last = [name for name in data.feature_names if f" {name}" in shown.finding()]
    assert len(last) == int(model.classifier.selected_.sum()) == 8
    assert not lincore.fit(data, "lda").selection().is_stepwise
    assert lincore.fit(data, "lda").selection().table().empty


def test_no_feature_selected_is_said():
    X = np.tile([[0.0], [1.0], [2.0]], (8, 1))
    with pytest.warns(UserWarning, match="chose no feature"):
        model = lincore.fit(lincore.load((X, np.repeat([0, 1], 12))), LINE)
    assert "None of 1 feature was selected" in model.selection().finding()
    for name in ("steps", "coefficients", "learned", "plane", "scores", "what_if"):
        assert str(getattr(model, name)())


def test_the_command_line_shows_both(capsys):
    given = ["compare", "sample:iris", "--methods", LINE, "--scheme", "5-fold"]
    assert main(given) == 0
    assert "on all rows before the splits" in capsys.readouterr().out
    assert main([*given, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    names = [one["display"] for one in answer["displays"]]
    assert names[1:] == ["SelectedFeaturesDisplay", "SelectionOptimismDisplay"]


def test_streamed_moments_select_alike():
    data = lincore.sample("wine")
    moments = Moments.from_groups(data.X, data.codes, 3)
    model = LinearDiscriminantAnalysis(selection="stepwise").fit_moments(moments, [0, 1, 2])
    assert set(np.flatnonzero(model.selected_)) == selected(data.X, data.codes)
