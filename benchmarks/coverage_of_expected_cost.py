"""How often the interval of the expected cost per row holds the truth, at a given threshold.

The posteriors of a population are known, as in `coverage_of_net_benefit`. The threshold is that of
the costs; or it is the one that costs least on the same test rows, which is optimistic.
"""

from __future__ import annotations

import numpy as np

from benchmarks.coverage_of_net_benefit import DESIGNS, POPULATION, posteriors
from lincore import Results, metrics

#: Cost of a miss in false alarms.
RATIOS = (1.0, 4.0, 20.0)
_GRID = np.arange(1, 100) / 100


def coverage(
    design: str, ratio: float, n_rows: int, n_samples: int, *, chosen_here: bool = False
) -> tuple[float, float]:
    """Return the share of intervals that hold the truth, and the bias relative to it.

    Samples with too few rows of a class have no interval.
    """
    rng = np.random.default_rng(39)
    true, said = posteriors(design, rng, POPULATION)
    costs = np.array(metrics.cost_table(1, ratio))

    def truly(threshold: float) -> float:
        taken = said >= threshold
        return float(np.where(taken, 1 - true, ratio * true).mean())

    own, held, n_intervals, bias = 1 / (1 + ratio), 0, 0, 0.0
    known = {threshold: truly(threshold) for threshold in (own, *_GRID)}
    for _ in range(n_samples):
        chances, stated = posteriors(design, rng, n_rows)
        truth = (rng.uniform(size=n_rows) < chances).astype(int)
        threshold = own
        if chosen_here:
            paid = [np.where(stated >= t, 1 - truth, ratio * truth).mean() for t in _GRID]
            threshold = float(_GRID[np.argmin(paid)])
        log_proba = np.log(np.column_stack([1 - stated, stated]).clip(1e-300))[None]
        results = Results(
            ("model",), np.arange(2), np.arange(n_rows), truth, truth[None], log_proba, np.zeros(1)
        )
        decided = metrics.at_operating_point(results, "model", metrics.OperatingPoint(threshold, 1))
        value, low, high = metrics.expected_cost(decided, "model", costs)
        n_intervals += low == low
        held += bool(low <= known[threshold] <= high)
        bias += value / known[threshold] - 1
    return held / max(n_intervals, 1), bias / n_samples


def coverage_of_three(n_rows: int, n_samples: int) -> float:
    """Return the share of intervals that hold the truth for three classes with unequal costs."""
    rng = np.random.default_rng(40)
    costs = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [10.0, 4.0, 0.0]])
    shape = (1.2, 0.8, 0.4)
    proba = rng.dirichlet(shape, POPULATION)
    least = float((proba @ costs).min(axis=1).mean())
    point = metrics.OperatingPoint(costs=tuple(map(tuple, costs.tolist())))
    held = n_intervals = 0
    for _ in range(n_samples):
        proba = rng.dirichlet(shape, n_rows).clip(1e-300)
        truth = (rng.uniform(size=(n_rows, 1)) > proba.cumsum(axis=1)[:, :2]).sum(axis=1)
        results = Results(
            ("model",), np.arange(3), np.arange(n_rows), truth, truth[None], np.log(proba)[None],
            np.zeros(1),
        )  # fmt: skip
        decided = metrics.at_operating_point(results, "model", point)
        _, low, high = metrics.expected_cost(decided, "model", costs)
        n_intervals += low == low
        held += bool(low <= least <= high)
    return held / max(n_intervals, 1)


def main() -> None:
    """Print a line for each design, cost ratio and number of rows."""
    for design in DESIGNS:
        for ratio in RATIOS:
            for n_rows in (50, 100, 300, 1_000):
                held, _ = coverage(design, ratio, n_rows, 1_000)
                same, bias = coverage(design, ratio, n_rows, 1_000, chosen_here=True)
                print(
                    f"{design:12} miss {ratio:4g}, {n_rows:5} rows: holds {held:.1%}; "
                    f"threshold of least cost on these rows: {same:.1%}, bias {bias:+.1%}"
                )
    for n_rows in (100, 300, 1_000):
        print(f"three classes, {n_rows:5} rows: holds {coverage_of_three(n_rows, 1_000):.1%}")


if __name__ == "__main__":
    main()
