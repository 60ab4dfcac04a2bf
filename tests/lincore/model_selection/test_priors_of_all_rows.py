"""Leave-one-out with the priors of all rows, as R's ``lda(..., CV = TRUE)``, or of the others."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import LeaveOneOut

import lincore


def test_an_option_says_whose_priors_leave_one_out_has():
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b"], [8, 20])
    X = rng.normal((y == "b")[:, None] * 1.0, 1.0, (28, 2))
    shares = [8 / 28, 20 / 28]
    methods = ["lda", "lda(priors=all)", "qda(priors=all)"]
    methods.append(("by hand", lincore.QuadraticDiscriminantAnalysis(priors=shares)))
    found = lincore.compare(lincore.load((X, y)), methods, "leave-one-out")
    of_row = found.log_proba[:, np.argsort(found.rows)]
    for i, priors in enumerate((None, shares)):
        for train, test in LeaveOneOut().split(X):
            model = LinearDiscriminantAnalysis(priors=priors).fit(X[train], y[train])
            np.testing.assert_allclose(of_row[i, test], model.predict_log_proba(X[test]), atol=1e-8)
    np.testing.assert_allclose(of_row[2], of_row[3])
    assert not np.allclose(of_row[0], of_row[1])
    alone = lincore.LinearDiscriminantAnalysis(priors="all").fit(X, y)
    np.testing.assert_allclose(alone.priors_, shares)


@pytest.mark.parametrize("method", ["lda", "diagonal-lda", "naive-bayes"])
@pytest.mark.parametrize("priors", ["all", "{'a': 0.2, 'b': 0.2, 'c': 0.6}"])
def test_a_fold_without_a_class_shares_its_prior_among_the_others(method, priors):
    codes = np.r_[np.repeat([0, 1], 10), 2]
    X = np.random.default_rng(0).normal(codes[:, None], size=(21, 30))  # fitted from the rows
    data = lincore.load((X, np.array(list("abc"))[codes]))
    found, equal = (
        lincore.compare(data, f"{method}(priors={given})", "leave-one-out")
        for given in (priors, "equal")
    )
    np.testing.assert_allclose(
        found.log_proba[0][found.rows == 20], equal.log_proba[0][found.rows == 20]
    )
