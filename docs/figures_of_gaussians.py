"""Figures of the classifiers that fit a Gaussian to each class."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from drawing import Panels, curve, ellipse, marked, regions, rows, scores_of, spots

import lincore
from lincore.io import gaussian_classes
from lincore.linalg import Whitener
from lincore.plots.base import COLOURS, GREY, INK


def lda() -> go.Figure:
    """Draw one line between two ellipses of one shape, before and after whitening."""
    cov = np.array([[2.0, 1.35], [1.35, 1.5]])
    data = gaussian_classes([[0, 0.6], [3.2, 0.2]], cov, sizes=[110, 110], seed=4)
    model = lincore.LinearDiscriminantAnalysis().fit(data.X, data.codes)
    forward = Whitener.from_covariance(model.covariance_).factor
    whole = lincore.LinearDiscriminantAnalysis().fit(data.X @ forward, data.codes)
    figure = Panels(
        "The line cuts the ellipses, askew to the means",
        "Whitened: halfway between the means, at right angles",
    )
    for panel, (fitted, X) in enumerate(((model, data.X), (whole, data.X @ forward)), start=1):
        x, y = _frame(X)
        figure.add(panel, *regions(fitted, x, y), *rows(X, data.codes, data.classes, size=6))
        figure.add(
            panel,
            *(
                ellipse(mean, fitted.covariance_, radius, code)
                for code, mean in enumerate(fitted.means_)
                for radius in (1, 2)
            ),
            curve(*fitted.means_.T, "between the means", dash="dot"),
            *(spots(mean, code) for code, mean in enumerate(fitted.means_)),
        )
        names = ("x₁", "x₂") if panel == 1 else ("z₁ (standard deviations)", "z₂")
        figure.plane(panel, x, y, names, square=True)
    return figure.figure


def diagonal_lda() -> go.Figure:
    """Learn fewer numbers: better from few rows, worse from many."""
    figure = Panels("Only axis-parallel ellipses", "40 features: better while rows are few")
    cov = np.array([[1.0, 0.75], [0.75, 1.0]])
    data = gaussian_classes([[0, 0], [2.2, 0]], cov, sizes=[110, 110], seed=1)
    diagonal = lincore.DiagonalLinearDiscriminantAnalysis().fit(data.X, data.codes)
    full = lincore.LinearDiscriminantAnalysis().fit(data.X, data.codes)
    x, y = _frame(data.X)
    figure.add(1, *regions(diagonal, x, y, name="diagonal LDA", color=COLOURS[4], width=3))
    figure.add(1, *regions(full, x, y, tinted=False, name="LDA", color=INK, width=3))
    figure.add(1, *rows(data.X, data.codes, data.classes, size=6))
    parallel = np.diag(diagonal.covariance_)
    for code, mean in enumerate(diagonal.means_):
        figure.add(1, ellipse(mean, parallel, 1.5, code))
    figure.plane(1, x, y, square=True)
    sizes = np.array([12, 16, 22, 30, 45, 70, 120, 200, 400])
    figure.add(2, marked(2 * sizes, _errors(full, sizes), "LDA", INK))
    figure.add(2, marked(2 * sizes, _errors(diagonal, sizes), "diagonal LDA", COLOURS[4]))
    figure.axes(
        2,
        {"title": "training rows", "type": "log", "tickvals": [25, 50, 100, 200, 400, 800]},
        {"title": "true error", "tickformat": ".0%", "rangemode": "tozero"},
    )
    return figure.figure


def qda() -> go.Figure:
    """Put a class within another: no line tells them apart."""
    covariances = [np.diag([0.3, 0.25]), np.array([[7.0, 2.0], [2.0, 6.0]])]
    data = gaussian_classes([[0.8, -0.6], [0, 0]], covariances, sizes=[150, 150], seed=2)
    models = (
        lincore.LinearDiscriminantAnalysis().fit(data.X, data.codes),
        lincore.QuadraticDiscriminantAnalysis().fit(data.X, data.codes),
    )
    wrong = [np.mean(model.predict(data.X) != data.codes) for model in models]
    figure = Panels(
        f"LDA, one covariance: {wrong[0]:.0%} misclassified",
        f"QDA, one each: {wrong[1]:.0%} misclassified",
    )
    x, y = _frame(data.X)
    for panel, model in enumerate(models, start=1):
        figure.add(panel, *regions(model, x, y))
        figure.add(panel, *rows(data.X, data.codes, data.classes, size=6))
        for code, mean in enumerate(model.means_):
            cov = model.covariance_ if panel == 1 else model.covariance_[code]
            figure.add(panel, ellipse(mean, cov, 2, code))
        figure.plane(panel, x, y)
    return figure.figure


def gaussian_nb() -> go.Figure:
    """Show what independence assumes: axis-parallel ellipses, and evidence counted twice."""
    cov = np.array([[[1.0, 0.85], [0.85, 1.0]], [[1.4, -0.2], [-0.2, 0.5]]])
    data = gaussian_classes([[0, 0], [1.4, -1.6]], cov, sizes=[150, 100], seed=3)
    nb = lincore.GaussianNB().fit(data.X, data.codes)
    full = lincore.QuadraticDiscriminantAnalysis().fit(data.X, data.codes)
    figure = Panels("Axis-parallel ellipses", "A feature given 1, 3 or 10 times")
    x, y = _frame(data.X)
    figure.add(1, *regions(nb, x, y, name="naive Bayes", color=INK, width=3))
    figure.add(
        1, *regions(full, x, y, tinted=False, name="QDA", color=GREY, width=2.5, dash="dash")
    )
    figure.add(1, *rows(data.X, data.codes, data.classes, size=6))
    for code, mean in enumerate(nb.means_):
        figure.add(1, ellipse(mean, np.diag(nb.var_[code]), 1.5, code))
    figure.plane(1, x, y)
    line = gaussian_classes([[-1.0], [1.0]], [[2.25]], sizes=[400, 400], seed=5)
    grid = np.linspace(-4, 4, 201)[:, None]
    for copies, word, hue in ((1, "once", 2), (3, "3 times", 4), (10, "10 times", 3)):
        model = lincore.GaussianNB().fit(np.repeat(line.X, copies, axis=1), line.codes)
        sure = model.predict_proba(np.repeat(grid, copies, axis=1))[:, 1]
        figure.add(2, curve(grid[:, 0], sure, word, COLOURS[hue], width=3))
    figure.axes(2, {"title": "the feature"}, {"title": "P(class 2)", "tickformat": ".0%"})
    return figure.figure


def _frame(X: np.ndarray) -> list[tuple[float, float]]:
    """Return a range of each axis, of the proportions of half a figure."""
    low, high = X.min(axis=0), X.max(axis=0)
    reach = 0.54 * max((high - low)[0] / 1.08, (high - low)[1] / 0.92) * np.array([1.08, 0.92])
    middle = (low + high) / 2
    return [(float(m - r), float(m + r)) for m, r in zip(middle, reach, strict=True)]


def _errors(model: object, sizes: np.ndarray, repeats: int = 60) -> list[float]:
    """Return the true error of a classifier by rows of each class, averaged over training sets."""
    p = 40
    place = np.arange(p)
    cov = 0.4 ** np.abs(place[:, None] - place)
    shift = np.where(place % 4 < 2, 0.32, -0.16)
    test = gaussian_classes([0 * shift, shift], cov, sizes=[4000, 4000], seed=10_000)
    errors = []
    for size in sizes:
        total = 0.0
        for seed in range(repeats):
            data = gaussian_classes([0 * shift, shift], cov, sizes=[size, size], seed=seed)
            fitted = type(model)().fit(data.X, data.codes)
            chosen = scores_of(fitted, test.X).argmax(axis=1)
            total += float(np.mean(chosen != test.codes))
        errors.append(total / repeats)
    return errors
