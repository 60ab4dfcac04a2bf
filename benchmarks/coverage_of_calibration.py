"""How often calibration is judged correctly: band, slope and intercept, where the truth is known.

The posteriors of a population are calibrated, calibrated with dependent rows, of a rare class, or
too extreme.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from benchmarks.coverage_of_net_benefit import POPULATION, posteriors
from lincore import Results, metrics
from lincore.metrics import Settings

#: As in `posteriors`; rows of a group of five have the same posterior, and often the same outcome.
DESIGNS = ("calibrated", "grouped", "rare", "too extreme")
#: Slope of the true log odds on the stated ones.
SLOPES = {"too extreme": 0.5}


class Coverage(NamedTuple):
    """Shares of samples; of those with estimates for slope and intercept."""

    alarms: float
    slope: float
    intercept: float
    too_extreme: float
    n_estimates: int


def coverage(design: str, n_rows: int, n_samples: int) -> Coverage:
    """Return how often the band alarms, the intervals hold the truth, and the slope is below 1."""
    rng = np.random.default_rng(30)
    true, said = posteriors("calibrated" if design == "grouped" else design, rng, POPULATION)
    stated = logit(said.clip(1e-12, 1 - 1e-12))
    large = brentq(lambda intercept: (expit(stated + intercept) - true).mean(), -10, 10)
    slope, counts = SLOPES.get(design, 1.0), np.zeros(5)
    for _ in range(n_samples):
        results = sample(design, rng, n_rows)
        counts[0] += metrics.calibration_curve(results, "model", 1).is_outside.any()
        found = metrics.logistic_recalibration(results, "model", 1)
        if found.reason:
            continue
        counts[1] += found.slope.low <= slope <= found.slope.high
        counts[2] += found.intercept.low <= large <= found.intercept.high
        counts[3] += found.slope.high < 1
        counts[4] += 1
    n = max(counts[4], 1)
    return Coverage(
        counts[0] / n_samples, counts[1] / n, counts[2] / n, counts[3] / n, int(counts[4])
    )


def sample(design: str, rng: np.random.Generator, n_rows: int) -> Results:
    """Return predictions of one test set."""
    settings = Settings()
    if design == "grouped":
        groups = np.arange(n_rows) // 5
        true = posteriors("calibrated", rng, int(groups[-1]) + 1)[0][groups]
        said = true
        together = rng.uniform(size=groups[-1] + 1)[groups]
        drawn = np.where(rng.uniform(size=n_rows) < 0.5, together, rng.uniform(size=n_rows))
        settings = Settings(row_groups=groups)
    else:
        true, said = posteriors(design, rng, n_rows)
        drawn = rng.uniform(size=n_rows)
    truth = (drawn < true).astype(int)
    log_proba = np.log(np.column_stack([1 - said, said]).clip(1e-300))[None]
    return Results(
        ("model",), np.arange(2), np.arange(n_rows), truth, truth[None], log_proba, np.zeros(1),
        settings=settings,
    )  # fmt: skip


def main() -> None:
    """Print a line for each design and number of rows."""
    for design in DESIGNS:
        for n_rows in (50, 100, 300, 1_000):
            found = coverage(design, n_rows, 400)
            print(
                f"{design:12} {n_rows:5} rows: called miscalibrated {found.alarms:.1%}, slope "
                f"holds {found.slope:.1%}, intercept {found.intercept:.1%}, called too extreme "
                f"{found.too_extreme:.1%}, of {found.n_estimates}",
                flush=True,
            )


if __name__ == "__main__":
    main()
