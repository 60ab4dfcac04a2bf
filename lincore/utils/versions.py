"""Versions of lincore and of what it computes with."""

from __future__ import annotations

import sys

import numpy as np
import scipy
import sklearn


def package_versions() -> dict[str, str]:
    """Return the version of every package that numbers depend on."""
    # The front door knows its version but may not be imported from behind it.
    package = sys.modules[__name__.partition(".")[0]]
    return {
        "lincore": package.__dict__["__version__"],
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
