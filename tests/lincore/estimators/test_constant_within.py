"""A feature that is constant within every class tells the classes, and some models ignore it."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore.estimators import (
    ConstantFeatureWarning,
    DiagonalLinearDiscriminantAnalysis,
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from lincore.model_selection import Steps

MODELS = [
    LinearDiscriminantAnalysis,
    DiagonalLinearDiscriminantAnalysis,
    FisherDiscriminant,
    QuadraticDiscriminantAnalysis,
]


def rows(n_classes: int, flag: str = "own", seed: int = 0) -> pd.DataFrame:
    """Return 40 rows of each class: noise, and a flag that never varies within a class."""
    codes = np.repeat(np.arange(n_classes), 40)
    values = {"own": codes, "last": codes == n_classes - 1, "same": codes >= 0}[flag].astype(float)
    noise = np.random.default_rng(seed).normal(size=(len(codes), 2)) + 0.3 * codes[:, None]
    return pd.DataFrame({"u": noise[:, 0], "flag": values, "v": noise[:, 1], "kind": codes})


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("flag", ["own", "last"])
@pytest.mark.parametrize("model", MODELS)
def test_a_fit_names_what_it_ignores(model, flag, n_classes):
    X = rows(n_classes, flag)
    with pytest.warns(ConstantFeatureWarning, match="Coefficient 0 for 1 feature .*'flag'.*ridge"):
        model().fit(X.drop(columns="kind"), X["kind"])


@pytest.mark.parametrize(
    ("model", "flag"),
    [(LinearDiscriminantAnalysis(shrinkage=0.1), "own"), *((m(), "same") for m in MODELS)],
)
def test_a_ridge_uses_it_and_what_is_constant_everywhere_is_not_missed(model, flag):
    X = rows(2, flag)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = model.fit(X.drop(columns="kind"), X["kind"])
    assert flag == "same" or fitted.score(X.drop(columns="kind"), X["kind"]) == 1.0


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({}, "'flag'"),
        ({"flag": lambda f: np.where(f["kind"] == 2, "x", np.where(f["u"] > 0, "y", "z"))}, "'fl"),
        ({"flag": lambda f: np.where(f["kind"] == 2, "x", "y")}, "'flag'"),
        ({"flag": lambda f: np.where(f["u"] > 0, "y", "z")}, ""),
        ({"flag": lambda f: f["flag"] + (f.index < 20)}, ""),
    ],
)
def test_the_data_checks_name_column_reason_and_remedy(change, named):
    data = lincore.load(rows(3, "last").assign(**change), target="kind")
    found = lincore.data_checks(data, lincore.split(data))
    said = [one.sentence for one in found if one.code == "constant"]
    assert len(said) == bool(named)
    for sentence in said:
        assert sentence.startswith(named)
        assert "constant within every class" in sentence and "logistic" in sentence


def test_a_comparison_notes_which_models_ignored_a_feature():
    results = lincore.compare(rows(3), ["lda", "lda(shrinkage=0.1)", "logistic"], target="kind")
    (note,) = [one for one in results.scores().notes() if "constant" in one]
    assert note == "LDA ignored a feature that is constant within every class."


@pytest.mark.parametrize("steps", [Steps(standardize=True), Steps(standardize=False)])
def test_a_pipeline_warns_with_the_names_of_the_features(steps):
    data = lincore.load(rows(3).assign(u=lambda f: np.where(f["u"] > 1, "x", "y")), target="kind")
    with pytest.warns(ConstantFeatureWarning, match="classes: 'flag'[.]"):
        lincore.fit(data, "lda", steps=steps)
