"""Areas of ambiguity: known shapes to every digit, fitted models against a fine grid."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lincore
from lincore import DataError
from lincore.data import gaussian_classes
from lincore.estimators import Ambiguity
from lincore.geometry import (
    ambiguity_cells,
    clip,
    half_plane_cells,
    polygon_area,
)

LOW, HIGH = np.array([-6.0, -6.0]), np.array([6.0, 6.0])


def three_lines():
    """Return the lines at distance 1 from the centre, 120° apart, each claiming what is beyond."""
    angles = np.radians([90, 210, 330])
    return np.column_stack([np.cos(angles), np.sin(angles)]), np.full(3, -1.0)


def test_three_lines_about_the_centre_leave_a_triangle_to_none_and_share_three_wedges():
    cells = half_plane_cells(*three_lines(), LOW, HIGH)
    claims = np.array([cell.positive.sum() for cell in cells])
    areas = np.array([polygon_area(cell.polygon) for cell in cells])
    none, several = areas[claims == 0].sum(), areas[claims > 1].sum()
    assert none == pytest.approx(3 * np.sqrt(3), rel=1e-14)
    assert none == pytest.approx(5.196152, abs=5e-7) and 100 * none / 144 == pytest.approx(
        3.608, abs=5e-4
    )
    assert several == pytest.approx(37.48334, abs=5e-6)
    assert 100 * several / 144 == pytest.approx(26.030, abs=5e-4)
    assert areas.sum() == pytest.approx(144)


@given(st.integers(0, 200), st.integers(1, 6))
@settings(max_examples=12)
def test_cells_fill_the_window_and_nobody_changes_its_mind_inside(seed, n_lines):
    rng = np.random.default_rng(seed)
    W, w0 = rng.standard_normal((n_lines, 2)), 3 * rng.standard_normal(n_lines)
    cells = half_plane_cells(W, w0, LOW, HIGH)
    assert sum(polygon_area(cell.polygon) for cell in cells) == pytest.approx(144)
    assert len(cells) <= 1 + n_lines + n_lines * (n_lines - 1) // 2
    for cell in cells:
        inside = cell.polygon.mean(axis=0)
        np.testing.assert_array_equal(W @ inside + w0 > 0, cell.positive)


@pytest.mark.parametrize("kind", [lincore.OneVsRest, lincore.OneVsOne])
def test_areas_of_fitted_models_are_those_that_a_fine_grid_counts(kind):
    data = gaussian_classes(seed=2)
    model = kind(lincore.Perceptron(random_state=0, max_epochs=5))
    with pytest.warns(UserWarning):
        model.fit(data.X, data.codes)
    axis = -6 + 12 * (np.arange(400) + 0.5) / 400
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    counted = np.bincount(model.ambiguity(grid), minlength=4) / len(grid) * 144
    areas = Counter()
    for code, cell in ambiguity_cells(model, LOW, HIGH):
        areas[code] += polygon_area(cell.polygon)
    assert len(areas) > 1
    for code in Ambiguity:
        assert areas[code] == pytest.approx(counted[code], abs=0.6)
    assert areas.total() == pytest.approx(144)


def test_what_is_no_plane_and_what_has_no_area_is_refused():
    data = gaussian_classes(seed=2)
    curved = lincore.OneVsRest(lincore.QuadraticDiscriminantAnalysis()).fit(data.X, data.codes)
    with pytest.raises(DataError, match="boundaries in a plane"):
        ambiguity_cells(curved, LOW, HIGH)
    iris = lincore.sample("iris")
    four = lincore.OneVsRest(lincore.LinearDiscriminantAnalysis()).fit(iris.X, iris.codes)
    with pytest.raises(DataError, match="boundaries in a plane"):
        ambiguity_cells(four, LOW, HIGH)
    with pytest.raises(DataError, match="no area"):
        half_plane_cells([[1, 0]], [0], HIGH, LOW)
    with pytest.raises(DataError, match="not finite"):
        half_plane_cells([[np.nan, 0]], [0], LOW, HIGH)
    assert len(clip(np.zeros((0, 2)), [1, 0], 0)) == 0 == polygon_area([[0, 0], [1, 1]])
    assert len(half_plane_cells([[0, 0]], [1.0], LOW, HIGH)) == 1


def test_three_classes_in_a_row_are_masked_by_least_squares_and_not_by_softmax():
    data = gaussian_classes([[-4.0, 0.0], [0.0, 0.0], [4.0, 0.0]], seed=0)
    squares = lincore.LeastSquaresClassifier().fit(data.X, data.codes)
    softmax = lincore.LogisticRegression(C=np.inf).fit(data.X, data.codes)
    right = squares.predict(data.X) == data.codes
    assert right.mean() == pytest.approx(0.72, abs=5e-4)
    assert right[data.codes == 1].mean() == pytest.approx(0.16, abs=5e-3)
    assert softmax.score(data.X, data.codes) == pytest.approx(0.97, abs=5e-4)
