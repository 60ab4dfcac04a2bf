"""Every plot of `lincore.plots` with a small figure: docs/plots.md, written by `make figures`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
from drawing import FONT, write_pngs

import lincore
from lincore import plots
from lincore.inspection import box_plot_statistics, class_densities, class_histograms, correlations
from lincore.metrics import precision_recall_curve, roc_curve

HEAD = """# Every plot

Each is a function of `lincore.plots`, returns a Plotly figure (`figure.show()`,
`figure.write_html("it.html")`) and describes its finding in `figure.layout.meta["alt"]`. Those
marked **results** take the return value of `lincore.compare` and a method's name; those marked
**view** take the return value of `lincore.inspection.make_view` or `lincore.inspection.model_view`.
The others take numbers. The method `plot()` of a display, such as `results.scores().plot()`, draws
the figure of a result.

This page and its figures are written by `make figures`: see `docs/figures_of_plots.py`.
"""

TAKES = {
    "results": "confusion",
    "view": "ambiguity boundary contour direction_histogram small_multiples surface",
}
# These need WebGL, which a browser without a graphics card does not have.
SOLID = ("surface", "scatter_3d")
WIDTH, HEIGHT = 460, 340


@cache
def iris() -> Any:
    """Return the data that most figures are of."""
    return lincore.sample("iris")


@cache
def results() -> Any:
    """Return a comparison of four methods."""
    return lincore.compare(iris(), ["lda", "qda", "naive-bayes", "least-squares"], "10-fold")


@cache
def view(word: str = "lda", axes: tuple[int, int] = (0, 1)) -> Any:
    """Return a fitted method in a plane of two features."""
    data, classes = iris(), {"lda": lincore.LinearDiscriminantAnalysis()}
    model = classes.get(word) or lincore.OneVsRest(lincore.LinearDiscriminantAnalysis())
    split = lincore.split(data)
    two = lincore.load((data.X[:, list(axes)], data.y), name="iris")
    pipeline = lincore.fit(two, model, split).pipeline
    return lincore.inspection.make_view(
        pipeline, two, split.test, lincore.inspection.feature_plane(two, (0, 1), split.train)
    )


@cache
def line() -> Any:
    """Return a fitted method of two classes along its discriminant direction."""
    two = iris().take(iris().codes > 0)
    split = lincore.split(two)
    pipeline = lincore.fit(two, "lda", split).pipeline
    plane = lincore.inspection.discriminant_plane(pipeline, two, split.train, n_axes=1)
    return lincore.inspection.make_view(pipeline, two, split.test, plane)


def _column(kind: Callable[..., Any]) -> Any:
    return kind(iris().X[:, 2], iris().codes, 3)


def _costs(line: np.ndarray) -> np.ndarray:
    return line[:, None] * [1, 0.9, 1.1]


RATIOS = np.geomspace(1, 20, 25)
NAMES = ("length", "width", "height", "weight")
SIZES = np.array([10, 20, 40, 80, 160])
PARTS = {"prior shift": (0.06, 0.04, 0.08), "majority bias": (0.02, 0.0, 0.04),
         "small class": (0.03, 0.01, 0.05)}  # fmt: skip

FIGURES: dict[str, Callable[[], go.Figure]] = {
    "score_intervals": lambda: results().scores().plot(),
    "pairwise_effects": lambda: results().pairwise().plot(),
    "seconds_and_score": lambda: results().times().plot(),
    "roc": lambda: plots.roc(
        [plots.Curve.from_roc(c, code=k) for k, c in enumerate(roc_curve(results(), "lda"))]
    ),
    "precision_recall": lambda: plots.precision_recall(
        [
            plots.Curve.from_precision_recall(c, code=k)
            for k, c in enumerate(precision_recall_curve(results(), "lda"))
        ],
        shares=[1 / 3],
    ),
    "calibration": lambda: (
        lincore.fit(lincore.sample("breast cancer"), "naive-bayes").calibration().plot()
    ),
    "decision_curve": lambda: (
        lincore.fit(lincore.sample("breast cancer"), "lda").decision_curve().plot()
    ),
    "gains": lambda: (
        lincore.fit(lincore.sample("breast cancer"), "lda").operating_point(threshold=0.2).plot()
    ),
    "confusion": lambda: plots.confusion(results(), "lda"),
    "confusion_difference": lambda: plots.confusion_difference(
        [[48, 2], [3, 47]], [[50, 0], [15, 35]], ["no", "yes"]
    ),
    "recall_map": lambda: plots.recall_map([[0.9, 0.7], [0.8, 0.85]], ["lda", "qda"], "ab"),
    "recall_change": lambda: plots.recall_change(
        [(0.9, 0.85, 0.95), (0.8, 0.7, 0.9)], [(0.95, 0.9, 1.0), (0.5, 0.4, 0.6)], ["no", "yes"]
    ),
    "contour": lambda: plots.contour(view()),
    "boundary": lambda: plots.boundary(view()),
    "surface": lambda: plots.surface(view()),
    "direction_histogram": lambda: plots.direction_histogram(line()),
    "ambiguity": lambda: plots.ambiguity(view("one-vs-rest")),
    "small_multiples": lambda: plots.small_multiples([view(), view("one-vs-rest")], ["LDA", "OvR"]),
    "coefficients": lambda: plots.coefficients(
        iris().feature_names,
        lincore.LinearDiscriminantAnalysis().fit(iris().X, iris().y).coef_[2],
        unit="coefficient for virginica",
    ),
    "contributions": lambda: plots.contributions(
        ["petal length = 4.5", "petal width = 1.4", "sepal length = 5.7", "sepal width = 3"],
        [-4.59, -2.69, -0.35, -0.25],
        13.6,
        unit="log odds",
        of="'versicolor' over 'virginica'",
    ),
    "coefficient_path": lambda: (
        lincore.fit(lincore.sample("wine"), "logistic(l1_ratio=1, C=cv-1se)")
        .coefficient_path()
        .plot()
    ),
    "odds_ratios": lambda: plots.odds_ratios(
        NAMES, [2.0, 0.5, 1.1, 4.0], [1.4, 0.3, 0.8, 2.5], [2.9, 0.8, 1.5, 6.4]
    ),
    "scatter": lambda: plots.scatter(
        iris().X[:, :2], iris().codes, iris().classes, NAMES[:2], title="Two features of iris"
    ),
    "scatter_3d": lambda: plots.scatter_3d(
        iris().X[:, :3], iris().codes, iris().classes, NAMES[:3], title="Three features of iris"
    ),
    "biplot": lambda: plots.biplot(
        (pca := lincore.PCA(2).fit(iris().X)).transform(iris().X),
        iris().codes,
        iris().classes,
        pca.components_,
        iris().feature_names,
        ["Component 1", "Component 2"],
    ),
    "canonical_plot": lambda: lincore.fit(lincore.sample("wine"), "lda").canonical().plot(),
    "scree": lambda: plots.scree(lincore.PCA().fit(iris().X)),
    "vector_shares": lambda: plots.vector_shares([0.4, 0.2, 0.1, 0.05]),
    "class_balance": lambda: plots.class_balance([70, 30, 10], [30, 13, 4], iris().classes),
    "share_bars": lambda: plots.share_bars(
        ["first", "second", "third"],
        [[0.4, 0.6, 0.85], [0.6, 0.4, 0.15]],
        ["no", "yes"],
        title="Who survived, by cabin class",
        unit="share",
    ),
    "sweep": lambda: plots.sweep(
        SIZES,
        [0.3 - 0.05 * np.log10(SIZES)],
        [0.26 - 0.05 * np.log10(SIZES)],
        [0.34 - 0.05 * np.log10(SIZES)],
        ["lda"],
    ),
    "tuning": lambda: plots.tuning(
        np.array([[0.0], [0.1], [0.2], [0.5], [1.0]]),
        [0.48, 0.41, 0.4, 0.42, 0.47],
        [0.03, 0.02, 0.02, 0.02, 0.02],
        3,
        ["Shrinkage"],
        loss="log loss",
        title="Shrinkage 0.5: most regularised choice within one standard error",
    ),
    "waterfall": lambda: plots.waterfall(PARTS, 0.1),
    "remedies": lambda: plots.remedies(
        ["corrected priors", "balanced weights"], [(0.06, 0.04, 0.08), (0.05, 0.02, 0.08)]
    ),
    "cost_curve": lambda: plots.cost_curve(
        RATIOS,
        [_costs(line) for line in (0.02 + 0.03 * RATIOS, 0.08 + 0.01 * RATIOS)],
        ["uncorrected", "balanced (equal priors)"],
        class_ratio=8,
        asked=5,
        break_even=(3, 2.2, 4),
        across="cost of a miss over that of a false alarm",
        title="Balancing pays from a ratio of 3 on",
    ),
    "convergence": lambda: plots.convergence(
        {
            solver: lincore.LogisticRegression(solver=solver).fit(iris().X, iris().y).trace_
            for solver in ("newton", "newton-cg")
        }
    ),
    "error_curves": lambda: plots.error_curves({"newton": [0.7, 0.3, 0.2], "sgd": [0.7, 0.5, 0.4]}),
    "images": lambda: plots.images(
        lincore.sample("digits").X[:6].reshape(6, 8, 8), [str(k) for k in range(6)]
    ),
    "coefficient_images": lambda: plots.coefficient_images(
        np.random.default_rng(0).standard_normal((4, 8, 8)), [f"class {k}" for k in range(4)]
    ),
    "reconstructions": lambda: plots.reconstructions(
        *(
            lambda X, p: (
                X[:4].reshape(4, 8, 8),
                [
                    (p.mean_ + (X[:4] - p.mean_) @ p.components_[:k].T @ p.components_[:k]).reshape(
                        4, 8, 8
                    )
                    for k in (2, 10)
                ],
            )
        )(X := lincore.sample("digits").X.astype(float), lincore.PCA(10).fit(X)),
        [2, 10],
    ),
    "histogram": lambda: plots.histogram(_column(class_histograms), iris().classes, "petal length"),
    "densities": lambda: plots.densities(
        _column(class_densities), iris().classes, "petal length", sizes=iris().counts
    ),
    "box_plot": lambda: plots.box_plot(
        _column(box_plot_statistics), iris().classes, "petal length"
    ),
    "correlation_matrix": lambda: plots.correlation_matrix(
        correlations(iris(), within=True), kind="pearson"
    ),
}


def write_plots(folder: Path, page: Path) -> None:
    """Draw all figures, small, and write the page that lists them."""
    figures = {name: make() for name, make in FIGURES.items()}
    for drawn in figures.values():
        drawn.update_layout(width=WIDTH, height=HEIGHT, font=FONT | {"size": 11})
        drawn.update_layout(paper_bgcolor="white", plot_bgcolor="white")
        drawn.update_layout(title_font_size=13)
    flat = {name: drawn for name, drawn in figures.items() if name not in SOLID}
    write_pngs(flat.items(), folder, scale=1)
    page.write_text(HEAD + "".join(_section(name, one) for name, one in figures.items()), "utf-8")


def _section(name: str, drawn: go.Figure) -> str:
    summary = str(inspect.getdoc(getattr(plots, name))).split("\n", 1)[0]
    takes = "".join(f" **{kind}**" for kind, names in TAKES.items() if name in names.split())
    alt = " ".join(str(drawn.layout.meta["alt"]).split())[:240].replace("[", "(").replace("]", ")")
    figure = f"![{alt}](figures/plots/{name}.png)"
    if name in SOLID:
        figure = "(Three-dimensional, can be rotated with the mouse; drawn in a browser only.)"
    return f"\n## `{name}`{takes}\n\n{summary}\n\n{figure}\n"
