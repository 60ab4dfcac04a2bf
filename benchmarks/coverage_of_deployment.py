"""Scores under other class shares, scores of grouped rows, and the test of estimated priors.

Run ``python benchmarks/coverage_of_deployment.py [times]`` (1,000: some minutes). Gaussian classes
one or two of which have few rows are scored on one test set: how often the intervals contain the
error, the log loss and the cost in the population, with equal shares in deployment and an error on
the last class that costs ten others. Rows in few groups have a common deviation or none. Priors of
new rows are those of training, and how often the estimate is called different is counted.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np
from common import finish, require

import lincore
from lincore import Results, imbalance, metrics

#: Rows of each class, and how far apart the means are.
COUNTS = (
    ((20, 20), 1.5), ((100, 20), 1.5), ((100, 20), 3.0), ((100, 8), 2.0), ((20, 20, 20), 3.0),
    ((100, 30, 10), 2.0),
)  # fmt: skip
#: Groups, their rows, and the share of the variance that their rows have in common.
GROUPS = ((10, 4, 0.0), (10, 4, 0.7), (20, 5, 0.0), (20, 5, 0.7), (9, 20, 0.0), (9, 20, 0.7))
#: Training rows, new rows, share of the second class, features.
PRIORS = ((60, 60, 0.5, 2), (200, 1000, 0.2, 2), (200, 1000, 0.2, 10), (1000, 1000, 0.1, 4))


def main() -> None:
    """Print coverages and false alarms; fail if one misses its bound."""
    times, rng = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, np.random.default_rng(0)
    for counts, apart in COUNTS:
        report(
            f"{' : '.join(map(str, counts))}, {apart:g} apart",
            deployment(counts, apart, times, rng),
        )
    for n_groups, size, common in GROUPS:
        where = f"{n_groups} groups of {size}, {common:.0%} in common"
        report(where, grouped(n_groups, size, common, times, rng))
    for n, m, share, p in PRIORS:
        rate = float(np.mean(alarms(n, m, share, p, times, rng)))
        where = f"{n:,} training rows, {m:,} new ones, {share:.0%}, {p} features"
        require(f"{where}: unchanged priors called changed", rate, at_most=0.09)
    finish()


def report(where: str, covered: dict[str, list[float]]) -> None:
    """Print the coverage of the intervals that there are, and the share of those without."""
    for what, hits in covered.items():
        known = np.isfinite(hits)
        if known.any():
            rate, none = float(np.mean(np.array(hits)[known])), 1 - known.mean()
            require(f"{where}, {what} (none: {none:.0%})", rate, at_least=0.88)


def covers(interval: metrics.Interval, truth: float) -> float:
    """Return 1.0 if the interval contains the truth, NaN if there is none."""
    return np.nan if np.isnan(interval.low) else float(interval.low <= truth <= interval.high)


def deployment(
    counts: tuple[int, ...], apart: float, times: int, rng: np.random.Generator
) -> dict[str, list[float]]:
    """Score the Bayes rule for the shares of the rows where classes are equally frequent."""
    n_classes = len(counts)
    costs = 1 - np.eye(n_classes)
    costs[-1, :-1] = 10
    means, equal = np.eye(n_classes)[:, 1:] * apart, np.full(n_classes, 1 / n_classes)

    def scores(sizes: tuple[int, ...]) -> dict[str, metrics.Interval]:
        truth = np.repeat(np.arange(n_classes), sizes)
        X = means[truth] + rng.standard_normal((len(truth), n_classes - 1))
        joint = X @ means.T - (means**2).sum(axis=1) / 2 + np.log(np.array(counts) / sum(counts))
        results = results_of(truth, joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
        cheapest = imbalance.minimum_cost_decisions(results, costs)
        return {
            "error": imbalance.error_in_deployment(results, "m", equal),
            "log loss": imbalance.log_loss_in_deployment(results, "m", equal),
            "cost": imbalance.cost_in_deployment(results, "m", equal, costs),
            "least expected cost": imbalance.cost_in_deployment(cheapest, "m", equal, costs),
        }

    truth = {what: interval.value for what, interval in scores((200_000,) * n_classes).items()}
    return tally(lambda: scores(counts), truth, times)


def grouped(
    n_groups: int, size: int, common: float, times: int, rng: np.random.Generator
) -> dict[str, list[float]]:
    """Score a model on rows in groups; half of those with much in common are of each class."""

    def scores(n: int) -> dict[str, metrics.Interval]:
        groups = np.repeat(np.arange(n), size)
        truth = rng.permutation(np.arange(n) % 2)[groups]
        if not common:
            truth = rng.integers(0, 2, len(groups))
        own = rng.standard_normal((2, len(groups)))
        noise = np.sqrt(common) * own[0, :n][groups] + np.sqrt(1 - common) * own[1]
        margin = 2 * (2.0 * truth - 1 + noise)
        results = results_of(truth, -np.logaddexp(0, np.column_stack([margin, -margin])), groups)
        return {name: metrics.score(results, "m", name) for name in metrics.SCORES}

    truth = {what: interval.value for what, interval in scores(20_000).items()}
    return tally(lambda: scores(n_groups), truth, times)


def tally(scores, truth: dict[str, float], times: int) -> dict[str, list[float]]:
    """Return for each score whether its intervals contain the truth."""
    covered = defaultdict(list)
    for _ in range(times):
        for what, interval in scores().items():
            covered[what].append(covers(interval, truth[what]))
    return covered


def results_of(
    truth: np.ndarray, log_proba: np.ndarray, groups: np.ndarray | None = None
) -> Results:
    """Return results of one method on one test set."""
    return Results(
        ("m",), np.arange(log_proba.shape[1]), np.arange(len(truth)), truth,
        log_proba.argmax(axis=1)[None], log_proba[None], np.zeros(1),
        settings=metrics.Settings(row_groups=groups),
    )  # fmt: skip


def alarms(
    n: int, m: int, share: float, p: int, times: int, rng: np.random.Generator
) -> list[bool]:
    """Return whether priors of new rows are called different, which are those of training."""
    found = []
    for _ in range(times):
        codes = (rng.random(n + m) < share).astype(int)
        X = rng.standard_normal((n + m, p))
        X[:, 0] += 1.5 * codes
        model = lincore.LinearDiscriminantAnalysis().fit(X[:n], codes[:n])
        log_proba = model.predict_log_proba(X[n:])
        found.append(metrics.estimate_priors(log_proba, model.priors_, n_train=n).p_value < 0.05)
    return found


if __name__ == "__main__":
    main()
