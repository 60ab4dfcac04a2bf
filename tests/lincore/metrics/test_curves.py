"""Curves on cases that can be counted by hand; agreement is in test_scores."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from lincore import Results, metrics


def two_classes(proba, truth, **more):
    proba, truth = np.asarray(proba, dtype=float), np.asarray(truth)
    with np.errstate(divide="ignore"):
        log_proba = np.log(np.column_stack([1 - proba, proba]))[None]
    return Results(
        ("LDA",), np.array(["no", "yes"]), more.pop("rows", np.arange(len(truth))), truth,
        (proba > 0.5).astype(int)[None], log_proba, np.zeros(1), **more,
    )  # fmt: skip


def test_a_roc_curve_counted_by_hand():
    yes = metrics.roc_curve(two_classes([0.9, 0.8, 0.8, 0.3, 0.1], [1, 1, 0, 1, 0]), "LDA")[1]
    assert yes.label == "yes"
    assert_allclose(yes.thresholds, [np.inf, 0.9, 0.8, 0.3, 0.1])
    assert_allclose(yes.recall, [0, 1 / 3, 2 / 3, 1, 1])
    assert_allclose(yes.false_positive_rate, [0, 0, 0.5, 0.5, 1])
    assert_allclose(yes.area, 4.5 / 6)  # of six pairs four are right and one is tied
    assert yes.operating == (0.5, 2 / 3)


def test_precision_and_recall_counted_by_hand():
    yes = metrics.precision_recall_curve(
        two_classes([0.9, 0.8, 0.8, 0.3, 0.1], [1, 1, 0, 1, 0]), "LDA"
    )[1]
    assert_allclose(yes.recall, [1 / 3, 2 / 3, 1, 1])
    assert_allclose(yes.precision, [1, 2 / 3, 3 / 4, 3 / 5])
    assert_allclose(yes.average, (1 + 2 / 3 + 3 / 4) / 3)
    assert yes.share == 0.6
    assert yes.operating == (2 / 3, 2 / 3)


def test_posteriors_that_round_to_one_keep_their_order():
    results = two_classes([0.5, 0.5], [1, 0])
    log_proba = np.array([[[-45.0, -1e-20], [-44.0, -2e-20]]])
    sharp = Results(
        ("LDA",), results.classes, results.rows, results.truth, results.predicted, log_proba,
        np.zeros(1),
    )  # fmt: skip
    assert metrics.roc_curve(sharp, "LDA")[1].area == metrics.score(sharp, "LDA", "AUC").value == 1


def test_a_class_that_nobody_has_has_no_curve():
    found = metrics.roc_curve(two_classes([0.2, 0.7], [0, 0]), "LDA")
    assert all(np.isnan(curve.area) for curve in found)
    line = metrics.precision_recall_curve(two_classes([0.2, 0.7], [0, 0]), "LDA")[1]
    assert np.isnan(line.recall).all() and line.share == 0
