"""Agreement with scikit-learn on real tables: unbalanced, correlated, singular.

Oil spill has 41 rows against 896 and a constant column; ecoli has two classes of two rows.
Agreement on data drawn at random stands with each estimator's own tests.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import discriminant_analysis, linear_model

from lincore import (
    LinearDiscriminantAnalysis,
    LogisticRegression,
)
from tests.data import DATA, needs_data

pytestmark = needs_data

TABLES = {
    "wine": ("winequality_red_semicolon.csv", {"sep": ";"}),
    "pima": ("pima_noheader.csv", {"header": None}),
    "ecoli": ("ecoli_noheader.csv", {"header": None}),
    "oil": ("oil_spill_noheader.csv", {"header": None}),
}


def table(name):
    """Return the numbers (n, p), as they are, and the codes of the classes."""
    file, options = TABLES[name]
    frame = pd.read_csv(DATA / "csv" / file, **options)
    rows = frame.iloc[:, :-1].select_dtypes("number").to_numpy(float)
    return rows, np.unique(frame.iloc[:, -1], return_inverse=True)[1]


def close(ours, theirs, tolerance=1e-8):
    theirs = np.asarray(theirs)
    assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * np.abs(theirs).max())


every_table = pytest.mark.parametrize("name", TABLES)


@pytest.mark.parametrize("repeat", [False, True])
@every_table
def test_lda_is_scikit_learns_svd_solver(name, repeat):
    X, y = table(name)
    if repeat:
        X = np.column_stack([X, X[:, 1], np.ones(len(X))])
    ours = LinearDiscriminantAnalysis().fit(X, y)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y)
    spread = X.std(axis=0)
    close(ours.coef_ * spread, theirs.coef_ * spread, 1e-7 if name == "oil" else 1e-8)
    close(ours.predict_proba(X), theirs.predict_proba(X))
    assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("name", ["wine", "pima", "ecoli"])
def test_logistic_regression_is_scikit_learns(name):
    X, y = table(name)
    X = X / np.maximum(X.std(axis=0), 1e-9)
    ours = LogisticRegression(tol=1e-12).fit(X, y)
    theirs = linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=500)
    theirs.fit(X, y)
    centre = theirs.coef_.mean(axis=0) if len(theirs.coef_) > 1 else 0
    close(ours.coef_, theirs.coef_ - centre)
    close(ours.predict_proba(X), theirs.predict_proba(X))
