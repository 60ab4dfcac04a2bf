"""Coverage and false alarms of differences between two methods on one test set.

Run ``python benchmarks/coverage.py --differences [--times 1000]`` (half an hour on one core): the
table is written to docs/coverage.md. Evidence for each class is drawn again and again, and two
models see it through noise of their own: as much of it, so that they are of equal worth and every
p-value below 0.05 is a false alarm, or one of them through more. How many rows a class has is
chance, but for classes of two rows. Log posteriors are 1.5 times what a model sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from common import finish, require
from coverage_table import replace_between
from scipy.special import log_softmax

from lincore import Results, metrics
from lincore.metrics import SCORES, Settings

#: Standard deviations of the noise of the two models.
WORTH = {"alike": (0.2, 0.2), "equal": (0.7, 0.7), "one better": (0.3, 1.5)}
#: Rows from which the true difference is counted.
MANY = 400_000
LEAST, MOST, ALARMS = 0.93, 0.985, 0.055
BEGIN, END = "<!-- begin: differences -->", "<!-- end: differences -->"


@dataclass(frozen=True)
class Design:
    """Test sets of so many rows.

    Attributes
    ----------
    n : int
    shares : tuple of float
        Of the classes.
    weights : tuple of float
        Of rows, in turn.
    n_groups : int
        Of equal size; 0 for rows that count for themselves.
    within : float
        Share of a model's noise that the rows of a group have in common.
    tails : float
        Degrees of freedom of the noise and the evidence.
    exact : bool
        Whether every test set has the classes in these shares.
    """

    n: int
    shares: tuple[float, ...]
    weights: tuple[float, ...] = ()
    n_groups: int = 0
    within: float = 0.0
    tails: float = np.inf
    exact: bool = False


DESIGNS = {
    "95/5, 180 rows": Design(180, (0.95, 0.05)),
    "90/10, 150 rows": Design(150, (0.9, 0.1)),
    "50/50, 20 rows": Design(20, (0.5, 0.5)),
    "99/1, 900 rows": Design(900, (0.99, 0.01)),
    "12 classes of two rows": Design(24, (1 / 12,) * 12, exact=True),
    "nine groups of 20 rows": Design(180, (0.5, 0.5), n_groups=9),
    "nine groups, half of the noise in common": Design(180, (0.5, 0.5), n_groups=9, within=0.5),
    "weights 1 and 3, 60/40, 120 rows": Design(120, (0.6, 0.4), weights=(1.0, 3.0)),
    "t with 3 degrees of freedom, 60/40, 200 rows": Design(200, (0.6, 0.4), tails=3.0),
}


class Rates(NamedTuple):
    """Of all scores: how often the interval holds the truth, and how often p is below 0.05."""

    coverage: np.ndarray
    alarms: np.ndarray


def draw(design: Design, noise: tuple[float, float], rng: np.random.Generator) -> Results:
    """Return two models on a test set in which every class has a row."""
    K, n, shares = len(design.shares), design.n, np.array(design.shares)
    counts = np.round(n * shares).astype(int)
    while not design.exact:
        counts = rng.multinomial(n, shares)
        if counts.all():
            break
    truth = rng.permutation(np.repeat(np.arange(K), counts))
    groups = np.arange(n) * design.n_groups // n if design.n_groups else None

    def numbers(*shape: int) -> np.ndarray:
        if np.isinf(design.tails):
            return rng.standard_normal(shape)
        return rng.standard_t(design.tails, shape) / np.sqrt(design.tails / (design.tails - 2))

    evidence = numbers(n, K) + 2.0 * (truth[:, None] == np.arange(K))
    own = numbers(2, n, K)
    if groups is not None and design.within:
        common = numbers(2, design.n_groups, K)[:, groups]
        own = np.sqrt(1 - design.within) * own + np.sqrt(design.within) * common
    seen = evidence + np.array(noise)[:, None, None] * own
    log_proba = log_softmax(1.5 * seen, axis=2)
    weights = np.resize(design.weights, n) if design.weights else None
    return Results(
        ("one", "other"), np.arange(K), np.arange(n), truth, log_proba.argmax(axis=2), log_proba,
        np.zeros(2), settings=Settings(row_groups=groups, row_weights=weights),
    )  # fmt: skip


def true_differences(design: Design, worth: str) -> np.ndarray:
    """Return the differences of all scores in the population."""
    if worth != "one better":
        return np.zeros(len(SCORES))
    every = Design(
        MANY, design.shares, design.weights, design.n_groups * MANY // design.n, design.within,
        design.tails,
    )  # fmt: skip
    results = draw(every, WORTH[worth], np.random.default_rng(1))
    one, other = (
        np.array([metrics.estimate(results, method, name).value for name in SCORES])
        for method in results.methods
    )
    return one - other


def simulate(design: Design, worth: str, times: int) -> Rates:
    """Return the rates over so many test sets."""
    rng = np.random.default_rng([design.n, len(design.shares), design.n_groups, len(worth)])
    truth, found = true_differences(design, worth), []
    for _ in range(times):
        results = draw(design, WORTH[worth], rng)
        pairs = [metrics.pairwise_differences(results, name)[0] for name in SCORES]
        found.append([(pair.low, pair.high, pair.p) for pair in pairs])
    low, high, p = np.moveaxis(np.array(found), 2, 0)
    return Rates(((low <= truth) & (truth <= high)).mean(axis=0), (p < 0.05).mean(axis=0))


def write(times: int, page: Path) -> None:
    """Simulate all designs and write the table; end with an error if a bound is missed."""
    least, most = 1.0, 0.0
    head = f"| test sets | models | {' | '.join(SCORES)} |"
    lines = [head, f"|---|---|{'---|' * len(SCORES)}"]
    for name, design in DESIGNS.items():
        for worth in WORTH:
            rates = simulate(design, worth, times)
            least = min(least, rates.coverage.min())
            most = max(most, 0.0 if worth == "one better" else rates.alarms.max())
            cells = []
            for covered, alarm in zip(*rates, strict=True):
                text = f"{100 * covered:.1f}"
                cells.append(text if LEAST <= covered <= MOST else f"**{text}**")
                if worth != "one better" and alarm > ALARMS:
                    cells[-1] += f" (false alarms {100 * alarm:.1f})"
            lines.append(f"| {name} | {worth} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    error = 100 * np.sqrt(0.95 * 0.05 / times)
    summary = f"{times:,} data sets for each line: a coverage of 95 % is known to ± {error:.1f}."
    replace_between(page, BEGIN, END, "\n".join([summary, "", *lines]))
    require("least coverage", least, at_least=LEAST)
    require("most false alarms", most, at_most=ALARMS)
    finish()
