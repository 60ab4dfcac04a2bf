"""How often the band of a decision curve holds the truth at all thresholds at once.

The posteriors of a population are known: calibrated, too extreme, of a rare class, or noise.
"""

from __future__ import annotations

import numpy as np

from lincore import Results, metrics
from lincore.metrics import THRESHOLDS

#: Ends of the true and of the stated posterior by design: (a, b) of a beta distribution.
DESIGNS = ("calibrated", "too extreme", "rare", "noise")
#: Rows that stand for the population.
POPULATION = 100_000


def posteriors(design: str, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the true probability of the class of `n` rows, and what a model says of it."""
    if design == "rare":
        true = rng.beta(0.4, 7.6, n)
        return true, true
    if design == "noise":
        return np.full(n, 0.3), rng.beta(3, 7, n)
    true = rng.beta(0.9, 1.4, n)
    if design == "calibrated":
        return true, true
    odds = (true / (1 - true)) ** 2
    return true, odds / (1 + odds)


def coverage(design: str, n_rows: int, n_samples: int) -> tuple[float, float]:
    """Return the share of samples whose band holds everywhere, and that of false alarms.

    A false alarm calls deciding by the model better than every row and none at a threshold at which
    it is not.
    """
    rng = np.random.default_rng(20)
    true, said = posteriors(design, rng, POPULATION)
    odds = THRESHOLDS / (1 - THRESHOLDS)
    worth = [true - (1 - true) * o for o in odds]
    net = np.array([value[said >= t].sum() for t, value in zip(THRESHOLDS, worth, strict=True)])
    net, every = net / POPULATION, np.mean(worth, axis=1)
    held = alarms = 0
    for _ in range(n_samples):
        true, said = posteriors(design, rng, n_rows)
        truth = (rng.uniform(size=n_rows) < true).astype(int)
        log_proba = np.log(np.column_stack([1 - said, said]).clip(1e-300))[None]
        results = Results(
            ("model",), np.arange(2), np.arange(n_rows), truth, truth[None], log_proba, np.zeros(1)
        )
        found = metrics.decision_curve(results, "model", 1)
        held += bool(
            (found.low <= net).all() and (net <= found.high).all()
            and (found.gain_low <= net - every).all() and (net - every <= found.gain_high).all()
        )  # fmt: skip
        alarms += bool((found.is_useful & (net <= np.maximum(every, 0) + 1e-12)).any())
    return held / n_samples, alarms / n_samples


def main() -> None:
    """Print a line for each design and number of rows."""
    for design in DESIGNS:
        for n_rows in (50, 100, 300, 1_000):
            held, alarms = coverage(design, n_rows, 300)
            print(f"{design:12} {n_rows:5} rows: holds {held:.1%}, false alarms {alarms:.1%}")


if __name__ == "__main__":
    main()
