"""The canonical plot: territories, circles and rays against independent computations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import f
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import lincore
from benchmarks.coverage_of_canonical_circles import coverage
from lincore import plots


def polygon(path: str) -> np.ndarray:
    return np.array([point.split(",") for point in path.strip("MZ").split("L")], dtype=float)


def contains(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return whether points lie inside a convex polygon, given anticlockwise."""
    sides = np.roll(corners, -1, axis=0) - corners
    offsets = points[:, None] - corners
    return (sides[:, 0] * offsets[..., 1] - sides[:, 1] * offsets[..., 0] >= 0).all(axis=1)


def test_territories_are_the_predictions_of_scikit_learn():
    wine = lincore.sample("wine")
    model = lincore.fit(wine, "lda")
    drawn = model.canonical().plot()
    X, codes = wine.X[model.split.train], wine.codes[model.split.train]
    raw = model.canonical_coefficients().analysis.raw
    scores = (X - X.mean(axis=0)) @ raw
    predicted = LinearDiscriminantAnalysis().fit(X, codes).predict(X)
    paths = [shape.path for shape in drawn.layout.shapes if shape.type == "path"]
    inside = np.stack([contains(polygon(path), scores) for path in paths], axis=1)
    assert (inside.sum(axis=1) == 1).all() and (inside.argmax(axis=1) == predicted).all()


def test_circles_and_marks_are_the_means():
    iris = lincore.sample("iris")
    model = lincore.fit(iris, "lda")
    drawn, n = model.canonical().plot(), len(model.split.train) // 3
    centroids = model.centroids().frame()[["function 1", "function 2"]].to_numpy()
    circles = [shape for shape in drawn.layout.shapes if shape.type == "circle"]
    for circle, mark, (x, y) in zip(circles, drawn.data, centroids, strict=True):
        assert_allclose([circle.x0 + circle.x1, circle.y0 + circle.y1], [2 * x, 2 * y], atol=1e-9)
        quantile = f.ppf(0.95, 4, 3 * n - 3 - 3)  # Hotelling's T² of four features
        assert_allclose(
            (circle.x1 - circle.x0) / 2, np.sqrt(4 * (3 * n - 3) / (3 * n - 6) * quantile / n)
        )
        assert_allclose([mark.x[0], mark.y[0]], [x, y], rtol=1e-6)
    assert drawn.layout.yaxis.scaleanchor == "x"
    tips = np.array([(a.x, a.y) for a in drawn.layout.annotations if a.showarrow])
    structure = model.canonical_coefficients().analysis.structure
    assert len(tips) == 4
    ratios = np.sort(np.linalg.norm(tips, axis=1)) / np.sort(np.linalg.norm(structure, axis=1))
    assert_allclose(ratios, ratios[0])


def test_a_function_alone_has_no_plane():
    two = lincore.fit(lincore.sample("passengers"), "lda").canonical()
    assert two.plot() is None and not any("circles" in note for note in two.notes())
    assert lincore.fit(lincore.sample("iris"), "qda").canonical().plot() is None


@pytest.mark.parametrize("K", [5, 14])
def test_further_functions_are_held_at_zero(K):
    rng = np.random.default_rng(K)
    centroids, counts = rng.normal(0, 2, (K, 4)), rng.integers(5, 50, K)
    structure, labels = rng.uniform(-1, 1, (6, 4)), [f"class {k} <b>" for k in range(K)]
    radii = 1 / np.sqrt(counts)
    drawn = plots.canonical_plot(
        centroids, counts, radii, structure, labels, list("abcdef"), ["1", "2"]
    )
    points = rng.uniform(-4, 4, (300, 2))
    rows = np.column_stack([points, np.zeros((300, 2))])
    distances = ((rows[:, None] - centroids) ** 2).sum(axis=2)
    nearest = (np.log(counts) - distances / 2).argmax(axis=1)
    paths = [shape.path for shape in drawn.layout.shapes if shape.type == "path"]
    inside = np.stack([contains(polygon(path), points) for path in paths], axis=1)
    assert (inside.sum(axis=1) == 1).all()
    assert len(np.unique(np.column_stack([inside.argmax(axis=1), nearest]), axis=0)) == len(
        np.unique(nearest)
    )
    assert "<b>" not in drawn.data[0].name


@pytest.mark.parametrize("distance", [0.0, 2.0])
def test_circles_contain_the_means_also_if_classes_are_alike(distance):
    covered = coverage((15, 20, 30), 6, np.inf, distance, 300, None)
    assert covered > 0.95
