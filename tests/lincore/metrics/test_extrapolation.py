"""Extrapolated learning curves: an independent fit, exact curves, bounds, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.stats import t

import lincore
from benchmarks.coverage_of_extrapolation import drawn
from lincore.metrics import Results, extrapolate_loss
from lincore.model_selection import learning_curve

SIZES = (10, 20, 40, 80, 160, 320)


def by_size(errors, n_rows=400, n_splits=5, seed=0, classes=2):
    """Results whose errors at each size are drawn with given rates, the same rows in all splits."""
    rng = np.random.default_rng(seed)
    truth = np.tile(np.arange(n_rows) % classes, n_splits)
    rows = np.concatenate([np.arange(j * n_rows, (j + 1) * n_rows) for j in range(n_splits)])
    hard = rng.random(len(truth))  # a row that is misclassified at one size often is at another
    found = {}
    for size, rate in zip(SIZES, errors, strict=True):
        own = np.where(rng.random(len(truth)) < 0.5, hard, rng.random(len(truth)))
        predicted = np.where(own < rate, (truth + 1) % classes, truth)
        found[size] = Results(
            ("model",), np.arange(classes), rows, truth, predicted[None],
            np.full((1, len(truth), classes), np.nan), np.zeros(1),
            fold=np.zeros_like(rows), repetition=np.repeat(np.arange(n_splits), n_rows),
        )  # fmt: skip
    return found


def power_law(a, b, c, sizes=SIZES):
    return a + b * np.array(sizes, dtype=float) ** -c


def covariance_by_definition(results, test_ratio):
    """Variance of rows in loops, and what the splits vary more."""
    wrong = np.array([(r.predicted[0] != r.truth).astype(float) for r in results.values()])
    mean, last = wrong.mean(axis=1), results[SIZES[-1]]
    total = np.zeros((len(wrong), len(wrong)))
    for row in np.unique(last.rows):
        own = (wrong[:, last.rows == row] - mean[:, None]).sum(axis=1) / wrong.shape[1]
        total += np.outer(own, own)
    splits = np.unique(last.repetition)
    each = np.array([wrong[:, last.repetition == j].mean(axis=1) for j in splits])
    between = each.var(axis=0, ddof=1) * (1 / len(splits) + test_ratio)
    total += np.diag(np.maximum(between - np.diag(total), 0))
    return mean, total + np.eye(len(wrong)) * (0.5 / wrong.shape[1]) ** 2


def test_it_equals_the_profile_of_least_squares_by_scipy():
    results = by_size(power_law(0.1, 1.5, 0.7), seed=3)
    mean, covariance = covariance_by_definition(results, 0.4)
    factor, sizes = np.linalg.inv(np.linalg.cholesky(covariance)), np.array(SIZES, dtype=float)
    target = 1280.0

    def misfit(g):
        """Minimise over b >= 0 and c in the range searched, given the error g at the target."""
        best = np.inf
        for c in np.geomspace(0.05, 3, 12):
            fit = least_squares(
                lambda x: (
                    factor @ (g + x[0] * ((sizes / 320) ** -x[1] - (target / 320) ** -x[1]) - mean)
                ),
                [0.05, c],
                bounds=([0, 0.05], [10, 3]),
            )
            a = g - fit.x[0] * (target / 320) ** -fit.x[1]
            best = min(best, 2 * fit.cost if a >= -1e-3 else np.inf)
        return best

    found = extrapolate_loss(results, "model", [target], test_ratio=0.4)
    assert found.reason == "" and found.sizes.tolist() == list(SIZES)
    (interval,) = found.extrapolated
    least = misfit(interval.value)
    for end in (interval.low, interval.high):
        assert misfit(end) - least == pytest.approx(t.ppf(0.975, 4) ** 2, abs=0.5)
    assert [one.value for one in found.measured] == pytest.approx(mean.tolist())
    widths = [(one.high - one.low) / (2 * t.ppf(0.975, 4)) for one in found.measured]
    assert widths == pytest.approx(np.sqrt(np.diag(covariance)).tolist())


def test_many_rows_find_the_curve_again():
    results = by_size(power_law(0.1, 1.0, 0.6), n_rows=40_000, seed=1)
    near, far = extrapolate_loss(results, "model", [640, 2560]).extrapolated
    for interval, size in ((near, 640), (far, 2560)):
        expected = float(power_law(0.1, 1.0, 0.6, [size])[0])
        assert interval.low <= expected <= interval.high
        assert interval.value == pytest.approx(expected, abs=0.01)
    assert far.high - far.low > near.high - near.low, "further is less certain"


def test_by_class_and_balanced():
    results = by_size(power_law(0.1, 1.0, 0.6), seed=2, classes=3)
    last = results[SIZES[-1]]
    wrong = last.predicted[0] != last.truth
    by_class = [wrong[last.truth == k].mean() for k in range(3)]
    for k in range(3):
        own = extrapolate_loss(results, "model", [640], code=k)
        assert own.measured[-1].value == pytest.approx(by_class[k])
    balanced = extrapolate_loss(results, "model", [640], balanced=True)
    assert balanced.measured[-1].value == pytest.approx(np.mean(by_class))


def test_what_is_not_extrapolated():
    falling = by_size(power_law(0.1, 1.5, 0.7))
    few = {size: falling[size] for size in SIZES[:3]}
    one = {
        size: replace(r, repetition=np.zeros_like(r.rows), rows=np.arange(len(r.rows)))
        for size, r in falling.items()
    }
    weighted = {
        size: replace(r, settings=replace(r.settings, row_weights=np.ones(len(r.rows))))
        for size, r in falling.items()
    }
    for results, reason in (
        (few, "at least 4 training sizes"),
        (one, "at least 3 random splits"),
        (weighted, "rows have weights"),
        (by_size([0.3] * 6), "fall with more rows"),
        (by_size([0.2, 0.2, 0.2, 0.2, 0.2, 0.4]), "fall with more rows"),
        (by_size([0.4, 0.2, 0.1, 0.01, 0.001, 0.0]), "too few errors"),
        (by_size([0.5, 0.5, 0.5, 0.1, 0.1, 0.1], n_rows=20_000), "no inverse power law"),
    ):
        found = extrapolate_loss(results, "model", [640])
        assert reason in found.reason and found.extrapolated == []
    assert "training sizes" in extrapolate_loss(falling, "another", [640]).reason


def curve_of(design="two Gaussians, 10 features", methods=("lda", "naive-bayes"), n=300):
    data = lincore.load(drawn(design, n, 0))
    splits = [lincore.split(data, seed=seed) for seed in range(5)]
    return learning_curve(data, list(methods), splits)


def test_the_display():
    curve = curve_of()
    shown = curve.extrapolated()
    frame = shown.frame().set_index("method")
    for name in curve.methods:
        own = extrapolate_loss(curve.results, name, [840], test_ratio=curve.test_ratio)
        assert frame.loc[name, ["value", "low", "high"]].tolist() == pytest.approx(
            list(own.extrapolated[0])
        )
    assert "With 840 training rows " in shown.finding() and shown.notes()
    figure = shown.plot()
    assert [one["name"] for one in figure.data if one["name"]] == ["measured", "extrapolated"]
    assert "840" in str(figure.layout.meta["alt"])
    rare = curve_of("three Gaussians, 30 features", ("lda",), 1000).extrapolated(loss="rare")
    assert ") of the rows of '1', extrapolated; with 700 it is" in rare.finding()


def test_the_display_says_when_it_cannot():
    curve = curve_of(methods=("lda",))
    single = replace(curve, results=dict(list(curve.results.items())[:2]))
    shown = single.extrapolated()
    assert "is not extrapolated" in shown.finding() and shown.plot() is None
    assert shown.notes() == () and "not extrapolated" in shown.table() and str(shown)
