"""Naive Bayes on tables with categories: Gaussian numbers and categorical levels, from moments."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.naive_bayes import CategoricalNB
from sklearn.naive_bayes import GaussianNB as ScikitNB

import lincore
from lincore import GaussianNB, Moments, OneVsRest
from lincore.data import Split
from lincore.model_selection import Steps, as_method, method_steps, pipeline_for
from tests.data import DATA, needs_data


def rows(n=(120, 45, 15)):
    """Return two numbers, codes of a category of four levels and of one of two, and labels."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], n)
    rng.shuffle(y)
    numbers = rng.normal(size=(len(y), 2)) * [1, 30] + np.c_[y, 10 * y]
    four = (rng.integers(0, 4, len(y)) + (rng.random(len(y)) < 0.5) * y) % 4
    two = (rng.random(len(y)) < 0.2 + 0.3 * y).astype(int)
    return numbers, np.c_[four, two], y


def one_hot(numbers, codes):
    return np.column_stack([numbers[:, :1], np.eye(4)[codes[:, 0]], codes[:, 1], numbers[:, 1]])


GROUPS = [[1, 2, 3, 4], [5]]


def expected(numbers, codes, y, seen, alpha=1.0, weight=None):
    """Return scikit-learn's two naive Bayes models as one: the prior must count once."""
    gaussian = ScikitNB(var_smoothing=0).fit(numbers, y, sample_weight=weight)
    levels = CategoricalNB(alpha=alpha, min_categories=codes.max(axis=0) + 1)
    levels.fit(codes, y, sample_weight=weight)
    joint = (
        gaussian.predict_joint_log_proba(seen[0])
        + levels.predict_joint_log_proba(seen[1])
        - levels.class_log_prior_
    )
    return joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)


@pytest.mark.parametrize("alpha", [1.0, 0.01])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_gaussian_and_categorical_naive_bayes_together(alpha, weighted):
    numbers, codes, y = rows()
    weight = np.random.default_rng(1).random(len(y)) + 0.5 if weighted else None
    X = one_hot(numbers, codes)
    model = GaussianNB(var_smoothing=0, alpha=alpha, categorical_columns=GROUPS)
    model.fit(X, y, sample_weight=weight)
    wanted = expected(numbers, codes, y, (numbers, codes), alpha, weight)
    assert_allclose(model.predict_log_proba(X), wanted, rtol=1e-10, atol=1e-10)
    moments = Moments.from_groups(X, y, 3, weight)
    solved = GaussianNB(var_smoothing=0, alpha=alpha, categorical_columns=GROUPS)
    solved.fit_moments(moments, [0, 1, 2])
    assert_allclose(solved.predict_log_proba(X), wanted, rtol=1e-10, atol=1e-10)
    functions = np.column_stack([quadric.values(X) for quadric in model.discriminants()])
    normal = functions - np.logaddexp.reduce(functions, axis=1, keepdims=True)
    assert_allclose(normal, wanted, rtol=1e-8, atol=1e-8)
    assert not hasattr(model, "densities_") and hasattr(GaussianNB().fit(X, y), "densities_")


def test_balanced_weights_and_a_level_that_no_row_had():
    numbers, codes, y = rows()
    X = one_hot(numbers, codes)
    weight = (len(y) / 3 / np.bincount(y))[y]
    model = GaussianNB(categorical_columns=GROUPS, class_weight="balanced").fit(X, y)
    by_rows = GaussianNB(categorical_columns=GROUPS).fit(X, y, sample_weight=weight)
    assert_allclose(model.predict_log_proba(X), by_rows.predict_log_proba(X), atol=1e-10)
    # Without its level a category says nothing: the other columns decide.
    unknown = X.copy()
    unknown[:, 1:5] = 0
    others = GaussianNB(categorical_columns=[[1]], class_weight="balanced")
    others.fit(X[:, [0, 5, 6]], y)
    assert_allclose(
        model.predict_log_proba(unknown), others.predict_log_proba(X[:, [0, 5, 6]]), atol=1e-10
    )


def test_nothing_but_categories():
    _, codes, y = rows()
    X = np.column_stack([np.eye(4)[codes[:, 0]], codes[:, 1]])
    model = GaussianNB(categorical_columns=[[0, 1, 2, 3], [4]]).fit(X, y)
    levels = CategoricalNB(alpha=1.0).fit(codes, y)
    assert_allclose(model.predict_log_proba(X), levels.predict_log_proba(codes), atol=1e-10)
    assert [quadric.is_linear for quadric in model.discriminants()] == [True] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"categorical_columns": [[1, 1]]}, "groups of different columns"),
        ({"categorical_columns": [[7]]}, "from 0 to 6"),
        ({"categorical_columns": [[]]}, "groups of different columns"),
        ({"categorical_columns": GROUPS, "alpha": 0}, "alpha must be a finite number > 0"),
    ],
)
def test_columns_that_do_not_fit_are_refused(options, message):
    numbers, codes, y = rows()
    with pytest.raises(ValueError, match=message):
        GaussianNB(**options).fit(one_hot(numbers, codes), y)


def table():
    numbers, codes, y = rows()
    return lincore.load(
        pd.DataFrame(
            {
                "port": np.array(list("CQSX"))[codes[:, 0]],
                "age": numbers[:, 0],
                "sex": np.array(["male", "female"])[codes[:, 1]],
                "fare": numbers[:, 1],
                "class": np.array(["first", "second", "third"])[y],
            }
        ),
        target="class",
        name="ships",
    )


@pytest.mark.parametrize("scheme", ["4-fold"])
def test_comparisons_treat_categories_as_such(scheme):
    data = table()
    numbers, codes, y = rows()
    line = "naive-bayes(var_smoothing=0)"
    results = lincore.compare(data, [line, "lda"], scheme, seed=3)
    assert results.methods == (line, "lda")
    for fold in np.unique(results.fold):
        test = results.rows[results.fold == fold]
        train = np.setdiff1d(np.arange(len(y)), test)
        wanted = expected(numbers[train], codes[train], y[train], (numbers[test], codes[test]))
        found = results.log_proba[results.position(line)][results.fold == fold]
        assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


def test_only_columns_that_are_still_categories_are_treated_so():
    data, method = table(), as_method("naive-bayes")
    assert not method_steps(method, data, Steps()).standardize
    assert method_steps(as_method("lda"), data, Steps()).standardize
    assert method_steps(method, data, Steps(n_components=2)).standardize
    pipeline = pipeline_for(data, GaussianNB(), Steps())
    assert list(pipeline.named_steps) == ["prepare", "classify"]
    every = Split(np.arange(data.n_rows), np.arange(data.n_rows))
    fitted = lincore.fit(data, "naive-bayes", every).pipeline
    assert fitted.named_steps["classify"].categorical_columns == ((0, 1, 2, 3), (5,))
    notes = lincore.fit(data, "naive-bayes").steps().notes()
    assert "Naive Bayes: 2 numeric columns Gaussian, 2 categorical columns multinomial." in notes
    projected = lincore.fit(data, "naive-bayes", every, steps=Steps(n_components=2))
    assert projected.classifier.categorical_columns is None
    assert "so all columns are Gaussian" in " ".join(projected.steps().notes())
    nested = lincore.fit(data, OneVsRest(GaussianNB()), every).pipeline
    inner = nested.named_steps["classify"].estimators_[0]
    assert inner.categorical_columns == ((0, 1, 2, 3), (5,))


def test_a_study_of_class_sizes_fits_what_a_fit_by_itself_would():
    data = table()
    study = lincore.balance(data, {"second": 20}, ["naive-bayes"], repeats=2)
    example = study.example
    for cell in ("full", "reduced", "balanced weights"):
        pipeline = example.pipelines["naive-bayes", cell]
        assert pipeline.named_steps["classify"].categorical_columns
        found = pipeline.predict_log_proba(data.X[example.split.test])
        found += example.shifts["naive-bayes", cell]
        stored = example.results[cell].log_proba[0]
        assert_allclose(found - found[:, :1], stored - stored[:, :1], atol=1e-9)


@needs_data
def test_credits_of_unequal_classes():
    data = lincore.load(DATA / "csv" / "german_credit.csv", target="default")
    line = "naive-bayes(var_smoothing=0)"
    results = lincore.compare(data, [line], "5-fold")
    coded = np.array([names is not None for names in data.levels])
    numbers, codes = data.X[:, ~coded], data.X[:, coded].astype(int)
    assert coded.sum() > 8 and (~coded).sum() > 4
    for fold in range(5):
        test = results.rows[results.fold == fold]
        train = np.setdiff1d(np.arange(data.n_rows), test)
        seen = (numbers[test], codes[test])
        wanted = expected(numbers[train], codes[train], data.codes[train], seen)
        found = results.log_proba[0][results.fold == fold]
        assert_allclose(found, wanted, rtol=1e-9, atol=1e-10)
