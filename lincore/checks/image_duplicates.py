"""Images that have an exact or near duplicate in the same data set.

All pairs are compared by thumbnails, and likely duplicates at full size. See `row_duplicates` for
duplicates of any kind of rows across a split.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from lincore.checks.row_duplicates import SAME_IMAGE, blocks
from lincore.data.dataset import Dataset
from lincore.data.splits import draw_rows
from lincore.errors import DataError, Notice

# Minimum correlation of thumbnails for a comparison at full size: they blur small differences.
_COMPARED_WHOLE = 0.985
# Side of a thumbnail in pixels.
_SIDE = 12
# Multiplications allowed for the search (about a second); more rows are sampled.
_COST = 3e10


class ImageDuplicates(NamedTuple):
    """Images that have an exact or near duplicate in the same data set.

    Parameters
    ----------
    rows : (k,) intp
        Images with a duplicate, the most similar first.
    nearest : (k,) intp
        The image that each duplicates.
    exact : (k,) bool
        Whether all pixels are equal.
    contradicting : (k,) bool
        Whether the two have different classes.
    """

    rows: np.ndarray
    nearest: np.ndarray
    exact: np.ndarray
    contradicting: np.ndarray

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Each pair of duplicates once, the most similar first."""
        both = zip(self.rows.tolist(), self.nearest.tolist(), strict=True)
        return list(dict.fromkeys((min(pair), max(pair)) for pair in both))

    def notice(self, data: Dataset, most: int = 3) -> Notice | None:
        """Return the number of duplicates with examples by file name; None if there are none."""
        if not len(self.rows):
            return None
        names = data.row_names or tuple(f"row {i + 1}" for i in range(data.n_rows))
        shown = [f"{names[a]} and {names[b]}" for a, b in self.pairs[:most]]
        many = "image has" if len(self.rows) == 1 else "images have"
        wrong, n_exact = self.contradicting.sum(), self.exact.sum()
        contradiction = f" {wrong:,} of them in another class." if wrong else ""
        return Notice(
            f"{len(self.rows):,} {many} an exact or near duplicate "
            f"({f'{n_exact:,}' if n_exact else 'none'} exact).{contradiction}",
            f"{data.name}: {'; '.join(shown)}",
            "Remove duplicates or split by group: otherwise training images recur in the test set.",
            "LIN088",
        )


def find_image_duplicates(data: Dataset, *, similarity: float = SAME_IMAGE) -> ImageDuplicates:
    """Find images that are exact or near duplicates of others in the same data set.

    Parameters
    ----------
    data : Dataset
        Of images.
    similarity : float
        Minimum correlation of the pixels of near duplicates.

    Raises
    ------
    DataError
        If the rows are not images.

    Examples
    --------
    >>> from lincore.io.samples import sample
    >>> find_image_duplicates(sample("digits")).exact.sum().item()
    0
    """
    if data.image_shape is None:
        raise DataError("The rows are not images.", where=data.name, remedy="Load images.")
    small = _shrunken(data.X, data.image_shape)
    n_rows = data.n_rows
    searched = draw_rows(n_rows, int(_COST // (n_rows * small.shape[1])), 0)
    nearest = _exact_duplicates(data.X)
    exact = nearest >= 0
    alike = np.where(exact, 1.0, -1.0)
    rows = searched[~exact[searched]]
    for where in blocks(len(rows), n_rows):
        some = rows[where]
        products = small[some] @ small.T
        products[np.arange(len(some)), some] = -1
        best = products.argmax(axis=1)
        close = products[np.arange(len(some)), best] >= min(_COMPARED_WHOLE, similarity)
        for row, match in zip(some[close].tolist(), best[close].tolist(), strict=True):
            nearest[row], alike[row] = match, _correlation(data.X[row], data.X[match])
    duplicates = np.flatnonzero(exact | (alike >= similarity))
    duplicates = duplicates[np.argsort(-alike[duplicates], kind="stable")]
    return ImageDuplicates(
        duplicates,
        nearest[duplicates],
        exact[duplicates],
        data.codes[duplicates] != data.codes[nearest[duplicates]],
    )


def drop_image_duplicates(data: Dataset, duplicates: ImageDuplicates | None = None) -> Dataset:
    """Return a data set that keeps only the first of each set of duplicate images.

    Parameters
    ----------
    data : Dataset
        Of images.
    duplicates : ImageDuplicates, optional
        Default: the result of `find_image_duplicates`.

    Returns
    -------
    Dataset
        With a notice about the number of images left out.

    Raises
    ------
    DataError
        If the rows are not images, or a class would be left without one.

    Examples
    --------
    >>> from lincore.io.samples import sample
    >>> digits = sample("digits")
    >>> len(drop_image_duplicates(digits.take([0, 0, 1, 2, 1, *range(20, 40)])).X)
    23
    """
    duplicates = find_image_duplicates(data) if duplicates is None else duplicates
    keep = np.ones(data.n_rows, dtype=bool)
    keep[duplicates.rows[duplicates.nearest < duplicates.rows]] = False
    left = data.counts_in(keep)
    if not left[data.counts > 0].all():
        lost = int(np.flatnonzero((left == 0) & (data.counts > 0))[0])
        raise DataError(
            f"Class {data.classes[lost]} would have no images left.",
            where=data.name,
            remedy="Correct the classes of the duplicates in the file.",
        )
    n_out = int(data.n_rows - keep.sum())
    if not n_out:
        return data
    many = "image was" if n_out == 1 else "images were"
    notice = Notice(f"{n_out:,} {many} left out as duplicates.", data.name, code="LIN087")
    return replace(data.take(keep), notices=(*data.notices, notice))


def _exact_duplicates(X: np.ndarray) -> np.ndarray:
    """Return for each row an equal one, the first if possible; -1 if all others differ."""
    firsts = np.full(len(X), -1, dtype=np.intp)
    seen: dict[bytes, int] = {}
    for i, row in enumerate(X):
        first = seen.setdefault(row.tobytes(), i)
        if first != i:
            firsts[i] = first
            if firsts[first] < 0:
                firsts[first] = i
    return firsts


def _shrunken(X: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return grey thumbnails of images, centred and normalised; a blank image becomes zero."""
    height, width = shape[:2]
    downs = np.unique(np.linspace(0, height, min(height, _SIDE), endpoint=False).astype(int))
    acrosses = np.unique(np.linspace(0, width, min(width, _SIDE), endpoint=False).astype(int))
    area = np.outer(np.diff([*downs, height]), np.diff([*acrosses, width])).ravel()
    small = np.empty((len(X), len(area)), dtype=np.float32)
    for where in blocks(len(X), prod(shape)):
        some = X[where].reshape(-1, height, width, prod(shape[2:]))
        sums = some.sum(axis=3, dtype=np.float32)
        sums = np.add.reduceat(np.add.reduceat(sums, downs, axis=1), acrosses, axis=2)
        small[where] = sums.reshape(len(some), -1) / area
    small -= small.mean(axis=1, keepdims=True)
    length = np.linalg.norm(small, axis=1, keepdims=True)
    return np.divide(small, length, out=np.zeros_like(small), where=length > 0)


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(), b - b.mean()
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths > 0 else 0.0
