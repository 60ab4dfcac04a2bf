"""Canonical discriminant analysis against published tables, and against its own definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

import lincore
from lincore.errors import DataError
from lincore.inspection import canonical_analysis

IRIS = lincore.sample("iris")
NAMES = ("canonical", "canonical_coefficients", "centroids", "group_distances")


def test_iris_is_as_published():
    """SAS/STAT User's Guide, "The CANDISC Procedure", example of Fisher's iris data, in mm."""
    found = canonical_analysis(IRIS.X * 10, IRIS.codes)
    table = found.functions
    assert_allclose(table["eigenvalue"], [32.1919292, 0.2853910], atol=5e-8)
    assert_allclose(table["correlation"], [0.984821, 0.471197], atol=5e-7)
    assert_allclose(table["wilks"], [0.02343863, 0.77797337], atol=5e-9)
    assert_allclose(table["F"], [199.15, 13.79], atol=5e-3)
    assert table[["df1", "df2"]].to_numpy().tolist() == [[8, 288], [3, 145]]
    raw = [
        [0.0829377642, 0.0024102149],
        [0.1534473068, 0.2164521235],
        [-0.2201211656, -0.0931921210],
        [-0.2810460309, 0.2839187853],
    ]
    assert_allclose(found.raw * [-1, 1], raw, atol=5e-11)
    assert_allclose(
        found.centroids, [[-7.60760, 0.21513], [1.82505, -0.72790], [5.78255, 0.51277]], atol=5e-6
    )
    distances = found.distances
    assert_allclose(distances["distance"], [89.86419, 179.38471, 17.20107], atol=5e-6)
    assert_allclose(distances["F"], [550.18889, 1098.0, 105.31265], rtol=3e-4)
    assert set(distances["df2"]) == {144}


def test_scores_have_the_variances_and_correlations_that_are_said():
    wine = lincore.sample("wine")
    found = canonical_analysis(wine.X, wine.codes)
    scores = (wine.X - wine.X.mean(axis=0)) @ found.raw
    means = np.stack([scores[wine.codes == k].mean(axis=0) for k in range(3)])
    inner = scores - means[wine.codes]
    assert_allclose(inner.T @ inner / (wine.n_rows - 3), np.eye(2), atol=1e-9)
    assert_allclose(means, found.centroids, atol=1e-9)
    own = wine.X - np.stack([wine.X[wine.codes == k].mean(axis=0) for k in range(3)])[wine.codes]
    r = np.corrcoef(own.T, inner.T)[: wine.X.shape[1], wine.X.shape[1] :]
    assert_allclose(r, found.structure, atol=1e-9)
    apart = ((means[0] - means[1]) ** 2).sum()
    assert_allclose(apart, found.distances["distance"][0])


def test_classification_functions_are_log_posteriors():
    X, codes = lincore.sample("wine").X, lincore.sample("wine").codes
    found = canonical_analysis(X, codes)
    means = np.stack([X[codes == k].mean(axis=0) for k in range(3)])
    S = (X - means[codes]).T @ (X - means[codes]) / (len(X) - 3)
    logs = [multivariate_normal(mean, S).logpdf(X) for mean in means]
    expected = np.stack(logs, axis=1) + np.log(np.bincount(codes) / len(X))
    values = X @ found.coefficients.T + found.constants
    assert_allclose(values - values[:, :1], expected - expected[:, :1], rtol=1e-8, atol=1e-7)


def test_two_classes_are_hotellings_test():
    X, codes = IRIS.X[50:], IRIS.codes[50:] - 1
    found = canonical_analysis(X, codes)
    line, pair = found.functions.iloc[0], found.distances.iloc[0]
    assert_allclose([line["F"], line["df1"], line["df2"]], [pair["F"], pair["df1"], pair["df2"]])
    assert_allclose(line["p"], pair["p"])


@pytest.mark.parametrize(("p", "K"), [(1, 2), (1, 4), (2, 3), (4, 3), (3, 5)])
def test_noise_is_called_separating_as_often_as_said(p, K):
    rng = np.random.default_rng(p * 10 + K)
    codes = np.arange(12 * K) % K
    found = [canonical_analysis(rng.standard_normal((12 * K, p)), codes) for _ in range(400)]
    alarms = np.mean([one.functions["p"][0] < 0.05 for one in found])
    pairs = np.mean([one.distances["p_holm"].min() < 0.05 for one in found])
    assert 0.02 < alarms < 0.085
    assert pairs < 0.085


def test_units_and_repeated_features_change_nothing():
    plain = canonical_analysis(IRIS.X, IRIS.codes)
    X = np.column_stack([IRIS.X * [1e-9, 1.0, 1e9, 1.0], np.full(150, 0.1), IRIS.X[:, 0] * 3 + 1])
    found = canonical_analysis(X, IRIS.codes)
    assert found.kept.tolist() == [True] * 4 + [False, False]
    assert_allclose(found.functions["wilks"], plain.functions["wilks"], rtol=1e-8)
    assert_allclose(found.standardised, plain.standardised, rtol=1e-6)


def test_what_cannot_be_tested_is_refused():
    X = np.column_stack([IRIS.X, IRIS.codes])
    with pytest.raises(DataError, match="constant within every class"):
        canonical_analysis(X, IRIS.codes)
    with pytest.raises(DataError, match=r"too few|constant within"):
        canonical_analysis(IRIS.X[::25], IRIS.codes[::25])


def test_displays_of_a_model_and_the_reason_of_one_without():
    model = lincore.fit(IRIS, "lda", steps=lincore.Steps(standardize=True))
    plain = lincore.fit(IRIS, "fisher", steps=lincore.Steps(standardize=False))
    for name in (*NAMES, "classification_functions"):
        shown, same = getattr(model, name)(), getattr(plain, name)()
        assert shown.finding() == same.finding()
        assert len(shown.table())
        qda = getattr(lincore.fit(IRIS, "qda"), name)()
        assert "QDA has no canonical functions" in qda.finding()
        assert str(qda)
    passengers = lincore.fit(lincore.sample("passengers"), "lda")
    assert "combinations of others" in " ".join(passengers.canonical_coefficients().notes())
