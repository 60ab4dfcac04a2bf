"""Intervals over folds of whole groups, and those of curves, break-even and features left out.

Run ``python benchmarks/coverage_of_bands.py [data sets] [part of a question's name]`` (300: half an
hour on one core). Small data sets of two Gaussian classes are drawn again and again. The truth is
the score in the population of the models that were fitted, where that is what an interval is for
(groups, features left out, yardsticks on one test set), and otherwise the mean over all data sets.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
from common import finish, require
from coverage_of_parts import APART

import lincore
from lincore import metrics
from lincore.data import Dataset, Split
from lincore.io import gaussian_classes
from lincore.metrics import Interval, Results
from lincore.model_selection import drop_features, learning_curve
from lincore.utils import captured_warnings

#: What is asked, its interval, and its truth; NaN for the mean over all data sets.
Found = Iterator[tuple[str, Interval, float]]
#: Groups, their rows, and the folds.
GROUPS = ((9, 20, 3), (10, 4, 5), (12, 10, 4), (20, 5, 5), (40, 5, 10))
#: Rows of the classes, those that are swept, and how many rows of them remain.
SWEPT = {
    "60 : 60": ((60, 60), ["class 2"], [6, 15, 30]),
    "60 : 60, both": ((60, 60), ["class 1", "class 2"], [6, 15, 30]),
    "40 : 40": ((40, 40), ["class 2"], [4, 10]),
    "200 : 40": ((200, 40), ["class 2"], [4, 10]),
}
#: If a smaller share of the data sets has an interval, its coverage is shown but not judged.
FEW = 0.2
N_FRESH, N_CURVE_SPLITS, N_COST_SPLITS = 4_000, 5, 20


def two(sizes: tuple[int, int], apart: tuple[float, ...], seed: int) -> Dataset:
    """Return two classes of these sizes; the means differ by so much along each feature."""
    return gaussian_classes(np.outer([0, 1], apart), sizes=list(sizes), seed=seed)


def grouped(
    n_groups: int, size: int, n_folds: int, common: float, one_class: bool, seed: int
) -> Found:
    """Score LDA over folds of whole groups that have a share of the variance in common."""

    def drawn(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        groups = np.repeat(np.arange(n), size)
        codes = rng.permutation(np.arange(n) % 2)[groups]
        if not one_class:
            codes = rng.integers(0, 2, len(groups))
        X = np.sqrt(common) * rng.standard_normal((n, 3))[groups]
        X += np.sqrt(1 - common) * rng.standard_normal((len(groups), 3))
        X[:, 0] += 1.5 * codes
        return X, codes, groups

    X, codes, groups = drawn(n_groups, np.random.default_rng(seed))
    fresh, truth, _ = drawn(N_FRESH // size, np.random.default_rng(10**6 + seed))
    data = replace(lincore.load((X, codes)), groups=groups)
    results = lincore.compare(data, "lda", f"{n_folds}-fold by group", seed=seed)
    right = []
    for fold in range(n_folds):
        tested = np.isin(np.arange(len(codes)), results.rows[results.fold == fold])
        model = lincore.LinearDiscriminantAnalysis().fit(X[~tested], codes[~tested])
        right.append(model.predict(fresh) == truth)
    recalls = [np.mean([row[truth == code].mean() for row in right]) for code in (0, 1)]
    yield "accuracy", metrics.score(results, "lda", "accuracy"), float(np.mean(right))
    balanced = metrics.score(results, "lda", "balanced accuracy")
    yield "balanced accuracy", balanced, float(np.mean(recalls))


def with_fresh_rows(sizes: tuple[int, int], apart: tuple[float, ...], seed: int):
    """Return the data, a split whose test rows are followed by fresh ones, and their start."""
    own = two(sizes, apart, seed)
    shares = np.array(sizes) / sum(sizes)
    fresh = two(tuple((N_FRESH * shares).astype(int)), apart, seed + 10**6)
    data = lincore.load((np.vstack([own.X, fresh.X]), np.r_[own.codes, fresh.codes]))
    split = lincore.split(own, seed=APART * seed)
    test = np.r_[split.test, np.arange(own.n_rows, data.n_rows)]
    return data, Split(split.train, test), own.n_rows


def differences(results: Results, start: int, pairs: list[tuple[str, str]], what: str) -> Found:
    """Yield differences on the test rows before `start`, and their truth on those after."""
    own, fresh = results.take(results.rows < start), results.take(results.rows >= start)
    for score in ("accuracy", "balanced accuracy", "log loss"):
        for found in metrics.pairwise_differences(own, score, 0.0, pairs):
            first, second = (
                metrics.estimate(fresh, name, score).value for name in (found.first, found.second)
            )
            yield f"{what}, {score}", Interval(found.value, found.low, found.high), first - second


def left_out(sizes: tuple[int, int], method: str, seed: int) -> Found:
    """Leave each of three useful and two useless features out."""
    data, split, start = with_fresh_rows(sizes, (0.8, 0.8, 0.8, 0, 0), seed)
    results = drop_features(lincore.fit(data, method, split))
    own, *others = results.methods
    for names, what in ((others[:3], "useful"), (others[3:], "useless")):
        yield from differences(results, start, [(own, name) for name in names], what)


def yardsticks(sizes: tuple[int, int], seed: int) -> Found:
    """Compare LDA with isotonic LDA, boosting and a forest on one test set."""
    data, split, start = with_fresh_rows(sizes, (1, 1, 0, 0), seed)
    scheme = [(split.train, split.test)]
    methods = ["lda", "lda(recalibration=isotonic)"]
    results = lincore.compare(data, methods, scheme, seed=seed, yardsticks=True)
    joined = results.joined(results.yardsticks)
    for name in joined.methods[1:]:
        yield from differences(joined, start, [("lda", name)], name)


def break_even(sizes: tuple[int, int], apart: tuple[float, ...], truth: float, seed: int) -> Found:
    """Yield from which cost ratio on balancing pays."""
    cost = lincore.imbalance_cost(
        two(sizes, apart, seed), "lda", repeats=N_COST_SPLITS, seed=APART * seed,
        progress=lambda done, *_: done < N_COST_SPLITS,  # without thresholds and sweep
    )  # fmt: skip
    yield "break-even", cost.curves["lda"].break_even(), truth


def curves(sizes: tuple[int, int], seed: int) -> Found:
    """Yield every size of a learning curve."""
    data = two(sizes, (1.2, 1.2, 0, 0), seed)
    splits = [lincore.split(data, seed=APART * seed + i) for i in range(N_CURVE_SPLITS)]
    curve = learning_curve(data, "lda", splits, seed=APART * seed)
    for score in ("accuracy", "balanced accuracy", "log loss"):
        for line in curve.score_table(score).itertuples():
            yield f"{score}, {line[3]} rows", Interval(*line[4:]), np.nan


def swept(name: str, method: str, seed: int) -> Found:
    """Yield every size of a class-size sweep."""
    sizes, classes, left = SWEPT[name]
    data = two(sizes, (1.2, 1.2, 0, 0), seed)
    sweep = lincore.sweep(data, classes, left, method, seed=APART * seed, exact=False)
    for loss in ("error", "log loss", "recall of class 2"):
        grid = lincore.imbalance.size_grid(sweep, loss)
        for size, *ends in zip(grid.sizes, grid.mean[0], grid.low[0], grid.high[0], strict=True):
            yield f"{loss}, {size:.0f} rows", Interval(*ends), np.nan


DESIGNS = {
    **{
        f"{n} groups of {size}, {k} folds, {common:.0%} in common, {kind}": partial(
            grouped, n, size, k, common, kind == "one class each"
        )
        for (n, size, k), kind, common in product(
            GROUPS, ("one class each", "both classes"), (0.0, 0.3, 0.7)
        )
    },
    **{
        f"left out, {' : '.join(map(str, sizes))}, {method}": partial(left_out, sizes, method)
        for sizes, method in product(((50, 50), (100, 100), (120, 30)), ("lda", "logistic"))
    },
    **{
        f"yardsticks, {' : '.join(map(str, sizes))}": partial(yardsticks, sizes)
        for sizes in ((60, 60), (120, 30))
    },
    # The ratio at which the mean costs of 300 data sets are equal.
    "break-even, 160 : 32": partial(break_even, (160, 32), (0.8,) * 3 + (0,) * 7, 2.65),
    "break-even, 300 : 60": partial(break_even, (300, 60), (1.2, 1.2, 0, 0), 2.42),
    "break-even, 90 : 30": partial(break_even, (90, 30), (1.2, 1.2, 0), 1.82),
    "curve, 60 : 60": partial(curves, (60, 60)),
    "curve, 100 : 20": partial(curves, (100, 20)),
    **{
        f"sweep, {name}, {method}": partial(swept, name, method)
        for name, method in product(SWEPT, ("lda", "logistic"))
    },
}


def main() -> None:
    """Print a line for each interval; fail if one covers too seldom."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    for name, study in DESIGNS.items():
        if only not in name:
            continue
        found = defaultdict(list)
        for seed in range(times):
            with captured_warnings():
                for what, interval, truth in study(seed):
                    found[what].append((*interval, truth))
        for what, lines in found.items():
            value, low, high, truth = np.array(lines).T
            truth = np.where(np.isnan(truth), np.nanmean(value), truth)
            known = ~np.isnan(low)
            if not known.any():
                continue
            rate = float(np.mean(((low <= truth) & (truth <= high))[known]))
            where = f"{name}, {what} (none: {1 - known.mean():.0%})"
            if known.mean() < FEW:
                print(f"       {where}: {rate:.2f} of {known.sum()} intervals, not judged")
            else:
                require(where, rate, at_least=0.9)
    finish()


if __name__ == "__main__":
    main()
