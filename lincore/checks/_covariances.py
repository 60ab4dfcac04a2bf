"""Equality and conditioning of the class covariances: Box's M and the condition number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from lincore.checks.check import ALPHA, Check, Verdict, class_names
from lincore.data.splits import draw_rows
from lincore.linalg.covariance import is_positive
from lincore.moments.moments import Moments
from lincore.utils.formatting import p_equals
from lincore.utils.typing import Array

# Effect sizes of Box's M: ratio of standard deviations that counts as noteworthy and as large.
NOTEWORTHY_RATIO, LARGE_RATIO = 4 / 3, 2.0
# Box's approximations are series whose first term should be small.
LARGEST_CORRECTION = 0.2
# Condition numbers of a correlation matrix: Belsley's 30², and one that costs LDA half its digits.
NOTEWORTHY_CONDITION, LARGE_CONDITION = 900.0, 1e8
# Maximum number of features that are decomposed; of more, and of many rows, a random sample is
# used.
DECOMPOSED = 1000
PRODUCTS = 1e10
# Covariances of more coordinates are not compared; use principal components first.
COMPARED = 300
# Remedies for linearly dependent coordinates: of all classifiers together, and of one.
DEPENDENT = (
    "LDA then works in the directions that do vary; QDA needs regularisation. Shrinkage, "
    "principal components or fewer features help both; logistic regression needs a finite C."
)
DEPENDENT_BY_MODEL = {
    "lda": "LDA works in the directions that do vary. Shrinkage, principal components or fewer "
    "features make it more stable.",
    "fisher": "The direction is sought among those that do vary.",
    "least-squares": "Of the coefficients that fit equally well, those with the least sum of "
    "squares are taken: predictions do not depend on it, single coefficients do.",
    "logistic": "With a finite C the coefficients are unique; with maximum likelihood only the "
    "predictions are.",
    "qda": "QDA needs regularisation, shrinkage, principal components or fewer features.",
}
# Classifiers that leave dependent directions out or shrink them: their results are not wrong.
TOLERANT = ("lda", "fisher", "least-squares", "logistic")


def equal_covariances(X: Array, codes: NDArray[np.intp], classes: NDArray[Any]) -> Check:
    """Test by Box's M whether all classes have equal covariances, and measure the difference."""
    # The effect is a ratio r of standard deviations: two equally large classes whose deviations
    # differ by the factor r in every direction have the same gain in likelihood per row and
    # coordinate. It solves ``log cosh log r = M / (n - K) / p``, with M reduced by its expectation
    # under equality. The p-value is from Box's F approximation, which is valid for smaller classes
    # than his χ².
    name, p = "equal covariances", X.shape[1]
    unable = "Equality of the class covariances cannot be tested: "
    cramped = "LDA pools the rows of all classes; QDA needs regularisation or fewer components."
    why = _too_small(np.bincount(codes), p)
    if why:
        return Check(name, {}, "note", unable + why, cramped)
    present = np.unique(codes)
    moments = Moments.from_groups(X, codes, len(classes))[present]
    names, count = class_names(classes[present]), moments.count
    covariances = moments.scatter / (count - 1)[:, None, None]
    for label, covariance in zip(names, covariances, strict=True):
        if not is_positive(_correlation_spectrum(covariance)).all():
            why = f"the covariance of {label} is singular; some coordinates do not vary there."
            return Check(name, {}, "note", unable + why, cramped)
    unit = np.sqrt(np.diagonal(moments.within()) / (count.sum() - len(count)))
    scaled = covariances / unit / unit[:, None]
    M, p_value = _box_m(scaled, count)
    expected = (len(count) - 1) * p * (p + 1) / 2 / (1 - _first_correction(count, p))
    gain = max(0.0, M - expected) / (count.sum() - len(count)) / p
    ratio = float(np.exp(np.arccosh(np.exp(min(gain, 700.0)))))
    volumes = np.linalg.slogdet(scaled)[1] / (2 * p)
    values = {"p_value": p_value, "ratio": ratio, "M": M}
    return _covariance_verdict(values, names, volumes)


def _box_m(covariances: Array, count: Array) -> tuple[float, float]:
    """Return Box's M of K covariances (K, p, p) of `count` rows each, and its p-value by F."""
    # Both approximations of Box (1949) are in the notation of Rencher and Christensen (2012),
    # *Methods of Multivariate Analysis*, (7.20) to (7.27).
    K, p = len(count), covariances.shape[1]
    degrees, all_degrees = count - 1, count.sum() - K
    pooled = np.einsum("k,kij->ij", degrees / all_degrees, covariances)
    M = float(all_degrees * np.linalg.slogdet(pooled)[1])
    M -= float(degrees @ np.linalg.slogdet(covariances)[1])
    c1 = _first_correction(count, p)
    c2 = float((1 / degrees**2).sum() - 1 / all_degrees**2)
    c2 *= (p - 1) * (p + 2) / (6 * (K - 1))
    a1 = (K - 1) * p * (p + 1) / 2
    a2 = (a1 + 2) / abs(c2 - c1**2)
    if c2 > c1**2:
        F = M * (1 - c1 - a1 / a2) / a1
    else:
        share = M * (1 - c1 + 2 / a2) / a2
        F = a2 * share / (a1 * (1 - share)) if share < 1 else np.inf
    return M, float(stats.f.sf(F, a1, a2))


def _too_small(count: NDArray[np.intp], p: int) -> str:
    """Return the reason why the classes are too small for Box's M, or an empty text."""
    present = count[count > 0]
    if len(present) < 2:
        return "there is only one class."
    if p > COMPARED:
        return f"{p:,} coordinates are too many; keep at most {COMPARED} components."
    few = present.min() <= max(p, 2)
    if few or _first_correction(present.astype(float), p) > LARGEST_CORRECTION:
        rows = "row" if present.min() == 1 else "rows"
        return f"the smallest class has {present.min():,} {rows} for {p} coordinates."
    return ""


def _covariance_verdict(
    values: Mapping[str, float], names: tuple[str, ...], volumes: Array
) -> Check:
    name, ratio, p_value = "equal covariances", values["ratio"], values["p_value"]
    if p_value >= ALPHA:
        return Check(
            name,
            values,
            "fine",
            "One covariance for all classes, as LDA assumes, is not rejected at "
            f"{100 * ALPHA:g} % (Box's M, F approximation, {p_equals(p_value)}).",
        )
    wide, narrow = names[int(volumes.argmax())], names[int(volumes.argmin())]
    size = f"as much as deviations that differ by a factor of {ratio:.1f} in every direction"
    test = f"Box's M, F approximation, {p_equals(p_value)}"
    if ratio < NOTEWORTHY_RATIO:
        return Check(
            name,
            values,
            "fine",
            f"The covariances of the classes differ ({test}), but little: {size}. "
            "LDA should lose little by pooling them.",
        )
    return Check(
        name,
        values,
        "warning" if ratio >= LARGE_RATIO else "note",
        f"The covariances of the classes differ ({test}), {size}; {wide} is the widest class, "
        f"{narrow} the narrowest.",
        "LDA assumes that they are equal. Compare it with QDA (with some regularisation if "
        "there are few rows) and with logistic regression, which does not assume it.",
    )


def conditioning(
    X: Array, codes: NDArray[np.intp], *, model: str | None = None, seed: int = 0
) -> Check:
    """Check how close the coordinates are to linear dependence within the classes."""
    # The condition number is the ratio of the extreme eigenvalues of the pooled within-class
    # correlation matrix, so it does not depend on units.
    n, p = X.shape
    remedy = DEPENDENT if model is None else DEPENDENT_BY_MODEL[model]
    rank = n - len(np.unique(codes))
    if rank < p:
        return _singular(
            rank,
            "warning",
            remedy,
            f"The rows ({n:,}) span fewer directions than there are coordinates ({p:,}): the "
            "covariance within the classes is singular.",
        )
    chosen, codes, scope = _sample(X, codes, seed)
    spectrum = _correlation_spectrum(Moments.from_groups(chosen, codes, codes.max() + 1).within())
    rank = int(np.count_nonzero(is_positive(spectrum)))
    lost = chosen.shape[1] - rank
    if lost:
        return _singular(
            rank,
            "note" if model in TOLERANT else "warning",
            remedy,
            f"{lost:,} of {chosen.shape[1]:,} directions{scope} do not vary within the classes: "
            "some coordinates are constant there, or combinations of others.",
        )
    condition = float(spectrum[-1] / spectrum[0])
    name, values = "conditioning", {"condition": condition, "rank": float(rank)}
    if condition < NOTEWORTHY_CONDITION:
        finding = (
            f"No coordinate is nearly a combination of others (condition {condition:,.0f}{scope})."
        )
        return Check(name, values, "fine", finding)
    return Check(
        name,
        values,
        "warning" if condition >= LARGE_CONDITION else "note",
        f"Some coordinates are nearly combinations of others (condition {condition:,.2g}{scope}): "
        "individual coefficients are unreliable, though predictions may be good.",
        remedy,
    )


def _singular(rank: int, verdict: Verdict, remedy: str, sentence: str) -> Check:
    values = {"condition": np.inf, "rank": float(rank)}
    return Check("conditioning", values, verdict, sentence, remedy)


def _correlation_spectrum(scatter: Array) -> Array:
    """Return the eigenvalues of the correlation matrix of a scatter, in increasing order."""
    diagonal = np.diagonal(scatter)
    # A constant coordinate contributes an eigenvalue of zero.
    unit = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    return np.asarray(np.linalg.eigvalsh(scatter / unit / unit[:, None]))


def _first_correction(count: Array, p: int) -> float:
    """Return the first term c of Box's series, with (1 - c) M approximately χ²."""
    K = len(count)
    spread = float((1 / (count - 1)).sum() - 1 / (count.sum() - K))
    return spread * (2 * p * p + 3 * p - 1) / (6 * (p + 1) * (K - 1))


def _sample(X: Array, codes: NDArray[np.intp], seed: int) -> tuple[Array, NDArray[np.intp], str]:
    """Sample features and rows to limit the time; return them and a description of the sample."""
    rng = np.random.default_rng(seed)
    parts = []
    if X.shape[1] > DECOMPOSED:
        X = X[:, draw_rows(X.shape[1], DECOMPOSED, rng)]
        parts.append(f"{DECOMPOSED:,} features")
    most = int(PRODUCTS / max(1, X.shape[1] ** 2))
    if len(X) > most:
        rows = draw_rows(len(X), most, rng)
        X, codes = X[rows], codes[rows]
        parts.append(f"{most:,} rows")
    return X, codes, f"; of {' and '.join(parts)} drawn at random" if parts else ""
