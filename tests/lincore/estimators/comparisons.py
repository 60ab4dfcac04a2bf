"""Arrays compared by their largest entry."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose


def close(a, b, tolerance=1e-8):
    assert_allclose(a, b, rtol=tolerance, atol=tolerance * np.abs(b).max())
