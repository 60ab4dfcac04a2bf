"""scikit-learn's own check suite over every estimator, with no expected failure."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from lincore import PCA, LinearDiscriminantAnalysis, Standardizer

ESTIMATORS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage="oas"),
    LinearDiscriminantAnalysis(shrinkage=0.1, divisor="n-k"),
    PCA(),
    PCA(1, whiten=True),
    PCA(0.9),
    Standardizer(),
]


@parametrize_with_checks(ESTIMATORS)
def test_contract(estimator, check):
    check(estimator)
