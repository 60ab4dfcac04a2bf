"""What a classifier has learned, in the user's units: against sums written out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

import lincore
from lincore.geometry import learned, ratio_coefficients
from lincore.inspection import boundary_equation
from lincore.model_selection import Steps, as_method, pipeline_for


@pytest.mark.parametrize("line", ["lda", "qda", "naive-bayes", "diagonal-lda", "logistic"])
def test_estimates_are_those_of_the_training_rows_in_their_own_units(line):
    data, rows = lincore.sample("iris"), np.r_[0:40, 50:80, 100:120]
    pipeline = pipeline_for(data, as_method(line).fresh(3), Steps(standardize=True))
    X, codes = data.X[rows], data.codes[rows]
    found = learned(pipeline.fit(X, codes), data, rows)
    counts = np.array([40, 30, 20])
    means = np.array([X[codes == k].mean(axis=0) for k in range(3)])
    centred = X - means[codes]
    own = np.array([centred[codes == k].T @ centred[codes == k] for k in range(3)])
    assert found.counts.tolist() == counts.tolist()
    assert_allclose(found.means, means, rtol=1e-6)
    assert_allclose(found.within, own.sum(axis=0), rtol=1e-6, atol=1e-9)
    apart = means - X.mean(axis=0)
    assert_allclose(found.between, (apart * counts[:, None]).T @ apart, rtol=1e-6, atol=1e-9)
    if line == "logistic":
        proba = pipeline.predict_proba(X)[np.arange(90), codes]
        assert found.covariances is None and not found.is_joint
        assert found.log_likelihood == pytest.approx(np.log(proba).sum())
        return
    assert_allclose(found.priors, counts / 90)
    shared = own.sum(axis=0) / 90
    covariances = {
        "lda": shared, "qda": own / counts[:, None, None], "diagonal-lda": np.diag(np.diag(shared)),
        "naive-bayes": own / counts[:, None, None] * np.eye(4),
    }[line]  # fmt: skip
    assert_allclose(found.covariances, covariances, rtol=1e-5, atol=1e-9)
    spreads = np.broadcast_to(covariances, (3, 4, 4))
    joint = sum(
        np.log(counts[k] / 90) + multivariate_normal(means[k], spreads[k]).logpdf(x)
        for x, k in zip(X, codes, strict=True)
    )
    assert found.log_likelihood == pytest.approx(joint, rel=1e-5)
    assert found.by_class["rows"].tolist() == counts.tolist()
    assert_allclose(found.by_class[f"mean of {found.names[2]}"], means[:, 2], rtol=1e-6)
    titles = list(found.matrices)
    assert len(titles) == (3 if covariances.ndim == 2 else 5)
    assert_allclose(found.matrices[titles[-2]][1].iloc[:, 1:].to_numpy(float), found.within)


def test_words_and_coefficients_of_a_ratio():
    data, rows = lincore.sample("iris"), np.arange(150)
    words = pipeline_for(data, lincore.MultinomialNB(), Steps(standardize=False))
    found = learned(words.fit(data.X, data.codes), data, rows)
    shares = np.exp(words[-1].feature_log_prob_)
    spread = np.ptp(shares, axis=0)
    assert [word for word, _ in found.words] == [data.feature_names[j] for j in np.argsort(-spread)]
    assert_allclose(found.by_word.iloc[0, 1:].to_numpy(float), shares[:, spread.argmax()])
    model = pipeline_for(data, lincore.QuadraticDiscriminantAnalysis(), Steps(standardize=True))
    function, names = boundary_equation(model.fit(data.X, data.codes), data, 2, 1)
    table, c = ratio_coefficients(function, names)
    A, b = table.iloc[:, 2:].to_numpy(float), table["b"].to_numpy()
    log_proba = model.predict_log_proba(data.X)
    ratio = np.einsum("ij,jk,ik->i", data.X, A, data.X) + data.X @ b + c
    assert_allclose(ratio, log_proba[:, 2] - log_proba[:, 1], rtol=1e-5, atol=1e-5)
