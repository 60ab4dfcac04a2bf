"""Five classifiers from one pass over 60,000 x 784, against scikit-learn's five fits.

Run ``python benchmarks/one_pass.py``. Times are compared in turns in this run. scikit-learn's sum
is LDA (default) + QDA + GaussianNB + RidgeClassifier + LDA (eigen) for Fisher; ours is one pass of
moments and five solutions. QDA is regularised on both sides, since MNIST's classes are singular.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import finish, mnist, ratio, require
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as ScikitLDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as ScikitQDA
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB as ScikitNB

from lincore import (
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    Moments,
    QuadraticDiscriminantAnalysis,
)

OURS = [
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(shrinkage=0.05),
    GaussianNB(),
    LeastSquaresClassifier(),
    FisherDiscriminant(),
]
THEIRS: list[Any] = [
    ScikitLDA(),
    ScikitQDA(reg_param=0.05),
    ScikitNB(),
    RidgeClassifier(),
    ScikitLDA(solver="eigen", shrinkage=1e-6),
]


def main() -> None:
    """Print the ratios; end with an error if a bound is missed."""
    data = mnist()
    X, y = data["X_train"].astype(np.float64), data["y_train"].astype(np.intp)
    test = data["X_test"].astype(np.float64)

    def five() -> None:
        moments = Moments.from_groups(X, y, 10)
        for model in OURS:
            model.fit_moments(moments, np.arange(10))

    plain = ratio(five, lambda: X.T @ X, turns=5)
    require("five fits from one pass / plain X.T @ X", plain, at_most=2.5)
    theirs = ratio(lambda: [model.fit(X, y) for model in THEIRS], five, turns=1)
    require("scikit-learn's five fits / ours", theirs, at_least=15)

    lda = LinearDiscriminantAnalysis().fit(X, y)
    coef = np.ascontiguousarray(lda.coef_.T)
    linear = ratio(lambda: lda.predict(test), lambda: test @ coef, turns=15)
    require("LDA predicts 10,000 rows / the product X @ coef.T", linear, at_most=3)
    for model in OURS:
        name = type(model).__name__
        factors = np.empty((784, 784 * (10 if "Quadratic" in name else 1)))
        factors.fill(0.5)
        product = ratio(lambda m=model: m.predict(test), lambda f=factors: test @ f, turns=3)
        print(f"       {name} predicts / product with (784, {factors.shape[1]}): {product}")
        accuracy = np.mean(model.predict(data["X_test"]) == data["y_test"])
        print(f"       accuracy of {name} on the test images: {accuracy:.4f}")
    finish()


if __name__ == "__main__":
    main()
