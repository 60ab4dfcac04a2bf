"""Attributes and options have scikit-learn's names where they mean the same."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn import decomposition, discriminant_analysis, linear_model, naive_bayes, preprocessing

import lincore

ESTIMATORS = [
    found
    for name in lincore.__all__
    if inspect.isclass(found := getattr(lincore, name)) and hasattr(found, "fit")
]
RNG = np.random.default_rng(5)
SIZES = (50, 30, 17)
MEANS = ((3.0, 1.0, 0.0, 4.0), (4.0, 2.0, 1.0, 4.0), (3.0, 3.0, 2.0, 6.0))
# Of unequal classes, correlated features and unequal units.
X = np.vstack([RNG.normal(mean, 1, (n, 4)) for n, mean in zip(SIZES, MEANS, strict=True)])
X = X @ (np.eye(4) + 0.3) * [1, 10, 0.1, 3] + [20, 0, 5, -7]
Y = np.repeat(["a", "b", "c"], SIZES)
COUNTS = RNG.poisson(3, X.shape)
PRIORS = [0.2, 0.3, 0.5]

# Ours, scikit-learn's, and the attributes of the same meaning.
PEERS = [
    (
        lincore.LinearDiscriminantAnalysis(),
        discriminant_analysis.LinearDiscriminantAnalysis(store_covariance=True),
        "priors_ means_ covariance_ xbar_ scalings_ explained_variance_ratio_ coef_ intercept_",
    ),
    (
        lincore.LinearDiscriminantAnalysis(priors=PRIORS, n_components=1),
        discriminant_analysis.LinearDiscriminantAnalysis(priors=PRIORS, n_components=1),
        "priors_ means_ xbar_ explained_variance_ratio_ coef_ intercept_",
    ),
    (
        lincore.QuadraticDiscriminantAnalysis(),
        discriminant_analysis.QuadraticDiscriminantAnalysis(store_covariance=True),
        "priors_ means_ covariance_",
    ),
    (
        lincore.GaussianNB(var_smoothing=0),
        naive_bayes.GaussianNB(var_smoothing=0),
        "class_prior_ class_count_ theta_ var_",
    ),
    (
        lincore.LogisticRegression(),
        linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-10),
        "coef_ intercept_",
    ),
    (
        lincore.LeastSquaresClassifier(1.0, targets="plus-minus"),
        linear_model.RidgeClassifier(alpha=1.0),
        "coef_ intercept_",
    ),
    (
        lincore.PCA(3),
        decomposition.PCA(3),
        "mean_ components_ explained_variance_ explained_variance_ratio_ singular_values_",
    ),
    (lincore.Standardizer(), preprocessing.StandardScaler(), "mean_ var_ scale_"),
]


def close_but_for_signs(ours, theirs):
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("ours", "theirs", "names"), PEERS, ids=[str(ours) for ours, _, _ in PEERS]
)
def test_attributes_have_scikit_learns_names_and_values(ours, theirs, names):
    ours.fit(X, Y)
    theirs.fit(X, Y)
    for name in ("n_features_in_", *names.split()):
        expected, found = np.asarray(getattr(theirs, name)), getattr(ours, name)
        if name in ("components_", "scalings_"):  # each row, or column, may be turned
            axis = 1 if name == "components_" else 0
            found = found * np.sign((found * expected).sum(axis=axis, keepdims=True))
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9, err_msg=name)


def test_words_have_scikit_learns_names():
    ours, theirs = lincore.MultinomialNB().fit(COUNTS, Y), naive_bayes.MultinomialNB()
    theirs.fit(COUNTS, Y)
    for name in ("class_log_prior_", "class_count_", "feature_count_", "feature_log_prob_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name))


@pytest.mark.parametrize("priors", [None, PRIORS])
@pytest.mark.parametrize("n_components", [None, 1])
def test_canonical_coordinates_are_scikit_learns_up_to_sign(priors, n_components):
    options = {"priors": priors, "n_components": n_components}
    ours = lincore.LinearDiscriminantAnalysis(**options).fit(X, Y)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(**options).fit(X, Y)
    close_but_for_signs(ours.transform(X), theirs.transform(X))
    assert len(ours.get_feature_names_out()) == theirs.transform(X).shape[1]
    unbiased = lincore.LinearDiscriminantAnalysis(divisor="n-k", **options).fit(X, Y)
    shorter = np.sqrt((len(X) - 3) / len(X))
    np.testing.assert_allclose(unbiased.transform(X), shorter * ours.transform(X))


def test_canonical_coordinates_are_fishers():
    lda, fisher = lincore.LinearDiscriminantAnalysis(), lincore.FisherDiscriminant()
    np.testing.assert_allclose(lda.fit(X, Y).transform(X), fisher.fit(X, Y).transform(X))
    wide = RNG.normal(size=(12, 40)) + np.repeat(np.eye(3, 40), 4, axis=0)
    codes = np.repeat([0, 1, 2], 4)
    np.testing.assert_allclose(
        lda.fit(wide, codes).transform(wide), fisher.fit(wide, codes).transform(wide)
    )
    names = lda.set_output(transform="pandas").fit_transform(X, Y).columns.tolist()
    assert names == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]


@pytest.mark.parametrize("shrinkage", [None, "oas"])
def test_means_in_canonical_coordinates_decide_as_the_model_does(shrinkage):
    lda = lincore.LinearDiscriminantAnalysis(shrinkage=shrinkage, priors=PRIORS).fit(X, Y)
    distances = ((lda.transform(X)[:, None] - lda.transform(lda.means_)) ** 2).sum(axis=2)
    nearest = lda.classes_[(np.log(PRIORS) - distances / 2).argmax(axis=1)]
    np.testing.assert_array_equal(nearest, lda.predict(X))


def test_diagonal_lda_has_canonical_coordinates_in_its_own_deviations():
    model = lincore.DiagonalLinearDiscriminantAnalysis().fit(X, Y)
    metric = model.scalings_.T * model.covariance_ @ model.scalings_
    np.testing.assert_allclose(metric, np.eye(2), atol=1e-12)


def test_canonical_coordinates_of_one_place_do_not_exist():
    same = lincore.LinearDiscriminantAnalysis().fit([[1.0], [3.0], [1.0], [3.0]], [0, 0, 1, 1])
    assert same.predict([[2.0]]).shape == (1,)
    with pytest.raises(ValueError, match="class means are equal"):
        same.transform([[2.0]])
    with pytest.raises(ValueError, match="integer from 1 to 2"):
        lincore.LinearDiscriminantAnalysis(n_components=3).fit(X, Y)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_options_that_many_have_are_nowhere_left_out(estimator):
    options = inspect.signature(estimator).parameters
    weighted = "sample_weight" in inspect.signature(estimator.fit).parameters
    assert ("class_weight" in options) == (weighted and hasattr(estimator, "predict"))
    model = None
    if estimator is lincore.BayesClassifier:
        model = estimator(MEANS, np.eye(4), priors="equal").fit(X, Y)
        np.testing.assert_array_equal(
            model.predict_proba(X), estimator(MEANS, np.eye(4)).fit(X, Y).predict_proba(X)
        )
    elif "priors" in options:
        model = estimator(priors="equal").fit(COUNTS, Y)
        np.testing.assert_allclose(model.priors_, 1 / 3)
