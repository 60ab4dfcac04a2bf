"""Duplicates within a set of images: planted ones are found, others are not made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lincore import DataError
from lincore.checks import drop_image_duplicates, find_image_duplicates
from lincore.data import Dataset
from lincore.io import load, sample
from tests.data import DATA, needs_data


def images(n=60, shape=(20, 30), seed=0):
    X = np.random.default_rng(seed).integers(0, 200, (n, int(np.prod(shape))), dtype=np.uint8)
    names = tuple(map(str, range(X.shape[1])))
    codes = np.arange(n) % 2
    return Dataset("made", X, codes, np.array(["a", "b"]), names, image_shape=shape)


@pytest.mark.parametrize("shape", [(20, 30), (5, 4), (13, 12, 3)])
def test_planted_duplicates_are_found(shape):
    data = images(shape=shape)
    data.X[7] = data.X[3]
    data.X[50] = data.X[21] // 2 + 40
    found = find_image_duplicates(data)
    assert dict(zip(found.rows.tolist(), found.nearest.tolist(), strict=True)) == {
        3: 7,
        7: 3,
        21: 50,
        50: 21,
    }
    assert found.exact.tolist() == [True, True, False, False]
    assert found.contradicting.tolist() == [False, False, True, True]
    said = found.notice(data)
    assert (
        said.what
        == "4 images have an exact or near duplicate (2 exact). 2 of them in another class."
    )
    assert "row 4 and row 8; row 22 and row 51" in said.where
    repeated = {name: np.repeat(getattr(found, name), 600) for name in ("rows", "nearest")}
    many = found._replace(**repeated, exact=np.ones(2400, dtype=bool))
    assert "2,400 images have an exact or near duplicate (2,400 exact)." in many.notice(data).what


def test_images_count_as_one_from_a_correlation_of_the_pixels():
    data = images()
    rng = np.random.default_rng(1)
    noise = rng.integers(-12, 13, data.X.shape[1])
    data.X[9] = np.clip(data.X[4].astype(int) + noise, 0, 255)
    alike = np.corrcoef(data.X[[4, 9]].astype(float))[0, 1]
    assert 0.9 < alike < 0.9999
    assert find_image_duplicates(data, similarity=alike - 1e-9).rows.tolist() == [4, 9]
    assert len(find_image_duplicates(data, similarity=alike + 1e-9).rows) == 0


def test_three_equal_blank_images_and_no_notice_without_duplicates():
    data = images()
    assert find_image_duplicates(data).notice(data) is None
    data.X[[1, 2, 5]] = 77
    found = find_image_duplicates(data)
    assert dict(zip(found.rows.tolist(), found.nearest.tolist(), strict=True)) == {1: 2, 2: 1, 5: 1}


def test_rows_are_drawn_where_all_pairs_are_too_many(monkeypatch):
    data = images(n=200)
    data.X[100:] = data.X[:100] // 2 + 40
    data.X[150] = data.X[30]
    assert len(find_image_duplicates(data).rows) == 199
    monkeypatch.setattr("lincore.checks.image_duplicates._COST", 200 * 144 * 20)
    found = find_image_duplicates(data)
    assert found.rows[found.exact].tolist() == [30, 150]
    assert 15 <= np.count_nonzero(~found.exact) <= 20


def test_a_table_has_no_images():
    with pytest.raises(DataError, match="not images"):
        find_image_duplicates(sample("iris"))


@pytest.mark.long
@needs_data
def test_faces_hold_the_duplicates_that_are_known():
    data = load(DATA / "faces3_bmp30.zip")
    duplicates = find_image_duplicates(data)
    distinct = len(np.unique(data.X, axis=0))
    assert data.n_rows - distinct == len(duplicates.rows[duplicates.exact]) - _n_groups(
        data, duplicates
    )
    assert not duplicates.contradicting[duplicates.exact].any()


def _n_groups(data, duplicates):
    """Return how many different images have exact duplicates."""
    return len(np.unique(data.X[duplicates.rows[duplicates.exact]], axis=0))


def test_what_is_known_of_a_row_stays_with_it_when_duplicates_are_left_out():
    digits = sample("digits")
    data = digits.take([*range(20), 3, 5, *range(20, 40)])
    number = np.arange(data.n_rows)
    data = replace(
        data,
        row_names=tuple(map(str, number)),
        groups=number // 2,
        given_test=number % 3 == 0,
    )
    left = drop_image_duplicates(data)
    kept = np.delete(number, [20, 21])
    assert_array_equal(left.X, data.X[kept])
    assert_array_equal(left.codes, data.codes[kept])
    assert_array_equal(left.groups, data.groups[kept])
    assert_array_equal(left.given_test, data.given_test[kept])
    assert left.row_names == tuple(map(str, kept))
