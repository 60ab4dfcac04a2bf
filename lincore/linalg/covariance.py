"""Shrinkage, factorisation and row space of covariance matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from lincore.linalg.cholesky import EPS, few_rows_times, pivoted_factor, triangular_inverse
from lincore.moments.moments import Moments
from lincore.utils.typing import Array, Flags

Shrinkage = float | Literal["oas"] | None

NOTHING_VARIES = (
    "No feature varies within the classes (their covariance is zero), so distances have no scale. "
    "Add rows, or leave out the features that are constant in each class."
)


@dataclass(frozen=True, eq=False)
class Whitener:
    """A factor W whose ``W @ W.T`` is the inverse of a covariance on its range.

    Parameters
    ----------
    basis : ndarray of shape (p, rank), or (p,) for a diagonal covariance
        W itself if there is no `root`, in inverse units of the features. If diagonal, zero for
        constant features.
    log_det : float
        log|cov| on that subspace.
    root : ndarray of shape (rank, rank), optional
        Lower Cholesky factor C of a matrix G with ``W = basis @ inv(G)``: for a few rows two
        triangular solves are cheaper than forming W.
    is_certain : bool
        Whether the rank is certain: every eigenvalue of the correlation matrix is either rounding
        error or above 1e-8 of the largest.
    """

    basis: Array
    log_det: float
    root: Array | None = None
    is_certain: bool = False

    @cached_property
    def factor(self) -> Array:
        """W, of shape (p, rank), or (p,) for a diagonal covariance."""
        return self.basis if self.root is None else self._solved(self.basis)

    @property
    def rank(self) -> int:
        """Dimension of the subspace that is kept."""
        if self.basis.ndim == 1:
            return int(np.count_nonzero(self.basis))
        return int(self.basis.shape[1])

    def whiten(self, rows: Array) -> Array:
        """Return centred rows (n, p) in coordinates (n, rank or p) with identity covariance."""
        if self.basis.ndim == 1:
            return rows * self.basis
        if self._is_worth_solving(rows):
            return self._solved(few_rows_times(rows, self.basis))
        return rows @ self.factor

    def unwhiten(self, white: Array) -> Array:
        """Return ``white @ W.T``, (n, p): after `whiten`, the rows times the inverse."""
        if self.basis.ndim == 1:
            return white * self.basis
        if self._is_worth_solving(white):
            return few_rows_times(self._solved(white), self.basis.T)
        return white @ self.factor.T

    def congruent(self, covariance: Array) -> Array:
        """Return the whitened covariance ``W.T @ covariance @ W`` of a covariance (p, p)."""
        if self.basis.ndim == 1:
            return covariance * self.basis * self.basis[:, None]
        return np.asarray(self.factor.T @ covariance @ self.factor)

    def after(self, forward: Array) -> Whitener:
        """Return the whitener of x if this one is that of ``x @ forward``, with forward (q, p)."""
        return Whitener(forward @ self.basis, self.log_det, self.root, self.is_certain)

    def _is_worth_solving(self, rows: Array) -> bool:
        return "factor" not in self.__dict__ and self.root is not None and len(rows) < self.rank

    def _solved(self, rows: Array) -> Array:
        # scipy's cho_solve without its checks, which cost more than solving a small system.
        return np.ascontiguousarray(lapack.dpotrs(self.root, rows.T, lower=1)[0].T)

    @classmethod
    def from_covariance(cls, cov: Array, *, equilibrate: bool = True) -> Whitener:
        """Factorise a covariance.

        Parameters
        ----------
        cov : ndarray of shape (p, p), or (p,) for a diagonal one
            Symmetric and positive semidefinite.
        equilibrate : bool, default True
            Scale every feature to unit variance first, so that the rank depends only on
            correlations and not on units: one table may have scales from 1e-8 to 1e8. For a
            singular covariance the inverse is then defined as ``D⁻¹ R⁺ D⁻¹`` with the correlation
            matrix R.

        Raises
        ------
        ValueError
            If nothing varies.

        Examples
        --------
        >>> cov = np.array([[4.0, 4.0], [4.0, 4.0]])  # one direction only
        >>> W = Whitener.from_covariance(cov)
        >>> W.rank, np.round(W.factor @ W.factor.T, 4).tolist()
        (1, [[0.0625, 0.0625], [0.0625, 0.0625]])
        """
        if cov.ndim == 1:
            return cls.from_variances(cov[None])[0]
        varying = np.diagonal(cov) > 0
        if not varying.any():
            raise ValueError(NOTHING_VARIES)
        # A slice makes no copy.
        chosen: Any = slice(None) if varying.all() else np.flatnonzero(varying)
        variances = np.diagonal(cov)[chosen]
        scale = np.sqrt(variances) if equilibrate else np.ones(len(variances))
        correlation = cov[chosen][:, chosen] / scale
        correlation /= scale[:, None]
        whitener = cls._from_cholesky(correlation) if equilibrate else None
        whitener = whitener or cls._from_eigenvalues(correlation)
        basis = np.zeros((len(cov), whitener.rank))
        basis[chosen] = whitener.basis / scale[:, None]
        log_det = whitener.log_det + float(2 * np.log(scale).sum())
        return cls(basis, log_det, whitener.root, whitener.is_certain)

    @classmethod
    def _from_eigenvalues(cls, cov: Array) -> Whitener:
        # eigh, not inv: a lost rank shows as a shorter factor, never as noise.
        values, vectors = np.linalg.eigh(cov)
        positive = is_positive(values)
        if not positive.any():
            raise ValueError(NOTHING_VARIES)
        return cls(
            vectors[:, positive] / np.sqrt(values[positive]), float(np.log(values[positive]).sum())
        )

    @classmethod
    def _from_cholesky(cls, correlation: Array) -> Whitener | None:
        inverse = triangular_inverse(correlation)
        if inverse is not None:
            log_det = -2 * np.log(np.diagonal(inverse)).sum()
            return cls(inverse.T, float(log_det), is_certain=True)
        pivoted = pivoted_factor(correlation)
        if pivoted is None:
            return None
        log_det = 2 * np.log(np.diagonal(pivoted.root)).sum()
        return cls(pivoted.basis, float(log_det), pivoted.root, is_certain=True)

    @classmethod
    def from_variances(cls, variances: Array) -> tuple[Whitener, ...]:
        """Factorise K diagonal covariances (K, p).

        Raises
        ------
        ValueError
            If one of them is zero.
        """
        varying = variances > 0
        if not varying.any(axis=1).all():
            raise ValueError(NOTHING_VARIES)
        known = np.where(varying, variances, 1.0)
        factors = varying / np.sqrt(known)
        log_dets = np.log(known).sum(axis=1).tolist()
        return tuple(
            cls(factor, log_det) for factor, log_det in zip(factors, log_dets, strict=True)
        )


class RowSpace(NamedTuple):
    """The space spanned by n < p rows, and the maps to it and back."""

    # A model that depends only on differences and inner products of rows is the same in these r <=
    # n coordinates, so the (p, p) covariance is never formed.

    origin: Array  # (p,)
    scale: Array  # (p,); units of the features in which the axes are orthonormal
    axes: Array  # (p, r); orthonormal columns, principal axes of the rows in decreasing order

    @classmethod
    def spanned_by(cls, X: NDArray[Any], origin: Array, scale: Array) -> RowSpace:
        """Find the space from the inner products of the centred and scaled rows of X (n, p)."""
        # Directions with singular values below 1e-8 of the largest are lost, as in a scatter.
        # LAPACK does not support long doubles.
        rows = np.asarray((X - origin) / scale, dtype=np.float64)
        values, vectors = np.linalg.eigh(rows @ rows.T)
        positive = is_positive(values)
        axes = rows.T @ (vectors[:, positive] / np.sqrt(values[positive]))
        return cls(origin, scale, np.asarray(axes[:, ::-1]))

    @property
    def forward(self) -> Array:
        """The (p, r) matrix of ``z = (x - origin) @ forward``."""
        return self.axes / self.scale[:, None]

    def coordinates(self, X: NDArray[Any]) -> Array:
        """Return the coordinates (n, r) of rows X (n, p)."""
        return np.asarray((X - self.origin) @ self.forward, dtype=np.float64)

    def lift_points(self, Z: Array) -> Array:
        """Return coordinates (n, r) as points in the p features."""
        return self.origin + Z @ (self.axes * self.scale[:, None]).T

    def lift(self, moments: Moments) -> Moments:
        """Return moments of coordinates as moments of the p features, with a (p, p) scatter."""
        full = moments.map((self.axes * self.scale[:, None]).T)
        mean = np.where((full.count > 0)[..., None], full.mean + self.origin, 0.0)
        return Moments(full.count, mean, full.scatter)


def is_positive(eigenvalues: Array, p: int | None = None) -> Flags:
    """Mark eigenvalues (all p or the largest) above rounding error: 10 p eps of the largest."""
    p = len(eigenvalues) if p is None else p
    return np.asarray(eigenvalues > eigenvalues.max(initial=0.0) * p * 10 * EPS)


def deviations(cov: Array) -> Array:
    """Return the standard deviations (p,) of a covariance (p, p) or its diagonal; 1 for 0."""
    variance = np.diagonal(cov) if cov.ndim == 2 else cov
    return np.sqrt(np.where(variance > 0, variance, 1.0))


def shrink(
    cov: Array, shrinkage: Shrinkage, *, n_samples: float, n_features: int | None = None
) -> Array:
    """Shrink a covariance towards a multiple of the identity with the same trace."""
    if shrinkage is None:
        return cov
    p = len(cov) if n_features is None else n_features
    if isinstance(shrinkage, str) and shrinkage == "oas":
        share = _oas_share(cov, n_samples, p)
    elif isinstance(shrinkage, (int, float, np.number)) and 0 <= shrinkage <= 1:
        share = float(shrinkage)
    else:
        raise ValueError(f"shrinkage must be None, 'oas' or in [0, 1], got {shrinkage!r}.")
    shrunk = (1 - share) * cov
    # Every (r + 1)-th number of a matrix is on the diagonal.
    shrunk.flat[:: 1 if cov.ndim == 1 else len(cov) + 1] += share * _trace(cov) / p
    return shrunk


def _oas_share(cov: Array, n_samples: float, p: int) -> float:
    trace = _trace(cov)
    if p == 1 or trace == 0:
        return 0.0
    # In units of the mean variance: squares of a covariance overflow at 1e154, or vanish.
    mean_square, square_mean = np.sum((cov / (trace / p)) ** 2) / p**2, 1.0
    excess = (n_samples + 1) * (mean_square - square_mean / p)
    return 1.0 if excess <= 0 else float(min((mean_square + square_mean) / excess, 1.0))


def _trace(cov: Array) -> float:
    return float(cov.sum() if cov.ndim == 1 else np.trace(cov))
