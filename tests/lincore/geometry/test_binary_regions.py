"""Regions of one-versus-rest and one-versus-one, from planes: against the models' predictions."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import lincore
from lincore import DataError
from lincore.geometry import binary_regions, polygon_area

LOW, HIGH = np.array([-8.0, -7.0]), np.array([8.0, 9.0])


def fitted(kind, n_classes, **options):
    rng = np.random.default_rng(n_classes)
    X = np.concatenate([rng.normal(size=(30, 2)) + rng.uniform(-6, 6, 2) for _ in range(n_classes)])
    base = lincore.Perceptron(max_epochs=4, random_state=0)
    with pytest.warns(UserWarning):
        return kind(base, **options).fit(X, np.repeat(np.arange(n_classes), 30))


@pytest.mark.parametrize(
    ("kind", "n_classes", "options"),
    [
        (lincore.OneVsOne, 3, {}),
        (lincore.OneVsOne, 6, {}),
        (lincore.OneVsRest, 3, {}),
        (lincore.OneVsRest, 5, {}),
        (lincore.OneVsRest, 4, {"models": "k-1"}),
    ],
)
def test_pieces_tile_the_window_and_hold_what_the_model_predicts(kind, n_classes, options):
    model = fitted(kind, n_classes, **options)
    found = binary_regions(model, LOW, HIGH)
    ends = found.lines[~np.isnan(found.lines[:, 0])]
    margins = np.abs(model.margins(ends))
    assert np.all(margins.min(axis=1) < 1e-9 * margins.max())
    areas = [polygon_area(piece.polygon) for piece in found.pieces]
    assert min(areas) > 0 and sum(areas) == pytest.approx(256)
    inside = np.array([piece.polygon.mean(axis=0) for piece in found.pieces])
    np.testing.assert_array_equal(model.predict(inside), [piece.code for piece in found.pieces])
    np.testing.assert_array_equal(
        model.ambiguity(inside), [piece.ambiguity for piece in found.pieces]
    )
    grid = np.random.default_rng(0).uniform(LOW, HIGH, (20_000, 2))
    seen = np.bincount(model.ambiguity(grid), minlength=4) / len(grid)
    for kind_of, share in found.areas().items():
        assert share == pytest.approx(seen[kind_of], abs=0.015)


@pytest.mark.parametrize("kind", [lincore.OneVsOne, lincore.OneVsRest])
def test_the_prediction_changes_across_the_boundary_and_nowhere_else(kind):
    model = fitted(kind, 5)
    found = binary_regions(model, LOW, HIGH)
    stretches = found.boundary[~np.isnan(found.boundary[:, 0])].reshape(-1, 2, 2)
    way = np.diff(stretches, axis=1)[:, 0]
    across = np.column_stack([-way[:, 1], way[:, 0]]) / np.hypot(*way.T)[:, None]
    for share in (0.1, 0.5, 0.9):
        on = stretches[:, 0] + share * way
        sides = [model.predict(on + sign * 1e-6 * across) for sign in (1, -1)]
        assert np.all(sides[0] != sides[1])
    # Between two points of different prediction lies a stretch of it.
    points = np.random.default_rng(1).uniform(LOW, HIGH, (400, 2))
    other = points + np.random.default_rng(2).normal(scale=0.3, size=points.shape)
    inside = np.all((other > LOW) & (other < HIGH), axis=1)
    points, other = points[inside], other[inside]
    changed = np.flatnonzero(model.predict(points) != model.predict(other))
    assert len(changed) > 10
    for i in changed:
        assert any(_cross(points[i], other[i], *stretch) for stretch in stretches)


def _cross(a, b, c, d) -> bool:
    def side(p, q, r):
        return np.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)


def test_models_that_are_too_many_are_refused(monkeypatch):
    monkeypatch.setattr(sys.modules[binary_regions.__module__], "MOST_MODELS", 2)
    with pytest.raises(DataError, match="at most 2"):
        binary_regions(fitted(lincore.OneVsOne, 3), LOW, HIGH)
