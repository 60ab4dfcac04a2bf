"""Planes lead from rows to points and back, and hold the rest where they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import Pipeline

from lincore import PCA, FisherDiscriminant, LinearDiscriminantAnalysis, LogisticRegression
from lincore.data import Dataset
from lincore.inspection import discriminant_plane, feature_plane, median_row, principal_plane
from lincore.model_selection import transform_for_classifier


def make_data(n=80, p=5, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    X += 2 * rng.normal(size=(n_classes, p))[codes]
    return as_data(X, codes)


def as_data(X, codes, levels=None):
    classes = np.array([f"c{k}" for k in range(max(codes) + 1)])
    names = tuple("abcdefgh"[: X.shape[1]])
    return Dataset("made", X, np.asarray(codes), classes, names, levels=levels)


@given(seed=st.integers(0, 30), n_classes=st.integers(2, 5))
@settings(max_examples=6)
def test_what_is_lifted_drops_where_it_was(seed, n_classes):
    data = make_data(seed=seed, n_classes=n_classes)
    rows = np.arange(data.n_rows)
    pipeline = Pipeline([("classify", LinearDiscriminantAnalysis())]).fit(data.X, data.codes)
    planes = [
        feature_plane(data, (3, 1), rows),
        feature_plane(data, (2,), rows, rest="mean"),
        principal_plane(pipeline, data, rows, (0, 2)),
        discriminant_plane(pipeline, data, rows),
    ]
    for plane in planes:
        Z = np.random.default_rng(seed).normal(size=(7, len(plane.axis_names)))
        np.testing.assert_allclose(plane.drop(plane.lift(Z)), Z, atol=1e-8)


def test_the_discriminant_plane_has_fishers_own_coordinates():
    data = make_data()
    rows = np.arange(data.n_rows)
    fisher = FisherDiscriminant().fit(data.X, data.codes)
    for classifier in (LogisticRegression(), FisherDiscriminant()):
        pipeline = Pipeline([("classify", classifier)]).fit(data.X, data.codes)
        plane = discriminant_plane(pipeline, data, rows)
        np.testing.assert_allclose(plane.drop(data.X), fisher.transform(data.X), atol=1e-9)
    # Off the plane a row is held where it lies on average, within its class.
    within = data.X - fisher.mean_ - (plane.lift(plane.drop(data.X)) - fisher.mean_)
    for code in range(3):
        within[data.codes == code] -= within[data.codes == code].mean(axis=0)
    along = fisher.transform(data.X)
    for code in range(3):
        along[data.codes == code] -= along[data.codes == code].mean(axis=0)
    np.testing.assert_allclose(along.T @ within, 0, atol=1e-8)


def test_principal_axes_are_those_of_the_pipeline_or_found():
    data = make_data()
    rows = np.arange(data.n_rows)
    with_pca = Pipeline([("pca", PCA(3)), ("classify", LogisticRegression())])
    with_pca.fit(data.X, data.codes)
    without = Pipeline([("classify", LogisticRegression())]).fit(data.X, data.codes)
    one, other = (principal_plane(p, data, rows, (0, 1, 9)) for p in (with_pca, without))
    np.testing.assert_allclose(
        one.drop(transform_for_classifier(with_pca, data.X)), other.drop(data.X), atol=1e-9
    )
    assert one.axis_names == ("Component 1", "Component 2")
    assert other.axis_names == ("Principal axis 1", "Principal axis 2")
    assert one.rest == "the other coordinate held at its mean"


@pytest.mark.parametrize("rest", ["median", "mean"])
def test_the_typical_row_passes_over_what_is_missing(rest):
    X = np.array(
        [[1.0, 0.0, np.nan], [2.0, 1.0, np.nan], [9.0, 1.0, np.nan], [np.nan, 2.0, np.nan]]
    )
    data = as_data(X, [0, 1, 0, 1], (None, ("x", "y", "z"), None))
    middle = {"median": 2.0, "mean": 4.0}[rest]
    np.testing.assert_array_equal(median_row(data, np.arange(4), rest), [middle, 1.0, np.nan])


def test_categories_are_met_and_never_the_places_between():
    X = np.array([[0.0, 5.0], [1.0, 6.0], [1.0, 7.0]])
    data = as_data(X, [0, 1, 0], (("no", "yes"), None))
    plane = feature_plane(data, (0, 1), np.arange(3))
    lifted = plane.lift([[-3.0, 1.5], [0.4, 0.0], [0.6, 0.0], [9.0, 0.0]])
    assert lifted.tolist() == [[0.0, 1.5], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    assert plane.levels == (("no", "yes"), None) and plane.rest == ""
