"""Whether the intervals of extrapolated learning curves contain the error at more training rows.

Rows of a known distribution, seven sizes of five random splits; the error at several times the
training rows is the mean over further training sets, on 20,000 further rows.
``python -m benchmarks.coverage_of_extrapolation 300 200`` takes the rows and the number of samples.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

import lincore
from lincore.metrics import extrapolate_loss
from lincore.model_selection import as_method, learning_curve
from lincore.utils import captured_warnings

TIMES = (2, 4, 8)
N_SPLITS, N_TEST, N_TRUTHS = 5, 20_000, 100
DESIGNS = (
    ("two Gaussians, 10 features", "lda"),
    ("two Gaussians, 10 features", "naive-bayes"),
    ("three Gaussians, 30 features", "lda"),
    ("three Gaussians, 30 features", "logistic"),
    ("exponentials, 1 : 4", "logistic"),
    ("exponentials, 1 : 4", "qda"),
    ("unequal spreads", "qda"),
    ("unequal spreads", "lda"),
)


def drawn(design: str, n_rows: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return features and codes of a sample."""
    rng = np.random.default_rng(seed)
    if design.startswith("two"):
        codes = rng.permutation(np.arange(n_rows) % 2)
        X = rng.standard_normal((n_rows, 10))
        X[:, :4] += 0.6 * codes[:, None]
    elif design.startswith("three"):
        codes = rng.permutation(np.arange(n_rows) % 3)
        X = rng.standard_normal((n_rows, 30))
        X[:, 0] += 1.5 * (codes == 1)
        X[:, 1] += 1.5 * (codes == 2)
    elif design.startswith("exponentials"):
        codes = rng.permutation((np.arange(n_rows) % 5 == 0).astype(np.intp))
        X = rng.exponential(1 + 0.8 * codes[:, None], (n_rows, 8))
    else:
        codes = rng.permutation(np.arange(n_rows) % 2)
        X = rng.standard_normal((n_rows, 4)) * (1 + 0.7 * codes[:, None]) + 0.3 * codes[:, None]
    return X, codes


def losses(model: object, X: NDArray[np.float64], codes: NDArray[np.intp]) -> tuple[float, float]:
    """Return the error rate, and that of the rarest class."""
    wrong = model.predict(X) != codes  # type: ignore[attr-defined]
    return float(wrong.mean()), float(wrong[codes == 1].mean())


def truth(design: str, method: str, n_train: int) -> NDArray[np.float64]:
    """Return the mean losses of models fitted to so many rows."""
    X, codes = drawn(design, N_TEST, 10**6)
    found = [
        losses(as_method(method).fresh(2).fit(*drawn(design, n_train, 10**7 + seed)), X, codes)
        for seed in range(N_TRUTHS)
    ]
    return np.mean(found, axis=0)


def main() -> None:
    """Print coverage and width by design, and how often nothing is extrapolated."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    n_samples = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    print("design                        method       loss   times   truth  covered  width  shown")
    for design, method in DESIGNS:
        n_train = round(0.7 * n_rows)
        expected = np.array([truth(design, method, times * n_train) for times in TIMES])
        found: dict[str, list[NDArray[np.float64]]] = {"all": [], "rare": []}
        for seed in range(n_samples):
            data = lincore.load(drawn(design, n_rows, seed))
            splits = [lincore.split(data, seed=N_SPLITS * seed + i) for i in range(N_SPLITS)]
            with captured_warnings():
                curve = learning_curve(data, method, splits, seed=seed)
            for loss, code in (("all", None), ("rare", 1)):
                one = extrapolate_loss(
                    curve.results,
                    curve.methods[0],
                    [times * max(curve.results) for times in TIMES],
                    test_ratio=curve.test_ratio,
                    code=code,
                )
                if not one.reason:
                    found[loss].append(np.array(one.extrapolated))
        for which, (loss, parts) in enumerate(found.items()):
            for i, times in enumerate(TIMES):
                shown, target = len(parts) / n_samples, expected[i, which]
                if not parts:
                    continue
                _, low, high = np.array(parts)[:, i].T
                covered = np.mean((low <= target) & (target <= high))
                print(
                    f"{design:30}{method:13}{loss:8}{times:4}{target:8.3f}{covered:9.1%}"
                    f"{np.mean(high - low):7.3f}{shown:7.0%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
