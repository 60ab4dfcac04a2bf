"""Figures of word counts, of logistic regression's solvers, and of the least possible error."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import plotly.graph_objects as go
from drawing import Panels, curve, marked
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

import lincore
from lincore.estimators import BayesClassifier, bayes_error, expected_loss
from lincore.io import gaussian_classes
from lincore.plots.base import COLOURS, GREY, INK, translucent

# The same colour for a solver in both panels.
SOLVERS = {
    "newton": COLOURS[0],
    "newton-cg": COLOURS[2],
    "fixed-hessian": COLOURS[4],
    "gradient": COLOURS[1],
    "sgd": COLOURS[3],
}


def multinomial_nb() -> go.Figure:
    """Show what each word says, and what alpha does to a word that a class has never had."""
    words = ["to", "be", "or", "not", "question"]
    X = [[3, 2, 1, 1, 0], [1, 2, 1, 0, 1], [1, 1, 1, 1, 4], [0, 1, 0, 1, 2], [1, 1, 0, 0, 3]]
    X[1][4] = 0  # ham never has the word "question"
    y = ["ham", "ham", "spam", "spam", "spam"]
    figure = Panels("How often a class has a word", "What one occurrence says, by alpha")
    plain = lincore.MultinomialNB(alpha=0).fit(X, y)
    for code, label in enumerate(plain.classes_):
        share = np.exp(plain.feature_log_prob_[code])
        bars = go.Bar(x=words, y=share, name=str(label), marker={"color": COLOURS[code]})
        figure.add(1, bars)
    figure.axes(1, {"title": ""}, {"title": "p(word | class), alpha = 0", "tickformat": ".0%"})
    top = 4.6
    for alpha, shade in ((0, 1.0), (0.1, 0.6), (1, 0.3)):
        odds = lincore.MultinomialNB(alpha=alpha).fit(X, y).feature_log_prob_
        height = np.minimum(odds[1] - odds[0], top)
        hue = translucent("#000037", shade)
        figure.add(2, go.Bar(x=words, y=height, name=f"alpha = {alpha}", marker={"color": hue}))
    figure.note(
        2, 4, top, "∞ with alpha = 0:<br>one “question” settles it", xanchor="right", xshift=-52
    )
    figure.axes(2, {"title": ""}, {"title": "log odds, spam over ham", "range": [-1.7, 5.2]})
    figure.figure.add_hline(0, line={"color": GREY, "width": 1}, row=1, col=2)
    figure.figure.update_layout(bargap=0.25)
    return figure.figure


def logistic() -> go.Figure:
    """Race five solvers on one error surface: their paths, and how fast they come near."""
    X, codes = _two_alike()
    best = _fit(X, codes, "newton", 50, tol=1e-10)
    figure = Panels("Paths over the error surface", "Distance from the minimum")
    middle = best.coef_[0] / 2
    first, second = np.linspace(middle - 1.9, middle + 1.9, 161).T
    w = np.stack(np.meshgrid(first, second), axis=-1)
    scores = w @ X.T
    error = np.logaddexp(0, np.where(codes == 1, -scores, scores)).sum(axis=-1)
    figure.add(
        1,
        go.Contour(
            x=first,
            y=second,
            z=np.log(error - best.log_loss_ + 0.1),
            colorscale=[[0, "#FFFFFF"], [1, "#C9CDEB"]],
            showscale=False,
            ncontours=16,
            line={"color": "rgba(104,112,201,0.45)", "width": 1},
        ),
    )
    for solver in ("gradient", "fixed-hessian", "newton"):
        path = _path(X, codes, solver, 100)
        figure.add(1, marked(*path.T, solver, SOLVERS[solver], size=6))
    figure.add(1, _star(best.coef_[0, :1], best.coef_[0, 1:]))
    figure.plane(1, (first[0], first[-1]), (second[0], second[-1]), ("w₁", "w₂"), square=True)
    for solver, hue in SOLVERS.items():
        trace = _fit(X, codes, solver, 200, tol=1e-7).trace_
        gap = np.array([step.objective for step in trace]) - best.log_loss_
        steps = np.array([step.iteration for step in trace])
        shown = gap > 1e-8
        size = 11 if solver == "newton" else 5  # newton-cg takes the same steps
        figure.add(2, marked(steps[shown] + 1, gap[shown], solver, hue, size=size))
    figure.axes(
        2,
        {"title": "iteration + 1 (sgd: epochs)", "type": "log", "dtick": 1},
        {
            "title": "error − its minimum (nats)",
            "type": "log",
            "exponentformat": "power",
            "dtick": 2,
        },
    )
    return figure.figure


def bayes() -> go.Figure:
    """Show the error that nobody avoids, and how learned classifiers come near it."""
    figure = Panels(
        "Decide for the higher curve, or the costlier error", "Nobody gets below the line"
    )
    truth = BayesClassifier([[0.0], [2.4]], [[1.0]], [0.6, 0.4])
    wary = BayesClassifier([[0.0], [2.4]], [[1.0]], [0.6, 0.4], loss=[[0, 1], [5, 0]])
    grid = np.linspace(-3.4, 5.6, 901)
    healthy, ill = 0.6 * norm.pdf(grid), 0.4 * norm.pdf(grid - 2.4)
    lower = go.Scatter(
        x=grid,
        y=np.minimum(healthy, ill),
        fill="tozeroy",
        mode="none",
        fillcolor=translucent("#7F7F7F", 0.45),
        name="Bayes error",
    )
    figure.add(1, lower)
    figure.add(1, curve(grid, healthy, "healthy", COLOURS[0], width=3))
    figure.add(1, curve(grid, ill, "ill", COLOURS[1], width=3))
    for classifier, height, text, dash in (
        (truth, 0.215, "all errors<br>cost 1", "solid"),
        (wary, 0.262, "a missed illness<br>costs 5", "dash"),
    ):
        classifier.fit([[0.0], [2.4]], [0, 1])
        at = float(grid[np.argmax(classifier.predict(grid[:, None]))])
        figure.add(1, curve([at, at], [0, height], dash=dash))
        side = "left" if classifier is truth else "right"
        figure.note(1, at, height, text, xanchor=side, xshift=4 if side == "left" else -4)
    share = bayes_error(truth).value
    figure.note(1, 1.35, 0.03, f"{share:.1%}")
    figure.axes(1, {"title": "measurement"}, {"title": "prior × density", "rangemode": "tozero"})
    _learning(figure)
    return figure.figure


def _learning(figure: Panels) -> None:
    """Draw the true error of LDA and QDA by training rows over the Bayes error."""
    means = [[0.0, 0.0], [1.6, 0.8]]
    covariances = [[[1.0, 0.5], [0.5, 1.0]], [[1.6, -0.8], [-0.8, 1.2]]]
    truth = BayesClassifier(means, covariances)
    sizes, repeats = np.array([4, 6, 10, 20, 50, 150, 500]), 16
    for name, make, hue in (
        ("LDA", lincore.LinearDiscriminantAnalysis, COLOURS[2]),
        ("QDA", lincore.QuadraticDiscriminantAnalysis, COLOURS[3]),
    ):
        errors = np.zeros(len(sizes))
        for i, size in enumerate(sizes):
            for seed in range(repeats):
                data = gaussian_classes(means, covariances, sizes=[size, size], seed=seed)
                model = make().fit(data.X, data.codes)
                errors[i] += expected_loss(model, truth, standard_error=1e-3).value / repeats
        figure.add(2, marked(2 * sizes, errors, name, hue))
    level = bayes_error(truth).value
    figure.add(2, curve([8, 1000], [level, level], "Bayes error (right)", INK, dash="dash"))
    figure.axes(
        2,
        {"title": "training rows", "type": "log", "tickvals": [10, 30, 100, 300, 1000]},
        {"title": "true error, mean of 16 trainings", "tickformat": ".0%"},
    )


def _two_alike() -> tuple[Any, Any]:
    """Return two features that say nearly the same, and codes: the error has a long valley."""
    rho = 0.88 * np.ones((2, 2)) + 0.12 * np.eye(2)
    data = gaussian_classes([[-0.6, -0.25], [0.6, 0.25]], rho, sizes=[70, 70], seed=3)
    return data.X, data.codes


def _fit(X: Any, codes: Any, solver: Any, max_iter: int, **options: Any) -> Any:
    model = lincore.LogisticRegression(
        C=np.inf,
        solver=solver,
        max_iter=max_iter,
        fit_intercept=False,
        random_state=0,
        **options,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, codes)


def _path(X: Any, codes: Any, solver: str, most: int) -> Any:
    """Return both weights after 0, 1, 2, ... iterations: fits that are stopped early."""
    places = [np.zeros(2)]
    for n in range(1, most + 1):
        model = _fit(X, codes, solver, n)
        places.append(model.coef_[0])
        if model.converged_:
            break
    return np.array(places)


def _star(x: Any, y: Any) -> go.Scatter:
    marker = {"symbol": "star", "size": 15, "color": INK, "line": {"color": "white", "width": 1.5}}
    return go.Scatter(x=x, y=y, mode="markers", name="minimum", marker=marker)
