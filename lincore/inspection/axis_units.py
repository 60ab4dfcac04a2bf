"""Powers of ten that bring coordinates and densities within 32-bit range for plots."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from lincore.linalg.covariance import Whitener
from lincore.linalg.gaussian import Gaussians
from lincore.utils.typing import Array

# Between these a density over two coordinates is neither infinite nor zero in 32 bits.
SMALLEST, LARGEST = 1e-15, 1e15


def drawable_units(points: ArrayLike) -> Array:
    """Return for each coordinate the power of ten in which it can be drawn, mostly 1."""
    points = np.asarray(points, dtype=float)
    size = np.where(np.isfinite(points), np.abs(points), 0.0).max(axis=0, initial=0.0)
    beyond = (size > LARGEST) | ((size > 0) & (size < SMALLEST))
    # Of numbers that are almost nothing the unit itself has to be a normal number.
    exponent = np.floor(np.log10(np.where(beyond, size, 1.0))).clip(-307)
    return np.asarray(10.0**exponent)


def named_units(names: Sequence[str], units: Array) -> tuple[str, ...]:
    """Return the names of axes with the powers of ten in which they are drawn."""
    powers = np.rint(np.log10(units)).astype(int).tolist()
    return tuple(
        f"{name} (× 1e{power})" if power else name
        for name, power in zip(names, powers, strict=True)
    )


def gaussians_in(units: Array, densities: Gaussians) -> Gaussians:
    """Return the densities of the same classes over coordinates that were divided by `units`."""
    shift = 2 * float(np.log(units).sum())
    whiteners = tuple(_rescaled(whitener, units, shift) for whitener in densities.whiteners)
    return Gaussians(densities.means / units, whiteners)


def _rescaled(whitener: Whitener, units: Array, shift: float) -> Whitener:
    basis = whitener.basis * (units if whitener.basis.ndim == 1 else units[:, None])
    return Whitener(basis, whitener.log_det - shift, whitener.root, whitener.is_certain)
