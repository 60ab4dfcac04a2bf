"""Histograms of oriented gradients are those of scikit-image."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from skimage.feature import hog

from lincore.preprocessing import HOG
from tests.lincore.preprocessing.test_hog import images


@pytest.mark.parametrize("shape", [(8, 8), (28, 28), (30, 23), (17, 40), (24, 24, 3)])
@pytest.mark.parametrize("size", [2, 5, 8])
def test_the_numbers_are_those_of_scikit_image(shape, size):
    several, cells = images(6, *shape), np.array(shape[:2]) // size
    expected = [
        hog(
            image,
            orientations=9,
            pixels_per_cell=(size, size),
            cells_per_block=tuple(np.minimum(2, cells)),
            channel_axis=2 if len(shape) == 3 else None,
        )
        for image in several
    ]
    found = HOG(shape, cell_size=size).fit_transform(several.reshape(6, -1))
    assert_allclose(found, expected, atol=1e-6)  # it sums in single precision
