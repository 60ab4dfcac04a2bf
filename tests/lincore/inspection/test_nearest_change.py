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


@pytest.mark.parametrize(("n_classes", "method"), [(2, "logistic"), (3, "lda"), (4, "logistic")])
def test_whole_numbers_stay_whole_and_it_is_the_nearest_of_all_of_them(n_classes, method):
    rng = np.random.default_rng(n_classes)
    codes, level = rng.integers(0, n_classes, 240), rng.integers(0, 3, 240)
    frame = pd.DataFrame(
        {
            "first": rng.poisson(1 + 2 * (codes == 0)),
            "second": rng.poisson(2 + 2 * (codes == 1)),
            "flag": (rng.random(240) < 0.3 + 0.1 * codes).astype(int),
            **{f"level {k}": (level == k).astype(int) for k in range(2)},
            "answer": rng.integers(0, 5, 240),
            "class": np.array(list("ABCD"))[codes],
        }
    )
    data = lincore.load(frame, target="class")
    model = lincore.fit(data, method)
    X = data.X[model.split.train]
    for test in model.split.test[:8]:
        row = data.X[int(test)]
        for locked in ((), (0,)):
            nearest = found(model, data, row, locked=locked)
            ranges = [
                [row[j]] if j in locked else np.arange(min(low, row[j]), max(high, row[j]) + 1)
                for j, (low, high) in enumerate(zip(X.min(axis=0), X.max(axis=0), strict=True))
            ]
            grid = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(
                -1, data.n_features
            )
            other = grid[model.pipeline.predict(grid) != nearest.first]
            if not len(other):
                assert np.isnan(nearest.row).all()
                continue
            least = np.linalg.norm((other - row) / X.std(axis=0), axis=1).min()
            assert np.linalg.norm(nearest.steps) == pytest.approx(least)
            assert nearest.are_whole and (nearest.row % 1 == 0).all()
            alone = nearest.alone[np.isfinite(nearest.alone)]
            assert (np.round(alone, 9) % 1 == 0).all()


def test_collinear_features_hide_no_change_of_another_one_alone():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 240)
    first = rng.normal(codes)
    columns = {"a": first, "b": 2 * first + 1e-6 * rng.normal(size=240), "c": rng.normal(size=240)}
    data = lincore.load(pd.DataFrame({**columns, "class": codes}), target="class")
    model = lincore.fit(data, "lda")
    n_alone = 0
    for test in model.split.test[:20]:
        row = data.X[int(test)]
        nearest = found(model, data, row)
        moved = np.repeat(row[None], 2000, axis=0)
        moved[:, 2] = np.linspace(*np.quantile(data.X[model.split.train, 2], [0, 1]), 2000)
        other = moved[model.pipeline.predict(moved) != nearest.first, 2]
        if len(other):
            n_alone += 1
            assert abs(nearest.alone[2] - row[2]) <= abs(other - row[2]).min() + 1e-3
    assert n_alone


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
        (note,) = one.notes()
        assert "Whole numbers stay whole" in note and "Wachter" in note
        figure, steps = one.plot(), one.change.steps
        assert (figure is None) == (not np.isfinite(steps).all())
        if figure is not None:
            assert_allclose(sorted(figure.data[0].x), sorted(steps[steps != 0]), rtol=1e-5)
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
