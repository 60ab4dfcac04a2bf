"""Tables hold the numbers that scikit-learn, or a sum by hand, gives for the same predictions."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binomtest
from sklearn import metrics as referee

import lincore
from lincore import Results, imbalance, metrics
from lincore.displays import (
    ClassScoresDisplay,
    ConfusionDisplay,
    ModelScoresDisplay,
    PredictionScoresDisplay,
)
from lincore.metrics import Settings
from lincore.model_selection import FittedClassifier

CLASSES = np.array(["a", "b", "c"])


@pytest.fixture(scope="module")
def results():
    """Return 90 rows of unequal classes, predicted with posteriors and without."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [60, 20, 10])
    log_proba = np.log(rng.dirichlet([1, 1, 1], 90) * 0.6 + 0.4 * np.eye(3)[truth])
    guesses = np.where(rng.random(90) < 0.6, truth, 0)
    return Results(
        ("lda", "fisher"), CLASSES, np.arange(90) + 5, truth,
        np.stack([log_proba.argmax(axis=1), guesses]),
        np.stack([log_proba, np.full((90, 3), np.nan)]), np.array([0.25, 2.0]),
        settings=Settings(
            labels={"lda": "LDA"}, options={"lda": {"shrinkage": 0.1, "priors": None}},
            steps={"lda": {"standardize": True, "whiten": False}},
            notes={"fisher": {"ConvergenceWarning": 2}},
        ),
    )  # fmt: skip


def number(cell):
    return float(cell.split(" ")[0].replace("−", "-"))


def test_scores_of_a_comparison_and_of_its_best(results):
    rows = results.scores().table().set_index("model", drop=False)
    first, second = rows.loc[["LDA", "fisher"]].to_dict("records")
    truth, (predicted, others) = results.truth, results.predicted
    assert (first["model"], second["model"]) == ("LDA", "fisher")
    assert list(first)[2] == "balanced accuracy (%)"
    assert list(first)[3] == "recall of 'c' (%)"
    for row, said in ((first, predicted), (second, others)):
        recalls = referee.recall_score(truth, said, average=None)
        for column, value in (
            ("balanced accuracy (%)", recalls.mean()),
            ("recall of 'c' (%)", recalls[2]),
            ("accuracy (%)", np.mean(said == truth)),
            ("macro F1 (%)", referee.f1_score(truth, said, average="macro")),
        ):
            assert number(row[column]) == pytest.approx(100 * value, abs=0.051)
        mcc = referee.matthews_corrcoef(truth, said)
        assert number(row["MCC"]) == pytest.approx(mcc, abs=6e-4)
    assert number(first["log loss"]) == pytest.approx(
        referee.log_loss(truth, np.exp(results.log_proba[0])), abs=6e-4
    )
    assert second["log loss"] == "no posteriors"
    assert (first["group"], second["group"]) == tuple(metrics.groups(results).values())
    best = metrics.rank_methods(results).methods
    assert rows.index.tolist() == [results.settings.label(name) for name in best]
    lines = results.scores().frame().set_index(["method", "score"])
    assert lines.loc[("lda", "accuracy"), "value"] == np.mean(predicted == truth)
    assert np.isnan(lines.loc[("fisher", "log loss"), "value"])
    assert lines.loc[("fisher", "accuracy"), "seconds"] == 2.0


def shown(kind, results):
    """Return the lines of a display of one model, of which nothing but its results is asked."""
    model = FittedClassifier(None, results, None, None)
    return kind(model).frame().to_dict("records")


def test_the_scores_of_one_model_stand_beside_those_of_a_guess(results):
    rows = {row["score"]: row for row in shown(ModelScoresDisplay, results)}
    shares = np.array([60, 20, 10]) / 90
    expected = {
        "accuracy": 2 / 3, "balanced accuracy": 1 / 3, "macro F1": 0.8 / 3, "MCC": 0, "AUC": 0.5,
        "log loss": -(shares @ np.log(shares)), "Brier": 1 - shares @ shares,
    }  # fmt: skip
    for name, guess in expected.items():
        row = rows[name]
        assert row["baseline"] == pytest.approx(guess)
        found = metrics.score(results, "lda", name)
        assert (row["value"], row["low"], row["high"]) == tuple(found)
    predictions = SimpleNamespace(
        results=lambda: results.select("lda"), truth=np.zeros(90), is_rejected=None
    )
    head = dict(PredictionScoresDisplay(predictions).table().itertuples(index=False, name=None))
    assert list(head) == [
        "balanced accuracy", "MCC", "accuracy", "recall of 'c'", "majority-class baseline",
    ]  # fmt: skip
    assert head["majority-class baseline"] == "33.3 %"
    recall = referee.recall_score(results.truth, results.predicted[0], average=None)[2]
    assert number(head["recall of 'c'"]) == pytest.approx(100 * recall, abs=0.051)


def test_classes_have_their_own_recall_and_precision_in_every_table(results):
    truth, (predicted, others) = results.truth, results.predicted
    precision, recall, f1, _ = referee.precision_recall_fscore_support(truth, predicted)
    counts = referee.confusion_matrix(truth, predicted)
    model = FittedClassifier(None, results.select("lda"), None, None)
    rows = {(row["score"], row["class"]): row for row in shown(ClassScoresDisplay, results)}
    assert len(rows) == 9
    for k, label in enumerate("abc"):
        found = [rows[name, label]["value"] for name in ("recall", "precision", "F1")]
        assert_allclose(found, [recall[k], precision[k], f1[k]])
        for name, n in (("recall", counts[k].sum()), ("precision", counts[:, k].sum())):
            ends = binomtest(counts[k, k], n).proportion_ci(method="wilson")
            assert_allclose([rows[name, label]["low"], rows[name, label]["high"]], ends)
    table = ClassScoresDisplay(model).table()
    assert table["class"].tolist() == ["a", "b", "c"] and list(table)[-1] == "F1"
    assert_allclose([number(cell) for cell in table["recall"]], 100 * recall, atol=0.051)
    cells = ConfusionDisplay(model).table()
    assert_array_equal(cells[[f"as {label}" for label in "abc"]], counts)
    assert ConfusionDisplay(model).frame()["rows"].tolist() == counts.ravel().tolist()
    other = referee.recall_score(truth, others, average=None)
    for k, row in enumerate(results.recall().table().to_dict("records")):
        assert number(row["LDA"]) == pytest.approx(100 * recall[k], abs=0.051)
        assert number(row["fisher"]) == pytest.approx(100 * other[k], abs=0.051)


def test_pairs_are_in_points_and_losses_are_not(results):
    ranked = metrics.rank_methods(results, "accuracy")
    (row,) = results.pairwise(score="accuracy").table().to_dict("records")
    difference = metrics.pairwise_differences(ranked, "accuracy")[0]
    assert row["difference (points)"] == round(100 * difference.value, 1)
    gain = np.mean(ranked.predicted == results.truth, axis=1) @ [1, -1]
    assert difference.value == pytest.approx(gain)
    assert row["from"] == round(100 * difference.low, 1)
    assert row["to"] == round(100 * difference.high, 1)
    labels = [results.settings.label(name) for name in ranked.methods]
    assert [row["first"], row["second"], row["verdict"]] == [*labels, difference.verdict]
    (row,) = results.pairwise(score="MCC").table().to_dict("records")
    ranked = metrics.rank_methods(results, "MCC")
    assert row["difference (MCC)"] == round(metrics.pairwise_differences(ranked, "MCC")[0].value, 3)
    assert "corrected for 0 pairs" in results.pairwise(score="log loss").notes()[0]


def test_predictions_and_methods_line_by_line(results):
    found = metrics.prediction_table(results)
    assert len(found) == 180
    own = found[found["method"] == "lda"]
    assert_array_equal(own["row"], results.rows)
    assert_array_equal(own["truth"], CLASSES[results.truth])
    assert_array_equal(own["predicted"], CLASSES[results.predicted[0]])
    assert_allclose(own[["p(a)", "p(b)", "p(c)"]], np.exp(results.log_proba[0]))
    assert found.loc[found["method"] == "fisher", "p(a)"].isna().all()
    lines = metrics.method_table(results)
    assert lines.loc["lda"].tolist() == ["LDA", "shrinkage=0.1", "standardize=True", "", 0.25]
    assert lines.loc["fisher", "notes"] == "ConvergenceWarning=2"


def test_deployment_weighs_the_errors_of_classes_and_costs_their_kinds(results):
    shares, costs = np.array([0.2, 0.3, 0.5]), np.array([[0, 1, 2], [3, 0, 1], [9, 4, 0]])
    adjusted = metrics.adjust_priors(results, [60 / 90, 20 / 90, 10 / 90], shares)
    cheapest = imbalance.minimum_cost_decisions(results, costs)
    posterior = np.exp(results.log_proba[0])
    assert_array_equal(cheapest.predicted[0], (posterior @ costs).argmin(axis=1))
    assert_array_equal(cheapest.predicted[1], results.predicted[1])

    def by_class(values):
        return shares @ [values[results.truth == k].mean() for k in range(3)]

    for one in (results, adjusted):
        found = imbalance.error_in_deployment(one, "lda", shares).value
        assert found == pytest.approx(by_class(one.predicted[0] != one.truth))
        found = imbalance.log_loss_in_deployment(one, "lda", shares).value
        assert found == pytest.approx(by_class(-one.log_proba[0][np.arange(90), one.truth]))
    assert np.isnan(imbalance.log_loss_in_deployment(results, "fisher", shares).value)
    for one in (results, cheapest):
        found = imbalance.cost_in_deployment(one, "lda", shares, costs).value
        assert found == pytest.approx(by_class(costs[one.truth, one.predicted[0]]))


def test_the_training_error_is_the_log_loss_of_the_training_rows():
    data = lincore.sample("gaussian")
    study = lincore.balance(data, {"class 3": 11}, ("logistic", "least-squares"), repeats=2)
    for subset in ("full", "reduced"):
        rows = study.example.rows[subset]
        proba = study.example.pipelines["logistic", subset].predict_proba(data.X[rows])
        expected = referee.log_loss(data.codes[rows], proba)
        found = imbalance.training_error(study, data, "logistic", subset)
        assert found.mean == pytest.approx(expected) and found.n == len(rows)
        assert found.total == pytest.approx(expected * len(rows))
    counts = study.counts["reduced"]
    assert_allclose(imbalance.condition_priors(study, "reduced")[0], counts / counts.sum())
    assert_allclose(
        imbalance.condition_priors(study, "both")[0], data.counts / data.n_rows, atol=5e-3
    )
    assert_allclose(imbalance.condition_priors(study, "reduced")[1], 1 / 3)
