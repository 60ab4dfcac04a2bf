"""Both projections agree with independent implementations, and say what they can on any rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.decomposition import TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as SklearnLDA

import lincore
from lincore import DataError, FisherDiscriminant, inspection, model_selection, plots
from lincore.data import Dataset, Split


def of(data: Dataset, *, standardize: bool = False) -> tuple[inspection.Projection, Split]:
    split = lincore.split(data)
    part = model_selection.summarise_training_set(data, split)
    return inspection.fit_projections(data, part, standardize=standardize), split


def wide(n: int = 40, p: int = 300) -> Dataset:
    rng = np.random.default_rng(0)
    codes = np.arange(n) % 4
    X = rng.normal(1e3, 1.0, size=(n, p))
    X[:, 0] += 20 * codes
    return lincore.load((X, codes), name="wide")


def counted() -> Dataset:
    rng = np.random.default_rng(1)
    lines = [
        " ".join(rng.choice(["ham", "egg", "spam", "sale", "free", "tea"], 6, p=weights))
        for weights in ([0.4, 0.3, 0.1, 0.05, 0.05, 0.1], [0.05, 0.1, 0.3, 0.25, 0.2, 0.1])
        for _ in range(60)
    ]
    text = "\n".join(f"{'good' if i < 60 else 'bad'}\t{line} {i}x" for i, line in enumerate(lines))
    data = lincore.load(
        f"kind\ttext\n{text}\n".encode(), name="mail.tsv", target="kind", roles={"text": "text"}
    )
    assert data.n_words
    return data


@pytest.mark.parametrize("data", [lincore.sample("wine"), lincore.sample("digits"), wide()],
                         ids=["tall", "bytes", "wide"])  # fmt: skip
def test_scores_are_those_of_scikit_learn(data):
    found, split = of(data)
    X = data.X[split.train].astype(float)
    k = min(6, len(found.components))
    reference = SklearnPCA(k).fit(X)
    signs = np.sign((reference.components_ * found.components[:k]).sum(axis=1))
    wanted = reference.transform(data.X[split.test].astype(float)) * signs
    scores = found.scores(data.X[split.test], tuple(range(k)))
    np.testing.assert_allclose(scores, wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())
    np.testing.assert_allclose(found.shares[:k], reference.explained_variance_ratio_, rtol=1e-6)
    white = found.scores(data.X[split.train], (0, 2), whiten=True)
    np.testing.assert_allclose(np.cov(white.T), np.eye(2), atol=1e-6)


def test_fisher_behind_all_components_is_fisher_on_the_features():
    data = lincore.sample("wine")
    found, split = of(data, standardize=True)
    assert inspection.n_fisher_components(data, found) == 13
    fisher = found.fisher(13)
    X, codes = data.X[split.train], data.codes[split.train]
    scores = found.fisher_scores(X, fisher, (0, 1))
    wanted = SklearnLDA(solver="eigen").fit(X, codes).transform(X)
    for i in range(2):
        assert abs(np.corrcoef(scores[:, i], wanted[:, i])[0, 1]) > 1 - 1e-9
    np.testing.assert_allclose(scores.mean(axis=0), 0, atol=1e-9)
    j = found.separation(fisher)
    np.testing.assert_allclose(j[1], fisher.criterion_[0], rtol=1e-9)
    first = FisherDiscriminant().fit(found.scores(X, (0,)), codes)
    np.testing.assert_allclose(j[0], first.criterion_[0], rtol=1e-9)
    np.testing.assert_allclose(found.separation(fisher, X, codes), j, rtol=1e-9)
    # The weights reproduce the scores from the standardised features.
    seen = found.pipeline.named_steps["standardize"].transform(X)
    np.testing.assert_allclose(seen @ found.weights(fisher).T, scores, atol=1e-9)


def test_with_fewer_rows_than_features_fisher_does_not_see_all_components():
    data = wide()
    found, split = of(data)
    few = inspection.n_fisher_components(data, found)
    assert few < len(found.components) == len(split.train) - 1
    fisher = found.fisher(few)
    j = found.separation(fisher, data.X[split.test], data.codes[split.test])
    assert np.isfinite(j).all()


def test_rebuilding_by_every_component_is_exact_and_by_more_is_better():
    data = lincore.sample("digits")
    for standardize in (False, True):
        found, split = of(data, standardize=standardize)
        X, k = data.X[split.train], len(found.components)
        np.testing.assert_allclose(found.rebuilt(X, k), X, atol=1e-8)
        if not standardize:
            errors = [inspection.reconstruction_error(found, X, m) for m in (1, 5, 20, k)]
            assert errors == sorted(errors, reverse=True) and errors[-1] < 1e-8
            lost = 1 - found.shares[:5].sum()
            centred = np.sqrt(np.mean((X - X.mean(axis=0)) ** 2))
            np.testing.assert_allclose(errors[1], centred * np.sqrt(lost), rtol=1e-9)


def test_words_are_projected_by_singular_vectors_and_stay_sparse():
    data = counted()
    found, split = of(data)
    assert found.is_sparse
    prepared = found.pipeline.named_steps["prepare"].transform(data.X[split.train])
    assert len(found.names) == prepared.shape[1] == found.components.shape[1]
    reference = TruncatedSVD(len(found.components), random_state=0).fit(prepared)
    np.testing.assert_allclose(found.shares, reference.explained_variance_ratio_, rtol=1e-9)
    scores = found.scores(data.X[split.train], (0, 1))
    np.testing.assert_allclose(scores, reference.transform(prepared)[:, :2], atol=1e-9)
    fisher = found.fisher(inspection.n_fisher_components(data, found))
    component, direction = found.separation(fisher)
    assert direction > component
    seen = found.separation(fisher, data.X[split.train], data.codes[split.train])
    np.testing.assert_allclose(seen, [component, direction], rtol=1e-9)


def test_categories_and_gaps_get_names():
    rows = "\n".join(
        f"{i % 9},{'' if i % 7 == 0 else i % 5},{['red', 'green', 'blue'][i % 3]},{'ab'[i % 2]}"
        for i in range(60)
    )
    data = lincore.load(f"size,age,colour,kind\n{rows}\n".encode(), name="t.csv", target="kind")
    found, _ = of(data, standardize=True)
    assert "colour = red" in found.names
    assert found.components.shape[1] == len(found.names)


def test_equal_means_and_rows_without_variance_are_told():
    X = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]] * 2)
    data = lincore.load((X, np.repeat([0, 1], 4)), name="equal")
    part = Split(np.arange(8), np.arange(0))
    found = inspection.fit_projections(
        data, model_selection.summarise_training_set(data, part), standardize=False
    )
    with pytest.raises(ValueError, match="class means are equal"):
        found.fisher(2)
    flat = lincore.load((np.ones((8, 2)), np.repeat([0, 1], 4)), name="flat")
    with pytest.raises(DataError, match="no direction"):
        inspection.fit_projections(
            flat, model_selection.summarise_training_set(flat, part), standardize=False
        )


def test_class_means_of_bytes_do_not_overflow():
    X = np.full((300, 2), 200, np.uint8)
    means = inspection.class_means(X, np.zeros(300, dtype=int), 2)
    np.testing.assert_array_equal(means[0], [200.0, 200.0])
    assert np.isnan(means[1]).all()


def test_shares_of_singular_vectors_are_drawn_with_their_sum():
    figure = plots.vector_shares([0.3, 0.2, 0.1])
    bars, line = figure.data
    np.testing.assert_allclose(bars.y, [0.3, 0.2, 0.1], rtol=1e-6)
    np.testing.assert_allclose(line.y, [0.3, 0.5, 0.6], rtol=1e-6)
    assert "60.0 %" in figure.layout.meta["alt"]
