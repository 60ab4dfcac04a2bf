"""Coverage and width of the paired interval of the difference of two models' cost curves.

Run ``python benchmarks/coverage_of_cost_differences.py [data sets] [part of a design's name]``
(300: an hour on one core). As in `coverage_of_parts`, data sets of given sizes are drawn again
and again, the truth is the mean over all data sets, and widths are in units of 3.92 standard
deviations of the estimate.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np
from common import finish, require
from coverage_of_parts import APART, rare

import lincore
from lincore.data import Dataset
from lincore.io import gaussian_classes

REPEATS = 20
LINES = ("uncorrected", "balanced", "matched")


def main() -> None:
    """Print coverage and width by ratio and priors; fail if their means miss the bounds."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    for name, (draw, methods) in DESIGNS.items():
        if only in name:
            found = defaultdict(list)
            for seed in range(times):
                for what, interval in differences(draw(seed), methods, APART * seed):
                    found[what].append(interval)
            report(name, found)
    finish()


def differences(data: Dataset, methods: tuple[str, ...], seed: int):
    """Yield the differences at equal costs, at the class ratio, and between the two."""
    cost = lincore.imbalance_cost(
        data, methods, repeats=REPEATS, seed=seed,
        progress=lambda done, *_: done < REPEATS,  # without thresholds and sweep
    )  # fmt: skip
    curves, ratios = cost.curves, cost.ratios
    middle = ratios.ratios[np.abs(np.log(ratios.ratios / np.sqrt(ratios.class_ratio))).argmin()]
    first, *others = methods
    for other in others:
        for line in LINES:
            for ratio in (1.0, float(middle), ratios.class_ratio):
                found = curves[first].excess(curves[other], ratio, line)
                yield (f"{first} - {other}", line, f"{ratio:.3g}"), tuple(found)


def report(name: str, found: dict[tuple[str, ...], list[tuple[float, ...]]]) -> None:
    """Print a line for each difference, and whether their means keep the bounds."""
    rates, widths = [], []
    for what, intervals in found.items():
        value, low, high = np.array(intervals).T
        truth, deviation = value.mean(), np.std(value, ddof=1)
        rates.append(np.mean((low <= truth) & (truth <= high)))
        widths.append(np.mean(high - low) / (3.92 * deviation))
        print(f"{name:<36}{' '.join(what):<40}{100 * truth:8.3f}{rates[-1]:7.3f}{widths[-1]:6.2f}",
              flush=True)  # fmt: skip
    require(f"{name}, mean coverage", float(np.mean(rates)), at_least=0.93)
    require(f"{name}, mean width", float(np.mean(widths)), at_most=1.5)


def spreads(seed: int) -> Dataset:
    """Return two classes, 6 : 1, with unequal covariances."""
    data = gaussian_classes([[0.0, 0.0, 0.0], [1.2, 0.0, 0.0]], sizes=[480, 80], seed=seed)
    stretch = np.where(data.codes[:, None] == 1, [0.6, 2.0, 1.0], 1.0)
    return lincore.load((data.X * stretch, data.classes[data.codes]))


def three(seed: int) -> Dataset:
    """Return three classes, the last of which is rare."""
    means = [[0.0, 0.0], [1.5, 0.0], [0.7, 1.4]]
    return gaussian_classes(means, sizes=[300, 200, 40], seed=seed)


def small(seed: int) -> Dataset:
    """Return two classes, 160 : 32, with ten features."""
    means = np.zeros((2, 10))
    means[1, :3] = 0.8
    return gaussian_classes(means, sizes=[160, 32], seed=seed)


DESIGNS = {
    "1640 : 41": (rare, ("lda", "logistic")),
    "480 : 80, unequal covariances": (spreads, ("lda", "logistic", "qda")),
    "300 : 200 : 40": (three, ("lda", "logistic")),
    "160 : 32, ten features": (small, ("lda", "naive-bayes")),
}

if __name__ == "__main__":
    main()
