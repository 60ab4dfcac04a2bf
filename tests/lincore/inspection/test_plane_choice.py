"""Planes by kind: which there are, through which rows, along which axes; rows as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import inspection
from lincore.data import with_row_weights
from lincore.model_selection import Steps, as_method, pipeline_for, training_error


def fitted(name, line, steps=None):
    data = lincore.sample(name)
    pipeline = pipeline_for(data, as_method(line).fresh(data.n_classes), steps or Steps())
    split = lincore.split(data, seed=1)
    return pipeline.fit(data.X[split.train], data.codes[split.train]), data, split


@pytest.mark.parametrize(
    ("name", "line", "steps", "kinds"),
    [
        ("wine", "lda", Steps(), ("discriminant", "features", "principal", "coordinates")),
        ("wine", "lda", Steps(n_components=2), ("coordinates", "features")),
        ("gaussian", "lda", Steps(), ("features",)),
        (
            "breast cancer", "fisher", Steps(),
            ("direction", "discriminant", "features", "principal", "coordinates"),
        ),
        ("digits", "lda", Steps(False), ("discriminant", "principal", "coordinates")),
    ],
)  # fmt: skip
def test_a_model_has_planes_of_these_kinds_the_best_first(name, line, steps, kinds):
    assert inspection.plane_kinds(*fitted(name, line, steps)[:2]) == kinds


def test_a_plane_of_every_kind_goes_through_the_training_rows_and_shows_the_rows_asked_for():
    model, data, split = fitted("wine", "lda")
    seen = model[:-1].transform(data.X)
    train = data.X[split.train]
    for kind in inspection.plane_kinds(model, data):
        plane = inspection.plane_of_kind(model, data, split, kind)
        for word, rows in (("test", split.test), ("training", split.train)):
            view = inspection.view_of_kind(model, data, split, kind, rows=word)
            assert_array_equal(view.rows, rows)
            if kind == "coordinates" or kind == "features":  # two inputs, in the user's units
                axes = list(inspection.plane_axes(model, data, split, kind))
                assert_allclose(view.points, data.X[rows][:, axes])
            else:
                assert_allclose(view.points, plane.drop(seen[rows]), atol=1e-9)
    held = inspection.plane_of_kind(model, data, split, "features", (3, 5), values={0: 12.5})
    row = held.lift([[20.0, 3.0]])[0]
    assert row[[0, 3, 5]].tolist() == [12.5, 20.0, 3.0]
    assert_allclose(np.delete(row, [0, 3, 5]), np.median(np.delete(train, [0, 3, 5], 1), axis=0))
    assert inspection.plane_axes(model, data, split, "principal") == (0, 1)
    assert inspection.plane_axes(model, data, split, "discriminant") == ()
    assert len(inspection.view_of_kind(model, data, split, "principal", rows="all").rows) == 178


def test_models_behind_the_same_steps_share_a_plane():
    model, data, split = fitted("wine", "qda(shrinkage=0.1)")
    other = fitted("wine", "logistic")[0]
    assert inspection.common_plane_kinds(model, data) == ("discriminant", "principal", "features")
    two = fitted("gaussian", "lda")
    assert inspection.common_plane_kinds(two[0], two[1]) == ("features",)
    for kind in ("discriminant", "principal"):
        planes = [inspection.common_plane(m, data, split, kind) for m in (model, other)]
        points = [
            plane.drop(m[:-1].transform(data.X))
            for plane, m in zip(planes, (model, other), strict=True)
        ]
        assert_allclose(*points, atol=1e-9)
    plane = inspection.common_plane(model, data, split, "features", (4, 2))
    assert_allclose(plane.drop(data.X), data.X[:, [4, 2]])


def test_rows_of_a_cell_are_ordered_by_the_posterior_of_their_own_class():
    data = lincore.sample("digits")
    split = lincore.split(data, seed=1)
    one = lincore.fit(data, "lda", split, steps=Steps(False, n_components=5))
    model, results = one.pipeline, one.results
    log_proba = results.log_proba[0]
    true, predicted = 1, 8
    cell = inspection.confusion_cell(results, model, data, true, predicted)
    chosen = (results.truth == true) & (results.predicted[0] == predicted)
    assert len(cell.rows) == chosen.sum() > 1
    order = np.argsort(log_proba[chosen, true])
    assert_array_equal(cell.rows, results.rows[chosen][order])
    assert_allclose(cell.proba, np.exp(log_proba[chosen][order]))
    columns = inspection.cell_columns(data, cell, true, predicted)
    assert list(columns) == ["p(1)", "p(8)", "distance to 1", "distance to 8"]
    assert_allclose(columns["p(8)"], cell.proba[:, 8], atol=6e-5)
    assert_allclose(columns["distance to 1"], cell.distances[:, 1], atol=6e-3)
    data = lincore.sample("gaussian")
    one = lincore.fit(data, "least-squares", lincore.split(data, seed=1))
    squares, results = one.pipeline, one.results
    cell = inspection.confusion_cell(results, squares, data, 2, 0)
    scores = squares.decision_function(data.X[cell.rows])
    assert (np.diff(scores[:, 2] - scores[:, :2].max(axis=1)) >= 0).all() and len(cell.rows) > 3


def test_rows_as_a_table_have_the_names_of_levels_and_unique_columns():
    frame = {"row": [3.0, 1.0, 2.0, 5.0], "colour": ["red", None, "blue", "red"], "y": list("abab")}
    data = lincore.load(pd.DataFrame(frame), target="y", name="t")
    table = inspection.row_table(data, np.array([2, 1]), {"p": [0.5, 0.25]})
    assert list(table) == ["row", "class", "p", "row (2)", "colour"]
    assert table.iloc[0].tolist() == [2, "a", 0.5, 2.0, "blue"]
    assert table.iloc[1, :4].tolist() == [1, "b", 0.25, 1.0] and table.iloc[1].isna()["colour"]


def test_the_error_on_training_rows_is_that_of_the_pipeline():
    model, data, split = fitted("gaussian", "qda")
    wrong = model.predict(data.X[split.train]) != data.codes[split.train]
    assert training_error(model, data, split) == pytest.approx(wrong.mean())
    weights = np.random.default_rng(0).gamma(1.0, size=data.n_rows)
    weighted = with_row_weights(data, weights=weights)
    expected = np.average(wrong, weights=weights[split.train])
    assert training_error(model, weighted, split) == pytest.approx(expected)
