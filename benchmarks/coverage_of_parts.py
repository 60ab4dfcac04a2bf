"""Coverage and width of the intervals of the parts of an imbalance loss, and of its remedies.

Run ``python benchmarks/coverage_of_parts.py [data sets] [part of a design's name]`` (300: half an
hour on one core).
Data sets of given class sizes are drawn again and again, and split by other random numbers: a few
splits that always overlap in the same rows would vary less, or more, than others. The truth is the
mean over all data sets of what is estimated. Widths are in units of 3.92 standard deviations of the
estimate, the width of an interval that knows its variance. What is the same in all data sets, as
QDA's majority bias, has neither.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from common import finish, require

import lincore
from lincore.data import Blocks, Dataset, RowBlock
from lincore.io import gaussian_classes
from lincore.metrics import Interval
from lincore.moments import Moments

LOSSES = ("balanced error", "log loss")
Found = Iterator[tuple[str, Interval]]
#: Seeds of the splits of two data sets are so far apart.
APART = 1_000


def main() -> None:
    """Print coverage and width of every part; end with an error if their means miss the bounds."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    for name, (draw, study) in DESIGNS.items():
        if only not in name:
            continue
        for method in METHODS[name]:
            found = defaultdict(list)
            for seed in range(times):
                for part, interval in study(draw(seed), method, APART * seed):
                    found[part].append(tuple(interval))
            report(f"{name}, {method}", found)
    finish()


def report(name: str, found: dict[str, list[tuple[float, ...]]]) -> None:
    """Print a line for each part, and whether their means keep the bounds."""
    rates, widths = [], []
    for part, intervals in found.items():
        value, low, high = np.array(intervals).T
        truth, deviation = value.mean(), np.std(value, ddof=1)
        if deviation > 0:
            rates.append(np.mean((low <= truth) & (truth <= high)))
            widths.append(np.mean(high - low) / (3.92 * deviation))
            print(f"{name:<40}{part:<36}{rates[-1]:6.3f}{widths[-1]:6.2f}")
    require(f"{name}, mean coverage", float(np.mean(rates)), at_least=0.93, at_most=0.975)
    require(f"{name}, mean width", float(np.mean(widths)), at_most=1.3)


def three(seed: int) -> Dataset:
    """Return three classes of 60 rows in a plane."""
    means = [[0.0, 0.0], [1.5, 0.0], [0.7, 1.4]]
    return gaussian_classes(means, sizes=[60, 60, 60], seed=seed)


def ten_features(seed: int) -> Dataset:
    """Return three classes of 60 rows with ten features."""
    means = np.zeros((3, 10))
    means[1, :2], means[2, 2:5] = [1.2, 0.5], 0.9
    return gaussian_classes(means, sizes=[60, 60, 60], seed=seed)


def rare(seed: int) -> Dataset:
    """Return two classes, 40 : 1."""
    return gaussian_classes([[0.0] * 4, [1.2, 0.8, 0.0, 0.0]], sizes=[1640, 41], seed=seed)


def streamed(seed: int) -> Dataset:
    """Return two classes, 10 : 1, of which two thirds of the rows are not in memory."""
    means = [[0.0] * 4, [1.2, 0.8, 0.0, 0.0]]
    held, rest = (gaussian_classes(means, sizes=[800 * n, 80 * n], seed=[seed, n]) for n in (1, 2))
    block = RowBlock(rest.X, rest.codes, None, np.arange(rest.n_rows, dtype=np.uint64))
    moments = Moments.from_groups(rest.X, rest.codes, 2)
    return replace(held, blocks=Blocks(moments, rest.counts, [()], lambda: iter([block])))


def four_spreads(seed: int) -> Dataset:
    """Return four classes of unequal sizes and spreads with five features, one with heavy tails."""
    rng = np.random.default_rng([seed, 99])
    means = [[0, 0, 0, 0, 0], [1.3, 0, 0, 0, 0], [0, 1.2, 0.5, 0, 0], [0.6, 0.6, -0.9, 0, 0]]
    sizes, parts = (90, 70, 70, 50), []
    for k, (size, mean, spread) in enumerate(zip(sizes, means, (1, 1.4, 0.8, 1.2), strict=True)):
        part = rng.standard_normal((size, 5)) * spread
        if k == 1:
            part = rng.standard_t(6, (size, 5))
        parts.append(part + np.array(mean))
    frame = pd.DataFrame(np.vstack(parts), columns=list("abcde"))
    labels = [f"class {k + 1}" for k, size in enumerate(sizes) for _ in range(size)]
    return lincore.load(frame.assign(label=labels), target="label")


def cut(data: Dataset, method: str, seed: int) -> Found:
    """Cut the last class: the third from 42 training rows to 9, or the fourth from 35 to 8.

    The second, of which some rows are streamed, from 216 to 40.
    """
    last = str(data.classes[-1])
    kept = {"class 2": 40, "class 3": 9, "class 4": 8}[last]
    study = lincore.balance(data, {last: kept}, method, seed=seed)
    for loss in (*LOSSES, f"recall of {last}"):
        split = study.attribution(method, loss)
        for name, part in {**split.parts, "total": split.total, "reduced": split.reduced}.items():
            yield f"{name}, {loss}", part


def recovered(data: Dataset, method: str, seed: int) -> Found:
    """Cut the third class as well, and yield what the remedies recover."""
    study = lincore.balance(data, {"class 3": 9}, method, seed=seed)
    for loss in (*LOSSES, "recall of class 3"):
        for remedy in study.remedies(method, loss):
            yield f"{remedy.name}, {loss}", remedy.recovered


def as_it_is(data: Dataset, method: str, seed: int) -> Found:
    """Take the imbalance of the file as it is."""
    cost = lincore.imbalance_cost(data, method, seed=seed)
    for loss in ("loss", "log loss"):
        split = cost.attribution(method, loss)
        for name, part in {**split.parts, "uncorrected": split.uncorrected}.items():
            yield f"{name}, {loss}", part


DESIGNS = {
    "3 x 60, 42 -> 9": (three, cut),
    "3 x 60, 42 -> 9, remedies": (three, recovered),
    "3 x 60, 10 features, 42 -> 9": (ten_features, cut),
    "1640 : 41": (rare, as_it_is),
    "800 : 80, 1600 : 160 streamed": (streamed, as_it_is),
    "800 : 80, 1600 : 160 streamed, 216 -> 40": (streamed, cut),
    "90, 70, 70, 50, five features, 35 -> 8": (four_spreads, cut),
}
# QDA has no covariance of nine rows in ten directions.
METHODS = dict.fromkeys(DESIGNS, ("lda", "qda", "logistic"))
METHODS["3 x 60, 10 features, 42 -> 9"] = ("lda", "qda(regularization=0.3)", "logistic")
for design in DESIGNS:
    if "streamed" in design:
        METHODS[design] = ("lda",)
METHODS["90, 70, 70, 50, five features, 35 -> 8"] = ("lda", "qda(regularization=0.2)", "logistic")

if __name__ == "__main__":
    main()
