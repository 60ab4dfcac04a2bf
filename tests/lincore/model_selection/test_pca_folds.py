"""Folds behind PCA from sums by part and by class: the same as fits of every fold from its rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lincore
from lincore.model_selection import _pca_folds, engine
from lincore.model_selection.pipeline import Steps
from lincore.moments.moments import Moments
from lincore.moments.two_way import margins

METHODS = ["lda", "qda", "naive-bayes", "least-squares", "fisher"]
PIXELS = 225


def images(n_rows=400, n_classes=3, seed=0, outlying=0):
    """Draw images of 15 by 15 pixels that vary in few ways; some of them are far brighter."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n_rows) % n_classes
    bases = rng.normal(size=(12, PIXELS))
    centres = rng.normal(size=(n_classes, 12)) * 2
    grey = 90 + 8 * (centres[codes] + rng.normal(size=(n_rows, 12))) @ bases
    grey += rng.normal(scale=4, size=grey.shape)
    grey[:outlying] = rng.integers(0, 2, (outlying, PIXELS)) * 255
    grey[:, :9] = 0  # a margin
    X = np.clip(grey, 0, 255).astype(np.uint8)
    return lincore.load((X.reshape(-1, 15, 15), codes), name="images")


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 3000),
    n_parts=st.integers(1, 5),
    n_classes=st.integers(1, 4),
    kind=st.sampled_from([np.uint8, np.int16, np.uint16, bool]),
)
def test_margins_are_the_moments_of_parts_and_of_classes(seed, n, n_parts, n_classes, kind):
    rng = np.random.default_rng(seed)
    most = 1 if kind is bool else min(np.iinfo(kind).max, 9999)
    X = rng.integers(0, most, (n, 6), endpoint=True).astype(kind)
    X[:, 2] = most
    part, codes = rng.integers(0, n_parts, n), rng.integers(0, n_classes, n)
    groupings = (part, n_parts), (codes, n_classes)
    both = margins(X, part, codes, n_parts, n_classes)
    for found, (groups, k) in zip(both, groupings, strict=True):
        expected = Moments.from_groups(X.astype(np.float64), groups, k)
        np.testing.assert_array_equal(found.count, expected.count)
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-14)
        largest = np.sqrt(np.einsum("kii->ki", expected.scatter))
        allowed = 1e-13 * largest[:, :, None] * largest[:, None, :] + 1e-9
        assert (np.abs(found.scatter - expected.scatter) <= allowed).all()
        assert not found.scatter[:, 2].any()
        np.testing.assert_array_equal(found.scatter, np.swapaxes(found.scatter, 1, 2))


@pytest.mark.parametrize("steps", [Steps(n_components=8), Steps(n_components=8, standardize=True)])
@pytest.mark.parametrize("outlying", [0, 40])
def test_a_comparison_is_that_of_fits_from_rows(monkeypatch, steps, outlying):
    data = images(outlying=outlying)
    ways = []
    for is_allowed in (True, False):
        if not is_allowed:
            monkeypatch.setattr(engine, "is_worthwhile", lambda *about: False)
            monkeypatch.setattr(engine, "leaves_parts_out", lambda *about: False)
        ways.append(lincore.compare(data, METHODS, "5-fold", steps=steps))
    ours, rows = ways
    np.testing.assert_array_equal(ours.predicted, rows.predicted)
    np.testing.assert_allclose(ours.log_proba, rows.log_proba, rtol=1e-8, atol=1e-8)


def test_images_go_this_way(monkeypatch):
    calls = []
    own = engine.remainders
    monkeypatch.setattr(engine, "remainders", lambda *about: calls.append(1) or own(*about))
    lincore.compare(images(), METHODS, "5-fold", steps=Steps(n_components=8))
    assert calls
    lincore.compare(images(), METHODS, "5-fold", steps=Steps(n_components=100))
    lincore.compare(images(45), METHODS[:1], "5-fold", steps=Steps(n_components=8))
    assert len(calls) == 1, "many components, or classes of few rows, are left out by merging"


def test_what_subtraction_would_lose_is_fitted_from_rows():
    rng = np.random.default_rng(0)
    few, far = rng.normal(size=(60, 3)), 1e7 * rng.normal(size=(20, 3))
    whole, part, left = (
        Moments.from_groups(rows, np.zeros(len(rows), int), 1)
        for rows in (np.vstack([few, far]), far, few)
    )
    assert _pca_folds.without(whole, part) is None
    found = _pca_folds.without(whole, left)
    np.testing.assert_allclose(found.scatter, part.scatter, rtol=1e-12)
    flat = few * [1, 1, 0]
    whole, part = (
        Moments.from_groups(rows, np.zeros(len(rows), int), 1) for rows in (flat, flat[:9])
    )
    assert _pca_folds.without(whole, part) is None, "singular"


def test_a_fold_that_cannot_be_subtracted_has_the_same_labels(monkeypatch):
    data = images()
    expected = lincore.compare(data, METHODS, "5-fold", steps=Steps(n_components=8))
    monkeypatch.setattr(_pca_folds, "without", lambda whole, part: None)
    found = lincore.compare(data, METHODS, "5-fold", steps=Steps(n_components=8))
    np.testing.assert_array_equal(found.predicted, expected.predicted)
