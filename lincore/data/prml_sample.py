"""The rows of "prml-chapter-4-in-r", reproduced from R's random numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from lincore.data.dataset import Dataset, TrueParameters
from lincore.data.labels import encode_labels

MEANS = np.array([[4.0, 4.0], [6.5, 5.0]])
COVARIANCE = np.array([[0.25, 0.21], [0.21, 0.25]])
PRIORS = (0.6, 0.4)
# Seed and number of rows, for training and for classification.
TRAINING, NEW = (101, 100), (231, 200)
# From R's sources (RNG.c, snorm.c): the smallest uniform, and bits of a normal.
_SMALLEST, _BIG = 2.328306437080797e-10, 134217728


class _RStream:
    """R's default generator after ``set.seed``: Mersenne Twister, normals by inversion."""

    def __init__(self, seed: int) -> None:
        def scrambled(value: int) -> int:
            return (69069 * value + 1) & 0xFFFFFFFF

        for _ in range(51):
            seed = scrambled(seed)
        key = np.empty(624, dtype=np.uint32)
        for i in range(624):
            seed = scrambled(seed)
            key[i] = seed
        self._bits = np.random.MT19937()
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 624}}

    def uniform(self) -> float:
        """Return a number of ``runif``."""
        value = int(self._bits.random_raw()) * 2.3283064365386963e-10
        return min(max(value, _SMALLEST), 1 - _SMALLEST)

    def normal(self) -> float:
        """Return a number of ``rnorm``."""
        high = int(_BIG * self.uniform())
        return float(ndtri((high + self.uniform()) / _BIG))

    def codes(self, size: int, priors: Sequence[float]) -> np.ndarray:
        """Reproduce ``sample(K, size, TRUE, priors)``, minus one; priors must decrease."""
        ends = np.cumsum(priors)[:-1]
        return np.array([np.searchsorted(ends, self.uniform()) for _ in range(size)])


def prml_rows() -> Dataset:
    """Return the 100 training and 200 test rows of "prml-chapter-4-in-r"."""
    samples = [_mixture(seed, size) for seed, size in (TRAINING, NEW)]
    X, drawn = (np.concatenate(arrays) for arrays in zip(*samples, strict=True))
    codes, classes = encode_labels(np.char.mod("%d", drawn + 1), "class")
    covariances = np.stack([COVARIANCE, COVARIANCE])
    return Dataset(
        "prml chapter 4",
        X,
        codes,
        classes,
        ("X1", "X2"),
        target_name="class",
        given_test=np.arange(len(X)) >= TRAINING[1],
        truth=TrueParameters(MEANS, covariances, np.array(PRIORS)),
    )


def _mixture(seed: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (n, 2) and their classes as the text's ``gen.mix`` draws them."""
    stream = _RStream(seed)
    codes = stream.codes(size, PRIORS)
    # MASS's mvrnorm: eigenvectors with the signs that LAPACK gives R, the larger value first.
    root = np.sqrt(0.5)
    vectors = np.array([[root, -root], [root, root]])
    deviations = np.sqrt([COVARIANCE[0].sum(), COVARIANCE[0, 0] - COVARIANCE[0, 1]])
    standard = np.array([[stream.normal(), stream.normal()] for _ in range(size)])
    return MEANS[codes] + (standard * deviations) @ vectors.T, codes
