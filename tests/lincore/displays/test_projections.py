"""Displays of projections say what the fits hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import DataError
from lincore.data import Split

WINE = lincore.sample("wine")
SPLIT = lincore.split(WINE)


def test_the_variance_is_that_of_the_correlation_matrix():
    shares = np.linalg.eigvalsh(np.corrcoef(WINE.X[SPLIT.train].T))[::-1] / 13
    found = WINE.projection(SPLIT).variance()
    np.testing.assert_allclose(found.frame()["share"], shares)
    needed = int(np.argmax(shares.cumsum() > 0.95)) + 1
    assert found.finding() == (
        f"Two components explain {100 * shares[:2].sum():.1f} % of the variance of "
        f"{len(SPLIT.train)} training rows; 95 % need {needed} of 13."
    )
    assert WINE.projection(SPLIT, standardize=False).variance().finding() != found.finding()


def test_axes_differ_and_follow_the_settings():
    projected = WINE.projection(SPLIT)
    scores = projected.projection.scores(WINE.X[SPLIT.test], (3, 0))
    found = projected.pca(x=3, rows="test")
    np.testing.assert_array_equal(found.frame().iloc[:, 2:], scores)
    assert found.frame()["row"].tolist() == SPLIT.test.tolist()
    assert projected.pca(dimensions=3, y=2).axes == (0, 2, 1)
    assert projected.pca(x=1).axes == (1, 0)
    with pytest.raises(DataError, match="y"):
        projected.pca(x=2, y=2)
    assert projected.fisher(dimensions=3).axes == (0, 1), "three classes have two directions"


def test_fishers_separation_is_compared_with_the_first_component():
    found = WINE.projection(SPLIT).fisher(n_components=3)
    (first, best), (_, unseen) = found.separation
    along = found.frame().iloc[:, 2].to_numpy()
    codes = WINE.codes[SPLIT.train]
    means = np.array([along[codes == k].mean() for k in range(3)])
    within = ((along - means[codes]) ** 2).sum()
    between = (np.bincount(codes) * (means - along.mean()) ** 2).sum()
    assert best == pytest.approx(between / within) and best > first
    assert f"is {best:.2f} against {first:.2f} (on 53 test rows {unseen:.2f}" in found.finding()
    assert found.notes()[0].endswith("It uses the first 3 components.")
    same = WINE.projection(SPLIT).fisher(n_components=1)
    assert "no further apart" in same.finding()
    assert WINE.projection(SPLIT).fisher(n_components=13).n_components == 13, "all of them"
    with pytest.raises(DataError, match="It is 14"):
        WINE.projection(SPLIT).fisher(n_components=14)


def test_equal_means_have_no_direction_and_everything_else():
    X = np.array([[1.5, 0], [-1.5, 0], [0, 1.5], [0, -1.5]] * 4)
    data = lincore.load((X, np.repeat([0, 1], 8)))
    projected = data.projection(Split(np.arange(16), np.arange(0)))
    found = projected.fisher()
    assert found.finding().startswith("Fisher’s projection cannot be drawn.")
    assert found.plot() is None and found.frame().empty and str(found)
    assert projected.loadings().frame()["feature"].tolist() == ["feature 1", "feature 2"]
    with pytest.raises(DataError, match="direction"):
        projected.loadings(direction=2)


def test_weights_are_those_of_the_direction():
    projected = WINE.projection(SPLIT)
    fitted = projected.projection
    np.testing.assert_array_equal(projected.loadings().frame()["weight"], fitted.components[0])
    fisher = projected.loadings(direction=11, n_components=4)
    np.testing.assert_array_equal(fisher.frame()["weight"], fitted.weights(fitted.fisher(4))[1])
    assert fisher.notes()[0].startswith("Fisher’s direction 2. Weights are per standard deviation")
    own = WINE.projection(SPLIT, standardize=False).loadings()
    assert "per unit of the feature" in own.notes()[0]


def test_images_are_rebuilt_beside_one_of_each_class():
    digits = lincore.sample("digits")
    projected = digits.projection()
    found = projected.reconstruction(n_components=12)
    assert len({digits.codes[i] for i in found.rows}) == 6
    X = digits.X[projected.split.test]
    error = np.sqrt(np.mean((projected.projection.rebuilt(X, 12) - X) ** 2))
    assert f"of a pixel is {error:.1f} of 255" in found.notes()[0]
    assert projected.reconstruction(beside=[7, 8], image=9).rows == [9, 7, 8]
    assert projected.eigen_images(kind="fisher").frame().shape == (6, 64)
    means = projected.class_means().frame()
    train = projected.split.train[digits.codes[projected.split.train] == 3]
    np.testing.assert_allclose(means.iloc[3, 1:].astype(float), digits.X[train].mean(axis=0))
    with pytest.raises(DataError, match="not images"):
        WINE.projection(SPLIT).class_means().plot()


def test_words_have_singular_vectors():
    rng = np.random.default_rng(0)
    lines = [" ".join(rng.choice([*"abcdefgh"], 5) + np.array(["x"])) for _ in range(40)]
    data = lincore.load(pd.DataFrame({"text": lines, "y": ["p", "q"] * 20}))
    projected = data.projection()
    assert "singular vectors explain" in projected.variance().finding()
    assert "replaces PCA" in projected.pca().finding()
    assert "first singular vector" in projected.fisher().finding()


def test_the_digest_knows_data_split_and_units():
    keys = {
        WINE.projection(SPLIT).pca().key,
        WINE.projection(SPLIT, standardize=True).pca(x=0).key,
        WINE.projection(SPLIT, standardize=False).pca().key,
        WINE.projection(lincore.split(WINE, seed=1)).pca().key,
    }
    assert len(keys) == 3, "the first two are equal"
