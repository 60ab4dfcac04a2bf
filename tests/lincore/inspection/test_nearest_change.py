"""The nearest change of a row: the shortest there is, within ranges, locked features kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import LinearConstraint, minimize

import lincore
from lincore.inspection import complete_row, nearest_change
from lincore.io import TableOptions


def fitted(name, method, place=0):
    data = lincore.sample(name)
    model = lincore.fit(data, method)
    row = complete_row(data, model.split.train, int(model.split.test[place]))
    return model, data, row


def found(model, data, row, **options):
    return nearest_change(model.pipeline, data, model.split.train, row, **options)


@pytest.mark.parametrize("method", ["lda", "logistic", "least-squares", "fisher"])
@pytest.mark.parametrize("place", [0, 9, 30])
def test_it_is_the_shortest_that_an_optimiser_finds(method, place):
    model, data, row = fitted("iris", method, place)
    X = data.X[model.split.train]
    spread = X.std(axis=0)

    def scores(z):
        return model.pipeline.decision_function((row + z * spread)[None])[0]

    base = scores(np.zeros(4))
    slopes = np.stack([scores(unit) - base for unit in np.eye(4)], axis=1)
    low, high = (X.min(axis=0) - row) / spread, (X.max(axis=0) - row) / spread
    lengths = []
    for target in set(range(3)) - {int(base.argmax())}:
        others = [k for k in range(3) if k != target]
        sides = slopes[target] - slopes[others]
        bound = LinearConstraint(sides, base[others] - base[target], np.inf)
        best = minimize(
            lambda z: z @ z, np.zeros(4), jac=lambda z: 2 * z, method="SLSQP",
            constraints=[bound], options={"ftol": 1e-10, "maxiter": 500},
            bounds=list(zip(np.minimum(low, 0), np.maximum(high, 0), strict=True)),
        )  # fmt: skip
        reached = (sides @ best.x >= bound.lb - 1e-6).all()
        if reached:
            lengths.append(np.sqrt(best.fun))
        ours = found(model, data, row, target=target)
        assert reached == np.isfinite(ours.steps).all()
    nearest = found(model, data, row)
    assert_allclose(np.linalg.norm(nearest.steps), min(lengths), rtol=1e-4)
    assert model.pipeline.predict(nearest.row[None]) == [nearest.second]
    almost = row + 0.999 * (nearest.row - row)
    assert model.pipeline.predict(almost[None]) == [nearest.first]


@pytest.mark.parametrize("method", ["lda(shrinkage=0.1)", "logistic"])
def test_categories_and_locked_features_stay(method):
    model, data, _ = fitted("passengers", method)
    fare, n_found, n_levels = data.feature_names.index("fare"), 0, 0
    kept = [j for j, levels in enumerate(data.levels) if levels is not None] + [fare]
    for test in model.split.test[:80]:
        row = complete_row(data, model.split.train, int(test))
        free, locked = found(model, data, row), found(model, data, row, locked=[fare])
        assert np.isnan(locked.alone[kept]).all()
        for column, level in free.levels:
            changed = row.copy()
            changed[column] = level
            assert model.pipeline.predict(changed[None]) != [free.first]
        n_levels += len(free.levels)
        if np.isfinite(locked.row).all():
            n_found += 1
            assert (locked.row[kept] == row[kept]).all()
            assert model.pipeline.predict(locked.row[None]) == [locked.second]
            # More freedom never makes the way longer.
            assert np.linalg.norm(free.steps) <= np.linalg.norm(locked.steps) + 1e-9
    assert n_found > 5 and n_levels > 50


def test_a_feature_alone_reaches_the_boundary_within_its_range():
    model, data, row = fitted("iris", "lda", 9)
    nearest = found(model, data, row)
    X = data.X[model.split.train]
    able = np.flatnonzero(np.isfinite(nearest.alone))
    assert len(able)
    for j in able:
        moved = row.copy()
        moved[j] = nearest.alone[j]
        assert X[:, j].min() <= moved[j] <= X[:, j].max()
        assert model.pipeline.predict(moved[None]) != [nearest.first]
        moved[j] = row[j] + 0.999 * (nearest.alone[j] - row[j])
        assert model.pipeline.predict(moved[None]) == [nearest.first]
    everything = found(model, data, row, locked=range(4))
    assert np.isnan(everything.alone).all() and np.isnan(everything.row).all()


def test_models_and_targets_without_one_are_refused():
    model, data, row = fitted("iris", "lda")
    with pytest.raises(ValueError, match="predicted already"):
        found(model, data, row, target=found(model, data, row).first)
    curved, data, row = fitted("iris", "qda")
    with pytest.raises(TypeError, match="not linear"):
        found(curved, data, row)


def test_the_display_names_numbers_levels_and_why_there_is_none():
    model = lincore.fit(lincore.sample("passengers"), "lda")
    lines = [model.nearest_change(row=int(row)) for row in model.split.test[:40]]
    said = [one.finding() for one in lines]
    assert any("One changed category would suffice: sex" in one for one in said)
    assert any("would be predicted with" in one and "→" in one for one in said)
    for one in lines:
        assert len(one.table()) == len(one.frame()) + len(one.change.levels)
    age = model.data.feature_names.index("age")
    locked = model.nearest_change(row=int(model.split.test[0]), locked=(age,))
    assert "age" not in locked.table()["feature"].tolist()
    at = model.at(0.3).nearest_change().finding()
    assert "not at a threshold" in at
    curved = lincore.fit(lincore.sample("iris"), "qda").nearest_change()
    assert "not linear" in curved.finding() and curved.table().empty and not curved.notes()


def test_nothing_found_has_no_table():
    model = lincore.fit(lincore.sample("iris"), "lda")
    none = model.nearest_change(row=-1, locked=tuple(range(4)))
    assert none.finding().startswith("No numbers in the range") and none.table().empty
    passengers = lincore.fit(lincore.sample("passengers"), "lda")
    numbers = tuple(i for i, one in enumerate(passengers.data.levels) if one is None)
    for row in passengers.split.test[:40].tolist():
        one = passengers.nearest_change(row=row, locked=numbers)
        assert len(one.table()) == len(one.change.levels) and len(one.frame()) == 0
    assert "" not in one.table()["feature"].tolist()


def test_the_median_row_is_named_by_how_it_is_made():
    for name, made in (
        ("iris", "The median of every feature."),
        ("passengers", "The median of every number, the most frequent level of every category."),
    ):
        model = lincore.fit(lincore.sample(name), "lda")
        assert model.nearest_change(row=-1).scope().startswith(made)
        assert model.contributions(row=-1).scope().startswith(made)
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(list("abcdefghij"), 6) + "word") for _ in range(80)]
    words = pd.DataFrame({"text": texts, "kind": ["wine", "beer"] * 40})
    data = lincore.load(words, target="kind", options=TableOptions(roles={"text": "text"}))
    assert data.n_words
    model = lincore.fit(data, "logistic")
    assert model.contributions(row=-1).scope().startswith("The mean of every feature.")
