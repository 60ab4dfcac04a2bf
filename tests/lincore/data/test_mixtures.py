"""Mixtures, XOR, rings and far rows: the known numbers of the laboratory."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import DataError
from lincore.data import (
    Component,
    gaussian_classes,
    mixture_classes,
    ring_classes,
    with_far_rows,
    xor_classes,
)


def angle(model):
    return float(np.degrees(np.arctan2(model.coef_[0, 1], model.coef_[0, 0])))


def test_far_rows_turn_least_squares_and_lda_alike_and_logistic_not_at_all():
    G = gaussian_classes([[0, 0], [3, 0]], sizes=[60, 60], seed=0)
    far = with_far_rows(G, 1, [12, -12], deviation=0.3, size=10, seed=0)
    np.testing.assert_array_equal(far.X[:120], G.X)
    turned = {}
    for make in (
        lincore.LeastSquaresClassifier,
        lincore.LinearDiscriminantAnalysis,
        lambda: lincore.LogisticRegression(C=np.inf),
    ):
        pair = [make().fit(data.X, data.codes) for data in (G, far)]
        wrong = [int((model.predict(G.X) != G.codes).sum()) for model in pair]
        turned[type(pair[0]).__name__] = ([angle(model) for model in pair], wrong)
    (before, after), wrong = turned["LeastSquaresClassifier"]
    assert (before, after) == pytest.approx((-4.29, 30.05), abs=5e-3) and wrong == [9, 15]
    assert turned["LinearDiscriminantAnalysis"][0] == pytest.approx([before, after], abs=1e-10)
    (before, after), wrong = turned["LogisticRegression"]
    assert abs(after - before) < 0.01 and wrong == [9, 9]


def test_rings_and_xor_are_separated_by_squares_and_products_alone():
    rings = ring_classes(seed=0)
    linear = lincore.LogisticRegression(C=np.inf).fit(rings.X, rings.codes)
    assert (linear.predict(rings.X) != rings.codes).sum() == 100
    squares = rings.X**2
    for model, wrong in (
        (lincore.LogisticRegression(C=1e4), 0),
        (lincore.LeastSquaresClassifier(), 1),
    ):
        assert (model.fit(squares, rings.codes).predict(squares) != rings.codes).sum() == wrong
    perceptron = lincore.Perceptron(random_state=0, max_epochs=1000).fit(squares, rings.codes)
    assert perceptron.converged_
    xor = xor_classes(seed=0)
    assert lincore.LinearDiscriminantAnalysis().fit(xor.X, xor.codes).score(xor.X, xor.codes) < 0.8
    product = xor.X[:, :1] * xor.X[:, 1:]
    fitted = lincore.LinearDiscriminantAnalysis().fit(product, xor.codes)
    assert fitted.score(product, xor.codes) == 1


def test_a_component_leaves_the_rows_of_all_others_alone_and_one_is_a_gaussian_class():
    one = mixture_classes([[Component([0, 0])], [Component([3, 0]), Component([9, 9], 4.0, 7)]])
    plain = gaussian_classes([[0, 0], [3, 0]], sizes=[100, 100], seed=0)
    np.testing.assert_array_equal(one.X[:200], plain.X)
    assert one.counts.tolist() == [100, 107]
    wide = mixture_classes(
        [[Component([0, 0], [[4, 1.5], [1.5, 1]], 4000)], [Component([0, 0], 0, 1)]], seed=3
    )
    np.testing.assert_allclose(np.cov(wide.X[:4000].T), [[4, 1.5], [1.5, 1]], atol=0.2)
    assert not wide.X[4000].any()


@pytest.mark.parametrize(
    "classes",
    [
        [],
        [[Component([0, 0])]],
        [[Component([0, 0])], []],
        [[Component([0, 0])], [Component([0])]],
        [[Component([0, np.nan])], [Component([0, 0])]],
        [[Component(["a", "b"])], [Component([0, 0])]],
        [[Component([0, 0], [[1, 2], [0, 1]])], [Component([0, 0])]],
        [[Component([0, 0], [[1, 2], [2, 1]])], [Component([0, 0])]],
        [[Component([0, 0], np.eye(3))], [Component([0, 0])]],
        [[Component([0, 0], 1, 0)], [Component([0, 0])]],
        [[Component([0, 0], 1, 10**9)], [Component([0, 0])]],
    ],
)
def test_mixtures_that_cannot_be_drawn_are_refused(classes):
    with pytest.raises(DataError):
        mixture_classes(classes)


def test_rings_and_far_rows_that_cannot_be_drawn_are_refused():
    for wrong in ({"radii": [1.0]}, {"sizes": [5, 0]}, {"deviations": [-1.0, 1.0]}):
        with pytest.raises(DataError):
            ring_classes(**wrong)
    data = gaussian_classes(seed=0)
    for code, place in ((3, [0, 0]), (0, [0, 0, 0]), (0, [np.inf, 0])):
        with pytest.raises(DataError):
            with_far_rows(data, code, place)
