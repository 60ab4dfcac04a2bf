"""The display of a reject option, and predictions with one."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import metrics
from lincore.analysis import Experiment, PredictQuestion, SplitChoice
from lincore.metrics import RejectOption
from lincore.prediction import TestSet, predict


@pytest.fixture(scope="module")
def model():
    return lincore.fit(lincore.sample("passengers"), "lda")


def test_its_table_counts_the_test_rows(model):
    rule = metrics.conformal_sets(model.held_out(), model.name, 0.8, by_class=True)
    sets = np.exp(model.results.log_proba[0]) >= rule.thresholds
    truth, sizes = model.results.truth, sets.sum(axis=1)
    shown = model.reject_option(reject="sets by class", coverage=0.8)
    found = shown.frame().set_index("class")
    for label, own in (("all classes", truth >= 0), ("no", truth == 0), ("yes", truth == 1)):
        line = found.loc[label]
        assert line[["no class", "one class", "several classes"]].tolist() == [
            (sizes[own] == 0).sum(), (sizes[own] == 1).sum(), (sizes[own] > 1).sum(),
        ]  # fmt: skip
        inside = sets[np.arange(len(truth)), truth][own]
        assert line["coverage"] == pytest.approx(inside.mean())
        assert line["low"] < line["coverage"] < line["high"]
        assert line["mean size"] == pytest.approx(sizes[own].mean())
    wrong = (sizes == 1) & ~sets[np.arange(len(truth)), truth]
    assert found["misclassified"]["all classes"] == wrong.sum()
    text = shown.finding().replace("\u00a0", " ")
    assert f"{(sizes != 1).sum()}: {(sizes > 1).sum()} sets with several classes" in text
    heights = np.sum([bar.x for bar in shown.plot().data], axis=0)
    assert heights == pytest.approx(1)


def test_a_cost_of_rejection(model):
    shown = model.reject_option(reject="cost", rejection_cost=0.1)
    largest = np.exp(model.results.log_proba[0]).max(axis=1)
    wrong = model.results.predicted[0] != model.results.truth
    found = shown.frame().iloc[0]
    assert found["one class"] == (largest >= 0.9).sum()
    assert found["misclassified"] == wrong[largest >= 0.9].sum()
    cost = np.where(largest >= 0.9, wrong, 0.1).mean()
    assert f"a row costs {cost:.3f}, and {wrong.mean():.3f} without" in shown.notes()[0]


def test_the_call_makes_the_same_display(model):
    for shown in (
        model.reject_option(),
        model.reject_option(reject="sets"),
        model.reject_option(reject="sets by class", coverage=0.95),
        model.reject_option(rejection_cost=0.3),
    ):
        assert str(eval(shown.call(), {"model": model})) == str(shown)


def test_it_says_what_sets_cannot_do(model):
    iris = lincore.fit(lincore.sample("iris"), "lda")
    assert any(
        "more than the coverage" in note for note in iris.reject_option(reject="sets").notes()
    )
    few = iris.reject_option(reject="sets by class", coverage=0.99)
    assert any("too few training rows" in note for note in few.notes())
    assert (few.rejection.sets.sum(axis=1) == 3).all() and "abstains for 45" in few.finding()
    without = lincore.fit(lincore.sample("passengers"), "least-squares").reject_option()
    assert "cannot abstain" in without.finding() and without.plot() is None
    assert without.frame().empty and not without.notes()


def test_predictions_abstain_as_the_display_says(model):
    shown = model.reject_option(reject="sets", coverage=0.95)
    found = predict(model.fitted_model, TestSet(model.data, model.split))
    found = found.with_reject_option(shown.rule)
    assert (found.sets == shown.rejection.sets).all()
    n = int(found.is_rejected.sum())
    text = found.by_class().finding().replace("\u00a0", " ")
    assert f"; it abstains for {n}: {n} sets with several classes, 0 with none" in text
    assert found.by_class().frame()["abstained"].sum() == n
    assert found.ranked("rejected").tolist() == np.flatnonzero(found.is_rejected).tolist()
    named = found.added()["prediction set"]
    assert set(named) == {"no", "yes", "no, yes"} and (named == "no, yes").sum() == n
    # Of the posteriors with which they were calibrated, whatever the priors in deployment.
    assert (found.with_priors("equal").sets == found.sets).all()
    chow = found.with_reject_option(RejectOption.of_cost(0.2, 2)).with_priors("equal")
    assert (chow.is_rejected == (chow.posteriors.max(axis=1) < 0.8)).all()
    assert "abstains below a posterior of 80" in chow.by_class().notes()[0].replace("\u00a0", " ")


def test_the_question_calibrates_on_the_training_rows(model):
    experiment = Experiment(model.data, SplitChoice(), lincore.Steps(), {})
    for reject, coverage in (("sets", 0.9), ("sets by class", 0.8)):
        asked = PredictQuestion("lda", reject=reject, coverage=coverage)
        found = asked.run(experiment).predictions
        shown = model.reject_option(reject=reject, coverage=coverage)
        assert found.reject_option == shown.rule
    with pytest.raises(lincore.DataError, match="saved model"):
        asked.apply_to(found)
    with pytest.raises(lincore.DataError, match="classes"):
        found.with_reject_option(RejectOption.of_cost(0.2, 3))
    without = PredictQuestion("least-squares").run(experiment).predictions
    with pytest.raises(lincore.DataError, match="cannot abstain"):
        without.with_reject_option(RejectOption.of_cost(0.2, 2))


def test_a_single_row_is_told_its_set(model):
    row = model.data.take(model.split.test[:1])
    found = predict(model.fitted_model, row).with_reject_option(RejectOption((0.0, 0.0), 0.9))
    assert "; it abstains, the set holds 'no' and 'yes'" in found.by_class().finding()
