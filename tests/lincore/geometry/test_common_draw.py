"""Regret on a common draw, the widest margin, lines and regions in a window."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import DataError
from lincore.data import gaussian_classes
from lincore.estimators import regret
from lincore.geometry import (
    argmax_regions,
    common_draw,
    line_in_window,
    polygon_area,
    widest_margin,
)


def test_regret_on_a_common_draw_is_that_of_the_integral():
    known = lincore.sample("gaussian").truth
    truth = lincore.BayesClassifier(known.means, known.covariances, known.priors)
    draw = common_draw(truth)
    rows = gaussian_classes(known.means, known.covariances, sizes=[300, 150, 75], seed=3)
    for model in (lincore.LinearDiscriminantAnalysis(), lincore.LeastSquaresClassifier()):
        model.fit(rows.X, rows.classes[rows.codes])
        assert draw.regret(model) == pytest.approx(regret(model, truth).value, abs=4e-4)
    best = truth.fit(rows.X, rows.codes)
    assert draw.regret(best) == 0
    # Floors of many rows: .0014 (LDA), .0010 (logistic) and .0060 (least squares), to the draw's
    # own error.
    many = gaussian_classes(known.means, known.covariances, sizes=[40000, 20000, 10000], seed=5)
    for model, floor in (
        (lincore.LinearDiscriminantAnalysis(), 0.0014),
        (lincore.LogisticRegression(C=1e4), 0.0010),
        (lincore.LeastSquaresClassifier(), 0.0060),
    ):
        assert draw.regret(model.fit(many.X, many.codes)) == pytest.approx(floor, abs=4e-4)


def test_qda_needs_between_84_and_168_rows_of_equal_classes_to_lose_less_than_lda():
    known = lincore.sample("gaussian").truth
    truth = lincore.BayesClassifier(known.means, known.covariances, known.priors)
    draw = common_draw(truth, 8_000)
    kinds = (lincore.LinearDiscriminantAnalysis, lincore.QuadraticDiscriminantAnalysis)
    for summary, options in ((np.mean, {}), (np.median, {"priors": list(known.priors)})):
        ahead = []
        for size in (28, 56):
            drawn = [
                gaussian_classes(known.means, known.covariances, sizes=[size] * 3, seed=seed)
                for seed in range(20)
            ]
            lda, qda = (
                [draw.regret(kind(**options).fit(d.X, d.codes)) for d in drawn] for kind in kinds
            )
            ahead.append(bool(summary(qda) < summary(lda)))
        assert ahead == [False, True]


def test_the_widest_margin_touches_rows_of_both_classes():
    data = lincore.sample("prml chapter 4")
    X, codes = data.X[:100], data.codes[:100]
    w = widest_margin(X, codes)
    margins = (2 * codes - 1) * (w[0] + X @ w[1:])
    assert margins.min() == pytest.approx(1)
    touched = np.flatnonzero(margins < 1 + 1e-4)
    assert set(codes[touched]) == {0, 1} and len(touched) >= 2
    with pytest.raises(DataError, match="No plane"):
        widest_margin([[0.0], [1.0], [2.0]], [0, 1, 0])


def test_a_line_ends_at_the_edges_of_its_window():
    ends = line_in_window([1.0, 1.0], -1.0, [0, 0], [2, 2])
    assert sorted(map(tuple, ends.tolist())) == [(0.0, 1.0), (1.0, 0.0)]
    assert np.isnan(line_in_window([1.0, 0.0], 9.0, [0, 0], [2, 2])).all()
    assert np.isnan(line_in_window([0.0, 0.0], 1.0, [0, 0], [2, 2])).all()


def test_regions_of_the_largest_function_fill_the_window():
    rng = np.random.default_rng(0)
    W, w0 = rng.standard_normal((4, 2)), rng.standard_normal(4)
    regions = argmax_regions(W, w0, [-3, -2], [3, 2])
    assert sum(map(polygon_area, regions)) == pytest.approx(24)
    for k, region in enumerate(regions):
        if len(region):
            assert (region.mean(axis=0) @ W.T + w0).argmax() == k
