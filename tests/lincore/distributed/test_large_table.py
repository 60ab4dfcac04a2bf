"""A table larger than memory, in passes over its blocks: as if all of its rows were held."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lincore import PCA, DataError, LogisticRegression, MultinomialNB
from lincore.distributed import deal, open_large_table
from lincore.io import read_table
from lincore.limits import LIMITS
from lincore.model_selection import as_method

N, BLOCK, FOLDS = 3_000, 250, 10
SMALL = replace(LIMITS, max_table_bytes=60_000, max_rows_in_memory=300, max_drawn_bytes=20_000)
METHODS = ("lda", "qda", "naive-bayes")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr("lincore.io.tables.streamed._delimited.BLOCK_CELLS", BLOCK * 4)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    codes = rng.choice(3, N, p=[0.6, 0.3, 0.1])
    X = rng.normal(size=(N, 3)) * [1, 3, 0.1] + codes[:, None] * [0.5, 2, 0.1] - 4e3
    found = pd.DataFrame(X.round(6), columns=["u", "v", "w"])
    found.loc[::70, "v"] = np.nan
    return found.assign(kind=np.array(["Class10", "Class2", "é"])[codes])


def opened(frame, **changes):
    table = read_table(frame.to_csv(index=False).encode(), "large.csv", limits=SMALL)
    return open_large_table(table, "kind", **changes)


def rows_of(frame, data) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows without gaps, their labels, and the folds that their blocks deal them to."""
    whole = frame.dropna()
    X, y = whole[["u", "v", "w"]].to_numpy(), whole["kind"].to_numpy(dtype=str)
    labels = [block()[1] for block in data.partitions]
    assert_array_equal(np.concatenate(labels), y)
    part = [
        deal(np.unique(one, return_inverse=True)[1], FOLDS, 0, i) for i, one in enumerate(labels)
    ]
    return X, y, np.concatenate(part)


def test_models_and_their_comparison_are_those_of_all_rows(frame):
    data = opened(frame)
    X, y, part = rows_of(frame, data)
    assert len(list(data.partitions)) > 5
    shared = data.summarise(n_folds=FOLDS)
    scores = data.score(shared, METHODS)
    assert shared.n_rows == len(X) == scores.confusion[0].sum()
    for m, method in enumerate(METHODS):
        wanted = as_method(method).fresh(3).fit(X, y)
        assert_allclose(shared.fit(method).predict_proba(X), wanted.predict_proba(X), atol=1e-9)
        predicted = np.empty(len(y), dtype=object)
        for fold in range(FOLDS):
            model = as_method(method).fresh(3).fit(X[part != fold], y[part != fold])
            predicted[part == fold] = model.predict(X[part == fold])
        found = pd.crosstab(y, predicted).to_numpy()
        assert_array_equal(scores.confusion[m].sum(axis=0), found)


def test_components_and_counts_are_those_of_all_rows(frame):
    frame = frame.assign(u=frame["u"].abs().round(), v=frame["v"].abs().round(), w=np.arange(N) % 5)
    data = opened(frame)
    X, y, _ = rows_of(frame, data)
    shared = data.summarise()
    components = PCA(2).fit_moments(shared.by_class.pooled()).components_
    assert_allclose(abs(components), abs(PCA(2).fit(X).components_), atol=1e-9)
    counted = MultinomialNB()
    for block in data.partitions:
        counted.partial_fit(*block(), classes=shared.classes)
    assert_allclose(counted.coef_, MultinomialNB().fit(X, y).coef_, rtol=1e-12)


def test_logistic_regression_is_at_the_same_minimum(frame):
    data = opened(frame)
    X, y, _ = rows_of(frame, data)
    model = LogisticRegression(C=0.01, tol=1e-10)
    found, wanted = data.fit(model, data.summarise()), model.fit(X, y)
    units = X.std(axis=0)
    assert_allclose(found.coef_ * units, wanted.coef_ * units, atol=1e-8)
    assert_allclose(found.predict_proba(X), wanted.predict_proba(X), atol=1e-8)


def test_passes_can_be_stopped_and_begun_again(frame):
    seen = []
    data = opened(frame, progress=lambda done, total, what: seen.append(done) or len(seen) != 7)
    with pytest.raises(DataError, match="stopped"):
        data.summarise()
    assert len(seen) == 7
    assert data.summarise().n_rows == len(frame.dropna())


def test_classes_can_be_left_out_and_merged(frame):
    data = opened(frame, drop_classes=["é"], merge_classes={"Class2": "two"})
    assert data.summarise().classes.tolist() == ["Class10", "two"]


def test_what_needs_more_than_blocks_is_refused(frame):
    table = read_table(frame.to_csv(index=False).encode(), "small.csv")
    with pytest.raises(DataError, match="fits into memory"):
        open_large_table(table, "kind")
    with pytest.raises(DataError, match="count alike"):
        opened(frame.assign(n=np.arange(N) % 3 + 1), roles={"n": "weight"})
    with pytest.raises(DataError, match="needs all rows at once"):
        opened(frame, missing="median")
    odd = frame.index % 2 == 1
    lone = frame.assign(v=frame["v"].where(odd), w=frame["w"].where(~odd))
    with pytest.raises(DataError, match="No row is left"):
        opened(lone).summarise()
