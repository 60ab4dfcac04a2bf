"""Generated classes obey the distribution that they state: shapes, shares, outliers, labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincore import DataError
from lincore.data import ellipse_covariance, gaussian_classes, means_on_ring
from lincore.io import sample

TWO = [[0.0, 0.0], [40.0, 0.0]]
shares = st.floats(0.01, 1)


def test_generated_classes_obey_their_truth():
    means = [[1e3, 0.0], [1e3, 5.0]]
    covariances = [[[4.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 9.0]]]
    data = gaussian_classes(means, covariances, sizes=[40_000, 10_000], seed=3)
    assert data.truth.priors.tolist() == [0.8, 0.2]
    assert (data.truth.outliers, data.truth.label_noise) == (0.0, 0.0)
    assert data.counts.tolist() == [40_000, 10_000]
    for code in range(2):
        rows = data.X[data.codes == code]
        np.testing.assert_allclose(rows.mean(axis=0), means[code], atol=0.1)
        np.testing.assert_allclose(np.cov(rows.T), covariances[code], atol=0.25)


def test_the_default_classes_overlap_and_are_unequal():
    data = gaussian_classes()
    assert data.digest == sample("gaussian").digest
    assert data.X.shape[1] == 2
    assert len(set(data.counts.tolist())) == 3
    centre = data.truth.means[:, None]
    nearest = ((data.X - centre) ** 2).sum(axis=2).argmin(axis=0)
    assert 0.02 < (nearest != data.codes).mean() < 0.4


def test_one_size_changes_one_class_alone():
    options = {"seed": 5, "outliers": 0.3, "label_noise": 0.3}
    many = gaussian_classes(sizes=[50, 40, 30], **options)
    few = gaussian_classes(sizes=[50, 10, 30], **options)
    kept = np.r_[0:60, 90:120]
    np.testing.assert_array_equal(many.X[kept], few.X)
    np.testing.assert_array_equal(many.codes[kept], few.codes)
    assert gaussian_classes(seed=6).digest != gaussian_classes(seed=5).digest


def test_a_singular_covariance_gives_rows_on_a_line():
    data = gaussian_classes([[0.0, 0.0], [3.0, 0.0]], [[1.0, 2.0], [2.0, 4.0]], sizes=[20, 20])
    rows = data.X - data.truth.means[data.codes]
    np.testing.assert_allclose(rows[:, 1], 2 * rows[:, 0], atol=1e-7)


def test_twelve_classes_keep_their_order():
    data = gaussian_classes(np.arange(12.0)[:, None] * 100, sizes=[2] * 12)
    assert data.classes[[0, 1, 11]].tolist() == ["class 1", "class 2", "class 12"]


def test_one_size_for_all_draws_the_classes_from_the_priors():
    data = gaussian_classes(means_on_ring(3), sizes=20_000, priors=[0.5, 0.3, 0.2], seed=2)
    assert data.n_rows == 20_000
    np.testing.assert_allclose(data.counts / 20_000, [0.5, 0.3, 0.2], atol=0.015)
    np.testing.assert_allclose(data.truth.priors, [0.5, 0.3, 0.2], rtol=1e-12)
    assert gaussian_classes(means_on_ring(3), sizes=30).truth.priors.tolist() == [1 / 3] * 3


def test_priors_in_use_may_differ_from_the_sizes():
    data = gaussian_classes(TWO, sizes=[10, 10], priors=[9, 1])
    assert data.counts.tolist() == [10, 10]
    assert data.truth.priors.tolist() == [0.9, 0.1]


def test_outliers_are_the_same_rows_further_out():
    plain = gaussian_classes(TWO, sizes=[4000, 4000], seed=4)
    some = gaussian_classes(TWO, sizes=[4000, 4000], seed=4, outliers=0.1)
    centre = plain.truth.means[plain.codes]
    factor = (some.X - centre)[:, 0] / (plain.X - centre)[:, 0]
    assert set(factor.round(6).tolist()) == {1.0, 6.0}
    assert some.truth.outliers == 0.1
    assert 0.085 < (factor > 2).mean() < 0.115
    fewer = gaussian_classes(TWO, sizes=[4000, 4000], seed=4, outliers=0.05)
    changed = (fewer.X != plain.X).any(axis=1)
    assert not changed[factor < 2].any()


def test_label_noise_spreads_over_the_other_classes():
    means = 100 * np.eye(4)
    plain = gaussian_classes(means, sizes=[5000] * 4, seed=4)
    noisy = gaussian_classes(means, sizes=[5000] * 4, seed=4, label_noise=0.3)
    np.testing.assert_array_equal(noisy.X, plain.X)
    moved = np.zeros((4, 4))
    np.add.at(moved, (plain.codes, noisy.codes), 1 / 5000)
    np.testing.assert_allclose(moved, 0.7 * np.eye(4) + 0.1 * (1 - np.eye(4)), atol=0.02)
    assert noisy.truth.label_noise == 0.3


def test_no_class_loses_all_its_rows_to_noise():
    data = gaussian_classes(TWO, sizes=[1, 3], label_noise=1.0)
    assert data.counts.tolist() == [3, 1]
    assert data.codes.tolist() == [0, 1, 0, 0]


@given(st.floats(0.1, 50), shares, st.floats(-360, 360))
def test_an_ellipse_has_its_axes(spread, ratio, angle):
    covariance = ellipse_covariance(spread, ratio, angle)
    along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    across = np.array([-along[1], along[0]])
    scale = spread**2
    np.testing.assert_allclose(covariance @ along, scale * along, atol=1e-9 * scale)
    np.testing.assert_allclose(covariance @ across, scale * ratio**2 * across, atol=1e-9 * scale)
    gaussian_classes(TWO, covariance, sizes=[2, 2])


def test_an_ellipse_in_more_dimensions_is_round_in_the_others():
    covariance = ellipse_covariance(3.0, 0.1, 30.0, n_features=4)
    np.testing.assert_array_equal(covariance[:2, :2], ellipse_covariance(3.0, 0.1, 30.0))
    np.testing.assert_array_equal(covariance[2:], 9.0 * np.eye(4)[2:])
    assert ellipse_covariance(3.0, 0.1, 30.0, n_features=1).tolist() == [[9.0]]


@given(st.integers(2, 12), st.integers(1, 5), st.floats(0, 100))
def test_means_on_a_ring_are_equally_far_from_their_neighbours(n_classes, p, distance):
    means = means_on_ring(n_classes, p, distance)
    assert means.shape == (n_classes, p)
    steps = np.linalg.norm(np.diff(means, axis=0), axis=1)
    np.testing.assert_allclose(steps, distance, atol=1e-9)
    np.testing.assert_allclose(means.mean(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"means": [[0.0, 1.0]]}, "means"),
        ({"means": [0.0, 1.0]}, "means"),
        ({"means": [["a"], ["b"]]}, "means"),
        ({"means": [[0.0], [np.nan]]}, "means"),
        ({"covariances": np.eye(3)}, "covariances"),
        ({"covariances": [[1.0, 0.5], [0.0, 1.0]]}, "covariance of class 1"),
        ({"covariances": [np.eye(2), np.eye(2), [[1.0, 2.0], [2.0, 1.0]]]}, "class 3"),
        ({"sizes": [1, 2]}, "sizes"),
        ({"sizes": [1, 2, 0]}, "sizes"),
        ({"sizes": [1, 2, 2.5]}, "sizes"),
        ({"sizes": [1, 2, 1e12]}, "sizes"),
        ({"sizes": 2}, "sizes"),
        ({"sizes": "many"}, "sizes"),
        ({"priors": [0.5, 0.5]}, "priors"),
        ({"priors": [0.5, 0.5, 0.0]}, "priors"),
        ({"outliers": -0.1}, "outliers"),
        ({"outliers": float("nan")}, "outliers"),
        ({"label_noise": 1.1}, "label_noise"),
    ],
)
def test_what_is_no_distribution_is_refused(arguments, place):
    with pytest.raises(DataError) as caught:
        gaussian_classes(**arguments)
    assert place in caught.value.notice.where
    assert caught.value.notice.remedy


@pytest.mark.parametrize(
    ("work", "place"),
    [
        (lambda: ellipse_covariance(0.0), "ellipse"),
        (lambda: ellipse_covariance(1.0, 1.5), "ellipse"),
        (lambda: ellipse_covariance(1.0, 0.5, float("inf")), "ellipse"),
        (lambda: ellipse_covariance(n_features=0), "n_features"),
        (lambda: means_on_ring(1), "n_classes"),
        (lambda: means_on_ring(3, 0), "n_features"),
        (lambda: means_on_ring(3, 2, -1.0), "distance"),
    ],
)
def test_what_is_no_shape_is_refused(work, place):
    with pytest.raises(DataError) as caught:
        work()
    assert caught.value.notice.where == place
