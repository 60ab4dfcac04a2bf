"""Whether the rows that `rows_needed` states find a difference as often as wanted, where it exists.

Two models of one test set, of which one is better by the region of practical equivalence; a pilot
of some rows says how many are needed, and as many are drawn anew.
``python -m benchmarks.power_of_rows_needed 300`` says how many pilots.
"""

from __future__ import annotations

import sys

import numpy as np

from lincore import Results, metrics

#: Shares of rows that only the better, only the other, and both predict correctly.
DESIGNS = {"alike": (0.06, 0.03, 0.85), "unlike": (0.15, 0.10, 0.65)}


def sample(rng: np.random.Generator, design: str, n_rows: int) -> Results:
    """Return the predictions of both models on a test set of two equal classes."""
    only, other, both = DESIGNS[design]
    truth = np.arange(n_rows) % 2
    kind = rng.choice(4, n_rows, p=[only, other, both, 1 - only - other - both])
    right = np.stack([(kind == 0) | (kind == 2), (kind == 1) | (kind == 2)])
    predicted = np.where(right, truth, 1 - truth)
    silent = np.full((2, n_rows, 2), np.nan)
    rows = np.arange(n_rows)
    return Results(("better", "other"), np.arange(2), rows, truth, predicted, silent, np.zeros(2))


def needed(results: Results, rope: float, power: float) -> float:
    """Return the rows for the difference of the two models."""
    found = results.rows_needed(score="accuracy", rope=rope, power=power).frame()
    return float(found.loc[found["question"] == "difference", "rows needed"].iloc[0])


def main() -> None:
    """Print the share of new test sets in which the better model is found."""
    n_pilots = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print("design   power  pilot rows  rows needed (quartiles)  found")
    for design, (only, other, _) in DESIGNS.items():
        for power in (0.8, 0.9):
            for n_pilot in (100, 300, 1000):
                rng, sizes, found = np.random.default_rng(10), [], []
                for _ in range(n_pilots):
                    n = needed(sample(rng, design, n_pilot), only - other, power)
                    if np.isfinite(n):
                        sizes.append(n)
                        new = sample(rng, design, int(np.ceil(n)))
                        (one,) = metrics.pairwise_differences(new, "accuracy")
                        found.append(one.p < 0.05 and one.value > 0)
                ends = np.quantile(sizes, [0.25, 0.5, 0.75]).round().astype(int)
                print(
                    f"{design:<9}{power:>5.0%}{n_pilot:>12,}   {' '.join(f'{e:>7,}' for e in ends)}"
                    f"{np.mean(found):>9.1%}"
                )


if __name__ == "__main__":
    main()
