"""The rows of "prml-chapter-4-in-r": R's generator rebuilt, the printed rows to six digits."""

from __future__ import annotations

import numpy as np

import lincore
from lincore.estimators import BayesClassifier, bayes_error

PRINTED = [
    (3.487173, 3.409541, 1), (4.474703, 4.079600, 1), (7.007896, 5.210575, 2),
    (6.419535, 5.239093, 2), (4.623407, 4.502389, 1), (4.074973, 3.675833, 1),
]  # fmt: skip


def test_the_six_rows_that_the_text_prints_are_the_first():
    data = lincore.sample("prml chapter 4")
    first = np.column_stack([data.X[:6], data.codes[:6] + 1])
    np.testing.assert_allclose(first, PRINTED, atol=6e-7)


def test_the_given_split_is_100_and_200_rows_and_the_truth_is_known():
    data = lincore.sample("prml chapter 4")
    split = lincore.split(data, "given")
    assert split.train.tolist() == list(range(100))
    assert np.bincount(data.codes[split.train]).tolist() == [53, 47]
    assert np.bincount(data.codes[split.test]).tolist() == [130, 70]
    truth = BayesClassifier(data.truth.means, data.truth.covariances, priors=data.truth.priors)
    assert abs(bayes_error(truth).value - 6.298e-4) < 5e-8


def test_fishers_direction_and_thresholds_are_the_known_ones():
    data = lincore.sample("prml chapter 4")
    X, y = data.X[:100], data.codes[:100]
    fisher = lincore.FisherDiscriminant().fit(X, y)
    w = fisher.directions_[0] / np.linalg.norm(fisher.directions_[0])
    assert abs(np.degrees(np.arctan2(w[1], w[0])) + 29.0393) < 5e-5
    assert abs(fisher.criterion(w) - 13.086342) < 5e-7
    for name, known in {"midpoint": 2.445070, "gaussian": 2.449111}.items():
        one = lincore.FisherDiscriminant(threshold=name).fit(X, y)
        cut = -one.intercept_[0] / np.linalg.norm(one.coef_[0])
        assert abs(cut - known) < 1e-6
