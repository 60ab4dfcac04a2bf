"""Samples hold what scikit-learn holds; generated classes obey the distribution they state."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import datasets

from lincore.errors import DataError
from lincore.samples import SAMPLES, gaussian_classes, sample


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_complete_and_the_same_again(name):
    data = sample(name)
    assert data.name == name
    assert len(data.feature_names) == data.n_features
    assert data.counts.min() >= 2
    assert not data.has_missing
    assert sample(name).digest == data.digest


@pytest.mark.parametrize(
    ("name", "loader"),
    [
        ("iris", datasets.load_iris),
        ("wine", datasets.load_wine),
        ("breast cancer", datasets.load_breast_cancer),
    ],
)
def test_rows_keep_their_names_of_classes(name, loader):
    bunch = loader()
    data = sample(name)
    np.testing.assert_array_equal(data.X, bunch.data)
    np.testing.assert_array_equal(data.y, bunch.target_names[bunch.target])
    assert data.classes.tolist() == sorted(data.classes)


def test_digits_are_grey_levels_in_proportion():
    data = sample("digits")
    bunch = datasets.load_digits()
    assert data.X.dtype == np.uint8
    assert data.image_shape == (8, 8)
    assert data.classes.tolist() == list(range(10))
    np.testing.assert_array_equal(data.X / 15, bunch.data)
    np.testing.assert_array_equal(data.y, bunch.target)


def test_an_unknown_sample_is_told_the_known():
    with pytest.raises(DataError, match="Choose one of: iris, wine"):
        sample("irises")


def test_generated_classes_obey_their_truth():
    means = [[1e3, 0.0], [1e3, 5.0]]
    covariances = [[[4.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 9.0]]]
    data = gaussian_classes(means, covariances, sizes=[40_000, 10_000], seed=3)
    assert data.truth.priors.tolist() == [0.8, 0.2]
    assert data.counts.tolist() == [40_000, 10_000]
    for code in range(2):
        rows = data.X[data.codes == code]
        np.testing.assert_allclose(rows.mean(axis=0), means[code], atol=0.1)
        np.testing.assert_allclose(np.cov(rows.T), covariances[code], atol=0.25)


def test_the_default_classes_overlap_and_are_unequal():
    data = gaussian_classes()
    assert data.X.shape[1] == 2
    assert len(set(data.counts.tolist())) == 3
    centre = data.truth.means[:, None]
    nearest = ((data.X - centre) ** 2).sum(axis=2).argmin(axis=0)
    assert 0.02 < (nearest != data.codes).mean() < 0.4


def test_one_size_changes_one_class_alone():
    many = gaussian_classes(sizes=[50, 40, 30], seed=5)
    few = gaussian_classes(sizes=[50, 10, 30], seed=5)
    for code, kept in enumerate([50, 10, 30]):
        np.testing.assert_array_equal(
            many.X[many.codes == code][:kept], few.X[few.codes == code][:kept]
        )
    assert gaussian_classes(seed=6).digest != gaussian_classes(seed=5).digest


def test_a_singular_covariance_gives_rows_on_a_line():
    data = gaussian_classes([[0.0, 0.0], [3.0, 0.0]], [[1.0, 2.0], [2.0, 4.0]], sizes=[20, 20])
    rows = data.X - data.truth.means[data.codes]
    np.testing.assert_allclose(rows[:, 1], 2 * rows[:, 0], atol=1e-7)


def test_twelve_classes_keep_their_order():
    data = gaussian_classes(np.arange(12.0)[:, None] * 100, sizes=[2] * 12)
    assert data.classes[[0, 1, 11]].tolist() == ["class 1", "class 2", "class 12"]


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
    ],
)
def test_what_is_no_distribution_is_refused(arguments, place):
    with pytest.raises(DataError) as caught:
        gaussian_classes(**arguments)
    assert place in caught.value.notice.where
    assert caught.value.notice.remedy
