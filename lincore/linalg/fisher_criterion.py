"""Fisher's criterion J of any direction, in both definitions."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from lincore.moments.moments import Moments
from lincore.utils.typing import Array

Definition = Literal["lecture", "prml"]


def fisher_criterion(moments: Moments, w: ArrayLike, definition: Definition = "lecture") -> Array:
    """Return how well directions separate the classes: between-class over within-class scatter."""
    # With the projected mean μ_k and the sum of squares ``s_k² = Σ (wᵀx - μ_k)²`` of class k:
    # - "lecture", for any K: ``Σ n_k (μ_k - μ)² / Σ s_k²``, μ being the mean of all rows;
    # - "prml", for two classes: ``(μ_2 - μ_1)² / (s_1² + s_2²)``.
    # For two classes the first is ``n_1 n_2 / n`` times the second, so both have the same
    # maximiser. The text "prml-chapter-4-in-r" calls s_k² a variance. As in Bishop (2006), eq.
    # 4.24, it is not divided by n_k: with variances and unequal classes the maximiser would differ.
    directions = np.asarray(w, dtype=float)
    if directions.shape[-1:] != (moments.n_features,):
        raise ValueError(
            f"Directions of shape {directions.shape} do not fit {moments.n_features} features."
        )
    if not np.isfinite(directions).all() or not directions.any(axis=-1).all():
        raise ValueError("A direction must be finite and not zero.")
    present = moments[moments.count > 0]
    projected = directions @ (present.mean - present.pooled().mean).T
    if definition == "lecture":
        between = (present.count * projected**2).sum(axis=-1)
    elif definition == "prml" and len(present) == 2:
        between = (projected[..., 1] - projected[..., 0]) ** 2
    elif definition == "prml":
        raise ValueError(f"definition='prml' needs two classes with rows, got {len(present)}.")
    else:
        raise ValueError(f"definition must be 'lecture' or 'prml', got {definition!r}.")
    within = np.maximum(((directions @ present.within()) * directions).sum(axis=-1), 0.0)
    ratio = between / np.where(within > 0, within, 1.0)
    return np.asarray(np.where(within > 0, ratio, np.where(between > 0, np.inf, 0.0)))
