"""Data sets at one call: four that scikit-learn carries, and Gaussian classes of known truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from lincore.datasets import Dataset, GaussianTruth
from lincore.errors import DataError
from lincore.labels import encode_labels, numbered, pixel_names
from lincore.limits import LIMITS

SAMPLES = ("iris", "wine", "breast cancer", "digits", "gaussian")

_MEANS = ((0.0, 0.0), (2.5, 0.5), (1.0, 2.5))
_COVARIANCES = (((1.0, 0.3), (0.3, 1.0)), ((1.0, -0.4), (-0.4, 0.8)), ((0.7, 0.0), (0.0, 1.2)))
_SIZES = (300, 150, 75)


def sample(name: str) -> Dataset:
    """Return one of the bundled data sets, called as in `SAMPLES`.

    Parameters
    ----------
    name : {"iris", "wine", "breast cancer", "digits", "gaussian"}

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        When there is no such sample.

    Examples
    --------
    >>> data = sample("iris")
    >>> data.X.shape, data.classes.tolist()
    ((150, 4), ['setosa', 'versicolor', 'virginica'])
    """
    if name not in SAMPLES:
        raise DataError(
            "There is no such sample.",
            where=f"sample {name!r}",
            remedy=f"Choose one of: {', '.join(SAMPLES)}.",
        )
    if name == "gaussian":
        return gaussian_classes()
    return _digits() if name == "digits" else _bundled_table(name)


def _bundled_table(name: str) -> Dataset:
    from sklearn import datasets

    loaders = {
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
        "breast cancer": datasets.load_breast_cancer,
    }
    bunch = loaders[name]()
    codes, classes = encode_labels(bunch.target_names[bunch.target], name)
    features = tuple(str(feature) for feature in bunch.feature_names)
    return Dataset(name, bunch.data.astype(np.float64), codes, classes, features)


def _digits() -> Dataset:
    from sklearn.datasets import load_digits

    bunch = load_digits()
    codes, classes = encode_labels(bunch.target, "digits")
    # Values run from 0 to 16: times 15 they are grey levels, exactly and in proportion.
    X = (15 * bunch.data).astype(np.uint8)
    return Dataset("digits", X, codes, classes, pixel_names(8, 8), image_shape=(8, 8))


def gaussian_classes(
    means: Any = None, covariances: Any = None, *, sizes: Any = None, seed: int = 0
) -> Dataset:
    """Draw classes from Gaussian distributions; the truth comes with the data.

    Parameters
    ----------
    means : (K, p) array, optional
        Three overlapping classes in two dimensions when not given.
    covariances : (K, p, p) or (p, p) array, optional
        Positive semidefinite; one matrix is shared by all classes. The identity when only `means`
        are given.
    sizes : (K,) array of int, optional
        Rows of each class: 100 each when only other arguments are given.
    seed : int
        Each class has a stream of its own: to change the size of one leaves the others alone.

    Returns
    -------
    Dataset
        Rows grouped by class; ``truth.priors`` are the shares of `sizes`.

    Raises
    ------
    DataError
        When shapes do not fit, a covariance is not symmetric and positive semidefinite, or a size
        is not a positive whole number.

    Examples
    --------
    >>> data = gaussian_classes([[0.0], [2.0]], sizes=[30, 10])
    >>> data.X.shape, data.truth.priors.tolist()
    ((40, 1), [0.75, 0.25])
    """
    plain = means is None and covariances is None
    means = _checked_means(_MEANS if means is None else means)
    n_classes, p = means.shape
    if covariances is None:
        covariances = _COVARIANCES if plain else np.eye(p)
    covariances = _checked_covariances(covariances, n_classes, p)
    if sizes is None:
        sizes = _SIZES if plain else [100] * n_classes
    sizes = _checked_sizes(sizes, n_classes, p)
    draws = [
        mean + np.random.default_rng([seed, code]).standard_normal((size, p)) @ _root(cov).T
        for code, (mean, cov, size) in enumerate(zip(means, covariances, sizes, strict=True))
    ]
    return Dataset(
        name="gaussian",
        X=np.concatenate(draws),
        codes=np.repeat(np.arange(n_classes, dtype=np.intp), sizes),
        classes=np.array(numbered("class", n_classes)),
        feature_names=tuple(f"x{i}" for i in range(1, p + 1)),
        truth=GaussianTruth(means, covariances, sizes / sizes.sum()),
    )


def _root(covariance: np.ndarray) -> np.ndarray:
    """Return A with A @ A.T = covariance, of shape (p, p)."""
    # eigh, not Cholesky: a covariance may be singular.
    values, vectors = np.linalg.eigh(covariance)
    root: np.ndarray = vectors * np.sqrt(np.maximum(values, 0))
    return root


def _as_numbers(values: Any, what: str) -> np.ndarray:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"They are not an array of numbers: {error}.", where=what, remedy="Give only numbers."
        ) from error
    if not np.isfinite(numbers).all():
        raise DataError("They hold a value that is not finite.", where=what, remedy="Correct it.")
    return numbers


def _checked_means(values: Any) -> np.ndarray:
    means: np.ndarray = _as_numbers(values, "means")
    if means.ndim != 2 or len(means) < 2 or means.shape[1] < 1:
        raise DataError(
            f"Their shape is {means.shape}.",
            where="means",
            remedy="Give one row for each of at least two classes, one column for each feature.",
        )
    return means


def _checked_covariances(values: Any, n_classes: int, p: int) -> np.ndarray:
    covariances: np.ndarray = _as_numbers(values, "covariances")
    if covariances.shape == (p, p):
        covariances = np.repeat(covariances[None], n_classes, axis=0)
    if covariances.shape != (n_classes, p, p):
        raise DataError(
            f"Their shape is {covariances.shape}; the means need {(n_classes, p, p)}.",
            where="covariances",
            remedy="Give one square matrix for each class, or one for all.",
        )
    for k, covariance in enumerate(covariances, start=1):
        smallest = np.linalg.eigvalsh(covariance)[0]
        rounding = p * np.finfo(np.float64).eps * np.abs(covariance).max()
        if np.abs(covariance - covariance.T).max() > rounding:
            raise DataError(
                "It is not symmetric.",
                where=f"covariance of class {k}",
                remedy="Make the entries above and below the diagonal equal.",
            )
        if smallest < -rounding:
            raise DataError(
                f"It is not positive semidefinite: its smallest eigenvalue is {smallest:.3g}.",
                where=f"covariance of class {k}",
                remedy="Make the entries off the diagonal smaller, or the variances larger.",
            )
    return covariances


def _checked_sizes(sizes: Any, n_classes: int, p: int) -> np.ndarray:
    numbers = _as_numbers(sizes, "sizes")
    if numbers.shape != (n_classes,) or (numbers < 1).any() or (numbers % 1 != 0).any():
        raise DataError(
            f"They are {numbers.tolist()}.",
            where="sizes",
            remedy=f"Give {n_classes} whole numbers of at least 1, one for each class.",
        )
    if numbers.sum() * p > LIMITS.max_cells:
        raise DataError(
            f"{numbers.sum():,.0f} rows of {p} features are too many.",
            where="sizes",
            remedy="Give smaller sizes.",
        )
    return numbers.astype(np.intp)
