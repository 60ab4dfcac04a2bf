"""Versions of lincore and of the packages that it computes with."""

from __future__ import annotations

import sys

import numpy as np
import scipy
import sklearn


def package_versions() -> dict[str, str]:
    """Return the version of every package on which results depend."""
    # `lincore/__init__.py` holds the version, but modules inside may not import it.
    package = sys.modules[__name__.partition(".")[0]]
    return {
        "lincore": package.__dict__["__version__"],
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
