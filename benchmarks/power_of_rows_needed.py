"""Whether the rows that `rows_needed` states find a difference, or narrow an interval, as promised.

Two models of one test set, of which one is better by the region of practical equivalence; a pilot
of some rows says how many are needed, and as many are drawn anew. Then one model with a given
recall of each class, and the width of the intervals of its scores on as many new rows as stated.
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


def with_posteriors(rng: np.random.Generator, share: float, n_rows: int) -> Results:
    """Return two models with posteriors, decided as if both classes were equally frequent."""
    truth = (rng.random(n_rows) < share).astype(int)
    truth[:2] = 0, 1
    common, log_odds = rng.normal(size=n_rows), []
    for slope in (2.0, 1.6):
        noise = np.sqrt(0.8) * common + np.sqrt(0.2) * rng.normal(size=n_rows)
        log_odds.append(slope * (slope * (truth - 0.5) + noise))
    odds = np.array(log_odds)
    shifted = odds + np.log(share / (1 - share))
    log_proba = -np.logaddexp(0, np.stack([shifted, -shifted], axis=-1))
    predicted, rows = (odds > 0).astype(int), np.arange(n_rows)
    return Results(
        ("better", "other"), np.arange(2), rows, truth, predicted, log_proba, np.zeros(2)
    )


def power_of(score: str, share: float, n_pilot: int, n_pilots: int) -> tuple[float, float]:
    """Return the median of the rows stated for 80 % power, and the share of differences found."""
    rng = np.random.default_rng(12)
    large = with_posteriors(rng, share, 400_000)
    first, second = (metrics.score(large, name, score).value for name in large.methods)
    sizes, found = [], []
    for _ in range(n_pilots):
        n = needed(with_posteriors(rng, share, n_pilot), abs(first - second), 0.8, score)
        if np.isfinite(n):
            sizes.append(n)
            (one,) = metrics.pairwise_differences(
                with_posteriors(rng, share, int(np.ceil(n))), score
            )
            found.append(one.p < 0.05 and one.value * (first - second) > 0)
    return float(np.median(sizes)), float(np.mean(found))


def print_power_by_score(n_pilots: int) -> None:
    """Print the power for other scores and rarer classes, where 80 % is wanted."""
    print("score              second class  pilot rows    rows  found")
    for score in ("accuracy", "balanced accuracy", "AUC", "log loss"):
        for share, n_pilot in ((0.5, 100), (0.5, 300), (0.1, 300), (0.03, 1000)):
            rows, found = power_of(score, share, n_pilot, n_pilots)
            print(f"{score:<18}{share:>9.0%}{n_pilot:>15,}{rows:>10,.0f}{found:>7.0%}")


def needed(results: Results, rope: float, power: float, score: str = "accuracy") -> float:
    """Return the rows for the difference of the two models."""
    found = results.rows_needed(score=score, rope=rope, power=power).frame()
    return float(found.loc[found["question"] == "difference", "rows needed"].iloc[0])


#: Share of the second class, recalls of both, pilot rows, and the wanted half-width.
WIDTHS = (
    (0.5, (0.9, 0.8), 100, 0.02),
    (0.5, (0.99, 0.98), 100, 0.02),
    (0.2, (0.99, 0.95), 300, 0.02),
    (0.1, (0.9, 0.7), 100, 0.05),
    (0.1, (0.9, 0.7), 300, 0.05),
    (0.03, (0.95, 0.6), 300, 0.05),
    (0.03, (0.95, 0.6), 1000, 0.05),
)


def one_model(
    rng: np.random.Generator, share: float, recalls: tuple[float, float], n_rows: int
) -> Results:
    """Return the predictions of one model on a test set with a share of the second class."""
    truth = (rng.random(n_rows) < share).astype(int)
    truth[:2] = 0, 1
    predicted = np.where(rng.random(n_rows) < np.asarray(recalls)[truth], truth, 1 - truth)
    silent, rows = np.full((1, n_rows, 2), np.nan), np.arange(n_rows)
    return Results(("model",), np.arange(2), rows, truth, predicted[None], silent, np.zeros(1))


def widths(
    rng: np.random.Generator,
    design: tuple[float, tuple[float, float], int, float],
    score: str,
    n_pilots: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows stated for a score, and the widths with as many new rows, over the wanted."""
    share, recalls, n_pilot, half = design
    stated, reached = [], []
    for _ in range(n_pilots):
        pilot = one_model(rng, share, recalls, n_pilot)
        deciding = "accuracy" if score == "recall" else score
        lines = pilot.rows_needed(score=deciding, half_width=half).frame()
        n = float(lines["rows needed"].iloc[1 if score == "recall" else 0])
        if not np.isfinite(n):
            continue
        new = one_model(rng, share, recalls, max(int(np.ceil(n)), 2))
        if score == "recall":
            low, high = metrics.score_table(new, ["recall"])[["low", "high"]].iloc[1]
        else:
            _, low, high = metrics.score(new, "model", score)
        stated.append(n)
        reached.append((high - low) / 2 / half)
    return np.array(stated), np.array(reached)


def print_widths(n_pilots: int) -> None:
    """Print the widths of the intervals over the wanted ones: quantiles of 10, 50 and 90 %."""
    print("second class  recalls     pilot    ±    score              rows  width / wanted")
    for design in WIDTHS:
        for score in ("accuracy", "balanced accuracy", "recall"):
            rng = np.random.default_rng(11)
            stated, reached = widths(rng, design, score, n_pilots)
            share, (first, second), n_pilot, half = design
            if len(stated):
                ends = " ".join(f"{e:.2f}" for e in np.nanquantile(reached, [0.1, 0.5, 0.9]))
                print(
                    f"{share:>8.0%}     {first:.2f} {second:.2f}{n_pilot:>8,}{half:>7.2f}  "
                    f"{score:<18}{np.median(stated):>7,.0f}  {ends}"
                )


def main() -> None:
    """Print the share of new test sets in which the better model is found, and the widths."""
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
    print_power_by_score(n_pilots)
    print_widths(n_pilots)


if __name__ == "__main__":
    main()
