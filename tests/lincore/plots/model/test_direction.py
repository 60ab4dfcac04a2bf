"""Histograms along one direction that decides: areas, densities, threshold, words."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import plots
from lincore.inspection import discriminant_plane, make_view
from lincore.model_selection import as_method, pipeline_for

RARE, COMMON = 12, 400


def unequal():
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal(size=(COMMON, 3)), rng.normal(size=(RARE, 3)) + [3, 0, 0]])
    y = np.repeat(["common", "rare"], [COMMON, RARE])
    return lincore.load((X, y), name="unequal")


def along(line: str):
    data = unequal()
    rows = np.arange(data.n_rows)
    pipeline = pipeline_for(data, as_method(line).estimator).fit(data.X, data.codes)
    plane = discriminant_plane(pipeline, data, rows, n_axes=1)
    return make_view(pipeline, data, rows, plane)


@pytest.mark.parametrize("line", ["fisher", "lda", "logistic", "least-squares"])
def test_every_class_has_area_one_however_rare(line):
    figure = plots.direction_histogram(along(line))
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [bar.name for bar in bars] == ["common (400)", "rare (12)"]
    for bar in bars:
        inside = sum(bar.customdata) / (COMMON if bar.name.startswith("common") else RARE)
        assert np.sum(bar.y) * bar.width == pytest.approx(inside, rel=1e-5) and inside > 0.95
    for curve in (trace for trace in figure.data if trace.type == "scatter"):
        assert np.trapezoid(curve.y, curve.x) == pytest.approx(1, abs=0.06)
    assert figure.layout.barmode == "overlay"


def test_counts_add_up_to_the_rows():
    figure = plots.direction_histogram(along("fisher"), counts=True)
    common, rare = (trace for trace in figure.data if trace.type == "bar")
    assert COMMON - 8 <= np.sum(common.y) <= COMMON and RARE - 1 <= np.sum(rare.y) <= RARE
    assert figure.layout.yaxis.title.text == "rows"


def test_the_threshold_lies_where_the_decision_changes():
    view = along("fisher")
    figure = plots.direction_histogram(view)
    (line,) = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert ((view.points[:, 0] > line.x0) == (view.predicted == 1)).all()
    assert "The decision changes at" in figure.layout.meta["alt"]
    assert "common (400) and rare (12)" in figure.layout.meta["alt"]


def test_two_coordinates_are_refused():
    data = lincore.sample("iris")
    pipeline = pipeline_for(data, lincore.LinearDiscriminantAnalysis()).fit(data.X, data.codes)
    view = make_view(
        pipeline, data, np.arange(9), discriminant_plane(pipeline, data, np.arange(150))
    )
    with pytest.raises(ValueError, match="one direction"):
        plots.direction_histogram(view)
