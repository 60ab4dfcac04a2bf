"""Coverage of the 95 % intervals of scores, and of differences: a grid of simulations.

Run ``python benchmarks/coverage.py CACHE`` (hours; ``--times 400`` data sets a cell). CACHE is a
folder: what was simulated stays there, and a run that was stopped goes on. Every cell gets some
data sets before any gets more, and the table is written to docs/coverage.md after each such round.
The truth is that named in `lincore.metrics.scores.score`: the fitted model's own score on one
test set, and over folds the mean score of models that learn from as many rows. How many rows of a
class there are is chance in every data set.
"""

from __future__ import annotations

import argparse
import os
from functools import partial
from itertools import product
from pathlib import Path

from lincore import metrics

os.environ.setdefault("OMP_NUM_THREADS", "1")  # products of a few rows

import coverage_of_differences
import numpy as np
from coverage_designs import (
    DESIGNS,
    FEWEST,
    METHODS,
    draw,
    log_posteriors,
    logistic_weights,
    sample,
    standardised,
)
from coverage_table import PAGE, write

from lincore import Results
from lincore.data import Fold
from lincore.metrics import SCORES, Settings, training_variance_rows

SIZES = (100, 300, 1000)
#: Repetitions and folds of what is planned together, and the schemes that are read from it.
PLANS = {
    (1, 1): {"hold-out": 1},
    (5, 5): {"5-fold": 1, "5×5": 5},
    (10, 10): {"10-fold": 1, "10×10": 10},
    (1, 0): {"leave-one-out": 1},
}
#: Leave-one-out has as many models as rows: this is the largest size it is simulated with.
MOST_ALONE = 100
#: Data sets of a cell that are drawn before the next cell has its turn.
BATCH = 40
TEST_SHARE = 0.3
#: Rows of each class that a model's true scores are counted on, and that a few models are asked
#: for besides, to see what the choice of the former does to all models alike.
MANY, MORE = 3000, 100_000


def main() -> None:
    """Simulate what is not yet in the cache, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path, nargs="?")
    parser.add_argument("--times", type=int, default=400)
    parser.add_argument("--differences", action="store_true", help="of two methods instead")
    parser.add_argument("--only", default="", help="part of the names of the cells to simulate")
    chosen = parser.parse_args()
    if chosen.differences:
        coverage_of_differences.write(chosen.times, PAGE)
        return
    if chosen.cache is None:
        parser.error("CACHE is missing")
    chosen.cache.mkdir(parents=True, exist_ok=True)
    for times in range(BATCH, chosen.times + 1, BATCH):
        for size, design, method in product(SIZES, DESIGNS, METHODS):
            name = f"{design.replace('/', '-')} {size} {method}"
            path = chosen.cache / f"{name}.npz"
            if chosen.only not in name:
                continue
            known = dict(np.load(path)) if path.exists() else {"times": np.array(0)}
            if known["times"] < times:
                done = int(known["times"])
                found = with_more(known, simulate(design, size, method, done))
                found = with_truth(found, design, size, method)
                fresh = path.with_suffix(".part.npz")  # a stopped run leaves no broken file
                np.savez_compressed(fresh, **found)
                fresh.replace(path)
                print(name, times, flush=True)
        write(chosen.cache, DESIGNS, SIZES, METHODS)


def with_more(known: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Add a batch to what is known of a cell."""
    every = {
        name: np.concatenate([known[name], found[name]]) if name in known else found[name]
        for name in found
    }
    return {**known, **every, "times": known["times"] + BATCH}


def with_truth(
    known: dict[str, np.ndarray], design: str, n: int, method: str
) -> dict[str, np.ndarray]:
    """Say what is true of all data sets of a cell that are known."""
    if "error" not in known:
        known = {**known, "error": error_of_rates(design, n, method)}
    shares, truths = np.array(DESIGNS[design]), {}
    for name in [name for name in known if name.endswith(" rates")]:
        scheme, rates = name.removesuffix(" rates"), known[name] - known["error"]
        over = rates if scheme == "hold-out" else rates.mean(axis=0, keepdims=True)
        truths[f"{scheme} truth"] = np.array([true_scores(one, shares) for one in over])
    return {**known, **truths}


def error_of_rates(design: str, n: int, method: str, models: int = 6) -> np.ndarray:
    """Return by how much rates are wrong, mean of a few models, as they are of MANY rows alone."""
    shares, rng, found = DESIGNS[design], np.random.default_rng(11), []
    while len(found) < models:
        X, codes = sample(n, shares, rng)
        if np.bincount(codes, minlength=len(shares)).min() >= FEWEST[method]:
            model, asked = METHODS[method](X, codes, len(shares)), []
            for each, seed in ((MANY, 7), (MORE, 8)):
                truth = np.repeat(np.arange(len(shares)), each)
                rows = draw(truth, np.random.default_rng(seed))
                asked.append(true_rates(log_posteriors(model, rows), truth, np.array(shares)))
            found.append(asked[0] - asked[1])
    return np.mean(found, axis=0)


def simulate(design: str, n: int, method: str, done: int) -> dict[str, np.ndarray]:
    """Return a batch: for each scheme intervals (times, scores, 3) and rates of the models' truth.

    Data sets on which the method cannot be fitted are left out.
    """
    rng = np.random.default_rng([n, list(DESIGNS).index(design), list(METHODS).index(method), done])
    shares, found = DESIGNS[design], {}
    population = np.repeat(np.arange(len(shares)), MANY)
    many = draw(population, np.random.default_rng(7))
    for _ in range(BATCH):
        X, codes = sample(n, shares, rng)
        for plan, schemes in PLANS.items():
            if plan == (1, 0) and n > MOST_ALONE:
                continue
            fitted = fit_plan(X, codes, len(shares), method, dealt(codes, plan, rng), many)
            if fitted is None:
                continue
            every, posteriors = fitted
            worth = true_rates(posteriors, population, np.array(shares))
            for scheme, repetitions in schemes.items():
                results = first(every, repetitions)
                ends = [metrics.score(results, method, name) for name in SCORES]
                found.setdefault(scheme, []).append((ends, worth))
    return {
        f"{scheme} {kind}": np.array([line[place] for line in lines], dtype=np.float32)
        for scheme, lines in found.items()
        for place, kind in enumerate(("intervals", "rates"))
    }


def dealt(codes: np.ndarray, plan: tuple[int, int], rng: np.random.Generator) -> list[Fold]:
    """Deal the rows of each class evenly over the folds, or put some of each aside."""
    (repetitions, k), found = plan, []
    k = k or len(codes)
    for repetition in range(repetitions):
        order = rng.permutation(len(codes))
        order = order[np.argsort(codes[order], kind="stable")]
        fold = np.empty(len(codes), dtype=np.intp)
        if k == 1:
            place = np.arange(len(codes)) - np.searchsorted(codes[order], codes[order])
            fold[order] = place >= np.round(TEST_SHARE * np.bincount(codes))[codes[order]]
        else:
            fold[order] = np.arange(len(codes)) % k
        found += [
            Fold(repetition, j, np.flatnonzero(fold != j), np.flatnonzero(fold == j))
            for j in range(k)
        ]
    return found


def fit_plan(
    X: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    method: str,
    plan: list[Fold],
    many: np.ndarray,
) -> tuple[Results, np.ndarray] | None:
    """Return results and the first model's log posteriors of many rows; None if it has too few."""
    few = (np.bincount(codes[fold.train], minlength=n_classes).min() for fold in plan)
    if min(few) < FEWEST[method]:
        return None
    fit = METHODS[method]
    if method == "logistic":  # near the end of the way, for every fold
        fit = partial(fit, start=logistic_weights(standardised(X), codes, n_classes))
    common = training_variance_rows(codes, plan, n_classes)
    tested, compared, posteriors = [], [], None
    for place, fold in enumerate(plan):
        model = fit(X[fold.train], codes[fold.train], n_classes)
        tested.append(log_posteriors(model, X[fold.test]))
        if place in common.folds:
            compared.append(log_posteriors(model, X[common.rows]))
        if posteriors is None:
            posteriors = log_posteriors(model, many)
    assert posteriors is not None
    results = collected(method, codes, plan, [fold.test for fold in plan], tested)
    if compared:
        kept = [plan[place] for place in common.folds]
        asked = collected(method, codes, kept, [common.rows] * len(kept), compared)
        object.__setattr__(results, "common", asked)
    return results, posteriors


def collected(
    method: str,
    codes: np.ndarray,
    plan: list[Fold],
    rows: list[np.ndarray],
    found: list[np.ndarray],
) -> Results:
    """Put predictions of folds together."""
    every, sizes = np.concatenate(rows), [len(part) for part in rows]
    log_proba = np.concatenate(found)[None]
    return Results(
        (method,), np.arange(log_proba.shape[2]), every, codes[every], log_proba.argmax(axis=2),
        log_proba, np.zeros(1), np.repeat([fold.fold for fold in plan], sizes),
        np.repeat([fold.repetition for fold in plan], sizes),
        np.repeat([len(fold.train) for fold in plan], sizes),
        Settings(class_counts=np.bincount(codes, minlength=log_proba.shape[2])),
    )  # fmt: skip


def first(results: Results, repetitions: int) -> Results:
    """Return results of the first repetitions alone."""
    inside = results.repetition < repetitions
    found = Results(
        results.methods, results.classes, results.rows[inside], results.truth[inside],
        results.predicted[:, inside], results.log_proba[:, inside], results.seconds,
        results.fold[inside], results.repetition[inside], results.n_train[inside],
        results.settings,
    )  # fmt: skip
    if results.common is not None:
        object.__setattr__(found, "common", first(results.common, repetitions))
    return found


def true_rates(log_proba: np.ndarray, codes: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return what each class is predicted as (K, K), its log loss, Brier and area, in one line."""
    n_classes, rows = len(shares), np.arange(len(codes))
    each = len(codes) // n_classes
    cells = np.bincount(codes * n_classes + log_proba.argmax(axis=1), minlength=n_classes**2)
    squares = ((np.exp(log_proba) - np.eye(n_classes)[codes]) ** 2).sum(axis=1)
    losses = np.stack([-log_proba[rows, codes], squares / (2 if n_classes == 2 else 1)])
    by_class = losses.reshape(2, n_classes, each).mean(axis=2)
    areas = [area(log_proba[:, k].reshape(n_classes, each), k, shares) for k in range(n_classes)]
    return np.concatenate([cells / each, by_class.ravel(), areas])


def area(ranked: np.ndarray, k: int, shares: np.ndarray) -> float:
    """Return how often a row of a class is ranked above a row of the others, (K, each) scores."""
    own, total = np.sort(ranked[k]), 0.0
    for j in np.delete(np.arange(len(shares)), k):
        below = np.searchsorted(own, ranked[j], "left") + np.searchsorted(own, ranked[j], "right")
        total += shares[j] / (1 - shares[k]) * (1 - below.mean() / 2 / ranked.shape[1])
    return total


def true_scores(rates: np.ndarray, shares: np.ndarray) -> list[float]:
    """Return every score of a population, from the rates of its classes."""
    K = len(shares)
    counts = shares[:, None] * rates[: K * K].reshape(K, K)
    logs, squares, areas = rates[K * K :].reshape(3, K)
    right, predicted = counts.diagonal(), counts.sum(axis=0)
    above = right.sum() - predicted @ shares
    known = {
        "accuracy": right.sum(),
        "balanced accuracy": (right / shares).mean(),
        "macro F1": np.mean(2 * right / (predicted + shares)),
        "MCC": above / np.sqrt(max((1 - predicted @ predicted) * (1 - shares @ shares), 1e-12)),
        "log loss": shares @ logs,
        "Brier": shares @ squares,
        "AUC": areas.mean(),
    }
    return [float(known[name]) for name in SCORES]


if __name__ == "__main__":
    main()
