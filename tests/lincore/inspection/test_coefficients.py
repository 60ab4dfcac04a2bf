"""The table of coefficients: statsmodels' numbers, in the user's units, level by level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose

import lincore
from lincore.data import Split
from lincore.displays import coefficient_rows
from lincore.inspection import feature_weights, likelihood_coefficients, score_coefficients
from lincore.model_selection import Steps


def passengers(n=400, classes=("died", "survived")):
    """Return a table as that of the Titanic, with its rows in their order."""
    rng = np.random.default_rng(3)
    port = rng.choice(["C", "Q", "S"], n, p=[0.25, 0.15, 0.6])
    sex = rng.choice(["female", "male"], n, p=[0.4, 0.6])
    age = rng.normal(35, 14, n)
    score = 1.5 * (sex == "female") + 0.8 * (port == "C") - 0.03 * age
    noise = rng.gumbel(size=(n, len(classes)))
    noise[:, 1:] += score[:, None] * np.arange(1, len(classes))
    fate = np.array(classes)[noise.argmax(axis=1)]
    return pd.DataFrame({"port": port, "sex": sex, "age": age, "fate": fate})


def fitted(frame, line, steps=None):
    data = lincore.load(frame, target="fate", name="passengers")
    rows = np.arange(data.n_rows)
    model = lincore.fit(data, line, Split(rows, rows), steps=steps or Steps())
    return data, rows, model.pipeline


def design(frame):
    """Return the columns of a textbook: port against S, sex against female, age, a constant."""
    columns = [frame["port"] == "C", frame["port"] == "Q", frame["sex"] == "male", frame["age"]]
    return np.column_stack([np.column_stack(columns).astype(float), np.ones(len(frame))])


NAMES = (
    "port = C (against S)",
    "port = Q (against S)",
    "sex = male (against female)",
    "age",
    "intercept",
)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("classes", [("died", "survived"), ("died", "boat", "cabin")])
def test_maximum_likelihood_is_that_of_statsmodels(classes, standardize):
    frame = passengers(classes=classes)
    data, rows, pipeline = fitted(frame, "logistic(C=inf)", Steps(standardize))
    found = likelihood_coefficients(pipeline, data, rows)
    assert found.names == NAMES and found.are_log_odds and not found.is_penalised
    model = sm.MNLogit(data.codes, design(frame)).fit(disp=False, maxiter=100, tol=1e-12)
    assert_allclose(found.estimate, np.asarray(model.params).T, rtol=1e-4, atol=1e-6)
    assert_allclose(found.error, np.asarray(model.bse).T, rtol=1e-4)
    assert_allclose(found.p, np.asarray(model.pvalues).T, rtol=1e-3, atol=1e-9)
    ends = np.asarray(model.conf_int()).reshape(len(classes) - 1, 5, 2)
    assert_allclose(found.low, ends[..., 0], rtol=1e-3, atol=1e-6)
    assert_allclose(found.high, ends[..., 1], rtol=1e-3, atol=1e-6)
    spread = design(frame)[:, :4].std(axis=0)
    assert_allclose(found.per_deviation[:, :4], found.estimate[:, :4] * spread)
    row = coefficient_rows(found, 0)[2]
    assert row["feature"] == NAMES[2] and row["p"] == "< 0.001"
    assert row["odds ratio"] == pytest.approx(np.exp(found.estimate[0, 2]))
    assert "odds ratio" not in coefficient_rows(found, 0)[-1]


@pytest.mark.parametrize(
    ("line", "penalised"),
    [("logistic", True), ("lda", False), ("least-squares", False), ("perceptron", False)],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_other_classifiers_have_estimates_alone(line, penalised):
    frame = passengers()
    data, rows, pipeline = fitted(frame, line)
    found = score_coefficients(pipeline, data, rows, ("survived over died",))
    assert found.names == NAMES[:-1] and found.error is None
    # Against the reference level nothing else changes: slopes and differences of scores.
    seen = design(frame)[:, :-1]
    scores = pipeline.decision_function(data.X)
    difference = scores - seen @ found.estimate[0]
    assert_allclose(difference, difference[0], atol=1e-8)
    row = coefficient_rows(found, 0)[0]
    assert (row.get("standard error") == "penalised") == penalised == found.is_penalised
    assert ("odds ratio" in row) == (line == "logistic")
    assert "p" not in row and "95 % interval" not in row


def test_why_there_are_no_errors_is_told():
    data, rows, pipeline = fitted(passengers(), "logistic")
    with pytest.raises(ValueError, match="Fit without a penalty"):
        likelihood_coefficients(pipeline, data, rows)
    data, rows, pipeline = fitted(passengers(), "logistic(C=inf)", Steps(n_components=2))
    with pytest.raises(ValueError, match="switch the projection off"):
        likelihood_coefficients(pipeline, data, rows)
    data, rows, pipeline = fitted(passengers(), "logistic(C=inf, class_weight=balanced)")
    with pytest.raises(ValueError, match="class weights"):
        likelihood_coefficients(pipeline, data, rows)


def test_columns_that_repeat_others_are_left_out_so_that_there_are_odds_ratios():
    """As of a table in which "no phone" is a level of several columns; R's `glm` does the same."""
    frame = passengers()
    rng = np.random.default_rng(5)
    frame["cabin"] = np.where(frame["sex"] == "male", "none", rng.choice(["low", "high"], 400))
    frame["years"] = 2 * frame["age"] + 1
    data, rows, pipeline = fitted(frame, "logistic(C=inf)")
    found = likelihood_coefficients(pipeline, data, rows)
    assert len(found.left_out) == 2 and found.left_out[1] == "years"
    kept = [name for name in found.names if name != "intercept"]
    assert not set(found.left_out) & set(kept)
    columns = {
        "port = C (against S)": frame["port"] == "C",
        "port = Q (against S)": frame["port"] == "Q",
        "sex = male (against female)": frame["sex"] == "male",
        "age": frame["age"],
    } | {
        f"cabin = {one} (against {other})": frame["cabin"] == one
        for one in ("none", "low", "high")
        for other in ("none", "low", "high")
    }
    X = sm.add_constant(np.column_stack([columns[name] for name in kept]).astype(float), False)
    theirs = sm.Logit((frame["fate"] == "survived").astype(int), X).fit(disp=0)
    order = [*range(1, len(kept) + 1), 0] if np.ptp(X[:, 0]) == 0 else range(len(kept) + 1)
    assert_allclose(found.estimate[0], np.asarray(theirs.params)[list(order)], rtol=1e-5)
    assert_allclose(found.error[0], np.asarray(theirs.bse)[list(order)], rtol=1e-5)


def test_missing_and_rare_levels_are_levels_as_any_other():
    frame = passengers()
    frame.loc[::9, "port"] = None
    frame.loc[::7, "age"] = np.nan
    data = lincore.load(frame, target="fate", name="passengers")
    data = replace(data, imputation="indicator")
    rows = np.arange(data.n_rows)
    pipeline = lincore.fit(data, "logistic(C=inf)", Split(rows, rows)).pipeline
    found = likelihood_coefficients(pipeline, data, rows)
    assert np.isfinite(found.error).all() and (found.error > 0).all()
    n_columns = feature_weights(pipeline, data, rows).values.shape[1]
    assert len(found.names) == n_columns  # one level less, and the intercept
