"""Class means, mean and principal components of images, in pixels."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import lincore
from lincore import DataError
from lincore.geometry import learned_images
from lincore.model_selection import Steps, pipeline_for


@pytest.mark.parametrize("standardize", [False, True])
def test_images_are_those_of_the_training_rows(standardize):
    digits, rows = lincore.sample("digits"), np.arange(0, 1797, 2)
    steps = Steps(standardize, n_components=5)
    model = pipeline_for(digits, lincore.LinearDiscriminantAnalysis(), steps)
    model.fit(digits.X[rows], digits.codes[rows])
    found = learned_images(model, digits, rows)
    X = digits.X[rows].astype(float)
    assert_allclose(found.means[3].ravel(), X[digits.codes[rows] == 3].mean(axis=0))
    assert_allclose(found.mean.ravel(), X.mean(axis=0), atol=1e-9)
    basis = found.basis.reshape(5, -1)
    if not standardize:
        assert_allclose(basis @ basis.T, np.eye(5), atol=1e-9)
        along = (X - X.mean(axis=0)) @ basis.T
        assert_allclose(found.eigenvalues, along.var(axis=0, ddof=1), rtol=1e-6)


def test_without_pca_there_is_no_basis_and_of_a_table_there_are_no_images():
    digits, rows = lincore.sample("digits"), np.arange(600)
    model = pipeline_for(digits, lincore.GaussianNB(), Steps(False))
    model.fit(digits.X[rows], digits.codes[rows])
    found = learned_images(model, digits, rows)
    assert found.mean is None and len(found.basis) == 0 and found.means.shape == (10, 8, 8)
    with pytest.raises(DataError, match="not images"):
        learned_images(model, lincore.sample("iris"), rows[:9])
