"""Figures of coordinates: basis functions, principal components, distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from drawing import Panels, curve, ellipse, regions, rows, spots
from sklearn.pipeline import make_pipeline

import lincore
from lincore.estimators import mahalanobis
from lincore.io import gaussian_classes
from lincore.plots.base import COLOURS, INK
from lincore.preprocessing import RadialBasis, polynomial


def basis() -> go.Figure:
    """Draw XOR before and after the product of the features; rings by Gaussian RBF."""
    rng = np.random.default_rng(1)
    corners = np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]])
    X = np.repeat(corners, 40, axis=0) + rng.normal(0, 0.32, (160, 2))
    codes = np.repeat([0, 0, 1, 1], 40)
    turn = rng.uniform(0, 2 * np.pi, 160)
    radius = np.repeat([0.5, 1.5], 80) + rng.normal(0, 0.13, 160)
    rings = radius[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    rbf = RadialBasis(12, random_state=0)
    models: list[tuple[Any, Any, Any]] = [
        (lincore.LogisticRegression(), X, codes),
        (make_pipeline(polynomial(2), lincore.LogisticRegression()), X, codes),
        (make_pipeline(rbf, lincore.LogisticRegression(C=10)), rings, np.repeat([0, 1], 80)),
    ]
    shares = [np.mean(model.fit(Z, y).predict(Z) != y) for model, Z, y in models]
    figure = Panels(
        f"XOR, x₁ and x₂: {shares[0]:.0%} misclassified",
        f"with x₁², x₁x₂, x₂²: {shares[1]:.0%} misclassified",
        f"rings, 12 RBF (×): {shares[2]:.0%} misclassified",
        height=380,
    )
    span = (-2.15, 2.15)
    for panel, (model, Z, y) in enumerate(models, start=1):
        figure.add(panel, *regions(model, span, span, width=3, color=INK))
        figure.add(panel, *rows(Z, y, ["class 1", "class 2"], size=6))
        figure.plane(panel, span, span, ("x₁", "x₂" if panel == 1 else ""), square=True)
    centres = rbf.centers_
    figure.add(3, spots(centres, 0, color=INK, size=9, symbol="x-thin", line={"width": 2}))
    return figure.figure


def pca() -> go.Figure:
    """Divide scores by nothing, by the root of the eigenvalue, by the eigenvalue itself."""
    data = gaussian_classes(
        [[1.0, 0.0], [3.5, 0.6]], [[3.4, 1.5], [1.5, 1.0]], sizes=[120, 120], seed=2
    )
    model = lincore.PCA().fit(data.X)
    white = lincore.PCA(whiten=True).fit_transform(data.X)
    wrong = model.transform(data.X) / model.explained_variance_
    views = (
        (data.X, "The rows and their axes", ("x₁", "x₂")),
        (white, "÷ √eigenvalue: a circle", ("z₁", "z₂")),
        (wrong, "÷ eigenvalue: no circle", ("z₁", "z₂")),
    )
    figure = Panels(*(title for _, title, _ in views), height=380)
    for panel, (Z, _, names) in enumerate(views, start=1):
        reach = 1.08 * np.abs(Z - Z.mean(axis=0)).max()
        x, y = ((float(m - reach), float(m + reach)) for m in Z.mean(axis=0))
        figure.add(panel, *rows(Z, data.codes, data.classes, size=6))
        outline = ellipse(Z.mean(axis=0), np.cov(Z.T), 2, 0, color=INK)
        outline.name = "two standard deviations"
        figure.add(panel, outline)
        figure.plane(panel, x, y, names, square=True)
    for k, (axis, variance) in enumerate(
        zip(model.components_, model.explained_variance_, strict=True)
    ):
        tip = 2 * np.sqrt(variance) * axis
        ends = np.array([model.mean_ - tip, model.mean_ + tip])
        figure.add(1, curve(*ends.T, f"component {k + 1}", COLOURS[4 if k == 0 else 3], width=4))
    return figure.figure


def geometry() -> go.Figure:
    """Show the way to a boundary; near in centimetres, far in standard deviations."""
    cov = np.array([[[1.6, 1.2], [1.2, 1.6]], [[0.5, -0.1], [-0.1, 0.4]]])
    data = gaussian_classes([[0, 0], [3.2, -0.9]], cov, sizes=[120, 80], seed=1)
    line = lincore.LinearDiscriminantAnalysis().fit(data.X, data.codes)
    bent = lincore.QuadraticDiscriminantAnalysis().fit(data.X, data.codes)
    figure = Panels("Distance from a plane", "Distance from a class")
    x, y = (-3.7, 5.8), (-4.6, 4.2)
    for panel, model in enumerate((line, bent), start=1):
        figure.add(panel, *regions(model, x, y, width=3, color=INK))
        figure.add(panel, *rows(data.X, data.codes, data.classes, size=5))
        figure.plane(panel, x, y, ("x₁ (cm)", "x₂ (cm)"), square=True)
    plane = lincore.estimators.boundary(line, 0, 1)
    for point in np.array([[-1.6, 2.6], [4.6, 1.8], [1.0, -3.2]]):
        foot = point - plane.values(point[None])[0] * plane.b / (plane.b @ plane.b)
        figure.add(1, curve(*np.array([point, foot]).T, width=3))
        figure.add(1, spots(point, 4, symbol="circle", size=12))
        text = f"{plane.distances(point[None])[0]:.2f} cm"
        figure.note(1, *point, text, yshift=18 if point[0] < 0 else -18)
    point = np.array([2.5, 2.2])
    apart = mahalanobis(bent, point[None])[0]
    for code, mean in enumerate(bent.means_):
        figure.add(2, *(ellipse(mean, bent.covariance_[code], r, code) for r in (1, 2, 3)))
        figure.add(2, curve(*np.array([point, mean]).T, width=2, dash="dot"))
        figure.add(2, spots(mean, code))
        text = f"{np.linalg.norm(point - mean):.2f} cm<br>{apart[code]:.1f} deviations"
        place = {"xanchor": "right", "x": 1.3, "y": 3.4} if code == 0 else {"x": 4.3, "y": 2.2}
        figure.note(2, text=text, **place, font={"size": 13, "color": COLOURS[code]})
    figure.add(2, spots(point, 4, symbol="circle", size=12))
    return figure.figure
