"""L1 and elastic-net logistic regression against scikit-learn's solvers, to the same objective.

``python -m benchmarks.elastic_net`` (minutes). A solver counts when its objective is at most 1e-6
above ours, at the loosest of some tolerances. saga solves all problems; skglm, if it is installed,
those of two classes with a lasso, after its first, compiling fit. Both have a bound; liblinear,
which penalises the intercept and is therefore compared without one, has none. Times are of the
processor. Where ours is below ten milliseconds, more than a third of it is spent outside the steps,
and the ratio is printed without a bound.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.linear_model import LogisticRegression as ScikitLogistic
from sklearn.preprocessing import scale

from benchmarks.common import finish, require
from lincore import LogisticRegression

CLOSE = 1e-6
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
#: A solver that takes longer than this many times ours need not be timed exactly.
FAR = 50
#: Seconds below which a fit has no bound.
SHORT = 0.01


def problems() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield standardised rows of several shapes with their classes."""
    yield "breast cancer", *_scaled(*load_breast_cancer(return_X_y=True))
    yield "wine", *_scaled(*load_wine(return_X_y=True))
    yield "digits", *_scaled(*load_digits(return_X_y=True))
    shapes = {"20,000 x 50": (20_000, 50, 2), "200 x 2,000": (200, 2000, 2)}
    shapes["300 x 1,000, four classes"] = (300, 1000, 4)
    for name, (n, p, n_classes) in shapes.items():
        yield name, *_scaled(*make_classification(
            n, p, n_informative=min(20, p // 2), n_classes=n_classes, random_state=0
        ))  # fmt: skip


def main() -> None:
    """Print the figures; end with an error if a bound is missed."""
    warnings.simplefilter("ignore")
    for name, X, y in problems():
        for l1_ratio in (1.0, 0.5):
            path = LogisticRegression(l1_ratio=l1_ratio).fit_path(X, y)
            for place in (8, 16):
                _fit(f"{name}, l1_ratio {l1_ratio:g}, C {path[place].C:.2g}", X, y, path[place])
            took = processor(partial(LogisticRegression(l1_ratio=l1_ratio).fit_path, X, y))
            print(f"       {name}, l1_ratio {l1_ratio:g}: a path of {len(path)} in {took:.2f} s")
    finish()


def _fit(what: str, X: np.ndarray, y: np.ndarray, known: LogisticRegression) -> None:
    """Compare one fit with and, if there are two classes, without an intercept."""
    options = {"C": known.C, "l1_ratio": known.l1_ratio}
    ours = LogisticRegression(**options)
    _compare(f"saga, {what}", X, y, ours, lambda tol: ScikitLogistic(
        **options, solver="saga", tol=tol, max_iter=100_000
    ))  # fmt: skip
    if y.max() > 1 or known.l1_ratio < 1:
        return
    free = LogisticRegression(**options, fit_intercept=False)
    _compare(f"liblinear, {what}", X, y, free, lambda tol: ScikitLogistic(
        **options, solver="liblinear", fit_intercept=False, tol=tol, max_iter=100_000
    ))  # fmt: skip
    if find_spec("skglm"):
        from skglm import SparseLogisticRegression

        alpha = 1 / (known.C * len(y))
        _compare(f"skglm, {what}", X, y, ours, lambda tol: SparseLogisticRegression(
            alpha=alpha, tol=tol, fit_intercept=True, max_iter=1000
        ))  # fmt: skip


def _compare(
    what: str, X: np.ndarray, y: np.ndarray, ours: LogisticRegression, other: Callable[[float], Any]
) -> None:
    """Require that the objective is no larger, and the time not twice that of another solver."""
    took = processor(lambda: ours.fit(X, y))
    least = objective(ours, X, y, ours)
    for tol in TOLERANCES:
        model = other(tol)
        model.fit(X, y)  # compiles, where that is needed
        theirs = processor(partial(model.fit, X, y))
        gap = objective(model, X, y, ours) - least
        if gap <= CLOSE or theirs > FAR * took:
            break
    require(f"our objective - theirs, {what}", -gap, at_most=CLOSE)
    if gap > CLOSE:
        print(f"       {what}: {theirs / took:.0f} times our time for a gap of {gap:.0e}")
        return
    turns = range(5)
    pairs = [(processor(partial(m.fit, X, y)) for m in (model, ours)) for _ in turns]
    faster = float(np.median([other / own for other, own in pairs]))
    said = f"{what} (tol={tol:g}, gap {gap:.0e}) / ours of {1000 * took:.1f} ms"
    if took < SHORT or what.startswith("liblinear"):
        print(f"       {said}: {faster:.2f}", flush=True)
    else:
        require(said, faster, at_least=0.5)


def processor(work: Callable[[], Any]) -> float:
    """Return the seconds of the processor that a call takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def objective(model: Any, X: np.ndarray, y: np.ndarray, asked: LogisticRegression) -> float:
    """Return what is minimised, at the coefficients of any model."""
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    losses = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y]
    l1, l2 = np.abs(model.coef_).sum(), 0.5 * (model.coef_**2).sum()
    return float(asked.C * losses.sum() + asked.l1_ratio * l1 + (1 - asked.l1_ratio) * l2)


def _scaled(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return scale(X), y


if __name__ == "__main__":
    main()
