"""Multivariate normality of the rows of each class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import lognorm

from lincore.checks.check import ALPHA, Check, class_names
from lincore.data.splits import draw_rows
from lincore.utils.formatting import p_equals, percent
from lincore.utils.typing import Array

# Maximum number of pairs of rows in total; larger classes are sampled.
PAIRS = 6_000_000
LARGEST_SAMPLE = 1_500
# With fewer rows per coordinate the test has no power and its null distribution is inaccurate.
ROWS_PER_COORDINATE = 3
# Skewness and excess kurtosis (see `Normality`) that deserve a note and a warning.
_ROBUST = (
    " If a few outliers make the tails heavy, LDA by the minimum covariance determinant is not "
    "moved by them."
)
NOTEWORTHY, LARGE = (0.5, 0.15), (1.0, 0.33)


class Normality(NamedTuple):
    """Henze and Zirkler's test of one sample, and Mardia's measures of the deviation."""

    statistic: float  # Henze and Zirkler's T
    p_value: float
    # ``√(b₁ / p)`` with Mardia's b₁ reduced by its expectation under normality; for independent
    # coordinates, the root mean square of their skewnesses
    skewness: float
    kurtosis: float  # ``b₂ / (p (p + 2)) - 1``: 0 if normal, positive for heavy tails


def henze_zirkler(X: ArrayLike) -> Normality:
    """Test whether rows come from a multivariate normal distribution."""
    Z = _whitened(np.asarray(X, dtype=float))
    n, p = Z.shape
    products = Z @ Z.T
    squares = np.diagonal(products).copy()
    distances = squares[:, None] + squares - 2 * products
    b2 = 0.5 * ((2 * p + 1) * n / 4) ** (2 / (p + 4))  # β²
    statistic = n * (
        np.exp(-b2 / 2 * distances).mean()
        - 2 * (1 + b2) ** (-p / 2) * np.exp(-b2 / (2 * (1 + b2)) * squares).mean()
        + (1 + 2 * b2) ** (-p / 2)
    )
    mean, variance = _null_moments(b2, p)
    spread = np.log1p(variance / mean**2)
    p_value = lognorm.sf(statistic, np.sqrt(spread), scale=mean * np.exp(-spread / 2))
    expected = p * (p + 2) * ((n + 1) * (p + 1) - 6) / ((n + 1) * (n + 3))
    asymmetry = max(0.0, float((products**3).mean()) - expected)
    kurtosis = float((squares**2).mean()) / (p * (p + 2)) * (n + 1) / (n - 1) - 1
    return Normality(float(statistic), float(p_value), float(np.sqrt(asymmetry / p)), kurtosis)


def normality(X: Array, codes: NDArray[np.intp], classes: NDArray[Any], *, seed: int = 0) -> Check:
    """Test each class, at a level adjusted for their number, and describe the worst deviation."""
    tests, sampled = _test_classes(X, codes, len(classes), seed)
    name, names = "normality", class_names(classes)
    if not tests:
        return Check(
            name,
            {},
            "note",
            "Normality within the classes cannot be tested: that takes at least "
            f"{ROWS_PER_COORDINATE} rows of a class for each coordinate ({X.shape[1]:,} here) and "
            "a covariance of full rank.",
            "LDA and QDA assume it; compare them with logistic regression, which does not.",
        )
    present = len(np.unique(codes))
    notes = [sampled] if sampled else []
    if len(tests) < present:
        notes.insert(0, f"{len(tests)} of {present} classes have enough rows")
    scope = f" ({'; '.join(notes)})" if notes else ""
    p_value = min(1.0, min(each.p_value for each in tests.values()) * len(tests))
    rejected = {k: each for k, each in tests.items() if each.p_value * len(tests) < ALPHA}
    if not rejected:
        values = {"p_value": p_value, "skewness": 0.0, "kurtosis": 0.0}
        subject = "Normality within the classes, which LDA and QDA assume,"
        sentence = f"{subject} is not rejected ({p_equals(p_value)}){scope}."
        return Check(name, values, "fine", sentence)
    size = {
        k: max(each.skewness / LARGE[0], abs(each.kurtosis) / LARGE[1])
        for k, each in rejected.items()
    }
    worst = max(size, key=size.__getitem__)
    subject = f"{names[worst]} are"
    if len(rejected) > 1:
        subject = f"{len(rejected)} of {len(tests)} classes are"
    sentence = f"The rows of {subject} not normal (Henze–Zirkler, {p_equals(p_value)}){scope}"
    sentence += f"; {names[worst]} the least" if len(rejected) > 1 else ""
    return _deviation_check(rejected[worst], p_value, sentence)


def _deviation_check(shape: Normality, p_value: float, sentence: str) -> Check:
    """Judge the least normal class by the size of its deviation, not by its p-value."""
    values = {"p_value": p_value, "skewness": shape.skewness, "kurtosis": shape.kurtosis}
    sentence = f"{sentence}: {_deviation_text(shape)}."
    if not _exceeds(shape, NOTEWORTHY):
        return Check(
            "normality", values, "fine", f"{sentence} So small a deviation rarely matters."
        )
    return Check(
        "normality",
        values,
        "warning" if _exceeds(shape, LARGE) else "note",
        sentence,
        "LDA's predictions are often robust to this, its probabilities less so, QDA's least. "
        "Compare with logistic regression, which does not assume it; logarithms or roots of skewed "
        f"features help.{_ROBUST * (shape.kurtosis > LARGE[1])}",
    )


def _test_classes(
    X: Array, codes: NDArray[np.intp], n_classes: int, seed: int
) -> tuple[dict[int, Normality], str]:
    """Test every class with enough rows; return the results and a description of the sample."""
    rng = np.random.default_rng(seed)
    p = X.shape[1]
    most = int(min(LARGEST_SAMPLE, np.sqrt(PAIRS / n_classes)))
    tests: dict[int, Normality] = {}
    sampled = ""
    for code in range(n_classes):
        rows = np.flatnonzero(codes == code)
        if min(len(rows), most) < max(8, ROWS_PER_COORDINATE * p):
            continue
        if len(rows) > most:
            rows = rows[draw_rows(len(rows), most, rng)]
            sampled = f"at most {most:,} rows per class, drawn at random"
        try:
            tests[code] = henze_zirkler(X[rows])
        except np.linalg.LinAlgError:
            continue
    return tests, sampled


def _whitened(X: Array) -> Array:
    """Return the rows transformed to mean zero and identity covariance (divisor n)."""
    scale = X.std(axis=0)
    if len(X) <= X.shape[1] or not scale.all():
        raise np.linalg.LinAlgError("The covariance is singular.")
    # Standardised, so that the rank does not depend on the units of the features.
    left, values, _ = np.linalg.svd((X - X.mean(axis=0)) / scale, full_matrices=False)
    if values[-1] <= values[0] * 1e-7:
        raise np.linalg.LinAlgError("The covariance is singular.")
    return np.asarray(left * np.sqrt(len(X)))


def _null_moments(b2: float, p: int) -> tuple[float, float]:
    """Return mean and variance of the statistic for normal rows, ``b2 = β²``."""
    a, w = 1 + 2 * b2, (1 + b2) * (1 + 3 * b2)
    mean = 1 - a ** (-p / 2) * (1 + p * b2 / a + p * (p + 2) * b2**2 / (2 * a**2))
    first = 2 * (1 + 4 * b2) ** (-p / 2)
    bracket = 1 + 2 * p * b2**2 / a**2 + 3 * p * (p + 2) * b2**4 / (4 * a**4)
    last = 1 + 3 * p * b2**2 / (2 * w) + p * (p + 2) * b2**4 / (2 * w**2)
    return mean, first + 2 * a**-p * bracket - 4 * w ** (-p / 2) * last


def _exceeds(shape: Normality, limits: tuple[float, float]) -> bool:
    return shape.skewness > limits[0] or abs(shape.kurtosis) > limits[1]


def _deviation_text(shape: Normality) -> str:
    parts = []
    if shape.skewness > NOTEWORTHY[0]:
        parts.append(f"skewed (skewness {shape.skewness:.1f})")
    if abs(shape.kurtosis) > NOTEWORTHY[1]:
        tails = "heavier" if shape.kurtosis > 0 else "lighter"
        excess = percent(shape.kurtosis, 0, signed=True)
        parts.append(f"tails {tails} than normal (kurtosis {excess})")
    return " and ".join(parts) or "slightly off in shape"
