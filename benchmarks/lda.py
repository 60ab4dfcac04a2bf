"""LDA on MNIST against one plain matrix product and scikit-learn's two solvers.

Run ``python benchmarks/lda.py``. Every figure but the memory is a ratio of times measured in
turns in this run: the median over the turns, with the smallest and the largest.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
from common import finish, mnist, ratio, require
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as ScikitLDA

from lincore import LinearDiscriminantAnalysis

# Two labels are a tie when the scores of their classes differ by less than this.
TIE = 1e-6


def main() -> None:
    """Print the figures; end with an error if a bound is missed."""
    data = mnist()
    pixels, y, test = data["X_train"], data["y_train"], data["X_test"]
    X = pixels.astype(np.float64)
    ours = LinearDiscriminantAnalysis()

    plain = ratio(lambda: ours.fit(X, y), lambda: X.T @ X, turns=9)
    require("our fit / plain X.T @ X, both float64", plain, at_most=1.5)
    plain = ratio(lambda: ours.fit(pixels, y), lambda: X.T @ X, turns=9)
    require("our fit from uint8 / plain X.T @ X in float64", plain, at_most=2.0)
    for solver, bound, turns in (("lsqr", 2, 7), ("svd", 10, 3)):
        theirs = ScikitLDA(solver=solver)
        faster = ratio(lambda model=theirs: model.fit(X, y), lambda: ours.fit(X, y), turns)
        require(f"scikit-learn's fit ({solver}) / ours", faster, at_least=bound)
        require(f"labels other than {solver}'s, ties aside", others(ours, theirs, test), at_most=0)
    require("peak extra memory of a fit from uint8, MB", peak(pixels, y), at_most=200)
    accuracy = ours.score(test, data["y_test"])
    require("accuracy on the test images", accuracy, at_least=0.8725)
    finish()


def others(ours: LinearDiscriminantAnalysis, theirs: ScikitLDA, rows: np.ndarray) -> float:
    """Count the rows for which the two choose classes whose scores are no tie."""
    scores = ours.decision_function(rows)
    chosen = scores.argmax(axis=1)
    other = np.searchsorted(theirs.classes_, theirs.predict(rows.astype(np.float64)))
    gap = np.abs(scores[np.arange(len(rows)), chosen] - scores[np.arange(len(rows)), other])
    return float(np.sum(gap > TIE))


def peak(pixels: np.ndarray, y: np.ndarray) -> float:
    """Return the most memory in MB that NumPy held during a fit, the rows themselves aside."""
    tracemalloc.start()
    LinearDiscriminantAnalysis().fit(pixels, y)
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return megabytes


if __name__ == "__main__":
    main()
