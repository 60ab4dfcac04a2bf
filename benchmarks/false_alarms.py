"""False alarm rates of the tests and coverage of the intervals, simulated.

Run ``python benchmarks/false_alarms.py`` (four minutes). On one test set three methods of exactly
equal worth are drawn again and again; over folds, discriminants on two exchangeable sets of
features are fitted again and again, and what they reach on average is known in closed form.
Coverage is that of the truth named in `lincore.metrics.scores.score`. Models of the folds are
asked about common rows, as `benchmarks/coverage.py` does, only where features have heavy tails.
Seven methods are fitted to labels that features say nothing of: how much the best of them, and its
score corrected for the choice, exceed the truth, which is 50 %. The largest association of features
with such labels is tested as the page Explore does. Errors are compared by parts of columns on
which they do not depend. Labels of noise are permuted over folds.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
from common import finish, require
from scipy.special import expit, log_softmax, ndtr

import lincore
from lincore import Results, checks, inspection, metrics

COVERS = {"at_least": 0.92, "at_most": 0.98}
FALSE_ALARMS = 0.06
#: 5.5 % and two standard errors of 400 data sets, rounded.
UNDER_HEAVY_TAILS = 0.08
SHARES = np.array([0.5, 0.3, 0.2])
Tallies = dict[str, list[float]]
#: Data sets of noise (half of the rows of each class by chance): rows, scheme, and how many.
NOISE = (
    (120, "holdout", 300), (400, "holdout", 300), (60, "5-fold", 200), (200, "10-fold", 150),
)  # fmt: skip
SEVEN = (
    "lda", "qda", "diagonal-lda", "naive-bayes", "lda(shrinkage=0.8)", "qda(shrinkage=0.8)",
    "fisher",
)  # fmt: skip
#: In points, and as a share: what the corrected score of the best may exceed the truth by, give or
#: take twice the standard error, and how often its interval may lie above the truth.
EXCESS, MISSED_ABOVE = 1.0, 0.035


def main() -> None:
    """Print the figures; end with an error if a bound is missed."""
    for m, times in ((100, 800), (400, 500)):
        report(f"one test set of {m}", one_test_set(m, times))
    for n, scheme, times in (
        (100, (5, 1), 1200),
        (100, (10, 1), 1200),
        (100, (10, 10), 400),
        (300, (10, 1), 1000),
        (60, (60, 1), 500),
    ):
        k, r = scheme
        name = "leave-one-out" if k == n else f"{r}x{k}-fold" if r > 1 else f"{k}-fold"
        report(f"{name} of {n}", over_folds(n, k, r, times))
    report("10x10-fold of 100, features with heavy tails", heavy_tails(100, 400), UNDER_HEAVY_TAILS)
    report("one test set of 100, five of six models alike", alike(100, 2000))
    for n, scheme, times in NOISE:
        best_on_noise(n, scheme, times)
    for n, n_classes, scheme in (
        (40, 2, "5-fold"), (60, 3, "5-fold"), (200, 2, "5-fold"), (40, 2, "5x5-fold"),
    ):  # fmt: skip
        where = f"permuted labels of {n} rows in {n_classes} classes, {scheme}"
        report(where, permuted_labels(n, n_classes, scheme, 300), FALSE_ALARMS + 0.015)
    for n, p, n_classes in ((50, 5, 2), (200, 60, 4)):
        where = f"{p} features of {n} rows in {n_classes} classes"
        report(where, largest_of_noise(n, p, n_classes, 1000), FALSE_ALARMS + 0.007)
    report("errors by part of five columns, 300 rows", errors_by_part(300, 1000))
    finish()


def errors_by_part(n: int, times: int) -> Tallies:
    """Test parts of columns of noise where one feature errs for 20 % of the rows at random."""
    found: Tallies = defaultdict(list)
    for seed in range(times):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=n)
        signs = np.where(rng.uniform(size=n) < 0.8, y, 1 - y)
        data = lincore.load((np.column_stack([signs, rng.normal(size=(n, 4))]), y))
        parts = checks.error_slices(lincore.fit(data, "lda", lincore.split(data, seed=seed)))
        found["false alarms"].append(any(one.p_holm < 0.05 for one in parts))
    return found


def permuted_labels(n: int, n_classes: int, scheme: str, times: int) -> Tallies:
    """Test the accuracy of LDA on four features of noise by permutation of the labels."""
    found: Tallies = defaultdict(list)
    for seed in range(times):
        X = np.random.default_rng([seed, 7]).standard_normal((n, 4))
        results = lincore.compare((X, np.arange(n) % n_classes), "lda", scheme, seed=seed)
        p = metrics.permutation_p(results, "lda", "accuracy")
        found["false alarms of the permutation test"].append(p < 0.05)
    return found


def report(where: str, found: Tallies, most: float = FALSE_ALARMS) -> None:
    """Hold every rate against its bound."""
    for what, hits in found.items():
        rate = float(np.mean(hits))
        if what.startswith("false alarms"):
            require(f"{where}, {what}", rate, at_most=most)
        else:
            require(f"{where}, coverage of the interval of {what}", rate, **COVERS)


def heavy_tails(n: int, times: int) -> Tallies:
    """Cross-validate two discriminants ten times ten-fold on features that are t with 3 degrees."""
    rng, found = np.random.default_rng(n), defaultdict(list)
    for _ in range(times):
        alarms(cross_validated(n, 10, 10, rng, tails=3.0)[0], found)
    return found


def largest_of_noise(n: int, p: int, n_classes: int, times: int) -> Tallies:
    """Test the largest association of features, correlated by threes, with labels drawn at random.

    One feature in four has few values, one value in twenty is missing.
    """
    rng, found = np.random.default_rng([n, p]), defaultdict(list)
    for _ in range(times):
        X = rng.normal(size=(n, p)) + np.repeat(rng.normal(size=(n, -(-p // 3))), 3, axis=1)[:, :p]
        X[:, ::4] = np.round(X[:, ::4])
        X[rng.random(X.shape) < 0.05] = np.nan
        data = lincore.load((X, rng.integers(0, n_classes, n)))
        first = inspection.associations(data)[0].column
        alarm = inspection.largest_association_test(data, first).p < 0.05
        found["false alarms of the largest association"].append(alarm)
    return found


def alike(m: int, times: int) -> Tallies:
    """Draw hits of five models that differ in one row of fifty, and of one by itself."""
    rng, truth, found = np.random.default_rng(m), np.arange(m) % 2, defaultdict(list)
    for _ in range(times):
        right = np.repeat(rng.random((1, m)) < 0.7, 6, axis=0)
        right[1:5] ^= rng.random((4, m)) < 0.02
        right[5] = rng.random(m) < 0.7
        results = Results(
            tuple("ABCDEF"), np.arange(2), np.arange(m), truth, np.where(right, truth, 1 - truth),
            np.full((6, m, 2), np.nan), np.zeros(6),
        )  # fmt: skip
        found["false alarms of Cochran's Q"].append(metrics.cochran_test(results).p < 0.05)
    return found


def best_on_noise(n: int, scheme: str, times: int) -> None:
    """Hold what the best of seven methods exceeds the truth by against its bound."""
    rng = np.random.default_rng([n, 2, 0])
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for _ in range(times):
        X, y = rng.normal(size=(n, 6)), rng.integers(0, 2, n)
        seed = int(rng.integers(1e6))
        results = lincore.compare(lincore.load((X, y)), SEVEN, scheme, seed=seed)
        for name in ("accuracy", "balanced accuracy"):
            best = metrics.best_score(results, name)
            excess = [100 * (of.value - 0.5) for of in (best.raw, best.corrected)]
            missed = [float(of.low > 0.5) for of in (best.raw, best.corrected)]
            found[name].append((*excess, *missed))
    for name, values in found.items():
        raw, corrected, missed_raw, missed = np.mean(values, axis=0)
        where = f"best of seven on noise, {scheme} of {n}, {name}"
        print(f"{where}: raw {raw:.1f} points too good, {missed_raw:.1%} of intervals above")
        error = 2 * np.std(values, axis=0)[1] / np.sqrt(times)
        require(f"{where}, corrected, excess", corrected, at_most=EXCESS + error)
        error = 2 * np.sqrt(MISSED_ABOVE * (1 - MISSED_ABOVE) / times)
        require(f"{where}, corrected, intervals above", missed, at_most=MISSED_ABOVE + error)


def one_test_set(m: int, times: int) -> Tallies:
    """Draw test sets of m rows for three models of equal worth."""
    truth = judge(draw(200_000, 1, np.random.default_rng(0)))
    rng, found = np.random.default_rng(m), defaultdict(list)
    for _ in range(times):
        results = draw(m, 3, rng)
        for method in results.methods:
            for what, interval in intervals(results, method).items():
                found[what].append(interval.low <= truth[what] <= interval.high)
        alarms(results, found)
        found["false alarms of Cochran's Q"].append(metrics.cochran_test(results).p < 0.05)
    return found


def draw(m: int, n_methods: int, rng: np.random.Generator) -> Results:
    """Return results of exchangeable models: the same evidence, each with noise of its own."""
    truth = rng.choice(3, m, p=SHARES)
    signal = rng.standard_normal((m, 3)) + 2.0 * (truth[:, None] == np.arange(3))
    noisy = signal + 0.7 * rng.standard_normal((n_methods, m, 3))
    log_proba = log_softmax(1.5 * noisy, axis=2)
    methods = tuple(f"model {i}" for i in range(n_methods))
    predicted = log_proba.argmax(axis=2)
    return Results(
        methods, np.arange(3), np.arange(m), truth, predicted, log_proba, np.zeros(n_methods)
    )


def intervals(results: Results, method: str) -> dict[str, metrics.Interval]:
    """Return the intervals of every score and of the recall of the first class."""
    found = {name: metrics.score(results, method, name) for name in metrics.SCORES}
    return found | {"recall": metrics.recall(results, method)[0]}


def judge(results: Results) -> dict[str, float]:
    """Return the truth that very many rows tell."""
    method = results.methods[0]
    truth = {name: metrics.estimate(results, method, name).value for name in metrics.SCORES}
    return truth | {"recall": metrics.recall(results, method)[0].value}


def alarms(results: Results, found: Tallies) -> None:
    """Note where methods of equal worth are distinguished: pair by pair, and by Holm at all."""
    for name in metrics.SCORES:
        pairs = metrics.pairwise_differences(results, name, rope=0.0)
        found[f"false alarms in {name}, one pair"].extend(pair.p < 0.05 for pair in pairs)
        if len(pairs) > 1:
            any_better = any(pair.better is not None for pair in pairs)
            found[f"false alarms in {name}, any of {len(pairs)} pairs"].append(any_better)


def over_folds(n: int, k: int, r: int, times: int) -> Tallies:
    """Cross-validate two discriminants of equal expected worth, on sets of features each."""
    rng, estimates, truths = np.random.default_rng(n + k), [], []
    found: Tallies = defaultdict(list)
    for _ in range(times):
        results, fits = cross_validated(n, k, r, rng)
        truths += fits
        estimates += [intervals(results, method) for method in results.methods]
        alarms(results, found)
    truth = expected(np.mean(truths, axis=0))
    for interval in estimates:
        for what, value in truth.items():
            found[what].append(interval[what].low <= value <= interval[what].high)
    return found


DISTANCE, N_FEATURES, SHARE = 1.7, 4, 0.4


def cross_validated(
    n: int, k: int, r: int, rng: np.random.Generator, tails: float = np.inf
) -> tuple[Results, list[tuple[float, ...]]]:
    """Return results over folds, and for each fit its true recalls, log losses and area."""
    truth = (rng.random(n) < SHARE).astype(np.intp)
    halves = rng.standard_normal((2, n, N_FEATURES))
    if np.isfinite(tails):
        halves = rng.standard_t(tails, halves.shape)
    halves[:, truth == 1, 0] += DISTANCE
    folds = np.concatenate([assign(truth, k, rng) for _ in range(r)])
    repetition, rows = np.repeat(np.arange(r), n), np.tile(np.arange(n), r)
    margin, fits, every = np.empty((2, n * r)), [], np.empty((2, k * r, n))
    for cell in np.unique(repetition * k + folds):
        tested = repetition * k + folds == cell
        train = np.ones(n, dtype=bool)
        train[rows[tested]] = False
        for i, X in enumerate(halves):
            w, b = discriminant(X[train], truth[train])
            every[i, cell] = X @ w + b
            margin[i, tested] = every[i, cell, rows[tested]]
            fits.append(worth(w, b))
    n_train = n - np.bincount(folds)[folds] // r
    results = judged(truth, rows, margin, folds, repetition, n_train)
    if np.isfinite(tails):
        cells = np.repeat(np.arange(k * r), n)
        asked = judged(
            truth, np.tile(np.arange(n), k * r), every.reshape(2, -1), cells % k, cells // k,
            np.full(len(cells), n - n // k),
        )  # fmt: skip
        results = replace(results, common=asked)
    return results, fits


def judged(
    truth: np.ndarray,
    rows: np.ndarray,
    margin: np.ndarray,
    folds: np.ndarray,
    repetition: np.ndarray,
    n_train: np.ndarray,
) -> Results:
    """Return results from the margins (2, m) of two models."""
    log_proba = log_softmax(np.stack([np.zeros_like(margin), margin], axis=2), axis=2)
    return Results(
        ("one half", "other half"), np.arange(2), rows, truth[rows], (margin > 0).astype(np.intp),
        log_proba, np.zeros(2), folds, repetition, n_train,
    )  # fmt: skip


def assign(truth: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Return stratified folds."""
    order = rng.permutation(len(truth))
    order = order[np.argsort(truth[order], kind="stable")]
    fold = np.empty(len(truth), dtype=np.intp)
    fold[order] = np.arange(len(truth)) % k
    return fold


def discriminant(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the weights and the offset of LDA for two classes."""
    means = np.stack([X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)])
    centred = X - means[y]
    w = np.linalg.solve(centred.T @ centred / (len(X) - 2), means[1] - means[0])
    return w, float(np.log(y.mean() / (1 - y.mean())) - w @ means.sum(axis=0) / 2)


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


def mean(values: np.ndarray) -> float:
    """Return the mean of a function of a standard normal number, from its values at the nodes."""
    return float(values @ WEIGHTS / WEIGHTS.sum())


def worth(w: np.ndarray, b: float) -> tuple[float, ...]:
    """Return what a discriminant is truly worth: its margin is normal in either class."""
    length, low, high = np.linalg.norm(w), b, w[0] * DISTANCE + b
    s0, s1 = low + length * NODES, high + length * NODES
    return (
        float(ndtr(-low / length)), float(ndtr(high / length)),
        mean(np.logaddexp(0, s0)), mean(np.logaddexp(0, -s1)),
        mean(expit(s0) ** 2), mean(expit(-s1) ** 2),
        float(ndtr((high - low) / length / np.sqrt(2))),
    )  # fmt: skip


def expected(fits: np.ndarray) -> dict[str, float]:
    """Return all scores from the mean recalls, losses and areas of the two classes."""
    recall, losses, squares = fits[0:2], fits[2:4], fits[4:6]
    shares = np.array([1 - SHARE, SHARE])
    counts = shares[:, None] * np.array([[recall[0], 1 - recall[0]], [1 - recall[1], recall[1]]])
    predicted = counts.sum(axis=0)
    right = counts.diagonal()
    above = right.sum() - predicted @ shares
    return {
        "accuracy": right.sum(),
        "balanced accuracy": recall.mean(),
        "macro F1": float(np.mean(2 * right / (predicted + shares))),
        "MCC": above / np.sqrt((1 - predicted @ predicted) * (1 - shares @ shares)),
        "log loss": shares @ losses,
        "Brier": shares @ squares,
        "AUC": fits[6],
        "recall": recall[0],
    }


if __name__ == "__main__":
    main()
