"""Quadratic functions of a point: discriminants, the boundaries between them, and distances."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lincore.utils.typing import Array

# Halvings of a bracket: enough to exhaust the digits of a double from any start.
HALVINGS = 200


class Quadric(NamedTuple):
    """The function ``f(x) = (x - o)ᵀ A (x - o) + bᵀ(x - o) + c``; affine if A is zero.

    It is stored relative to an origin near the data: far from it the terms of the expanded form
    cancel.

    Attributes
    ----------
    A : ndarray of shape (p, p)
        Symmetric, in inverse squared units of the features.
    b : ndarray of shape (p,)
        In inverse units of the features.
    c : float
    origin : ndarray of shape (p,)
        In the units of the features.

    References
    ----------
    "lda-from-scratch", "Linear Classifiers": ``h(x) = sign(xᵀAx + bᵀx + c)``.

    Examples
    --------
    >>> circle = Quadric(np.eye(2), np.zeros(2), -1.0, np.zeros(2))
    >>> circle.values([[1.0, 0.0], [3.0, 4.0]])
    array([ 0., 24.])
    >>> circle.distances([[0.0, 0.0], [3.0, 4.0]])
    array([1., 4.])
    """

    A: Array
    b: Array
    c: float
    origin: Array

    @property
    def is_linear(self) -> bool:
        """True if the function is affine, so that its zero set is a plane."""
        return not self.A.any()

    def values(self, X: ArrayLike) -> Array:
        """Return the function at rows X (n, p), shape (n,)."""
        rows = np.asarray(X, dtype=float) - self.origin
        return np.einsum("ij,ij->i", rows @ self.A, rows) + rows @ self.b + self.c

    def expanded(self) -> tuple[Array, Array, float]:
        """Return A, b, c of the form ``xᵀAx + bᵀx + c``, about zero."""
        product = self.A @ self.origin
        c = self.c - self.b @ self.origin + self.origin @ product
        return self.A, self.b - 2 * product, float(c)

    def less(self, other: Quadric) -> Quadric:
        """Return the difference of two functions, about this one's origin."""
        aligned = other.about(self.origin)
        return Quadric(self.A - aligned.A, self.b - aligned.b, self.c - aligned.c, self.origin)

    def about(self, origin: Array) -> Quadric:
        """Return the same function relative to another origin."""
        step = origin - self.origin
        product = self.A @ step
        return Quadric(
            self.A, self.b + 2 * product, float(self.c + self.b @ step + step @ product), origin
        )

    def pulled_back(self, matrix: Array, origin: Array) -> Quadric:
        """Return this function of ``z = (x - origin) @ matrix`` as a function of x."""
        expanded = self.about(np.zeros(len(self.b)))
        return Quadric(matrix @ expanded.A @ matrix.T, matrix @ expanded.b, expanded.c, origin)

    def distances(self, X: ArrayLike) -> Array:
        """Return the Euclidean distance of rows X (n, p) from the nearest zero, shape (n,).

        In the units of the features, so meaningful only if they have the same unit; infinite if the
        function has no zero.
        """
        rows = np.asarray(X, dtype=float) - self.origin
        if self.is_linear:
            norm = np.linalg.norm(self.b)
            values = np.abs(rows @ self.b + self.c)
            return values / norm if norm else np.where(values == 0, 0.0, np.inf)
        eigenvalues, axes = np.linalg.eigh(self.A)
        size = np.abs(eigenvalues).max()
        curvature = np.where(np.abs(eigenvalues) > 1e-12 * size, eigenvalues, 0.0) / size
        return _distances(rows @ axes, curvature, axes.T @ self.b / size, self.c / size)


def _distances(rows: Array, curvature: Array, slope: Array, constant: float) -> Array:
    """Return distances of rows (n, p) from ``Σ curvature y² + slope y + constant = 0``."""
    low, high = _bracket(curvature)
    below, above = np.full(len(rows), low), np.full(len(rows), high)
    for _ in range(HALVINGS):
        middle = (below + above) / 2
        positive = _value(_nearest(rows, middle, curvature, slope), curvature, slope, constant) > 0
        below, above = np.where(positive, middle, below), np.where(positive, above, middle)
    nearest = _nearest(rows, (below + above) / 2, curvature, slope)
    rest = _value(nearest, curvature, slope, constant)
    scale = (np.abs(curvature) * nearest**2).sum(axis=1) + np.abs(nearest @ slope) + abs(constant)
    unsolved = np.abs(rest) > 1e-9 * scale
    distances = np.linalg.norm(nearest - rows, axis=1)
    if unsolved.any():
        distances[unsolved] = _distances_at_bracket_end(
            rows[unsolved], nearest[unsolved], rest[unsolved], curvature
        )
    return distances


def _bracket(curvature: Array) -> tuple[float, float]:
    """Return the range of μ for which ``1 + μ curvature`` is nowhere negative."""
    largest, smallest = curvature.max(), curvature.min()
    low = -1 / largest if largest > 0 else -1e15
    high = -1 / smallest if smallest < 0 else 1e15
    return float(low), float(high)


def _nearest(rows: Array, mu: Array, curvature: Array, slope: Array) -> Array:
    factor = 1 + mu[:, None] * curvature
    # At an end of the bracket a factor vanishes: `_distances_at_bracket_end` sets the coordinate.
    factor = np.where(np.abs(factor) > 1e-15, factor, np.inf)
    return np.asarray((rows - mu[:, None] * slope / 2) / factor)


def _value(points: Array, curvature: Array, slope: Array, constant: float) -> Array:
    return np.asarray(points**2 @ curvature + points @ slope + constant)


def _distances_at_bracket_end(rows: Array, nearest: Array, rest: Array, curvature: Array) -> Array:
    """Return distances of points for which μ is an end of its bracket, such as the centre."""
    # There the extreme axis is free: a step t along it that satisfies the equation through
    # ``curvature t²`` is stationary for either sign.
    extreme = np.where(rest < 0, curvature.max(), curvature.min())
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.where(extreme * rest < 0, -rest / extreme, np.inf)
    return np.asarray(np.sqrt(((nearest - rows) ** 2).sum(axis=1) + step))


def stacked(A: Array | None, b: Array, c: Array, origin: Array) -> list[Quadric]:
    """Return K functions from A (K, p, p) or None, b (K, p) and c (K,)."""
    p = b.shape[1]
    squares: Any = np.zeros((len(b), p, p)) if A is None else A
    return [Quadric(*parts, origin) for parts in zip(squares, b, c.tolist(), strict=True)]
