"""The best of several methods on some rows is quoted as such, corrected for the choice."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lincore import Results, metrics, report
from lincore.displays import ScoresDisplay
from lincore.metrics import Settings, best_score, score


def coins(rng, n_methods=7, n=150, n_classes=2, **settings):
    """Return methods that guess."""
    truth = rng.integers(0, n_classes, n)
    log_proba = np.log(rng.dirichlet(np.ones(n_classes), (n_methods, n)))
    return Results(
        tuple("ABCDEFGHIJ"[:n_methods]), np.array([f"c{k}" for k in range(n_classes)]),
        np.arange(n), truth, log_proba.argmax(axis=2), log_proba, np.zeros(n_methods),
        settings=Settings(**settings),
    )  # fmt: skip


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(
    ("name", "expected", "unit"),
    [("accuracy", 0.5, 0.01), ("balanced accuracy", 0.5, 0.01), ("AUC", 0.5, 0.01)],
)
def test_on_noise_the_corrected_score_has_no_excess(name, expected, unit, grouped):
    rng = np.random.default_rng(8)
    groups = np.arange(150) // 2 if grouped else None
    found = [best_score(coins(rng, row_groups=groups), name) for _ in range(150)]
    raw, corrected = (
        np.array(part) for part in ([b.raw for b in found], [b.corrected for b in found])
    )
    assert raw[:, 0].mean() - expected > 4 * unit
    assert abs(corrected[:, 0].mean() - expected) < unit
    assert (corrected[:, 1] > expected).mean() <= 0.035
    assert (corrected[:, 2] < expected).mean() <= 0.035


def test_losses_are_corrected_upwards():
    found = best_score(coins(np.random.default_rng(2)), "log loss")
    assert found.corrected.value > found.raw.value and found.corrected.low > found.raw.low


def test_the_bootstrap_itself_says_nearly_the_same():
    rng = np.random.default_rng(5)
    results = coins(rng, n=300)
    hits = results.predicted == results.truth
    left_out = []
    for _ in range(3000):
        drawn = rng.integers(0, 300, 300)
        chosen = hits[:, drawn].mean(axis=1).argmax()
        left_out.append(np.delete(hits[chosen], np.unique(drawn)).mean())
    assert_allclose(best_score(results, "accuracy").corrected.value, np.mean(left_out), atol=0.005)


def test_a_clear_winner_loses_nothing_and_one_method_is_no_choice():
    results = coins(np.random.default_rng(1))
    predicted = results.predicted.copy()
    predicted[2] = np.where(np.arange(150) % 10 > 0, results.truth, 1 - results.truth)
    found = best_score(replace(results, predicted=predicted), "accuracy")
    assert (found.method, found.n_methods) == ("C", 7)
    assert_allclose(found.corrected, found.raw, atol=1e-3)
    alone = best_score(results.select("A"), "accuracy")
    assert alone.corrected == alone.raw == score(results.select("A"), "A", "accuracy")
    assert "Best of" not in results.select("A").scores().scope()


def test_a_perfect_score_keeps_the_end_of_its_interval():
    results = coins(np.random.default_rng(6), n_methods=2)
    predicted = np.stack([results.truth, results.truth])
    predicted[1, 0] = 1 - predicted[1, 0]
    found = best_score(replace(results, predicted=predicted), "accuracy")
    assert found.raw.high == found.corrected.high == 1.0
    assert found.corrected.value < 1 and found.corrected.low < found.raw.low


def test_a_tie_of_the_best_is_called_so():
    results = coins(np.random.default_rng(6), n_methods=3)
    predicted = np.stack([results.truth, results.truth, 1 - results.truth])
    said = replace(results, predicted=predicted).scores(score="accuracy").scope()
    assert "Best of 3 on these rows: A (tied with 1 other), accuracy 100.0 %" in said


def test_methods_without_the_score_are_no_candidates():
    results = coins(np.random.default_rng(4), n_methods=3)
    log_proba = results.log_proba.copy()
    log_proba[0] = np.nan
    results = replace(results, log_proba=log_proba)
    assert best_score(results, "log loss").n_methods == 2
    log_proba[:] = np.nan
    assert best_score(replace(results), "log loss") is None
    assert "Best of" not in ScoresDisplay(replace(results), "log loss").scope()


def test_headline_table_and_baseline_quote_the_best_as_the_best_of_so_many():
    results = metrics.rank_methods(coins(np.random.default_rng(9)), "accuracy")
    best = best_score(results, "accuracy")
    assert best.method == results.methods[0] and best.corrected.value < best.raw.value
    cell = report.format_score(best.corrected, "accuracy")
    raw = f"{best.method}, accuracy {100 * best.raw.value:.1f} %"
    assert (
        results.scores(score="accuracy")
        .scope()
        .startswith(f"Best of 7 on these rows: {raw}; corrected for the choice {cell}.")
    )
    first, *others = results.scores(score="accuracy").table().to_dict("records")
    heading = "corrected (%)"
    assert first[heading] == cell.replace(" %", "")
    assert {line[heading] for line in others} == {""}
    said = report.baseline_finding(results, best.method, subject=best.method)
    assert said.startswith(f"{best.method} is not distinguishable")
