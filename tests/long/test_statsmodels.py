"""Estimates and Wald errors of logistic regression are those of statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose, assert_array_equal

from lincore import LogisticRegression
from tests.common.test_agreement import close
from tests.common.test_agreement import table as real_table
from tests.data import needs_data
from tests.lincore.estimators.logistic.test_estimator import overlapping, tight


@pytest.mark.parametrize("reference", [None, 2])
def test_three_classes_agree_with_statsmodels(reference):
    X, y = overlapping(n=400)
    X, order = X / X.std(axis=0), [0, 1, 2] if reference is None else [2, 0, 1]
    model = tight().fit(X, y)
    theirs = sm.MNLogit(np.argsort(order)[y], np.column_stack([X, np.ones(len(X))])).fit(
        method="newton", disp=False, tol=1e-12
    )
    table = model.wald(X, reference=reference)
    assert_array_equal(table.labels, order[1:])
    assert_allclose(table.estimate, np.asarray(theirs.params).T, rtol=1e-6)
    assert_allclose(table.standard_error, np.asarray(theirs.bse).T, rtol=1e-6)
    assert_allclose(table.z, np.asarray(theirs.tvalues).T, rtol=1e-6)
    assert_allclose(table.p_value, np.asarray(theirs.pvalues).T, rtol=1e-6, atol=1e-12)
    assert_allclose(model.log_likelihood(X, y), theirs.llf, rtol=1e-9)
    assert_allclose(model.log_loss_, -theirs.llf, rtol=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_two_classes_agree_with_statsmodels_in_the_users_units(offset):
    X, y = overlapping(K=2, n=300)
    theirs = sm.Logit(y, np.column_stack([X, np.ones(len(X))])).fit(
        method="newton", disp=False, tol=1e-12
    )
    model = tight().fit(X + offset, np.where(y, "yes", "no"))
    table = model.wald(X + offset, confidence=0.9)
    assert_allclose(table.estimate[0, :-1], theirs.params[:-1], rtol=1e-6)
    assert_allclose(table.standard_error[0, :-1], theirs.bse[:-1], rtol=1e-6)
    expected = theirs.conf_int(alpha=0.1)[:-1]
    assert_allclose(np.vstack(table.interval)[:, :-1].T, expected, rtol=1e-6)
    assert_allclose(table.odds_ratio[0, :-1], np.exp(theirs.params[:-1]), rtol=1e-6)
    assert_allclose(np.vstack(table.odds_ratio_interval)[:, :-1].T, np.exp(expected), rtol=1e-6)
    assert table.names == ("feature 0", "feature 1", "feature 2", "feature 3", "intercept")
    assert table.reference == "no" and table.labels.tolist() == ["yes"]


@needs_data
def test_two_classes_have_statsmodels_errors():
    X, y = real_table("pima")
    model = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    theirs = sm.Logit(y, sm.add_constant(X, prepend=False)).fit(method="newton", disp=False)
    ours = model.wald(X)
    assert_allclose(ours.estimate[0], theirs.params, rtol=1e-6)
    assert_allclose(ours.standard_error[0], theirs.bse, rtol=1e-6)
    assert_allclose(-model.log_loss_, theirs.llf, rtol=1e-9)


@needs_data
def test_six_unequal_classes_have_statsmodels_errors():
    X, y = real_table("wine")
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    theirs = sm.MNLogit(y, sm.add_constant(X, prepend=False))
    theirs = theirs.fit(method="newton", disp=False, tol=1e-12, maxiter=100)
    ours = model.wald(X)
    close(ours.estimate, np.asarray(theirs.params).T, 1e-6)
    assert_allclose(ours.standard_error, np.asarray(theirs.bse).T, rtol=1e-6)
    assert_allclose(-model.log_loss_, theirs.llf, rtol=1e-9)
