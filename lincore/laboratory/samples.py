"""Rows of the experiments, and linear functions of fitted two-class models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.data.mixtures import with_far_rows
from lincore.data.prml_sample import prml_rows
from lincore.estimators.boundary_geometry import boundary
from lincore.utils.typing import Array, Codes

FAR = (12.0, -12.0)
# Squared Mahalanobis distance that 95 % of a Gaussian class in a plane do not exceed.
LEVEL = 5.991465


class SampleLine(NamedTuple):
    """The function ``normal @ x + offset`` of two classes; positive for the second."""

    normal: Array  # (2,)
    offset: float

    @classmethod
    def of(cls, model: Any, first: int = 1, second: int = 0) -> SampleLine:
        """Return the function of a fitted linear classifier of two features."""
        _, normal, offset = boundary(model, first, second).expanded()
        return cls(normal, offset)

    @property
    def angle(self) -> float:
        """Angle of the normal from the first axis, in degrees."""
        return float(np.degrees(np.arctan2(self.normal[1], self.normal[0])))

    @property
    def length(self) -> float:
        """Length of the normal."""
        return float(np.hypot(*self.normal))

    @property
    def foot(self) -> Array:
        """Return the point of the line nearest to the origin."""
        return -self.offset * self.normal / self.length**2

    def values(self, X: Array) -> Array:
        """Return the function at rows (n, 2)."""
        return np.asarray(X @ self.normal + self.offset)

    def n_wrong(self, X: Array, codes: Codes) -> int:
        """Return how many rows of two classes are misclassified."""
        return int(np.count_nonzero((self.values(X) > 0) != (codes == 1)))


@cache
def prml_data() -> Dataset:
    """Return the sample of "prml-chapter-4-in-r", with its new rows for testing."""
    return prml_rows()


@cache
def prml_training() -> Dataset:
    """Return the 100 training rows of "prml-chapter-4-in-r"."""
    data = prml_rows()
    return replace(data, X=data.X[:100], codes=data.codes[:100], given_test=None)


@cache
def overlapping() -> Dataset:
    """Return two overlapping classes of 60 rows."""
    return gaussian_classes([[0, 0], [3, 0]], sizes=[60, 60], seed=0)


@cache
def with_far(mean: Sequence[float] = FAR) -> Dataset:
    """Return the overlapping classes with ten far rows added to the second."""
    return with_far_rows(overlapping(), 1, list(mean))


def unit(degrees: float | Array) -> Array:
    """Return unit vectors at angles from the first axis, shape (..., 2)."""
    turned = np.radians(degrees)
    return np.stack([np.cos(turned), np.sin(turned)], axis=-1)


def ellipse(mean: Array, covariance: Array) -> Array:
    """Return the ellipse that holds 95 % of a Gaussian class, (73, 2)."""
    values, vectors = np.linalg.eigh(covariance)
    circle = unit(np.linspace(0, 360, 73))
    return np.asarray(mean + np.sqrt(LEVEL) * (circle * np.sqrt(values)) @ vectors.T)
