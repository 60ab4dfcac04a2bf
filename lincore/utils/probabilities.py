"""Probabilities of classes as given by a user: in class order or by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lincore.utils.typing import Array


def probabilities(
    given: Any, classes: Any, name: str = "priors", words: str = "", tolerance: float = 1e-5
) -> Array:
    """Return probabilities (K,) of classes."""
    labels = np.asarray(classes).tolist()
    values = given
    if isinstance(given, Mapping) and given.keys() == set(labels):
        values = [given[label] for label in labels]
    try:
        shares = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        shares = np.empty(0)
    fits = shares.shape == (len(labels),) and (shares >= 0).all()
    if not fits or abs(shares.sum() - 1) > tolerance:
        raise ValueError(
            f"{name} must be {len(labels)} probabilities that sum to 1, in the order of the "
            f"classes {labels} or as a mapping of class to probability{words and ', '}{words}; "
            f"got {given!r}."
        )
    return shares / shares.sum()
