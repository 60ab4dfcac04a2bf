"""Histograms of oriented gradients: features of images that describe edges instead of pixels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lincore.moments.moments import BLOCK_VALUES
from lincore.utils.atomic import atomic
from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.typing import Array

# Dalal and Triggs's best: bins from 0 to 180 degrees, and blocks of this many cells per side.
ORIENTATIONS, BLOCK = 9, 2
# Default range of the side of a cell, in pixels.
SMALLEST_CELL, LARGEST_CELL = 2, 8


class HOG(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Histograms of gradient orientations in cells of an image, normalised in blocks of cells.

    As in scikit-image: L2-Hys norm, no smoothing, no interpolation between cells or orientations.

    Parameters
    ----------
    image_shape : (height, width) or (height, width, channels)
        In pixels; with several channels, the steepest gradient is used at each pixel.
    cell_size : int, optional
        Side of a cell in pixels. Default: a seventh of the shorter side, between 2 and 8.

    References
    ----------
    Dalal, Triggs (2005), "Histograms of oriented gradients for human detection", section 6.

    Examples
    --------
    >>> image = np.outer(np.ones(8), np.arange(8.0))  # grey levels rise from left to right
    >>> HOG((8, 8), cell_size=4).fit_transform(image.reshape(1, -1))[0, :9]
    array([0.5, 0. , 0. , 0. , 0. , 0. , 0. , 0. , 0. ])
    """

    def __init__(
        self, image_shape: tuple[int, ...] | None = None, *, cell_size: int | None = None
    ) -> None:
        self.image_shape = image_shape
        self.cell_size = cell_size

    @atomic
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Check rows X of shape (n, p), one image each; nothing is learned.

        Raises
        ------
        ValueError
            If the rows are not images of that shape, or are smaller than a cell.
        """
        rows, shape = numeric_rows(self, X), self.image_shape
        if shape is None or np.prod(shape) != rows.shape[1]:
            reason = "none" if shape is None else f"not of shape {tuple(shape)}"
            raise ValueError(
                f"HOG describes images; rows of {rows.shape[1]:,} values are {reason}."
            )
        sides = np.array(shape[:2])
        size = self.cell_size
        if size is None:
            size = int(np.clip(sides.min() // 7, SMALLEST_CELL, LARGEST_CELL))
        if not 1 <= size <= sides.min():
            raise ValueError(f"No cell of {size} pixels fits into images of shape {tuple(shape)}.")
        self.cell_size_, self.n_cells_ = size, sides // size
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Return the concatenated blocks of each image, between 0 and 1: (n, q)."""
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False)
        n_each = max(1, BLOCK_VALUES // (8 * rows.shape[1]))
        return np.concatenate(
            [self._blocks(rows[start : start + n_each]) for start in range(0, len(rows), n_each)]
        )

    def _blocks(self, rows: NDArray[Any]) -> Array:
        assert self.image_shape is not None
        images = rows.reshape(len(rows), *self.image_shape[:2], -1).astype(float)
        windows = sliding_window_view(self._histograms(images), self._block, axis=(1, 2))
        blocks = np.moveaxis(windows, 3, -1).reshape(*windows.shape[:3], -1)
        return _unit(np.minimum(_unit(blocks), 0.2)).reshape(len(rows), -1)

    def _histograms(self, images: Array) -> Array:
        """Return gradient magnitudes by orientation (n, rows, columns, orientations)."""
        down, right = np.zeros_like(images), np.zeros_like(images)
        down[:, 1:-1] = images[:, 2:] - images[:, :-2]
        right[:, :, 1:-1] = images[:, :, 2:] - images[:, :, :-2]
        length = np.hypot(down, right)
        angle = np.rad2deg(np.arctan2(down, right)) % 180
        steepest = length.argmax(axis=3)[..., None]
        length, angle = (
            np.take_along_axis(values, steepest, 3)[..., 0] for values in (length, angle)
        )
        bins = np.minimum((angle * (ORIENTATIONS / 180)).astype(np.intp), ORIENTATIONS - 1)
        size, shape = self.cell_size_, (len(images), *self.n_cells_.tolist())
        cell = np.arange(np.prod(shape)).reshape(shape).repeat(size, axis=1).repeat(size, axis=2)
        in_cells = np.s_[:, : cell.shape[1], : cell.shape[2]]  # the rest at the edges is unused
        index = (cell * ORIENTATIONS + bins[in_cells]).ravel()
        total = np.bincount(index, length[in_cells].ravel(), np.prod(shape) * ORIENTATIONS)
        return total.reshape(*shape, ORIENTATIONS) / size**2

    @property
    def _n_features_out(self) -> int:
        return self.n_features_out

    @property
    def _block(self) -> tuple[int, int]:
        down, right = np.minimum(BLOCK, self.n_cells_).tolist()
        return down, right

    @property
    def n_features_out(self) -> int:
        """Number of features of an image."""
        n_blocks = np.prod(self.n_cells_ - self._block + 1)
        return int(n_blocks * np.prod(self._block) * ORIENTATIONS)


def _unit(blocks: Array) -> Array:
    """Divide each block by its length."""
    return np.asarray(blocks / np.sqrt((blocks**2).sum(axis=-1, keepdims=True) + 1e-10))
