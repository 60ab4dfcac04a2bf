"""Estimates of an image classifier as images: class means and principal components."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.inspection.projections import class_means
from lincore.utils.typing import Array

# Maximum number of components that are returned.
_MOST = 12


class LearnedImages(NamedTuple):
    """Means and principal components in pixels.

    Attributes
    ----------
    classes : tuple of K str
        Classes with training rows.
    means : ndarray of shape (K, height, width, ...)
        Class means in grey levels.
    mean : ndarray of shape (height, width, ...), or None
        The origin of the principal components, in grey levels; None without PCA.
    basis : ndarray of shape (m, height, width, ...)
        The first components, as unit vectors; empty without PCA.
    eigenvalues : ndarray of shape (m,)
        Variances of the training rows along the components.
    """

    classes: tuple[str, ...]
    means: Array
    mean: Array | None
    basis: Array
    eigenvalues: Array


def grey_levels(images: Array) -> NDArray[np.uint8]:
    """Round averaged images to bytes.

    Parameters
    ----------
    images : ndarray of shape (m, height, width, ...)

    Returns
    -------
    ndarray of the same shape

    Examples
    --------
    >>> grey_levels(np.array([-0.2, 12.6, 255.4])).tolist()
    [0, 13, 255]
    """
    return np.asarray(np.rint(images).clip(0, 255), dtype=np.uint8)


def learned_images(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> LearnedImages:
    """Return what a fitted pipeline has learned from images, as images.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted on codes.
    data : Dataset
        Of images.
    rows : ndarray of shape (n,)
        The training rows.

    Raises
    ------
    DataError
        If the rows are not images.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.pipeline import Steps, pipeline_for
    >>> digits, rows = lincore.sample("digits"), np.arange(1000)
    >>> lda = pipeline_for(digits, lincore.LinearDiscriminantAnalysis(), Steps(n_components=20))
    >>> images = learned_images(lda.fit(digits.X[rows], digits.codes[rows]), digits, rows)
    >>> images.means.shape, images.basis.shape, images.eigenvalues[:2].round(-3).tolist()
    ((10, 8, 8), (12, 8, 8), [38000.0, 36000.0])
    """
    shape = data.image_shape
    if shape is None:
        raise DataError("The rows are not images.", where=data.name, remedy="Load images.")
    X, codes = data.X[rows], data.codes[rows]
    known = np.unique(codes)
    means = class_means(X, np.searchsorted(known, codes), len(known))
    steps = pipeline.named_steps
    mean, basis, eigenvalues = None, np.empty((0, data.n_features)), np.empty(0)
    if "pca" in steps and "basis" not in steps:
        pca = steps["pca"]
        scale = steps["standardize"].scale_ if "standardize" in steps else 1.0
        origin = steps["standardize"].mean_ if "standardize" in steps else 0.0
        mean = (pca.mean_ * scale + origin).reshape(shape)
        basis, eigenvalues = pca.components_[:_MOST] * scale, pca.explained_variance_[:_MOST]
    return LearnedImages(
        tuple(str(data.classes[code]) for code in known),
        means.reshape(-1, *shape),
        mean,
        np.asarray(basis, dtype=float).reshape(-1, *shape),
        np.asarray(eigenvalues, dtype=float),
    )
