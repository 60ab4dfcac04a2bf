"""The display of an operating point: its numbers are scikit-learn's, its call makes it again."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as sk

import lincore


@pytest.fixture(scope="module")
def model():
    return lincore.fit(lincore.sample("passengers"), "logistic")


def test_its_scores_are_those_of_scikit_learn(model):
    shown = model.operating_point(threshold=0.15, miss_cost=6.0)
    truth = model.results.truth
    said = (np.exp(model.results.log_proba[0, :, 1]) >= 0.15).astype(int)
    found = shown.frame().set_index(["score", "class"])["value"]
    expected = {
        ("recall", "yes"): sk.recall_score(truth, said),
        ("recall", "no"): sk.recall_score(truth, said, pos_label=0),
        ("precision", "yes"): sk.precision_score(truth, said),
        ("F1", "yes"): sk.f1_score(truth, said),
        ("balanced accuracy", ""): sk.balanced_accuracy_score(truth, said),
        ("MCC", ""): sk.matthews_corrcoef(truth, said),
        ("accuracy", ""): sk.accuracy_score(truth, said),
        ("expected cost per row", ""): (6 * (truth > said) + (truth < said)).mean(),
        ("share of rows predicted", "yes"): said.mean(),
        ("lift", "yes"): sk.precision_score(truth, said) / truth.mean(),
    }
    assert found.to_dict() == pytest.approx(expected)
    usual = shown.frame().set_index("score")["by default"]
    assert usual["accuracy"] == pytest.approx((model.results.predicted[0] == truth).mean())
    intervals = shown.frame().set_index("score")[["value", "low", "high"]]
    known = intervals.dropna()
    assert ((known["low"] < known["value"]) & (known["value"] < known["high"])).all()
    assert len(known) == 7, "of lift, F1 and the share of rows there is none"


def test_the_threshold_of_costs_and_of_folds(model):
    of_costs = model.operating_point(by="costs", miss_cost=4.0)
    assert of_costs.chosen == pytest.approx(0.2) and "costs 4 false alarms" in of_costs.scope()
    assert of_costs.frame()["value"].tolist() == pytest.approx(
        model.operating_point(threshold=0.2, miss_cost=4.0).frame()["value"].tolist()
    )
    folds = model.operating_point(by="cross-validation", score="expected cost", miss_cost=4.0)
    assert folds.chosen == folds.tuned.threshold and 0.05 < folds.chosen < 0.45
    assert "least expected cost" in folds.scope() and "training rows" in folds.scope()
    assert not any("optimistic" in note for note in folds.notes())
    assert any("optimistic" in note for note in model.operating_point(threshold=0.3).notes())


def test_the_call_makes_the_same_display(model):
    for shown in (
        model.operating_point(threshold=0.3, of_class=0),
        model.operating_point(by="costs", miss_cost=9.0),
        model.at(0.2).confusion(),
        model.operating_point(threshold=0.3).roc(),
    ):
        assert str(eval(shown.call(), {"model": model})) == str(shown)


def test_displays_of_both_decisions_stand_side_by_side_in_a_report(model):
    shown = [model.confusion(), model.at(0.2).confusion(), model.at(0.3).confusion()]
    shown.append(model.at(costs=[[0, 1], [4, 0]]).confusion())
    sections = lincore.export.report_sections(
        lincore.export.ReportContents(model.data, model.split, model=model, displays=tuple(shown))
    )
    titles = [section.title for section in sections if "Confusion" in section.title]
    of = f"Confusion of {model.name}"
    ends = ["", " at 20 % for 'yes'", " at 30 % for 'yes'", " at least expected cost"]
    assert [title.replace("\u00a0", " ") for title in titles] == [of + end for end in ends]
    assert "not at the operating point" in model.at(0.2).plane().scope()


def test_the_plot_marks_the_point(model):
    drawn = model.operating_point(threshold=0.3).plot()
    depth, gain = model.operating_point(threshold=0.3).reached
    assert drawn.data[-1].x[0] == pytest.approx(depth) and drawn.data[-1].y[0] == pytest.approx(
        gain
    )
    assert "lift" in drawn.layout.meta["alt"]
    nothing = model.operating_point(threshold=1.0)
    assert "predicts no row as 'yes'" in nothing.finding() and nothing.plot() is not None
    assert np.isnan(nothing.frame().set_index("score")["value"]["lift"])


def test_more_classes_are_decided_by_the_costs_of_errors():
    model = lincore.fit(lincore.sample("gaussian"), "lda")
    costs = (0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 8.0, 8.0, 0.0)
    shown, plain = model.operating_point(costs=costs, of_class=2), model.operating_point()
    table = np.reshape(costs, (3, 3))
    said = (np.exp(model.results.log_proba[0]) @ table).argmin(axis=1)
    truth = model.results.truth
    found = shown.frame().set_index(["score", "class"])
    assert found["value"]["expected cost per row", ""] == pytest.approx(table[truth, said].mean())
    usual = table[truth, model.results.predicted[0]].mean()
    assert found["by default"]["expected cost per row", ""] == pytest.approx(usual)
    assert found["value"]["recall", "class 3"] == pytest.approx((said == 2)[truth == 2].mean())
    assert "least expected cost" in shown.scope() and "8.0 for 'class 3'" in shown.notes()[0]
    assert eval(shown.call(), {"model": model}).finding() == shown.finding()
    error = 1 - (model.results.predicted[0] == truth).mean()
    assert plain.finding().startswith(f"If every error costs 1, LDA costs {error:.3f} (")
    assert plain.decided is model


def test_it_says_why_there_is_none():
    without = lincore.fit(lincore.sample("breast cancer"), "fisher").operating_point()
    assert "no posteriors" in without.finding() and without.plot() is None
    assert without.frame().empty and without.table().empty and not without.notes()
