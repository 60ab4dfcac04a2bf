"""Numbers measured on real data, which the library must find again."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import lincore
from lincore import (
    PCA,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    metrics,
)
from lincore.model_selection import Steps
from tests.data import DATA, needs_data

pytestmark = [needs_data, pytest.mark.long]


@pytest.mark.parametrize(("name", "expected"), [("mnist", 0.8730), ("fashion_mnist", 0.8151)])
def test_lda_on_raw_pixels_with_the_given_split(name, expected):
    with np.load(DATA / f"{name}.npz") as arrays:
        X_train, X_test = (arrays[f"X_{part}"].reshape(-1, 784) for part in ("train", "test"))
        model = LinearDiscriminantAnalysis().fit(X_train, arrays["y_train"])
        assert model.score(X_test, arrays["y_test"]) == pytest.approx(expected, abs=5e-4)
        in_float = LinearDiscriminantAnalysis().fit(X_train.astype(float), arrays["y_train"])
    np.testing.assert_allclose(in_float.coef_, model.coef_, rtol=1e-6, atol=1e-12)


def test_qda_after_fifty_components_of_the_digits():
    with np.load(DATA / "mnist.npz") as arrays:
        X_train, X_test = (arrays[f"X_{part}"].reshape(-1, 784) for part in ("train", "test"))
        pca = PCA(50).fit(X_train)
        model = QuadraticDiscriminantAnalysis(regularization=0.01)
        model.fit(pca.transform(X_train), arrays["y_train"])
        score = model.score(pca.transform(X_test), arrays["y_test"])
    assert 0.964 <= score < 0.97


def test_faces_with_two_components():
    """Numbers 1 to 900 of each class for training and 901 to 1000 for testing."""
    faces = lincore.load(DATA / "faces3_bmp30.zip")
    split = lincore.split(faces, "last", test_size=0.1)
    assert all("_9" in faces.row_names[i] or "_1000" in faces.row_names[i] for i in split.test)
    results = lincore.fit(faces, "lda", split, steps=Steps(n_components=2)).results
    assert metrics.confusion_matrix(results, "LDA").sum() == 300
    assert metrics.score(results, "LDA", "accuracy").value == pytest.approx(0.8767, abs=5e-5)


def test_forty_faces_of_10304_pixels_never_form_the_square_matrix():
    faces = lincore.load(DATA / "orl_faces.zip")
    split = lincore.split(faces, "last", test_size=0.5)
    X, y = faces.X[split.train], faces.y[split.train]
    assert X.shape == (200, 10304)
    tracemalloc.start()
    model = LinearDiscriminantAnalysis().fit(X, y)
    PCA(50).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10304**2 * 8 / 4  # a quarter of one such matrix in float64
    accuracy = model.score(faces.X[split.test], faces.y[split.test])
    assert accuracy == pytest.approx(0.865, abs=0.01)
